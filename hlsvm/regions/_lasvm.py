"""LASVM (Bordes, Ertekin, Weston, Bottou, JMLR 2005): an SVM from one pass over its rows.

With beta_i = y_i alpha_i between lo_i and hi_i, as in `_leaf_smo`, and g = y - K beta, the method
keeps a set S of rows, their coefficients, their g and their block of the kernel. PROCESS brings a
new row into S with the step of the most violating pair it is part of; REPROCESS takes the step of
the most violating pair of S and drops the rows at zero that violate nothing. Finishing repeats
REPROCESS until no pair of S violates by more than the tolerance.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot, exp

_ROUNDING = 16 * np.finfo(np.float64).eps  # of the largest variable or slope: no step is smaller


@njit(cache=True, nogil=True)
def _kernel_row(X, t, rows, size, gamma, gap, out):
    """Write exp(-gamma |x_t - x_s|^2) for the rows s of S; `gap` is scratch."""
    for a in range(size):
        s = rows[a]
        for f in range(X.shape[1]):
            gap[f] = X[t, f] - X[s, f]
        out[a] = exp(-gamma * dot(gap, gap, 0.0))


@njit(cache=True, nogil=True)
def _extremes(g, beta, lo, hi, size):
    """Return the places of the largest g that may go up and the smallest that may go down."""
    up, down = -1, -1
    for a in range(size):
        if beta[a] < hi[a] and (up < 0 or g[a] > g[up]):
            up = a
        if beta[a] > lo[a] and (down < 0 or g[a] < g[down]):
            down = a
    return up, down


@njit(cache=True, nogil=True)
def _step(kernel, g, beta, lo, hi, size, i, j):
    """Move beta_i up and beta_j down as far as the objective gains within the bounds."""
    eta = max(kernel[i, i] + kernel[j, j] - 2.0 * kernel[i, j], 1e-12)
    step = min((g[i] - g[j]) / eta, hi[i] - beta[i], beta[j] - lo[j])
    beta[i] = hi[i] if step >= hi[i] - beta[i] else beta[i] + step
    beta[j] = lo[j] if step >= beta[j] - lo[j] else beta[j] - step
    for a in range(size):
        g[a] -= step * (kernel[i, a] - kernel[j, a])


@njit(cache=True, nogil=True)
def _drop(kernel, rows, g, beta, lo, hi, size, top, bottom):
    """Take the rows at zero that violate nothing out of S; return the new size.

    A row that can only go up is of no use with a g at or below the smallest that may go down, one
    that can only go down with a g at or above the largest that may go up.
    """
    a = 0
    while a < size:
        idle = beta[a] == 0.0 and (
            (hi[a] > 0.0 and g[a] <= bottom) or (lo[a] < 0.0 and g[a] >= top)
        )
        if not idle:
            a += 1
            continue
        size -= 1
        rows[a], g[a], beta[a], lo[a], hi[a] = (
            rows[size],
            g[size],
            beta[size],
            lo[size],
            hi[size],
        )
        for b in range(size + 1):
            kernel[a, b] = kernel[size, b]
        for b in range(size):
            kernel[b, a] = kernel[b, size]
        kernel[a, a] = 1.0
    return size


@njit(cache=True, nogil=True)
def _reprocess(kernel, rows, g, beta, lo, hi, size, tol):
    """One REPROCESS: return the new size of S and the violation that is left."""
    i, j = _extremes(g, beta, lo, hi, size)
    if i < 0 or j < 0 or g[i] - g[j] <= tol:
        return size, 0.0
    _step(kernel, g, beta, lo, hi, size, i, j)
    i, j = _extremes(g, beta, lo, hi, size)
    if i < 0 or j < 0:
        return size, 0.0
    violation = g[i] - g[j]
    return _drop(kernel, rows, g, beta, lo, hi, size, g[i], g[j]), violation


@njit(cache=True, nogil=True)
def _wider(block, columns):
    out = np.empty((columns, columns), np.float32)
    out[: block.shape[0], : block.shape[0]] = block
    return out


@njit(cache=True, nogil=True)
def _border(kernel, size, row):
    """Add a row and a column of kernel values."""
    kernel[size, :size] = row[:size]
    kernel[:size, size] = row[:size]
    kernel[size, size] = 1.0


@njit(cache=True, nogil=True)
def _finish(kernel, rows, g, beta, lo, hi, size, tol, max_iter):
    """Repeat REPROCESS: return the size of S, the violation that is left, and the steps."""
    violation, least = np.inf, tol
    steps = 0
    while violation > least and steps < max_iter:
        if steps % 1024 == 0 and size > 0:
            scale = max(np.abs(beta[:size]).max(), np.abs(g[:size]).max())
            least = max(tol, _ROUNDING * scale)
        size, violation = _reprocess(kernel, rows, g, beta, lo, hi, size, tol)
        steps += 1
    return size, violation, steps


@njit(cache=True, nogil=True)
def solve_online(X, y, cost, gamma, order, n_seeds, tol, max_iter):
    """Train one SVM by LASVM, rows in the given order, then finish.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
    y : ndarray of float64, shape (n,)
        -1 or +1.
    cost, gamma : float
    order : ndarray of int64
        Rows as they come; a row may come several times.
    n_seeds : int
        The first rows of each class that enter S unasked.
    tol : float
        Largest violation that finishing leaves, unless rounding is above it.
    max_iter : int
        Most steps of finishing.

    Returns
    -------
    beta : ndarray of float64, shape (n,)
    bias : float
    steps : int
    violation : float
        Of the rows in S.
    """
    n = X.shape[0]
    inside = np.zeros(n, np.bool_)
    rows = np.empty(n, np.int64)
    g, beta, lo, hi = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    kernel = np.empty((256, 256), np.float32)
    row, gap = np.empty(n), np.empty(X.shape[1])
    size, steps = 0, 0
    seeds = np.zeros(2, np.int64)
    for t in order:
        if inside[t]:
            continue
        _kernel_row(X, t, rows, size, gamma, gap, row)
        slope = y[t] - dot(row[:size], beta[:size], 0.0)
        side = 1 if y[t] > 0.0 else 0
        i, j = _extremes(g, beta, lo, hi, size)
        seed = seeds[side] < n_seeds
        useful = (side == 1 and j >= 0 and slope - g[j] > tol) or (
            side == 0 and i >= 0 and g[i] - slope > tol
        )
        if not (seed or useful):
            continue
        seeds[side] += 1
        if size == kernel.shape[0]:
            kernel = _wider(kernel, min(n, 2 * size))
        rows[size], g[size], beta[size] = t, slope, 0.0
        hi[size] = cost if side == 1 else 0.0
        lo[size] = hi[size] - cost
        _border(kernel, size, row)
        size += 1
        inside[t] = True
        if useful:
            if side == 1:
                _step(kernel, g, beta, lo, hi, size, size - 1, j)
            else:
                _step(kernel, g, beta, lo, hi, size, i, size - 1)
            steps += 1
        kept, _ = _reprocess(kernel, rows, g, beta, lo, hi, size, tol)
        steps += 1
        if kept < size:
            size = kept
            inside[:] = False
            inside[rows[:size]] = True
    size, violation, last = _finish(kernel, rows, g, beta, lo, hi, size, tol, max_iter)
    out = np.zeros(n)
    out[rows[:size]] = beta[:size]
    i, j = _extremes(g, beta, lo, hi, size)
    bias = 0.5 * (g[i] + g[j]) if i >= 0 and j >= 0 else 0.0
    return out, bias, steps + last, violation
