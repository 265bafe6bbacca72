"""Thesis chapter 3: the truncated program, indefinite similarities, the sampled bound."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from sklearn.metrics import mutual_info_score

from hlsvm.reproduce import published


def _least(Q, F, alpha, basis=None) -> float:
    """Minimise (1 - a)/2 w'Qw - a F'w over the simplex, or over its part in the span of a basis."""
    U = np.eye(len(F)) if basis is None else basis
    start = np.linalg.lstsq(U, np.full(len(F), 1 / len(F)), rcond=None)[0]
    optimum = minimize(
        lambda z: 0.5 * (1 - alpha) * (U @ z) @ Q @ (U @ z) - alpha * F @ (U @ z),
        start,
        jac=lambda z: U.T @ ((1 - alpha) * Q @ (U @ z) - alpha * F),
        constraints=[
            {"type": "eq", "fun": lambda z: (U @ z).sum() - 1, "jac": lambda z: U.sum(axis=0)},
            {"type": "ineq", "fun": lambda z: U @ z, "jac": lambda z: U},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return float(optimum.fun)


def truncated(trials: int = 20, m: int = 6, kept: int = 3, alpha: float = 0.5, seed: int = 0):
    """E11: optima of the full program, of the truncated one, and of the one in the subspace.

    Mean optima over random positive semidefinite Q with entries >= 0, and in how many trials the
    optimum is above that of the full program, which Eq. 3.12 forbids.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(trials):
        A = rng.uniform(size=(m, 2 * m))
        Q, F = A @ A.T / (2 * m), rng.uniform(size=m)
        values, vectors = np.linalg.eigh(Q)
        U, top = vectors[:, -kept:], values[-kept:]
        rough = (U * top) @ U.T
        full = _least(Q, F, alpha)
        cut = _least(rough, F, alpha)
        inside = _least(rough, F, alpha, U)
        dropped = values[-kept - 1]
        rows.append((full, cut, inside, cut + (1 - alpha) / 2 * dropped >= full - 1e-7))
    table = pd.DataFrame(rows, columns=["full", "cut", "inside", "bounded"])
    optima = table[["full", "cut", "inside"]]
    return pd.DataFrame(
        {
            "program": ["all of Q", "Q truncated, all w", "w in the span, Eq. 3.9"],
            "mean optimum": optima.mean().to_numpy(),
            "above the full program": optima.gt(table.full + 1e-6, axis=0).sum().to_numpy(),
            "of": trials,
        }
    ), bool(table.bounded.all())


def similarities(seed: int = 0) -> pd.Series:
    """E12: least eigenvalue of three similarity matrices, taken to be positive semidefinite."""
    angles = np.radians([0, 45, 90, 135])
    four = np.abs(np.cos(angles[:, None] - angles[None]))
    X = np.random.default_rng(seed).normal(size=(60, 200))
    matrices = {
        "|correlation|, 4 directions": four,
        "|correlation|, 60 samples, 200 features": np.abs(np.corrcoef(X.T)),
        "mutual information of A, B, A xor B, (A, B)": bit_matrix(),
    }
    return pd.Series({name: np.linalg.eigvalsh(Q)[0] for name, Q in matrices.items()})


def bit_matrix() -> np.ndarray:
    """E12: the mutual information of A, B, A xor B and the pair (A, B), A and B fair coins."""
    draws = np.array([(a, b, a ^ b, 2 * a + b) for a in (0, 1) for b in (0, 1)]).T
    return np.round([[mutual_info_score(x, y) / np.log(2) for x in draws] for y in draws], 12)


def sampled_bound(shares=(0.01, 0.1, 0.25, 0.87)) -> pd.DataFrame:
    """E15: epsilon >= (64 k / r)^(1/4) of the sampling theorem, for k / r columns kept."""
    table = pd.DataFrame({"k / r": shares})
    return table.assign(epsilon=(64 * table["k / r"]) ** 0.25)


def alphas() -> pd.DataFrame:
    """E32: alpha-hat of Table 3.4 from its own means, by q / (q + f) and by q / (q + 2f)."""
    table = published("Thesis.Tab3.4")
    q, f = table.q_bar, table.f_bar
    shown = table[["dataset", "similarity"]].assign(printed=table.alpha_hat)
    return shown.assign(gradients=(q / (q + f)).round(3), terms=(q / (q + 2 * f)).round(3))
