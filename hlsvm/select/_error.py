"""The two error bounds of Thesis 3.2.2, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from hlsvm._data import check_numbers, check_square
from hlsvm._params import check_number, check_type
from hlsvm.select._nystrom import LowRank, truncated
from hlsvm.select._simplex_qp import simplex_qp
from hlsvm.select._subspace_qp import subspace_qp


@dataclass(frozen=True)
class SubspaceBound:
    """Both sides of Theorem 3.1 for one Q.

    Attributes
    ----------
    exact : float
        g(w*), optimum of Eq. 3.4.
    full_space : float
        g~(w~*), optimum with the truncated matrix over the whole simplex.
    subspace : float
        Optimum of Eq. 3.9, over w = Uz only.
    printed : float
        gamma = (M + 1) (M - k) delta / 2, Eq. 3.13.
    tight : float
        (1 - alpha) delta ||w~*||^2 / 2 <= delta / 2: what the argument really gives (erratum E11).
    rank : int
        k, eigenvalues kept.
    delta : float
        Largest eigenvalue that was dropped (0 if none was).

    Notes
    -----
    ``full_space <= exact <= full_space + tight <= full_space + printed`` for a positive
    semidefinite Q. The theorem says the same of ``subspace``, which is wrong: ``subspace >=
    full_space``, and it is as a rule above ``exact``.
    """

    exact: float
    full_space: float
    subspace: float
    printed: float
    tight: float
    rank: int
    delta: float


def subspace_bound(Q, relevance, alpha, floor):
    """Error of dropping the eigenvalues of Q not above `floor` (Theorem 3.1, Eq. 3.12-3.13).

    Parameters
    ----------
    Q : array of shape (M, M)
        Positive semidefinite.
    relevance : array of shape (M,)
        F.
    alpha : float
    floor : float
        delta of the source.

    Returns
    -------
    SubspaceBound
    """
    check_number("subspace_bound", "alpha", alpha, low=0, high=1)
    check_number("subspace_bound", "floor", floor, low=0)
    Q = check_square("subspace_bound", "Q", Q)
    relevance = check_numbers("subspace_bound", "relevance", relevance, ndim=1)
    M = len(Q)
    low_rank = truncated(Q, floor)
    rank = len(low_rank.values)
    delta = max(float(np.linalg.eigvalsh(Q)[M - rank - 1]), 0.0) if rank < M else 0.0
    linear, weight = alpha * relevance, 1.0 - alpha
    exact = simplex_qp(Q, linear, weight=weight)
    full = simplex_qp(low_rank.rows, linear, weight=weight)
    return SubspaceBound(
        exact=exact.objective,
        full_space=full.objective,
        subspace=subspace_qp(low_rank, linear, weight=weight).objective,
        printed=(M + 1) * (M - rank) * delta / 2,
        tight=weight * delta * float(full.weights @ full.weights) / 2,
        rank=rank,
        delta=delta,
    )


@dataclass(frozen=True)
class NystromBound:
    """Both sides of Theorem 3.2, and the bound of the objective that follows from it.

    Attributes
    ----------
    observed : float
        ||Q - Q^||_F for this sample.
    best : float
        ||Q - Q~||_F, the best matrix of rank k.
    epsilon : float
        (64 k / r)^(1/4), the smallest that the theorem allows.
    frobenius : float
        Right-hand side of Eq. 3.16: a bound of the mean of `observed`.
    objective : float
        Bound of the mean of |g(w*) - g^(w^*)| as printed after Eq. 3.16.
    objective_tight : float
        The same chain with ||w||^2 <= 1 in the place of M + 1 (erratum E15).
    """

    observed: float
    best: float
    epsilon: float
    frobenius: float
    objective: float
    objective_tight: float


def nystrom_bound(Q, approximation, n_rows):
    """Error of a Nystrom matrix against what Theorem 3.2 promises (Eq. 3.16).

    Parameters
    ----------
    Q : array of shape (M, M)
        Positive semidefinite.
    approximation : LowRank
        From `nystrom`, of rank k.
    n_rows : int
        r, rows that were sampled.

    Returns
    -------
    NystromBound

    Notes
    -----
    The bound holds for r > k. It says little: epsilon > 2 as soon as k > r / 4, and for a unit
    diagonal its second term is then above 2 M (erratum E15). Compare `observed`.
    """
    Q = check_square("nystrom_bound", "Q", Q)
    check_type("nystrom_bound", "approximation", approximation, LowRank, "a LowRank")
    check_number("nystrom_bound", "n_rows", n_rows, kind=Integral, low=1, high=len(Q))
    M, k = len(Q), len(approximation.values)
    if len(approximation.vectors) != M:
        raise ValueError(
            f"The 'Q' parameter of nystrom_bound must have a row for each of the "
            f"{len(approximation.vectors)} features of 'approximation'. Got shape {Q.shape}."
        )
    values = np.sort(np.linalg.eigvalsh(Q))[::-1]
    diagonal = np.sort(np.diag(Q))[::-1]
    best = float(np.sqrt(np.sum(values[k:] ** 2)))
    epsilon = (64.0 * k / n_rows) ** 0.25
    spread = M / n_rows * diagonal[:n_rows].sum() * np.sqrt(M * np.sum(diagonal**2))
    frobenius = best + epsilon * np.sqrt(spread)
    trace = float(np.abs(values[k:]).sum())
    return NystromBound(
        observed=float(np.linalg.norm(Q - approximation.matrix())),
        best=best,
        epsilon=float(epsilon),
        frobenius=float(frobenius),
        objective=float((M + 1) / 2 * (trace + epsilon * np.sqrt(spread))),
        objective_tight=float(0.5 * frobenius),
    )
