"""Drawings that several lessons share."""

from __future__ import annotations

import numpy as np

from hlsvm.reproduce.style import CLASSES


def draw_tree(axes, tree, *, text=None) -> None:
    """Draw a fitted tree of two classes: a box per node with its samples of each class.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    tree : HyperplaneTree
        Such as ``model.tree_``.
    text : dict of int to str, optional
        Text of a node instead of its counts.
    """
    place = _places(tree)
    for node in range(tree.n_nodes):
        x, level = place[node], -int(tree.depth[node])
        inner = tree.left[node] >= 0
        if inner:
            for child, side in ((tree.left[node], "−"), (tree.right[node], "+")):
                axes.plot([x, place[child]], [level, level - 1], color="#808080", lw=1, zorder=0)
                axes.text((x + place[child]) / 2, level - 0.5, side, fontsize=9, ha="center")
        fill = "white" if inner else CLASSES[tree.winner[node]]["fill"]
        counts = "\n".join(f"{count:.0f}" for count in tree.counts[node])
        words = (text or {}).get(node, counts)
        box = {"boxstyle": "round,pad=0.3", "fc": fill, "ec": "#404040", "lw": 0.8}
        axes.text(x, level, words, ha="center", va="center", fontsize=9, bbox=box)
    leaves = place[tree.left < 0]
    axes.set(xlim=(leaves.min() - 0.7, leaves.max() + 0.7), ylim=(-tree.depth.max() - 0.5, 0.5))
    axes.axis("off")


def _places(tree) -> np.ndarray:
    """Return where the nodes stand from left to right: leaves side by side, parents between."""
    place = np.zeros(tree.n_nodes)
    leaf = tree.left < 0
    place[leaf] = np.arange(leaf.sum())
    for node in range(tree.n_nodes - 1, -1, -1):
        if not leaf[node]:
            place[node] = (place[tree.left[node]] + place[tree.right[node]]) / 2
    return place
