"""Steps of a kernel SVM's descent on stored kernel rows: the loops on arrays.

The dual in beta_i = y_i alpha_i, and slope = K beta - y, are those of `hlsvm.subclass._smo`. A
sample that takes no part has y = 0 and the cap 0; its slope is the machine's value without bias.
The row of sample k of a block is ``rows[slots[k]]``, or ``spare[k]`` where its slot is -1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot

_SPAN = 4096  # entries of the slope that stay in the first-level cache while rows stream by
_HALVINGS = 12  # of the interval that holds the best bias
_NONE = 1e-12  # of all caps: a derivative that is rounding


@njit(cache=True, nogil=True)
def _row(rows, slots, spare, k):
    return rows[slots[k]] if slots[k] >= 0 else spare[k]


@njit(cache=True, nogil=True)
def gather(rows, slots, spare, block, out):
    """Copy the kernel values among the samples of a block, shape (m, m)."""
    for k in range(block.shape[0]):
        row = _row(rows, slots, spare, k)
        for j in range(block.shape[0]):
            out[k, j] = row[block[j]]


@njit(cache=True, nogil=True, fastmath={"nsz", "nnan"})
def add_rows(rows, slots, spare, steps, slope):
    """Add the rows of a block times their steps (not all zero), four at a time, in double."""
    moved = np.flatnonzero(steps)
    m = moved.shape[0]
    for left in range(0, slope.shape[0], _SPAN):
        part = slope[left : left + _SPAN]
        right = left + part.shape[0]
        k = 0
        while k + 3 < m:
            g, h, i, j = moved[k], moved[k + 1], moved[k + 2], moved[k + 3]
            a = _row(rows, slots, spare, g)[left:right]
            b = _row(rows, slots, spare, h)[left:right]
            c = _row(rows, slots, spare, i)[left:right]
            d = _row(rows, slots, spare, j)[left:right]
            s, t, u, v = steps[g], steps[h], steps[i], steps[j]
            for x in range(part.shape[0]):
                part[x] += (s * a[x] + t * b[x]) + (u * c[x] + v * d[x])
            k += 4
        while k < m:
            a = _row(rows, slots, spare, moved[k])[left:right]
            for x in range(part.shape[0]):
                part[x] += steps[moved[k]] * a[x]
            k += 1


@njit(cache=True, nogil=True)
def expand(exact, beta):
    """Product of a few rows in double precision, shape (m, n), with `beta`."""
    out = np.empty(exact.shape[0])
    for i in range(out.shape[0]):
        out[i] = dot(exact[i], beta, 0.0)
    return out


@njit(cache=True, nogil=True)
def _loss(slope, y, cap, bias):
    """Sum of cap max(0, 1 - y f), and its derivative by the bias."""
    total = 0.0
    rise = 0.0
    for i in range(slope.shape[0]):
        short = -y[i] * (slope[i] + bias)
        if short > 0.0:
            total += cap[i] * short
            rise -= cap[i] * y[i]
    return total, rise


@njit(cache=True, nogil=True)
def _edge(slope, y, cap, low, high, level):
    """Where the derivative of the loss by the bias exceeds `level`, in [low, high]."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        _, rise = _loss(slope, y, cap, middle)
        if rise > level:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


@njit(cache=True, nogil=True)
def measure(slope, y, cap, beta):
    """Measure a feasible point on all samples.

    Parameters
    ----------
    slope, y, cap, beta : ndarray of float64, shape (n,)
        `cap` is C times the weight of the sample.

    Returns
    -------
    violation : float
        Largest slope of the samples that may go down less the least of those that may go up.
    bias : float
        That of the least objective, to 2^-12 of the violation; the middle where several are.
    objective, dual_objective : float
        The gap counts what the sum of beta is off zero by rounding.
    """
    least, most = np.inf, -np.inf
    for i in range(slope.shape[0]):
        alpha = beta[i] * y[i]
        inner = alpha < cap[i]
        if (inner and y[i] > 0.0) or (alpha > 0.0 and y[i] < 0.0):
            least = min(least, slope[i])
        if (inner and y[i] < 0.0) or (alpha > 0.0 and y[i] > 0.0):
            most = max(most, slope[i])
    bias = -0.5 * (least + most)
    if most > least:
        few = _NONE * cap.sum()
        left = _edge(slope, y, cap, -most, -least, -few)
        bias = 0.5 * (left + _edge(slope, y, cap, left, -least, few))
    loss, _ = _loss(slope, y, cap, bias)
    linear = dot(beta, y, 0.0)
    square = dot(beta, slope, 0.0) + linear
    astray = 0.0
    for i in range(beta.shape[0]):
        astray += beta[i]
    objective = 0.5 * square + loss
    return most - least, bias, objective, linear - 0.5 * square - abs(astray * bias)
