"""The figures of the DTSVM paper, each from its table."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullFormatter

from hlsvm.reproduce import (
    draw_boundary,
    draws,
    label,
    legend,
    point,
    scatter_classes,
    shared_legend,
)
from hlsvm.reproduce.diagrams import draw_boxes

# Quantity -> its axis with the unit, the scale, the methods that the paper leaves out.
_QUANTITIES = {
    "train_s": (("search and training", "processor s"), "log", ()),
    "speed_up": (("speed-up over LIBSVM", "factor"), "log", ("LIBSVM",)),
    "accuracy_pct": (("test accuracy", "%"), "linear", ()),
    "nesv": (("support vectors met", "mean"), "symlog", ("CART", "LIBLINEAR")),
    "nesv_ratio": (("LIBSVM's NESV over it", "factor"), "log", ("LIBSVM", "CART")),
}


def _panel(axes, table, quantity, names) -> None:
    """Draw one dot per data set and method, hollow where not all rows were searched."""
    title, scale, without = _QUANTITIES[quantity]
    shown = table[table[quantity].notna() & ~table.method.isin(without)]
    methods = list(dict.fromkeys(shown.method))
    for k, method in enumerate(methods):
        rows = shown[shown.method == method]
        y = rows.dataset.map(names.index) + 0.7 * ((k + 0.5) / len(methods) - 0.5)
        look = point(method, markersize=6)
        axes.plot([], [], **{**look, "label": method})
        for row, height in zip(rows.to_dict("records"), y, strict=True):
            full = row.get("basis", "all rows") == "all rows"
            value, spread = row[quantity], row.get(f"{quantity}_sd", np.nan)
            below = min(spread, value) if scale == "symlog" else min(spread, 0.9 * value)
            bars = {"xerr": [[below], [spread]] if spread > 0 else None, "elinewidth": 1}
            marks = {**look, "label": None, "mfc": None if full else "white"}
            axes.errorbar(value, height, **bars, **marks)
    if "majority_pct" in shown:
        share = shown.groupby("dataset").majority_pct.first()
        axes.plot(share, [names.index(name) for name in share.index], "|", color="#404040", ms=24)
    axes.set_xscale(scale)
    axes.xaxis.set_minor_formatter(NullFormatter())
    if scale == "symlog":
        axes.set_xlim(0, 1.7 * shown[quantity].max())
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    for border in range(1, len(names)):
        axes.axhline(border - 0.5, color="#D0D0D0", linewidth=0.8)
    axes.grid(visible=False, axis="y")
    label(axes, title, "")


def _sets(table, quantity) -> tuple[list[str], str]:
    """Return the data sets with numbers, and a line that names the others."""
    known = table[quantity].notna().groupby(table.dataset, sort=False).any()
    gaps = ", ".join(known.index[~known])
    return list(known.index[known]), f"not run: {gaps}" if gaps else ""


def _dots(tables, width: float):
    names = max((_sets(table, q)[0] for q, table in tables.items()), key=len)
    gaps = _sets(*reversed(next(iter(tables.items()))))[1]
    size = (width, 1.2 + 0.75 * max(2, len(names)))
    fig, grid = plt.subplots(1, len(tables), figsize=size, sharey=True, squeeze=False)
    for axes, (quantity, table) in zip(grid[0], tables.items(), strict=True):
        _panel(axes, table, quantity, names)
    shared_legend(fig, None, 7, loc="outside upper center")
    notes = [gaps] if gaps else []
    if any("basis" in t and (t.basis != "all rows").any() for t in tables.values()):
        notes.append("hollow: searched on a part of the rows")
    if any("majority_pct" in t for t in tables.values()):
        notes.append("stroke: share of the largest class")
    fig.supxlabel("; ".join(notes), fontsize=9)
    return fig


def draw_dots(table, *, quantity):
    """Draw one quantity of all methods and data sets."""
    return _dots({quantity: table}, 8)


def overview(tables):
    """Draw several quantities side by side: ``{quantity: table}``, for a notebook's page."""
    fig = _dots(tables, 10)
    for axes in fig.axes:
        axes.set_xlabel(axes.get_xlabel().replace(" (", "\n("), fontsize=9)
    plt.close(fig)  # a notebook shows what is returned, and not the same once more
    return fig


_LARGE = ("train_s", "accuracy_pct", "nesv")  # on the large sets
for _first, _quantities in ((4, _QUANTITIES), (9, _QUANTITIES), (14, _LARGE), (17, _LARGE)):
    for _number, _name in enumerate(_quantities, start=_first):
        draws(f"DTSVM.Fig{_number}", quantity=_name)(draw_dots)


@draws("DTSVM.Fig2", x="k")
@draws("DTSVM.Fig3", x="sigma_0")
def draw_settings(table, *, x):
    """Draw the test accuracy against k or sigma_0, as points above that at the paper's choice."""
    at, title = {"k": (5, "$k$"), "sigma_0": (1500, r"$\sigma_0$ (rows)")}[x]
    at = table.reference.iloc[0] if "reference" in table else at
    fig, axes = plt.subplots(figsize=(8, 4))
    names = list(dict.fromkeys(table.dataset))
    step = np.diff(sorted(table[x].unique())).min()
    for k, (name, marker) in enumerate(zip(names, "os^vDPX", strict=False)):
        rows = table[table.dataset == name]
        base = rows[rows[x] == at].test_accuracy_pct.iloc[0]
        spread = rows.get("difference_sd")
        place = rows[x] + 0.4 * step * ((k + 0.5) / len(names) - 0.5)
        look = {"marker": marker, "linewidth": 1.2, "elinewidth": 1, "capsize": 2}
        text = f"{name} ({base:.1f} %)"
        axes.errorbar(place, rows.test_accuracy_pct - base, yerr=spread, label=text, **look)
    axes.axhline(0, color="#8A8A8A", linewidth=1)
    axes.set_xticks(sorted(table[x].unique()))
    label(axes, title, (f"accuracy minus that at {at:g}", "points"))
    legend(axes, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4)
    return fig


def _leaves(nodes) -> dict[int, tuple[str, tuple[float, float, float, float]]]:
    """Return a letter and the box of every leaf, from left to right in the tree."""
    areas, stack = {}, [(0, (0.0, 1.0, 0.0, 1.0))]
    while stack:
        node, (left, right, low, high) = stack.pop()
        row = nodes.loc[node]
        if row.feature < 0:
            areas[node] = (chr(ord("A") + len(areas)), (left, right, low, high))
            continue
        cut = row.threshold
        below = (left, cut, low, high) if row.feature == 0 else (left, right, low, cut)
        above = (cut, right, low, high) if row.feature == 0 else (left, right, cut, high)
        stack += [(int(row.right), above), (int(row.left), below)]
    return areas


def _tree_boxes(nodes, leaves):
    """Return boxes and arrows of the tree: questions inside, an SVM or a class in each leaf."""
    boxes, arrows, order = {}, [], list(leaves)

    def place(node, depth):
        row = nodes.loc[node]
        if node in leaves:
            kind = f"class {row.label:g}" if row.homogeneous else "SVM"
            text = f"{leaves[node][0]}\n{kind}"
            boxes[node] = (order.index(node), -depth, text, "data" if row.homogeneous else "choice")
            return order.index(node)
        x = (place(int(row.left), depth + 1) + place(int(row.right), depth + 1)) / 2
        boxes[node] = (x, -depth, f"$x_{int(row.feature) + 1} < {row.threshold:.2f}$")
        arrows.extend([(node, int(row.left), "yes"), (node, int(row.right), "no")])
        return x

    place(0, 0)
    return boxes, arrows


@draws("DTSVM.Fig1")
def draw_architecture(table):
    """Draw the leaves of a DTSVM with the boundary of their SVMs, and the tree."""
    nodes = table["nodes"].set_index("node")
    leaves = _leaves(nodes)
    fig, (plane, tree) = plt.subplots(1, 2, figsize=(10, 4.6), width_ratios=[1, 1.2])
    scatter_classes(plane, table["points"][["x1", "x2"]], table["points"].y, size=5)
    draw_boundary(plane, table["boundary"], color="black", linewidth=2)
    for node, (letter, (left, right, low, high)) in leaves.items():
        pure = nodes.loc[node].homogeneous
        fill = "#E8E8E8" if pure else "none"
        corner = (left, low)
        plane.add_patch(Rectangle(corner, right - left, high - low, fc=fill, ec="#D55E00", lw=1.5))
        inside = (left + 0.03, high - 0.03)
        paper = {"fc": "white", "ec": "none", "pad": 1.5}
        plane.text(*inside, letter, ha="left", va="top", fontsize=10, bbox=paper)
    plane.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    label(plane, "$x_1$", "$x_2$")
    draw_boxes(tree, *_tree_boxes(nodes, leaves), fontsize=9)
    return fig
