"""The mRMR order of all features against pymrmr, Peng's own program."""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from hlsvm import datasets
from hlsvm.reproduce import race
from hlsvm.select import MRMR, levels, segment_edges, value_edges

QUESTION = (
    "How long does the full mRMR ranking take, and is it that of pymrmr? (asked: SRBCT <= 0.5 s, "
    ">= 100 x faster than pymrmr, the identical order; pymrmr ranks `theirs` features only, and "
    "each further one costs at least as much as those did. HLSVM_PYMRMR names a Python that has "
    "it, since it builds only with old tools.)"
)
SETS = (
    ("srbct", 3, 10),
    ("srbct", 5, 10),
    ("arrhythmia_binary", 3, 40),
    ("arrhythmia_binary", 5, 40),
    ("colon_mrmr", None, 10),
    ("lymphoma_mrmr", None, 5),
    ("digits", 5, 64),
    ("mnist", 3, 2),
)
PENG = """
import os, sys, time
import numpy as np, pandas as pd, pymrmr
with np.load(sys.argv[1]) as file:
    frame = pd.DataFrame(file["codes"].astype(float))
    frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    frame.insert(0, "class", file["y"].astype(float))
out, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1)
start = time.process_time()
order = pymrmr.mRMR(frame, "MID", int(sys.argv[2]))
seconds = time.process_time() - start
os.dup2(out, 1)
print(seconds, *(name[1:] for name in order))
"""


def peng(python, codes, y, n):
    """Return seconds and order of pymrmr."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        np.savez(file, codes=codes.astype(np.uint8), y=y)
        result = subprocess.run(
            [python, "-c", PENG, str(file), str(n)], capture_output=True, text=True, check=True
        ).stdout.split()
    return float(result[0]), [int(name) for name in result[1:]]


def run():
    """Rank every set; race pymrmr where it is to be had."""
    python = os.environ.get("HLSVM_PYMRMR")
    rows = []
    for name, n_bins, theirs in SETS:
        data = datasets.load(name)
        X, y = data.X_train, np.unique(data.y_train, return_inverse=True)[1]
        selector = MRMR(n_bins=n_bins)
        seconds = race({"ours": lambda s=selector, X=X, y=y: s.fit(X, y)}, repeats=3)
        row = {"data": name, "n": len(X), "M": X.shape[1], "bins": n_bins or "as given"}
        row |= {"ours_all_cpu_s": seconds.cpu_s[0], "theirs": theirs}
        if python is None:
            row |= {"theirs_cpu_s": "not run: HLSVM_PYMRMR is not set"}
        else:
            codes = levels(X, value_edges(X) if n_bins is None else segment_edges(X, n_bins, 6.0))
            two, _ = peng(python, codes, y, 2)
            spent, order = peng(python, codes, y, theirs)
            # constant features tie at 0: any order of them at the end is right
            varying = int(np.count_nonzero(np.ptp(codes, axis=0)))
            same = order[:varying] == selector.ranking_[: min(theirs, varying)].tolist()
            every = two + max(spent - two, 0) / max(theirs - 2, 1) * (X.shape[1] - 2)
            row |= {"theirs_cpu_s": spent, "theirs_all_at_least_s": every}
            row |= {"ratio": every / seconds.cpu_s[0], "same_order": same}
        rows.append(row)
    return pd.DataFrame(rows)
