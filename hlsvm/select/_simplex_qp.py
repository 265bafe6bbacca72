"""Quadratic program on the simplex, by columns: only what enters the support is ever asked for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hlsvm._certificate import Certificate
from hlsvm._data import check_numbers, check_square
from hlsvm._params import check_number, check_tolerance
from hlsvm.select._working_set import WorkingSet

_ENTER = 32  # columns that enter at once, at least


@dataclass(frozen=True, eq=False)
class SimplexSolution(Certificate):
    """A point of the simplex and the evidence that it is optimal.

    Attributes
    ----------
    objective : float
        f(w) = weight / 2 w'Qw - c'w.
    dual_objective : float
        f(w) - (w'g - min g) with g the gradient: a lower bound of f if Q is positive
        semidefinite. In any case the gap is 0 exactly at a KKT point.
    n_iter : int
        Rounds in which columns entered.
    converged, reason
        As in `hlsvm.linear.Certificate`.
    weights : float64 array of shape (M,)
    support : int array
        Features of positive weight.
    size : float
        The larger of the two terms of the objective (but no less than 1e-4 of the largest
        coefficient, where the optimum is 0): what `relative_gap` is relative to.
    kkt_residual : float
        Largest violation of g_i = lambda on the support, g_i >= lambda outside.
    curvature : float
        Smallest eigenvalue of Q over the features that entered (the first 256). An upper bound of
        Q's smallest: below zero it proves that Q is indefinite and the point a KKT point only.
    n_columns : int
        Columns of Q that were needed.
    n_steps : int
        Steps of descent and of Newton, of all rounds.
    """

    weights: np.ndarray
    support: np.ndarray
    size: float
    kkt_residual: float
    curvature: float
    n_columns: int
    n_steps: int

    @property
    def relative_gap(self) -> float:
        """`gap` over `size`."""
        return self.gap / self.size


def simplex_qp(rows, linear, *, weight=1.0, tol=1e-10, max_iter=200):
    """Minimise weight / 2 w'Qw - c'w over w >= 0, sum w = 1 (Thesis Eq. 3.4).

    Parameters
    ----------
    rows : callable or array of shape (M, M)
        ``rows(features)`` returns these rows of the symmetric matrix Q, shape (k, M).
    linear : array of shape (M,)
        c.
    weight : float
        Factor of the quadratic term, 1 - alpha in Eq. 3.4.
    tol : float
        Relative gap to reach.
    max_iter : int
        Most rounds in which columns enter.

    Returns
    -------
    SimplexSolution

    Raises
    ------
    ValueError, TypeError
        NaN or infinity, shapes that do not fit, an argument out of range.

    Notes
    -----
    An active-set method: the program restricted to the features that entered is solved by
    pairwise steps (accelerated projected gradient where they are many) and Newton steps inside
    the face; then the features that violate optimality most enter, at least 32 and at most
    doubling the set. Each step lowers the objective, so an indefinite Q (erratum E12) cannot make
    it cycle: it ends in a point that meets the second-order conditions on its own support.

    Examples
    --------
    >>> import numpy as np
    >>> solution = simplex_qp(np.diag([1.0, 2.0, 4.0]), np.zeros(3))
    >>> solution.weights.round(3)
    array([0.571, 0.286, 0.143])
    """
    linear = check_numbers("simplex_qp", "linear", linear, ndim=1)
    M = len(linear)
    check_number("simplex_qp", "weight", weight, low=0)
    check_tolerance("simplex_qp", "tol", tol)
    check_number("simplex_qp", "max_iter", max_iter, kind=Integral, low=1)
    if not callable(rows):
        rows = check_square("simplex_qp", "rows", rows)
        if len(rows) != M:
            raise ValueError(
                f"The 'rows' parameter of simplex_qp must be a matrix of shape {(M, M)}, as "
                f"'linear' says, or a function. Got shape {rows.shape}."
            )
        rows = rows.__getitem__
    work = WorkingSet(rows, linear, float(weight))
    work.enter(np.argsort(-linear, kind="stable")[: min(_ENTER, M)])
    diagonal = np.diag(work.G)
    work.w[np.argmin(0.5 * diagonal - work.c)] = 1.0
    inner = 1e-4
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        work.solve(inner)
        g = work.gradient()
        level = work.w @ g[work.entered]
        gap = level - g.min()
        _, size = work.gap()
        if gap <= tol * size:
            break
        inner = max(0.3 * tol, min(0.1 * inner, 0.01 * gap / size))
        violation = level - g
        violation[work.entered] = 0.0
        wrong = np.flatnonzero(violation > 0.3 * tol * size)
        wrong = wrong[np.argsort(-violation[wrong], kind="stable")]
        if len(wrong):
            work.enter(wrong[: max(_ENTER, len(work.entered))])
    return _solution(work, g, gap, size, n_iter, tol)


def _solution(work, g, gap, size, n_iter, tol):
    weights = np.zeros(len(g))
    weights[work.entered] = work.w
    level = work.w @ g[work.entered]
    point = g[work.entered[work.w > 0]]
    residual = max(float(np.abs(point - level).max()), float(level - g.min()))
    gap = max(float(gap), 0.0)
    converged = gap <= tol * size
    reason = (
        f"a relative gap of {gap / size:.1e} (asked: {tol:.0e}) after {n_iter} rounds with "
        f"{len(work.entered)} columns"
    )
    if not converged:
        warnings.warn(
            f"The quadratic program stopped at {reason}: raise 'max_iter' or 'tol'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    first = work.G[:256, :256]
    scale = work.weight or 1.0
    objective = float(0.5 * work.w @ (work.G @ work.w) - work.c @ work.w)
    return SimplexSolution(
        objective=objective,
        dual_objective=objective - gap,
        n_iter=n_iter,
        converged=bool(converged),
        reason=reason,
        weights=weights,
        support=np.flatnonzero(weights),
        size=float(size),
        kkt_residual=residual,
        curvature=float(np.linalg.eigvalsh(first)[0]) / scale,
        n_columns=len(work.entered),
        n_steps=work.steps,
    )
