"""Pictures of the SRS-SVM paper; each returns the figure and the numbers that are drawn."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.svm import SVC

from hlsvm import SRSSVC, datasets
from hlsvm.chapters.srs_svm.growth import CHOSEN, SETS
from hlsvm.reproduce import draw_regions, label, legend, line, scatter_classes, size
from hlsvm.subclass._pairs import LinearTraining, Subclass, linear_pair

_DRAWN = 1500  # points of a cloud that are drawn
_GREYS = "#707070"


def _frame(X, y) -> pd.DataFrame:
    return pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "y": y})


def _some(X, y):
    step = max(1, len(y) // _DRAWN)
    return X[::step], y[::step]


def draw_sets(sizes: dict[str, int], seed: int):
    """Draw the generated sets (SRS-SVM Fig. 7); `sizes` gives rows by short name."""
    fig, panels = plt.subplots(2, 2, figsize=size(columns=2, rows=2, ratio=0.7))
    fig.set_layout_engine("constrained")
    drawn = {}
    for axes, (name, n) in zip(panels.flat, sizes.items(), strict=True):
        data = datasets.load(SETS[name], n=n, seed=seed)
        scatter_classes(axes, data.X, data.y, size=4)
        axes.set_aspect("equal")
        label(axes, "$x_1$", "$x_2$", f"{name}, n = {n}")
        drawn[name] = _frame(data.X, data.y)
    return fig, drawn


def draw_subclasses(hs: tuple[int, ...], per_subclass: int, seed: int):
    """Draw the sets with many subclasses (SRS-SVM Fig. A.15)."""
    fig, panels = plt.subplots(1, len(hs), figsize=(10.0, 3.8), layout="constrained")
    drawn = {}
    for axes, h in zip(panels, hs, strict=True):
        n = 2 * h * per_subclass
        data = datasets.load("subclasses", n=n, seed=seed, n_subclasses=h)
        X, y = data.X[:6000], data.y[:6000]
        scatter_classes(axes, X, y, size=3)
        axes.set_aspect("equal")
        label(axes, "$x_1$", "$x_2$", f"h = {h}, n = {n}")
        drawn[f"h={h}"] = _frame(X, y)
    return fig, drawn


def pair_lines(model: SRSSVC, X, y) -> pd.DataFrame:
    """Hyperplanes of all pairs of subclasses of a fitted SRS-SVM: ``w1``, ``w2``, ``b``."""
    single = np.ascontiguousarray(X, dtype=np.float32)
    groups = [
        [
            Subclass(single, np.flatnonzero((y == name) & (model.subclasses_ == k)))
            for k in range(count)
        ]
        for name, count in zip(model.classes_, model.n_subclasses_, strict=True)
    ]
    upper = np.full(len(y), float(model.C))
    training = LinearTraining(1e-3, 2000, True)
    rows = []
    for a, minus in enumerate(groups[0]):
        for b, plus in enumerate(groups[1]):
            *_, w, bias, _ = linear_pair(single, minus, plus, upper, training, 0)
            bias -= float(w @ (0.5 * (minus.center + plus.center)))
            rows.append({"minus": a, "plus": b, "w1": w[0], "w2": w[1], "b": bias})
    return pd.DataFrame(rows)


def _draw_lines(axes, lines: pd.DataFrame, X) -> None:
    low, high = X.min(axis=0), X.max(axis=0)
    reach = np.linalg.norm(high - low)
    middle = 0.5 * (low + high)
    for row in lines.itertuples():
        w = np.array([row.w1, row.w2])
        length = np.linalg.norm(w)
        if length == 0:
            continue
        foot = middle - (w @ middle + row.b) / length**2 * w
        along = reach * np.array([-w[1], w[0]]) / length
        ends = np.stack([foot - along, foot + along])
        axes.plot(*ends.T, color=_GREYS, linewidth=0.9, zorder=1)
    pad = 0.05 * (high - low)
    axes.set_xlim(low[0] - pad[0], high[0] + pad[0])
    axes.set_ylim(low[1] - pad[1], high[1] + pad[1])


def draw_steps(name: str, n: int, h: int, seed: int):
    """Draw SRS-SVM step by step on a generated set (SRS-SVM Figs 9, 10).

    Returns
    -------
    fig, numbers, model
        `numbers` has the parts ``lines``, ``candidates``, ``SRS-SVM`` and ``LibSVM`` (boundaries).
    """
    data = datasets.load(SETS[name], n=n, seed=seed)
    X, y = data.X, data.y
    model = SRSSVC(h, faithful=True, random_state=seed, **CHOSEN).fit(X, y)
    lines, kept = pair_lines(model, X, y), model.candidates_
    tall = 0.8 if np.ptp(X[:, 0]) < 2 * np.ptp(X[:, 1]) else 0.45
    fig, panels = plt.subplots(2, 2, figsize=size(columns=2, rows=2, ratio=tall))
    fig.set_layout_engine("constrained")
    (first, second), (third, last) = panels
    scatter_classes(first, *_some(X, y), size=5)
    label(first, "$x_1$", "$x_2$", f"(a) {n} samples")
    scatter_classes(second, *_some(X, y), size=2)
    _draw_lines(second, lines, X)
    label(second, "$x_1$", "$x_2$", f"(b) linear SVMs of {len(lines)} pairs, h = {h}")
    scatter_classes(third, X[kept], y[kept], size=8)
    _draw_lines(third, lines, X)
    label(third, "$x_1$", "$x_2$", f"(c) {len(kept)} candidates")
    numbers = {"lines": lines, "candidates": _frame(X[kept], y[kept])}
    numbers["SRS-SVM"] = draw_regions(last, model, X)
    exact = SVC(**CHOSEN).fit(X, y)
    numbers["LibSVM"] = _overlay(last, exact, X)
    label(last, "$x_1$", "$x_2$", "(d) SRS-SVM (shaded), LibSVM (dashed)")
    return fig, numbers, model


def _overlay(axes, estimator, X) -> pd.DataFrame:
    """Draw the boundary of another classifier as a dashed line."""
    hidden, unseen = plt.subplots()
    boundary = draw_regions(unseen, estimator, X)
    plt.close(hidden)
    for _, piece in boundary.groupby("piece"):
        axes.plot(piece.x1, piece.x2, color=line("LIBSVM")["color"], linewidth=2, linestyle="--")
    return boundary


def draw_idea(n: int, h: int, seed: int):
    """Draw local linear pieces and the candidates they keep (SRS-SVM Fig. 2)."""
    data = datasets.load("two_circles", n=n, seed=seed)
    X, y = data.X, data.y
    model = SRSSVC(h, faithful=True, random_state=seed, **CHOSEN).fit(X, y)
    kept, lines = model.candidates_, pair_lines(model, X, y)
    fig, (first, second) = plt.subplots(1, 2, figsize=size(columns=2, ratio=0.8))
    fig.set_layout_engine("constrained")
    scatter_classes(first, X, y, size=6)
    _draw_lines(first, lines, X)
    label(first, "$x_1$", "$x_2$", f"{h} x {h} pairs of subclasses, a line each")
    boundary = draw_regions(second, model, X)
    scatter_classes(second, X[kept], y[kept], size=12)
    label(second, "$x_1$", "$x_2$", f"{len(kept)} of {n} samples decide")
    return fig, {"lines": lines, "candidates": _frame(X[kept], y[kept]), "boundary": boundary}


def draw_boundaries(names: tuple[str, ...], n: int, h: int, seed: int):
    """Draw the boundaries of LIBSVM and SRS-SVM side by side (SRS-SVM Fig. 11).

    Returns
    -------
    fig, boundaries, agreement
        `agreement`: share of new samples that both decide alike, in percent.
    """
    fig, panels = plt.subplots(
        2, len(names), figsize=(10.0, 6.6), layout="constrained", squeeze=False
    )
    boundaries, rows = {}, []
    for (top, bottom), name in zip(panels.T, names, strict=True):
        data = datasets.load(SETS[name], n=n, seed=seed)
        models = {"LibSVM": SVC(**CHOSEN), "SRS-SVM": SRSSVC(h, random_state=seed, **CHOSEN)}
        for axes, (method, model) in zip((top, bottom), models.items(), strict=True):
            model.fit(data.X, data.y)
            boundaries[f"{name}, {method}"] = draw_regions(axes, model, data.X)
            scatter_classes(axes, *_some(data.X, data.y), size=2)
            label(axes, "$x_1$", "$x_2$", f"{name}: {method}")
        fresh = datasets.load(SETS[name], n=2 * n, seed=seed + 1).X
        alike = np.mean(models["LibSVM"].predict(fresh) == models["SRS-SVM"].predict(fresh))
        rows.append({"set": name, "decided_alike_pct": 100 * alike})
    return fig, boundaries, pd.DataFrame(rows)


def draw_growth(table: pd.DataFrame, names: tuple[str, ...]):
    """Draw training time against the number of samples (SRS-SVM Figs 12, 13)."""
    fig, panels = plt.subplots(
        1, len(names), figsize=size(len(names), 1.0 if len(names) > 1 else 0.62), squeeze=False
    )
    fig.set_layout_engine("constrained")
    dashes = {5: "-", 15: "--", 20: ":"}
    for axes, name in zip(panels[0], names, strict=True):
        rows = table[table.dataset == name]
        for (method, h), part in rows.groupby(["method", "h"], sort=False):
            look = line(method, label=f"SRS-SVM, h = {h}" if h else method)
            if h:
                look["linestyle"] = dashes.get(h, "-")
            axes.plot(part.n, part.train_s, **look)
        axes.set_xscale("log")
        axes.set_yscale("log")
        label(axes, "training samples", ("time", "s"), f"{name}, grid search included")
        legend(axes, fontsize=8)
    return fig
