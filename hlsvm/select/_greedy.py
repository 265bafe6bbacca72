"""The mRMR order: of all features in one pass over the matrix, or of the first by its rows."""

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


def first_of_order(rows, relevance, quotient, n, ahead=32):
    """Order the first `n` features as `greedy_order` does, the others by relevance.

    Parameters
    ----------
    rows : callable
        ``rows(features)`` returns these rows of the matrix; asked for the feature that was chosen
        and, beside it, for those that are next in line.
    relevance : float64 array of shape (M,)
    quotient : bool
    n : int
    ahead : int
        Rows to ask for at once.

    Returns
    -------
    order : int64 array of shape (M,)
    scores : float64 array of shape (M,)
        As from `greedy_order`; for the others, relevance minus 1 minus the largest.
    """
    M = len(relevance)
    redundancy, left, kept = np.zeros(M), np.ones(M, dtype=bool), {}
    scores = relevance - 1.0 - relevance.max()
    order = [int(np.argmax(relevance))]
    scores[order[0]], left[order[0]] = relevance[order[0]], False
    score = relevance
    while len(order) < n:
        last = order[-1]
        if last not in kept:
            waiting = np.array([j for j in np.flatnonzero(left) if j not in kept], dtype=np.int64)
            near = waiting[np.argsort(-score[waiting], kind="stable")[: ahead - 1]]
            asked = np.append(last, near)
            kept.update(zip(asked.tolist(), rows(asked), strict=True))
        redundancy += kept.pop(last)
        mean = redundancy / len(order)
        if quotient:
            empty = np.where(relevance > 0, np.inf, 0.0)
            score = np.divide(relevance, mean, out=empty, where=mean > 0)
        else:
            score = relevance - mean
        best = np.flatnonzero(left)[score[left] == score[left].max()]
        chosen = int(best[np.argmax(relevance[best])])
        order.append(chosen)
        scores[chosen], left[chosen] = score[chosen], False
    rest = np.flatnonzero(left)
    rest = rest[np.argsort(-relevance[rest], kind="stable")]
    return np.concatenate([np.array(order, dtype=np.int64), rest]), scores
