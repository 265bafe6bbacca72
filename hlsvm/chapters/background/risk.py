"""Thesis 2.1: underfitting and overfitting, shattering, the VC bound, validation."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC

from hlsvm.bounds import separate, shattered_labellings, vc_confidence
from hlsvm.reproduce import draw_regions, label, legend, scatter_classes

_SIMPLE, _FLEXIBLE = "linear", "flexible"
_FRESH = 20_000  # points on which the true error is measured


def _curved(n: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Two classes on the sides of a wave, one in twenty labels wrong."""
    X = rng.uniform(-1, 1, size=(n, 2))
    y = np.where(X[:, 1] > 0.5 * np.sin(np.pi * X[:, 0]), 1, -1)
    return X, np.where(rng.random(n) < 0.05, -y, y)


def _straight(n: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Two classes on the sides of a line, one in seven labels wrong."""
    X = rng.uniform(-1, 1, size=(n, 2))
    y = np.where(X[:, 1] > 0.6 * X[:, 0], 1, -1)
    return X, np.where(rng.random(n) < 0.15, -y, y)


_PANELS = {
    "(a) too few points to tell": (_curved, 9, 1.0),
    "(b) the line underfits": (_curved, 120, 3.0),
    "(c) the curve overfits": (_straight, 120, 60.0),
}


def dilemma(seed: int = 0):
    """Draw Figure 2.1: a line and a curve on few points, on a wave, and on a noisy line.

    Returns
    -------
    figure, errors : DataFrame, boundaries : DataFrame
        Errors in per cent on the points drawn and on 20,000 fresh ones.
    """
    fig, panels = plt.subplots(1, 3, figsize=(7.2, 2.6), layout="constrained")
    errors, boundaries = [], []
    for axes, (panel, (draw, n, gamma)) in zip(panels, _PANELS.items(), strict=True):
        rng = np.random.default_rng([seed, n])
        X, y = draw(n, rng)
        fresh = draw(_FRESH, rng)
        models = {
            _SIMPLE: SVC(kernel="linear", C=10.0).fit(X, y),
            _FLEXIBLE: SVC(C=100.0, gamma=gamma).fit(X, y),
        }
        frames = [
            draw_regions(axes, models[_FLEXIBLE], [[-1, -1], [1, 1]]).assign(model=_FLEXIBLE),
            _line(axes, models[_SIMPLE]),
        ]
        boundaries += [frame.assign(panel=panel) for frame in frames]
        scatter_classes(axes, X, y, size=9)
        label(axes, "$x_1$", "$x_2$", panel)
        for name, model in models.items():
            wrong = {"points": 1 - model.score(X, y), "fresh points": 1 - model.score(*fresh)}
            errors += [
                {"panel": panel, "model": name, "on": on, "error_pct": 100 * value}
                for on, value in wrong.items()
            ]
    return fig, pd.DataFrame(errors), pd.concat(boundaries, ignore_index=True)


def _line(axes, model) -> pd.DataFrame:
    """Draw the line of a linear machine, dashed."""
    w, b = model.coef_[0], model.intercept_[0]
    x = np.array([-1.1, 1.1])
    axes.plot(x, -(w[0] * x + b) / w[1], "--", color="black", linewidth=1.4)
    axes.set(xlim=x, ylim=x)
    return pd.DataFrame({"x1": x, "x2": -(w[0] * x + b) / w[1], "model": _SIMPLE})


def shattering(points=((-0.7, -0.5), (0.7, -0.4), (0.0, 0.7))):
    """Draw Figure 2.2: the eight labellings of three points, each with a hyperplane.

    Returns
    -------
    figure, planes : DataFrame
    """
    points = np.asarray(points, dtype=float)
    found = sorted(shattered_labellings(points))
    fig, panels = plt.subplots(2, 4, figsize=(7.2, 3.6), layout="constrained")
    rows = []
    for axes, (labels, w, b) in zip(panels.flat, found, strict=True):
        axes.set_axis_off()
        axes.set(xlim=(-1.3, 1.3), ylim=(-1.5, 1.2), aspect="equal")
        colors = {1: ("#E69F00", "x"), -1: ("#0072B2", "o")}
        for point, sign in zip(points, labels, strict=True):
            axes.plot(*point, colors[sign][1], color=colors[sign][0], markersize=9, mew=2.2)
        if not w.any():  # all of one label: any line that leaves them on that side
            w, b = separate([*points, (0.0, -1.6)], [*labels, -labels[0]])
        unit = w / np.linalg.norm(w)
        foot = -b / np.linalg.norm(w) * unit
        ends = foot + np.outer([-3, 3], [-unit[1], unit[0]])
        axes.plot(*ends.T, color="#404040")
        axes.annotate("", foot + 0.35 * unit, foot, arrowprops={"arrowstyle": "->"})
        rows.append({"labels": " ".join(f"{s:+d}" for s in labels), "w1": w[0], "w2": w[1], "b": b})
    return fig, pd.DataFrame(rows)


def tradeoff(X, y, *, degrees: int = 8, delta: float = 0.05) -> pd.DataFrame:
    """Give both terms of the VC bound (Eq. 2.4) for polynomials of growing degree.

    A polynomial of degree d in two variables is a hyperplane over its monomials, so its VC
    dimension is their number, the constant included.

    Returns
    -------
    DataFrame
        ``degree``, ``vc_dimension``, ``empirical_risk``, ``vc_confidence``, ``bound``.
    """
    rows = []
    for degree in range(1, degrees + 1):
        expand = PolynomialFeatures(degree, include_bias=False)
        model = make_pipeline(
            expand, StandardScaler(), LinearSVC(C=100.0, max_iter=20_000, tol=1e-3, random_state=0)
        ).fit(X, y)
        dimension = expand.n_output_features_ + 1
        risk, confidence = 1 - model.score(X, y), vc_confidence(dimension, len(y), delta)
        rows.append((degree, dimension, risk, confidence, risk + confidence))
    names = ["degree", "vc_dimension", "empirical_risk", "vc_confidence", "bound"]
    return pd.DataFrame(rows, columns=names)


def draw_tradeoff(terms: pd.DataFrame):
    """Draw Figure 2.3: empirical risk, VC confidence and their sum."""
    fig, axes = plt.subplots(figsize=(5.2, 3.1))
    looks = {
        "empirical_risk": ("#0072B2", "-", "empirical risk"),
        "vc_confidence": ("#E69F00", "--", "VC confidence"),
        "bound": ("black", "-", "their sum, the bound"),
    }
    for name, (shade, dash, text) in looks.items():
        axes.plot(terms.vc_dimension, terms[name], dash, marker="o", color=shade, label=text)
    best = terms.loc[terms.bound.idxmin()]
    axes.axvline(best.vc_dimension, color="#8A8A8A", linewidth=1)
    axes.text(best.vc_dimension + 0.4, 0.02, f"least at degree {best.degree:.0f}", fontsize=9)
    axes.set_ylim(0)
    label(axes, "VC dimension", "risk")
    legend(axes)
    return fig


def validation(X, y, *, seed: int = 0, repeats: int = 20, folds: int = 10) -> pd.DataFrame:
    """Estimate one model's error by hold-out and by k-fold validation, again and again.

    A fifth of the data is for training, so that the rest gives the error to be estimated.

    Returns
    -------
    DataFrame
        ``scheme``, ``mean_pct``, ``spread_pct`` of the estimates, ``true_pct`` of the model that
        is trained on everything.
    """
    X, X_rest, y, y_rest = train_test_split(X, y, train_size=0.2, random_state=seed, stratify=y)
    model = SVC(C=10.0, gamma=1.0)
    true = 100 * (1 - model.fit(X, y).score(X_rest, y_rest))
    estimates = {"hold-out, a quarter": [], f"{folds}-fold": []}
    for turn in range(repeats):
        order = np.random.default_rng([seed, turn]).permutation(len(y))
        Z, z = X[order], y[order]
        cut = 3 * len(z) // 4
        held = model.fit(Z[:cut], z[:cut]).score(Z[cut:], z[cut:])
        folded = cross_val_score(model, Z, z, cv=folds).mean()
        for name, score in zip(estimates, (held, folded), strict=True):
            estimates[name].append(100 * (1 - score))
    return pd.DataFrame(
        [
            {"scheme": name, "mean_pct": np.mean(e), "spread_pct": np.std(e), "true_pct": true}
            for name, e in estimates.items()
        ]
    )


def separable_share(n: int, *, seed: int = 0) -> tuple[int, int]:
    """Count the labellings of n random points of the plane that a line separates, of all."""
    points = np.random.default_rng(seed).normal(size=(n, 2))
    return len(shattered_labellings(points)), 2**n
