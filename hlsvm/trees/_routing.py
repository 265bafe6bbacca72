"""Kernels that send rows through a tree of hyperplanes: plain functions on arrays.

A tree is the arrays of `hlsvm.trees.tree.HyperplaneTree`, of which these are read here:

``plane[t]``
    row of `weights` that node t evaluates, -1 if it evaluates none;
``feature[t]``
    column that node t compares instead, -1 if it compares none (both -1: t is a leaf);
``offsets[t]``
    b of node t: the row goes right when ``w.x + b > 0``, or ``x[feature] + b > 0``;
``left[t]``, ``right[t]``
    the children.

Every kernel takes its decision value from the same `dot`, in the precision of the weights, so that
a row meets the same leaf whichever kernel routes it, on every processor.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot

# Rows routed together: their indices and a few hundred kB of the rows themselves stay in cache.
_BLOCK = 2048
# What the kernels for one row answer to a row of another length; below every ~leaf.
WRONG_LENGTH = -(2**40)


@njit(cache=True, nogil=True)
def project(X, rows, w, out):
    """``out[i] = w.X[rows[i]]`` in the precision of `X` (w of the same dtype)."""
    for i in range(rows.shape[0]):
        out[i] = dot(w, X[rows[i]], w.dtype.type(0))


@njit(cache=True, nogil=True)
def partition(rows, values, offset, spare):
    """Move the rows with ``values + offset <= 0`` to the front, keeping order on both sides.

    `spare` is scratch at least as long as `rows`. Returns how many stand in front.
    """
    front = 0
    back = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        if values[i] + offset > 0:
            spare[back] = row
            back += 1
        else:
            rows[front] = row
            front += 1
    for i in range(back):
        rows[front + i] = spare[i]
    return front


@njit(cache=True, nogil=True)
def _split_block(X, w, feature, offset, index, spare, low, high, margin):
    """Partition ``index[low:high]`` by one node; returns where the right side begins.

    A `margin` that is not empty is lowered to the absolute decision values met.
    """
    zero = w.dtype.type(0)
    front = low
    back = 0
    for i in range(low, high):
        row = index[np.uint64(i)]
        value = dot(w, X[np.uint64(row)], zero) if feature < 0 else X[row, feature]
        value += offset
        if margin.shape[0] > 0:
            margin[row] = min(margin[row], abs(value))
        goes_right = value > 0
        index[np.uint64(front)] = row
        spare[np.uint64(back)] = row
        back += goes_right
        front += 1 - goes_right
    for i in range(back):
        index[np.uint64(front + i)] = spare[np.uint64(i)]
    return front


@njit(cache=True, nogil=True)
def route(X, weights, offsets, plane, feature, left, right, leaf, margin):
    """Write the leaf that each row of `X` reaches into `leaf` (int32).

    `margin` is empty, or receives the least absolute decision value that each row met.

    Rows travel in blocks, node by node: a node's hyperplane meets all the rows of the block that
    reach the node before the next node's turn. There is then no branch to mispredict and no chain
    of dependent steps within a row.
    """
    n = X.shape[0]
    index = np.empty(_BLOCK, np.int32)
    spare = np.empty(_BLOCK, np.int32)
    todo = np.empty((plane.shape[0] + 1, 3), np.int32)
    none = np.empty(0, weights.dtype)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        block = X[start : start + size]
        near = margin[start : start + size]
        near[:] = np.inf
        for i in range(size):
            index[i] = i
        todo[0, 0] = 0
        todo[0, 1] = 0
        todo[0, 2] = size
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node = todo[waiting, 0]
            low = todo[waiting, 1]
            high = todo[waiting, 2]
            if plane[node] < 0 and feature[node] < 0:
                for i in range(low, high):
                    leaf[start + index[i]] = node
                continue
            w = weights[plane[node]] if plane[node] >= 0 else none
            b = offsets[node]
            middle = _split_block(block, w, feature[node], b, index, spare, low, high, near)
            if middle < high:
                todo[waiting, 0] = right[node]
                todo[waiting, 1] = middle
                todo[waiting, 2] = high
                waiting += 1
            if middle > low:
                todo[waiting, 0] = left[node]
                todo[waiting, 1] = low
                todo[waiting, 2] = middle
                waiting += 1


@njit(cache=True, nogil=True)
def answer_below(X, rows, root, weights, offsets, plane, feature, left, right, answers, out):
    """Write what the subtree below `root` answers to some rows; ``answers[leaf]`` is a class."""
    zero = weights.dtype.type(0)
    for i in range(rows.shape[0]):
        x = X[rows[i]]
        node = root
        while left[node] >= 0:
            value = dot(weights[plane[node]], x, zero) if plane[node] >= 0 else x[feature[node]]
            node = right[node] if value + offsets[node] > 0 else left[node]
        out[i] = answers[node]


@njit(cache=True, nogil=True)
def _descend(x, weights, offsets, nodes, root):
    """Leaf of one row, and the least absolute decision value on the way there.

    The leaf is ~leaf (negative) if a decision value was NaN, which goes left.
    """
    zero = weights.dtype.type(0)
    node = root
    nan = False
    margin = weights.dtype.type(np.inf)
    while True:
        plane = nodes[node, 0]
        if plane >= 0:
            value = dot(weights[plane], x, zero) + offsets[node]
        else:
            feature = nodes[node, 1]
            if feature < 0:
                return (~node if nan else node), margin
            value = x[feature] + offsets[node]
        margin = min(margin, abs(value))
        if value > 0:
            node = nodes[node, 3]
        else:
            node = nodes[node, 2]
            nan = nan or value != value


@njit(cache=True, nogil=True)
def route_one(x, weights, offsets, nodes):
    """Leaf of one row `x`; ~leaf if a decision value was NaN, `WRONG_LENGTH` if x does not fit.

    `nodes` has the columns plane, feature, left, right; the root is node 0.
    """
    if x.shape[0] != weights.shape[1]:
        return WRONG_LENGTH
    return _descend(x, weights, offsets, nodes, 0)[0]


@njit(cache=True, nogil=True)
def sum_one(x, weights, offsets, nodes, roots, shares):
    """Class with the largest sum of leaf shares among trees; negative as `route_one`."""
    if x.shape[0] != weights.shape[1]:
        return WRONG_LENGTH
    sums = np.zeros(shares.shape[1])
    nan = False
    for k in range(roots.shape[0]):
        leaf = _descend(x, weights, offsets, nodes, roots[k])[0]
        if leaf < 0:
            leaf = ~leaf
            nan = True
        for code in range(shares.shape[1]):
            sums[code] += shares[leaf, code]
    best = np.argmax(sums)
    return ~best if nan else best


@njit(cache=True, nogil=True)
def vote_one(x, weights, offsets, nodes, pairs, second, n_classes):
    """Class with the highest score among trees for pairs of classes; negative as `route_one`.

    A row of `pairs` is the root of a tree and its two classes; ``second[leaf]`` tells which of
    them the leaf answers. Scores as `hlsvm.trees._forest.Forest` has them; the first of
    equal ones wins.
    """
    if x.shape[0] != weights.shape[1]:
        return WRONG_LENGTH
    scores = np.zeros(n_classes)
    nan = False
    for k in range(pairs.shape[0]):
        leaf, margin = _descend(x, weights, offsets, nodes, pairs[k, 0])
        if leaf < 0:
            leaf = ~leaf
            nan = True
        trust = 0.5 * min(np.float64(margin), 1.0)
        winner = pairs[k, 1 + second[leaf]]
        loser = pairs[k, 2 - second[leaf]]
        scores[winner] += 1.0 + (0.5 + trust) / n_classes
        scores[loser] += (0.5 - trust) / n_classes
    best = np.argmax(scores)
    return ~best if nan else best
