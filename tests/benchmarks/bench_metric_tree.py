"""The metric tree beside LIBSVM's and scikit-learn-intelex's prediction; what it costs to build."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.svm import SVC

from hlsvm.datasets import DataUnavailable, load
from hlsvm.regions import MetricTreeSVC
from hlsvm.reproduce import race

QUESTION = (
    "How many times faster than LIBSVM (and scikit-learn-intelex, in the Python that "
    "HLSVM_RIVALS_PYTHON names) does the metric tree predict, at what difference in accuracy, and "
    "what do 50,000 points cost to build (processor time, one core, one run)? Published gains: "
    "ijcnn1 1,500, a9a 1,670, svmguide1 290, mushrooms 140; asked: those, >= 50 against intelex on "
    "ijcnn1, build <= 60 s and <= 2 GB"
)
NAMES = ("svmguide1", "mushrooms", "ijcnn1", "a9a")
TREES = {
    "as in the source": {},
    "median cut": {"split": "median"},
    "median cut, pruned at 0.5": {"split": "median", "prune": 0.5},
}
INTELEX = """
import importlib.util, json, sys, time
if importlib.util.find_spec("sklearnex") is None:
    sys.exit(77)
import numpy as np
from sklearnex.svm import SVC
z = np.load(sys.argv[1])
model = SVC(C=float(z["C"]), gamma=float(z["gamma"]), cache_size=1500).fit(z["X"], z["y"])
model.predict(z["T"][:100])
times = []
for _ in range(3):
    start = time.process_time()
    model.predict(z["T"])
    times.append((time.process_time() - start) / len(z["T"]))
print(json.dumps(sorted(times)[1]))
"""


def parts(name):
    """Return training and test rows of a set; None where its file is not at hand."""
    try:
        data = load(name)
    except DataUnavailable:
        return None
    if data.X_test is None:
        data = data.split(0.5, seed=0)
    X, X_test = (np.asarray(rows, dtype=np.float64) for rows in (data.X_train, data.X_test))
    return X, data.y_train, X_test, data.y_test


def race_predictions(svm, tree, rows):
    """Return processor seconds per row of LIBSVM (on 2,000 rows), the tree, the tree's arrays."""
    few = rows[:2000]
    table = race(
        {
            "svm": lambda: svm.predict(few),
            "tree": lambda: tree.predict(rows),
            "arrays": lambda: tree.decision_function(rows),
        },
        repeats=3,
    ).set_index("method")
    return {name: table.cpu_s[name] / len(few if name == "svm" else rows) for name in table.index}


def peak_memory(function):
    """Return what `function` returns, its processor seconds, and by how much memory rose (MB)."""

    def resident():
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    before, seen, over = resident(), [], threading.Event()

    def watch():
        while not over.wait(0.01):
            seen.append(resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.process_time()
    result = function()
    spent = time.process_time() - start
    over.set()
    watcher.join()
    return result, spent, max([*seen, resident()]) - before


def intelex(X, y, rows, **settings):
    """Return seconds a row of scikit-learn-intelex at `rows`, or why it did not run."""
    python = os.environ.get("HLSVM_RIVALS_PYTHON") or sys.executable
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        np.savez(path, X=X, y=y, T=rows, **settings)
        threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        done = subprocess.run(
            [python, "-c", INTELEX, str(path)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **threads},
        )
    if done.returncode == 77:
        return "scikit-learn-intelex is not installed (HLSVM_RIVALS_PYTHON)"
    if done.returncode:
        return f"failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
    return float(json.loads(done.stdout.splitlines()[-1]))


def rows_of(name, X, y, X_test, y_test):
    """Return one row a tree of a data set."""
    settings = {"C": 1.0, "gamma": 1 / X.shape[1]}
    svm = SVC(**settings, cache_size=1500).fit(X, y)
    other = intelex(X, y, X_test[:20_000], **settings) if name == "ijcnn1" else "not asked"
    accuracy, rows = None, []
    for label, options in TREES.items():
        tree, build_s, megabytes = peak_memory(
            lambda options=options: MetricTreeSVC.from_fitted(svm, X, **options)
        )
        if accuracy is None:
            exact = tree.classes_[(tree.svm_decision(X_test) > 0).astype(int)]
            accuracy = 100 * np.mean(exact == y_test)
        seconds = race_predictions(svm, tree, X_test)
        rows.append(
            {
                "data": name,
                "tree": label,
                "SVs": len(svm.support_),
                "LIBSVM us": 1e6 * seconds["svm"],
                "tree us": 1e6 * seconds["tree"],
                "gain": seconds["svm"] / seconds["tree"],
                "gain, arrays only": seconds["svm"] / seconds["arrays"],
                "accuracy difference": abs(
                    accuracy - 100 * np.mean(tree.predict(X_test) == y_test)
                ),
                "against intelex": other / seconds["tree"] if isinstance(other, float) else other,
                "build s": build_s,
                "build MB": megabytes,
            }
        )
    return rows


def made():
    """Return the rows of made points, where no data is at hand."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (50_000, 22))
    y = (X[:, :3] ** 2).sum(axis=1) < 1
    svm = SVC(gamma=0.3).fit(X[:5000], y[:5000])
    tree, build_s, megabytes = peak_memory(lambda: MetricTreeSVC.from_fitted(svm, X))
    seconds = race_predictions(svm, tree, rng.uniform(-1, 1, (20_000, 22)))
    gain = seconds["svm"] / seconds["tree"]
    row = {"data": "made, 50,000 points", "tree": "as in the source", "SVs": len(svm.support_)}
    return [{**row, "gain": gain, "build s": build_s, "build MB": megabytes}]


def run():
    """Return one row a data set and tree."""
    warm = MetricTreeSVC(SVC()).fit(np.eye(40), np.arange(40) % 2)
    warm.predict(np.eye(40))
    rows = []
    for name in NAMES:
        division = parts(name)
        if division is not None:
            rows += rows_of(name, *division)
    return pd.DataFrame(rows or made())
