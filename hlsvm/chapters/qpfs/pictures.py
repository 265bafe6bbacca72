"""The measured figures of Thesis chapter 3: error curves, pixels, times."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import NullLocator

from hlsvm.chapters.qpfs.curves import means
from hlsvm.reproduce import label, line, size

# Colours and markers of the settings of one method, none of them those of another method.
_RAMPS = {
    "QPFS": (("#440154", "#8F5BB0", "#0B7A75", "#35A35B", "#7AD151", "#C7D928"), "<>*Xpd"),
    "QPFS+Nystrom": (("#7CCBF2", "#2E86AB", "#0B2545"), "sHdX*"),
}


def looks(labels, methods, own=()) -> dict[str, dict]:
    """Return the look of every curve: the method's own, a ramp for several settings of one.

    Parameters
    ----------
    labels, methods : sequences of str
        Of all curves of a figure, so that a curve looks alike in all its panels. A label with a
        setting ("alpha = 0.3") takes its place on the ramp of its method, unless it is the only
        one of the method.
    own : collection of str
        Labels that keep the look of their method all the same.
    """
    frame = pd.DataFrame({"label": labels, "method": methods}).drop_duplicates()
    found = {}
    for method, part in frame.groupby("method", sort=False):
        settings = [name for name in part.label if " = " in name and name not in own]
        for name in part.label:
            found[name] = {**line(method), "label": name, "markersize": 4.5}
        if len(part) == 1 or method not in _RAMPS:
            continue
        colors, markers = _RAMPS[method]
        ramp = LinearSegmentedColormap.from_list(method, colors)
        for k, name in enumerate(settings):
            found[name]["color"] = ramp(k / max(len(settings) - 1, 1))
            found[name]["marker"] = markers[k % len(markers)]
            found[name]["linewidth"] = 1.1
    return found


def _name_curves(fig, most: int):
    """Name every curve of a figure once, below its panels, `most` in a row."""
    named = {}
    for axes in fig.axes:
        named |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    fig.legend(
        list(named.values()), list(named), loc="outside lower center", ncols=min(most, len(named)),
        fontsize=9, handlelength=3.2,
    )  # fmt: skip


def _curves(axes, frame: pd.DataFrame, look: dict, title: str = ""):
    for name, part in frame.groupby("label", sort=False):
        axes.plot(part.n_features, part.error_pct, **look[name])
        if "error_pm" in part and name in ("QPFS", "mRMR MID"):
            band = (part.error_pct - part.error_pm, part.error_pct + part.error_pm)
            axes.fill_between(part.n_features, *band, color=look[name]["color"], alpha=0.15, lw=0)
    axes.set_xscale("log")
    counts = sorted(frame.n_features.unique())
    axes.set_xticks(counts, [str(count) for count in counts], fontsize=8)
    axes.minorticks_off()
    label(axes, "selected features", ("test error", "%"), title)


def draw_curves(panels: dict[str, pd.DataFrame], own=()):
    """Draw error against the number of features, one panel for each frame of `means`.

    Parameters
    ----------
    panels : dict of str to DataFrame
        Title -> rows.
    own : collection of str
        Labels that keep the look of their method, see `looks`.

    Returns
    -------
    figure
        Bands are one standard error of the mean.
    """
    n = len(panels)
    fig, axes = plt.subplots(
        1, n, figsize=size(columns=n, ratio=0.95 if n > 1 else 0.7), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    every = pd.concat(panels.values())
    look = looks(every.label, every.method, own)
    for one, (title, frame) in zip(axes.flat, panels.items(), strict=True):
        _curves(one, frame, look, title)
    _name_curves(fig, 5 if n > 1 else 4)
    return fig


def draw_costs(rows: pd.DataFrame, title: str = ""):
    """Draw Figure 3.5: the same selectors under several costs of the SVM, a panel for each."""
    frame = means(rows)
    parts = frame.label.str.rsplit(" C = ", n=1, expand=True)
    frame = frame.assign(label=parts[0], C=parts[1])
    panels = {f"{title}C = {C}": part for C, part in frame.groupby("C", sort=False)}
    fig = draw_curves(panels)
    low = (frame.error_pct - frame.error_pm).min() - 0.5
    high = (frame.error_pct + frame.error_pm).max() + 0.5
    for axes in fig.axes:
        axes.set_ylim(low, high)
    return fig, frame


def draw_pixels(orders: dict[str, np.ndarray], counts, shape):
    """Draw Figure 3.12: the first pixels of a ranking, black on white.

    Parameters
    ----------
    orders : dict of str to int array
        Title -> ranking of the pixels.
    counts : sequence of int
    shape : pair of int

    Returns
    -------
    figure, data : DataFrame
        ``ranking, pixel, rank``.
    """
    fig, grid = plt.subplots(
        len(orders), len(counts), figsize=(2.6 * len(counts) + 0.4, 2.8 * len(orders)),
        squeeze=False, layout="constrained",
    )  # fmt: skip
    for row, (title, order) in zip(grid, orders.items(), strict=True):
        for axes, count in zip(row, counts, strict=True):
            picture = np.zeros(shape[0] * shape[1])
            picture[order[:count]] = 1
            axes.imshow(picture.reshape(shape), cmap="Greys", vmin=0, vmax=1)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(True)
            axes.spines[:].set_color("#8A8A8A")
            axes.set_title(f"{title}: first {count}", fontsize=9)
    frames = [
        pd.DataFrame({"ranking": title, "pixel": order, "rank": np.arange(1, len(order) + 1)})
        for title, order in orders.items()
    ]
    return fig, pd.concat(frames, ignore_index=True)


def draw_times(panels: dict[str, pd.DataFrame], shown: dict[str, str]):
    """Draw Figure 3.13: seconds against N, M and p.

    Parameters
    ----------
    panels : dict of str to DataFrame
        Name of the axis -> rows of `growth.against`.
    shown : dict of str to str
        Label -> method, for its look.
    """
    n = len(panels)
    fig, axes = plt.subplots(
        1, n, figsize=size(columns=n, ratio=1.0 if n > 1 else 0.7), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    look = looks(list(shown), list(shown.values()))
    for one, (axis, frame) in zip(axes.flat, panels.items(), strict=True):
        for name, part in frame.groupby("label", sort=False):
            one.loglog(part["size"], part.seconds, **look[name])
        sizes = sorted(frame["size"].unique())
        shown_sizes = sizes if len(sizes) < 6 else sizes[::2]
        one.set_xticks(shown_sizes, [f"{value:g}" for value in shown_sizes], fontsize=8)
        one.xaxis.set_minor_locator(NullLocator())
        label(one, axis, ("processor time", "s"))
    _name_curves(fig, 6)
    return fig
