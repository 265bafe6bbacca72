"""Thesis chapter 3: the truncated program, indefinite similarities, the sampled bound."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from hlsvm.reproduce import published


def _least(Q, F, alpha, basis=None) -> float:
    """Minimise (1 - a)/2 w'Qw - a F'w over the simplex, or over its part in the span of a basis."""
    U = np.eye(len(F)) if basis is None else basis
    start = np.linalg.lstsq(U, np.full(len(F), 1 / len(F)), rcond=None)[0]
    found = minimize(
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
    return float(found.fun)


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
    names = {"full": "all of Q", "cut": "Q truncated, all w", "inside": "w in the span, Eq. 3.9"}
    return pd.DataFrame(
        {
            "program": list(names.values()),
            "mean optimum": [table[name].mean() for name in names],
            "above the full program": [int((table[n] > table.full + 1e-6).sum()) for n in names],
            "of": trials,
        }
    ), bool(table.bounded.all())


def similarities(seed: int = 0) -> pd.Series:
    """E12: least eigenvalue of three similarity matrices, taken to be positive semidefinite."""
    angles = np.radians([0, 45, 90, 135])
    four = np.abs(np.cos(angles[:, None] - angles[None]))
    X = np.random.default_rng(seed).normal(size=(60, 200))
    bits = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 2]], dtype=float)
    matrices = {
        "|correlation|, 4 directions": four,
        "|correlation|, 60 samples, 200 features": np.abs(np.corrcoef(X.T)),
        "mutual information of A, B, A xor B, (A, B)": bits,
    }
    return pd.Series({name: np.linalg.eigvalsh(Q)[0] for name, Q in matrices.items()})


def information(joint) -> float:
    """Mutual information in bits of a joint distribution."""
    joint = np.asarray(joint, dtype=float)
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    some = joint > 0
    return float((joint[some] * np.log2(joint[some] / outer[some])).sum())


def bit_matrix() -> np.ndarray:
    """E12: the mutual information of A, B, A xor B and the pair (A, B), A and B fair coins."""
    draws = [(a, b, a ^ b, 2 * a + b) for a in (0, 1) for b in (0, 1)]
    Q = np.empty((4, 4))
    for i in range(4):
        for j in range(4):
            joint = np.zeros((4, 4))
            for draw in draws:
                joint[draw[i], draw[j]] += 0.25
            Q[i, j] = information(joint)
    return Q


def sampled_bound(shares=(0.01, 0.1, 0.25, 0.87)) -> pd.DataFrame:
    """E15: epsilon >= (64 k / r)^(1/4) of the sampling theorem, for k / r columns kept."""
    table = pd.DataFrame({"k / r": shares})
    return table.assign(epsilon=(64 * table["k / r"]) ** 0.25)


def alphas() -> pd.DataFrame:
    """E32: alpha-hat of Table 3.4 from its own means, by q / (q + f) and by q / (q + 2f)."""
    table = published("Thesis.Tab3.4")
    q, f = table.q_bar.astype(float), table.f_bar.astype(float)
    shown = table[["dataset", "similarity"]].assign(printed=table.alpha_hat.astype(float))
    return shown.assign(gradients=(q / (q + f)).round(3), terms=(q / (q + 2 * f)).round(3))
