"""Sending rows down a metric tree to their leaves, many together or one; see `_metric_cuts`.

Every kernel takes its decision value from the same `dot`, so that a row meets the same leaf
whichever kernel sends it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot

# Of products in single precision, which choose no way where rounding could: sums may be re-ordered.
_REORDER = {"reassoc", "contract", "nsz"}
# Rows sent down together, level by level: they stay in the second-level cache.
_BLOCK = 128


@njit(cache=True, nogil=True, fastmath=_REORDER)
def _load(X, start, size, rows, width, norms):
    """Copy rows in single precision, followed by a 1 and zeros; write their norms with the 1."""
    d = X.shape[1]
    for i in range(size):
        at = np.uint64(i * width)
        total = np.float32(1)
        for j in range(d):
            value = np.float32(X[np.uint64(start + i), np.uint64(j)])
            rows[at + np.uint64(j)] = value
            total += value * value
        norms[i] = np.sqrt(total)


@njit(cache=True, nogil=True, fastmath=_REORDER)
def _go_down(planes, slack, width, children, rows, norms, size, at, depth, active, doubt):
    """Send a block of rows down in single precision.

    `at` receives ~leaf and `depth` the number of cuts; `doubt` is set for a row that met a cut
    nearer than its rounding error. The products of a level do not wait for one another, and there
    is no branch to mispredict.
    """
    wide = np.uint64(width)
    for i in range(size):
        active[i] = i
        at[i] = 0
        doubt[i] = 0
    moving, level = size, 0
    while moving > 0:
        level += 1
        still = 0
        for i in range(moving):
            row = np.uint64(active[np.uint64(i)])
            node = np.uint64(at[row])
            w, x = node * wide, row * wide
            value = np.float32(0)
            for j in range(wide):
                value += planes[w + np.uint64(j)] * rows[x + np.uint64(j)]
            doubt[row] |= not (abs(value) > slack[node] * norms[row])
            child = children[node, np.uint64(value >= 0)]
            at[row] = child
            depth[row] = level
            active[np.uint64(still)] = np.int32(row)
            still += child >= 0
        moving = still


@njit(cache=True, nogil=True, fastmath=_REORDER)
def _leaf_signs(planes, slack, width, n_inner, rows, norms, size, at, sign, doubt):
    """Sign of the leaf's linear form for a block of rows; `doubt` where rounding might turn it."""
    wide = np.uint64(width)
    for i in range(size):
        row = np.uint64(i)
        plane = np.uint64(~at[row]) + np.uint64(n_inner)
        w, x = plane * wide, row * wide
        value = np.float32(0)
        for j in range(wide):
            value += planes[w + np.uint64(j)] * rows[x + np.uint64(j)]
        sign[row] = value > 0
        doubt[row] = not (abs(value) > slack[plane] * norms[row])


@njit(cache=True, nogil=True)
def _is_whole(x, limit):
    """Whether a row holds whole numbers up to `limit`, which meet no rounding at the cuts."""
    broken = 0
    for j in range(x.shape[0]):
        broken += (x[j] != np.rint(x[j])) | (abs(x[j]) > limit)
    return broken == 0


@njit(cache=True, nogil=True)
def _way(x, normals, offsets, children):
    """~leaf and number of cuts of one row, in double precision."""
    node, depth = 0, 0
    while node >= 0:
        value = dot(normals[node], x, 0.0) + offsets[node]
        node = children[node, np.uint64(value >= 0)]
        depth += 1
    return node, depth


@njit(cache=True, nogil=True)
def descend(X, exact, planes, slack, width, limit, children, leaf, depths, side):
    """Send rows down to their leaf, and (if asked) evaluate the sign of the leaf's linear form.

    Products are taken in single precision, rows and hyperplanes padded to `width`. A row that
    comes nearer to a hyperplane than the rounding error is sent again in double precision, so that
    every row goes the way of double precision.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    exact : tuple (normals, offsets, gradients, constants)
        Hyperplanes in double precision: of the inner nodes, and of the leaves where `side` asks.
    planes : ndarray of float32
        All of them, flat, `width` numbers per hyperplane: normal, offset, zeros. Leaves come last.
    slack : ndarray of float32
        Rounding error of a product by the norm of the row, for every hyperplane.
    limit : float
        Rows of whole numbers up to this meet no rounding at the cuts; negative if there are none.
    children : ndarray of int32, shape (n_inner, 2)
    leaf, depths : ndarrays of int32, shape (n,)
        Receive the leaf and the number of cuts; empty where `side` asks.
    side : ndarray of uint8, shape (n,) or (0,)
        Receives 1 where the leaf's linear form is positive, and 2 for rows whose norm is no finite
        number of single precision.
    """
    normals, offsets, gradients, constants = exact
    n, d = X.shape
    n_inner = children.shape[0]
    at, depth = np.empty(_BLOCK, np.int32), np.empty(_BLOCK, np.int32)
    active, doubt = np.empty(_BLOCK, np.int32), np.empty(_BLOCK, np.uint8)
    rows, norms = np.zeros(_BLOCK * width, np.float32), np.empty(_BLOCK, np.float32)
    for i in range(_BLOCK):
        rows[i * width + d] = 1
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        _load(X, start, size, rows, width, norms)
        _go_down(planes, slack, width, children, rows, norms, size, at, depth, active, doubt)
        for i in range(size):
            if doubt[i] and not (limit >= 0 and _is_whole(X[start + i], limit)):
                at[i], depth[i] = _way(X[start + i], normals, offsets, children)
        if side.shape[0] == 0:
            for i in range(size):
                leaf[start + i] = ~at[i]
                depths[start + i] = depth[i]
            continue
        sign = side[start : start + size]
        _leaf_signs(planes, slack, width, n_inner, rows, norms, size, at, sign, doubt)
        for i in range(size):
            if doubt[i]:
                cell = ~at[i]
                sign[i] = dot(gradients[cell, 0], X[start + i], 0.0) + constants[cell, 0] > 0
                if not norms[i] < np.inf:
                    sign[i] = 2


@njit(cache=True, nogil=True)
def linear_values(X, leaf, constants, gradients, out):
    """``out[i, m] = constants[leaf, m] + gradients[leaf, m].X[i]`` (MetricTree Eq. 9)."""
    for i in range(X.shape[0]):
        cell = leaf[i]
        for m in range(out.shape[1]):
            out[i, m] = dot(gradients[cell, m], X[i], 0.0) + constants[cell, m]


@njit(cache=True, nogil=True)
def squared_distances(X, leaf, points, out):
    """``out[i] = |X[i] - points[leaf[i]]|^2``."""
    n, d = X.shape
    for i in range(n):
        cell = leaf[i]
        total = 0.0
        for j in range(d):
            step = X[i, j] - points[cell, j]
            total += step * step
        out[i] = total


@njit(cache=True, nogil=True)
def one_value(x, normals, offsets, children, constants, gradients):
    """Linear value of one row by a tree of one machine; NaN if the row holds one, or does not fit.

    A tree of a single leaf has one inner node, both sides of which are the leaf.
    """
    if x.shape[0] != normals.shape[1]:
        return np.nan
    node, _ = _way(x, normals, offsets, children)
    return dot(gradients[~node, 0], x, 0.0) + constants[~node, 0]
