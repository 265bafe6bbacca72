"""Pictures of the bounds."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from hlsvm.chapters.bounds import contest, judged
from hlsvm.reproduce.style import label, legend, size

_SHOWN = 200  # draws that are drawn
# Way to a tree -> colour, marker; its shade of meaning is the marker.
_LOOKS = {
    contest.HOLD_OUT: ("#000000", "o"),
    contest.OCCAM: ("#E69F00", "s"),
    contest.OCCAM_MOVED: ("#D55E00", "D"),
    contest.GIBBS: ("#56B4E9", "^"),
    contest.GIBBS_MOVED: ("#0072B2", "v"),
    contest.INFORMED: ("#009E73", "P"),
    contest.COMPRESSION: ("#8A8A8A", "x"),
}


def draw_walks(walks: pd.DataFrame, found: pd.DataFrame):
    """Draw gap and test error against T_comp, a panel a data set (Thesis Fig. 5.7, HLSVM Fig. 6).

    Parameters
    ----------
    walks : DataFrame
        `complexity.along_delta`.
    found : DataFrame
        `complexity.correlation` of it.
    """
    fig, panels = plt.subplots(
        1, len(found), figsize=size(columns=max(len(found), 1), ratio=0.85), layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for axes, row in zip(panels[0], found.itertuples(), strict=True):
        own = walks[(walks.dataset == row.dataset) & (walks.protocol == row.protocol)]
        mean = own.groupby("delta")[["T_comp", "gap", "test_error"]].mean().sort_values("T_comp")
        for _, single in own.groupby("seed"):
            axes.plot(single.T_comp, 100 * single.gap, ".", color="#9CC3DE", markersize=3)
        axes.plot(mean.T_comp, 100 * mean.gap, "o-", color="#0072B2", label="test - train")
        axes.plot(mean.T_comp, 100 * mean.test_error, "s--", color="#E69F00", label="test")
        label(axes, "$T_{comp}$", ("error", "%"), f"{row.dataset}\n{row.protocol}")
        axes.title.set_fontsize(9)
        text = f"correlation {row.correlation:.2f}\n[{row.low:.2f}, {row.high:.2f}]"
        axes.text(0.03, 0.97, text, transform=axes.transAxes, va="top", fontsize=8)
        axes.set_ylim(top=1.25 * axes.get_ylim()[1])
    legend(panels[0, -1], fontsize=8, loc="upper right")
    return fig


def draw_growth(table: pd.DataFrame):
    """Draw nodes, depth, effective leaves and T_comp against the sample size (HLSVM Fig. 5a, b)."""
    fig, (left, right) = plt.subplots(
        1, 2, figsize=size(columns=2, ratio=0.7), layout="constrained"
    )
    left.loglog(table.n, table.nodes, "o-", color="#0072B2", label="inner nodes")
    left.loglog(table.n, table.effective_leaves_correct_rows, "s--", color="#E69F00",
                label="effective leaves $L'_{eff}$")  # fmt: skip
    left.loglog(table.n, table.depth, "^-.", color="#009E73", label="depth D")
    left.loglog(table.n, table.mean_depth, "v:", color="#D55E00", label="hyperplanes a decision")
    left.loglog(table.n, table.log2_n, "-", color="#8A8A8A", linewidth=1, label="$\\log_2 N$")
    left.loglog(table.n, table.n, "--", color="#8A8A8A", linewidth=1, label="N")
    label(left, "training samples N", "count")
    right.semilogx(table.n, table.T_comp, "o-", color="#0072B2", label="$T_{comp}$")
    right.semilogx(table.n, 100 * table.gap, "s--", color="#E69F00", label="test - train (%)")
    right.semilogx(table.n, 100 * table.test_error, "^:", color="#009E73", label="test error (%)")
    label(right, "training samples N", "$T_{comp}$, error (%)")
    for axes in (left, right):
        axes.set_xticks(table.n, [f"{n:,}" for n in table.n], rotation=45, fontsize=8)
        axes.set_xticks([], minor=True)
    legend(left, fontsize=7)
    legend(right, fontsize=8)
    return fig


def draw_bounds(rows: pd.DataFrame):
    """Draw every bound beside the test error of what it speaks of, a column a data set."""
    rows = judged.ran(rows).dropna(subset="bound")
    names = list(dict.fromkeys(rows.dataset))
    fig, axes = plt.subplots(figsize=size(columns=2, ratio=1.0), layout="constrained")
    for number, name in enumerate(_LOOKS):
        own = rows[rows.method == name]
        colour, mark = _LOOKS[name]
        place = np.array([names.index(n) for n in own.dataset]) + 0.11 * (number - 3)
        axes.vlines(place, own.test_error.clip(1e-4), own.bound, color=colour, linewidth=1)
        axes.plot(place, own.bound, mark, color=colour, label=name)
        axes.plot(place, own.test_error.clip(1e-4), "_", color=colour, markersize=7)
    axes.axhline(0.5, color="#8A8A8A", linewidth=1, linestyle="--")
    axes.set_yscale("log")
    axes.set_xticks(range(len(names)), names)
    label(axes, "", "bound (marks), test error (bars)")
    fig.legend(loc="outside lower center", ncols=4, fontsize=8)
    return fig


def draw_validity(table: pd.DataFrame):
    """Draw the true error and the bound of the first draws, a panel a bound; failures of all.

    Returns
    -------
    fig, shown
        `shown`: the draws that are drawn.
    """
    shown = table[table.draw < _SHOWN]
    names = list(dict.fromkeys(table.method))
    fig, panels = plt.subplots(
        2, -(-len(names) // 2), figsize=size(columns=2, ratio=1.0), sharex=True, sharey=True,
        layout="constrained",
    )  # fmt: skip
    for axes in panels.flat[len(names) :]:
        axes.set_axis_off()
    for axes, name in zip(panels.flat, names, strict=False):
        own = table[table.method == name]
        dots = shown[shown.method == name]
        axes.plot(dots.true_error, dots.bound, ".", color="#0072B2", markersize=2)
        bad = own[own.failed]
        axes.plot(bad.true_error, bad.bound, "x", color="#D55E00", markersize=4)
        axes.plot([0, 1], [0, 1], "k-", linewidth=0.8)
        axes.set(xlim=(0, 0.6), ylim=(0, 1.03))
        axes.set_title(f"{name}\n{len(bad)} of {len(own)} fail", fontsize=8)
    fig.supxlabel("true error", fontsize=9)
    fig.supylabel("bound", fontsize=9)
    drawn = shown if table.empty else pd.concat([shown, table[table.failed]]).drop_duplicates()
    return fig, drawn.round(4)


def draw_margins(rows: pd.DataFrame):
    """Draw T1 beside T2 and R beside S, a point a data set and way (DTSVM Tables 13, 14)."""
    fig, (left, right) = plt.subplots(
        1, 2, figsize=size(columns=2, ratio=0.7), layout="constrained"
    )
    for mode, mark in (("1A1", "o"), ("1AO", "s")):
        own = rows[(rows["mode"] == mode) & rows.L.notna()]
        left.loglog(own.T2_as_defined, own.T1_as_defined, mark, label=mode)
        right.loglog(own.S_global, own.R_dtsvm, mark, label=mode)
        for row in own.itertuples():
            right.annotate(f" {row.dataset}", (row.S_global, row.R_dtsvm), fontsize=7)
    for axes in (left, right):
        low, high = min(*axes.get_xlim(), *axes.get_ylim()), max(*axes.get_xlim(), *axes.get_ylim())
        axes.plot([low, high], [low, high], "k-", linewidth=0.8)
    label(left, "$T_2$", "$T_1$")
    label(right, "S, one SVM", "R, DTSVM")
    legend(left)
    return fig
