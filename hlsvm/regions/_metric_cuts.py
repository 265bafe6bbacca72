"""Cutting a set of points for the metric tree.

A tree is three arrays over its inner nodes, the root being node 0:

``normals[t]``, ``offsets[t]``
    the hyperplane ``h(x) = normals[t].x + offsets[t]`` of node t (MetricTree Eq. 5);
``children[t]``
    where a row goes for ``h(x) < 0`` and for ``h(x) >= 0``: an inner node, or ``~leaf``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot

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

    `spare` is scratch at least as long as `rows`. Returns how many are in front.
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
    original = rows.copy()
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
        inside = rows[low:high]
        middle = low
        if high - low > leaf_size and level < max_depth:
            square, a, b = _farthest(squares, place, low, high)
            if square > 0:
                offset = cut(X, inside, original[a], original[b], rule, normals[inner], values)
                middle = low + partition(inside, values, offset, spare)
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
