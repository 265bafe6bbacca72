"""Thesis 2.3.3: a decision tree and its partition, impurity of a split, pruned branches."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Rectangle

from hlsvm.reproduce import legend
from hlsvm.reproduce.boxes import draw_boxes

# Regions of the tree of Figure 2.12: left, bottom, width, height in the unit square.
_REGIONS = {
    "R1": (0.0, 0.0, 0.4, 0.5),
    "R2": (0.0, 0.5, 0.4, 0.5),
    "R3": (0.4, 0.0, 0.6, 0.3),
    "R4": (0.4, 0.3, 0.35, 0.7),
    "R5": (0.75, 0.3, 0.25, 0.7),
}
_TREE = {
    "H0": (2.0, 3, "$H_0$: $x_1 \\leq 0.4$?"),
    "H1": (1.0, 2, "$H_1$: $x_2 \\leq 0.5$?"),
    "H2": (3.0, 2, "$H_2$: $x_2 \\leq 0.3$?"),
    "H3": (3.6, 1, "$H_3$: $x_1 \\leq 0.75$?"),
    "R1": (0.5, 1, "$R_1$", "data"),
    "R2": (1.5, 1, "$R_2$", "data"),
    "R3": (2.4, 1, "$R_3$", "data"),
    "R4": (3.1, 0, "$R_4$", "data"),
    "R5": (4.1, 0, "$R_5$", "data"),
}
_BRANCHES = [
    *(("H0", "H1", "yes"), ("H0", "H2", "no"), ("H1", "R1", "yes"), ("H1", "R2", "no")),
    *(("H2", "R3", "yes"), ("H2", "H3", "no"), ("H3", "R4", "yes"), ("H3", "R5", "no")),
]


def region_of(x1: float, x2: float) -> str:
    """Return the leaf of Figure 2.12 that a point falls into, by asking the questions.

    Examples
    --------
    >>> region_of(0.9, 0.9), region_of(0.1, 0.1)
    ('R5', 'R1')
    """
    if x1 <= 0.4:
        return "R1" if x2 <= 0.5 else "R2"
    if x2 <= 0.3:
        return "R3"
    return "R4" if x1 <= 0.75 else "R5"


def tree_and_partition():
    """Draw Figure 2.12: a tree with four questions and the five regions it makes.

    Returns
    -------
    figure, regions : DataFrame
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.4, 2.9), layout="constrained")
    draw_boxes(left, _TREE, _BRANCHES)
    for k, (name, (x, y, width, height)) in enumerate(_REGIONS.items()):
        fill = ("#CFE3F1", "#FBEBCB", "#FFFFFF", "#E5E5E5", "#CFEBDD")[k]
        right.add_patch(Rectangle((x, y), width, height, facecolor=fill, edgecolor="black"))
        right.text(x + width / 2, y + height / 2, f"$R_{name[1]}$", ha="center", va="center")
    right.set(xlim=(0, 1), ylim=(0, 1), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    right.grid(visible=False)
    columns = ["x1", "x2", "width", "height"]
    return fig, pd.DataFrame.from_dict(_REGIONS, orient="index", columns=columns).rename_axis(
        "leaf"
    )


def draw_splits(counts: pd.DataFrame):
    """Draw Figure 2.13: two splits of one node, class counts written on the children.

    Parameters
    ----------
    counts : DataFrame
        One row a child: ``split``, ``positive``, ``negative``.
    """
    fig, panels = plt.subplots(1, 2, figsize=(8.0, 2.8), layout="constrained", sharey=True)
    for axes, (name, rows) in zip(panels, counts.groupby("split", sort=False), strict=True):
        place = range(len(rows))
        axes.bar(place, rows.positive, 0.6, color="#E69F00", label="positive")
        axes.bar(place, rows.negative, 0.6, bottom=rows.positive, color="#0072B2", label="negative")
        for k, row in enumerate(rows.itertuples()):
            total = row.positive + row.negative
            axes.text(k, total + 60, f"{row.positive} : {row.negative}", ha="center", fontsize=9)
        axes.set_xticks(place, [f"child {k + 1}" for k in place])
        axes.set_title(f"split {name}")
    panels[0].set(ylabel="samples", ylim=(0, 3600))
    legend(panels[1])
    return fig


def branch_errors(tree) -> pd.DataFrame:
    """Compare every inner node of the smallest subtree with its branch (Proposition 2.2).

    Parameters
    ----------
    tree : HyperplaneTree
        Its smallest subtree with the same training error is taken first, as the proposition asks.

    Returns
    -------
    DataFrame
        ``node``, ``as_leaf`` (training samples wrong if the node were a leaf), ``branch`` (wrong
        in the leaves below it), ``leaves``.
    """
    from hlsvm.trees.pruning import weakest_links

    smallest = weakest_links(tree).subtree(0)
    own = smallest.counts.sum(axis=1) - smallest.counts.max(axis=1)
    below, leaves = own.copy(), (~smallest.is_inner).astype(int)
    for node in range(smallest.n_nodes - 1, -1, -1):
        if smallest.is_inner[node]:
            children = [smallest.left[node], smallest.right[node]]
            below[node], leaves[node] = below[children].sum(), leaves[children].sum()
    inner = smallest.is_inner.nonzero()[0]
    return pd.DataFrame(
        {"node": inner, "as_leaf": own[inner], "branch": below[inner], "leaves": leaves[inner]}
    )
