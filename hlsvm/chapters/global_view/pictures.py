"""Figures 6.1 to 6.6 of the Thesis; each returns the figure and the numbers that are drawn."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from hlsvm.chapters.global_view.contest import HLSVM, LINEAR, RBF
from hlsvm.reproduce import color, label, legend, line, point, size
from hlsvm.reproduce.diagrams import draw_boxes

_SHOWN = (LINEAR, RBF, HLSVM)


def system():
    """Draw Figure 6.1: QPFS, then one of three classifiers."""
    fig, axes = plt.subplots(figsize=(8.6, 2.4), layout="constrained")
    boxes = {
        "data": (0, 1, "training data\n$N \\times 784$", "data"),
        "rank": (1.4, 1, "QPFS: rank\nthe features"),
        "some": (2.8, 1, "the first $m$\nfeatures", "data"),
        "linear": (4.4, 1.8, "linear SVM", "choice"),
        "kernel": (4.4, 1.0, "RBF SVM", "choice"),
        "tree": (4.4, 0.2, "H-LSVM", "choice"),
        "label": (5.8, 1.0, "label", "data"),
    }
    arrows = [("data", "rank"), ("rank", "some")]
    for name in ("linear", "kernel", "tree"):
        arrows += [("some", name), (name, "label")]
    return fig, draw_boxes(axes, boxes, arrows)


def _curves(axes, rows: pd.DataFrame, quantity: str, *, maximum: bool = False) -> None:
    for method in _SHOWN:
        some = rows[rows.method == method]
        axes.plot(some.n_features, some[quantity], **line(method))
    if maximum:
        some = rows[rows.method == HLSVM]
        most = some.n_features * some.hyp_max
        axes.plot(some.n_features, most, ":", color=color(HLSVM), label="H-LSVM, at most")


def _name_methods(fig, axes) -> None:
    """Name the curves once, below both panels."""
    fig.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)


def error_and_operations(rows: pd.DataFrame):
    """Draw Figure 6.2: error, and operations of a decision, against the number of features."""
    fig, (left, right) = plt.subplots(1, 2, figsize=size(columns=2), layout="constrained")
    _curves(left, rows, "error_pct")
    left.set_ylim(0)
    _curves(right, rows, "operations", maximum=True)
    right.set_yscale("log")
    label(left, "features", ("test error", "%"))
    label(right, "features", "operations of a decision")
    _name_methods(fig, right)
    return fig, _numbers(rows, "error_pct", "operations", "hyp_max")


def relative(rows: pd.DataFrame, first: tuple[str, str], second: tuple[str, str]):
    """Draw two relative measures, each ``(column, words)`` (Figures 6.3 and 6.5)."""
    fig, panels = plt.subplots(1, 2, figsize=size(columns=2), layout="constrained")
    for axes, (name, words) in zip(panels, (first, second), strict=True):
        _curves(axes, rows, name)
        for level in (0, 1):
            axes.axhline(level, color="#404040", linewidth=0.8)
        if name != "RE":
            axes.set_yscale("symlog", linthresh=1e-4)
        label(axes, "features", words)
    _name_methods(fig, panels[1])
    return fig, _numbers(rows, first[0], second[0])


def seconds(rows: pd.DataFrame):
    """Draw Figure 6.4: training time and time of a decision against the number of features."""
    fig, panels = plt.subplots(1, 2, figsize=size(columns=2), layout="constrained")
    names = {"train_s": ("training time", "s"), "test_s_per_pattern": ("time of a decision", "s")}
    for axes, (name, words) in zip(panels, names.items(), strict=True):
        _curves(axes, rows, name)
        axes.set_yscale("log")
        label(axes, "features", words)
    _name_methods(fig, panels[0])
    return fig, _numbers(rows, *names)


def error_against_operations(rows: pd.DataFrame, *, svm_at: int = 400, tree_at: int = 500):
    """Draw Figure 6.6: all systems by operations and error, with QPFS and without."""
    full, counts = rows.n_features.max(), sorted(rows.n_features.unique())
    fig, axes = plt.subplots(figsize=size(ratio=0.7))
    drawn = []
    for method, asked in ((LINEAR, svm_at), (RBF, svm_at), (HLSVM, tree_at)):
        near = min(counts, key=lambda count: abs(count - asked))
        for count, filled in ((near, True), (full, False)):
            row = rows[(rows.method == method) & (rows.n_features == count)].iloc[0]
            words = f"{method}, QPFS {count}" if filled else f"{method}, all {count}"
            look = point(method, label=words, markersize=9)
            face = look["color"] if filled else "white"
            axes.plot(row.operations, row.error_pct, **look, markerfacecolor=face)
            most = row.hyp_max * count if method == HLSVM else row.operations
            axes.plot([row.operations, most], [row.error_pct] * 2, ":", color=look["color"])
            drawn.append((method, count, row.operations, most, row.error_pct))
    axes.set_xscale("log")
    label(axes, "operations of a decision", ("test error", "%"))
    legend(axes)
    names = ["method", "n_features", "operations", "operations_max", "error_pct"]
    return fig, pd.DataFrame(drawn, columns=names)


def _numbers(rows: pd.DataFrame, *names: str) -> pd.DataFrame:
    some = rows[rows.method.isin(_SHOWN)]
    return some[["n_features", "method", *names]]
