"""A fraud-shaped case: few positives, a fixed rate of alerts, a decision in ten milliseconds."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from hlsvm.chapters.given_trees import given_tree
from hlsvm.datasets import Dataset, DataUnavailable, load
from hlsvm.reproduce import label, legend, point, size
from hlsvm.trees import export_c, export_onnx

CODE = ("hlsvm.trees", "hlsvm.linear", "hlsvm.chapters.hlsvm.fraud")
SHARE = 0.005  # of positives
ALERTS = 0.01  # of decisions
BUDGET_US = 10_000.0
_PERCENTILES = {"p50_us": 50, "p99_us": 99, "p999_us": 99.9}
_TIMER = """
#define _POSIX_C_SOURCE 199309L
#include <time.h>
#include "tree.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    static REAL x[ROWS][TREE_FEATURES];
    static double spent[ROWS];
    volatile int sum = 0;
    FILE *file = fopen(argc > 1 ? argv[1] : "rows", "rb");
    if (!file || fread(x, sizeof x, 1, file) != 1)
        return 1;
    for (int again = 0; again < 2; ++again)
        for (int i = 0; i < ROWS; ++i) {
            struct timespec a, b;
            clock_gettime(CLOCK_MONOTONIC, &a);
            sum += tree_predict(x[i]);
            clock_gettime(CLOCK_MONOTONIC, &b);
            spent[i] = 1e6 * (double)(b.tv_sec - a.tv_sec) + 1e-3 * (double)(b.tv_nsec - a.tv_nsec);
        }
    fwrite(spent, sizeof spent, 1, stdout);
    return sum < 0;
}
"""


def thin(X, y, positive, share: float, seed: int):
    """Leave out positives at random until they are `share` of the rows; labels become 0 and 1."""
    y = (np.asarray(y) == positive).astype(np.int64)
    hits = np.flatnonzero(y)
    n = min(round(share / (1 - share) * (len(y) - len(hits))), len(hits))
    kept = np.random.default_rng(seed).permutation(hits)[:n]
    rows = np.sort(np.concatenate([np.flatnonzero(y == 0), kept]))
    return np.ascontiguousarray(X[rows], np.float32), y[rows]


def problem(record, scale: str, seed: int) -> Dataset | None:
    """Return ijcnn1 with its positives thinned out, made data at quick scale; None without data."""
    if scale == "quick":
        X, y = make_classification(
            12_000, 10, n_informative=6, weights=[0.95], class_sep=1.5, flip_y=0, random_state=seed
        )
        parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    else:
        try:
            data = record.uses(load("ijcnn1"))
        except DataUnavailable:
            return None
        parts = data.X_train, data.X_test, data.y_train, data.y_test
    train = thin(parts[0], parts[2], 1, SHARE, seed)
    test = thin(parts[1], parts[3], 1, SHARE, seed + 1)
    note = f"positives thinned out to {SHARE:.1%}"
    return Dataset(train[0], train[1], test[0], test[1], name="fraud", source=scale, note=note)


def contestants(seed: int, *, few: bool = False) -> dict:
    """Return the classifiers by name, all with settings that were not tuned to this case."""
    tree = {"lam": 1e-5, "shrinkage": 3.0, "random_state": seed}
    found = {
        "H-LSVM": given_tree(**tree),
        "H-LSVM, best": given_tree(split="best", **tree),
        "H-LSVM, five": given_tree(5, split="best", **tree),
        "Logistic regression": LogisticRegression(max_iter=300),
        "CART": DecisionTreeClassifier(min_samples_leaf=20, random_state=seed),
    }
    if few:
        return found
    return found | {
        "Random forest": RandomForestClassifier(100, min_samples_leaf=2, random_state=seed),
        "Histogram boosting": HistGradientBoostingClassifier(random_state=seed),
        "MLP 32": MLPClassifier((32,), max_iter=60, random_state=seed),
    }


def _scores(model, X) -> np.ndarray:
    return model.predict_proba(X)[:, 1]


def threshold(scores, rate: float) -> float:
    """Lowest score at which no more than a share `rate` of the rows is alerted.

    Examples
    --------
    >>> threshold(np.array([0.1, 0.9, 0.9, 0.4]), 0.5)
    0.9
    """
    levels = np.unique(scores)
    above = len(scores) - np.searchsorted(np.sort(scores), levels)
    fit = levels[above <= rate * len(scores)]
    return float(fit[0]) if len(fit) else np.inf


def recall(model, data: Dataset) -> dict:
    """Recall on the test part where no more than the rate of alerts may be raised.

    The threshold is where that many decisions of the test part are alerted; labels have no part
    in it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.X_train, data.y_train)
    scores = _scores(model, data.X_test)
    alert = scores >= threshold(scores, ALERTS)
    hits = data.y_test == 1
    return {"recall_pct": 100 * alert[hits].mean(), "alerts_pct": 100 * alert.mean()}


def spread(spent) -> dict:
    """Percentiles of single decisions (microseconds), and how many per million are too late."""
    found = {name: float(np.percentile(spent, q)) for name, q in _PERCENTILES.items()}
    return found | {"late_per_million": 1e6 * float(np.mean(np.asarray(spent) > BUDGET_US))}


def time_calls(decide, rows) -> np.ndarray:
    """Microseconds of every call, after one warm-up."""
    decide(rows[0])
    spent = np.empty(len(rows))
    for k, row in enumerate(rows):
        start = time.perf_counter_ns()
        decide(row)
        spent[k] = (time.perf_counter_ns() - start) / 1e3
    return spent


def time_python(model, X) -> np.ndarray:
    """Time one decision through the public call: the label of H-LSVM, the score of the others."""
    if hasattr(model, "predict_one"):
        return time_calls(model.predict_one, [np.ascontiguousarray(x) for x in X])
    return time_calls(model.predict_proba, [x[None] for x in X])


def time_onnx(model, X) -> np.ndarray | str:
    """Time one decision of the exported graph on one thread; a text says why not."""
    if importlib.util.find_spec("onnxruntime") is None:
        return "not run: onnxruntime is not installed"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    graph = export_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return time_calls(lambda x: session.run(None, {"X": x}), [x[None] for x in X])


def time_c(model, X) -> np.ndarray | str:
    """Time one decision of the exported header, clock included; a text says why not."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return "not run: no C compiler"
    real = "float" if X.dtype == np.float32 else "double"
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        export_c(model, where / "tree.h", name="tree")
        (where / "timer.c").write_text(_TIMER)
        (where / "rows").write_bytes(np.ascontiguousarray(X).tobytes())
        flags = ["-std=c99", "-O3", f"-DREAL={real}", f"-DROWS={len(X)}"]
        command = [compiler, *flags, "timer.c", "-o", "timer"]
        subprocess.run(command, cwd=where, check=True)
        done = subprocess.run([where / "timer", where / "rows"], check=True, capture_output=True)
    return np.frombuffer(done.stdout)


def run(record, scale: str, seed: int) -> pd.DataFrame:
    """Measure recall at the fixed rate of alerts and single decisions, one row a way to decide.

    Returns
    -------
    DataFrame
        ``method``, ``through`` (Python, ONNX, C), ``recall_pct``, ``alerts_pct``, percentiles,
        ``status``.
    """
    few = scale == "quick"
    models = contestants(seed, few=few)
    data = problem(record, scale, seed)
    if data is None:
        return pd.DataFrame([{"method": name, "status": "not run: data"} for name in models])
    rows = []
    for name, model in record.progress(models.items(), "fraud"):
        rows += record.step(
            "chapter5-fraud",
            {"method": name},
            lambda name=name, model=model: _measure(name, model, data, 200 if few else 10_000),
            code=CODE,
        )
    return pd.DataFrame(rows)


def _measure(name, model, data, calls) -> list[dict]:
    found = recall(model, data)
    ours = hasattr(model, "predict_one")
    ways = {"Python": time_python} | ({"ONNX": time_onnx, "C": time_c} if ours else {})
    rows = []
    for through, measure in ways.items():
        X = data.X_test[: calls if ours else max(calls // 10, 100)]
        spent = measure(model, X)
        row = {"method": name, "through": through, **found}
        if isinstance(spent, str):
            rows.append({**row, "status": spent})
        else:
            rows.append({**row, **spread(spent), "status": ""})
    return rows


def draw(table: pd.DataFrame):
    """Draw recall against latency: a mark at the median, a line to the 99.9th percentile."""
    fig, axes = plt.subplots(figsize=size(), layout="constrained")
    looks = {"Histogram boosting": "k-NN", "Logistic regression": "Linear SVM"}
    ran = table[table.get("p50_us", pd.Series(np.nan, table.index)).notna()]
    for row in ran.itertuples():
        family = "H-LSVM" if row.method.startswith("H-LSVM") else row.method
        look = looks.get(family, "MLP" if family.startswith("MLP") else family)
        style = point(look, label=family, markersize=8)
        axes.plot([row.p50_us, row.p999_us], [row.recall_pct] * 2, color=style["color"], lw=1)
        axes.plot([row.p50_us], [row.recall_pct], **style)
        if family == "H-LSVM":
            axes.annotate(
                row.through,
                (row.p50_us, row.recall_pct),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
    axes.axvline(BUDGET_US, color="#707070", linewidth=1, linestyle="--")
    axes.set_xscale("log")
    axes.set_ylim(0, 105)
    label(axes, ("one decision, median to 99.9 %", "microseconds"), ("recall", "%"))
    legend(axes, fontsize=8)
    return fig
