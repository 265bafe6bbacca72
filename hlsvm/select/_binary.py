"""A closed subset of given size: the 0-1 form of the program (Thesis 7.1), with a certified gap."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from hlsvm._certificate import Certificate
from hlsvm._data import check_numbers, check_square
from hlsvm._params import check_number
from hlsvm.select._base import order_by
from hlsvm.select._simplex_qp import simplex_qp

_NODES = 20_000  # most nodes of the branch and bound: the same on every machine, unlike seconds
_PROVED = (
    1e-6  # gap, relative to the larger term of the objective, below which a subset is the best
)


@dataclass(frozen=True, eq=False)
class BinarySubset(Certificate):
    """A subset, its value, and how far from the best it can be.

    Attributes
    ----------
    objective, dual_objective : float
        Value of the subset, and a proved lower bound of the best one.
    n_iter : int
        Nodes of the branch and bound.
    converged : bool
        Whether the subset is proved to be the best, to 1e-6.
    reason : str
    features : int array of shape (m,)
        Rising.
    """

    features: np.ndarray


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
    """Best subset by a mixed-integer linear program, solved by HiGHS.

    Products x_i x_j become variables y_ij with sum_j y_ij = (m - 1) x_i, which is what makes the
    relaxation tight (reformulation-linearisation).
    """
    M = len(gain)
    i, j = np.triu_indices(M, 1)
    P, pair = len(i), np.arange(len(i))
    first, second = (sparse.csr_array((np.ones(P), (pair, k)), shape=(P, M)) for k in (i, j))
    y = sparse.eye_array(P)
    rows = [
        [sparse.csr_array(np.ones((1, M))), None],  # sum_i x_i = m
        [(1 - size) * sparse.eye_array(M), (first + second).T],
        [-first, y],  # y_ij <= x_i
        [-second, y],
        [first + second, -y],  # y_ij >= x_i + x_j - 1
    ]
    low = np.r_[size, np.zeros(M), np.full(3 * P, -np.inf)]
    high = np.r_[size, np.zeros(M), np.zeros(2 * P), np.ones(P)]
    return milp(
        np.r_[0.5 * weight * np.diag(Q) - gain, weight * Q[i, j]],
        integrality=np.r_[np.ones(M), np.zeros(P)],
        bounds=Bounds(0.0, 1.0),
        constraints=LinearConstraint(sparse.block_array(rows, format="csc"), low, high),
        options={"mip_rel_gap": 1e-7, "node_limit": _NODES},
    )


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
    features an integer program (HiGHS) then proves the optimum, or says how far it got.

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]])
    >>> subset = binary_subset(Q, np.array([0.9, 0.8, 0.5]), 2)
    >>> subset.features, round(subset.gap, 6)
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
    bound = relaxed.dual_objective + constant
    weight, gain = (1.0 - alpha) / size**2, alpha / size * relevance
    order = order_by(relaxed.weights, relevance)
    subsets, nodes = [_swapped(weight * Q, gain, order[:size])], 0
    if exact_up_to >= M:
        program = _integer_program(Q, gain, size, weight)
        nodes = int(program.mip_node_count or 0)
        if program.mip_dual_bound is not None:
            bound = max(bound, program.mip_dual_bound)
        if program.x is not None:
            subsets.append(_swapped(weight * Q, gain, np.flatnonzero(program.x[:M] > 0.5)))

    def value(inside):
        return float(0.5 * weight * Q[np.ix_(inside, inside)].sum() - gain[inside].sum())

    best = min(subsets, key=value)
    features, objective = np.flatnonzero(best), value(best)
    gap = max(objective - bound, 0.0)
    terms = max(abs(gain[features].sum()), 0.5 * weight * abs(Q[np.ix_(best, best)].sum()))
    return BinarySubset(
        objective=objective,
        dual_objective=float(bound),
        n_iter=nodes,
        converged=bool(gap <= _PROVED * terms),
        reason=f"a gap of {gap:.1e} after {nodes} of at most {_NODES} nodes",
        features=features,
    )
