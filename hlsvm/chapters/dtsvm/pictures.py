"""Pictures of the DTSVM paper; the numbers that are drawn come from `tables`."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from hlsvm.reproduce import color, label, legend, scatter_classes, size

TITLES = {
    "train_s": ("search and training", "processor s"),
    "speed_up": ("LIBSVM's seconds", "multiple"),
    "accuracy_pct": ("test accuracy", "%"),
    "nesv": "NESV, mean of the test rows",
    "nesv_ratio": ("NESV of LIBSVM", "multiple"),
}
_HATCH = {"Bagging": "///", "LASVM": "...", "RDSVM": "\\\\\\"}
_LEAST = 0.05  # drawn for a NESV of zero on the log scale


def draw_bars(table: pd.DataFrame, quantity: str, *, log: bool):
    """Draw one bar a set and method; a set without data keeps its place, named (Figs. 4-19)."""
    fig, axes = plt.subplots(figsize=size(columns=2, ratio=0.62), layout="constrained")
    names = list(dict.fromkeys(table.dataset))
    methods = [m for m in dict.fromkeys(table.method) if table[table.method == m][quantity].any()]
    width = 0.84 / max(1, len(methods))
    for k, method in enumerate(methods):
        rows = table[table.method == method].set_index("dataset")[quantity].reindex(names)
        height = rows.clip(lower=_LEAST) if log else rows
        place = np.arange(len(names)) + (k - (len(methods) - 1) / 2) * width
        look = {"color": color(method), "edgecolor": "black", "linewidth": 0.4}
        axes.bar(place, height, width, hatch=_HATCH.get(method), label=method, **look)
    ticks = [
        name if table[table.dataset == name][quantity].notna().any() else f"{name}\n(not run)"
        for name in names
    ]
    axes.set_xticks(np.arange(len(names)), ticks)
    if log:
        axes.set_yscale("log")
    else:
        low = np.nanmin(table[quantity].to_numpy(float))
        axes.set_ylim(max(0.0, 10 * np.floor(low / 10) - 5), 101)
    label(axes, "", TITLES[quantity])
    legend(axes, ncols=len(methods), loc="lower left", bbox_to_anchor=(0, 1.0), fontsize=9)
    return fig


def draw_settings(table: pd.DataFrame, x: str, title: str):
    """Draw test accuracy against k or sigma_0, one line a set (Figs. 2 and 3)."""
    fig, axes = plt.subplots(figsize=size(), layout="constrained")
    shades = plt.get_cmap("cividis")(np.linspace(0, 0.9, table.dataset.nunique()))
    marks = "osv^DPX"
    for k, (name, rows) in enumerate(table.groupby("dataset", sort=False)):
        axes.plot(rows[x], rows.test_accuracy_pct, marks[k], ls="-", color=shades[k], label=name)
    axes.set_xticks(sorted(table[x].unique()))
    axes.set_ylim(top=min(100.2, axes.get_ylim()[1]))
    label(axes, title, ("test accuracy", "%"))
    legend(axes, fontsize=9, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4)
    return fig


def _boxes(axes, tree):
    """Outline the leaves of a tree on two features."""
    stack = [(0, (0.0, 1.0, 0.0, 1.0))]
    while stack:
        node, (left, right, bottom, top) = stack.pop()
        f, cut = tree.feature[node], tree.threshold[node]
        if f < 0:
            pure = tree.is_homogeneous[node]
            shade = "#E8E8E8" if pure else "none"
            axes.add_patch(
                plt.Rectangle(
                    (left, bottom), right - left, top - bottom, fc=shade, ec="black", lw=1.2
                )
            )
            kind = "label" if pure else "SVM"
            axes.text((left + right) / 2, (bottom + top) / 2, kind, ha="center", fontsize=9)
        else:
            low = (left, cut, bottom, top) if f == 0 else (left, right, bottom, cut)
            high = (cut, right, bottom, top) if f == 0 else (left, right, cut, top)
            stack += [(tree.left[node], low), (tree.right[node], high)]


def leaves(model) -> pd.DataFrame:
    """Return what `draw_architecture` draws: the nodes of the tree."""
    tree = model.tree_
    return pd.DataFrame(
        {
            "node": np.arange(len(tree.feature)),
            "feature": tree.feature,
            "threshold": tree.threshold,
            "left": tree.left,
            "right": tree.right,
            "rows": tree.n_train,
            "homogeneous": tree.is_homogeneous,
        }
    )


def draw_architecture(X, y, model):
    """Draw the leaves of a fitted DTSVM on two features, and its tree (Fig. 1)."""
    fig, (plane, tree) = plt.subplots(
        1, 2, figsize=size(columns=2, ratio=0.75), layout="constrained"
    )
    scatter_classes(plane, X, y, size=5)
    _boxes(plane, model.tree_)
    plane.set(xlim=(0, 1), ylim=(0, 1))
    label(plane, "$x_1$", "$x_2$", "leaves: SVMs, or one label (grey)")
    _draw_nodes(tree, model.tree_)
    return fig


def _draw_nodes(axes, tree):
    depth, place, stack, seen = {}, {}, [(0, 0)], 0
    order = []
    while stack:
        node, level = stack.pop()
        depth[node] = level
        order.append(node)
        if tree.feature[node] < 0:
            place[node] = seen
            seen += 1
        else:
            stack += [(tree.right[node], level + 1), (tree.left[node], level + 1)]
    for node in reversed(order):
        if tree.feature[node] >= 0:
            place[node] = (place[tree.left[node]] + place[tree.right[node]]) / 2
    for node in order:
        for child in (tree.left[node], tree.right[node]):
            if child >= 0:
                axes.plot(
                    [place[node], place[child]],
                    [-depth[node], -depth[child]],
                    "k-",
                    lw=0.8,
                    zorder=0,
                )
        inner = tree.feature[node] >= 0
        kind = "label" if tree.is_homogeneous[node] else "SVM"
        text = f"$x_{tree.feature[node] + 1} < {tree.threshold[node]:.2f}$" if inner else kind
        box = {"boxstyle": "round", "fc": "white" if inner or kind == "SVM" else "#E8E8E8"}
        axes.text(place[node], -depth[node], text, ha="center", va="center", fontsize=8, bbox=box)
    axes.set_xlim(-0.7, seen - 0.3)
    axes.set_ylim(-max(depth.values()) - 0.5, 0.5)
    axes.set_axis_off()


def draw_growth(table: pd.DataFrame, to: dict):
    """Draw the seconds of LIBSVM's search on subsets, and the power law to all rows."""
    fig, axes = plt.subplots(figsize=size(), layout="constrained")
    rows = table[(table.method == "LIBSVM") & (table["mode"] == "1A1")]
    shades = plt.get_cmap("cividis")(np.linspace(0, 0.9, rows.dataset.nunique()))
    for shade, (name, part) in zip(shades, rows.groupby("dataset", sort=False), strict=True):
        seen = part[part.n.notna()]
        axes.plot(seen.n, seen.train_s, "o-", color=shade, label=name)
        far = part[part.n.isna()]
        if len(far):
            ends = [seen.n.iloc[-1], to[name]], [seen.train_s.iloc[-1], far.train_s.iloc[0]]
            axes.plot(*ends, "--", color=shade, marker="o", mfc="white", markevery=[1])
    axes.set_xscale("log")
    axes.set_yscale("log")
    label(axes, "training rows", ("LIBSVM, 63 pairs, 1A1", "processor s"))
    legend(axes, fontsize=9)
    return fig
