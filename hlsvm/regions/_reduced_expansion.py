"""A Gaussian expansion on fewer vectors: pre-images by fixed-point iteration, loops on arrays.

Every sum runs in the order of `hlsvm._arithmetic`, so the vectors are the same on every processor.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot, exp

_RIDGE = 1e-10  # added to the diagonal of the vectors' kernel matrix
_CANCEL = 1e-12  # share of their size below which weights that cancel have no mean
_NOTHING = 1e-14  # rest below which nothing is left to represent
_WORTH = 0.95  # part of the rest that a pass must fall below for another to follow


@njit(cache=True, nogil=True)
def kernel_row(z, points, gamma, out):
    """Write exp(-gamma |points_i - z|^2) to `out`."""
    step = np.empty(z.shape[0])
    for i in range(points.shape[0]):
        for f in range(z.shape[0]):
            step[f] = points[i, f] - z[f]
        out[i] = exp(-gamma * dot(step, step, 0.0))


@njit(cache=True, nogil=True)
def values_at(places, points, coef, gamma):
    """Sum of coef_i k(points_i, .) at every place."""
    row, out = np.empty(points.shape[0]), np.empty(places.shape[0])
    for a in range(places.shape[0]):
        kernel_row(places[a], points, gamma, row)
        out[a] = dot(row, coef, 0.0)
    return out


@njit(cache=True, nogil=True)
def _climb(z, points, coef, gamma, n_steps, tol):
    """Fixed-point iteration towards the largest |sum_i coef_i k(points_i, z)|.

    Returns
    -------
    at : ndarray of shape (d,)
        The best z met.
    value : float
        The sum there.
    steps : int
    met : bool
        Whether the last step was at most `tol`, or the weights cancelled.
    """
    best, value, at = -1.0, 0.0, z
    weights = np.empty(points.shape[0])
    for step in range(n_steps):
        kernel_row(z, points, gamma, weights)
        total, size = 0.0, 0.0
        moved = np.zeros(z.shape[0])
        for i in range(points.shape[0]):
            weight = coef[i] * weights[i]
            total += weight
            size += abs(weight)
            for f in range(z.shape[0]):
                moved[f] += weight * points[i, f]
        if abs(total) > best:
            best, value, at = abs(total), total, z
        if not abs(total) > _CANCEL * size:
            return at, value, step + 1, True
        longest = 0.0
        for f in range(z.shape[0]):
            moved[f] /= total
            longest = max(longest, abs(moved[f] - z[f]))
        if longest <= tol:
            return at, value, step + 1, True
        z = moved
    return at, value, n_steps, False


@njit(cache=True, nogil=True)
def _append(lower, k, cross):
    """Row k of the Cholesky factor whose matrix gains the row (cross, 1 + ridge)."""
    for j in range(k):
        lower[k, j] = (cross[j] - dot(lower[k, :j], lower[j, :j], 0.0)) / lower[j, j]
    pivot = 1.0 + _RIDGE - dot(lower[k, :k], lower[k, :k], 0.0)
    lower[k, k] = np.sqrt(max(pivot, 0.5 * _RIDGE))


@njit(cache=True, nogil=True)
def _solve(lower, target, k):
    """Solution of L L' x = target with the leading k rows of L."""
    x = np.empty(k)
    for j in range(k):
        x[j] = (target[j] - dot(lower[j, :j], x[:j], 0.0)) / lower[j, j]
    for j in range(k - 1, -1, -1):
        x[j] /= lower[j, j]
        for i in range(j):
            x[i] -= lower[j, i] * x[j]
    return x


@njit(cache=True, nogil=True)
def _fit(vectors, k, points, coef, gamma):
    """Least squares in the kernel's space for the first k vectors: weights, and their product."""
    lower, target, cross = np.zeros((k, k)), np.empty(k), np.empty(k)
    row = np.empty(points.shape[0])
    for j in range(k):
        kernel_row(vectors[j], vectors[:j], gamma, cross)
        _append(lower, j, cross)
        kernel_row(vectors[j], points, gamma, row)
        target[j] = dot(row, coef, 0.0)
    weights = _solve(lower, target, k)
    return weights, dot(weights, target, 0.0)


@njit(cache=True, nogil=True)
def reduce(points, coef, gamma, n_vectors, n_steps, n_passes, tol):
    """Approximate sum_i coef_i k(points_i, .) by fewer vectors; see `reduce_expansion`.

    Returns
    -------
    vectors : ndarray of shape (m, d)
    weights : ndarray of shape (m,)
    rest : float
    steps : int
        Of all fixed-point iterations.
    unmet : int
        Vectors whose last iteration did not meet `tol`.
    """
    n, d = points.shape
    values = values_at(points, points, coef, gamma)
    whole = dot(coef, values, 0.0)
    both, signed = np.zeros((n + n_vectors, d)), np.zeros(n + n_vectors)
    both[:n], signed[:n] = points, coef
    vectors = both[n:]
    lower, target = np.zeros((n_vectors, n_vectors)), np.empty(n_vectors)
    columns, cross = np.empty((n, n_vectors)), np.empty(n_vectors)
    row, weights = np.empty(n), np.empty(0)
    met = np.zeros(n_vectors, np.bool_)
    rest, steps, k = 1.0, 0, 0
    while k < n_vectors and rest > _NOTHING:
        worst, start = -1.0, 0
        for i in range(n):
            short = abs(values[i] - dot(weights, columns[i], 0.0))
            if short > worst:
                worst, start = short, i
        z, _, used, met[k] = _climb(
            points[start], both[: n + k], signed[: n + k], gamma, n_steps, tol
        )
        steps += used
        kernel_row(z, points, gamma, row)
        columns[:, k] = row
        kernel_row(z, vectors[:k], gamma, cross)
        vectors[k] = z
        _append(lower, k, cross)
        target[k] = dot(row, coef, 0.0)
        k += 1
        weights = _solve(lower, target, k)
        signed[n : n + k] = -weights
        rest = max(0.0, 1.0 - dot(weights, target, 0.0) / whole) if whole > 0.0 else 0.0
    before = np.inf
    for _ in range(n_passes):
        if not _NOTHING < rest < _WORTH * before:
            break
        before = rest
        for j in range(k):
            signed[n + j] = 0.0
            z, value, used, met[j] = _climb(
                vectors[j].copy(), both[: n + k], signed[: n + k], gamma, n_steps, tol
            )
            steps += used
            vectors[j], signed[n + j] = z, -value
        better, product = _fit(vectors, k, points, coef, gamma)
        signed[n : n + k] = -better
        weights, rest = better, max(0.0, 1.0 - product / whole)
    return vectors[:k].copy(), weights, rest, steps, k - np.count_nonzero(met[:k])
