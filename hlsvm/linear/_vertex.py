"""A vertex of the optimal face of a linear SVM's dual: as few free multipliers as w allows.

The dual solution of a linear SVM is not unique where more than d + 1 samples lie on the margin
(as where one binary feature tells the classes apart: then every sample does). All multipliers
0 <= alpha_i <= U_i with the same sum_i alpha_i y_i (x_i, 1) are optimal, and coordinate descent
ends somewhere inside that face, where most of them are positive. At a vertex of the face those
strictly between their bounds have independent columns y_i (x_i, 1): at most d + 1 of them.

This is the "push" phase that a simplex method runs after an interior point method. Its sums run in
one order, so the vertex is the same on every processor.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Pivots below this share of the largest entry count as zero.
_TINY = 1e-9
# Multipliers nearer to a bound than this share of the largest one are put on it.
_SNAP = 1e-8


@njit(cache=True, nogil=True)
def _pivot(table, row, column):
    """Make `column` of the table the unit vector of `row`."""
    m, n = table.shape
    scale = 1.0 / table[row, column]
    for j in range(n):
        table[row, j] *= scale
    table[row, column] = 1.0
    for i in range(m):
        factor = table[i, column]
        if i != row and factor != 0.0:
            for j in range(n):
                table[i, j] -= factor * table[row, j]
            table[i, column] = 0.0


@njit(cache=True, nogil=True)
def _basis(table):
    """Reduce the table to independent columns by complete pivoting; return them, row by row."""
    m, n = table.shape
    basis = np.empty(min(m, n), dtype=np.int64)
    taken = np.zeros(n, dtype=np.bool_)
    least = 0.0
    for rank in range(basis.shape[0]):
        best, row, column = least, -1, -1
        for i in range(rank, m):
            for j in range(n):
                if not taken[j] and abs(table[i, j]) > best:
                    best, row, column = abs(table[i, j]), i, j
        if row < 0:
            return basis[:rank]
        if rank == 0:
            least = _TINY * best
        for j in range(n):
            table[row, j], table[rank, j] = table[rank, j], table[row, j]
        _pivot(table, rank, column)
        basis[rank] = column
        taken[column] = True
    return basis


@njit(cache=True, nogil=True)
def _push(table, basis, column, values, upper):
    """Lower one multiplier outside the basis, the basis following, until one meets a bound."""
    step, block, size = values[column], -1, 0.0
    for k in range(basis.shape[0]):
        slope = table[k, column]
        if slope > _TINY:
            room = (upper[basis[k]] - values[basis[k]]) / slope
        elif slope < -_TINY:
            room = -values[basis[k]] / slope
        else:
            continue
        if room < step or (room == step and abs(slope) > size):
            step, block, size = room, k, abs(slope)
    step = max(step, 0.0)
    for k in range(basis.shape[0]):
        values[basis[k]] += step * table[k, column]
    values[column] -= step
    if block < 0:
        values[column] = 0.0
        return
    out = basis[block]
    values[out] = upper[out] if table[block, column] > 0.0 else 0.0
    _pivot(table, block, column)
    basis[block] = column


@njit(cache=True, nogil=True)
def move_to_vertex(X, rows, y, upper, alpha):
    """Move `alpha` to a vertex of its optimal face; w and b do not change.

    Multipliers at a bound stay there. The others are lowered one after another, as far as the
    independent ones among them can make up for it within their bounds.

    Parameters
    ----------
    X : ndarray of float32 or float64, shape (n_all, d)
    rows : ndarray of int64, shape (n,)
        Rows of `X` that take part.
    y, upper : ndarray of float64, shape (n,)
        Labels +-1 and caps U_i of these rows.
    alpha : ndarray of float64, shape (n,)
        In: a dual solution. Out: a vertex with the same sum of alpha_i y_i (x_i, 1).
    """
    count = 0
    free = np.empty(rows.shape[0], dtype=np.int64)
    for k in range(rows.shape[0]):
        if 0.0 < alpha[k] < upper[k]:
            free[count] = k
            count += 1
    free = free[:count]
    d = X.shape[1]
    table = np.empty((d + 1, count))
    for m in range(count):
        for j in range(d):
            table[j, m] = y[free[m]] * X[rows[free[m]], j]
        table[d, m] = y[free[m]]
    values, caps = alpha[free], upper[free]
    basis = _basis(table)
    inside = np.zeros(count, dtype=np.bool_)
    inside[basis] = True
    for m in range(count):
        if not inside[m]:  # a column that left the basis is at a bound
            _push(table, basis, m, values, caps)
    most = 0.0
    for m in range(count):
        most = max(most, values[m])
    for m in range(count):
        if values[m] <= _SNAP * min(most, caps[m]):
            values[m] = 0.0
        elif caps[m] - values[m] <= _SNAP * min(most, caps[m]):
            values[m] = caps[m]
        alpha[free[m]] = values[m]
