"""A row's cell, and f there by a polynomial of degree three with a bound of its error."""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot, exp

# The share of degree p in |phi(x)|^2 is exp(-y) y^p / p! with y = 2 t, that of p and above at most
# y^p / p!; square roots of 2^4 / 4! and of 2^5 / 5!.
_FOURTH, _FIFTH = 0.8164965809277261 * (1 + 1e-9), 0.5163977794943223 * (1 + 1e-9)


@njit(cache=True, nogil=True)
def _leaf(x, feature, cut, children):
    node = 0
    while node >= 0:
        at = np.uint64(node)
        node = children[at, np.uint64(x[feature[at]] > cut[at])]
    return ~node


@njit(cache=True, nogil=True)
def _step(x, anchor, free, fixed, u):
    """Write x - anchor in the free columns to `u`; return its square, NaN if others differ."""
    square, other = 0.0, 0
    for j in range(np.uint64(len(fixed))):
        other |= x[fixed[j]] != anchor[fixed[j]]
    if other:
        return np.nan
    for j in range(np.uint64(len(free))):
        step = x[free[j]] - anchor[free[j]]
        u[j] = step
        square += step * step
    return square


@njit(cache=True, nogil=True)
def _polynomial(terms, u, pairs):
    """c_j u_j + c_jk u_j u_k + c_jkl u_j u_k u_l, each product once (j <= k <= l).

    `terms` are c_j, then c_jk and for every j the c_jkl in the order of `pairs`, which is as long
    as a multiple of 8; those of j start with the multiple of 8 before the pair j j.
    """
    q, zero = np.uint64(len(u)), np.float32(0)
    at, one = np.uint64(0), np.uint64(1)
    for j in range(q):
        for k in range(j, q):
            pairs[at] = u[j] * u[k]
            at += one
    size, first = len(pairs), 0
    total = dot(u, terms[: len(u)], zero) + dot(pairs, terms[len(u) :], zero)
    place = len(u) + size
    for j in range(len(u)):
        start = first // 8 * 8
        total += u[j] * dot(pairs[start:], terms[place:], zero)
        place += size - start
        first += len(u) - j
    return np.float64(total)


@njit(cache=True, nogil=True)
def _ends(x, tree, columns, table, sizes, u, pairs):
    """Lower and upper end of f at a row; see `enclose_in_cells`."""
    free, fixed = columns
    anchors, terms, norms = table
    gamma, intercept, reach, rounding = sizes
    leaf = np.uint64(_leaf(x, tree[0], tree[1], tree[2]))
    norm = norms[leaf]
    if norm[0] == 0:
        return -np.inf, np.inf
    square = _step(x, anchors[leaf], free, fixed, u)
    t = gamma * square
    if not t < 1:
        return -np.inf, np.inf
    away = np.sqrt(square)
    damping = exp(-t)
    value = damping * (norm[6] + _polynomial(terms[leaf], u, pairs)) + intercept
    size = norm[0] + away * (norm[1] + away * (norm[2] + away * norm[3]))
    y = reach * away
    slack = (3 * len(u) + len(pairs) // 8 + 40) * 2.0**-24 * size
    slack += rounding * (1 + y * (1 + y * (0.5 + y / 6)))
    tail = t * t * (_FOURTH * norm[4] + _FIFTH * np.sqrt(t) * norm[5])
    width = tail + slack + 1e-14 * abs(intercept)
    return value - width, value + width


@njit(cache=True, nogil=True)
def _room(q):
    """Arrays for the entries of a row and their products."""
    return np.empty(q, np.float32), np.zeros(-(-(q * (q + 1) // 2) // 8) * 8, np.float32)


@njit(cache=True, nogil=True)
def enclose_in_cells(X, tree, columns, table, sizes, low, high):
    """Enclose f at every row by its cell; infinite ends where the cell says nothing.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    tree : tuple (feature, cut, children)
        A row goes to ``children[node, x[feature] > cut]``; ``~leaf`` ends the way.
    columns : tuple (free, fixed)
        Columns of the polynomials, and those that must be as in the cell.
    table : tuple (anchors, terms, norms)
        Of the cells: points, coefficients in float32 (see `_polynomial`), Euclidean norms
        of the coefficients of each degree (0: nothing is settled, none is looked at), lengths of
        w in degree 4 and in those above; the constant.
    sizes : tuple (gamma, intercept, reach, rounding)
        Of the kernel; b; twice gamma times the largest distance of points; relative
        rounding of the coefficients times the sum of |alpha|.
    """
    u, pairs = _room(len(columns[0]))
    for i in range(len(X)):
        low[i], high[i] = _ends(X[i], tree, columns, table, sizes, u, pairs)


@njit(cache=True, nogil=True)
def sign_in_cells(x, tree, columns, table, sizes):
    """Sign of f at one row, 0 where its cell leaves it open; see `enclose_in_cells`."""
    u, pairs = _room(len(columns[0]))
    low, high = _ends(x, tree, columns, table, sizes, u, pairs)
    return (low > 0) - (high < 0)
