"""Kernels on class counts: entropy, counts of a node, the best threshold along a direction."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _xlogx(x):
    return x * np.log2(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True)
def count_classes(rows, codes, weight, n_classes):
    """Weight of every class among `rows`, float64, shape (n_classes,)."""
    counts = np.zeros(n_classes)
    for row in rows:
        counts[codes[row]] += weight[row]
    return counts


@njit(cache=True, nogil=True)
def entropy_mass(counts):
    """Weight of a node times its entropy in bits (Thesis Eq. 5.2 for two classes)."""
    total = 0.0
    inner = 0.0
    for count in counts:
        total += count
        inner += _xlogx(count)
    return max(_xlogx(total) - inner, 0.0)


@njit(cache=True, nogil=True)
def label_problem(rows, codes, weight, sign, cap, y, upper):
    """Fill the labels y = sign[class] and the caps U = weight * cap[class] of a node's problem."""
    for i in range(rows.shape[0]):
        row = rows[i]
        code = codes[row]
        y[i] = sign[code]
        upper[i] = weight[row] * cap[code]


@njit(cache=True, nogil=True)
def best_threshold(order, values, rows, codes, weight, counts):
    """Threshold on `values` whose two sides have the least weighted entropy.

    Parameters
    ----------
    order : ndarray of int64, shape (n,)
        Positions that sort `values`.
    values : ndarray, shape (n,)
        Projection of ``rows[i]``.
    rows, codes, weight
        Rows of the node; class and weight of every row of the data.
    counts : ndarray of float64, shape (n_classes,)
        Weight of every class in the node.

    Returns
    -------
    mass : float
        Entropy of both sides in bits, times their weights; infinite if all values are equal.
    low, high : float
        Neighbouring values between which the threshold belongs.
    """
    right = counts.copy()
    left = np.zeros_like(counts)
    total_left = 0.0
    total_right = counts.sum()
    best = np.inf
    low = np.float64(values[order[0]])
    high = low
    inner_left = 0.0
    inner_right = 0.0
    for count in counts:
        inner_right += _xlogx(count)
    for i in range(order.shape[0] - 1):
        row = rows[order[i]]
        code = codes[row]
        step = weight[row]
        inner_left -= _xlogx(left[code])
        inner_right -= _xlogx(right[code])
        left[code] += step
        right[code] = max(right[code] - step, 0.0)
        inner_left += _xlogx(left[code])
        inner_right += _xlogx(right[code])
        total_left += step
        total_right -= step
        value = values[order[i]]
        following = values[order[i + 1]]
        if value < following:
            mass = _xlogx(total_left) - inner_left + _xlogx(total_right) - inner_right
            if mass < best:
                best = mass
                low = np.float64(value)
                high = np.float64(following)
    return best, low, high
