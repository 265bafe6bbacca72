"""Directions in feature space: how far two are apart, both of one factorisation, all mu at once."""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import eigh
from sklearn.model_selection import StratifiedKFold

from hlsvm.extract.kernels import (
    ClassSystem,
    Gram,
    PackedMatrix,
    PairwiseKernel,
    class_matrix,
    fisher,
    kqpfs_factor,
    solve_exact,
)


def rbf_matrix(X: np.ndarray, gamma: float) -> np.ndarray:
    """Return the Gaussian kernel matrix of the rows of X, symmetric to the last bit."""
    K = PairwiseKernel("rbf", {"gamma": gamma}).block(X, X)
    return (K + K.T) / 2


def cosine_gap(a: np.ndarray, b: np.ndarray) -> float:
    """Return 1 - |cosine|, without the cancellation: half the squared distance of unit vectors."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(0.5 * np.sum((a - np.sign(a @ b) * b) ** 2))


def both_directions(K: np.ndarray, y: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Return alpha of KFDA and of KQPFS from one factorisation."""
    V, counts = class_matrix((y > 0).astype(int), 2)
    store = PackedMatrix(Gram(PairwiseKernel("precomputed"), K))
    system, _ = solve_exact(store, V, counts, mu, "identity")
    alpha = system.coef @ fisher(system)[:, 0]
    return alpha, kqpfs_factor(system) * alpha


def cv_errors(
    X: np.ndarray, y: np.ndarray, gamma: float, mus: Sequence[float], seed: int
) -> np.ndarray:
    """Return the 5-fold error of the nearest projected mean for one kernel width and every mu.

    One eigendecomposition of each fold's kernel matrix serves all mu: in its basis the solve of
    `hlsvm.extract.kernels.solve_exact` is a division.
    """
    kernel = PairwiseKernel("rbf", {"gamma": gamma})
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    wrong = np.zeros(len(mus))
    for fit, rest in folds.split(X, y):
        values, vectors = eigh(kernel.block(X[fit], X[fit]), driver="evd", overwrite_a=True)
        V, counts = class_matrix((y[fit] > 0).astype(int), 2)
        on_basis = vectors.T @ V
        cross = kernel.block(X[rest], X[fit]) @ vectors
        for k, mu in enumerate(mus):
            regular = values**2 + mu
            Y = (values / regular)[:, None] * on_basis
            S = on_basis.T @ (values[:, None] * Y)
            D = on_basis.T @ ((mu / regular)[:, None] * on_basis)
            system = ClassSystem(Y, S, D, counts)
            M = fisher(system)
            middle = system.means(M).mean()
            guess = np.where((cross @ Y @ M)[:, 0] > middle, 1, -1)
            wrong[k] += np.sum(guess != y[rest])
    return wrong / len(y)
