"""Decision boundaries as numbers: lines that a drawing redraws without the model."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hlsvm.reproduce.plane_plots import plane_grid


def boundary(estimator, X, *, steps: int = 200, margin: float = 0.05) -> pd.DataFrame:
    """Return the boundary between the classes of a fitted classifier of two features.

    Parameters
    ----------
    estimator : classifier
        Asked by `predict`.
    X : array of shape (n_samples, 2)
        Points that set the extent.
    steps : int, default=200
        Grid points along each axis.
    margin : float, default=0.05
        Room around the points, as a share of their extent.

    Returns
    -------
    DataFrame
        ``x1``, ``x2``, ``piece``: one line per piece.
    """
    from contourpy import contour_generator

    first, second, grid = plane_grid(X, steps, margin)
    labels = np.searchsorted(estimator.classes_, estimator.predict(grid))
    pieces = []
    for level in range(1, len(estimator.classes_)):
        side = (labels >= level).astype(float).reshape(steps, steps)
        pieces += contour_generator(first, second, side).lines(0.5)
    frames = [
        pd.DataFrame(piece, columns=["x1", "x2"]).assign(piece=number)
        for number, piece in enumerate(pieces)
    ]
    return pd.concat(frames, ignore_index=True) if frames else _NONE.copy()


_NONE = pd.DataFrame({"x1": [], "x2": [], "piece": []})


def draw_boundary(axes, lines: pd.DataFrame, **look) -> None:
    """Draw what `boundary` returned; the first piece carries the label."""
    look = {"color": "#404040", "linewidth": 1.3, **look}
    for number, (_, piece) in enumerate(lines.groupby("piece")):
        axes.plot(piece.x1, piece.x2, **(look if number == 0 else {**look, "label": None}))
