"""Figures 6.1 to 6.6 of the Thesis, each from its table; published points are hollow."""

import matplotlib.pyplot as plt
import numpy as np

from hlsvm.reproduce import draws, label, line, shared_legend
from hlsvm.reproduce.diagrams import draw_boxes

_METHODS = ("Linear SVM", "Nonlinear SVM", "H-LSVM", "H-LSVM, all rows")
_PLACES = {
    "data": (0, 1, "data"),
    "rank": (1.4, 1, "step"),
    "some": (2.8, 1, "data"),
    "linear": (4.4, 1.8, "choice"),
    "kernel": (4.4, 1.0, "choice"),
    "tree": (4.4, 0.2, "choice"),
    "label": (5.8, 1.0, "data"),
}


@draws("Thesis.Fig6.1")
def system(table):
    """Draw the ranking and three classifiers behind it: rows with a text are boxes."""
    fig, axes = plt.subplots(figsize=(10, 2.6))
    is_box = table.text.notna()
    boxes = {
        row["from"]: (*_PLACES[row["from"]][:2], row.text, _PLACES[row["from"]][2])
        for _, row in table[is_box].iterrows()
    }
    draw_boxes(axes, boxes, [(row["from"], row.to) for _, row in table[~is_box].iterrows()])
    return fig


def _look(method: str, source: str) -> dict:
    look = line(method.partition(",")[0])
    if method.endswith("all rows"):
        look |= {"linestyle": "-.", "label": method, "marker": "^"}
    if source == "published":
        look |= {"mfc": "none", "linewidth": 0.7, "label": f"{look['label']}, published"}
    return look


def _series(table, quantity: str):
    """Yield method, source and rows of every curve that has numbers; ours first."""
    if "source" not in table:
        table = table.assign(source="here")
    for source in ("here", "published"):
        for method in _METHODS:
            part = table[(table.source == source) & (table.method == method)]
            if part[quantity].notna().any():
                yield method, source, part.sort_values("n_features")


def _curves(axes, table, quantity: str, *, base: bool = False) -> None:
    """Draw a quantity against the features; `base`: that of our SVMs with all as a level."""
    for method, source, part in _series(table, quantity):
        look = _look(method, source)
        axes.plot(part.n_features, part[quantity], **look)
        if base and source == "here" and not method.startswith("H-LSVM"):
            axes.axhline(part[quantity].iloc[-1], color=look["color"], linewidth=0.8, alpha=0.6)


def _most(axes, table, quantity: str) -> None:
    """Draw what the dearest decision of the tree takes."""
    for method, source, part in _series(table, quantity):
        if source == "here" and method == "H-LSVM":
            shade = _look(method, source)["color"]
            axes.plot(part.n_features, part[quantity], ":", color=shade, label="H-LSVM, at most")


def _pair(table, quantities: dict, *, base: bool = False):
    """Return a figure of two quantities, side by side, against the number of features."""
    fig, panels = plt.subplots(1, 2, figsize=(10, 4.6))
    for axes, (name, words) in zip(panels, quantities.items(), strict=True):
        _curves(axes, table, name, base=base)
        label(axes, "features", words)
    return fig, panels


@draws("Thesis.Fig6.2")
def error_and_operations(table):
    """Draw error, and operations per decision with the most of the tree, on log axes."""
    table = table.assign(operations_max=table.hyp_max * table.n_features)
    words = {"error_pct": ("test error", "%"), "operations": "operations per decision"}
    fig, panels = _pair(table, words, base=True)
    _most(panels[1], table, "operations_max")
    for axes in panels:
        axes.set_yscale("log")
    shared_legend(fig, fontsize=9)
    return fig


@draws("Thesis.Fig6.3", first=("RE", "relative error RE"), second=("RCC", "relative cost RCC"))
@draws(
    "Thesis.Fig6.5",
    first=("RTT", "relative training time RTT"),
    second=("RCT", "relative decision time RCT"),
)
def relative(table, first, second):
    """Draw two relative measures; costs on an axis that is linear near zero."""
    fig, panels = _pair(table, dict([first, second]))
    for axes, (name, words) in zip(panels, (first, second), strict=True):
        for level in (0, 1):
            axes.axhline(level, color="#404040", linewidth=0.8)
        if name != "RE":
            axes.set_yscale("symlog", linthresh=1e-4)
            axes.set_ylabel(f"{words} (linear within ±0.0001)")
    if "RCC_max" in table:
        _most(panels[1], table, "RCC_max")
    shared_legend(fig, fontsize=9)
    return fig


@draws("Thesis.Fig6.4")
def seconds(table):
    """Draw training time and time per decision on log axes."""
    words = {"train_s": ("training", "s"), "test_s_per_pattern": ("time per decision", "s")}
    fig, panels = _pair(table, words, base=True)
    for axes in panels:
        axes.set_yscale("log")
    shared_legend(fig, fontsize=9)
    return fig


@draws("Thesis.Fig6.6")
def error_against_operations(table):
    """Draw every system by operations and error."""
    fig, axes = plt.subplots(figsize=(10, 5))
    full = table.n_features.max()
    for method, source, part in _series(table, "operations"):
        look = _look(method, source) | {"linewidth": 0.6}
        axes.plot(part.operations, part.error_pct, **look, markersize=6)
        whole = part[part.n_features == full]
        axes.plot(whole.operations, whole.error_pct, **look | {"label": None}, markersize=13)
        for row in part[np.isfinite(part.operations_max)].itertuples():
            ends = [row.operations, row.operations_max], [row.error_pct] * 2
            axes.plot(*ends, ":", color=look["color"], zorder=0)
    axes.set(xscale="log", yscale="log")
    label(axes, "operations per decision", ("test error", "%"))
    shared_legend(fig, fontsize=9)
    return fig
