"""Growing a metric tree: large nodes by blocked BLAS, small subtrees whole in compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from hlsvm.regions._farthest import far_pair, farthest_pair
from hlsvm.regions._metric_cuts import MEDIAN, MIDPOINT, cut, grow_small, partition
from hlsvm.regions._metric_tree import MetricTree

# A node of at most this many points is grown with all its distances in memory.
_SMALL = 256
_NO_LIMIT = np.iinfo(np.int64).max
RULES = {"midpoint": MIDPOINT, "median": MEDIAN}


@dataclass(frozen=True)
class Growth:
    """How to grow a metric tree.

    Attributes
    ----------
    split : {"midpoint", "median"}
    exact_up_to : int
        Nodes of more points take the linear-time pair.
    leaf_size : int
    max_depth : int or None
    n_jobs : int or None
    """

    split: str = "midpoint"
    exact_up_to: int = _NO_LIMIT
    leaf_size: int = 1
    max_depth: int | None = None
    n_jobs: int | None = None

    @property
    def deepest(self) -> int:
        """`max_depth` as a number."""
        return _NO_LIMIT if self.max_depth is None else int(self.max_depth)


def _cut_large(X, rows, growth):
    """Hyperplane of a large node and where its right side begins; None if it cannot be cut."""
    points = X[rows]
    if len(rows) <= growth.exact_up_to:
        u, v, square = farthest_pair(points, growth.n_jobs)
    else:
        u, v, square = far_pair(points)
    if not square > 0:
        return None
    normal, values = np.empty(X.shape[1]), np.empty(len(rows))
    offset = cut(X, rows, rows[u], rows[v], RULES[growth.split], normal, values)
    middle = partition(rows, values, offset, np.empty_like(rows))
    return (normal, offset, middle) if 0 < middle < len(rows) else None


def grow(X, growth: Growth) -> MetricTree:
    """Grow the metric tree of the rows of `X` (MetricTree section 2.1).

    A node is a leaf if it holds at most `leaf_size` points, if all its points are equal, or at
    `max_depth`.

    Parameters
    ----------
    X : ndarray of float64, C-contiguous, shape (n, d)
    growth : Growth

    Returns
    -------
    MetricTree
    """
    rows = np.arange(len(X))
    large, small = {}, []  # by path: the cut; the ranges left to grow
    todo = [((), 0, len(rows))]
    while todo:
        path, low, high = todo.pop()
        if high - low > max(_SMALL, growth.leaf_size) and len(path) < growth.deepest:
            result = _cut_large(X, rows[low:high], growth)
            if result is not None:
                normal, offset, middle = result
                large[path] = (normal, offset)
                todo += [((*path, 1), low + middle, high), ((*path, 0), low, low + middle)]
                continue
        small.append((path, low, high))
    grown = Parallel(n_jobs=growth.n_jobs, prefer="threads")(
        delayed(_grow_small)(X, rows[low:high], len(path), growth) for path, low, high in small
    )
    return _assemble(X.shape[1], rows, large, small, grown)


def _grow_small(X, rows, depth, growth):
    if len(rows) > _SMALL:  # too deep, all equal, or within the leaf size
        none = np.empty((0, X.shape[1])), np.empty(0), np.empty((0, 2), np.int32)
        return *none, np.array([len(rows)])
    rule = RULES[growth.split]
    return grow_small(X, rows, depth, rule, int(growth.leaf_size), growth.deepest)


def _assemble(d, rows, large, small, grown):
    """Join the cuts of the large nodes and the small subtrees into one numbering."""
    subtrees = {path: part for (path, _, _), part in zip(small, grown, strict=True)}
    normals, offsets, children, starts = [], [], [], [np.zeros(1, np.int64)]
    inner = leaves = n_rows = 0
    links = []  # inner node and side that lead to a path's first node
    todo = [((), None)]
    while todo:
        path, link = todo.pop()
        if path in large:
            name = inner
            normals.append(large[path][0][None])
            offsets.append(np.array([large[path][1]]))
            children.append(np.zeros((1, 2), np.int32))
            inner += 1
            todo += [((*path, 1), (name, 1)), ((*path, 0), (name, 0))]
        else:
            normal, offset, pairs, ends = subtrees[path]
            name = inner if len(normal) else ~leaves
            normals.append(normal)
            offsets.append(offset)
            children.append(np.where(pairs >= 0, pairs + inner, pairs - leaves).astype(np.int32))
            starts.append(ends + n_rows)
            inner, leaves, n_rows = inner + len(normal), leaves + len(ends), n_rows + int(ends[-1])
        if link is not None:
            links.append((*link, name))
    if inner == 0:
        normals, offsets = [np.zeros((1, d))], [np.zeros(1)]
        children = [np.full((1, 2), ~0, np.int32)]
    children = np.concatenate(children)
    for node, side, name in links:
        children[node, side] = name
    return MetricTree(
        np.concatenate(normals),
        np.concatenate(offsets),
        children,
        rows,
        np.concatenate(starts),
    )
