"""Pictures of the plane: two classes as points, a classifier as regions and a boundary."""

from __future__ import annotations

import numpy as np

from hlsvm.reproduce.style import CLASSES


def scatter_classes(axes, X, y, *, size: float = 14.0, labels=None) -> None:
    """Draw the points of two classes: smaller label as blue discs, larger as orange crosses.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    X : array of shape (n_samples, 2)
        Points.
    y : array of shape (n_samples,)
        Two labels.
    size : float, default=14.0
        Area of a mark in points squared.
    labels : pair of str, optional
        Names for the legend.
    """
    X, y = np.asarray(X), np.asarray(y)
    names = np.unique(y)
    if X.ndim != 2 or X.shape[1] != 2 or len(names) > 2:
        raise ValueError(
            f"scatter_classes draws two features and two classes. Got X of shape {X.shape} and "
            f"{len(names)} classes."
        )
    for look, name, text in zip(CLASSES, names, labels or names, strict=False):
        rows = y == name
        marks = {"s": size, "c": look["color"], "marker": look["marker"], "linewidths": 0.9}
        axes.scatter(X[rows, 0], X[rows, 1], label=str(text), **marks)


def plane_grid(X, steps: int, margin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ticks of a grid over points of the plane, and the grid's points row by row.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
        Points that set the extent.
    steps : int
        Grid points along each axis.
    margin : float
        Room around the points, as a share of their extent.
    """
    X = np.asarray(X, dtype=float)
    low, high = X.min(axis=0), X.max(axis=0)
    pad = margin * (high - low)
    first, second = (np.linspace(low[k] - pad[k], high[k] + pad[k], steps) for k in (0, 1))
    return first, second, np.column_stack([part.ravel() for part in np.meshgrid(first, second)])


def draw_regions(axes, estimator, X, *, steps: int = 400, margin: float = 0.05) -> None:
    """Shade the two decision regions of a fitted classifier and draw the boundary.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    estimator : classifier
        Fitted on two features and two classes.
    X : array of shape (n_samples, 2)
        Points that set the extent.
    steps : int, default=400
        Grid points along each axis.
    margin : float, default=0.05
        Room around the points, as a share of their extent.
    """
    first, second, grid = plane_grid(X, steps, margin)
    if hasattr(estimator, "decision_function"):
        value = estimator.decision_function(grid).reshape(steps, steps)
    else:
        value = np.where(estimator.predict(grid) == estimator.classes_[1], 1.0, -1.0)
        value = value.reshape(steps, steps)
    limit = np.abs(value).max() + 1.0
    fills = [look["fill"] for look in CLASSES]
    axes.contourf(first, second, value, levels=[-limit, 0, limit], colors=fills, zorder=0)
    axes.contour(first, second, value, levels=[0], colors="#404040", linewidths=1.0)
    axes.set_xlim(first[0], first[-1])
    axes.set_ylim(second[0], second[-1])
