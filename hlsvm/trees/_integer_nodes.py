"""What counts in integers: the nodes of a tree as integers, and which splits are worth counting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm.trees._forest import Forest


def decisive(forest: Forest) -> Forest:
    """Return a single tree without the splits whose sides answer alike; several trees as given."""
    if forest.kind != "one":
        return forest
    tree = forest.trees[0]
    first = np.arange(tree.n_nodes)  # leaf on the far left below every node
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.left[node] >= 0:
            first[node] = first[tree.left[node]]
    idle = tree.agreeing() & (tree.winner == tree.winner[first])
    return forest.with_trees([tree.collapse(idle)], forest.columns)


@dataclass
class Nodes:
    """Nodes of a tree in integers; arrays of shape (n_nodes,) but for `weights`.

    A row goes right where ``weights[plane] . q - cut * 2**shift > 0``, or ``q[feature] - cut > 0``.
    Where the absolute value is at most ``doubt`` (times ``2**shift`` for a hyperplane) rounding may
    have sent it to the wrong side. ``unit`` of these values are one of the tree's decision values.
    """

    weights: np.ndarray
    cut: np.ndarray
    doubt: np.ndarray
    unit: np.ndarray
