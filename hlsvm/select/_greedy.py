"""The mRMR order of all features in one pass over the similarity matrix: a kernel on arrays."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def greedy_order(Q, relevance, quotient):
    """Order by relevance minus (or over) the mean similarity with what was chosen before.

    Parameters
    ----------
    Q : float32 array of shape (M, M)
    relevance : float64 array of shape (M,)
    quotient : bool
        MIQ instead of MID.

    Returns
    -------
    order : int64 array of shape (M,)
    scores : float64 array of shape (M,)
        Value of the criterion when the feature was chosen (its relevance for the first).

    Notes
    -----
    Equal values go to the more relevant feature, then to the first. M^2 additions in all.
    """
    M = len(relevance)
    redundancy = np.zeros(M)
    left = np.ones(M, dtype=np.bool_)
    order = np.empty(M, dtype=np.int64)
    scores = np.empty(M)
    last = np.argmax(relevance)
    order[0], scores[last], left[last] = last, relevance[last], False
    for chosen in range(1, M):
        row = Q[last]
        best = -1
        value = 0.0
        for j in range(M):
            redundancy[j] += row[j]
            if left[j]:
                mean = redundancy[j] / chosen
                if not quotient:
                    score = relevance[j] - mean
                elif mean > 0.0:
                    score = relevance[j] / mean
                else:
                    score = np.inf if relevance[j] > 0.0 else 0.0
                ahead = best < 0 or score > value
                if ahead or (score == value and relevance[j] > relevance[best]):
                    best = j
                    value = score
        order[chosen], scores[best], left[best] = best, value, False
        last = best
    return order, scores
