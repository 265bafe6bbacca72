"""Thesis appendix C with numbers: the ball that holds the optimum, convergence and its bound."""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from hlsvm.bounds import norm_bound, pegasos_bound
from hlsvm.linear import WeightedLinearSVC, WeightedPegasos
from hlsvm.reproduce.style import label, legend, size

_EXACT = 1e-9


def _optimum(X, y, lam: float, loss_scale: str = "mean"):
    model = WeightedLinearSVC(
        lam, bias_feature=0.0, loss_scale=loss_scale, tol=_EXACT, max_iter=100_000, random_state=0
    )
    return model.fit(X, y)


def attained(n: int, lam: float) -> tuple[np.ndarray, np.ndarray]:
    """Points of a line on which the bound of Lemma C.1 is an equality.

    All have y x = sqrt(n lambda): at w = 1/sqrt(n lambda) every margin is met just so.
    """
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    return (y * np.sqrt(n * lam))[:, None].astype(float), y


def norms(seed: int, sizes=(20, 100, 500), lams=(1e-4, 1e-2)) -> pd.DataFrame:
    """Compare the norm of the optimum with Lemma C.1 as proved and as printed.

    Returns
    -------
    DataFrame
        ``points``, ``n``, ``lam``, ``norm``, ``bound``, ``printed``, and whether each holds.
    """
    random = np.random.default_rng(seed)
    rows = []
    for n in sizes:
        for lam in lams:
            cloud = random.normal(size=(n, 5))
            y = np.where(np.arange(n) % 2 == 0, 1, -1)
            cloud[:, 0] += 0.5 * y
            for name, (X, label_) in {"extreme": attained(n, lam), "cloud": (cloud, y)}.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    norm = float(np.linalg.norm(_optimum(X, label_, lam).coef_))
                bound, printed = (norm_bound(lam, n, faithful=f).value for f in (False, True))
                row = {"points": name, "n": n, "lam": lam, "norm": norm, "bound": bound}
                row |= {"printed": printed, "holds": norm <= bound * (1 + 1e-6)}
                rows.append(row | {"printed_holds": norm <= printed * (1 + 1e-6)})
    return pd.DataFrame(rows)


def objective(w, b, X, y, lam: float) -> float:
    """Value of Thesis Eq. C.1 with weights 1/(2N+), 1/(2N-)."""
    share = np.where(y > 0, 0.5 / np.sum(y > 0), 0.5 / np.sum(y < 0))
    loss = np.maximum(0.0, 1 - y * (X @ w + b))
    return float(0.5 * lam * w @ w + share @ loss / len(y))


def _steps(last: int, points: int) -> np.ndarray:
    return np.unique(np.round(np.geomspace(1, last, points)).astype(int))


def convergence(
    X, y, lam: float, *, n_iter: int, batch_size: int, seeds: int, points: int = 24
) -> pd.DataFrame:
    """Suboptimality of Weighted-Pegasos against Theorem C.2.

    ``E_r f(w_r) - f(w*)`` for r uniform on 1..T is the mean of the path up to T; the path is
    known at `points` steps and taken as linear between them.

    Returns
    -------
    DataFrame
        ``T``, ``mean_gap`` (over seeds), ``worst_gap``, ``last_gap`` of w_T, ``bound`` (Theorem
        C.2), ``tighter`` (the same with the largest gradient there is, erratum E34).
    """
    best = _optimum(X, y, lam)
    floor = objective(best.coef_[0], 0.0, X, y, lam)
    at = _steps(n_iter, points)
    paths = np.array([_path(X, y, lam, at, batch_size, seed) for seed in range(seeds)]) - floor
    steps = np.arange(1, n_iter + 1)
    mean = np.cumsum([np.interp(steps, at, path) for path in paths], axis=1) / steps
    radius = float(np.linalg.norm(X, axis=1).max())
    heaviest = 0.5 / min(np.sum(y > 0), np.sum(y < 0))
    rows = []
    for column, T in enumerate(at):
        if T < 3:
            continue
        rows.append(
            {
                "T": T,
                "mean_gap": mean[:, T - 1].mean(),
                "worst_gap": mean[:, T - 1].max(),
                "last_gap": paths[:, column].mean(),
                "bound": pegasos_bound(lam, len(y), radius, int(T)).value,
                "tighter": pegasos_bound(lam, len(y), radius * heaviest, int(T)).value,
            }
        )
    return pd.DataFrame(rows)


def _path(X, y, lam, at, batch_size, seed) -> list[float]:
    """Objective after every number of steps in `at`: runs of one seed share their steps."""
    values = []
    for step in at:
        model = WeightedPegasos(
            lam, batch_size=batch_size, max_iter=int(step), tol=1e-12, bias_scale=0.0,
            random_state=seed,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        values.append(objective(model.coef_[0], 0.0, X, y, lam))
    return values


def cloud(n: int, n_features: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping clouds, the second of a fifth of the points, no row longer than 1."""
    random = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 5, 1, -1)
    X = random.normal(size=(n, n_features))
    X[:, 0] += y
    return X / np.linalg.norm(X, axis=1).max(), y


def draw_convergence(tables: dict[str, pd.DataFrame]):
    """Draw measured suboptimality and its bound, a panel a lambda (Thesis Theorem C.2)."""
    fig, panels = plt.subplots(
        1, len(tables), figsize=size(columns=2, ratio=0.7), sharey=True, layout="constrained"
    )
    for axes, (name, table) in zip(np.atleast_1d(panels), tables.items(), strict=True):
        axes.loglog(table["T"], table.bound, "k-", label="Theorem C.2")
        tighter = r"with $R \max \nu_i$ in place of R"
        axes.loglog(table["T"], table.tighter, "--", color="#D55E00", label=tighter)
        axes.loglog(table["T"], table.mean_gap, "o-", color="#0072B2", label="mean of the path")
        shown = table[table.last_gap > 0]
        axes.loglog(shown["T"], shown.last_gap, "s--", color="#E69F00", label="last step")
        label(axes, "steps T", "$f(w) - f(w^*)$", name)
    legend(np.atleast_1d(panels)[0], fontsize=8)
    return fig
