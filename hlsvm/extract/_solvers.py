"""The four solvers behind one call: exact, conjugate gradients, Nystrom, random features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.kernel_approximation import RBFSampler

from hlsvm.extract._certificate import certify
from hlsvm.extract._exact import solve_exact
from hlsvm.extract._gradients import solve_gradients
from hlsvm.extract._gram import Gram
from hlsvm.extract._lowrank import pivoted_cholesky, solve_features
from hlsvm.extract._packed_matrix import PackedMatrix
from hlsvm.extract._system import ClassSystem

SOLVERS = ("exact", "nystroem", "rff", "cg")
_INDEFINITE = -1e-6  # of the largest diagonal entry


@dataclass
class Problem:
    """What a solver is given: the kernel matrix, the classes, the regularisation.

    Parameters
    ----------
    gram : Gram
    V : array of shape (n_samples, n_classes)
        Class indicators over the square roots of the class sizes.
    counts : array of shape (n_classes,)
    mu : float
    regularizer : {"identity", "kernel"}
    rank, tol, max_iter : int, float, int
        Landmarks or random features; residual and most steps of conjugate gradients.
    rng : numpy.random.Generator
    """

    gram: Gram
    V: np.ndarray
    counts: np.ndarray
    mu: float
    regularizer: str
    rank: int
    tol: float
    max_iter: int
    rng: np.random.Generator


@dataclass
class Solution:
    """What a solver gives back.

    Parameters
    ----------
    system : ClassSystem
        Its `coef` in the solver's basis.
    n_iter : int
    points : array or None
        Indices of the training samples that `expand` refers to; None for random features.
    triangle : array or None
        Turns feature weights into landmark weights (Nystrom).
    sampler : RBFSampler or None
        The feature map (random features).
    error : float or None
        Share of the kernel that a low-rank form lost.
    verify : callable or None
        ``verify(M)`` measures the directions with the true kernel (exact and cg).
    """

    system: ClassSystem
    n_iter: int = 1
    points: np.ndarray | None = None
    triangle: np.ndarray | None = None
    sampler: RBFSampler | None = None
    error: float | None = None
    verify: Any = None

    def expand(self, M: np.ndarray) -> np.ndarray:
        """Return the weights of the directions Y M: of `points`, or of random features."""
        weights = self.system.coef @ M
        if self.triangle is None:
            return weights
        return solve_triangular(self.triangle, weights, lower=True, trans="T")


def solve(problem: Problem, solver: str) -> Solution:
    """Run one of `SOLVERS`."""
    return {"exact": _exact, "nystroem": _nystroem, "rff": _random, "cg": _gradients}[solver](
        problem
    )


def _exact(p: Problem) -> Solution:
    store = PackedMatrix(p.gram)
    system, n_iter = solve_exact(store, p.V, p.counts, p.mu, p.regularizer)

    def verify(M):
        target, a = system.complement @ M, system.coef @ M
        return certify(store.matmul, store.norm, p.V, target, a, p.mu, p.regularizer, n_iter)

    return Solution(system, n_iter, points=np.arange(p.gram.n), verify=verify)


def _gradients(p: Problem) -> Solution:
    marks = pivoted_cholesky(p.gram, min(p.rank, p.gram.n), p.rng)
    system, n_iter = solve_gradients(
        p.gram, marks, p.V, p.counts, p.mu, p.regularizer, p.tol, p.max_iter
    )
    norm = float(np.linalg.norm(marks.features.T @ marks.features, 2))

    def verify(M):
        target, a = system.complement @ M, system.coef @ M
        return certify(p.gram.matmul, norm, p.V, target, a, p.mu, p.regularizer, n_iter, p.tol)

    return Solution(system, n_iter, points=np.arange(p.gram.n), verify=verify)


def _nystroem(p: Problem) -> Solution:
    marks = pivoted_cholesky(p.gram, min(p.rank, p.gram.n), p.rng)
    if marks.lowest < _INDEFINITE:
        raise ValueError(
            "The 'solver' parameter must be 'exact' or 'cg' for a kernel matrix that is not "
            f"positive semidefinite: landmarks cannot stand for it. Got 'nystroem' and a diagonal "
            f"of K - F F' down to {marks.lowest:.1e} of that of K."
        )
    system = solve_features(marks.features, p.V, p.counts, p.mu, p.regularizer)
    return Solution(system, points=marks.indices, triangle=marks.triangle, error=marks.error)


def _random(p: Problem) -> Solution:
    seed = int(p.rng.integers(2**31 - 1))
    gamma = p.gram.kernel.params["gamma"]
    sampler = RBFSampler(gamma=gamma, n_components=p.rank, random_state=seed).fit(p.gram.X)
    F = sampler.transform(p.gram.X)
    system = solve_features(F, p.V, p.counts, p.mu, p.regularizer)
    probes = np.sort(p.rng.choice(p.gram.n, size=min(p.gram.n, 512), replace=False))
    true = p.gram.kernel.block(p.gram.X[probes], p.gram.X[probes])
    error = np.linalg.norm(true - F[probes] @ F[probes].T) / np.linalg.norm(true)
    return Solution(system, sampler=sampler, error=float(error))
