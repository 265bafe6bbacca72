"""A closed subset of given size: the 0-1 form of the program (Thesis 7.1), with a certified gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm._params import check_number


@dataclass(frozen=True)
class BinarySubset:
    """A subset, its value, and how far from the best it can be.

    Attributes
    ----------
    features : int array of shape (m,)
        Rising.
    objective, bound, gap : float
        Value of the subset, proved lower bound of the best one, their difference.
    n_cuts : int
    """

    features: np.ndarray
    objective: float
    bound: float
    n_cuts: int

    @property
    def gap(self):
        """Objective minus bound."""
        return max(self.objective - self.bound, 0.0)

    @property
    def certificate(self):
        """What `QPFS` adds to its certificate."""
        return {
            "binary_objective": self.objective,
            "binary_bound": self.bound,
            "binary_gap": self.gap,
            "binary_cuts": self.n_cuts,
        }


def _swapped(H, c, chosen):
    """Exchange features while an exchange lowers 1/2 x'Hx - c'x; steepest first."""
    inside = np.zeros(len(c), dtype=bool)
    inside[chosen] = True
    slope = H @ inside - c
    while True:
        i, o = np.flatnonzero(inside), np.flatnonzero(~inside)
        if len(o) == 0:
            return inside
        diagonal = np.diag(H)
        change = (slope[o] + 0.5 * diagonal[o]) - (slope[i] - 0.5 * diagonal[i])[:, None]
        change -= H[np.ix_(i, o)]
        row, column = np.unravel_index(np.argmin(change), change.shape)
        if change[row, column] >= -1e-12 * np.abs(c).max(initial=1e-300):
            return inside
        inside[i[row]], inside[o[column]] = False, True
        slope += H[o[column]] - H[i[row]]


class _Master:
    """Integer program of the cuts: linear under-estimates of the convex objective."""

    def __init__(self, H, c, size):
        import cvxpy as cp

        self.cp, self.H, self.c = cp, H, c
        self.x = cp.Variable(len(c), boolean=True)
        self.t = cp.Variable()
        self.limits = [cp.sum(self.x) == size]

    def cut(self, point):
        slope = self.H @ point
        self.limits.append(self.t >= slope @ self.x - 0.5 * point @ slope)

    def solve(self):
        """Lower bound of the optimum, and a subset."""
        problem = self.cp.Problem(self.cp.Minimize(self.t - self.c @ self.x), self.limits)
        problem.solve(solver="HIGHS", mip_rel_gap=1e-7)
        bound = getattr(problem.solver_stats.extra_stats, "mip_dual_bound", None)
        value = float(problem.value) if bound is None else min(float(problem.value), float(bound))
        return value, self.x.value > 0.5


def _relaxed(H, c, size):
    """Optimum over 0 <= x <= 1, sum x = size."""
    import cvxpy as cp

    x = cp.Variable(len(c))
    goal = cp.Minimize(0.5 * cp.quad_form(x, cp.psd_wrap(H)) - c @ x)
    cp.Problem(goal, [x >= 0, x <= 1, cp.sum(x) == size]).solve(solver="CLARABEL")
    return np.clip(x.value, 0.0, 1.0)


def binary_subset(Q, relevance, size, *, alpha=0.5, tol=1e-6, max_cuts=30):
    """Best subset of `size` features: w_i in {0, 1/size} in Thesis Eq. 3.4 (asked for in 7.1).

    Parameters
    ----------
    Q : array of shape (M, M)
        Symmetric similarity; need not be positive semidefinite.
    relevance : array of shape (M,)
        F.
    size : int
        m, number of features.
    alpha : float in [0, 1]
    tol : float
        Relative gap at which to stop.
    max_cuts : int
        Most integer programs to solve; the gap says what is left after them.

    Returns
    -------
    BinarySubset

    Notes
    -----
    x'x = m on all subsets, so the diagonal of Q may be shifted at will: shifted by its smallest
    eigenvalue the objective is convex and the relaxation as tight as a shift can make it. The
    relaxed optimum, rounded and improved by exchanges, is the first subset; outer approximation
    (integer programs of linear cuts, by HiGHS through cvxpy) raises the bound and may find better
    ones. Meant for some hundred features.

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]])
    >>> found = binary_subset(Q, np.array([0.9, 0.8, 0.5]), 2)
    >>> found.features, round(found.gap, 6)
    (array([0, 2]), 0.0)
    """
    relevance = np.asarray(relevance, dtype=np.float64)
    M = len(relevance)
    check_number("binary_subset", "size", size, kind=int, low=1, high=M)
    check_number("binary_subset", "alpha", alpha, low=0, high=1)
    Q = np.asarray(Q, dtype=np.float64)
    shift = np.linalg.eigvalsh(Q)[0]
    H = (1.0 - alpha) / size**2 * (Q - shift * np.eye(M))
    c = alpha / size * relevance
    constant = 0.5 * (1.0 - alpha) / size * shift

    def value(x):
        return 0.5 * x @ H @ x - c @ x

    start = _relaxed(H, c, size)
    master = _Master(H, c, size)
    best = _swapped(H, c, np.argsort(-start, kind="stable")[:size]).astype(np.float64)
    master.cut(start)
    master.cut(best)
    bound, n_cuts = -np.inf, 2
    for _ in range(max_cuts):
        lower, found = master.solve()
        bound = max(bound, lower)
        found = found.astype(np.float64)
        better = _swapped(H, c, np.flatnonzero(found)).astype(np.float64)
        best = min((best, found, better), key=value)
        if value(best) - bound <= tol * max(abs(value(best) + constant), 1e-12):
            break
        for point in (found, better, 0.5 * (found + start)):
            master.cut(point)
        n_cuts += 3
    return BinarySubset(
        np.flatnonzero(best > 0.5), float(value(best) + constant), float(bound + constant), n_cuts
    )
