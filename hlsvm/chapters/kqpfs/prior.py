"""Thesis 4.4.2: training time against the class prior, printed algorithms and ours in one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from hlsvm.chapters.kqpfs.toy import cosine_gap
from hlsvm.extract import reference
from hlsvm.extract.kernels import (
    Gram,
    Kernel,
    PackedMatrix,
    class_matrix,
    fisher,
    kqpfs_factor,
    solve_exact,
)

CODE = ("hlsvm.extract", "hlsvm.chapters.kqpfs.prior")


def by_rank(target: np.ndarray, prior: float) -> np.ndarray:
    """Return +1 for the first `prior` share of the samples in ascending order, -1 for the rest."""
    y = np.full(len(target), -1.0)
    y[np.argsort(target, kind="stable")[: round(prior * len(target))]] = 1.0
    return y


def made_rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n rows of 8 correlated features and a target to rank them by."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8)) @ rng.normal(size=(8, 8)) / 3.0
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)


def standardised(data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of cadata, each feature with mean 0 and variance 1, and the target."""
    X = np.asarray(data.X, dtype=float)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.asarray(data.y, dtype=float)


def both_directions(K: np.ndarray, y: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Return alpha of KFDA and of KQPFS from one factorisation."""
    V, counts = class_matrix((y > 0).astype(int), 2)
    store = PackedMatrix(Gram(Kernel("precomputed"), K))
    system, _ = solve_exact(store, V, counts, mu, "identity")
    alpha = system.coef @ fisher(system)[:, 0]
    return alpha, kqpfs_factor(system) * alpha


def _measured(function: Callable[[], Any]) -> tuple[Any, float]:
    gc.collect()
    start = time.process_time()
    value = function()
    return value, time.process_time() - start


def race_once(X: np.ndarray, target: np.ndarray, prior: float, gamma: float, mu: float) -> dict:
    """Return processor seconds of Algorithm 3, Algorithm 4 and ours from the same K, and gaps.

    Ours gives both directions and includes the copy of K into its own form.
    """
    y = by_rank(target, prior)
    K = Kernel("rbf", {"gamma": gamma}).block(X, X)
    K = (K + K.T) / 2
    (alpha, other), ours = _measured(lambda: both_directions(K, y, mu))
    third, kfda = _measured(lambda: reference.algorithm_3(K, y, mu))
    fourth, kqpfs = _measured(lambda: reference.algorithm_4(K, y, mu))
    return {
        "n": len(X),
        "prior": prior,
        "kfda_s": kfda,
        "kqpfs_s": kqpfs,
        "ours_s": ours,
        "times_faster": min(kfda, kqpfs) / ours,
        "gap_3_4": cosine_gap(third, fourth),
        "gap_3_ours": cosine_gap(third, alpha),
        "gap_4_ours": cosine_gap(fourth, other),
    }


def race_all(
    record,
    rows: tuple[np.ndarray, np.ndarray],
    grid: dict[int, Iterable[float]],
    gamma: float,
    mu: float,
    name: str,
) -> pd.DataFrame:
    """Run `race_once` on the first n rows for every n and prior of the grid.

    Priors 0 and 1 leave a class empty: Algorithm 3 divides by zero there, so they are not run.
    """
    X, target = rows
    race_once(X[:300], target[:300], 0.5, gamma, mu)
    cells = [(n, float(prior)) for n, priors in grid.items() for prior in priors]
    found = [
        record.step(
            "chapter4-prior",
            {"data": name, "n": n, "prior": prior, "gamma": gamma, "mu": mu},
            lambda n=n, prior=prior: race_once(X[:n], target[:n], prior, gamma, mu),
            code=CODE,
        )
        for n, prior in record.progress(cells, "time against prior")
    ]
    return pd.DataFrame(found)


def operations(priors: np.ndarray) -> pd.DataFrame:
    """Return the leading counts of multiplications over N^3: as printed, corrected, ours.

    Before the solve, which is 1/3 more for the printed algorithms (LU); ours is 1/6 in all
    (Cholesky). The correction is erratum E5.
    """
    p = np.asarray(priors, dtype=float)
    squares = p**2 + (1 - p) ** 2
    return pd.DataFrame(
        {
            "prior": p,
            "kfda_printed": 2 * squares,
            "kfda_corrected": squares + 1,
            "kqpfs": np.full_like(p, 2.0),
            "ours": np.full_like(p, 1 / 6),
        }
    )
