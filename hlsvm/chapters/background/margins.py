"""Thesis 2.3.1 and 2.3.2: boundaries, the perceptron, margins, slacks, the kernel trick."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import Perceptron
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm.reproduce import CLASSES, draw_regions, label, scatter_classes


def boundaries(X, y):
    """Draw Figure 2.7: one data set, cut by a line, by axis-parallel splits and by a curve.

    Returns
    -------
    figure, drawn : DataFrame
        The boundaries, with the error on the points in per cent.
    """
    models = {
        "(a) linear SVM": LinearSVC(random_state=0),
        "(b) axis-parallel splits": DecisionTreeClassifier(max_leaf_nodes=6, random_state=0),
        "(c) Gaussian SVM": SVC(C=10.0, gamma=1.0),
    }
    fig, panels = plt.subplots(1, 3, figsize=(7.6, 2.6), layout="constrained")
    frames = []
    for axes, (panel, model) in zip(panels, models.items(), strict=True):
        model.fit(X, y)
        error = 100 * (1 - model.score(X, y))
        frames.append(draw_regions(axes, model, X).assign(panel=panel, error_pct=error))
        scatter_classes(axes, X, y, size=6)
        label(axes, "$x_1$", "$x_2$", panel)
    return fig, pd.concat(frames, ignore_index=True)


def separable(n: int = 60, gap: float = 0.8, seed: int = 0):
    """Give two clouds with an empty band of the given width between them, labels -1 and +1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    along, away = rng.normal(scale=1.5, size=n), gap / 2 + rng.exponential(0.7, n)
    turn = np.array([[1.0, 0.5], [-0.5, 1.0]]) / np.hypot(1.0, 0.5)
    return np.column_stack([along, y * away]) @ turn, y


def two_lines(X, y, *, jitter: float = 0.3, draws: int = 200, seed: int = 0) -> pd.DataFrame:
    """Compare the widest margin H1 with the narrowest of 50 perceptrons, H2 (Fig. 2.8).

    Returns
    -------
    DataFrame
        ``line``, the hyperplane ``w1``, ``w2``, ``b``, its ``margin`` (distance of the nearest
        point) and the error in per cent when the points move by Gaussian noise `jitter`.
    """
    widest = SVC(kernel="linear", C=1e6).fit(X, y)
    perceptrons = [Perceptron(random_state=k, tol=None).fit(X, y) for k in range(50)]
    perceptrons = [model for model in perceptrons if model.score(X, y) == 1.0]
    narrow = min(perceptrons, key=lambda model: _margin(model, X, y))
    rng = np.random.default_rng(seed)
    moved = [X + rng.normal(scale=jitter, size=X.shape) for _ in range(draws)]
    rows = []
    for name, model in (("H1, widest margin", widest), ("H2, a perceptron", narrow)):
        wrong = 100 * (1 - np.mean([model.score(Z, y) for Z in moved]))
        plane = (*model.coef_[0], float(model.intercept_[0]))
        rows.append((name, *plane, _margin(model, X, y), wrong))
    return pd.DataFrame(rows, columns=["line", "w1", "w2", "b", "margin", "error_moved_pct"])


def _margin(model, X, y) -> float:
    return float((y * model.decision_function(X)).min() / np.linalg.norm(model.coef_))


def draw_two_lines(X, y, lines: pd.DataFrame):
    """Draw Figure 2.8: points and two lines that separate them."""
    fig, axes = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
    scatter_classes(axes, X, y, size=20)
    for row, dash in zip(lines.itertuples(), ("-", "--"), strict=True):
        _draw_line(axes, X, (row.w1, row.w2), row.b, linestyle=dash, color="black", label=row.line)
    label(axes, "$x_1$", "$x_2$")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


def _draw_line(axes, X, w, b, **look) -> None:
    """Draw w.x + b = 0 inside the extent of the points."""
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    w = np.asarray(w) / np.linalg.norm(w)
    foot, along = -b / np.linalg.norm(np.asarray(w)) * w, np.array([-w[1], w[0]])
    axes.axline(foot, foot + along, linewidth=1.3, **look)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def hard_and_soft(X, y, *, C: float = 1.0, spread: float = 0.7, seed: int = 0):
    """Draw Figure 2.9: the hard margin, and the soft one where the points overlap.

    Returns
    -------
    figure, points : DataFrame
        ``panel``, ``x1``, ``x2``, ``y``, multiplier ``alpha`` (0: no support vector), ``slack``.
    """
    moved = X + np.random.default_rng(seed).normal(scale=spread, size=X.shape)
    fig, panels = plt.subplots(1, 2, figsize=(6.4, 2.4), layout="constrained")
    frames = []
    tasks = {"(a) hard margin": (X, 1e6), f"(b) soft margin, C = {C:g}": (moved, C)}
    for axes, (panel, (Z, cost)) in zip(panels, tasks.items(), strict=True):
        model = SVC(kernel="linear", C=cost).fit(Z, y)
        frames.append(_margins(axes, model, Z, y).assign(panel=panel))
        label(axes, "$x_1$", "$x_2$", panel)
    return fig, pd.concat(frames, ignore_index=True)


def _margins(axes, model, X, y) -> pd.DataFrame:
    w, b = model.coef_[0], float(model.intercept_[0])
    norm = np.linalg.norm(w)
    scatter_classes(axes, X, y, size=18)
    for level, dash in ((0, "-"), (1, "--"), (-1, "--")):
        _draw_line(axes, X, w / norm, (b - level) / norm, linestyle=dash, color="#404040")
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    slack = np.maximum(0, 1 - y * model.decision_function(X))
    rings = X[model.support_]
    axes.scatter(*rings.T, s=90, facecolors="none", edgecolors="black", linewidths=1.1)
    for point, sign, amount in zip(X, y, slack, strict=True):
        if amount > 1e-3:
            end = point + sign * amount * w / norm**2
            axes.plot(*np.array([point, end]).T, color="#D55E00", linewidth=1)
    return pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "y": y, "alpha": alpha, "slack": slack})


def threshold(model, X, y) -> dict[str, float]:
    """Return b of a linear SVM from its free support vectors, and averaged over all of them.

    Only a support vector with 0 < alpha < C lies on the margin; the average over all, which the
    text below Thesis Eq. 2.29 asks for, is wrong when some are at C (erratum E30).
    """
    signs = np.asarray(y)[model.support_]
    each = signs - np.asarray(X)[model.support_] @ model.coef_[0]
    alpha = np.abs(model.dual_coef_[0])
    free = (alpha > 1e-6 * model.C) & (alpha < (1 - 1e-6) * model.C)
    return {
        "LIBSVM": float(model.intercept_[0]),
        "free support vectors": float(each[free].mean()),
        "all support vectors": float(each.mean()),
    }


def feature_map(X):
    """Return (x1^2, x2^2, sqrt(2) x1 x2): the dot products of the images are (x.y)^2."""
    X = np.asarray(X)
    return np.column_stack([X[:, 0] ** 2, X[:, 1] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1]])


def disc(n: int = 110, seed: int = 0):
    """Draw Figure 2.10: a disc in the plane, and its image cut off by a plane.

    Returns
    -------
    figure, points : DataFrame
        ``x1``, ``x2``, ``y``, the image ``z1``, ``z2``, ``z3``, and ``side``: the decision value
        of a linear SVM on the images.
    """
    X = np.random.default_rng(seed).uniform(-1.5, 1.5, size=(n, 2))
    y = np.where((X**2).sum(axis=1) <= 1, 1, -1)
    Z = feature_map(X)
    model = SVC(kernel="linear", C=1e4).fit(Z, y)
    fig = plt.figure(figsize=(6.8, 3.0), layout="constrained")
    places = fig.add_gridspec(1, 2, width_ratios=[1, 1.3])
    flat, deep = fig.add_subplot(places[0]), fig.add_subplot(places[1], projection="3d")
    deep.set_box_aspect(None, zoom=1.2)
    scatter_classes(flat, X, y, size=14)
    flat.set_aspect("equal")
    label(flat, "$x_1$", "$x_2$", "input space")
    for look, sign in zip(CLASSES, (-1, 1), strict=True):
        some = y == sign
        deep.scatter(*Z[some].T, c=look["color"], marker=look["marker"], s=14)
    first, second = np.meshgrid(np.linspace(0, 1, 2), np.linspace(-2.2, 2.2, 2))
    w, b = model.coef_[0], model.intercept_[0]
    deep.plot_surface(
        first, -(b + w[0] * first + w[2] * second) / w[1], second, alpha=0.25, color="#8A8A8A"
    )
    deep.set(xlabel="$x_1^2$", ylabel="$x_2^2$", ylim=(0, 2.2))
    deep.set_zlabel(r"$\sqrt{2}\,x_1x_2$")
    deep.view_init(14, 15)
    deep.set_xticks([0, 1, 2])
    frame = pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "y": y})
    frame[["z1", "z2", "z3"]] = Z
    return fig, frame.assign(side=model.decision_function(Z))


def multiclass(data, seed: int = 0) -> pd.DataFrame:
    """Compare one-against-one with one-against-others: hyperplanes and test accuracy.

    Parameters
    ----------
    data : Dataset
        With a test part and more than two classes.
    """
    rows = []
    base = LinearSVC(random_state=seed)
    schemes = {"one-against-one": OneVsOneClassifier, "one-against-others": OneVsRestClassifier}
    for name, scheme in schemes.items():
        model = scheme(base).fit(data.X_train, data.y_train)
        right = 100 * model.score(data.X_test, data.y_test)
        rows.append((name, len(np.unique(data.y_train)), len(model.estimators_), right))
    return pd.DataFrame(rows, columns=["scheme", "classes", "hyperplanes", "accuracy_pct"])
