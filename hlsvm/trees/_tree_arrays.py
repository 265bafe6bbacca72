"""Checks of the arrays of a tree."""

from __future__ import annotations

import numpy as np


def numbers(name: str, given, ndim: int) -> np.ndarray:
    """Contiguous array of `ndim` dimensions, of finite real numbers."""
    values = np.ascontiguousarray(given)
    if values.ndim != ndim or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{name!r} must be an array of real numbers with {ndim} dimension(s). "
            f"Got {values.dtype} of shape {values.shape} instead."
        )
    if not np.isfinite(values).all():
        raise ValueError(f"{name!r} must be finite.")
    return values


def node_numbers(name: str, given) -> np.ndarray:
    """Whole numbers as int32, none of them changed by it."""
    values = numbers(name, given if len(given) else np.empty(0, np.int32), 1)
    whole = values.astype(np.int32, copy=False)
    if values.dtype.kind == "f" or not np.array_equal(whole, values):
        raise ValueError(f"{name!r} must be whole numbers of 32 bits.")
    return whole


def check_tree(tree) -> None:
    """Refuse arrays that do not describe one tree; the message names the array."""
    n = len(tree.plane)
    for name in ("offsets", "feature", "left", "right", "counts"):
        if len(getattr(tree, name)) != n or n == 0:
            raise ValueError(
                f"{name!r} must have one entry a node, as 'plane' has ({n}, at least 1). "
                f"Got {len(getattr(tree, name))} instead."
            )
    if tree.plane.min() < -1 or tree.plane.max() >= len(tree.weights):
        raise ValueError(f"'plane' must be -1 or a row of 'weights' (< {len(tree.weights)}).")
    if tree.feature.min() < -1 or tree.feature.max() >= tree.weights.shape[1]:
        raise ValueError(f"'feature' must be -1 or a column (< {tree.weights.shape[1]}).")
    if ((tree.plane >= 0) & (tree.feature >= 0)).any():
        raise ValueError("A node must not have both a 'plane' and a 'feature'.")
    if not (0 <= tree.shrinkage < np.inf) or (tree.counts < 0).any():
        raise ValueError("'counts' and 'shrinkage' must be finite and >= 0.")
    if not 0 < tree.power < np.inf:
        raise ValueError("'power' must be finite and > 0.")
    with np.errstate(over="ignore"):
        mass = tree.counts.sum(axis=1)
    if tree.counts.shape[1] < 1 or not np.isfinite(mass).all():
        raise ValueError("'counts' must have a column per class and a finite sum.")
    inner = tree.is_inner
    expected = np.flatnonzero(inner) + 1
    if not np.array_equal(tree.left[inner], expected) or (tree.left[~inner] != -1).any():
        raise ValueError("'left' must be the next node at inner nodes and -1 at leaves.")
    if not _right_fits(tree, inner):
        raise ValueError("'right' must be the node after the left subtree, -1 at leaves.")


def _right_fits(tree, inner):
    """Whether walking in preorder meets every right child where `right` says it stands."""
    waiting = []
    for node in range(len(inner)):
        if inner[node]:
            waiting.append(node)
        else:
            if tree.right[node] != -1:
                return False
            if waiting and node + 1 == len(inner):
                return False
            if not waiting:
                return node + 1 == len(inner)
            if tree.right[waiting.pop()] != node + 1:
                return False
    return False
