"""The measured figures of Thesis chapter 3: error curves, pixels, times."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator

from hlsvm.reproduce import label, legend, line, size
from hlsvm.reproduce.chapter3.curves import means

_RAMP = plt.get_cmap("viridis")


def looks(labels, methods) -> dict[str, dict]:
    """Return the look of every curve: the method's own, a ramp where a method has several."""
    frame = pd.DataFrame({"label": labels, "method": methods}).drop_duplicates()
    found = {}
    for method, part in frame.groupby("method", sort=False):
        names = list(part.label)
        for k, name in enumerate(names):
            found[name] = {**line(method), "label": name, "markersize": 4}
            if len(names) > 1 and "alpha^" not in name:
                found[name]["color"] = _RAMP(0.05 + 0.85 * k / (len(names) - 1))
                found[name]["marker"] = "osv^Dd<>"[k % 8]
                found[name]["linewidth"] = 1.1
    return found


def _curves(axes, frame: pd.DataFrame, title: str = ""):
    look = looks(frame.label, frame.method)
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
    legend(axes, fontsize=8)


def draw_curves(panels: dict[str, pd.DataFrame]):
    """Draw error against the number of features, one panel for each frame of `means`.

    Returns
    -------
    figure
        Bands are one standard error of the mean.
    """
    n = len(panels)
    fig, axes = plt.subplots(
        1, n, figsize=size(columns=n, ratio=0.85 if n > 1 else 0.62), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for one, (title, frame) in zip(axes.flat, panels.items(), strict=True):
        _curves(one, frame, title)
    return fig


def draw_costs(rows: pd.DataFrame, title: str = ""):
    """Draw Figure 3.5: the same selectors under several costs of the SVM, a panel for each."""
    frame = means(rows)
    parts = frame.label.str.rsplit(" C = ", n=1, expand=True)
    frame = frame.assign(label=parts[0], C=parts[1])
    panels = {f"{title}C = {C}": part for C, part in frame.groupby("C", sort=False)}
    fig = draw_curves(panels)
    low, high = frame.error_pct.min() - 1, frame.error_pct.max() + 1
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
        1, n, figsize=size(columns=n, ratio=0.9 if n > 1 else 0.62), squeeze=False,
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
    legend(axes.flat[n // 2], fontsize=8, loc="upper left")
    return fig
