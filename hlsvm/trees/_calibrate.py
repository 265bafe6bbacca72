"""Probabilities made as sharp as held-out rows say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

# Powers tried lie between these; probabilities count as no smaller than this.
POWERS, _LEAST = (0.1, 10.0), 1e-6


def sharpened(p: ArrayLike, power: float) -> NDArray[np.float64]:
    """Probabilities raised to a power and scaled to sum to one again, the order unchanged.

    Examples
    --------
    >>> sharpened([[0.8, 0.2]], 2.0).round(3).tolist()
    [[0.941, 0.059]]
    """
    p = np.asarray(p, dtype=np.float64)
    if power == 1.0:
        return p
    raised = (p / p.max(axis=1, keepdims=True)) ** power
    return raised / raised.sum(axis=1, keepdims=True)


def best_power(shares: Callable, codes, weight) -> float:
    """Power with the least log loss on held-out rows, rounded to two digits.

    Parameters
    ----------
    shares : callable
        ``shares(power)`` gives the probabilities, shape (n, n_classes).
    codes : ndarray of int32, shape (n,)
        Classes of the rows.
    weight : ndarray of float64, shape (n,)
        Sums to one.

    Returns
    -------
    float
    """

    def loss(log_power):
        p = shares(float(np.exp(log_power)))
        return -float(weight @ np.log(np.maximum(p[np.arange(len(codes)), codes], _LEAST)))

    optimum = minimize_scalar(
        loss, bounds=np.log(POWERS), method="bounded", options={"xatol": 1e-3}
    )
    return round(float(np.exp(optimum.x)), 2)
