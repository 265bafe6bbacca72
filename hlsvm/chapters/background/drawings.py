"""The figures of Thesis chapter 2, each from its table."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from hlsvm.reproduce import (
    CLASSES,
    draw_boundary,
    draws,
    label,
    legend,
    scatter_classes,
    shared_legend,
)
from hlsvm.reproduce.diagrams import draw_boxes

_RED = "#D55E00"


def _points(axes, points, size=14) -> None:
    scatter_classes(axes, points[["x1", "x2"]], points.y, size=size)


def draw_line(axes, row, level=0.0, **look) -> None:
    """Draw the part of w.x + b = level inside the axes as they are."""
    w = np.array([row.w1, row.w2])
    foot = (level - row.b) * w / (w @ w)
    axes.axline(
        foot, foot + np.array([-w[1], w[0]]), **{"color": "#404040", "linewidth": 1.3, **look}
    )


def plane_panels(titles, height: float, **shared):
    """Return a figure, and planes in a row by their titles, with named axes."""
    shape = {"figsize": (10, height), "sharex": True, "sharey": True, "squeeze": False}
    fig, grid = plt.subplots(1, len(titles), **shape | shared)
    for axes, title in zip(grid[0], titles, strict=True):
        label(axes, "$x_1$", "$x_2$" if axes is grid[0, 0] else "", title)
    return fig, dict(zip(titles, grid[0], strict=True))


@draws("Thesis.Fig2.1")
def underfitting_and_overfitting(table):
    """Draw points with the boundaries of a line, a curve and a quadratic, panel by panel."""
    looks = {
        "line": {"color": "black", "linestyle": "--"},
        "curve": {"color": _RED, "linestyle": "-"},
        "right": {"color": "#009E73", "linestyle": "-.", "linewidth": 2.2},
    }
    fig, panels = plane_panels(table["points"].panel.unique(), 3.8)
    for panel, axes in panels.items():
        _points(axes, table["points"][table["points"].panel == panel])
        lines = table["boundaries"][table["boundaries"].panel == panel]
        for model, pieces in lines.groupby("model", sort=False):
            draw_boundary(axes, pieces, label=model, **looks[model])
        axes.set(xlim=(-1, 1), ylim=(-1, 1))
    handles, names = fig.axes[1].get_legend_handles_labels()
    fig.legend(handles[2:], names[2:], loc="outside lower center", ncols=3)
    return fig


@draws("Thesis.Fig2.2")
def shattering(table):
    """Draw the eight labellings of three points, each with a line that separates it."""
    fig, panels = plt.subplots(2, 4, figsize=(10, 4.6))
    for axes, (_, case) in zip(panels.flat, table.groupby("labelling"), strict=True):
        row = case.iloc[0]
        for point in case.itertuples():
            look = CLASSES[int(point.y > 0)]
            axes.plot(point.x1, point.x2, look["marker"], color=look["color"], ms=9, mew=2.2)
        draw_line(axes, row)
        w = np.array([row.w1, row.w2])
        foot, unit = -row.b * w / (w @ w), w / np.linalg.norm(w)
        axes.annotate("", foot + 0.35 * unit, foot, arrowprops={"arrowstyle": "->"})
        axes.set(xlim=(-1.3, 1.3), ylim=(-1.6, 1.2), aspect="equal")
        axes.set_axis_off()
    return fig


@draws("Thesis.Fig2.3")
def vc_tradeoff(table):
    """Draw empirical risk, VC confidence and their sum against the VC dimension."""
    fig, axes = plt.subplots()
    looks = {
        "empirical_risk": ("#0072B2", "o-", "empirical risk"),
        "vc_confidence": ("#E69F00", "s--", "VC confidence"),
        "bound": ("black", "^-", "their sum, the bound"),
    }
    for name, (shade, style, text) in looks.items():
        axes.plot(table.vc_dimension, table[name], style, color=shade, label=text)
    best = table.loc[table.bound.idxmin()]
    axes.axvline(best.vc_dimension, color="#8A8A8A", linewidth=1)
    axes.annotate(f" smallest at degree {best.degree:.0f}", (best.vc_dimension, 0.02))
    axes.set_ylim(0)
    label(axes, "VC dimension", "risk")
    legend(axes)
    return fig


@draws("Thesis.Fig1.1")
@draws("Thesis.Fig2.4")
@draws("Thesis.Fig2.11")
def diagram(table, *, height=1.7):
    """Draw boxes and arrows: rows with a place are boxes, rows with ``to`` are arrows.

    A column ``word`` names arrows; `height` is that of a panel in inches.
    """
    panels = table.panel.unique()
    fig, grid = plt.subplots(len(panels), 1, figsize=(10, height * len(panels)), squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=True):
        rows = table[table.panel == panel]
        is_box = rows.x.notna()
        boxes = {
            row["name"]: (row.x, row.y, str(row.text).replace("/", "\n"), row.kind)
            for _, row in rows[is_box].iterrows()
        }
        links = rows[~is_box].assign(word=rows.get("word", "")).fillna({"word": ""})
        arrows = [(row["name"], row.to, row.word, row.bend) for _, row in links.iterrows()]
        draw_boxes(axes, boxes, arrows, title=panel if len(panels) > 1 else "")
    return fig


@draws("Thesis.Fig2.7")
def three_boundaries(table):
    """Draw the same points cut by a line, along the axes and by a curve."""
    fig, panels = plane_panels(table["boundaries"].panel.unique(), 3.6)
    for name, axes in panels.items():
        _points(axes, table["points"], 10)
        draw_boundary(axes, table["boundaries"][table["boundaries"].panel == name])
    return fig


@draws("Thesis.Fig2.8")
def margins(table):
    """Draw two lines that separate the points, each with the band up to its nearest point."""
    fig, panels = plane_panels(table["lines"].line, 4)
    for axes, row in zip(panels.values(), table["lines"].itertuples(), strict=True):
        _points(axes, table["points"], 20)
        draw_line(axes, row)
        reach = row.margin * np.hypot(row.w1, row.w2)
        for level in (-reach, reach):
            draw_line(axes, row, level, linestyle=":")
    return fig


@draws("Thesis.Fig2.9")
def slacks(table):
    """Draw hard and soft margin: support vectors circled, slacks as red lines to the margin."""
    fig, panels = plane_panels(table["lines"].panel, 4)
    for (name, axes), row in zip(panels.items(), table["lines"].itertuples(), strict=True):
        points = table["points"][table["points"].panel == name]
        _points(axes, points, 20)
        for level in (-1, 0, 1):
            draw_line(axes, row, level, linestyle="-" if level == 0 else ":")
        w = np.array([row.w1, row.w2])
        support = points[points.alpha > 0]
        ring = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.1}
        axes.scatter(support.x1, support.x2, s=90, **ring)
        for point in points[points.slack > 1e-3].itertuples():
            end = np.array([point.x1, point.x2]) + point.y * point.slack * w / (w @ w)
            axes.plot([point.x1, end[0]], [point.x2, end[1]], color=_RED, linewidth=1)
    return fig


@draws("Thesis.Fig2.10")
def quadratic_map(table):
    """Draw a disc in the plane, and its image, which a plane cuts off."""
    fig = plt.figure(figsize=(10, 4.2))
    places = fig.add_gridspec(1, 2, width_ratios=[1, 1.3])
    flat, deep = fig.add_subplot(places[0]), fig.add_subplot(places[1], projection="3d")
    _points(flat, table["points"])
    angle = np.linspace(0, 2 * np.pi, 200)
    flat.plot(np.cos(angle), np.sin(angle), color="#404040")
    flat.set_aspect("equal")
    label(flat, "$x_1$", "$x_2$", "input space")
    for look, (_, part) in zip(CLASSES, table["points"].groupby("y"), strict=True):
        deep.scatter(part.z1, part.z2, part.z3, c=look["color"], marker=look["marker"], s=14)
    w1, w2, w3, b = table["plane"].iloc[0]
    first, third = np.meshgrid(np.linspace(0, 2.2, 2), np.linspace(-2.2, 2.2, 2))
    deep.plot_surface(first, -(b + w1 * first + w3 * third) / w2, third, alpha=0.3, color="#8A8A8A")
    deep.set(xlabel="$x_1^2$", ylabel="$x_2^2$", xlim=(0, 2.2), ylim=(0, 2.2), title="image")
    deep.set_zlabel(r"$\sqrt{2}\,x_1x_2$")
    deep.set(xticks=[0, 1, 2], yticks=[0, 1, 2], zticks=[-2, 0, 2])
    deep.view_init(elev=8, azim=-40)  # along the plane: the classes stand on its two sides
    deep.set_box_aspect(None, zoom=0.9)
    return fig


@draws("Thesis.Fig2.12")
def tree_and_partition(table):
    """Draw a tree of four questions and the five regions that it makes."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[1.3, 1])
    nodes = table["nodes"].fillna("")
    boxes = {row.node: (row.x, row.y, row.text, row.kind) for row in nodes.itertuples()}
    words = {"left": "yes  ", "right": "  no"}
    arrows = [(row.parent, row.node) for row in nodes.itertuples() if row.parent]
    draw_boxes(left, boxes, arrows)
    for row in nodes[nodes.parent != ""].itertuples():
        x, y = (np.array(boxes[row.node][:2]) + boxes[row.parent][:2]) / 2
        side = "right" if row.side == "left" else "left"
        left.text(x, y, words[row.side], ha=side, va="center", fontsize=9)
    fills = ("#CFE3F1", "#FBEBCB", "#FFFFFF", "#E5E5E5", "#CFEBDD")
    for fill, row in zip(fills, table["regions"].itertuples(), strict=True):
        corner = (row.x1, row.x2)
        right.add_patch(Rectangle(corner, row.width, row.height, fc=fill, ec="black"))
        middle = row.x1 + row.width / 2, row.x2 + row.height / 2
        right.text(*middle, f"${row.leaf[0]}_{row.leaf[1]}$", ha="center", va="center")
    right.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    right.grid(visible=False)
    label(right, "$x_1$", "$x_2$")
    return fig


@draws("Thesis.Fig2.13")
@draws("HLSVM.Fig1")
def two_splits(table):
    """Draw two splits of one node, with the class counts of their children."""
    fig, panels = plt.subplots(1, 2, figsize=(10, 3.4), sharey=True)
    for axes, (name, rows) in zip(panels, table.groupby("split", sort=False), strict=True):
        place = range(len(rows))
        for k, column, floor in ((1, "positive", 0), (0, "negative", rows.positive)):
            shade = CLASSES[k]["color"]
            axes.bar(place, rows[column], 0.6, bottom=floor, color=shade, label=column)
        for k, (up, down) in enumerate(zip(rows.positive, rows.negative, strict=True)):
            axes.text(k, up + down + 60, f"{up} : {down}", ha="center")
        axes.set_xticks(place, [f"child {k + 1}" for k in place])
        axes.set_title(f"split {name}")
    panels[0].set(ylabel="samples", ylim=(0, 3600))
    shared_legend(fig, panels[:1], 2)
    return fig
