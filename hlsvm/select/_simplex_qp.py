"""Quadratic program on the simplex, by columns: only what enters the support is ever asked for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.exceptions import ConvergenceWarning

from hlsvm._certificate import Certificate
from hlsvm._data import check_numbers, check_square
from hlsvm._params import check_number, check_tolerance, refusal
from hlsvm.select._simplex_steps import add_rows, gradient_steps, pairwise_steps

_ENTER = 32  # columns that enter at once, at least
_FLOOR = 1e-4  # the gap is measured against no less than this share of the largest coefficient
_LARGE = 768  # working set from which gradient steps replace pairwise ones


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


class _Working:
    """The columns that entered, the square block G among them, and the point on them."""

    def __init__(self, rows, linear, weight):
        self.rows, self.linear, self.weight = rows, linear, weight
        self.entered = np.empty(0, dtype=np.int64)
        self.columns = []
        self.G = np.empty((0, 0))
        self.w = np.empty(0)
        self.steps = 0

    def enter(self, features):
        """Fetch columns of Q and extend the block."""
        try:
            new = np.ascontiguousarray(self.rows(features))
        except (TypeError, IndexError) as error:
            raise TypeError(f"The 'rows' parameter of simplex_qp failed: {error}") from error
        if new.shape != (len(features), len(self.linear)) or new.dtype.kind not in "biuf":
            accepted = f"a function that returns rows of {len(self.linear)} numbers for indices"
            raise ValueError(refusal("simplex_qp", "rows", accepted, self.rows))
        new = new if new.dtype in (np.float32, np.float64) else new.astype(np.float64)
        old = len(self.entered)
        self.entered = np.concatenate([self.entered, features])
        self.columns.append(new)
        G = np.empty((len(self.entered), len(self.entered)))
        G[:old, :old] = self.G
        G[old:] = new[:, self.entered]
        G[old:] *= self.weight
        G[:old, old:] = G[old:, :old].T
        if not np.isfinite(G).all():
            raise ValueError("Q must be finite: NaN or infinity was found in its rows.")
        block = new[:, features]
        if np.abs(block - block.T).max() > 1e-4 * np.abs(block).max():
            raise ValueError("Q must be symmetric: Q[i, j] and Q[j, i] differ in its rows.")
        self.G = G
        self.w = np.concatenate([self.w, np.zeros(len(features))])
        self.c = self.linear[self.entered]

    def gradient(self):
        """Gradient on all M features, from the columns of the support."""
        total = np.zeros(len(self.linear))
        start = 0
        for block in self.columns:
            add_rows(block, self.w[start : start + len(block)], total)
            start += len(block)
        return self.weight * total - self.linear

    def gap(self):
        """Return the gap on the working set, and the size of the two terms."""
        Gw = self.G @ self.w
        g = Gw - self.c
        least = _FLOOR * max(np.abs(np.diag(self.G)).max(), np.abs(self.c).max())
        size = max(abs(0.5 * self.w @ Gw), abs(self.c @ self.w), least, 1e-300)
        return self.w @ g - g.min(), size

    def solve(self, tol, most=60):
        """Solve on the working set, to a gap of `tol` times the size of the terms."""
        for _ in range(most):
            gap, size = self.gap()
            if gap <= tol * size and not self._escape():
                break
            self._descend(max(0.01 * gap, 0.5 * tol * size))
            self._newton()

    def _descend(self, tol):
        if len(self.w) > _LARGE:
            start = np.ones(len(self.w)) / np.sqrt(len(self.w))
            for _ in range(20):  # largest eigenvalue, by powers
                start = self.G @ start
                length = np.linalg.norm(start)
                start /= max(length, 1e-300)
            bound = min(1.05 * length, np.abs(self.G).sum(axis=1).max())
            self.w, steps = gradient_steps(self.G, self.c, self.w, max(bound, 1e-300), tol, 400)
        else:
            g = self.G @ self.w - self.c
            steps = pairwise_steps(self.G, self.w, g, tol, 50 * len(self.w) + 1000)
        self.steps += steps

    def _face(self):
        """Support, and the Hessian in the coordinates e_i - e_last of its face."""
        support = np.flatnonzero(self.w > 0)
        support = support[np.argsort(self.w[support], kind="stable")]
        block = self.G[np.ix_(support, support)]
        rest, last = block[:-1, :-1], block[:-1, -1]
        return support, rest - last[:, None] - last + block[-1, -1]

    def _newton(self):
        """Newton steps inside the face, dropping what they push to zero."""
        for _ in range(50):
            support, H = self._face()
            if len(H) == 0:
                return
            g = self.G[support] @ self.w - self.c[support]
            slope = g[:-1] - g[-1]
            try:
                jitter = 1e-13 * np.trace(H) / len(H)
                factor = cho_factor(H + max(jitter, 0.0) * np.eye(len(H)), check_finite=False)
            except LinAlgError:
                return
            move = -cho_solve(factor, slope, check_finite=False)
            blocked = self._move(support, np.append(move, -move.sum()), 1.0)
            self.steps += 1
            if not blocked:
                return

    def _escape(self):
        """At a stationary point that is no local minimum: go down along negative curvature."""
        support, H = self._face()
        if len(H) == 0 or len(H) > 2 * _LARGE:
            return False
        size = np.abs(np.diag(H)).max()
        if np.all(np.linalg.norm(H, axis=0) <= 1e-12 * size):
            return False
        try:
            cho_factor(H + 1e-9 * size * np.eye(len(H)), check_finite=False)
            return False
        except LinAlgError:
            value, vector = eigh(H, subset_by_index=[0, 0])
        if value[0] >= -1e-9 * size:
            return False
        move = np.append(vector[:, 0], -vector[:, 0].sum())
        g = self.G[support] @ self.w - self.c[support]
        move = -move if g @ move > 0 else move
        self._move(support, move, np.inf)
        self.steps += 1
        return True

    def _move(self, support, move, longest):
        """Go along `move`, at most until a weight becomes zero; return whether one did."""
        w = self.w[support]
        down = move < 0
        if not down.any():
            return False
        reach = np.full(len(w), np.inf)
        reach[down] = w[down] / -move[down]
        length = min(longest, reach.min())
        w = np.maximum(w + length * move, 0.0)
        blocked = bool(reach.min() <= longest)
        if blocked:
            w[np.argmin(reach)] = 0.0
        self.w[support] = w / w.sum()
        return blocked


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
    >>> found = simplex_qp(np.diag([1.0, 2.0, 4.0]), np.zeros(3))
    >>> found.weights.round(3)
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
    work = _Working(rows, linear, float(weight))
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
