"""Halves of the samples, shadows of the features, and the promise that follows from both."""

from __future__ import annotations

from copy import copy

import numpy as np
from scipy.sparse import hstack as sparse_hstack
from scipy.sparse import issparse

_ROWS = 512  # that are copied at once


def halves(codes, rng):
    """Rows of two halves without a sample in common, each class as often in one as in the other.

    Parameters
    ----------
    codes : int array of shape (n,)
        Classes 0 .. C - 1. One sample of a class of odd size is in neither half.
    rng : numpy.random.RandomState

    Returns
    -------
    tuple of two int arrays, rising
    """
    members = [rng.permutation(np.flatnonzero(codes == k)) for k in range(codes.max() + 1)]
    sizes = [len(rows) // 2 for rows in members]
    pairs = zip(members, sizes, strict=True)
    first, second = zip(*((rows[:n], rows[n : 2 * n]) for rows, n in pairs), strict=True)
    return np.sort(np.concatenate(first)), np.sort(np.concatenate(second))


def with_shadows(X, rows, rng):
    """Features of some rows and their shadows: the same columns, rows exchanged in pairs.

    Parameters
    ----------
    X : array or CSC matrix of shape (n, M)
    rows : int array of shape (k,)
    rng : numpy.random.RandomState

    Returns
    -------
    array or CSC matrix of shape (k, 2 M)
        Rows are paired at random, and a shadow has the value of the other row: exchanging some
        features for their shadows is the same pairing again, and the shadows depend on each other
        as the features do. The columns of a feature and its shadow change places at random: ties
        do not prefer either.
    columns : int array of shape (2 M,)
        What stands in each column: j < M is a feature, M + j its shadow.
    """
    M = X.shape[1]
    columns = np.arange(2 * M).reshape(2, M)
    changed = rng.random_sample(M) < 0.5
    columns[:, changed] = columns[::-1, changed]
    columns = columns.ravel()
    others, drawn = rows.copy(), rng.permutation(len(rows))
    left, right = drawn[: len(rows) // 2], drawn[len(rows) // 2 :][: len(rows) // 2]
    others[left], others[right] = rows[right], rows[left]
    if issparse(X):
        return sparse_hstack([X[rows], X[others]], format="csc")[:, columns], columns
    both = np.empty((len(rows), 2 * M), dtype=X.dtype)
    for start in range(0, len(rows), _ROWS):
        part = slice(start, start + _ROWS)
        features, shadows = X[rows[part]], X[others[part]]
        both[part, :M] = np.where(changed, shadows, features)
        both[part, M:] = np.where(changed, features, shadows)
    return both, columns


def seeded(estimator, rng):
    """Return a copy of an unfitted estimator, with a seed of its own if it takes one."""
    result = copy(estimator)
    if hasattr(result, "random_state"):
        result.random_state = rng.randint(2**31)
    return result


def rank_pair(estimator, X, codes, n_top, seed):
    """Rank features and shadows on both halves of the samples.

    Parameters
    ----------
    estimator : RankingSelector
    X : array or CSC matrix of shape (n, M)
    codes : int array of shape (n,)
    n_top : int
        How many of the 2 M columns a half chooses.
    seed : int

    Returns
    -------
    places : int array of shape (M,)
        Sum of a feature's places, from 0 on, in the two orders.
    chosen, both : int arrays of shape (M,)
        How many halves chose the feature; whether both did.
    shadows : int array of shape (M,)
        How many halves chose its shadow.
    """
    rng = np.random.RandomState(seed)
    M = X.shape[1]
    places, top = np.zeros(2 * M, dtype=np.int64), np.zeros((2, 2 * M), dtype=np.int64)
    for half, rows in enumerate(halves(codes, rng)):
        part, columns = with_shadows(X, rows, rng)
        selector = seeded(estimator, rng)
        selector.n_selected_ = selector._wanted(2 * M)
        order = columns[selector._rank(part, np.unique(codes[rows], return_inverse=True)[1])]
        places[order] += np.arange(2 * M)
        top[half, order[:n_top]] = 1
    chosen = top.sum(axis=0)
    return places[:M], chosen[:M], top[0, :M] * top[1, :M], chosen[M:]


def chance_agreement(shadows, n_runs):
    """Mean number of shadows that two independent runs both choose: sum_j p_j^2.

    Parameters
    ----------
    shadows : int array of shape (M,)
        How many of the runs chose each shadow.
    n_runs : int

    Returns
    -------
    float
        Over all pairs of runs; one meeting more than was seen, so that it is never 0.
    """
    meetings = int((shadows * (shadows - 1)).sum())
    return (meetings + 1) / (n_runs * (n_runs - 1))


def q_values(scores, by_chance):
    """Smallest rate at which each feature is selected, by the e-BH procedure; at most 1.

    Parameters
    ----------
    scores : float64 array of shape (M,)
        Falling.
    by_chance : float
        What the scores of features without information sum to, at most, in expectation.

    Returns
    -------
    float64 array of shape (M,), rising
    """
    together = np.arange(1, len(scores) + 1) * scores
    rate = np.full(len(scores), np.inf)
    np.divide(by_chance, together, out=rate, where=together > 0)
    return np.minimum(np.minimum.accumulate(rate[::-1])[::-1], 1.0)
