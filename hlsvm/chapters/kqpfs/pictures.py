"""Pictures of Thesis chapter 4; each returns the figure and the numbers that are drawn."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from hlsvm.extract import KernelFisher
from hlsvm.reproduce import CLASSES, color, label, legend, line, scatter_classes, size

OURS = "one factorisation, both directions"


def draw_disc(X: np.ndarray, y: np.ndarray):
    """Draw Figure 4.1: the disc in the plane, and its one good feature beside it."""
    fig, (left, right) = plt.subplots(1, 2, figsize=size(columns=2, ratio=0.8))
    scatter_classes(left, X, y, labels=("norm < 0.5", "norm > 0.5"))
    left.set_aspect("equal")
    label(left, "$x_1$", "$x_2$", "no single feature separates")
    left.set_ylim(-1.08, 1.5)
    legend(left, loc="upper center", ncols=2)
    z = (X**2).sum(axis=1)
    bins = np.linspace(0, 2, 41)
    for look, name in zip(CLASSES, (-1, 1), strict=True):
        right.hist(z[y == name], bins, color=look["color"], alpha=0.85)
    right.axvline(0.25, color="#404040", linestyle=":")
    label(right, "$z = x_1^2 + x_2^2$", "points", "one nonlinear feature does")
    return fig, pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "z": z, "y": y})


_BOXES = [
    ("data", 0.09, 0.5, "samples\n$x \\in \\mathbb{R}^M$", "#FFFFFF"),
    ("known", 0.36, 0.8, "known functions\n$f_1(x), \\ldots, f_L(x)$", "#FBEBCB"),
    ("select", 0.72, 0.8, "select or extract\namong the $f_l$", "#FBEBCB"),
    ("kernel", 0.36, 0.2, "kernel\n$K(x, x\\,') = \\Phi(x) \\cdot \\Phi(x\\,')$", "#CFE3F1"),
    (
        "extract",
        0.72,
        0.2,
        "extract in $\\mathcal{F}$\n$w = \\sum_i \\alpha_i \\Phi(x_i)$",
        "#CFE3F1",
    ),
    ("few", 0.93, 0.5, "new\nfeatures", "#FFFFFF"),
]
_ARROWS = [
    ("data", "known", "explicit"),
    ("known", "select", "a list of\nfeatures"),
    ("select", "few", ""),
    ("data", "kernel", "implicit"),
    ("kernel", "extract", "dot\nproducts"),
    ("extract", "few", ""),
]


def draw_routes():
    """Draw Figure 4.2: nonlinear features from known functions, or from a kernel."""
    fig, axes = plt.subplots(figsize=(9.4, 3.4))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    place = {name: (x, y) for name, x, y, _, _ in _BOXES}
    half = {"data": 0.075, "few": 0.055, "known": 0.115, "kernel": 0.115}
    for name, x, y, text, fill in _BOXES:
        w = half.get(name, 0.105)
        shape = "round,pad=0.01,rounding_size=0.02"
        axes.add_patch(
            FancyBboxPatch((x - w, y - 0.13), 2 * w, 0.26, boxstyle=shape, fc=fill, ec="#404040")
        )
        axes.text(x, y, text, ha="center", va="center", fontsize=10)
    for start, stop, text in _ARROWS:
        (x0, y0), (x1, y1) = place[start], place[stop]
        flat = y0 == y1
        a = (x0 + half.get(start, 0.105) + 0.012, y0) if flat or start != "data" else (x0, y0)
        a = (x0, y0 + np.sign(y1 - y0) * 0.145) if start == "data" else a
        b = (x1, y1 + np.sign(y0 - y1) * 0.145) if stop == "few" else (
            x1 - half.get(stop, 0.105) - 0.012, y1
        )  # fmt: skip
        bend = {"data": -0.28, "select": -0.28, "extract": 0.28}.get(start, 0.0)
        bend = 0.28 if (start, stop) == ("data", "kernel") else bend
        arrow = f"arc3,rad={bend if not flat else 0}"
        axes.add_patch(
            FancyArrowPatch(a, b, connectionstyle=arrow, arrowstyle="-|>", mutation_scale=14,
                            color="#404040")
        )  # fmt: skip
        if flat:
            axes.text((a[0] + b[0]) / 2, y0 + 0.03, text, ha="center", va="bottom", fontsize=8)
        elif text:
            up = np.sign(y1 - y0)
            axes.text(0.105, 0.5 + up * 0.33, text, ha="center", va="center", fontsize=9)
    return fig, pd.DataFrame([(n, x, y) for n, x, y, _, _ in _BOXES], columns=["box", "x", "y"])


def draw_directions(X: np.ndarray, y: np.ndarray, model, *, steps: int = 161):
    """Draw Figure 4.3: (a) the direction of linear FDA, (b) level sets of the kernel direction.

    Parameters
    ----------
    model : KernelFisher or KQPFS
        Fitted on X and y.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=size(columns=2, ratio=0.8))
    linear = KernelFisher("linear", mu=1e-6, regularizer="kernel").fit(X, y)
    w = X.T @ linear.dual_coef_[:, 0]
    w /= np.linalg.norm(w)
    scatter_classes(left, X, y)
    left.plot(*np.outer(w, [-1.3, 1.3]), color="#000000", linewidth=2.0)
    left.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal")
    wrong = 100 * np.mean(linear.predict(X) != y)
    label(left, "$x_1$", "$x_2$", f"(a) linear FDA direction, {wrong:.0f} % wrong")
    ticks = np.linspace(-1.05, 1.05, steps)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(ticks, ticks)])
    level = model.decision_function(grid).reshape(steps, steps)
    shade = right.contourf(ticks, ticks, level, levels=12, cmap="gray", alpha=0.45)
    edge = right.contour(ticks, ticks, level, levels=[0.0], colors="#000000", linewidths=2.0)
    scatter_classes(right, X, y, size=12)
    right.set_aspect("equal")
    fig.colorbar(shade, ax=right, label="projection (class means at -1 and +1)", shrink=0.85)
    wrong = 100 * np.mean(model.predict(X) != y)
    label(right, "$x_1$", "$x_2$", f"(b) KFDA level sets, {wrong:.0f} % wrong")
    ring = np.concatenate(edge.allsegs[0])
    drawn = {
        "fda": pd.DataFrame([{"w1": w[0], "w2": w[1]}]),
        "boundary": pd.DataFrame(ring, columns=["x1", "x2"]),
    }
    return fig, drawn


def rounded(table: pd.DataFrame, digits: int = 4) -> pd.DataFrame:
    """Return a recorded table, which is text, with its numbers cut to `digits` figures.

    Examples
    --------
    >>> table = pd.DataFrame({"gap": ["1.278378323e-24", ""], "kept": ["10", "7 of 9"]})
    >>> rounded(table).to_numpy().tolist()
    [['1.278e-24', '10'], ['', '7 of 9']]
    """

    def cut(cell: str) -> str:
        try:
            return str(cell) if str(cell).isdigit() else f"{float(cell):.{digits}g}"
        except ValueError:
            return cell

    return table.map(cut)


def draw_times(table: pd.DataFrame):
    """Draw Figure 4.4: processor seconds against the prior, one panel a size."""
    sizes = table.n.unique()
    fig, panels = plt.subplots(
        1, len(sizes), figsize=size(columns=max(2, len(sizes)), ratio=0.9), squeeze=False
    )
    looks = {
        "kfda_s": line("KFDA", label="Algorithm 3 (KFDA)"),
        "kqpfs_s": line("KQPFS", label="Algorithm 4 (KQPFS)"),
        "ours_s": line("KFDA", label=OURS, color="#D55E00", marker="o", linestyle="-"),
    }
    for axes, n in zip(panels[0], sizes, strict=True):
        rows = table[table.n == n].sort_values("prior")
        for name, look in looks.items():
            axes.plot(rows.prior, rows[name], **look)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.12 * rows[["kfda_s", "kqpfs_s"]].to_numpy().max())
        label(axes, "prior of the positive class", ("processor time", "s"), f"N = {n:,}")
    handles, names = panels[0][0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=3)
    return fig, table[["n", "prior", *looks]]


def draw_gaps(rows: pd.DataFrame):
    """Draw 1 - |cosine| between solutions against the condition number of W + mu I.

    Parameters
    ----------
    rows : DataFrame
        Columns ``condition``, ``gap_3_4`` and ``gap_3_ours``.
    """
    fig, axes = plt.subplots(figsize=size())
    pairs = {
        "gap_3_4": ("Algorithm 3 and Algorithm 4", color("KQPFS"), "D"),
        "gap_3_ours": ("Algorithm 3 and ours", "#D55E00", "o"),
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
