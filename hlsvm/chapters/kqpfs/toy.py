"""The disc of Figures 4.1 and 4.3, and the three forms of the direction side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hlsvm.extract import KQPFS, KernelFisher, reference
from hlsvm.extract.kernels import Kernel


def disc(n: int, seed: int, radius: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Draw points of the square [-1, 1]^2; class -1 inside the circle, +1 outside (Figure 4.1).

    The Thesis prints the radius, neither the range nor the number of points.
    """
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 2))
    return X, np.where(np.hypot(X[:, 0], X[:, 1]) < radius, -1, 1)


def unbalanced(n: int, n_pos: int, seed: int, gamma: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Return a Gaussian kernel matrix and labels of two overlapping classes of unequal size."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n_pos, 1.0, -1.0)
    X = rng.normal(size=(n, 4))
    X[: n_pos // 2, 0] += 1.5
    K = Kernel("rbf", {"gamma": gamma}).block(X, X)
    return (K + K.T) / 2, y


def cosine_gap(a: np.ndarray, b: np.ndarray) -> float:
    """Return 1 - |cosine|, without the cancellation: half the squared distance of unit vectors."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(0.5 * np.sum((a - np.sign(a @ b) * b) ** 2))


def identity_gap(K: np.ndarray, y: np.ndarray) -> float:
    """Return max |Q_K - W - c d d'| / max |Q_K|."""
    W, Q, d = reference.scatter(K, y)
    c = (y == 1).sum() * (y == -1).sum() / len(y)
    return float(np.abs(Q - W - c * np.outer(d, d)).max() / np.abs(Q).max())


def three_forms(K: np.ndarray, y: np.ndarray, mus: list[float]) -> pd.DataFrame:
    """Compare KFDA, KQPFS and the constrained program (4.15-4.17) for each mu (erratum E2).

    Returns
    -------
    DataFrame
        Lengths of the projections over that of KQPFS, measured and predicted, cosines, and
        G_mu (Eq. 4.7) at KQPFS and at the constrained optimum.
    """
    c = (y == 1).sum() * (y == -1).sum() / len(y)
    rows = []
    for mu in mus:
        fisher = KernelFisher("precomputed", mu=mu).fit(K, y)
        kqpfs = KQPFS("precomputed", mu=mu).fit(K, y)
        program = reference.quadratic_program(K, y, mu).alpha
        a, b = fisher.dual_coef_[:, 0], kqpfs.dual_coef_[:, 0]
        t = float(fisher.separation_[0])
        length = np.linalg.norm(K @ b)
        rows.append(
            {
                "mu": mu,
                "t": t,
                "gap_kfda_kqpfs": cosine_gap(a, b),
                "gap_program_kqpfs": cosine_gap(K @ program, K @ b),
                "kfda_over_kqpfs": np.linalg.norm(K @ a) / length,
                "predicted_(1+t)/2c": (1 + t) / (2 * c),
                "program_over_kqpfs": np.linalg.norm(K @ program) / length,
                "predicted_1+1/t": 1 + 1 / t,
                "G_kqpfs": reference.objective(K, y, mu, b),
                "G_program": reference.objective(K, y, mu, program),
            }
        )
    return pd.DataFrame(rows)


def sweep(K: np.ndarray, y: np.ndarray, mus: np.ndarray) -> pd.DataFrame:
    """Compare the printed algorithms with each other and with ours from tiny to huge mu.

    Returns
    -------
    DataFrame
        Condition number of W + mu I, gaps (1 - |cosine|), and our backward error.
    """
    rows = []
    for mu in mus:
        third, fourth = reference.algorithm_3(K, y, mu), reference.algorithm_4(K, y, mu)
        ours = KernelFisher("precomputed", mu=mu).fit(K, y)
        rows.append(
            {
                "mu": mu,
                "condition": ours.certificates_[0].condition,
                "gap_3_4": cosine_gap(third, fourth),
                "gap_3_ours": cosine_gap(third, ours.dual_coef_[:, 0]),
                "backward_error": ours.certificates_[0].backward_error,
            }
        )
    return pd.DataFrame(rows)
