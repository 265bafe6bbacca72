"""The figures of Thesis chapter 4, each from its table."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from hlsvm.chapters.background.drawings import diagram
from hlsvm.reproduce import (
    CLASSES,
    color,
    draws,
    label,
    legend,
    line,
    scatter_classes,
    shared_legend,
    size,
)

_OURS = "#D55E00"

draws("Thesis.Fig4.2", height=3.4)(diagram)


@draws("Thesis.Fig4.1")
def disc(table):
    """Draw the disc in the plane, and its one good feature beside it."""
    fig, (left, right) = plt.subplots(1, 2, figsize=size(columns=2, ratio=0.8))
    names = ("norm < 0.5", "norm > 0.5")
    scatter_classes(left, table[["x1", "x2"]], table.y, labels=names)
    left.set_aspect("equal")
    label(left, "$x_1$", "$x_2$", "no single feature separates")
    left.set_ylim(-1.08, 1.5)
    legend(left, loc="upper center", ncols=2)
    bins = np.linspace(0, 2, 41)
    for look, name in zip(CLASSES, (-1, 1), strict=True):
        right.hist(table.z[table.y == name], bins, color=look["color"], alpha=0.85)
    right.axvline(0.25, color="#404040", linestyle=":")
    label(right, "$z = x_1^2 + x_2^2$", "points", "one nonlinear feature does")
    return fig


@draws("Thesis.Fig4.3")
def two_directions(table):
    """Draw (a) the direction of linear FDA and (b) the level sets of the kernel direction."""
    fig, (left, right) = plt.subplots(1, 2, figsize=size(columns=2, ratio=0.8))
    points, fda, level = table["points"], table["fda"].iloc[0], table["kfda"]
    scatter_classes(left, points[["x1", "x2"]], points.y)
    ends = np.array([-1.3, 1.3])
    left.plot(fda.w1 * ends, fda.w2 * ends, color="#000000", linewidth=2.0)
    left.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal")
    label(left, "$x_1$", "$x_2$", f"(a) linear FDA direction, {fda.error_pct:.0f} % wrong")
    height = level.pivot(index="x2", columns="x1", values="level")
    ticks = height.columns, height.index, height
    shade = right.contourf(*ticks, levels=12, cmap="gray", alpha=0.45)
    right.contour(*ticks, levels=[0.0], colors="#000000", linewidths=2.0)
    scatter_classes(right, points[["x1", "x2"]], points.y, size=12)
    right.set_aspect("equal")
    fig.colorbar(shade, ax=right, label="projection (class means at -1 and +1)", shrink=0.85)
    wrong = table["errors"].kfda_error_pct[0]
    label(right, "$x_1$", "$x_2$", f"(b) KFDA level sets, {wrong:.0f} % wrong")
    return fig


@draws("Thesis.Fig4.4")
def times(table):
    """Draw processor seconds against the prior, one panel per size."""
    sizes = table.n.unique()
    figsize = size(columns=max(2, len(sizes)), ratio=0.9)
    fig, panels = plt.subplots(1, len(sizes), figsize=figsize, squeeze=False)
    ours = {"label": "one factorisation, both directions", "color": _OURS, "marker": "o"}
    looks = {
        "kfda_s": line("KFDA", label="Algorithm 3 (KFDA)"),
        "kqpfs_s": line("KQPFS", label="Algorithm 4 (KQPFS)"),
        "ours_s": line("KFDA", linestyle="-", **ours),
    }
    for axes, n in zip(panels[0], sizes, strict=True):
        rows = table[table.n == n].sort_values("prior")
        for name, look in looks.items():
            axes.plot(rows.prior, rows[name], **look)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.12 * rows[["kfda_s", "kqpfs_s"]].to_numpy().max())
        label(axes, "prior of the positive class", ("processor time", "s"), f"N = {n:,}")
    shared_legend(fig, panels[0][:1], 3)
    return fig


def draw_gaps(rows: pd.DataFrame):
    """Draw 1 - |cosine| between solutions against the condition number of W + mu I."""
    fig, axes = plt.subplots(figsize=size())
    pairs = {
        "gap_3_4": ("Algorithm 3 and Algorithm 4", color("KQPFS"), "D"),
        "gap_3_ours": ("Algorithm 3 and ours", _OURS, "o"),
    }
    for name, (text, shade, marker) in pairs.items():
        marks = {"marker": marker, "markersize": 4, "color": shade, "alpha": 0.7}
        gaps = np.maximum(rows[name], 1e-33)
        axes.loglog(rows.condition, gaps, linestyle="none", label=text, **marks)
    x = np.geomspace(rows.condition.min(), rows.condition.max())
    law = np.minimum(0.5 * (x * np.finfo(float).eps) ** 2, 1.0)
    axes.loglog(x, law, color="#404040", linestyle=":", label=r"$(\kappa\,\epsilon)^2 / 2$")
    axes.axhline(1e-10, color="#8A8A8A", linestyle="--", label="$10^{-10}$")
    label(axes, r"condition number $\kappa$ of $W + \mu I$", "1 - |cosine|")
    legend(axes)
    return fig
