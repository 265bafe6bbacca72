"""Pruning a metric tree: cuts that change no decision are taken back."""

from __future__ import annotations

import numpy as np

from hlsvm.regions._metric_tree import MetricTree


def _ranges(tree):
    """First row and end of every inner node in `tree.rows`."""
    low, high = np.zeros((2, len(tree.children)), np.int64)
    for node in range(len(tree.children) - 1, -1, -1):  # children come after their parents
        left, right = tree.children[node]
        low[node] = low[left] if left >= 0 else tree.starts[~left]
        high[node] = high[right] if right >= 0 else tree.starts[~right + 1]
    return low, high


def _errors(X, tree, low, high, exact, expansion, n_jobs):
    """Largest |T - f| / |f| over the points of every given range, with T at their mean."""
    rows = np.concatenate([tree.rows[a:b] for a, b in zip(low, high, strict=True)])
    sizes = high - low
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    means = np.add.reduceat(X[rows], first, axis=0) / sizes[:, None]
    values, gradients = expansion.taylor(means, n_jobs)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    steps = X[rows] - means[owner]
    worst = np.zeros(len(rows))
    for m in range(values.shape[1]):
        result = values[owner, m] + np.einsum("ij,ij->i", steps, gradients[owner, m])
        truth = exact[rows, m]
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.abs(result - truth) / np.abs(truth)
        worst = np.maximum(worst, np.where(result == truth, 0.0, error))
    return np.maximum.reduceat(worst, first)


def prune(tree: MetricTree, X, exact, expansion, tolerance: float, n_jobs=None) -> MetricTree:
    """Turn the topmost nodes whose one Taylor form serves all their points into leaves.

    The form at the mean of the points must be within ``tolerance * |f|`` of f at every one of
    them: no sign changes. Nodes are visited a level at a time from the root, so that only those
    near the decision boundary cost anything.

    Parameters
    ----------
    tree : MetricTree
    X : ndarray of shape (n, d)
        Points of the tree.
    exact : ndarray of shape (n, n_machines)
        f at the points.
    expansion : Expansion
    tolerance : float
        In (0, 1).
    n_jobs : int or None

    Returns
    -------
    MetricTree
    """
    if tree.n_leaves == 1:
        return tree
    low, high = _ranges(tree)
    closed = np.zeros(len(tree.children), dtype=bool)
    level = np.array([0])
    while len(level):
        errors = _errors(X, tree, low[level], high[level], exact, expansion, n_jobs)
        closed[level] = errors <= tolerance
        below = tree.children[level[~closed[level]]].ravel()
        level = below[below >= 0]
    return _without(tree, closed, low, high)


def _without(tree, closed, low, high):
    """Copy the tree, with the closed nodes as leaves."""
    kept, links, ends, n_kept = [], [], [], 0
    todo = [(0, -1, 0)]  # node or ~leaf, its parent's new number, its side
    while todo:
        node, parent, side = todo.pop()
        if node < 0 or closed[node]:
            name = ~len(ends)
            ends.append(tree.starts[~node + 1] if node < 0 else high[node])
        else:
            name = n_kept
            kept.append(node)
            n_kept += 1
            left, right = tree.children[node]
            todo += [(int(right), name, 1), (int(left), name, 0)]
        if parent >= 0:
            links.append((parent, side, name))
    starts = np.concatenate([[0], ends]).astype(np.int64)
    if not kept:
        one = np.full((1, 2), ~0, np.int32)
        return MetricTree(np.zeros_like(tree.normals[:1]), np.zeros(1), one, tree.rows, starts)
    children = np.zeros((n_kept, 2), np.int32)
    for parent, side, name in links:
        children[parent, side] = name
    return MetricTree(tree.normals[kept], tree.offsets[kept], children, tree.rows, starts)
