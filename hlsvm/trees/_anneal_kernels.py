"""Gradient of a soft tree, and a step of Adam, to the same bits on every processor.

Sums run over rows and columns in a fixed order; what is done side by side are the nodes, each of
which has its own sum. Where an entry of a row is zero, nothing is done for it.

Nodes are those of a complete tree, level by level: the children of k are 2k + 1 and 2k + 2.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import exp

_LOG2_E = np.float32(1.44269504)
# log(2) in two parts, the first of which has few digits.
_LOG_2 = (np.float32(0.693359375), np.float32(-2.12194440e-4))
_SERIES = tuple(
    np.float32(c)
    for c in (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 0.16666665459)
)
_HALF, _ONE = np.float32(0.5), np.float32(1.0)
_FAR = np.float32(40.0)  # exp(40) and its reciprocal are finite, and 1 / (1 + exp(-40)) is 1
_LEAST = np.float32(1e-12)


@njit(cache=True, nogil=True)
def sigmoids(z, beta):
    """Replace every value of `z` (float32) by 1 / (1 + exp(-beta z))."""
    for j in range(z.shape[0]):
        x = min(max(-beta * z[j], -_FAR), _FAR)
        n = np.floor(x * _LOG2_E + _HALF)
        r = (x - n * _LOG_2[0]) - n * _LOG_2[1]
        total = np.float32(0.0)
        for c in _SERIES:
            total = (total + c) * r
        power = ((total + _HALF) * r + _ONE) * r + _ONE
        power = power * np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
        z[j] = _ONE / (_ONE + power)


@njit(cache=True, nogil=True)
def softmax(scores, shares):
    """Fill `shares` with the shares exp(score) of every column (leaf), both float32."""
    for leaf in range(scores.shape[1]):
        top = scores[0, leaf]
        for c in range(scores.shape[0]):
            top = max(top, scores[c, leaf])
        total = 0.0
        for c in range(scores.shape[0]):
            value = exp(float(scores[c, leaf] - top))
            shares[c, leaf] = np.float32(value)
            total += value
        for c in range(scores.shape[0]):
            shares[c, leaf] = np.float32(shares[c, leaf] / total)


@njit(cache=True, nogil=True)
def add_rows(target, table, columns, values, n):
    """Add ``values[i] * table[columns[i]]`` to `target`, four rows at a time."""
    i = 0
    while i + 4 <= n:
        a, b = table[columns[i]], table[columns[i + 1]]
        c, d = table[columns[i + 2]], table[columns[i + 3]]
        p, q, r, s = values[i], values[i + 1], values[i + 2], values[i + 3]
        for j in range(target.shape[0]):
            target[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * d[j])
        i += 4
    while i < n:
        a, p = table[columns[i]], values[i]
        for j in range(target.shape[0]):
            target[j] += p * a[j]
        i += 1


@njit(cache=True, nogil=True)
def descend(s, shares, code, reach, value, slope):
    """Log-likelihood of one row, and its slope along the decision value of every node.

    Parameters
    ----------
    s : ndarray of float32, shape (n_inner,)
        Probability of going right.
    shares : ndarray of float32, shape (n_classes, n_leaves)
    code : int
        Class of the row.
    reach, value : ndarray of float32, shape (2 * n_inner + 1,)
        Filled: probability of reaching each node, and of the class once there.
    slope : ndarray of float32, shape (n_inner,)
        Filled.

    Returns
    -------
    float
        Probability of the class.
    """
    n_inner = s.shape[0]
    leaf = shares[code]
    reach[0] = _ONE
    for k in range(n_inner):
        right = reach[k] * s[k]
        reach[2 * k + 2] = right
        reach[2 * k + 1] = reach[k] - right
    for k in range(n_inner + 1):
        value[n_inner + k] = leaf[k]
    for k in range(n_inner - 1, -1, -1):
        value[k] = value[2 * k + 1] + s[k] * (value[2 * k + 2] - value[2 * k + 1])
    likely = max(value[0], _LEAST)
    for k in range(n_inner):
        turn = s[k] * (_ONE - s[k])
        slope[k] = reach[k] * turn * (value[2 * k + 2] - value[2 * k + 1]) / likely
    return likely


@njit(cache=True, nogil=True)
def batch_slopes(
    X, columns, starts, rows, codes, weight, planes, offsets, mean, beta, shares, g_planes,
    g_offsets, g_shares,
):  # fmt: skip
    """Slopes of the weighted log-likelihood of some rows, summed.

    Parameters
    ----------
    X, columns, starts
        Rows as compressed sparse ones: the entries of row i, and their columns, at
        ``starts[i]:starts[i + 1]``.
    rows : ndarray of int64
        Those of the batch.
    codes, weight : ndarray
        Class and weight of every row.
    planes : ndarray of float32, shape (n_features, n_inner)
        Hyperplanes, one a column.
    offsets : ndarray of float32, shape (n_inner,)
        Of rows whose mean is taken away.
    mean : ndarray of float32, shape (n_features,)
    beta : float32
    shares : ndarray of float32, shape (n_classes, n_leaves)
    g_planes, g_offsets, g_shares
        Filled; the last with the responsibility of every leaf, by class.
    """
    n_inner, n_features = offsets.shape[0], mean.shape[0]
    base = offsets.copy()
    everything = np.arange(n_features)
    add_rows(base, planes, everything, -mean, n_features)
    g_planes[:] = np.float32(0.0)
    g_offsets[:] = np.float32(0.0)
    g_shares[:] = np.float32(0.0)
    z = np.empty(n_inner, np.float32)
    slope = np.empty(n_inner, np.float32)
    reach = np.empty(2 * n_inner + 1, np.float32)
    value = np.empty(2 * n_inner + 1, np.float32)
    for row in rows:
        low, high = starts[row], starts[row + 1]
        z[:] = base
        add_rows(z, planes, columns[low:high], X[low:high], high - low)
        sigmoids(z, beta)
        code = codes[row]
        likely = descend(z, shares, code, reach, value, slope)
        share, part = g_shares[code], weight[row] / likely
        for k in range(n_inner + 1):
            share[k] += part * reach[n_inner + k] * shares[code, k]
        for k in range(n_inner):
            slope[k] *= weight[row] * beta
            g_offsets[k] += slope[k]
        for i in range(low, high):
            x, target = X[i], g_planes[columns[i]]
            for k in range(n_inner):
                target[k] += x * slope[k]
    for j in range(n_features):
        target = g_planes[j]
        for k in range(n_inner):
            target[k] -= mean[j] * g_offsets[k]


@njit(cache=True, nogil=True)
def climb(values, slope, first, second, rate, correct_1, correct_2, keep):
    """One step of Adam up the slope, values first drawn to zero by the factor `keep`.

    All arrays are float32 and flat; `first` and `second` are the moments, with decays of 0.9
    and 0.99, `correct_1` and `correct_2` one over what they lack so far.
    """
    a, b = np.float32(0.9), np.float32(0.99)
    tiny = np.float32(1e-8)
    for k in range(values.shape[0]):
        first[k] = a * first[k] + (_ONE - a) * slope[k]
        second[k] = b * second[k] + (_ONE - b) * (slope[k] * slope[k])
        step = first[k] * correct_1 / (np.sqrt(second[k] * correct_2) + tiny)
        values[k] = keep * values[k] + rate * step
