"""Kernels of the metric tree: cutting a set of points, and sending rows down to a leaf.

A tree is three arrays over its inner nodes, the root being node 0:

``normals[t]``, ``offsets[t]``
    the hyperplane ``h(x) = normals[t].x + offsets[t]`` of node t (MetricTree Eq. 5);
``children[t]``
    where a row goes for ``h(x) < 0`` and for ``h(x) >= 0``: an inner node, or ``~leaf``.

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
MIDPOINT, MEDIAN = 0, 1


@njit(cache=True, nogil=True)
def cut(X, rows, u, v, rule, normal, values):
    """Hyperplane between the points u and v of ``X[rows]``; returns its offset.

    Writes ``u - v`` into `normal` and ``normal.x`` of every row into `values`. The hyperplane goes
    through the midpoint of u and v, or (``rule == MEDIAN``) between the two distinct values
    nearest the median.
    """
    d = X.shape[1]
    middle = np.empty(d)
    for j in range(d):
        normal[j] = X[u, j] - X[v, j]
        middle[j] = 0.5 * (X[u, j] + X[v, j])
    n = rows.shape[0]
    for i in range(n):
        values[i] = dot(normal, X[rows[i]], 0.0)
    if rule == MIDPOINT:
        return -dot(normal, middle, 0.0)
    order = np.sort(values[:n])
    right = n // 2
    while right < n and order[right] == order[right - 1]:
        right += 1
    left = n // 2
    while left > 0 and order[left] == order[left - 1]:
        left -= 1
    at = right if right < n and (left == 0 or right - n // 2 <= n // 2 - left) else left
    return -0.5 * (order[max(at - 1, 0)] + order[at])


@njit(cache=True, nogil=True)
def partition(rows, values, offset, spare):
    """Move the rows with ``values + offset < 0`` to the front, keeping order on both sides.

    `spare` is scratch at least as long as `rows`. Returns how many stand in front.
    """
    front = 0
    back = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        if values[i] + offset < 0:
            rows[front] = row
            front += 1
        else:
            spare[back] = row
            back += 1
    for i in range(back):
        rows[front + i] = spare[i]
    return front


@njit(cache=True, nogil=True)
def _distances(X, rows, out):
    n, d = rows.shape[0], X.shape[1]
    for i in range(n):
        out[i, i] = 0.0
        for k in range(i):
            total = 0.0
            for j in range(d):
                step = X[rows[i], j] - X[rows[k], j]
                total += step * step
            out[i, k] = total
            out[k, i] = total


@njit(cache=True, nogil=True)
def _farthest(squares, place, low, high):
    """Farthest two of ``place[low:high]`` by the matrix of squared distances; their square."""
    best, a, b = 0.0, place[low], place[low]
    for i in range(low + 1, high):
        row = squares[place[i]]
        for k in range(low, i):
            if row[place[k]] > best:
                best, a, b = row[place[k]], place[i], place[k]
    return best, a, b


@njit(cache=True, nogil=True)
def grow_small(X, rows, depth, rule, leaf_size, max_depth):
    """Grow the whole tree of a few points: all their distances are taken once.

    `rows` (int64) is re-ordered so that every leaf is a range of it.

    Returns
    -------
    normals : ndarray of shape (n_inner, d)
    offsets : ndarray of shape (n_inner,)
    children : ndarray of int32, shape (n_inner, 2)
    ends : ndarray of int64, shape (n_leaves,)
        Leaf k holds ``rows[ends[k - 1]:ends[k]]``.
    """
    n, d = rows.shape[0], X.shape[1]
    squares = np.empty((n, n))
    _distances(X, rows, squares)
    own = rows.copy()
    place = np.arange(n)
    values, spare = np.empty(n), np.empty(n, np.int64)
    normals, offsets = np.empty((max(n - 1, 1), d)), np.empty(max(n - 1, 1))
    children = np.empty((max(n - 1, 1), 2), np.int32)
    ends = np.empty(n, np.int64)
    # Waiting nodes: first row, end, depth, parent, side. The left one is taken first.
    todo = np.empty((n + 1, 5), np.int64)
    todo[0] = np.array([0, n, depth, -1, 0])
    waiting, inner, leaves = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        low, high, level, parent, side = todo[waiting]
        here = rows[low:high]
        middle = low
        if high - low > leaf_size and level < max_depth:
            square, a, b = _farthest(squares, place, low, high)
            if square > 0:
                offset = cut(X, here, own[a], own[b], rule, normals[inner], values)
                middle = low + partition(here, values, offset, spare)
                partition(place[low:high], values, offset, spare)
        if middle in (low, high):
            name = ~leaves
            ends[leaves] = high
            leaves += 1
        else:
            name = inner
            offsets[inner] = offset
            inner += 1
            todo[waiting] = np.array([middle, high, level + 1, name, 1])
            todo[waiting + 1] = np.array([low, middle, level + 1, name, 0])
            waiting += 2
        if parent >= 0:
            children[parent, side] = name
    return normals[:inner], offsets[:inner], children[:inner], ends[:leaves]


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
                here = ~at[i]
                sign[i] = dot(gradients[here, 0], X[start + i], 0.0) + constants[here, 0] > 0
                if not norms[i] < np.inf:
                    sign[i] = 2


@njit(cache=True, nogil=True)
def linear_values(X, leaf, constants, gradients, out):
    """``out[i, m] = constants[leaf, m] + gradients[leaf, m].X[i]`` (MetricTree Eq. 9)."""
    for i in range(X.shape[0]):
        here = leaf[i]
        for m in range(out.shape[1]):
            out[i, m] = dot(gradients[here, m], X[i], 0.0) + constants[here, m]


@njit(cache=True, nogil=True)
def squared_distances(X, leaf, points, out):
    """``out[i] = |X[i] - points[leaf[i]]|^2``."""
    n, d = X.shape
    for i in range(n):
        here = leaf[i]
        total = 0.0
        for j in range(d):
            step = X[i, j] - points[here, j]
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
