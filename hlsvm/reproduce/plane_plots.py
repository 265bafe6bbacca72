"""Pictures of the plane: two classes as points, a classifier as regions and a boundary."""

import numpy as np
import pandas as pd

from hlsvm.reproduce.style import CLASSES


def scatter_classes(axes, X, y, *, size: float = 14.0, labels=None) -> None:
    """Draw the points of two classes: smaller label as blue discs, larger as orange crosses.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    X, y : array of shape (n_samples, 2) and (n_samples,)
        Points, and their two labels.
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


def _surfaces(estimator, X, steps: int, margin: float) -> tuple:
    """Return the ticks of a grid over points, and surfaces over it that are zero between classes.

    A decision function places the boundary between the grid's points; labels can only say between
    which of them it runs. More than two classes have labels alone, a surface per step.
    """
    X = np.asarray(X, dtype=float)
    low, high = X.min(axis=0), X.max(axis=0)
    pad = margin * (high - low)
    first, second = (np.linspace(low[k] - pad[k], high[k] + pad[k], steps) for k in (0, 1))
    grid = np.column_stack([part.ravel() for part in np.meshgrid(first, second)])
    if len(estimator.classes_) == 2 and hasattr(estimator, "decision_function"):
        surfaces = [estimator.decision_function(grid)]
    else:
        labels = np.searchsorted(estimator.classes_, estimator.predict(grid))
        surfaces = [np.where(labels < k, -1.0, 1.0) for k in range(1, len(estimator.classes_))]
    return first, second, [surface.reshape(steps, steps) for surface in surfaces]


def _pieces(first, second, surfaces) -> pd.DataFrame:
    """Return the lines along which surfaces are zero: ``x1``, ``x2``, ``piece``."""
    from contourpy import contour_generator

    lines = [line for one in surfaces for line in contour_generator(first, second, one).lines(0.0)]
    frames = [
        pd.DataFrame(line, columns=["x1", "x2"]).assign(piece=number)
        for number, line in enumerate(lines)
    ]
    return pd.concat(frames, ignore_index=True) if frames else _NONE.copy()


_NONE = pd.DataFrame({"x1": [], "x2": [], "piece": []})


def boundary(estimator, X, *, steps: int = 200, margin: float = 0.05) -> pd.DataFrame:
    """Return the boundary between the classes of a fitted classifier of two features, as numbers.

    Parameters
    ----------
    estimator : classifier
        Fitted on two features.
    X : array of shape (n_samples, 2)
        Points that set the extent, to which `margin` adds a share.
    steps : int, default=200
        Grid points along each axis.

    Returns
    -------
    DataFrame
        ``x1``, ``x2``, ``piece``: one line per piece. `draw_boundary` draws it without the model.
    """
    return _pieces(*_surfaces(estimator, X, steps, margin))


def draw_boundary(axes, lines: pd.DataFrame, **look) -> None:
    """Draw what `boundary` returned; the first piece carries the label."""
    look = {"color": "#404040", "linewidth": 1.3, **look}
    for number, (_, piece) in enumerate(lines.groupby("piece")):
        axes.plot(piece.x1, piece.x2, **(look if number == 0 else {**look, "label": None}))


def draw_regions(axes, estimator, X, *, steps: int = 400, margin: float = 0.05) -> None:
    """Shade the two decision regions of a fitted classifier and draw the boundary.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    estimator, X, steps, margin
        As for `boundary`; there are two classes.
    """
    first, second, (surface,) = _surfaces(estimator, X, steps, margin)
    limit = np.abs(surface).max() + 1.0
    fills = [look["fill"] for look in CLASSES]
    axes.contourf(first, second, surface, levels=[-limit, 0, limit], colors=fills, zorder=0)
    draw_boundary(axes, _pieces(first, second, [surface]), linewidth=1.0)
    axes.set_xlim(first[0], first[-1])
    axes.set_ylim(second[0], second[-1])
