"""One split of an axis-parallel entropy tree, and the way of rows through it: loops on arrays.

Every feature keeps its own list of the rows, sorted by that feature; a node is the same segment of
all lists, and a split partitions each segment stably, so nothing is sorted twice. Entropies are
sums of x log2 x, taken from a table of integers (fixed point), so that equal gains are equal on
every machine and in every order of summation.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Fractional bits of the table: sums over millions of rows stay within 64 bits.
_BITS = 24


def entropy_table(n):
    """Return round(x log2(x) 2^24) for x = 0 ... n as integers."""
    x = np.arange(n + 1, dtype=np.float64)
    return np.rint(x * np.log2(np.maximum(x, 1.0)) * 2.0**_BITS).astype(np.int64)


@njit(cache=True, nogil=True)
def _best_of_feature(order, code, y, start, stop, table, total, left):
    """Best split of one sorted segment: (score, first position of the right side).

    The score is sum_y c_y log c_y - c log c over both sides: minus the entropy of the children
    weighted by their sizes, so the largest is the largest reduction of impurity.
    """
    n = stop - start
    best = -(2**62)
    place = -1
    sum_left = 0
    sum_right = 0
    for c in range(total.shape[0]):
        left[c] = 0
        sum_right += table[total[c]]
    for k in range(start, stop - 1):
        c = y[order[k]]
        have = left[c]
        rest = total[c] - have
        sum_left += table[have + 1] - table[have]
        sum_right += table[rest - 1] - table[rest]
        left[c] = have + 1
        if code[k] != code[k + 1]:
            m = k + 1 - start
            score = sum_left - table[m] + sum_right - table[n - m]
            if score > best:
                best = score
                place = k + 1
    return best, place


@njit(cache=True, nogil=True)
def _most_even(code, start, stop):
    """Position that cuts a sorted segment most evenly between two values: (imbalance, place)."""
    best = stop - start + 1
    place = -1
    for k in range(start + 1, stop):
        if code[k - 1] != code[k]:
            gap = abs(2 * k - start - stop)
            if gap < best:
                best = gap
                place = k
    return best, place


@njit(cache=True, nogil=True)
def split_of_every_feature(order, code, y, start, stop, table, total):
    """Best split of a node by each feature; arguments as of `choose_split`.

    Returns
    -------
    scores, places : ndarrays of int64, shape (n_features,)
        Score of `_best_of_feature` and first position of the right side; -1 in `places` where no
        threshold reduces the entropy.
    """
    left = np.zeros_like(total)
    parent = -table[stop - start]
    for c in range(total.shape[0]):
        parent += table[total[c]]
    least = parent + 2 * (total.shape[0] + 1)  # beyond the rounding of the table
    scores = np.full(order.shape[0], least)
    places = np.full(order.shape[0], -1)
    for f in range(order.shape[0]):
        if code[f, start] != code[f, stop - 1]:
            score, at = _best_of_feature(order[f], code[f], y, start, stop, table, total, left)
            if score > least:
                scores[f], places[f] = score, at
    return scores, places


@njit(cache=True, nogil=True)
def choose_split(order, code, y, start, stop, table, total, balance):
    """Choose the split of a node: the largest reduction of entropy, else the evenest if asked.

    Parameters
    ----------
    order, code : ndarray of int32, shape (n_features, n)
        Rows sorted by each feature within the node, and the ranks of their values.
    y : ndarray of int32, shape (n,)
        Classes of the rows.
    start, stop : int
        The segment of the node.
    table : ndarray of int64
        Of `entropy_table`, up to the size of the node.
    total : ndarray of int64, shape (n_classes,)
        Rows of each class in the node.
    balance : bool
        Cut as evenly as possible where no split reduces the entropy.

    Returns
    -------
    feature : int
        -1 if there is no split. Among equals the first feature and the lowest threshold.
    place : int
        First position of the right side.
    """
    scores, places = split_of_every_feature(order, code, y, start, stop, table, total)
    feature = np.argmax(scores)
    place = places[feature]
    if place < 0:
        feature = -1
    if feature < 0 and balance:
        least = stop - start + 1
        for f in range(order.shape[0]):
            if code[f, start] != code[f, stop - 1]:
                gap, at = _most_even(code[f], start, stop)
                if gap < least:
                    least, feature, place = gap, f, at
    return feature, place


@njit(cache=True, nogil=True)
def partition(order, code, start, stop, feature, place):
    """Send the rows before `place` of a feature's list left in all lists, keeping their order."""
    n = order.shape[1]
    goes_left = np.zeros(n, np.bool_)
    for k in range(start, place):
        goes_left[order[feature, k]] = True
    spare_order = np.empty(stop - place, np.int32)
    spare_code = np.empty(stop - place, np.int32)
    for f in range(order.shape[0]):
        front = start
        back = 0
        for k in range(start, stop):
            row = order[f, k]
            value = code[f, k]
            if goes_left[row]:
                order[f, front] = row
                code[f, front] = value
                front += 1
            else:
                spare_order[back] = row
                spare_code[back] = value
                back += 1
        for k in range(back):
            order[f, front + k] = spare_order[k]
            code[f, front + k] = spare_code[k]


@njit(cache=True, nogil=True)
def route(X, feature, threshold, left, right, out):
    """Write the leaf that every row of `X` reaches to `out`: left where x[feature] < threshold."""
    for i in range(X.shape[0]):
        node = 0
        while feature[node] >= 0:
            goes_left = X[i, feature[node]] < threshold[node]
            node = left[node] if goes_left else right[node]
        out[i] = node
