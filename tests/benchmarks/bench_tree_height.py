"""How accurate is one tree of hyperplanes of a given height?"""

import os
import time

import numpy as np
import pandas as pd

from hlsvm import datasets
from hlsvm.trees import AnnealedTreeClassifier

QUESTION = (
    "At the heights and training sizes of DTSemNet (Panda et al., ECAI 2024, trained on a GPU): "
    "which accuracy (%) has `AnnealedTreeClassifier`, mean and deviation of ten seeds, at what "
    "cost? Asked: MNIST 96.2, letter 89.2, pendigits 97.5 % in at most 60 processor seconds a "
    "fit. `operations` are multiply-adds a decision. Settings were chosen on training rows held "
    "out. HLSVM_BENCH_SEEDS=3 takes fewer seeds, HLSVM_BENCH_ROWS=letter,pendigits fewer sets."
)
# Settings, what was published, what is asked.
SETS = {
    "pendigits": ({"max_depth": 8, "max_iter": 100}, 97.02, 97.5),
    "letter": (
        {"max_depth": 10, "max_iter": 100, "learning_rate": 0.02, "weight_decay": 0.1},
        89.19,
        89.2,
    ),
    "mnist": ({"max_depth": 8, "max_iter": 20, "standardize": False}, 96.16, 96.2),
}
TRAIN = {"letter": (10_500, 15_000)}  # training rows, where the 5,000 test rows begin


def parts(name):
    """Training and test part; of letter the LIBSVM division of the rows in their first order."""
    data = datasets.load(name)
    X_train, y_train, X_test, y_test = data.X_train, data.y_train, data.X_test, data.y_test
    if name in TRAIN:
        X, y = np.vstack([X_train, X_test]), np.concatenate([y_train, y_test])
        n, first = TRAIN[name]
        X_train, y_train, X_test, y_test = X[:n], y[:n], X[first:], y[first:]
    return X_train, y_train, X_test, y_test


def measured(name, settings, seed):
    """Return one fit: accuracy and cost."""
    X, y, X_test, y_test = parts(name)
    model = AnnealedTreeClassifier(random_state=seed, **settings)
    start = time.process_time()
    model.fit(X, y)
    spent = time.process_time() - start
    operations = model.n_operations(X_test)
    return {
        "train": 100 * model.score(X, y),
        "test": 100 * model.score(X_test, y_test),
        "height": model.get_depth(),
        "nodes": model.get_n_leaves() - 1,
        "hyperplanes": model.n_hyperplanes(X_test).mean(),
        "operations": operations.mean(),
        "most_operations": operations.max(),
        "fit_cpu_s": spent,
    }


def run():
    """Return one row per data set: means over the seeds."""
    seeds = int(os.environ.get("HLSVM_BENCH_SEEDS", "10"))
    wanted = os.environ.get("HLSVM_BENCH_ROWS", ",".join(SETS)).split(",")
    unknown = sorted(set(wanted) - set(SETS))
    if unknown:
        raise SystemExit(f"HLSVM_BENCH_ROWS may name {', '.join(SETS)}. Got {unknown}.")
    small = np.random.default_rng(0).random((100, 3), np.float32)
    AnnealedTreeClassifier(2, max_iter=1).fit(small, np.arange(100) % 2)  # compiles
    rows = []
    for name in wanted:
        settings, published, asked = SETS[name]
        fits = pd.DataFrame([measured(name, settings, seed) for seed in range(seeds)])
        row = {"set": name, "seeds": seeds} | fits.mean().to_dict()
        row |= {"test_sd": fits.test.std(ddof=1) if seeds > 1 else np.nan}
        row |= {"worst": fits.test.min(), "most_cpu_s": fits.fit_cpu_s.max()}
        row |= {"published": published, "asked": asked}
        reached = row["test"] >= asked and row["most_cpu_s"] <= 60
        rows.append(row | {"reached": bool(reached)})
    return pd.DataFrame(rows)
