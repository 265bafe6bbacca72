"""Level 1: a linear SVM for every pair of subclasses; its support vectors are the candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numba import njit
from numpy.typing import NDArray

from hlsvm._certificate import Certificate
from hlsvm.linear.kernels import move_to_vertex, solve_dual, solve_free_bias, squared_norms

_PAIRS = 16  # pairs one task solves


@dataclass(frozen=True)
class LinearTraining:
    """How the linear SVMs of the pairs are trained.

    Attributes
    ----------
    tol : float
        Relative duality gap at which one stops.
    max_iter : int
        Epochs after which it stops anyway.
    faithful : bool
        Whether the bias is not penalised and the dual solution is moved to a vertex.
    """

    tol: float
    max_iter: int
    faithful: bool


@njit(cache=True, nogil=True)
def shifted(X, rows, center):
    """Rows of `X` minus `center`, single precision, shape (len(rows), d)."""
    out = np.empty((rows.shape[0], X.shape[1]), dtype=np.float32)
    for i in range(rows.shape[0]):
        for j in range(X.shape[1]):
            out[i, j] = X[rows[i], j] - center[j]
    return out


class Subclass:
    """Rows of one subclass and their mean."""

    def __init__(self, X: NDArray, rows: NDArray[np.int64]):
        self.rows = rows
        self.center = X[rows].mean(axis=0, dtype=np.float64)


def candidates(X, minus, plus, upper, training: LinearTraining, seeds, n_jobs):
    """Candidate support vectors of every pair of subclasses (SRS-SVM Alg. 1).

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
    minus, plus : list of Subclass
        Of the two classes.
    upper : ndarray of float64, shape (n,)
        Caps of the dual variables.
    training : LinearTraining
    seeds : ndarray of uint32, shape (len(minus) * len(plus),)
    n_jobs : int or None

    Returns
    -------
    leaves : list of ndarray of int64
        Rows of the candidates, one array per pair.
    certificates : tuple of Certificate
        Of the linear SVMs.
    """
    pairs = [(a, b) for a in minus for b in plus]
    tasks = [range(at, min(at + _PAIRS, len(pairs))) for at in range(0, len(pairs), _PAIRS)]
    per_task = Parallel(n_jobs, prefer="threads")(
        delayed(lambda task: [_candidates(X, *pairs[k], upper, training, seeds[k]) for k in task])(
            task
        )
        for task in tasks
    )
    result = [pair for pairs in per_task for pair in pairs]
    return [rows for rows, _ in result], tuple(proof for _, proof in result)


def _candidates(X, minus, plus, upper, training, seed):
    """Rows with a multiplier above zero in the linear SVM of two subclasses, and its certificate.

    The origin is put half-way between their means, where a penalty on the bias does least harm.
    """
    rows = np.concatenate([minus.rows, plus.rows])
    y = np.ones(len(rows))
    y[: len(minus.rows)] = -1.0
    local = shifted(X, rows, 0.5 * (minus.center + plus.center))
    local.flags.writeable = False
    alpha, caps, every = np.zeros(len(rows)), upper[rows], np.arange(len(rows))
    problem = local, every, y, caps, squared_norms(local)
    stop = training.tol, training.max_iter, int(seed), alpha
    if training.faithful:
        plane = solve_free_bias(*problem, *stop)
        move_to_vertex(local, every, y, caps, alpha)
    else:
        plane = solve_dual(*problem, 1.0, *stop)
    objectives = plane.objective, plane.dual_objective
    reason = "tolerance" if plane.converged else "max_iter"
    return rows[alpha > 0.0], Certificate(*objectives, plane.n_iter, plane.converged, reason)
