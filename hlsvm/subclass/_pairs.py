"""Level 1: a linear SVM for every pair of subclasses; its support vectors are the candidates."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed
from numba import njit
from numpy.typing import NDArray

from hlsvm.linear.kernels import solve_dual, squared_norms

_PAIRS = 16  # pairs one task solves


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


def candidates(X, minus, plus, upper, tol, max_iter, seeds, n_jobs):
    """Candidate support vectors of every pair of subclasses (SRS-SVM Alg. 1).

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
    minus, plus : list of Subclass
        Of the two classes.
    upper : ndarray of float64, shape (n,)
        Caps of the dual variables.
    tol : float
        Relative duality gap of a linear SVM.
    max_iter : int
        Epochs of one.
    seeds : ndarray of uint32, shape (len(minus) * len(plus),)
    n_jobs : int or None

    Returns
    -------
    list of ndarray of int64
        Rows of the candidates, one array a pair.
    """
    pairs = [(a, b) for a in minus for b in plus]
    tasks = [range(at, min(at + _PAIRS, len(pairs))) for at in range(0, len(pairs), _PAIRS)]
    found = Parallel(n_jobs, prefer="threads")(
        delayed(
            lambda task: [_candidates(X, *pairs[k], upper, tol, max_iter, seeds[k]) for k in task]
        )(task)
        for task in tasks
    )
    return [rows for task in found for rows in task]


def linear_pair(X, minus, plus, upper, tol, max_iter, seed):
    """Linear SVM between two subclasses.

    The origin is put half-way between their means, where a penalty on the bias does no harm.

    Returns
    -------
    rows, y, alpha, w, b, local : ndarrays and float
        f(x) = w.(x - center) + b on `local`, the shifted rows; center = (minus + plus centers) / 2.
    """
    rows = np.concatenate([minus.rows, plus.rows])
    y = np.ones(len(rows))
    y[: len(minus.rows)] = -1.0
    local = shifted(X, rows, 0.5 * (minus.center + plus.center))
    local.flags.writeable = False
    alpha = np.zeros(len(rows))
    w, b, *_ = solve_dual(
        local,
        np.arange(len(rows)),
        y,
        upper[rows],
        squared_norms(local),
        1.0,
        tol,
        max_iter,
        int(seed),
        alpha,
    )
    return rows, y, alpha, w, b, local


def _candidates(X, minus, plus, upper, tol, max_iter, seed):
    rows, _, alpha, *_ = linear_pair(X, minus, plus, upper, tol, max_iter, seed)
    return rows[alpha > 0.0]
