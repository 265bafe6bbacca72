"""The mRMR order: of all features in one pass over the matrix, or of the first by its rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm.select._base import order_by

_ROUNDING = 1e-12  # of a value: what differs by less is equal


@njit(cache=True, nogil=True)
def _first(values):
    """Place of the first value that is the largest but for rounding."""
    return np.argmax(values >= values.max() * (1.0 - _ROUNDING))


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
    Values that are equal but for rounding go to the more relevant feature, then to the first.
    M^2 additions in all.
    """
    M = len(relevance)
    redundancy = np.zeros(M)
    left = np.ones(M, dtype=np.bool_)
    order = np.empty(M, dtype=np.int64)
    scores = np.empty(M)
    last = _first(relevance)
    order[0], scores[last], left[last] = last, relevance[last], False
    least = _ROUNDING * relevance[last]
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
                slack = max(_ROUNDING * abs(value), least) if value < np.inf else 0.0
                ahead = best < 0 or score > value + slack
                tie = score >= value - slack and relevance[j] > relevance[best] + least
                if ahead or tie:
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
    order = [int(_first(relevance))]
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
        value = score[left].max()
        slack = _ROUNDING * max(abs(value), relevance.max()) if value < np.inf else 0.0
        best = np.flatnonzero(left)[score[left] >= value - slack]
        chosen = int(best[_first(relevance[best])])
        order.append(chosen)
        scores[chosen], left[chosen] = score[chosen], False
    rest = np.flatnonzero(left)
    rest = rest[order_by(relevance[rest])]
    return np.concatenate([np.array(order, dtype=np.int64), rest]), scores
