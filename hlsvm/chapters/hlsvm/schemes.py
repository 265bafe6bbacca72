"""Drawings and counts of Thesis chapter 5: where a decision's cost is cut, trees, hinge losses."""

from __future__ import annotations

import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.svm import SVC, LinearSVC

from hlsvm.reproduce import label, size
from hlsvm.reproduce.diagrams import draw_boxes
from hlsvm.trees import HLSVMClassifier

_CYCLE = (
    {
        "data": (0, 0, "collect\ndata"),
        "features": (1.3, 0, "choose\nfeatures"),
        "model": (2.6, 0, "choose SVM\nmodel"),
        "train": (3.9, 0, "train"),
        "decide": (5.4, 0, "decide:\n$n_{SV} \\times M \\times n_K$", "data"),
        "M": (1.3, 0.85, "fewer features: $M$", "choice"),
        "n_K": (2.6, -0.85, "cheaper kernel: $n_K$", "choice"),
        "n_SV": (3.9, 0.85, "fewer vectors: $n_{SV}$", "choice"),
    },
    [
        *(("data", "features"), ("features", "model"), ("model", "train"), ("train", "decide")),
        *(("M", "features"), ("n_K", "model"), ("n_SV", "train")),
    ],
)


def _cascade(last: str, kind: str) -> tuple[dict, list]:
    """Boxes and arrows of a chain of linear SVMs: what one side decides is done with."""
    boxes, arrows = {}, []
    for k in range(3):
        boxes[f"svm {k}"] = (1.0 * k, -0.8 * k, f"linear SVM {k + 1}")
        boxes[f"leaf {k}"] = (1.0 * k - 1.0, -0.8 * (k + 1), last, kind)
        arrows.append((f"svm {k}", f"leaf {k}"))
        arrows += [(f"svm {k - 1}", f"svm {k}")] if k else []
    boxes["end"] = (3.0, -2.4, last, kind)
    return boxes, [*arrows, ("svm 2", "end")]


_TREE = (
    {
        "root": (2.0, 0.0, "$w_1\\cdot x + b_1$"),
        "left": (0.7, -0.8, "$w_2\\cdot x + b_2$"),
        "right": (3.3, -0.8, "$w_3\\cdot x + b_3$"),
        "no": (1.05, -0.28, "$\\leq 0$", "plain"),
        "yes": (2.95, -0.28, "$> 0$", "plain"),
        "a": (0.0, -1.6, "leaf", "data"),
        "b": (1.4, -1.6, "$w_4\\cdot x + b_4$"),
        "c": (2.7, -1.6, "leaf", "data"),
        "d": (3.9, -1.6, "leaf", "data"),
        "e": (0.9, -2.4, "leaf", "data"),
        "f": (1.9, -2.4, "leaf", "data"),
    },
    [
        *(("root", "left"), ("root", "right")),
        *(("left", "a"), ("left", "b"), ("right", "c"), ("right", "d"), ("b", "e"), ("b", "f")),
    ],
)


def decision_cost():
    """Draw Figure 5.1: what makes a decision of a kernel SVM dear, and where each factor is cut.

    Returns
    -------
    figure, boxes and arrows : DataFrame
    """
    fig, axes = plt.subplots(figsize=(8.6, 2.4), layout="constrained")
    return fig, draw_boxes(axes, *_CYCLE)


def cascades():
    """Draw Figure 5.2: a cascade of linear SVMs, and one with kernel SVMs in its leaves.

    Returns
    -------
    figure, boxes and arrows : DataFrame
    """
    fig, panels = plt.subplots(1, 2, figsize=(9.0, 2.6), layout="constrained")
    kinds = {
        "(a) decided at once": ("class", "data"),
        "(b) left to a kernel SVM": ("SVM", "choice"),
    }
    frames = [
        draw_boxes(axes, *_cascade(*kind), title=title).assign(panel=title)
        for axes, (title, kind) in zip(panels, kinds.items(), strict=True)
    ]
    return fig, pd.concat(frames, ignore_index=True)


def oblique_tree():
    """Draw Figure 5.3: an H-LSVM tree, in which both children of a node may be split again.

    Returns
    -------
    figure, boxes and arrows : DataFrame
    """
    fig, axes = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    return fig, draw_boxes(axes, *_TREE)


def hinge_losses(weights=(0.25, 0.5, 1.0, 2.0)) -> pd.DataFrame:
    """Return the weighted hinge losses of Figure C.1: nu max(0, 1 - z) against the margin z.

    Returns
    -------
    DataFrame
        ``nu``, ``margin``, ``loss``.

    Examples
    --------
    >>> table = hinge_losses((2.0,))
    >>> float(table.loss[table.margin == 0].iloc[0])
    2.0
    """
    margins = np.linspace(-2.0, 2.0, 81)
    return pd.concat(
        pd.DataFrame({"nu": nu, "margin": margins, "loss": nu * np.maximum(0.0, 1.0 - margins)})
        for nu in weights
    ).reset_index(drop=True)


def draw_hinge_losses(table: pd.DataFrame):
    """Draw the weighted hinge losses; nu = 1 is the plain one, all are convex."""
    fig, axes = plt.subplots(figsize=size(0.8), layout="constrained")
    styles = ("-", "--", "-.", ":")
    for k, (nu, one) in enumerate(table.groupby("nu")):
        name = "hinge loss" if nu == 1 else f"weighted, $\\nu$ = {nu:g}"
        axes.plot(one.margin, one.loss, styles[k % 4], lw=2.2 if nu == 1 else 1.4, label=name)
    label(axes, "margin $z = y\\,(w \\cdot x + b)$", "loss")
    axes.legend()
    return fig


def _fit_seconds(model, X, y) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def operations(X, y, sizes, *, seed: int = 0, repeats: int = 3) -> pd.DataFrame:
    """Set counted and measured growth beside the operations of Table 5.1.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    sizes : sequence of int
        Training samples, taken from the front.
    seed : int
    repeats : int
        The fastest of so many fits counts.

    Returns
    -------
    DataFrame
        By ``algorithm``: ``training_ops``, ``classification_ops`` (of what is run here),
        ``exponent_N`` (of the processor seconds of training), ``per_decision`` (dot products or
        kernel evaluations at the largest size).
    """
    tree = {"lam": 1e-5, "min_fraction": 1e-3, "random_state": seed}
    runs = {
        "Linear SVM": (LinearSVC(random_state=seed), "N*M*log(1/eps)", "M"),
        "SMO-SVM": (SVC(C=10.0, gamma=1.0), "N^2*M", "n_SV*M*n_K"),
        "H-LSVM": (HLSVMClassifier(**tree), "N*M*depth*log(1/eps)", "N_H^P(x)*M"),
    }
    rows = []
    for name, (model, training, deciding) in runs.items():
        seconds = [min(_fit_seconds(model, X[:n], y[:n]) for _ in range(repeats)) for n in sizes]
        met = {
            "Linear SVM": lambda model: 1.0,
            "SMO-SVM": lambda model: float(model.n_support_.sum()),
            "H-LSVM": lambda model: float(model.n_hyperplanes(X).mean()),
        }[name](model)
        slope = np.polyfit(np.log(sizes), np.log(np.maximum(seconds, 1e-6)), 1)[0]
        rows.append((name, training, deciding, slope, met))
    columns = ["algorithm", "training_ops", "classification_ops", "exponent_N", "per_decision"]
    return pd.DataFrame(rows, columns=columns)
