"""Time and accuracy for every h and mu (SRS-SVM Tables 7, 8)."""

from __future__ import annotations

from math import ceil

import numpy as np
import pandas as pd

from hlsvm.chapters.srs_svm.problems import Problem, processor_time
from hlsvm.datasets import Dataset
from hlsvm.subclass import SRSSVC

HS = (2, 4, 6, 8, 10, 15, 20, 25, 30, 35, 40, 45, 50)
QS = (1, 2, 4, 8, 16, 32)


def rule(q: int) -> str:
    """Name of mu = ceil(h^2 / q) as printed."""
    return "h^2" if q == 1 else f"h^2/{q}"


def cells(hs=HS, qs=QS) -> list[tuple[int, int, int]]:
    """List the cells (h, q, mu) in printed order, those with mu = 1 among them."""
    return [(h, q, ceil(h * h / q)) for h in hs for q in qs]


def run_cell(problem: Problem, data: Dataset, h: int, q: int, mu: int, seed: int) -> dict:
    """One cell; where mu would be 1 the levels never shrink, and nothing is run."""
    row = {"h": h, "mu_rule": rule(q), "mu": mu}
    if mu < 2:
        return {**row, "mu": np.nan, "status": "not run: mu = 1 (the levels never shrink)"}
    model = SRSSVC(
        h,
        n_children=mu,
        C=problem.C,
        gamma=problem.gamma,
        faithful=True,
        cache_size=3000,
        random_state=seed,
    )
    model, train_s = processor_time(lambda: model.fit(data.X_train, data.y_train))
    return {
        **row,
        "train_s": train_s,
        "accuracy_pct": 100 * model.score(data.X_test, data.y_test),
        "levels": len(model.levels_[0]) + 1,
        "n_candidates": len(model.candidates_),
    }


def square(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """One quantity, h down and mu across, as printed."""
    order = list(dict.fromkeys(table.mu_rule))
    return table.pivot(index="h", columns="mu_rule", values=quantity)[order]
