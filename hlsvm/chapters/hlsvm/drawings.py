"""The figures of Thesis chapter 5 and of the HLSVM paper, each from its table."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from hlsvm.chapters.background.drawings import diagram, plane_panels, two_splits
from hlsvm.reproduce import (
    CLASSES,
    color,
    draw_boundary,
    draws,
    label,
    legend,
    line,
    point,
    scatter_classes,
    shared_legend,
)

_GREY = "#8A8A8A"
_METHODS = ("Linear SVM", "H-LSVM", "H-LSVM, settings of Table 5.3", "Non-linear SVM")

draws("Thesis.Fig5.1")(diagram)
draws("Thesis.Fig5.2")(diagram)
draws("Thesis.Fig5.3")(diagram)
draws("HLSVM.Fig1")(two_splits)


@draws("Thesis.Fig5.4")
def weighting(table):
    """Draw the hyperplanes over the two clouds; lines outside the panel are named in the legend."""
    points, lines = table["points"], table["lines"]
    solvers, weights = lines.solver.unique(), lines.weights.unique()
    shape = {"figsize": (10, 3.6 * len(solvers)), "sharex": True, "sharey": True, "squeeze": False}
    fig, grid = plt.subplots(len(solvers), len(weights), **shape)
    ends = np.array([points.x1.min(), points.x1.max()])
    low, high = points.x2.min(), points.x2.max()
    styles = dict(zip(sorted(lines.lam.unique()), ("-", "--", "-.", ":"), strict=False))
    for row, solver in zip(grid, solvers, strict=True):
        for axes, weight in zip(row, weights, strict=True):
            scatter_classes(axes, points[["x1", "x2"]], points.y, size=5)
            for case in lines.query("solver == @solver and weights == @weight").itertuples():
                height = -(case.b + case.w1 * ends) / case.w2 if case.w2 else ends * np.nan
                away = not np.any((height > low) & (height < high)) or case.error_negative == 1
                text = rf"$\lambda=10^{{{np.log10(case.lam):.0f}}}$: {100 * case.error:.1f} %"
                text += " (one class)" if away and case.error_negative == 1 else ""
                axes.plot(ends, height, styles[case.lam], color="black", lw=1.6, label=text)
            axes.set_ylim(low, high)
            label(axes, "$x_1$", "$x_2$" if axes is row[0] else "", f"{solver}, {weight} weights")
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return fig


def _shade(axes, lines, points) -> None:
    """Shade the classes: going up they change at each line, along the bottom at each end of one."""
    x, y = (np.linspace(lines[of].min(), lines[of].max(), 500) for of in ("x1", "x2"))
    second = np.zeros((len(y), len(x)), dtype=bool)
    for _, piece in lines.groupby("piece"):
        places = piece[["x1", "x2"]].to_numpy()
        for (x0, y0), (x1, y1) in np.stack([places[:-1], places[1:]], axis=1):
            for k in np.flatnonzero((x > min(x0, x1)) & (x <= max(x0, x1))):
                second[y > y0 + (y1 - y0) * (x[k] - x0) / (x1 - x0), k] ^= True
        for end in (places[0], places[-1]):
            second[:, (x > end[0]) & (end[1] == lines.x2.min())] ^= True
    at = (np.searchsorted(y, points.x2).clip(0, 499), np.searchsorted(x, points.x1).clip(0, 499))
    second ^= np.mean(second[at] == (points.y == points.y.max())) < 0.5
    levels = {"levels": [-1, 0.5, 2], "colors": [look["fill"] for look in CLASSES]}
    axes.contourf(x, y, second, **levels, zorder=0)


@draws("Thesis.Fig5.5")
def banana(table):
    """Draw the boundaries of two trees over every eighth point, their classes shaded."""
    names = {"as grown": "rho=0", r"pruned, $\rho$ = 0.1": "rho=0.1"}
    fig, panels = plane_panels(list(names), 4.4)
    for axes, name in zip(panels.values(), names.values(), strict=True):
        points, lines = table["points"], table[name]
        _shade(axes, lines, points)
        marks = {"size": 5, "labels": ("class \u2212", "class +")}
        scatter_classes(axes, points[["x1", "x2"]], points.y, **marks)
        draw_boundary(axes, lines, linewidth=0.8)
        axes.grid(visible=False)
        axes.margins(0)
    shared_legend(fig, fig.axes[:1], markerscale=2)
    return fig


def _panels(names, height: float, **shared):
    """Return a figure with an error panel for each name, three in a row."""
    rows = -(-len(names) // 3)
    shape = {"figsize": (10, height * rows), "squeeze": False, **shared}
    fig, grid = plt.subplots(rows, min(3, len(names)), **shape)
    for axes in grid.flat[len(names) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("test error (%)")
    return fig, dict(zip(names, grid.flat, strict=False))


@draws("Thesis.Fig5.6")
def error_and_cost(table):
    """Draw the classifiers per data set on shared axes, H-LSVM twice, published points hollow."""
    table = table if "source" in table else table.assign(source="here")
    table = table[table.method.isin(_METHODS)]
    fig, panels = _panels(table.dataset.unique(), 3.1, sharex=True, sharey=True)
    for name, axes in panels.items():
        for (source, method), part in table[table.dataset == name].groupby(["source", "method"]):
            hollow = {"markerfacecolor": "none", "markersize": 11} if source != "here" else {}
            text = {"label": f"{point(method)['label']}, published"} if source != "here" else {}
            if method == _METHODS[2]:  # the settings as printed, not chosen here
                hollow, text = {"marker": "^"}, {"label": method}
            look = point(method.partition(",")[0], **hollow, **text)
            axes.plot(part.cost, part.error_pct, **look)
        axes.set_xscale("log", subs=())  # ticks between powers of ten would be a grey band
        axes.set_yscale("log", subs=(2, 5))
        axes.set_title(name)
        axes.set_xlabel("hyperplanes or vectors met", fontsize=9)
    shared_legend(fig, None, 4, fontsize=9)
    return fig


@draws("Thesis.FigC.1")
def hinge_losses(table):
    """Draw the weighted hinge losses; nu = 1 is the plain one."""
    fig, axes = plt.subplots()
    for style, (nu, one) in zip(("-.", "--", "-", ":"), table.groupby("nu"), strict=False):
        name = "hinge loss" if nu == 1 else f"weighted, $\\nu$ = {nu:g}"
        axes.plot(one.margin, one.loss, style, lw=2.2 if nu == 1 else 1.4, label=name)
    label(axes, "margin $z = y\\,(w \\cdot x + b)$", "loss")
    axes.legend()
    return fig


def _thousands(n: float) -> str:
    if n < 1000:
        return f"{n:.0f}"
    return f"{n / 1000:.1f}k" if n < 10_000 and n % 1000 else f"{n / 1000:.0f}k"


@draws("HLSVM.Fig5")
def growth(table):
    """Draw nodes, depth, time and accuracy against the number of training samples."""
    fig, panels = plt.subplots(2, 2, figsize=(10, 6), sharex=True)
    mean = table.groupby("n").mean(numeric_only=True).reset_index()
    (nodes, depth), (time, accuracy) = panels
    nodes.plot(mean.n, mean.nodes, **line("H-LSVM", label="inner nodes"))
    nodes.plot(mean.n, mean.n - 1, color=_GREY, linestyle=":", label="limit N - 1")
    depth.plot(mean.n, mean.depth_max, **line("H-LSVM", label="deepest leaf", marker="^"))
    depth.plot(mean.n, mean.depth_mean, **line("H-LSVM", label="mean per decision"))
    depth.plot(mean.n, mean.balanced_depth, color=_GREY, ls="--", label="balanced tree")
    time.plot(mean.n, mean.train_s, **line("H-LSVM", label="training"))
    reference = mean.train_s.iloc[0] * mean.n / mean.n.iloc[0]
    time.plot(mean.n, reference, color=_GREY, linestyle=":", label="linear in N")
    accuracy.plot(mean.n, mean.train_accuracy_pct, **line("H-LSVM", label="training", marker="^"))
    accuracy.plot(mean.n, mean.test_accuracy_pct, **line("H-LSVM", label="test"))
    titles = ("inner nodes", "hyperplanes", ("processor time", "s"), ("accuracy", "%"))
    for axes, what in zip(panels.ravel(), titles, strict=True):
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(mean.n, [_thousands(n) for n in mean.n])
        label(axes, "training samples N" if axes in panels[1] else "", what)
        legend(axes, fontsize=8)
    for axes in (nodes, time):
        axes.set_yscale("log")
    return fig


_LOOKS = {  # the names of the README's picture, by whose colour and marker a method takes
    **{"k-NN": "boosting", "SVM-Trees": "STree", "Perceptron": "obliquetree"},
    **{"CART": "decision tree", "Random forest": "10 and 100 random trees"},
    **{"Linear SVM": "linear SVM", "oblique tree": "ours: tree", "oblique forest": "ours: 3 trees"},
}
_PRICES = {
    "operations": "multiply-adds per decision",
    "batch_us": "microseconds per decision in a batch",
    "latency_us": "microseconds of one call from Python",
}


@draws("Beyond.Fig1", prices=("operations",))
@draws("Beyond.Fig2", prices=("batch_us", "latency_us"))
def pareto(table, prices):
    """Draw error against a price, one panel per data set."""
    price = next(name for name in prices if name in table)
    fig, panels = _panels(table.dataset.unique(), 3.4)
    for name, axes in panels.items():
        part = table[(table.dataset == name) & table.error_pct.notna() & table[price].notna()]
        _front_panel(axes, part, price)
        axes.set_title(name)
        axes.set_xlabel(_PRICES[price], fontsize=9)
    shared_legend(fig, None, 5, fontsize=9, loc="outside upper center")
    return fig


def _front_panel(axes, rows: pd.DataFrame, price: str) -> None:
    least = rows.error_pct[rows.error_pct > 0].min() / 2
    rows = rows.assign(shown=rows.error_pct.clip(lower=least))
    best = rows[rows[f"front_{price}"]].sort_values(price)
    axes.plot(best[price], best.shown, color="#707070", lw=1, zorder=0, drawstyle="steps-post")
    for look, part in rows[rows["look"] != "H-LSVM"].groupby("look", sort=False):
        axes.plot(part[price], part.shown, **point(look, label=_LOOKS.get(look, look), zorder=2))
    forms = rows[rows["look"] == "H-LSVM"].groupby("method", sort=False)
    for shape, (form, part) in zip("os^vDP", forms, strict=False):
        ring = {"mec": "black", "ms": 9} if form == "H-LSVM" else {"ms": 7}
        name = _LOOKS.get(form, form)
        axes.plot(part[price], part.shown, **point("H-LSVM", marker=shape, label=name, **ring))
    axes.set_xscale("log", subs=())
    axes.set_yscale("log")
    narrow = rows.shown.max() < 3 * least
    axes.yaxis.set_major_locator(MaxNLocator(5) if narrow else LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.12, y=0.12)


@draws("Beyond.Fig3")
def fraud(table):
    """Draw recall against latency: a mark at the median, a line to the 99.9th percentile."""
    fig, axes = plt.subplots(figsize=(10, 4.6))
    looks = {"Histogram boosting": "k-NN", "Logistic regression": "Linear SVM"}
    shapes = {"Python": "o", "ONNX": "s", "C": "^"}
    rows = table[table.p50_us.notna()]
    ours = rows[rows.through.isin(["ONNX", "C"])].method.unique()
    for row in rows.itertuples():
        look = {"MLP 32": "MLP"}.get(row.method, row.method)
        shade = color("H-LSVM") if row.method in ours else color(looks.get(look, look))
        axes.plot([row.p50_us, row.p999_us], [row.recall_pct] * 2, color=shade, lw=1)
        axes.plot([row.p50_us] * 2, [row.recall_low, row.recall_high], color=shade, lw=0.7)
        axes.plot([row.p50_us], [row.recall_pct], shapes[row.through], color=shade)
    for method, part in rows.groupby("method", sort=False):
        first = part.loc[part.p50_us.idxmin()]
        place = {"ha": "right", "va": "center", "xytext": (-8, 0), "textcoords": "offset points"}
        axes.annotate(method, (first.p50_us, first.recall_pct), fontsize=8, **place)
    axes.set_xlim(rows.p50_us.min() / 10, 20_000)
    for name, shape in shapes.items():
        axes.plot([], [], shape, color=_GREY, label={"Python": "call from Python"}.get(name, name))
    axes.axvline(10_000, color="#707070", lw=1, ls="--", label="limit, 10 milliseconds")
    axes.set(xscale="log", ylim=(0, 105))
    label(axes, ("one decision, median to 99.9th percentile", "microseconds"), ("recall", "%"))
    axes.legend(loc="lower left")
    return fig
