"""Thesis chapter 4: the identity behind KFDA and KQPFS, and what its statement gets wrong."""

import numpy as np
import pandas as pd


def instance(n_pos: int = 30, n_neg: int = 10, gamma: float = 0.5, seed: int = 0):
    """Give a Gaussian kernel matrix of random points and unbalanced labels -1 and +1."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], [n_pos, n_neg])
    X = rng.normal(size=(n_pos + n_neg, 3)) + 0.7 * y[:, None]
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return np.exp(-gamma * squares), y


def parts(K, y):
    """Return W, Q_K = K P K, F_K = K P y, d = B+ - B- and c = N+ N- / N, from their definitions."""
    n = len(y)
    P = np.eye(n) - 1 / n
    W = np.zeros_like(K)
    for sign in (1, -1):
        columns = K[:, y == sign]
        W += columns @ (columns - columns.mean(axis=1, keepdims=True)).T
    d = K[:, y == 1].mean(axis=1) - K[:, y == -1].mean(axis=1)
    return W, K @ P @ K, K @ P @ y, d, (y == 1).sum() * (y == -1).sum() / n


def cosine(a, b) -> float:
    """Return the cosine of two vectors."""
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def rank_one(K, y, mu: float = 1.0) -> pd.Series:
    """E1: Q_K = W + c d d' to rounding, so both directions are parallel with a known factor."""
    W, Q, F, d, c = parts(K, y)
    fisher = np.linalg.solve(W + mu * np.eye(len(y)), d)
    kqpfs = np.linalg.solve(Q + mu * np.eye(len(y)), F)
    return pd.Series(
        {
            "largest entry of Q - W - c dd'": np.abs(Q - W - c * np.outer(d, d)).max(),
            "cosine": cosine(fisher, kqpfs),
            "factor seen": np.linalg.norm(kqpfs) / np.linalg.norm(fisher),
            "factor 2c / (1 + c d'a)": 2 * c / (1 + c * float(d @ fisher)),
        }
    )


def offset(K, y) -> pd.Series:
    """E2: sum of the residuals with b as printed in Eq. 4.18, and with b as it must be."""
    a = np.random.default_rng(0).normal(size=len(y))
    n, projected = len(y), K @ a
    printed = -projected.sum() / n + y.sum()
    right = (y.sum() - projected.sum()) / n
    sums = {"b of Eq. 4.18": printed, "b with both terms over N": right}
    return pd.Series({name: float((y - projected - b).sum()) for name, b in sums.items()})


def regulariser(K, y, mu: float = 1.0) -> pd.Series:
    """E2: cosine with KFDA when Eq. 4.20 carries mu / 2, as printed, and mu."""
    W, Q, F, d, _ = parts(K, y)
    eye = np.eye(len(y))
    fisher = np.linalg.solve(W + mu * eye, d)
    return pd.Series(
        {
            "mu / 2, as printed": cosine(fisher, np.linalg.solve(Q + mu / 2 * eye, F)),
            "mu": cosine(fisher, np.linalg.solve(Q + mu * eye, F)),
        }
    )


def constraints(K, y, mu: float = 1.0) -> pd.DataFrame:
    """E2: the problem 4.15-4.17 with both constraints, and without: lengths differ by 1 + 1/t."""
    W, Q, F, d, c = parts(K, y)
    eye = np.eye(len(y))
    fisher = np.linalg.solve(W + mu * eye, d)
    t = c * float(d @ fisher)
    both = 2 * fisher / float(d @ fisher)
    free = np.linalg.solve(Q + mu * eye, F)

    def value(a):
        return float(0.5 * a @ (Q + mu * eye) @ a - F @ a)

    rows = [("both constraints", float(d @ both), value(both), 1.0)]
    rows += [("KQPFS, their sum only", float(d @ free), value(free), cosine(both, free))]
    table = pd.DataFrame(rows, columns=["problem", "d'a", "G", "cosine"])
    ratio = np.linalg.norm(both) / np.linalg.norm(free)
    return table.assign(length=[ratio, 1.0], predicted=[1 + 1 / t, 1.0])


def signs(K, y, mu: float = 1.0) -> pd.Series:
    """E3: cosine of KQPFS with the between vector in both orders."""
    angle = regulariser(K, y, mu)["mu"]
    return pd.Series({"B- - B+": -angle, "B+ - B-": angle})


def scatter_angle(n_pos: int = 200, n_neg: int = 20, seed: int = 0) -> float:
    """E29: angle in degrees between the maximisers of Eq. 2.12 and of Eq. 2.13-2.15."""
    rng = np.random.default_rng(seed)
    spread = np.array([[1.0, 0.8], [0.8, 1.0]]), np.array([[1.0, -0.8], [-0.8, 1.0]])
    plus = rng.multivariate_normal([1, 0], spread[0], n_pos)
    minus = rng.multivariate_normal([0, 0], spread[1], n_neg)
    gap = plus.mean(axis=0) - minus.mean(axis=0)
    covariances = np.cov(plus.T, bias=True), np.cov(minus.T, bias=True)
    printed = np.linalg.solve(covariances[0] + covariances[1], gap)
    used = np.linalg.solve(n_pos * covariances[0] + n_neg * covariances[1], gap)
    return float(np.degrees(np.arccos(min(1.0, cosine(printed, used)))))
