"""The figures of the bounds, each from its table."""

import matplotlib.pyplot as plt
import numpy as np

from hlsvm.reproduce import draws, label, published, shared_legend

_BLUE, _ORANGE, _GREEN, _RED, _GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#8A8A8A"


@draws("Thesis.Fig5.7")
def gap_against_complexity(table):
    """Draw gap and test error against T_comp, a panel for each data set and protocol."""
    printed = published("Thesis.Fig5.7").set_index("id").value
    printed = {
        "IJCNN, division that comes with the data": f"printed: {printed['Thesis.text080']}",
        "CBCL faces, random divisions": f"printed, other faces: {printed['Thesis.text081']}",
    }
    panels = list(table.groupby(["dataset", "protocol"], sort=False))
    fig, grid = plt.subplots(1, len(panels), figsize=(10, 3.9), squeeze=False)
    for axes, ((name, protocol), rows) in zip(grid[0], panels, strict=True):
        mean = rows.groupby("delta")[["T_comp", "gap", "test_error"]].mean().sort_values("T_comp")
        gap, test = ("o-", _BLUE, "test minus training"), ("s--", _ORANGE, "test")
        for column, (style, shade, text) in (("gap", gap), ("test_error", test)):
            axes.plot(rows.T_comp, 100 * rows[column], ".", color=shade, alpha=0.3, markersize=3)
            axes.plot(mean.T_comp, 100 * mean[column], style, color=shade, label=text)
        head, says = f"{name}, {protocol}", f"r = {mean.T_comp.corr(mean.gap):.2f}"
        says += f" ({printed[head]})" if head in printed else ""
        label(axes, "$T_{comp}$", ("error", "%"))
        axes.set_title(f"{head}\n{says}", fontsize=9)
        axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    shared_legend(fig, [grid[0, 0]], 2)
    return fig


@draws("Thesis.Lem5.3")
def growth(table):
    """Draw counts, T_comp and errors against the sample size, a panel each."""
    fig, (counts, complexity, errors) = plt.subplots(1, 3, figsize=(10, 4))
    looks = (
        ("nodes", "o-", _BLUE, "inner nodes"),
        ("effective_leaves_correct_rows", "x", _ORANGE, "effective leaves $L'_{eff}$"),
        ("depth", "^-.", _GREEN, "depth D"),
        ("mean_depth", "v:", _RED, "hyperplanes per decision"),
    )
    for column, style, shade, text in looks:
        counts.loglog(table.n, table[column], style, color=shade, label=text)
    counts.loglog(table.n, table.n, "--", color=_GREY, linewidth=1, label="N")
    counts.loglog(table.n, table.log2_n, "-", color=_GREY, linewidth=1, label="$\\log_2 N$")
    complexity.semilogx(table.n, table.T_comp, "o-", color=_BLUE)
    errors.semilogx(table.n, 100 * table.test_error, "^:", color=_GREEN, label="test")
    errors.semilogx(table.n, 100 * table.training_error, "o-", color=_BLUE, label="training")
    label(counts, "training samples N", "count")
    label(complexity, "training samples N", "$T_{comp}$")
    label(errors, "training samples N", ("error", "%"))
    for axes in (counts, complexity, errors):
        axes.set_xticks(table.n[::2], [f"{n:,}" for n in table.n[::2]])
        axes.set_xticks([], minor=True)
    complexity.set_ylim(0, 1.1 * table.T_comp.max())
    errors.set_ylim(bottom=0)
    errors.legend()
    shared_legend(fig, [counts], 3)
    return fig


@draws("Thesis.ThmC.2")
def convergence(table):
    """Draw measured suboptimality and its bound, a panel for each lambda."""
    fig, panels = plt.subplots(1, len(table), figsize=(10, 4), sharey=True, squeeze=False)
    for axes, (name, rows) in zip(panels[0], table.items(), strict=True):
        axes.loglog(rows["T"], rows.bound, "k-", label="Theorem C.2")
        tighter = r"with $R\,\max \nu_i$ in place of R"
        axes.loglog(rows["T"], rows.tighter, "--", color=_RED, label=tighter)
        axes.loglog(rows["T"], rows.mean_gap, "o-", color=_BLUE, label="mean of the path")
        last = rows[rows.last_gap > 0]
        axes.loglog(last["T"], last.last_gap, "s--", color=_ORANGE, label="last step")
        label(axes, "steps T", "$f(w) - f(w^*)$" if axes is panels[0, 0] else "", name)
    shared_legend(fig, [panels[0, 0]], 4)
    return fig


@draws("HLSVM.method.SampleCompression")
def bounds_side_by_side(table):
    """Draw every bound beside the test error of what it speaks of, a panel for each data set."""
    rows = table[table.bound.notna()]
    methods = list(dict.fromkeys(rows.method))[::-1]
    names = list(dict.fromkeys(rows.dataset))
    fig, panels = plt.subplots(1, len(names), figsize=(10, 3.8), sharey=True, squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        mean = rows[rows.dataset == name].groupby("method")[["bound", "test_error"]].mean()
        for method, row in mean.iterrows():
            place, shade = methods.index(method), _RED if row.bound < row.test_error else _BLUE
            axes.plot([row.test_error, row.bound], [place, place], color=shade)
            axes.plot(row.test_error, place, "o", color=shade, markersize=4)
            axes.plot(row.bound, place, "|", color=shade, markersize=12, markeredgewidth=2)
        axes.axvline(0.5, color=_GREY, linewidth=1, linestyle=":")
        axes.set(xscale="log", xlim=(0.7 * max(1e-4, mean.test_error.min()), 1.3))
        axes.set_yticks(range(len(methods)), methods)
        axes.set_title(name.replace(", ", ",\n").replace(" ", "\n", 1), fontsize=9)
    note = "dot: test error; stroke: bound, orange where below it; dotted: one half"
    fig.supxlabel(f"error probability ({note})", fontsize=10)
    return fig


@draws("HLSVM.Lem3")
def validity(table):
    """Draw true errors and bounds, a panel for each bound, with the failures counted."""
    names = list(dict.fromkeys(table.method))
    columns = -(-len(names) // 2)
    fig, panels = plt.subplots(2, columns, figsize=(10, 5.4), sharex=True, sharey=True)
    for axes in panels.flat[len(names) :]:
        axes.set_axis_off()
    for axes, name in zip(panels.flat, names, strict=False):
        rows = table[table.method == name]
        failed = rows.failed.astype(bool)
        kept, bad = rows[~failed], rows[failed]
        axes.plot(kept.true_error, kept.bound, ".", color=_BLUE, markersize=2, alpha=0.5)
        axes.plot(bad.true_error, bad.bound, "x", color=_RED, markersize=4)
        axes.plot([0, 1], [0, 1], "k-", linewidth=0.8)
        axes.set(xlim=(0, 0.6), ylim=(0, 1.03), xticks=np.arange(0, 0.7, 0.2))
        axes.set_title(f"{name}\n{len(bad)} of {table.draw.max() + 1:,} fail", fontsize=9)
    fig.supxlabel("true error", fontsize=10.5)
    fig.supylabel("bound", fontsize=10.5)
    return fig
