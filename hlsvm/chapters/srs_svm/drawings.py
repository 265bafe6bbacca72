"""The drawings of the SRS-SVM paper: Figures 1, 3, 4 and 6."""

from __future__ import annotations

from math import ceil

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from hlsvm.reproduce import CLASSES, color, size

_HEIGHT = 0.62  # of a box
_PLAIN, _MARKED = "#F2F2F2", CLASSES[0]["fill"]

FAMILIES = pd.DataFrame(
    [
        ("training data", 0.0, 1, "step"),
        ("kernel matrix", 2.3, 1, "step"),
        ("solver", 4.6, 1, "step"),
        ("machine", 6.9, 1, "step"),
        ("model", 9.2, 1, "step"),
        ("fewer samples:\ncascade, DC-SVM, SRS-SVM", 0.6, 0, "family"),
        ("better solver:\ngradients, local linear", 4.1, 0, "family"),
        ("hardware:\ncores, clusters", 7.0, 0, "family"),
        ("incremental:\nmore data, same model", 9.6, 0, "family"),
    ],
    columns=["text", "x", "y", "kind"],
)
FAMILY_ARROWS = [(0, 1), (1, 2), (2, 3), (3, 4), (5, 0), (6, 2), (7, 3), (8, 4)]

STAGES = pd.DataFrame(
    [
        ("all n samples", 0.0, 1, "step"),
        ("kernel SVM solver\non n samples", 3.2, 1, "step"),
        ("model", 9.2, 1, "step"),
        ("all n samples", 0.0, 0, "step"),
        ("stage 1: candidates,\nlinear SVMs", 3.2, 0, "family"),
        ("stage 2: kernel SVM\non m << n samples", 6.3, 0, "family"),
        ("model", 9.2, 0, "step"),
    ],
    columns=["text", "x", "y", "kind"],
)
STAGE_ARROWS = [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)]

ESTIMATE = pd.DataFrame(
    [
        ("class +1", 0.0, 2, "step"),
        ("class -1", 0.0, 0, "step"),
        ("k-means:\nh subclasses", 2.5, 2, "family"),
        ("k-means:\nh subclasses", 2.5, 0, "family"),
        ("h x h pairs:\nlinear SVMs", 5.0, 1, "family"),
        ("union\n(SRS-SVM)", 7.6, 2, "family"),
        ("hierarchy\n(HSRS-SVM)", 7.6, 0, "family"),
        ("candidates", 9.9, 1, "step"),
    ],
    columns=["text", "x", "y", "kind"],
)
ESTIMATE_ARROWS = [(0, 2), (1, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 7), (6, 7)]


def draw_boxes(boxes: pd.DataFrame, arrows: list[tuple[int, int]]):
    """Draw boxes with text and arrows between them.

    Parameters
    ----------
    boxes : DataFrame
        ``text``, ``x``, ``y`` (centres), ``kind`` ("family" is shaded).
    arrows : list of (int, int)
        Rows of `boxes`: from, to.

    Returns
    -------
    matplotlib.figure.Figure
    """
    wide = 0.5 * (boxes.text.str.split("\n").map(lambda parts: max(map(len, parts))) * 0.115 + 0.35)
    n_rows = boxes.y.max() - boxes.y.min() + 1
    fig, axes = plt.subplots(figsize=(10.0, 1.0 + 0.95 * n_rows), layout="constrained")
    for box, half in zip(boxes.itertuples(), wide, strict=True):
        shade = _MARKED if box.kind == "family" else _PLAIN
        axes.add_patch(
            FancyBboxPatch(
                (box.x - half, box.y - _HEIGHT / 2),
                2 * half,
                _HEIGHT,
                boxstyle="round,pad=0.02",
                facecolor=shade,
                edgecolor="#404040",
            )
        )
        axes.text(box.x, box.y, box.text, ha="center", va="center", fontsize=9)
    for start, end in arrows:
        a, b = boxes.iloc[start], boxes.iloc[end]
        axes.add_patch(_arrow(a, b, wide[start], wide[end]))
    axes.set_xlim(float((boxes.x - wide).min()) - 0.1, float((boxes.x + wide).max()) + 0.1)
    axes.set_ylim(boxes.y.min() - 0.5, boxes.y.max() + 0.5)
    axes.set_axis_off()
    return fig


def _arrow(a, b, half_a, half_b):
    """Arrow from the edge of one box to the edge of another."""
    if a.y == b.y or abs(a.x - b.x) > half_a + half_b:
        to_right = 1 if b.x > a.x else -1
        ends = (a.x + to_right * half_a, a.y), (b.x - to_right * half_b, b.y)
    else:
        up = 1 if b.y > a.y else -1
        ends = (a.x, a.y + up * _HEIGHT / 2), (b.x, b.y - up * _HEIGHT / 2)
    return FancyArrowPatch(
        *ends, arrowstyle="-|>", mutation_scale=11, shrinkA=3, shrinkB=3, color="#404040"
    )


def hierarchy(h: int, mu: int) -> pd.DataFrame:
    """Nodes of HSRS-SVM: level l has ceil(h^2 / mu^(l - 1)) of them (section 5.2).

    Returns
    -------
    DataFrame
        ``level`` (1 = leaves), ``node`` and ``parent`` (place in the level above, -1 for the root).
        Which node goes to which parent is shuffled in a fit; here they go in order.
    """
    rows, level, count = [], 1, h * h
    while True:
        above = ceil(count / mu)
        rows += [(level, k, k // mu if count > 1 else -1) for k in range(count)]
        if count == 1:
            return pd.DataFrame(rows, columns=["level", "node", "parent"])
        level, count = level + 1, above


def draw_hierarchy(nodes: pd.DataFrame, mu: int):
    """Draw the tree of `hierarchy` (SRS-SVM Figure 6)."""
    fig, axes = plt.subplots(figsize=size(columns=2, ratio=0.5), layout="constrained")
    counts = nodes.groupby("level").node.size()
    place = {
        (row.level, row.node): (row.node + 0.5) / counts[row.level] for row in nodes.itertuples()
    }
    for row in nodes[nodes.parent >= 0].itertuples():
        ends = place[row.level, row.node], place[row.level + 1, row.parent]
        axes.plot(ends, (row.level, row.level + 1), color="#B0B0B0", linewidth=0.8, zorder=0)
    for level, part in nodes.groupby("level"):
        across = [place[level, node] for node in part.node]
        look = ("s", color("Linear SVM")) if level == 1 else ("o", color("SRS-SVM"))
        axes.scatter(across, np.full(len(part), level), s=60, marker=look[0], color=look[1])
        what = "linear SVMs" if level == 1 else "kernel SVMs" if len(part) > 1 else "kernel SVM"
        axes.text(1.01, level, f"level {level}: {len(part)} {what}", va="center", fontsize=9)
    axes.set_title(f"{counts[1]} pairs, $\\mu$ = {mu}")
    axes.set_xlim(0, 1.25)
    axes.set_axis_off()
    return fig
