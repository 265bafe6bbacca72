"""Low-rank kernels: randomly pivoted Cholesky (Nystrom), and the Fisher problem in features.

With K replaced by F F', F of m columns, chapter 4 stays as it is and is solved exactly for the
new kernel at N m^2 operations: an approximate kernel, not an approximate solver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.linalg.blas import dsyrk

from hlsvm.extract._gram import LARGEST, TOO_LARGE, Gram
from hlsvm.extract._system import ClassSystem

_EPS = np.finfo(np.float64).eps


@dataclass
class Landmarks:
    """A partial Cholesky factorisation K ~ F F', F = K[:, indices] triangle^-T.

    Parameters
    ----------
    indices : array of shape (m,)
        Pivots, in order.
    features : array of shape (n_samples, m)
        F.
    triangle : array of shape (m, m)
        F[indices], lower triangular.
    error : float
        trace(K - F F') / trace(K): the share of the kernel that is lost, exactly.
    lowest : float
        Smallest diagonal entry that K - F F' took over the largest of K. A positive semidefinite
        K keeps it at rounding; below that, K is not and `error` means nothing.
    """

    indices: np.ndarray
    features: np.ndarray
    triangle: np.ndarray
    error: float
    lowest: float


def pivoted_cholesky(gram: Gram, rank: int, rng: np.random.Generator) -> Landmarks:
    """Choose `rank` landmarks by randomly pivoted Cholesky, in blocks with rejection.

    A pivot is drawn with probability proportional to what is left of its diagonal entry: the
    expected trace error is close to that of the best rank-`rank` kernel, where uniform landmarks
    have no such bound. Blocks make it matrix products; rejection keeps the distribution.

    References
    ----------
    Chen, Epperly, Tropp, Webber, "Randomly pivoted Cholesky", Comm. Pure Appl. Math. (2025).
    Epperly, Tropp, Webber, "Embrace rejection: kernel matrix approximation by accelerated
    randomly pivoted Cholesky", SIAM J. Matrix Anal. Appl. (2025).
    """
    left = gram.diagonal()
    whole = left.sum()
    if not abs(whole) < LARGEST:
        raise ValueError(TOO_LARGE)
    if left.min() < 0 or left.max() <= 0:
        raise ValueError(
            "The 'solver' parameter must be 'exact' for a kernel matrix that is not positive "
            f"semidefinite or is zero. Got a diagonal from {left.min():.3g} to {left.max():.3g}."
        )
    floor, lowest, largest = 1e-12 * left.max(), 0.0, left.max()
    F = np.empty((gram.n, rank), order="F")
    chosen: list[int] = []
    while len(chosen) < rank and left.max() > floor:
        k = len(chosen)
        size = min(max(16, rank // 8), rank)
        drawn = rng.choice(gram.n, size=size, p=left / left.sum())
        square = gram.columns(drawn)[drawn] if gram.precomputed else _square(gram, drawn)
        square = square - F[drawn, :k] @ F[drawn, :k].T
        left[drawn[square.diagonal() <= floor]] = 0.0
        kept = _rejection(square, drawn, floor, rng)[: rank - k]
        if not kept:
            continue
        pivots = drawn[kept]
        columns = gram.columns(pivots) - F[:, :k] @ F[pivots, :k].T
        lower = cholesky(square[np.ix_(kept, kept)] + floor * np.eye(len(kept)), lower=True)
        new = solve_triangular(lower, columns.T, lower=True).T
        F[:, k : k + len(kept)] = new
        left -= np.einsum("ij,ij->i", new, new)
        lowest = min(lowest, float(left.min() / largest))
        left = np.maximum(left, 0.0)
        left[pivots] = 0.0
        chosen.extend(pivots.tolist())
    indices = np.array(chosen, dtype=np.intp)
    F = F[:, : len(chosen)]
    return Landmarks(indices, F, np.tril(F[indices]), float(left.sum() / whole), lowest)


def _square(gram: Gram, drawn: np.ndarray) -> np.ndarray:
    points = gram.X[drawn]
    return gram.kernel.block(points, points)


def _rejection(
    square: np.ndarray, drawn: np.ndarray, floor: float, rng: np.random.Generator
) -> list[int]:
    """Return the positions in a block that randomly pivoted Cholesky one by one would keep."""
    first = square.diagonal().copy()
    left = first.copy()
    rows = np.zeros_like(square)
    uniform = rng.random(len(drawn))
    kept: list[int] = []
    for i in range(len(drawn)):
        if left[i] <= floor or uniform[i] * first[i] >= left[i]:
            continue
        j = len(kept)
        rows[j] = (square[i] - rows[:j, i] @ rows[:j]) / np.sqrt(left[i])
        left = left - rows[j] ** 2
        kept.append(i)
    return kept


@dataclass
class Spectrum:
    """Eigenvalues of F F' and the vectors U with F U / sqrt(values) orthonormal."""

    values: np.ndarray
    vectors: np.ndarray


def spectrum(F: np.ndarray) -> Spectrum:
    """Return the eigenvalues of F F' above rounding, from the small matrix F'F."""
    small = dsyrk(1.0, F, trans=1, lower=1)
    values, vectors = eigh(small, lower=True, driver="evd", overwrite_a=True)
    keep = values > len(values) * _EPS * max(values[-1], 0.0)
    return Spectrum(values[keep], vectors[:, keep])


def solve_features(
    F: np.ndarray, V: np.ndarray, counts: np.ndarray, mu: float, regularizer: str
) -> ClassSystem:
    """Solve for Y, S and D with K = F F'; the coefficients are those of features, F'Y.

    In the eigenbasis of F F' all is diagonal: F'Y = U diag(l / (l^2 + mu r)) U'F'V, r = 1 for the
    identity regulariser and r = l for the kernel one.
    """
    basis = spectrum(F)
    values, FV = basis.values, F.T @ V
    on_basis = basis.vectors.T @ FV
    r = values if regularizer == "kernel" else np.ones_like(values)
    regular = values**2 + mu * r
    weights = basis.vectors @ ((values / regular)[:, None] * on_basis)
    outside = V - F @ (basis.vectors @ (on_basis / values[:, None]))
    inside = on_basis.T @ ((mu * r / regular / values)[:, None] * on_basis)
    return ClassSystem(weights, FV.T @ weights, outside.T @ outside + inside, counts)
