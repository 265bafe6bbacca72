"""VC dimension, dichotomies and the structural-risk bound of Thesis 2.1."""

from __future__ import annotations

import math
from itertools import product
from numbers import Integral

import numpy as np
from scipy.optimize import linprog

from hlsvm._data import check_numbers
from hlsvm._params import check_number
from hlsvm.bounds.result import Bound

__all__ = [
    "count_dichotomies",
    "separate",
    "shattered_labellings",
    "vc_bound",
    "vc_confidence",
    "vc_dimension_hyperplane",
]


def vc_dimension_hyperplane(n_features: int) -> int:
    """VC dimension M + 1 of the hyperplanes w.x + b = 0 of M dimensions (Thesis 2.1.1).

    Examples
    --------
    >>> vc_dimension_hyperplane(2)
    3
    """
    check_number("vc_dimension_hyperplane", "n_features", n_features, kind=Integral, low=0)
    return int(n_features) + 1


def count_dichotomies(n: int, n_features: int) -> int:
    """Labellings of n points in general position that hyperplanes produce (Cover 1965).

    ``2 sum_{k <= M} C(n - 1, k)``: all 2^n up to n = M + 1, polynomially many beyond.

    Examples
    --------
    >>> count_dichotomies(3, 2), count_dichotomies(4, 2)
    (8, 14)
    """
    check_number("count_dichotomies", "n", n, kind=Integral, low=1, high=10_000)
    check_number("count_dichotomies", "n_features", n_features, kind=Integral, low=0)
    most = min(int(n_features), int(n) - 1)
    return 2 * sum(math.comb(int(n) - 1, k) for k in range(most + 1))


def separate(points, labels) -> tuple[np.ndarray, float] | None:
    """Hyperplane with ``y (w.x + b) >= 1`` on all points, or None where there is none.

    Parameters
    ----------
    points : array-like of shape (n, M)
    labels : array-like of shape (n,)
        -1 and +1.

    Returns
    -------
    (w, b) or None
        Found by linear programming, w of least L1 norm.

    Examples
    --------
    >>> separate([[0.0], [1.0], [2.0]], [1, -1, 1]) is None
    True
    """
    points = check_numbers("separate", "points", points, ndim=2)
    labels = check_numbers("separate", "labels", labels, ndim=1)
    if labels.shape != points.shape[:1]:
        raise ValueError(
            "The 'labels' parameter of separate must be one label per row of 'points'. "
            f"Got shapes {points.shape} and {labels.shape}."
        )
    if not np.isin(labels, (-1.0, 1.0)).all():
        raise ValueError(f"'labels' must be -1 and +1. Got {np.unique(labels)[:5]}.")
    n, m = points.shape
    split = labels[:, None] * np.hstack([points, -points, np.ones((n, 1)), -np.ones((n, 1))])
    cost = np.concatenate([np.ones(2 * m), np.full(2, 1e-6)])
    result = linprog(cost, A_ub=-split, b_ub=-np.ones(n), bounds=(0, None), method="highs")
    if not result.success:
        return None
    return result.x[:m] - result.x[m : 2 * m], float(result.x[2 * m] - result.x[2 * m + 1])


def shattered_labellings(points) -> list[tuple[tuple[int, ...], np.ndarray, float]]:
    """All labellings of `points` that a hyperplane gives, each with one such hyperplane.

    Parameters
    ----------
    points : array-like of shape (n, M)
        At most 16 points (2^n labellings are tried).

    Returns
    -------
    list of (labels, w, b)
        2^n of them if the points are shattered (Thesis Fig. 2.2).

    Examples
    --------
    >>> len(shattered_labellings([[0, 0], [1, 0], [0, 1]]))
    8
    """
    points = check_numbers("shattered_labellings", "points", points, ndim=2)
    if not 1 <= len(points) <= 16:
        raise ValueError(f"'points' must be a matrix of 1 to 16 rows. Got shape {points.shape}.")
    result = []
    for labels in product((-1, 1), repeat=len(points)):
        plane = separate(points, labels)
        if plane is not None:
            result.append((labels, *plane))
    return result


def vc_confidence(vc_dimension: int, n: int, delta: float = 0.05) -> float:
    r"""Second term of Thesis Eq. 2.4, :math:`\sqrt{(h (\ln(2N/h) + 1) - \ln(\delta/4))/N}`.

    Parameters
    ----------
    vc_dimension, n : int
        h and N > h.
    delta : float in (0, 1)

    Examples
    --------
    >>> round(vc_confidence(3, 1000), 3)
    0.164
    """
    check_number("vc_confidence", "vc_dimension", vc_dimension, kind=Integral, low=1, closed="left")
    check_number(
        "vc_confidence", "n", n, kind=Integral, low=vc_dimension, closed="neither"
    )  # fmt: skip
    check_number("vc_confidence", "delta", delta, low=0, high=1, closed="neither")
    h = float(vc_dimension)
    return math.sqrt((h * (math.log(2 * n / h) + 1) - math.log(delta / 4)) / n)


def vc_bound(train_error: float, vc_dimension: int, n: int, *, delta: float = 0.05) -> Bound:
    """Vapnik's bound on the risk of every function of a class (Thesis Theorem 2.1, Eq. 2.4).

    Examples
    --------
    >>> vc_bound(0.1, 3, 1000).value < 0.3
    True
    """
    check_number("vc_bound", "train_error", train_error, low=0, high=1)
    confidence = vc_confidence(vc_dimension, n, delta)
    terms = {
        "training error": train_error,
        "VC dimension": int(vc_dimension),
        "samples": int(n),
        "delta": delta,
        "VC confidence": confidence,
    }
    assumption = "samples are i.i.d.; the class was fixed before they were seen"
    return Bound(
        "VC (Thesis Eq. 2.4)", min(1.0, train_error + confidence), 1 - delta, terms, assumption
    )
