"""MetricTree Figures 1 and 2: one cut, a least-squares SVM, its tree, the cells of the tree."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hlsvm.regions import MetricTreeSVC
from hlsvm.reproduce import draw_regions, label, legend, scatter_classes, size


class LeastSquaresSVC(ClassifierMixin, BaseEstimator):
    """Least-squares SVM with a Gaussian kernel: every point is a support vector.

    Solves ``[[0, 1'], [1, K + I/C]] [b; alpha] = [0; y]`` (Suykens and Vandewalle 1999, with the
    labels -1 and +1 taken into alpha).

    Parameters
    ----------
    C : float
    gamma : float
    """

    kernel = "rbf"

    def __init__(self, C=10.0, gamma=4.0):
        self.C = C
        self.gamma = gamma

    def fit(self, X, y):
        """Solve the linear system of the labels."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_ = np.unique(y)
        n = len(X)
        system = np.ones((n + 1, n + 1))
        system[0, 0] = 0
        system[1:, 1:] = self._gram(X, X) + np.eye(n) / self.C
        signs = np.where(y == self.classes_[-1], 1.0, -1.0)
        found = np.linalg.solve(system, np.concatenate([[0.0], signs]))
        self.support_vectors_, self.dual_coef_ = X, found[None, 1:]
        self.intercept_ = found[:1]
        return self

    def _gram(self, A, B):
        return np.exp(-self.gamma * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    def decision_function(self, X):
        """Evaluate the expansion."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._gram(X, self.support_vectors_) @ self.dual_coef_[0] + self.intercept_[0]

    def predict(self, X):
        """Classify by the sign."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def first_cut(X) -> tuple[MetricTreeSVC, pd.DataFrame]:
    """Cut points once between their farthest two.

    Returns
    -------
    tree : MetricTreeSVC
        Of one cut.
    points : DataFrame
        ``x1``, ``x2``, ``side`` (-1 for h < 0), ``end`` (1 for the farthest two).
    """
    X = np.ascontiguousarray(X, dtype=float)
    y = np.arange(len(X)) % 2
    tree = MetricTreeSVC(LeastSquaresSVC(), max_depth=1).fit(X, y)
    normal, offset = tree.tree_.normals[0], tree.tree_.offsets[0]
    values = X @ normal + offset
    ends = np.isclose(np.abs(values), normal @ normal / 2)
    side = np.where(values < 0, -1, 1)
    return tree, pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "side": side, "end": ends.astype(int)})


def draw_first_cut(X):
    """Draw one cut of a metric tree (MetricTree Fig. 1); also the numbers drawn."""
    tree, points = first_cut(X)
    fig, axes = plt.subplots(figsize=size(ratio=0.9), layout="constrained")
    scatter_classes(axes, points[["x1", "x2"]].to_numpy(), points.side.to_numpy(), size=14)
    ends = points[points.end == 1][["x1", "x2"]].to_numpy()
    axes.plot(*ends.T, color="black", linewidth=1.5, marker="s", label="farthest pair")
    middle, normal = ends.mean(axis=0), tree.tree_.normals[0]
    along = np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
    line = middle + np.outer([-0.8, 0.8], along)
    axes.plot(*line.T, color="black", linestyle="--", label="cut, h(x) = 0")
    axes.set_aspect("equal", adjustable="datalim")
    label(axes, "$x_1$", "$x_2$")
    legend(axes)
    return fig, points


def square_models(data, *, C: float, gamma: float) -> tuple[LeastSquaresSVC, MetricTreeSVC]:
    """Fit the least-squares SVM of Fig. 2 and its tree."""
    svm = LeastSquaresSVC(C, gamma).fit(data.X_train, data.y_train)
    return svm, MetricTreeSVC.from_fitted(svm, data.X_train)


def draw_square(data, svm, tree, *, depth: int = 6):
    """Draw the SVM, its tree and the cells at a depth (MetricTree Fig. 2); also the boundaries."""
    fig, panels = plt.subplots(
        1, 3, figsize=size(columns=2, ratio=0.8), sharey=True, layout="constrained"
    )
    X, y = data.X_train, data.y_train
    parts = []
    titles = {"(a) LS-SVM, 512 support vectors": svm, "(b) tree with Taylor leaves": tree}
    for axes, (title, model) in zip(panels, titles.items(), strict=False):
        parts.append(draw_regions(axes, model, X, steps=160).assign(model=type(model).__name__))
        scatter_classes(axes, X, y, size=5)
        label(axes, "$x_1$", "$x_2$" if axes is panels[0] else "", title)
    cells = MetricTreeSVC.from_fitted(svm, X, max_depth=depth)
    line = np.linspace(-1.05, 1.05, 240)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(line, line)])
    names = cells.apply(grid).reshape(len(line), -1)
    shades = np.random.default_rng(0).permutation(cells.get_n_leaves())
    panels[2].pcolormesh(line, line, shades[names], cmap="cividis", rasterized=True, alpha=0.8)
    label(panels[2], "$x_1$", "", f"(c) {cells.get_n_leaves()} cells at depth {depth}")
    return fig, pd.concat(parts, ignore_index=True)


def square_claims(data, svm, tree) -> pd.DataFrame:
    """Count what the text says of Fig. 2, here."""
    grid = np.random.default_rng(0).uniform(-1, 1, (100_000, 2))
    exact = svm.decision_function(grid[:20_000])
    said = tree.decision_function(grid[:20_000])
    met = tree.n_hyperplanes(grid)
    rows = {
        "support vectors of the LS-SVM": len(svm.support_vectors_),
        "most cuts above a leaf": tree.get_depth(),
        "mean dot products of a decision": round(float(met.mean()), 1),
        "points of the square decided alike, %": round(
            100 * float(np.mean((exact > 0) == (said > 0))), 1
        ),
        "points of the square with a certain class, %": round(
            100 * float(tree.is_certain(grid).mean()), 0
        ),
    }
    return pd.DataFrame({"value": pd.Series(rows, dtype=object)})
