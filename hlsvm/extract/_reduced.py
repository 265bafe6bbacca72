"""Reduced sets: a direction of N kernels as one of a few, with what is lost stated.

Thesis 4.3 regrets that the expansions are dense. Points are added one by one, each the one that
takes most of what is left of the direction in feature space (orthogonal matching pursuit), and
the weights are those of the orthogonal projection on the chosen ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from hlsvm.extract._gram import Gram

_ROUNDING = 1e-6  # of the largest diagonal entry


@dataclass
class ReducedSet:
    """A sparse expansion.

    Parameters
    ----------
    indices : array of shape (n_points,)
        Which points are kept.
    coef : array of shape (n_points, k)
        Their weights.
    projections : array of shape (n, k)
        What the sparse expansion gives on the points it was made from.
    norm_error : array of shape (k,)
        |w - w'| / |w| in feature space; |z(x) - z'(x)| <= norm_error |w| sqrt(k(x, x)) for all x.
    projection_error : array of shape (k,)
        |z - z'| / |z - mean(z)| on the points it was made from.
    """

    indices: np.ndarray
    coef: np.ndarray
    projections: np.ndarray
    norm_error: np.ndarray
    projection_error: np.ndarray


def reduce_expansion(gram: Gram, coef: np.ndarray, n_points: int) -> ReducedSet:
    """Approximate sum_i coef_i k(x_i, .) by `n_points` of its kernels; N n_points^2 operations.

    Raises
    ------
    ValueError
        The kernel matrix is zero or not positive semidefinite: there is no length to keep most of.
    """
    whole = gram.matmul(coef)
    size = np.maximum(np.einsum("ij,ij->j", coef, whole), np.finfo(float).tiny)
    left, gap = gram.diagonal(), whole.copy()
    largest = left.max()
    _check_definite(left, largest)
    floor = 1e-12 * largest
    F = np.zeros((gram.n, n_points), order="F")
    gains = np.zeros((n_points, coef.shape[1]))
    chosen: list[int] = []
    for j in range(n_points):
        usable = left > floor
        if not usable.any():
            break
        score = np.where(usable, (gap**2 / size).sum(axis=1) / np.where(usable, left, 1.0), -1.0)
        i = int(np.argmax(score))
        column = gram.columns(np.array([i]))[:, 0]
        F[:, j] = (column - F[:, :j] @ F[i, :j]) / np.sqrt(left[i])
        gains[j] = gap[i] / np.sqrt(left[i])
        gap -= np.outer(F[:, j], gains[j])
        left -= F[:, j] ** 2
        left[i] = 0.0
        _check_definite(left, largest)
        chosen.append(i)
    indices, k = np.array(chosen, dtype=np.intp), len(chosen)
    weights = solve_triangular(np.tril(F[indices, :k]), gains[:k], lower=True, trans="T")
    lost = np.clip(1.0 - (gains[:k] ** 2).sum(axis=0) / size, 0.0, 1.0)
    spread = np.linalg.norm(whole - whole.mean(axis=0), axis=0)
    gaps = np.linalg.norm(gap, axis=0)
    return ReducedSet(
        indices, weights, whole - gap, np.sqrt(lost), gaps / np.maximum(spread, 1e-300)
    )


def _check_definite(left: np.ndarray, largest: float) -> None:
    if left.min() < -_ROUNDING * largest or largest <= 0:
        raise ValueError(
            "The 'n_reduced' parameter must be None for a kernel matrix that is not positive "
            f"semidefinite or is zero. Got a residual diagonal from {left.min():.3g}, where the "
            f"largest entry is {largest:.3g}."
        )
