"""The program in the eigenvector space, Thesis Eq. 3.9, by a primal-dual interior-point method."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from hlsvm._certificate import Certificate
from hlsvm._data import check_numbers
from hlsvm._params import check_number, check_tolerance, check_type
from hlsvm.select._nystrom import LowRank


@dataclass(frozen=True, eq=False)
class SubspaceSolution(Certificate):
    """Solution of Eq. 3.9 and its certificate.

    Attributes
    ----------
    objective, dual_objective : float
        g(z), and g(z) less the complementarity gap s'mu: a lower bound where `residual` is zero.
    n_iter : int
        Newton steps.
    converged : bool
        False too where no w >= 0 lies in the span (possible with Nystrom vectors, erratum E11).
    reason : str
    weights : float64 array of shape (M,)
        w = U z, with what is zero to rounding set to zero.
    residual : float
        Largest violation of the optimality conditions.
    rank : int
        Number of eigenvectors.
    """

    weights: np.ndarray
    residual: float
    rank: int


def _longest(value, move):
    """Largest step in (0, 1] that keeps `value` + step `move` positive."""
    down = move < 0
    return min(1.0, float((value[down] / -move[down]).min())) if down.any() else 1.0


class _Point:
    """Iterate (z, s = Uz, mu, nu) of min 1/2 z'Dz - c'z, Uz >= 0, e'z = 1."""

    def __init__(self, D, U, c):
        self.D, self.U, self.c = D, U, c
        self.e = U.sum(axis=0)
        self.z = self.e / max(self.e @ self.e, 1e-300)
        level = 1.0 / len(U)
        self.s = np.maximum(U @ self.z, 0.1 * level)
        slope = max(float(np.abs(U @ (D * self.z - c)).max()), 1e-8)
        self.mu = np.full(len(U), slope)
        self.nu = 0.0

    def residuals(self):
        dual = self.D * self.z - self.c - self.U.T @ self.mu - self.nu * self.e
        return dual, self.U @ self.z - self.s, self.e @ self.z - 1.0

    def factor(self):
        scaled = self.U * np.sqrt(self.mu / self.s)[:, None]
        K = scaled.T @ scaled
        K[np.diag_indices_from(K)] += self.D + 1e-14 * np.trace(K) / len(K)
        self.K = cho_factor(K, check_finite=False)
        self.Ke = cho_solve(self.K, self.e, check_finite=False)
        if not self.e @ self.Ke > 0:
            raise np.linalg.LinAlgError("no vector of the span has a sum other than 0")

    def direction(self, residuals, product):
        """Newton step towards s mu = (s mu) + `product`."""
        dual, primal, equality = residuals
        right = self.U.T @ ((product - self.mu * primal) / self.s) - dual
        dz = cho_solve(self.K, right, check_finite=False)
        dnu = (-equality - self.e @ dz) / (self.e @ self.Ke)
        dz = dz + dnu * self.Ke
        ds = self.U @ dz + primal
        return dz, ds, (product - self.mu * ds) / self.s, dnu

    def step(self):
        """One predictor-corrector step (Mehrotra)."""
        residuals = self.residuals()
        self.factor()
        now = self.s * self.mu
        _, ds, dmu, _ = self.direction(residuals, -now)
        reach, reach_mu = _longest(self.s, ds), _longest(self.mu, dmu)
        aimed = np.mean((self.s + reach * ds) * (self.mu + reach_mu * dmu))
        centre = (aimed / now.mean()) ** 3 * now.mean()
        dz, ds, dmu, dnu = self.direction(residuals, centre - now - ds * dmu)
        length = 0.995 * min(_longest(self.s, ds), _longest(self.mu, dmu))
        length = 1.0 if length >= 0.995 else length
        for name, move in (("z", dz), ("s", ds), ("mu", dmu), ("nu", dnu)):
            setattr(self, name, getattr(self, name) + length * move)


def subspace_qp(low_rank, linear, *, weight=1.0, tol=1e-9, max_iter=100):
    """Minimise weight / 2 z'Gz - c'Uz over Uz >= 0, sum Uz = 1 (Thesis Eq. 3.9).

    Parameters
    ----------
    low_rank : LowRank
        Eigenvalues G and eigenvectors U.
    linear : array of shape (M,)
        c = alpha F.
    weight : float
        1 - alpha.
    tol : float
        Gap relative to the terms of the objective.
    max_iter : int

    Returns
    -------
    SubspaceSolution

    Notes
    -----
    Requiring w = Uz is a smaller set than the simplex: the optimum lies above the one of the
    program on all of the simplex, even for a Q of exactly this rank (erratum E11). `simplex_qp`
    with ``low_rank.rows`` solves the latter.
    """
    check_type("subspace_qp", "low_rank", low_rank, LowRank, "a LowRank")
    linear = check_numbers("subspace_qp", "linear", linear, ndim=1)
    check_number("subspace_qp", "weight", weight, low=0)
    check_tolerance("subspace_qp", "tol", tol)
    check_number("subspace_qp", "max_iter", max_iter, kind=Integral, low=1)
    if len(linear) != len(low_rank.vectors):
        raise ValueError(
            f"'linear' must be of length {len(low_rank.vectors)}, as 'low_rank' says. "
            f"Got {len(linear)}."
        )
    if len(low_rank.values) == 0:  # nothing varies: the span holds no weights at all
        none, reason = np.zeros(len(linear)), "a span of rank 0 holds no weights"
        return SubspaceSolution(0.0, -np.inf, 0, False, reason, none, residual=np.inf, rank=0)
    D = weight * low_rank.values
    D = np.maximum(D, 1e-10 * max(D.max(initial=0.0), np.abs(linear).max(), 1e-300))
    point = _Point(D, low_rank.vectors, low_rank.vectors.T @ linear)
    converged = False
    for n_iter in range(max_iter + 1):
        terms = max(abs(0.5 * point.z @ (D * point.z)), abs(point.c @ point.z), 1e-12)
        dual, primal, equality = point.residuals()
        force = max(terms, float(point.mu.max()))  # what the multipliers' sum can be accurate to
        residual = max(np.abs(dual).max() / force, np.abs(primal).max(), abs(equality))
        gap = float(point.s @ point.mu)
        converged = bool(gap <= tol * terms and residual <= 1e-7)
        if converged or n_iter == max_iter or not np.isfinite(gap):
            break
        try:
            point.step()
        except (np.linalg.LinAlgError, ValueError):
            break
    weights = np.maximum(low_rank.vectors @ point.z, 0.0)
    weights[(weights < 1e-6 / len(weights)) | (point.mu * weights.max() > point.s)] = 0.0
    total = weights.sum()
    objective = float(0.5 * point.z @ (D * point.z) - point.c @ point.z)
    return SubspaceSolution(
        objective=objective,
        dual_objective=objective - gap,
        n_iter=n_iter,
        converged=converged,
        reason=(
            f"a relative gap of {gap / terms:.1e} (asked: {tol:.0e}) and a residual of "
            f"{residual:.1e} (asked: 1e-07) after {n_iter} steps"
        ),
        weights=weights / total if total > 0 else weights,
        residual=float(residual),
        rank=len(D),
    )
