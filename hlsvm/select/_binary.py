"""A closed subset of given size: the 0-1 form of the program (Thesis 7.1), with a certified gap."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy import sparse

from hlsvm._data import check_numbers, check_square
from hlsvm._params import check_number
from hlsvm.select._base import order_by
from hlsvm.select._simplex_qp import simplex_qp

_NODES = 20_000  # most nodes of the branch and bound: the same on every machine, unlike seconds


@dataclass(frozen=True)
class BinarySubset:
    """A subset, its value, and how far from the best it can be.

    Attributes
    ----------
    features : int array of shape (m,)
        Rising.
    objective, bound, gap : float
        Value of the subset, proved lower bound of the best one, their difference.
    """

    features: np.ndarray
    objective: float
    bound: float

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


def _integer_program(Q, gain, size, weight):
    """Best subset by a mixed-integer linear program: value, proved lower bound, chosen features.

    Products x_i x_j become variables y_ij with sum_j y_ij = (m - 1) x_i, which is what makes the
    relaxation tight (reformulation-linearisation).
    """
    import cvxpy as cp

    M = len(gain)
    i, j = np.triu_indices(M, 1)
    pair = np.arange(len(i))
    ones = np.ones(2 * len(i))
    both = sparse.csr_matrix((ones, (np.r_[i, j], np.r_[pair, pair])), shape=(M, len(i)))
    x, y = cp.Variable(M, boolean=True), cp.Variable(len(i), nonneg=True)
    limits = [cp.sum(x) == size, both @ y == (size - 1) * x, y <= x[i], y <= x[j]]
    limits.append(y >= x[i] + x[j] - 1)
    value = weight * (Q[i, j] @ y) + 0.5 * weight * np.diag(Q) @ x - gain @ x
    problem = cp.Problem(cp.Minimize(value), limits)
    problem.solve(solver="HIGHS", mip_rel_gap=1e-7, mip_max_nodes=_NODES)
    bound = problem.solver_stats.extra_stats.mip_dual_bound
    return float(bound), np.flatnonzero(x.value > 0.5)


def binary_subset(Q, relevance, size, *, alpha=0.5, exact_up_to=150):
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
    exact_up_to : int
        Largest M for which the integer program is solved.

    Returns
    -------
    BinarySubset

    Notes
    -----
    x'x = m on all subsets, so the diagonal of Q may be shifted at will: shifted by its smallest
    eigenvalue the objective is convex, and its minimum over the simplex is a lower bound at any
    M. The largest weights there, improved by exchanges, are the first subset. Up to `exact_up_to`
    features an integer program (HiGHS through cvxpy) then proves the optimum, or says how far it
    got.

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]])
    >>> found = binary_subset(Q, np.array([0.9, 0.8, 0.5]), 2)
    >>> found.features, round(found.gap, 6)
    (array([0, 2]), 0.0)
    """
    relevance = check_numbers("binary_subset", "relevance", relevance, ndim=1)
    M = len(relevance)
    check_number("binary_subset", "size", size, kind=Integral, low=1, high=M)
    check_number("binary_subset", "alpha", alpha, low=0, high=1)
    check_number("binary_subset", "exact_up_to", exact_up_to, kind=Integral, low=0)
    Q = check_square("binary_subset", "Q", Q)
    if Q.shape != (M, M):
        raise ValueError(f"Q must be of shape {(M, M)}, as 'relevance' says. Got {Q.shape}.")
    shift = np.linalg.eigvalsh(Q)[0]
    relaxed = simplex_qp(Q - shift * np.eye(M), alpha * relevance, weight=1.0 - alpha)
    constant = 0.5 * (1.0 - alpha) * shift / size
    bound = relaxed.objective - relaxed.gap + constant
    weight, gain = (1.0 - alpha) / size**2, alpha / size * relevance
    order = order_by(relaxed.weights, relevance)
    subsets = [_swapped(weight * Q, gain, order[:size])]
    if exact_up_to >= M:
        lower, chosen = _integer_program(Q, gain, size, weight)
        bound = max(bound, lower)
        subsets.append(_swapped(weight * Q, gain, chosen))

    def value(inside):
        return float(0.5 * weight * Q[np.ix_(inside, inside)].sum() - gain[inside].sum())

    best = min(subsets, key=value)
    return BinarySubset(np.flatnonzero(best), value(best), float(bound))
