"""One real problem for a benchmark: our machines beside LIBSVM and today's rivals, in one run."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np
import pandas as pd

from hlsvm.chapters.srs_svm.contest import EXACT, LIBSVM, SRS, WHOLE, measure, warm_up
from hlsvm.chapters.srs_svm.foreign import FOREIGN
from hlsvm.chapters.srs_svm.problems import (
    PAPER,
    QUICK,
    Problem,
    choose_h,
    divided,
    subclasses_for,
)
from hlsvm.datasets import Dataset, DataUnavailable
from hlsvm.subclass import set_quality

METHODS = (LIBSVM, *FOREIGN, SRS, EXACT, WHOLE)


def problem_named(dataset: str, seed: int) -> tuple[Problem, Dataset]:
    """Problem of the paper with its h settled; the quick "banana" where its data is missing."""
    problem = next(p for p in PAPER if p.dataset == dataset)
    try:
        data = divided(problem, seed)
    except DataUnavailable:
        problem = QUICK[-1]
        data = divided(problem, seed)
    h = subclasses_for(problem, len(data.y_train))
    if problem.choose:
        tried = choose_h(problem, data, list(problem.choose), seed)
        h = int(tried.h[tried.chosen].iloc[0])
    return replace(problem, h=h), data


def beside_libsvm(
    dataset: str, *, methods: tuple[str, ...] = METHODS, n_rows: int | None = None, seed: int = 0
) -> pd.DataFrame:
    """Fit every method once on a problem of the paper.

    Parameters
    ----------
    dataset : str
        Name as in `problems.PAPER`.
    methods : tuple of str
        Names as in `contest` and `foreign`.
    n_rows : int, optional
        Only so many rows of the training part, with subclasses in proportion.
    seed : int

    Returns
    -------
    DataFrame
        ``data``, ``n``, ``h``, ``method``, ``cpu_s``, ``times_libsvm``, ``accuracy_pct``,
        ``objective_off`` (relative, against LIBSVM), ``recall`` (of LIBSVM's support vectors; for
        the exact answer of the set behind it), ``status``.
    """
    problem, data = problem_named(dataset, seed)
    if n_rows is not None:
        problem = replace(problem, h=ceil(problem.h * min(1.0, n_rows / len(data.y_train))))
        data = replace(data, X_train=data.X_train[:n_rows], y_train=data.y_train[:n_rows])
    warm_up(problem, data, seed)
    found = {method: measure(method, problem, data, seed) for method in methods}
    exact = found.get(LIBSVM, {})
    rows = [
        {"data": problem.dataset, "n": len(data.y_train), "h": problem.h, "method": method}
        | _row(one, exact)
        for method, one in found.items()
    ]
    return pd.DataFrame(rows)


def _row(found: dict, exact: dict) -> dict:
    """Figures of one method beside those of LIBSVM."""
    if "status" in found:
        return {"status": found["status"]}
    row = {"cpu_s": found["train_s"], "accuracy_pct": found["accuracy_pct"], "status": ""}
    row["times_libsvm"] = exact.get("train_s", np.nan) / found["train_s"]
    if "objective" in found and "objective" in exact:
        row["objective_off"] = found["objective"] / exact["objective"] - 1
    if "reduced" in found and "support" in exact:
        row["recall"] = set_quality(found["reduced"], exact["support"]).recall
    return row
