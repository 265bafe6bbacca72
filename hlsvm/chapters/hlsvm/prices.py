"""What a decision costs: multiply-adds counted, single calls timed, the exported C timed."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from hlsvm.reproduce import NotRun
from hlsvm.trees import export_c

PERCENTILES = {"p50_us": 50, "p99_us": 99, "p999_us": 99.9}
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


def operations(model, X) -> float:
    """Return the mean multiply-adds per decision of a fitted classifier; NaN where unknown.

    A hyperplane, a hidden unit and a support vector cost one per feature, a comparison in a tree
    one. Boosted trees are counted as balanced, which is the least they can cost.
    """
    if hasattr(model, "steps"):  # a scaler is folded into what follows, a kernel map is not
        *maps, (_, last) = model.steps
        sizes = [m.components_.shape for _, m in maps if hasattr(m, "components_")]
        inside = operations(last, model[:-1].transform(X[:2]))
        return inside + sum(float(m * d + m * m) for m, d in sizes)
    if hasattr(model, "n_operations"):
        return float(model.n_operations(X).mean())
    if hasattr(model, "decision_path") and hasattr(model, "tree_"):
        return float(np.mean(np.asarray(model.decision_path(X).sum(axis=1)) - 1))
    if hasattr(model, "support_vectors_"):
        return float(model.support_vectors_.size)
    if hasattr(model, "coefs_"):
        return float(sum(weights.size for weights in model.coefs_))
    if hasattr(model, "n_trees_per_iteration_"):
        return float(model.n_iter_ * model.n_trees_per_iteration_ * np.log2(31))
    if hasattr(model, "booster_"):
        return model.booster_.num_trees() * float(np.log2(31))
    if hasattr(model, "estimators_"):
        stumps = hasattr(model, "estimator_weights_")  # a stump: one comparison, one sum
        return sum(2.0 if stumps else operations(tree, X) for tree in model.estimators_)
    return float(model.coef_.size) if hasattr(model, "coef_") else np.nan


def front(error, price) -> np.ndarray:
    """Which points no other beats: none is as good in both and better in one."""
    error, price = np.asarray(error, float), np.asarray(price, float)
    known = ~np.isnan(error) & ~np.isnan(price)
    least = np.zeros(len(error), bool)
    for k in np.flatnonzero(known):
        as_good = (error[known] <= error[k]) & (price[known] <= price[k])
        better = (error[known] < error[k]) | (price[known] < price[k])
        least[k] = not (as_good & better).any()
    return least


def with_fronts(table: pd.DataFrame, *prices: str) -> pd.DataFrame:
    """Add a column ``front_<price>`` per price: who stands on the Pareto front of its data set."""
    table = table.assign(**{f"front_{price}": False for price in prices})
    for price in prices:
        for _, part in table.groupby("dataset"):
            table.loc[part.index, f"front_{price}"] = front(part.error_pct, part[price])
    return table


def threshold(scores, rate: float) -> float:
    """Return the lowest score at which no more than a share `rate` of the rows is alerted."""
    levels = np.unique(scores)
    above = len(scores) - np.searchsorted(np.sort(scores), levels)
    fit = levels[above <= rate * len(scores)]
    return float(fit[0]) if len(fit) else np.inf


def call_times(decide, rows) -> np.ndarray:
    """Return the microseconds of every call, after one to warm up."""
    decide(rows[0])
    spent = np.empty(len(rows))
    for k, row in enumerate(rows):
        start = time.perf_counter_ns()
        decide(row)
        spent[k] = (time.perf_counter_ns() - start) / 1e3
    return spent


def percentiles(spent) -> dict:
    """Return the percentiles of single decisions, in microseconds."""
    return {name: float(np.percentile(spent, q)) for name, q in PERCENTILES.items()}


def c_times(model, X) -> np.ndarray | NotRun:
    """Return the microseconds of single decisions of the exported C header, clock included."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return NotRun("no C compiler")
    real = "float" if X.dtype == np.float32 else "double"
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        export_c(model, where / "tree.h", name="tree")
        (where / "timer.c").write_text(_TIMER)
        (where / "rows").write_bytes(np.ascontiguousarray(X).tobytes())
        flags = ["-std=c99", "-O3", f"-DREAL={real}", f"-DROWS={len(X)}"]
        subprocess.run([compiler, *flags, "timer.c", "-o", "timer"], cwd=where, check=True)
        done = subprocess.run([where / "timer", where / "rows"], check=True, capture_output=True)
    return np.frombuffer(done.stdout)
