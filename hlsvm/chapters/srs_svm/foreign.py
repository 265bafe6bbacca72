"""Rivals in another Python: scikit-learn-intelex, and liquidSVM with cells.

They need versions of their own, so they run in a child process: in the Python that the environment
variable ``HLSVM_RIVALS_PYTHON`` names, or in this one if they are installed here. Where they are in
neither, the result says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

INTELEX = "scikit-learn-intelex"
LIQUID, LIQUID_GRID = "liquidSVM, cells", "liquidSVM, cells and grid"  # given C and gamma; its own
FOREIGN = (INTELEX, LIQUID, LIQUID_GRID)
_ABSENT = 77  # exit code of a child whose rival is not installed

_CHILD = """
import importlib.util, json, os, sys, sysconfig, time
method, parts, C, gamma, out = sys.argv[1:]
module = "sklearnex" if method.startswith("scikit") else "liquidSVM"
if importlib.util.find_spec(module) is None:
    sys.exit(77)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import numpy as np
z = np.load(parts)
X, y, C, gamma = z["X"], z["y"], float(C), float(gamma)
if module == "sklearnex":
    from sklearnex.svm import SVC
    fit = lambda X, y: SVC(C=C, gamma=gamma, cache_size=3000).fit(X, y)
else:
    sysconfig.get_config_vars()["SO"] = ".so"
    import liquidSVM
    one = {} if method.endswith("grid") else {"gammas": [gamma ** -0.5], "c_values": [C]}
    fit = lambda X, y: liquidSVM.mcSVM(
        X, y, mc_type="AvA_hinge", useCells=True, threads=1, display=0, **one)
some = np.where(np.arange(len(z["T"])) % 2, y.max(), y.min())
fit(X[:500], y[:500])
start = time.process_time()
model = fit(X, y)
spent = time.process_time() - start
predicted = model.predict(z["T"]) if module == "sklearnex" else model.test(z["T"], some)[0][:, 0]
np.save(out, np.asarray(predicted, dtype=float))
found = {"train_s": spent}
if module == "sklearnex":
    found["n_sv"] = int(np.sum(model.n_support_))
print(json.dumps(found))
"""


def rival(
    method: str, X: NDArray, y: NDArray, X_test: NDArray, *, C: float, gamma: float
) -> tuple[dict, NDArray | None]:
    """Fit a rival on one processor core.

    Returns
    -------
    found : dict
        ``train_s`` (processor seconds), ``n_sv`` if known; or ``status``, why it did not run.
    predicted : ndarray of shape (n_test,) or None
    """
    python = os.environ.get("HLSVM_RIVALS_PYTHON") or sys.executable
    with tempfile.TemporaryDirectory() as folder:
        parts, labels = Path(folder) / "parts.npz", Path(folder) / "labels.npy"
        rows = {"X": np.asarray(X, float), "T": np.asarray(X_test, float)}
        np.savez(parts, y=np.asarray(y, float), **rows)
        call = [python, "-c", _CHILD, method, str(parts), str(C), str(gamma), str(labels)]
        threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            call, capture_output=True, text=True, check=False, env={**os.environ, **threads}
        )
        if done.returncode == _ABSENT:
            return {"status": f"not run: {method} is not installed (HLSVM_RIVALS_PYTHON)"}, None
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return {"status": f"not run: {method} failed ({last})"}, None
        return json.loads(done.stdout.splitlines()[-1]), np.load(labels)
