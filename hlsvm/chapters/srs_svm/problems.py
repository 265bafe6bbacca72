"""The real problems of the SRS-SVM paper with the parameters of its Table 3."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from hlsvm import datasets
from hlsvm.datasets import Dataset
from hlsvm.subclass import SRSSVC

_HELD_OUT = 0.2  # of the training part, to choose h


@dataclass(frozen=True)
class Problem:
    """One problem: data, kernel SVM, number of subclasses.

    Attributes
    ----------
    dataset, load : str
        Name in the tables, name of the data set.
    C, gamma : float
    h : int
        Subclasses a class, as printed.
    test_size : float or None
        Share drawn for the test part where the data has none of its own.
    n_published : int
        Rows the printed h was for; fewer rows get fewer subclasses. 0: h as it is.
    pieces : int
        Landmarks of LLSVM; FastFood has twice as many features.
    choose : tuple of int
        Values of h to choose from on the training part; empty: h as printed.
    """

    dataset: str
    load: str
    C: float
    gamma: float
    h: int
    test_size: float | None = None
    n_published: int = 0
    pieces: int = 500
    choose: tuple[int, ...] = ()


SAMPLE = "covertype.binary, sample"
# The h of ijcnn1 contradicts the paper's own Table 8 (erratum E22), so the training part decides.
PAPER = (
    Problem("adult", "a9a", 1.0, 2.0**-5, 15),
    Problem("ijcnn1", "ijcnn1", 32.0, 2.0, 5, choose=(5, 10, 15, 20, 25, 30, 40, 50)),
    Problem("covertype.binary", "covtype_binary", 4.0, 32.0, 500, 0.2, 464_810),
    Problem(SAMPLE, "covtype_sample_binary", 4.0, 32.0, 500, 0.2, 464_810),
    Problem("cifar-10.binary", "cifar10_animals", 2.0, 2.0**-22, 30),
    Problem("LSL-FD", "lsl_fd", 10.0, 1.0, 50, 0.25),
)
QUICK = (
    Problem("digits", "digits_3vo", 10.0, 0.05, 2, 0.3, pieces=100, choose=(2, 4, 8)),
    Problem("banana", "banana_like", 10.0, 1.0, 8, 0.3, pieces=100),
)


def processor_time(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `function` returns and the processor seconds this process spent on it."""
    start = time.process_time()
    value = function()
    return value, time.process_time() - start


def divided(problem: Problem, seed: int) -> Dataset:
    """Load a problem, divided into training and test part; raise `DataUnavailable` without it."""
    data = datasets.load(problem.load, sample=False)
    if problem.test_size is None:
        return data
    X, y = data.X, data.y
    rows, test = train_test_split(
        np.arange(len(y)), test_size=problem.test_size, stratify=y, random_state=seed
    )
    parts = {"X_train": X[rows], "y_train": y[rows], "X_test": X[test], "y_test": y[test]}
    return replace(data, **parts, splits=())


def subclasses_for(problem: Problem, n_train: int) -> int:
    """Scale the paper's h to a sample of its data, rounded up."""
    return ceil(problem.h * n_train / problem.n_published) if problem.n_published else problem.h


def gather(scale: str, seed: int) -> tuple[list[tuple[Problem, Dataset]], pd.DataFrame]:
    """Load the problems of this scale; a frame of those that are not at hand.

    The sample of Covertype has a row of its own and stands beside the whole set, not for it.

    Returns
    -------
    list of (Problem, Dataset)
    DataFrame
        ``dataset`` and ``status``.
    """
    found, missing = [], []
    for problem in QUICK if scale == "quick" else PAPER:
        try:
            data = divided(problem, seed)
        except datasets.DataUnavailable:
            status = f"not run: data ({problem.load})"
            missing.append({"dataset": problem.dataset, "status": status})
            continue
        h = subclasses_for(problem, len(data.y_train))
        found.append((replace(problem, h=h), data))
    return found, pd.DataFrame(missing, columns=["dataset", "status"])


def parameters(problems: list[tuple[Problem, Dataset]], missing: pd.DataFrame) -> pd.DataFrame:
    """Sizes and settings as they are used, one row a problem (SRS-SVM Table 3)."""
    rows = [
        {
            "dataset": problem.dataset,
            "n_train": len(data.y_train),
            "n_test": len(data.y_test),
            "d": data.X_train.shape[1],
            "h": problem.h,
            "C": problem.C,
            "gamma": problem.gamma,
        }
        for problem, data in problems
    ]
    return pd.concat([pd.DataFrame(rows), missing], ignore_index=True)


def choose_h(problem: Problem, data: Dataset, hs: list[int], seed: int) -> pd.DataFrame:
    """Try values of h on a held-out fifth of the training part.

    Returns
    -------
    DataFrame
        ``h``, ``held_out_pct`` (accuracy), ``share`` (candidates), ``chosen``: the smallest h whose
        accuracy is within one standard error of the best.
    """
    rows, held = train_test_split(
        np.arange(len(data.y_train)),
        test_size=_HELD_OUT,
        stratify=data.y_train,
        random_state=seed,
    )
    found = []
    for h in hs:
        model = SRSSVC(h, C=problem.C, gamma=problem.gamma, faithful=True, random_state=seed)
        model.fit(data.X_train[rows], data.y_train[rows])
        right = 100 * model.score(data.X_train[held], data.y_train[held])
        share = len(model.candidates_) / len(rows)
        found.append({"h": h, "held_out_pct": right, "share": share})
    table = pd.DataFrame(found)
    best = table.held_out_pct.max()
    slack = np.sqrt(best * (100 - best) / len(held))
    smallest = table.h[table.held_out_pct >= best - slack].min()
    return table.assign(chosen=table.h == smallest)
