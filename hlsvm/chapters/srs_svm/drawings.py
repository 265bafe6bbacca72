"""The figures of the SRS-SVM paper, each from its table."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import NullFormatter

from hlsvm.chapters.background.drawings import diagram, draw_line, plane_panels
from hlsvm.reproduce import (
    CLASSES,
    color,
    draw_boundary,
    draws,
    label,
    line,
    published,
    scatter_classes,
    shared_legend,
)

for _id in ("SRS.Fig1", "SRS.Fig3", "SRS.Fig4"):
    draws(_id)(diagram)
_RING = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.8}
_SHADES = (  # of subclasses, by class
    ("#0072B2", "#56B4E9", "#332288", "#44AA99", "#003B5C", "#8AB8D6"),
    ("#E69F00", "#8A6000", "#D55E00", "#DDCC77", "#882255", "#B35900"),
)
_H = {  # line, marker and colour of SRS-SVM, by h
    2: ("-.", "s", "#44AA99"),
    5: ("-", ">", "#0072B2"),
    15: ("--", "P", "#56B4E9"),
    20: (":", "*", "#332288"),
}


def _points(axes, rows, size=6) -> None:
    scatter_classes(axes, rows[["x1", "x2"]], rows.y, size=size, labels=("class −", "class +"))


def _extent(axes, rows, equal=True) -> None:
    for limits, x in ((axes.set_xlim, rows.x1), (axes.set_ylim, rows.x2)):
        pad = 0.05 * np.ptp(x)
        limits(x.min() - pad, x.max() + pad)
    if equal:
        axes.set_aspect("equal")


def _lines(axes, rows, width=0.9) -> None:
    for row in rows.itertuples():
        draw_line(axes, row, linewidth=width, alpha=0.7)


def _both_boundaries(axes, rows) -> None:
    """Draw the boundary of SRS-SVM as a line and that of LIBSVM dashed over it."""
    looks = {"SRS-SVM": {"linewidth": 2.2}, "LibSVM": {"linestyle": (0, (4, 2))}}
    for method, look in looks.items():
        shade = color(method)
        pieces = rows[rows.method == method]
        draw_boundary(axes, pieces, **{"color": shade, "linewidth": 1.4, **look, "label": method})


def _subclasses(axes, rows) -> None:
    for (_, of_class), shades, look in zip(rows.groupby("y"), _SHADES, CLASSES, strict=True):
        for k, part in of_class.groupby("subclass"):
            shade = shades[int(k) % len(shades)]
            axes.scatter(part.x1, part.x2, s=9, color=shade, marker=look["marker"], linewidths=0.9)


@draws("SRS.Fig2")
def idea(table):
    """Draw the subclasses with a line for every pair, and what these lines keep."""
    points, kept = table["points"], table["points"].query("kept == 1")
    h = int(table["numbers"].h.iloc[0])
    names = f"{len(table['lines'])} pairs, h = {h}", f"{len(kept)} of {len(points)} samples kept"
    fig, panels = plane_panels(names, 4.8)
    first, second = panels.values()
    _subclasses(first, points)
    _lines(first, table["lines"], 0.6)
    _points(second, points)
    second.scatter(kept.x1, kept.x2, s=40, **_RING)
    draw_boundary(second, table["boundaries"].query("method == 'SRS-SVM'"))
    for axes in (first, second):
        _extent(axes, points)
    return fig


@draws("SRS.Fig9", rows=2, size=14)
@draws("SRS.Fig10", rows=4, size=4)
def step_by_step(table, rows, size):
    """Draw samples, lines between pairs, candidates, and the boundaries beside LIBSVM's."""
    points, kept = table["points"], table["points"].query("kept == 1")
    row = table["numbers"].iloc[0]
    fig, grid = plt.subplots(rows, 4 // rows, figsize=(10, 8.6), sharex=True, sharey=True)
    first, second, third, last = grid.flat
    _points(first, points, 4)
    _subclasses(second, points)
    _lines(second, table["lines"])
    for axes in (third, last):
        _points(axes, kept, size)
    _both_boundaries(last, table["boundaries"])
    names = (
        f"(a) {len(points)} samples",
        f"(b) subclasses and {len(table['lines'])} lines, h = {row.h:.0f}",
        f"(c) {len(kept)} candidates",
        f"(d) {row.srs_accuracy_pct:.2f} % right, LIBSVM {row.libsvm_accuracy_pct:.2f} %",
    )
    for axes, name in zip(grid.flat, names, strict=True):
        _extent(axes, points)
        place = axes.get_subplotspec()
        x, y = "$x_1$" if place.is_last_row() else "", "$x_2$" if place.is_first_col() else ""
        label(axes, x, y, name)
    shared_legend(fig, [first, last], 9, markerscale=2)
    return fig


@draws("SRS.Fig7")
def generated_sets(table):
    """Draw three sets side by side and the wide one below them."""
    *first, wide = table.set.unique()
    rooms = [first, [wide] * len(first)]
    fig, panels = plt.subplot_mosaic(rooms, figsize=(10, 6.4), height_ratios=[1.6, 1])
    for name, axes in panels.items():
        rows = table[table.set == name]
        _points(axes, rows, 4)
        axes.set_aspect("equal", adjustable="datalim")  # panels keep their places
        y = "$x_2$" if name in (first[0], wide) else ""
        label(axes, "$x_1$", y, f"{name}, n = {rows.n.iloc[0]}")
    shared_legend(fig, [panels[wide]], markerscale=2)
    return fig


@draws("SRS.FigA.15")
def many_subclasses(table):
    """Draw the sets with many subclasses."""
    fig, panels = plane_panels(table.set.unique(), 4, sharex=False, sharey=False)
    for name, axes in panels.items():
        rows = table[table.set == name]
        _points(axes, rows, 2)
        _extent(axes, rows, equal=False)
        axes.set_box_aspect(1)
        drawn = f", {len(rows)} drawn" if len(rows) < rows.n.iloc[0] else ""
        axes.set_title(f"{name}, n = {rows.n.iloc[0]}{drawn}", fontsize=10)
    shared_legend(fig, fig.axes[:1], markerscale=2)
    return fig


@draws("SRS.Fig11")
def two_boundaries(table):
    """Draw the boundaries of LIBSVM and SRS-SVM over each other, set by set."""
    alike = table["agreement"].set_index("set").decided_alike_pct
    fig, panels = plane_panels(alike.index, 4.2, sharex=False, sharey=False)
    for name, axes in panels.items():
        points = table["points"][table["points"].set == name]
        _points(axes, points, 3)
        _both_boundaries(axes, table["boundaries"][table["boundaries"].set == name])
        _extent(axes, points)
        axes.set_title(f"{name}: {alike[name]:.2f} % decided alike")
    shared_legend(fig, fig.axes[:1], markerscale=2)
    return fig


def _printed_times() -> pd.DataFrame:
    """Return the printed seconds that can be drawn: set, n, h (0 for LIBSVM), seconds."""
    circles = published("SRS.Tab1")
    rows = [("2CC", row.n_instances, 0, row.libsvm_train_s) for row in circles.itertuples()]
    texts = published("SRS.Text").set_index("id").value
    places = {8: ("XOR", 800, 0), 9: ("XOR", 800, 2), 13: ("SR", 4500, 0), 14: ("SR", 4500, 5)}
    places |= {18 + k: ("SR", 9000, h) for k, h in enumerate((0, 5, 15, 20))}
    rows += [(*place, texts[f"SRS.text{k:03d}"]) for k, place in places.items()]
    table = pd.DataFrame(rows, columns=["dataset", "n", "h", "train_s"])
    return table.astype({"n": float, "h": int, "train_s": float})


def _look(h: int) -> dict:
    if h == 0:
        return line("LibSVM", label="LIBSVM")
    style, marker, shade = _H[h]
    return {"linestyle": style, "marker": marker, "color": shade, "label": f"SRS-SVM, h = {h}"}


@draws("SRS.Fig12")
@draws("SRS.Fig13")
def training_time(table):
    """Draw training time against the number of samples; hollow marks are the printed seconds."""
    names = table.dataset.unique()
    width = 10 if len(names) > 1 else 6.4
    fig, grid = plt.subplots(1, len(names), figsize=(width, 4.2), squeeze=False, sharey=True)
    printed = _printed_times()
    for axes, name in zip(grid[0], names, strict=True):
        for h, part in table[table.dataset == name].groupby("h"):
            axes.plot(part.n, part.train_s, **_look(h))
        for h, part in printed[printed.dataset == name].groupby("h"):
            what = "printed (hollow)" if h in set(table.h) else f"printed, h = {h}"
            look = {**_look(h), "linestyle": "none", "mfc": "none", "label": what}
            axes.plot(part.n, part.train_s, **look)
        axes.set(xscale="log", yscale="log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        y = ("time with search", "s") if axes is grid[0, 0] else ""
        label(axes, "training samples", y, name)
    shared_legend(fig, grid[0], 9 if len(names) > 1 else 3)
    return fig


@draws("SRS.Fig6")
def hierarchy(table):
    """Draw the tree of HSRS-SVM, leaves below."""
    fig, axes = plt.subplots(figsize=(10, 3.6))
    counts = table.groupby("level").node.size()
    rows = table.itertuples()
    place = {(row.level, row.node): (row.node + 0.5) / counts[row.level] for row in rows}
    for row in table[table.parent >= 0].itertuples():
        ends = place[row.level, row.node], place[row.level + 1, row.parent]
        axes.plot(ends, (row.level, row.level + 1), color="#B0B0B0", linewidth=0.8, zorder=0)
    for level, part in table.groupby("level"):
        across = [place[level, node] for node in part.node]
        marker, shade = ("s", color("Linear SVM")) if level == 1 else ("o", color("SRS-SVM"))
        axes.scatter(across, np.full(len(part), level), s=60, marker=marker, color=shade)
        what = "linear SVMs" if level == 1 else "kernel SVMs" if len(part) > 1 else "kernel SVM"
        axes.text(1.01, level, f"level {level}: {len(part)} {what}", va="center")
    axes.set(xlim=(0, 1.3), ylim=(0.7, counts.index.max() + 0.3))
    axes.set_axis_off()
    return fig


def _square(table, quantity) -> pd.DataFrame:
    rules = list(dict.fromkeys(table.mu_rule))
    values = table.assign(value=pd.to_numeric(table[quantity], errors="coerce"))
    return values.pivot(index="h", columns="mu_rule", values="value").sort_index()[rules]


def heat_maps(table, id):
    """Draw a table of h and mu: accuracy as printed and ours, and our seconds."""
    theirs = published(id)
    theirs = theirs.assign(h=pd.to_numeric(theirs.h))
    panels = {
        "accuracy (%), printed": _square(theirs, "accuracy_pct"),
        "accuracy (%), ours": _square(table, "accuracy_pct"),
        "training time (s), ours": _square(table, "train_s"),
    }
    fig, grid = plt.subplots(1, 3, figsize=(10, 4.8), sharey=True)
    right = pd.concat(list(panels.values())[:2]).stack()
    for axes, (name, square) in zip(grid, panels.items(), strict=True):
        accuracy = name.startswith("accuracy")
        limits = {"vmin": right.min(), "vmax": right.max()} if accuracy else {}
        shades = "viridis" if accuracy else "magma_r"
        picture = axes.imshow(square, aspect="auto", cmap=shades, **limits)
        for (down, across), number in np.ndenumerate(square.to_numpy()):
            if np.isfinite(number):
                red, green, blue, _ = picture.cmap(picture.norm(number))
                ink = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else "black"
                axes.text(across, down, f"{number:.1f}", ha="center", va="center", color=ink,
                          fontsize=8)  # fmt: skip
        axes.set_xticks(range(square.shape[1]), [f"${rule}$" for rule in square], rotation=45)
        axes.set_yticks(range(len(square)), square.index)
        axes.grid(visible=False)
        label(axes, "$\\mu$, rounded up", "h" if axes is grid[0] else "", name)
    return fig
