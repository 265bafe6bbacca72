"""The drawings of Thesis 2.2 and chapter 3: Figures 2.5, 2.6 and 3.1 to 3.4."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from scipy.stats import norm

from hlsvm.reproduce import CLASSES, color, label, scatter_classes, size
from hlsvm.select import InformationMatrix, segment_edges


def draw_circle(n: int = 1000, seed: int = 0):
    """Draw Figure 2.5: points of a circle, their correlation and their information.

    Returns
    -------
    figure, points : DataFrame, numbers : dict
    """
    t = np.random.default_rng(seed).uniform(-1, 1, n)
    points = pd.DataFrame({"x": np.sin(2 * np.pi * t), "y": np.cos(2 * np.pi * t)})
    X = points.to_numpy()
    information = InformationMatrix(X, segment_edges(X, 9, 4.0)).matrix()[0, 1]
    numbers = {
        "correlation": float(np.corrcoef(X.T)[0, 1]),
        "bound of a sample": 3 / np.sqrt(n),
        "information (bits)": float(information / np.log(2)),
    }
    fig, axes = plt.subplots(figsize=size(ratio=0.8))
    axes.plot(points.x, points.y, ".", color=color("QPFS"), markersize=3)
    axes.set_aspect("equal")
    title = f"r = {numbers['correlation']:.3f}, I(x; y) = {numbers['information (bits)']:.2f} bits"
    label(axes, r"$x = \sin 2\pi t$", r"$y = \cos 2\pi t$", title)
    return fig, points, numbers


def clouds(n: int = 200, seed: int = 0) -> pd.DataFrame:
    """Return six pairs of classes on which looking at one feature at a time misleads (Fig. 2.6)."""
    rng = np.random.default_rng(seed)
    turn = np.array([[1, -1], [1, 1]]) / np.sqrt(2)

    def gauss(centre, widths):
        return np.asarray(centre) + rng.normal(size=(n, 2)) * widths

    pairs = {
        "(a) X1 tells, X2 does not": [gauss((s, 0), (0.35, 1)) for s in (-1.2, 1.2)],
        "(b) X1 helps X2": [
            gauss((0, s), (1.6, 0.2)) @ np.array([[1, 0.8], [0, 1]]) for s in (-0.6, 0.6)
        ],
        "(c) neither tells alone": [
            np.concatenate([gauss((s, s * k), (0.4, 0.4))[: n // 2] for s in (-1, 1)])
            for k in (1, -1)
        ],
        "(d) both tell: (a) rotated": [gauss((s, 0), (0.35, 1)) @ turn for s in (-1.2, 1.2)],
        "(e) correlated, both needed": [gauss((s, 0), (0.2, 1.3)) @ turn for s in (-0.6, 0.6)],
        "(f) correlated, redundant": [gauss((0, s), (0.2, 0.45)) @ turn for s in (-1.3, 1.3)],
    }
    frames = [
        pd.DataFrame(points, columns=["x1", "x2"]).assign(panel=panel, y=k)
        for panel, classes in pairs.items()
        for k, points in enumerate(classes)
    ]
    return pd.concat(frames, ignore_index=True)


def draw_clouds(points: pd.DataFrame):
    """Draw Figure 2.6: the clouds, with the projections of the classes on the axes."""
    fig, grid = plt.subplots(2, 3, figsize=(10.0, 6.8), layout="constrained")
    for axes, (panel, part) in zip(grid.flat, points.groupby("panel", sort=False), strict=True):
        scatter_classes(axes, part[["x1", "x2"]], part.y, size=6)
        _margins(axes, part)
        label(axes, "$X_1$", "$X_2$", panel)
    return fig


def _margins(axes, part):
    """Draw the densities of both classes along the axes."""
    low = part[["x1", "x2"]].min() - 1.6
    high = part[["x1", "x2"]].max() + 0.3
    for k, cloud in part.groupby("y"):
        for name, across in (("x1", "x2"), ("x2", "x1")):
            bins = np.linspace(part[name].min(), part[name].max(), 25)
            height = np.histogram(cloud[name], bins)[0]
            height = low[across] + 1.3 * height / max(height.max(), 1)
            middle = (bins[1:] + bins[:-1]) / 2
            curve = (middle, height) if name == "x1" else (height, middle)
            axes.plot(*curve, color=CLASSES[k]["color"], linewidth=1)
    axes.set_xlim(low.x1, high.x1)
    axes.set_ylim(low.x2, high.x2)


def draw_families():
    """Draw Figure 3.1: cost and independence of the classifier of the kinds of selectors."""
    kinds = pd.DataFrame(
        [
            ("univariate filter", 1.0, 4.0, "MaxRel"),
            ("multivariate filter", 2.0, 4.0, "mRMR, ReliefF, CFS, SFS, QPFS"),
            ("embedded", 2.4, 2.0, "RFE-SVM"),
            ("wrapper", 4.0, 1.0, "forward, backward, best first"),
        ],
        columns=["kind", "cost", "independence", "examples"],
    )
    fig, axes = plt.subplots(figsize=size(ratio=0.7))
    for k, row in enumerate(kinds.itertuples()):
        axes.plot(row.cost, row.independence, "o", markersize=14, color=f"C{k}")
        below = row.kind == "univariate filter"
        axes.annotate(
            f"{row.kind}\n{row.examples}",
            (row.cost, row.independence),
            xytext=(0, -16 if below else 14),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
            fontsize=9,
        )
    axes.set(xlim=(0.2, 5), ylim=(0.4, 5.2), xticks=[], yticks=[])
    label(axes, "computational cost", "independence of the classifier")
    return fig, kinds


def draw_alpha():
    """Draw Figure 3.2: what alpha makes of QPFS."""
    places = pd.DataFrame(
        [
            (0.0, "redundancy only\nunsupervised\n(clustering, Laplacian score)"),
            (0.5, "redundancy and relevance\nmultivariate filters\n(mRMR, CFS, SFS, ReliefF)"),
            (1.0, "relevance only\nunivariate filters\n(MaxRel, decision tree)"),
        ],
        columns=["alpha", "meaning"],
    )
    fig, axes = plt.subplots(figsize=(8.0, 2.4))
    axes.annotate("", (1.06, 0), (-0.06, 0), arrowprops={"arrowstyle": "<->", "lw": 1.5})
    for row in places.itertuples():
        axes.plot(row.alpha, 0, "o", color=color("QPFS"), markersize=9)
        axes.text(row.alpha, 0.25, rf"$\alpha = {row.alpha:g}$", ha="center", fontsize=12)
        axes.text(row.alpha, -0.25, row.meaning, ha="center", va="top", fontsize=10)
    axes.set(xlim=(-0.25, 1.25), ylim=(-1.3, 0.7))
    axes.axis("off")
    return fig, places


_FLOWS = {
    "(a) QPFS in a subspace": [
        "similarities\n$Q$ ($M \\times M$), $F$",
        "diagonalise\n$Q = U \\Lambda U^T$",
        "keep eigenvalues $> \\delta$\n$\\tilde U, \\tilde\\Gamma$",
        "solve Eq. 3.9\nfor $z$",
        "$w = \\tilde U z$\nrank",
    ],
    "(b) QPFS+Nystrom": [
        "sample $r$ rows\n$[A\\ B]$ ($r \\times M$), $F$",
        "diagonalise $S = A +$\n$A^{-1/2} B B^T A^{-1/2}$",
        "extend to $M$ rows\n$\\hat U, \\hat\\Lambda$ (Eq. 3.10)",
        "solve Eq. 3.9\nfor $z$",
        "$w = \\hat U z$\nrank",
    ],
    "(c) QPFS here": [
        "pack features\nin bit planes, $F$",
        "columns of $Q$ of\n32 candidates",
        "solve on them:\npairwise, Newton",
        "violated elsewhere?\nthose enter",
        "$w$ with its\ngap: rank",
    ],
}


def draw_flows():
    """Draw Figure 3.3: the flow of both forms in the subspace, and of the exact one used here."""
    fig, axes = plt.subplots(figsize=(10.0, 4.6))
    steps = []
    for row, (title, boxes) in enumerate(_FLOWS.items()):
        y = 2 - row
        axes.text(-0.05, y + 0.36, title, fontsize=10, fontweight="bold", ha="left")
        for column, text in enumerate(boxes):
            box = FancyBboxPatch(
                (column, y - 0.22), 0.8, 0.46, boxstyle="round,pad=0.04", fc="white", ec="black"
            )
            axes.add_patch(box)
            axes.text(column + 0.4, y, text, ha="center", va="center", fontsize=9)
            steps.append({"flow": title, "step": column + 1, "text": text.replace("\n", " ")})
            if column:
                _arrow(axes, (column - 0.14, y), (column - 0.05, y))
    axes.annotate(
        "",
        (1.4, -0.28),
        (3.4, -0.28),
        arrowprops={"arrowstyle": "->", "connectionstyle": "bar,fraction=-0.08"},
    )
    axes.set(xlim=(-0.15, 5.0), ylim=(-0.65, 2.6))
    axes.axis("off")
    return fig, pd.DataFrame(steps)


def _arrow(axes, start, end):
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="->", mutation_scale=12))


def draw_segments(n_bins: int = 5, span: float = 4.0):
    """Draw Figure 3.4: a density cut into an odd number of segments."""
    x = np.linspace(-3.5, 3.5, 400)
    inner = (np.arange(1, n_bins) / n_bins - 0.5) * span
    fig, axes = plt.subplots(figsize=size(ratio=0.5))
    axes.plot(x, norm.pdf(x), color="black")
    limits = np.concatenate([[-3.5], inner, [3.5]])
    for k in range(n_bins):
        some = (x >= limits[k]) & (x <= limits[k + 1])
        axes.fill_between(
            x[some], norm.pdf(x[some]), color=color("QPFS"), alpha=0.15 + 0.6 * (k % 2)
        )
        axes.text(limits[k : k + 2].mean(), -0.035, str(k), ha="center", fontsize=10)
    axes.annotate("", (-span / 2, 0.43), (span / 2, 0.43), arrowprops={"arrowstyle": "<->"})
    axes.text(0, 0.44, rf"$s\sigma$ ($n$ = {n_bins} segments)", ha="center", fontsize=10)
    ticks = [-span / 2, 0, span / 2]
    axes.set_xticks(ticks, [r"$\mu - s\sigma/2$", r"$\mu$", r"$\mu + s\sigma/2$"])
    axes.set(ylim=(-0.06, 0.5), yticks=[])
    label(axes, "feature", "density")
    return fig, pd.DataFrame({"edge": inner})
