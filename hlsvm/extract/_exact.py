"""The exact solver: one factorisation of an N x N matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from hlsvm.extract._factor import resolvent, resolvent_of_squares
from hlsvm.extract._gradients import conjugate_gradients
from hlsvm.extract._packed_matrix import Factor, NotPositiveDefiniteError, PackedMatrix
from hlsvm.extract._system import ClassSystem

_EPS = np.finfo(np.float64).eps
_TINY = np.finfo(np.float64).tiny
_FLOOR = 16.0
_SINGLE = 1e-6  # least shift over |K| for a factor in single precision
_SINGLE_RANGE = 1e-9, 1e12  # size of K outside of which squares may leave single precision


def solve_exact(
    store: PackedMatrix, V: np.ndarray, counts: np.ndarray, mu: float, regularizer: str
) -> tuple[ClassSystem, int]:
    """Solve for Y, S and D with the true kernel matrix.

    With the identity regulariser one Cholesky factorisation of K + sqrt(mu) I serves K^2 + mu I
    (see `hlsvm.extract._factor`); where K has negative eigenvalues beyond that shift, K^2 + mu I
    itself is formed and factorised. With the kernel regulariser K + mu I is factorised. The
    factor is in single precision where corrections from it can converge, else in double.

    Raises
    ------
    ValueError
        The regularised matrix is not positive definite in double precision.
    """
    KV = store.matmul(V)
    if regularizer == "kernel":
        Y, D, steps = _solve_kernel(store, V, mu)
    else:
        Y, D, steps = _solve_identity(store, V, KV, mu)
    return ClassSystem(Y, KV.T @ Y, D, counts), steps


def _factors(store: PackedMatrix, shift: float) -> Iterator[Factor]:
    """Yield the factor of K + shift I in single precision, if that may do, then in double."""
    low, high = _SINGLE_RANGE
    if shift > _SINGLE * store.norm and low < store.norm + shift < high:
        with suppress(NotPositiveDefiniteError):
            yield Factor(store, shift, np.float32)
    yield Factor(store, shift, np.float64)


def _solve_identity(
    store: PackedMatrix, V: np.ndarray, KV: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray, int]:
    s, steps = float(np.sqrt(mu)), 0
    if store.norm**2 <= _EPS * mu:  # K^2 is lost in rounding beside mu I
        return KV / mu, V.T @ V, 1
    try:
        for factor in _factors(store, s):
            x, more, reached = resolvent(store, factor, s, V)
            steps += more
            if reached:
                break
    except NotPositiveDefiniteError:
        return _solve_square(store, V, mu)
    return np.ascontiguousarray(x.real), -s * (V.T @ x.imag), steps


def _solve_square(
    store: PackedMatrix, V: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray, int]:
    try:
        factor = Factor(store, mu, squared=True)
    except NotPositiveDefiniteError as error:
        raise _too_small(store, mu, (store.norm**2) * _EPS) from error
    s = float(np.sqrt(mu))
    x, steps = resolvent_of_squares(store, factor, s, V)
    return np.ascontiguousarray(x.real), -s * (V.T @ x.imag), steps


def _solve_kernel(
    store: PackedMatrix, V: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray, int]:
    steps = 0
    try:
        for factor in _factors(store, mu):
            Y, more, reached = refine(
                factor, lambda B: store.matmul(B) + mu * B, V, store.norm + mu
            )
            steps += more
            if reached:
                break
    except NotPositiveDefiniteError as error:
        raise _too_small(store, mu, store.norm * _EPS) from error
    return Y, mu * (V.T @ Y), steps


def refine(
    factor: Factor,
    apply: Callable[[np.ndarray], np.ndarray],
    rhs: np.ndarray,
    norm: float,
) -> tuple[np.ndarray, int, bool]:
    """Solve with a factor, then take conjugate gradient steps on residuals in double precision.

    Parameters
    ----------
    factor : Factor
        Of the matrix, in either precision: it solves first and preconditions then.
    apply : callable
        Applies the matrix.
    rhs : array of shape (n, m)
    norm : float
        Of the matrix; with it the rounding floor is known.

    Returns
    -------
    x : array of shape (n, m)
    n_solves : int
    reached : bool
        Whether the residual came down to the floor.
    """

    def precondition(B):
        return factor.solve(B).astype(np.float64)

    sizes = np.linalg.norm(rhs, axis=0)
    x, solves, worst = precondition(rhs), 1, np.inf
    for _ in range(4):
        gap = rhs - apply(x)
        floor = _EPS * (norm * np.linalg.norm(x, axis=0) + sizes)
        excess = float(np.max(np.linalg.norm(gap, axis=0) / np.maximum(floor, _TINY)))
        if excess <= _FLOOR or excess > 0.5 * worst:
            break
        worst = excess
        goal = _FLOOR / 4.0 * float(np.min(floor / np.maximum(sizes, _TINY)))
        x, steps = conjugate_gradients(apply, precondition, rhs, x, gap, goal, 15)
        solves += steps + 1
    return x, solves, excess <= 4.0 * _FLOOR


def _too_small(store: PackedMatrix, mu: float, rounding: float) -> ValueError:
    return ValueError(
        f"The 'mu' parameter must make the regularised scatter matrix positive definite in double "
        f"precision. Got mu={mu:.3g} with a kernel matrix of norm {store.norm:.3g}, where rounding "
        f"alone is about {rounding:.1g}. Take a larger mu; if the kernel is not positive "
        f"semidefinite (sigmoid, additive_chi2, some precomputed ones), take "
        f"regularizer='identity'."
    )
