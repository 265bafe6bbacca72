"""Weighted-Pegasos against Thesis Theorem C.2: how far it is from the optimum, step by step."""

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from hlsvm.bounds import pegasos_bound
from hlsvm.linear import WeightedLinearSVC, WeightedPegasos


def optimum(X, y, lam: float) -> np.ndarray:
    """Return w* of Thesis Eq. C.1 (no bias), by the dual with a gap of 1e-9."""
    how = {"bias_feature": 0.0, "loss_scale": "mean", "tol": 1e-9, "max_iter": 100_000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return WeightedLinearSVC(lam, random_state=0, **how).fit(X, y).coef_[0]


def objective(w, X, y, lam: float) -> float:
    """Return Thesis Eq. C.1 with weights 1/(2N+), 1/(2N-)."""
    share = np.where(y > 0, 0.5 / np.sum(y > 0), 0.5 / np.sum(y < 0))
    return float(0.5 * lam * w @ w + share @ np.maximum(0.0, 1 - y * (X @ w)) / len(y))


def _path(X, y, lam, at, batch_size, seed) -> list[float]:
    """Objective after every number of steps in `at`: runs of one seed share their steps."""
    values = []
    for step in at:
        how = {"batch_size": batch_size, "max_iter": int(step), "tol": 1e-12, "bias_scale": 0.0}
        model = WeightedPegasos(lam, random_state=seed, **how)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        values.append(objective(model.coef_[0], X, y, lam))
    return values


def convergence(
    X, y, lam: float, *, n_iter: int, batch_size: int, seeds: int, points: int = 24
) -> pd.DataFrame:
    """Suboptimality of Weighted-Pegasos beside its bound, at `points` numbers of steps T.

    ``E_r f(w_r) - f(w*)`` for r uniform on 1..T is the mean of the path up to T; the path is
    taken as linear between the steps at which it is known. ``mean_gap`` and ``worst_gap`` are over
    seeds, ``last_gap`` is that of w_T, ``bound`` that of Theorem C.2, ``tighter`` the same with the
    largest gradient there is (erratum E34).
    """
    floor = objective(optimum(X, y, lam), X, y, lam)
    at = np.unique(np.round(np.geomspace(1, n_iter, points)).astype(int))
    paths = np.array([_path(X, y, lam, at, batch_size, seed) for seed in range(seeds)]) - floor
    steps = np.arange(1, n_iter + 1)
    mean = np.cumsum([np.interp(steps, at, path) for path in paths], axis=1) / steps
    radius = float(np.linalg.norm(X, axis=1).max())
    heaviest = 0.5 / min(np.sum(y > 0), np.sum(y < 0))
    return pd.DataFrame(
        {
            "T": T,
            "mean_gap": mean[:, T - 1].mean(),
            "worst_gap": mean[:, T - 1].max(),
            "last_gap": paths[:, column].mean(),
            "bound": pegasos_bound(lam, len(y), radius, int(T)).value,
            "tighter": pegasos_bound(lam, len(y), radius * heaviest, int(T)).value,
        }
        for column, T in enumerate(at)
        if T >= 3
    )
