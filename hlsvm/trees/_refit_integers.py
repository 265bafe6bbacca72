"""Hyperplanes fitted anew on an integer grid, to the sides that the model sends its rows to."""

from __future__ import annotations

import numpy as np

from hlsvm.trees.tree import HyperplaneTree

_ROWS = 4000  # of every node: those nearest to its hyperplane
_SCALES = np.linspace(1.0, 0.5, 11)  # of the largest weight, to round from
_SWEEPS = 3


def _best_cut(sums, right) -> tuple[int, int]:
    """Cut with the fewest rows on the wrong side, midway in its gap; how many those are."""
    order = np.argsort(sums, kind="stable")
    ranked, side = sums[order], right[order]
    # wrong[k]: the first k rows go left.
    wrong = np.concatenate([[0], np.cumsum(side)]) + np.concatenate(
        [np.cumsum(~side[::-1])[::-1], [0]]
    )
    ends = np.flatnonzero(np.diff(ranked)) + 1
    if len(ends) == 0:
        return int(ranked[0]) - int(side.mean() > 0.5), int(min(wrong[0], wrong[-1]))
    best = ends[np.argmin(wrong[ends])]
    return int((ranked[best - 1] + ranked[best]) // 2), int(wrong[best])


def _improve(whole, codes, right, cut, wrong, top) -> tuple[np.ndarray, int, int]:
    """Move weights by one as long as fewer rows take the wrong side."""
    sums = codes @ whole
    moves = [(j, by) for j in np.flatnonzero(codes.any(axis=0)).tolist() for by in (1, -1)]
    for _ in range(_SWEEPS):
        before = wrong
        for j, by in moves:
            if wrong == 0 or abs(whole[j] + by) > top:
                continue
            tried = sums + by * codes[:, j]
            other, count = _best_cut(tried, right)
            if count < wrong:
                whole[j] += by
                sums, cut, wrong = tried, other, count
        if wrong == before:
            break
    return whole, cut, wrong


def _fit_node(fine, value, codes, top) -> tuple[np.ndarray, int]:
    """Weights and cut for rows whose decision values are `value`; `fine`: weights per code."""
    nearest = np.argsort(np.abs(value), kind="stable")[:_ROWS]
    codes, right = codes[nearest], value[nearest] > 0
    tried = []
    for scale in _SCALES:
        whole = np.rint(fine * (scale * top / np.abs(fine).max())).astype(np.int64)
        cut, wrong = _best_cut(codes @ whole, right)
        tried.append((wrong, len(tried), whole, cut))
    wrong, _, whole, cut = min(tried)
    whole, cut, _ = _improve(whole, codes, right, cut, wrong, top)
    return whole, cut


def refit(tree: HyperplaneTree, fine, codes, rows, whole, cut, unit, top: int) -> None:
    """Fit the hyperplanes of a tree on the rows that reach them, from the root down.

    Parameters
    ----------
    tree : HyperplaneTree
    fine : ndarray of float64, shape (n_planes, n_features)
        Weights per code.
    codes, rows : ndarray, shape (n_rows, n_features)
        Rows in integers and as they are.
    whole : ndarray of int64, shape (n_planes, n_features)
    cut, unit : ndarray of float64, shape (n_nodes,)
        Weights, cuts and units, changed in place. A node that fewer than two rows reach, or whose
        rows all take one side, stays as it is.
    top : int
        Largest weight.
    """
    reached = {0: np.arange(len(rows))}
    rows = rows.astype(tree.weights.dtype, copy=False)
    for node in range(tree.n_nodes):
        reaching = reached.pop(node)
        if tree.left[node] < 0:
            continue
        plane, feature = tree.plane[node], tree.feature[node]
        if plane < 0:
            right = rows[reaching, feature] + tree.offsets[node] > 0
        else:
            value = rows[reaching] @ tree.weights[plane] + tree.offsets[node]
            if (value > 0).any() and (value <= 0).any() and fine[plane].any():
                whole[plane], cut[node] = _fit_node(fine[plane], value, codes[reaching], top)
                unit[node] = whole[plane] @ fine[plane] / (fine[plane] @ fine[plane])
            right = codes[reaching] @ whole[plane] > cut[node]
        reached[int(tree.left[node])] = reaching[~right]
        reached[int(tree.right[node])] = reaching[right]
