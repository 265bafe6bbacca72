"""Kernel SVM by sequential minimal optimisation: the loops on arrays.

With beta_i = y_i alpha_i the dual of the kernel SVM loses its labels,

    min_beta 1/2 beta'K beta - y'beta,   lo_i <= beta_i <= hi_i,   sum_i beta_i = 0,

where [lo_i, hi_i] is [0, C_i] for y_i = +1 and [-C_i, 0] for y_i = -1. Its gradient is
slope = K beta - y. A sample may go up while beta_i < hi_i and down while beta_i > lo_i; the point
is optimal when no sample that may go down has a larger slope than one that may go up, and the
excess max(slope, down) - min(slope, up) is the violation that SMO drives below its tolerance.
The bias is minus the value in between.

Masks are kept as additive penalties, 0 where a move is open and infinity where it is not, so that
every pass is one straight line of arithmetic that vectorises.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import greater, lesser

# No NaN comes in, so extremes vectorise. Nothing is re-ordered or contracted: an extreme is
# found again by value, and every processor has the same bits.
_FAST = {"nsz", "nnan"}
_SPAN = 4096  # entries of the slope that stay in the first-level cache while rows stream by


@njit(cache=True, nogil=True, fastmath=_FAST)
def exponentials(products, row_half, column_half, out, at, start):
    """Write exp(-|a - b|^2 / 2) = exp(a.b - |a|^2/2 - |b|^2/2) into rows of `out`.

    Parameters
    ----------
    products : ndarray of float32, shape (m, n)
        Inner products a.b.
    row_half, column_half : ndarray of float32, shape (m,) and (n,)
        |a|^2/2 and |b|^2/2.
    out : ndarray of float32, two-dimensional
        Row i of `products` goes to ``out[at[i], start : start + n]``. Relative error below 2e-7,
        beside that of the exponent.
    at : ndarray of int64, shape (m,)
    start : int
    """
    f = np.float32
    for i in range(products.shape[0]):
        half = row_half[i]
        row = at[i]
        for j in range(products.shape[1]):
            x = max(min(products[i, j] - half - column_half[j], f(0.0)), f(-87.0))
            n = np.floor(x * f(1.44269504088896) + f(0.5))
            r = x - n * f(0.693359375)
            r = r - n * f(-2.12194440e-4)
            p = f(1.9875691500e-4)
            p = p * r + f(1.3981999507e-3)
            p = p * r + f(8.3334519073e-3)
            p = p * r + f(4.1665795894e-2)
            p = p * r + f(1.6666665459e-1)
            p = p * r + f(5.0000001201e-1)
            p = p * r * r + r + f(1.0)
            power = (np.int32(n) + np.int32(127)) << np.int32(23)
            out[row, start + j] = p * np.int32(power).view(np.float32)


@njit(cache=True, nogil=True, fastmath=_FAST)
def add_rows(rows, slots, steps, slope):
    """Add sum_k steps[k] * rows[slots[k]] to `slope`, four rows at a time, in double precision."""
    n = slope.shape[0]
    m = slots.shape[0]
    for start in range(0, n, _SPAN):
        stop = min(start + _SPAN, n)
        k = 0
        while k + 3 < m:
            a, b, c, d = slots[k], slots[k + 1], slots[k + 2], slots[k + 3]
            s, t, u, v = steps[k], steps[k + 1], steps[k + 2], steps[k + 3]
            for j in range(start, stop):
                slope[j] += s * rows[a, j] + t * rows[b, j] + u * rows[c, j] + v * rows[d, j]
            k += 4
        while k < m:
            for j in range(start, stop):
                slope[j] += steps[k] * rows[slots[k], j]
            k += 1


@njit(cache=True, nogil=True, fastmath=_FAST)
def _move(slope, row_i, row_j, step, not_up, not_down):
    """Add step * (row_i - row_j) to `slope`; return its extremes over up and over down."""
    least = np.inf
    most = -np.inf
    for k in range(slope.shape[0]):
        value = slope[k] + step * (row_i[k] - row_j[k])
        slope[k] = value
        least = lesser(value + not_up[k], least)
        most = greater(value - not_down[k], most)
    return least, most


@njit(cache=True, nogil=True, fastmath=_FAST)
def _gains(slope, not_down, row_i, diagonal, diagonal_i, least, gain):
    """Fill `gain` with (slope_j - least)^2 / |phi_i - phi_j|^2, which ranks; return the largest."""
    f = np.float32
    best = f(-1.0)
    for j in range(slope.shape[0]):
        d = greater(f(slope[j] - not_down[j] - least), f(0.0))
        eta = greater(diagonal_i + diagonal[j] - f(2.0) * row_i[j], f(1e-12))
        value = d * d / eta
        gain[j] = value
        best = greater(value, best)
    return best


@njit(cache=True, nogil=True)
def _where(values, penalty, wanted):
    """First k with values[k] + penalty[k] == wanted (no early exit: a reduction vectorises)."""
    n = values.shape[0]
    at = n
    for k in range(n):
        at = min(at, k if values[k] + penalty[k] == wanted else n)
    return at


@njit(cache=True, nogil=True)
def _where_single(values, wanted):
    n = np.int32(values.shape[0])
    at = n
    for k in range(n):
        at = min(at, np.int32(k) if values[k] == wanted else n)
    return at


@njit(cache=True, nogil=True)
def solve_block(gram, slope, beta, lo, hi, tol, max_iter):
    """SMO with second-order working sets (Fan, Chen, Lin, JMLR 2005) on a Gram matrix in memory.

    Parameters
    ----------
    gram : ndarray of float32, shape (n, n)
        Kernel matrix.
    slope, beta : ndarray of float64, shape (n,)
        Gradient K beta - y and variables; both are updated.
    lo, hi : ndarray of float64, shape (n,)
        The box.
    tol : float
        Stop when the violation is at most this.
    max_iter : int
        Most pairs to move.

    Returns
    -------
    n_iter : int
    """
    n = slope.shape[0]
    gain = np.empty(n, dtype=np.float32)
    diagonal = np.empty(n, dtype=np.float32)
    not_up = np.zeros(n)
    not_down = np.zeros(n)
    for k in range(n):
        diagonal[k] = gram[k, k]
        not_up[k] = 0.0 if beta[k] < hi[k] else np.inf
        not_down[k] = 0.0 if beta[k] > lo[k] else np.inf
    least, most = _move(slope, gram[0], gram[0], 0.0, not_up, not_down)
    for iteration in range(max_iter):
        if most - least <= tol:
            return iteration
        i = _where(slope, not_up, least)
        best = _gains(slope, not_down, gram[i], diagonal, diagonal[i], least, gain)
        j = _where_single(gain, best)
        eta = max(diagonal[i] + diagonal[j] - 2.0 * gram[i, j], 1e-12)
        step = min((slope[j] - slope[i]) / eta, hi[i] - beta[i], beta[j] - lo[j])
        beta[i] = hi[i] if step >= hi[i] - beta[i] else beta[i] + step
        beta[j] = lo[j] if step >= beta[j] - lo[j] else beta[j] - step
        not_up[i] = 0.0 if beta[i] < hi[i] else np.inf
        not_down[j] = 0.0 if beta[j] > lo[j] else np.inf
        not_down[i] = 0.0
        not_up[j] = 0.0
        least, most = _move(slope, gram[i], gram[j], step, not_up, not_down)
    return max_iter


@njit(cache=True, nogil=True)
def repack(flat, width, rows, columns, new_width):
    """Rewrite stored rows of `width` entries in place: keep some rows and columns, widen the rest.

    Row r of what remains is old row ``rows[r]``; it begins at ``r * new_width`` and starts with the
    old entries ``columns``. Both ascend, so nothing is overwritten before it is read.
    """
    kept = columns.shape[0]
    n_rows = rows.shape[0]
    for r in range(n_rows):
        source = rows[r] * width
        for c in range(kept):
            flat[r * kept + c] = flat[source + columns[c]]
    if new_width > kept:
        for r in range(n_rows - 1, -1, -1):
            for c in range(kept - 1, -1, -1):
                flat[r * new_width + c] = flat[r * kept + c]
