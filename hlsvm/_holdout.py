"""Rows held out at random within every class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def draw_share(codes: NDArray, share: float, random: np.random.Generator) -> NDArray[np.bool_]:
    """Mask of a share of the rows, drawn at random within every class.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of every row.
    share : float
        In [0, 1). A class gives the nearest whole number of its rows, never all.
    random : numpy.random.Generator

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> draw_share(np.repeat([0, 1], [8, 4]), 0.25, np.random.default_rng(0)).sum()
    np.int64(3)
    """
    drawn = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        n = min(round(share * len(rows)), len(rows) - 1)
        drawn[random.permutation(rows)[:n]] = True
    return drawn


def deal_folds(codes: NDArray, n_folds: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Fold of every row: every class is dealt out in random order.

    A class with fewer rows than folds is missing from some.

    Examples
    --------
    >>> np.bincount(deal_folds(np.repeat([0, 1], [8, 4]), 4, np.random.default_rng(0)))
    array([3, 3, 3, 3])
    """
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order] = np.arange(len(codes)) % n_folds
    return fold
