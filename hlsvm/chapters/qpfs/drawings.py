"""The figures of Thesis 2.2 and chapter 3, each from its table."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import NullLocator
from scipy.stats import norm

from hlsvm.chapters.background.drawings import diagram
from hlsvm.reproduce import CLASSES, color, draws, label, line, scatter_classes, shared_legend, size

PUBLISHED = ", published"
# Colours and markers of the settings of one method, none of them those of another method.
_RAMPS = {
    "QPFS": (("#440154", "#8F5BB0", "#0B7A75", "#35A35B", "#7AD151", "#C7D928"), "<>*Xpd"),
    "QPFS+Nystrom": (("#7CCBF2", "#2E86AB", "#0B2545"), "sHdX*"),
}
_METHODS = {"QPFS+N": "QPFS+Nystrom", "random": "Random selection"}

draws("Thesis.Fig3.3")(diagram)


@draws("Thesis.Fig2.5")
def circle(table):
    """Draw points of a circle."""
    fig, axes = plt.subplots(figsize=size(ratio=0.8))
    axes.plot(table.x, table.y, ".", color=color("QPFS"), markersize=3)
    axes.set(aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    label(axes, r"$x = \sin 2\pi t$", r"$y = \cos 2\pi t$")
    return fig


@draws("Thesis.Fig2.6")
def clouds(table):
    """Draw six pairs of classes, with their densities along the axes."""
    fig, grid = plt.subplots(2, 3, figsize=(10, 7), sharex=True, sharey=True)
    low, bins = -5.4, np.linspace(-4.5, 4.5, 31)
    for axes, (panel, part) in zip(grid.flat, table.groupby("panel", sort=False), strict=True):
        scatter_classes(axes, part[["x1", "x2"]], part.y, size=6)
        for k, (_, cloud) in enumerate(part.groupby("y")):
            for name in ("x1", "x2"):
                height, _ = np.histogram(cloud[name], bins)
                curve = [(bins[1:] + bins[:-1]) / 2, low + 1.4 * height / height.max()]
                axes.plot(*(curve if name == "x1" else curve[::-1]), color=CLASSES[k]["color"])
        axes.set(xlim=(low - 0.2, 4.5), ylim=(low - 0.2, 4.5), title=panel)
    for axes in grid[1]:
        axes.set_xlabel("$X_1$")
    for axes in grid[:, 0]:
        axes.set_ylabel("$X_2$")
    return fig


@draws("Thesis.Fig3.1")
def families(table):
    """Draw the kinds of selectors by cost and by independence of the classifier."""
    fig, axes = plt.subplots(figsize=size(ratio=0.7))
    axes.plot(table.cost, table.independence, "o", markersize=12, color=color("QPFS"))
    for row in table.itertuples():
        below = row.kind == "univariate filter"
        place = {"xytext": (0, -14 if below else 12), "va": "top" if below else "bottom"}
        text = f"{row.kind}\n{row.examples}"
        at = (row.cost, row.independence)
        axes.annotate(text, at, textcoords="offset points", ha="center", fontsize=9, **place)
    axes.set(xlim=(0.2, 5), ylim=(0.4, 5.2), xticks=[], yticks=[])
    label(axes, "computational cost (low to high)", "independence of the classifier (low to high)")
    return fig


@draws("Thesis.Fig3.2")
def meaning_of_alpha(table):
    """Draw the scale of alpha, from redundancy only to relevance only."""
    fig, axes = plt.subplots(figsize=(10, 2.6))
    axes.plot([0, 1], [0, 0], color="black", linewidth=1.5)
    for row in table.itertuples():
        axes.plot(row.alpha, 0, "o", color=color("QPFS"), markersize=9)
        axes.text(row.alpha, 0.25, rf"$\alpha = {row.alpha:g}$", ha="center", fontsize=12)
        axes.text(row.alpha, -0.25, row.meaning, ha="center", va="top", fontsize=10)
    axes.set(xlim=(-0.25, 1.25), ylim=(-1.3, 0.7))
    axes.axis("off")
    return fig


@draws("Thesis.Fig3.4")
def segments(table):
    """Draw a normal density cut at the edges of the segments."""
    edges = table.edge.to_numpy()
    limits = np.concatenate([[-3.6], edges, [3.6]])
    x = np.linspace(-3.6, 3.6, 400)
    fig, axes = plt.subplots(figsize=size(ratio=0.5))
    axes.plot(x, norm.pdf(x), color="black")
    axes.vlines(edges, 0, norm.pdf(edges), color=color("QPFS"), linewidth=2)
    for k, (low, high) in enumerate(pairwise(limits)):
        axes.text((low + high) / 2, -0.035, str(k), ha="center", fontsize=10)
    n = len(edges) + 1
    half = n * (edges[1] - edges[0]) / 2  # n segments of this width cover s deviations
    axes.annotate("", (-half, 0.43), (half, 0.43), arrowprops={"arrowstyle": "<->"})
    axes.text(0, 0.44, rf"$s\sigma$, $s = {2 * half:g}$, $n = {n}$ segments", ha="center")
    ticks = [-half, 0, half]
    axes.set_xticks(ticks, [r"$\mu - s\sigma/2$", r"$\mu$", r"$\mu + s\sigma/2$"])
    axes.set(ylim=(-0.06, 0.5), yticks=[])
    label(axes, "feature", "density")
    return fig


def _method(name: str) -> str:
    """Return the method of a curve's label: "QPFS alpha = 0.3" is of QPFS."""
    for mark in (PUBLISHED, " alpha", " p =", " C ="):
        name = name.partition(mark)[0]
    return _METHODS.get(name, name)


def looks(labels) -> dict[str, dict]:
    """Return the look of every curve: the method's, or a place on its ramp for a setting."""
    looks = {}
    for name in dict.fromkeys(labels):
        shown = name.replace(" alpha^", r" $\hat\alpha$").replace(" alpha ", r" $\alpha$ ")
        looks[name] = line(_method(name), label=shown, markersize=4.5)
        if name.endswith(PUBLISHED):
            looks[name] |= {"linestyle": "none", "mfc": "none", "markersize": 8, "zorder": 3}
    for method, (colors, markers) in _RAMPS.items():
        settings = [name for name in looks if " = " in name and _method(name) == method]
        ramp = LinearSegmentedColormap.from_list(method, colors)
        for k, name in enumerate(settings):
            shade = ramp(k / max(len(settings) - 1, 1))
            mark = markers[k % len(markers)]
            looks[name] |= {"color": shade, "marker": mark, "linewidth": 1.1}
    return looks


def _name_curves(fig, columns: int, note: str = "") -> None:
    shared_legend(fig, None, columns, fontsize=9, handlelength=3.2, title=note or None)


def _curves(axes, frame: pd.DataFrame, look: dict) -> None:
    for name, part in frame.groupby("label", sort=False):
        axes.plot(part.n_features, part.error_pct, **look[name])
        if "error_pm" in part and name in ("QPFS", "mRMR MID", "QPFS alpha^"):
            band = (part.error_pct - part.error_pm, part.error_pct + part.error_pm)
            axes.fill_between(part.n_features, *band, color=look[name]["color"], alpha=0.15, lw=0)
    axes.set_xscale("log")
    counts = sorted(frame.n_features.unique())
    counts = [n for n, more in zip(counts, [*counts[1:], np.inf], strict=True) if more > 1.2 * n]
    axes.set_xticks(counts, [str(count) for count in counts], fontsize=8)
    axes.minorticks_off()


@draws("Thesis.Fig3.6")
@draws("Thesis.Fig3.7")
@draws("Thesis.Fig3.8")
@draws("Thesis.Fig3.9")
@draws("Thesis.Fig3.10")
def curves(table):
    """Draw error against the number of features, one panel for each part of the table."""
    panels = table if isinstance(table, dict) else {"": table}
    wide = (10, 4.8) if len(panels) > 1 else size(ratio=0.8)
    fig, grid = plt.subplots(1, len(panels), figsize=wide, sharey=True, squeeze=False)
    every = pd.concat(panels.values())
    look = looks(every.label)
    for axes, (title, frame) in zip(grid.flat, panels.items(), strict=True):
        _curves(axes, frame, look)
        first = axes is grid[0, 0]
        label(axes, "selected features", ("test error", "%") if first else "", title)
    note = "bands: one standard error over the folds" if "error_pm" in every else ""
    if every.label.str.endswith(PUBLISHED).any():
        note += ("; " if note else "") + "hollow: published"
    _name_curves(fig, 5 if len(panels) > 1 else 3, note)
    return fig


@draws("Thesis.Fig3.5")
def costs(table):
    """Draw the same two selectors under several costs of the SVM, a panel for each."""
    return curves({f"C = {C:g}": part for C, part in table.groupby("C", sort=False)})


@draws("Thesis.Fig3.11")
def digits(table):
    """Draw the exact selectors on the left and Nystrom on the right."""
    sampled = table.label.str.startswith("QPFS+N")
    both = sampled | table.label.str.startswith("QPFS alpha = 0.4")
    name = table.dataset.iloc[0]
    fig = curves({f"{name}: exact selectors": table[~sampled], f"{name}: Nystrom": table[both]})
    rest = table[table.label.map(_method) != "ReliefF"].error_pct
    fig.axes[0].set_ylim(0, 1.08 * rest.max())
    return fig


@draws("Thesis.Fig3.12")
def pixels(table):
    """Draw the first pixels of every ranking (two counts by size of the image)."""
    side = round(np.sqrt(table["pixel"].max() + 1))
    counts = (100, 350) if side == 28 else (10, 25)
    names = table.ranking.unique()
    fig, grid = plt.subplots(1, 2 * len(names), figsize=(10, 3.1))
    cases = [(name, count) for name in names for count in counts]
    for axes, (name, count) in zip(grid, cases, strict=True):
        picture = np.zeros(side * side)
        picture[table[(table.ranking == name) & (table["rank"] <= count)].pixel] = 1
        axes.imshow(picture.reshape(side, side), cmap="Greys", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(True)
        axes.set_title(f"{name}\nfirst {count}", fontsize=10)
    return fig


@draws("Thesis.Fig3.13")
def times(table):
    """Draw seconds against the number of samples, of features, and the sampling rate."""
    fig, grid = plt.subplots(1, len(table), figsize=(10, 4.3), sharey=True)
    look = looks(name for part in table.values() for name in part.label)
    for name in look:
        if _method(name) == "QPFS+Nystrom" and " = " not in name:
            look[name] |= {"label": "QPFS+N against p", "color": "#404040", "marker": "v"}
    for letter, axes, (axis, frame) in zip("abc", grid, table.items(), strict=True):
        for name, part in frame.groupby("label", sort=False):
            axes.loglog(part["size"], part.seconds, **look[name])
        sizes = sorted(frame["size"].unique())[:: 1 + (frame["size"].nunique() > 5)]
        axes.set_xticks(sizes, [f"{value:g}" for value in sizes], fontsize=8)
        axes.xaxis.set_minor_locator(NullLocator())
        first = letter == "a"
        label(axes, axis, ("processor time", "s") if first else "", f"({letter})")
    _name_curves(fig, 6)
    return fig
