"""The identity regulariser with one Cholesky factorisation of K + sqrt(mu) I.

H = K^2 + mu I is what the identity regulariser solves with. Forming K^2 costs N^3 operations,
three times a Cholesky factorisation, and squares the condition number. Both are avoided: with
s = sqrt(mu),

    (K + i s I)^-1 = K H^-1 - i s H^-1,

so one complex solve gives K H^-1 b and H^-1 b for a real b. It is done with the *real* factor of
K + s I alone. With theta = s (K + s I)^-1, whose spectrum is in (0, 1],

    K + i s I = (K + s I) (I - (1 - i) theta),

and the spectrum of I - (1 - i) theta is on the segment from 1 to i of the complex plane, whatever
K, N and mu. A Galerkin solution from k Lanczos steps with theta converges at least as fast as
(sqrt(2) - 1)^k, and never breaks down, as the segment does not meet 0. Residuals in double
precision with K itself and corrections take it to the rounding floor of K + i s I, even from a
factor in single precision.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hlsvm.extract._packed_matrix import Factor, PackedMatrix

_EPS = np.finfo(np.float64).eps
_ROTATION = 1.0 - 1.0j
_INNER_TOL = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}
_MAX_STEPS = 48
_MAX_PASSES = 12
_FLOOR = 16.0


def lanczos_solve(
    theta: Callable[[np.ndarray], np.ndarray], B: np.ndarray, tol: float
) -> tuple[np.ndarray, int]:
    """Solve (I - (1 - i) theta) x = b for each real column b of `B`, by Galerkin on Krylov spaces.

    Parameters
    ----------
    theta : callable
        Applies a real symmetric matrix with spectrum in [0, 1] to the columns of a matrix.
    B : array of shape (n, m)
        Right-hand sides; the columns advance side by side, in the precision of `B`.
    tol : float
        Residual, relative to each column's norm, at which to stop.

    Returns
    -------
    x : complex array of shape (n, m)
    n_steps : int
        Lanczos steps taken.
    """
    m = B.shape[1]
    norms = np.linalg.norm(B, axis=0)
    basis = [B / np.where(norms > 0, norms, B.dtype.type(1))]
    alpha, beta = np.zeros((_MAX_STEPS, m)), np.zeros((_MAX_STEPS, m))
    for k in range(_MAX_STEPS):
        w = theta(basis[k])
        alpha[k] = np.einsum("ij,ij->j", basis[k], w)
        for q in basis[::-1]:
            w -= q * np.einsum("ij,ij->j", q, w)
        beta[k] = np.linalg.norm(w, axis=0)
        small = _projected(alpha[: k + 1], beta[: k + 1])
        if np.max(np.abs(_ROTATION) * beta[k] * np.abs(small[:, -1])) <= tol:
            break
        basis.append(w / np.where(beta[k] > 0, beta[k], 1.0).astype(B.dtype))
    weights = small.T * norms
    x = np.zeros(B.shape, dtype=complex)
    for q, weight in zip(basis, weights, strict=False):
        x.real += q * weight.real
        x.imag += q * weight.imag
    return x, k + 1


def _projected(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Solve the k x k Galerkin systems, one for each column; first unit vector on the right."""
    k, m = alpha.shape
    small = np.zeros((m, k, k), dtype=complex)
    index = np.arange(k)
    small[:, index, index] = 1.0 - _ROTATION * alpha.T
    small[:, index[1:], index[:-1]] = small[:, index[:-1], index[1:]] = -_ROTATION * beta[:-1].T
    unit = np.zeros((m, k, 1), dtype=complex)
    unit[:, 0] = 1.0
    return np.linalg.solve(small, unit)[..., 0]


def resolvent(
    store: PackedMatrix, factor: Factor, s: float, B: np.ndarray
) -> tuple[np.ndarray, int, bool]:
    """Solve (K + i s I) x = b for the real columns of `B`, to working precision.

    The real part of x is K H^-1 b and the imaginary part -s H^-1 b, H = K^2 + s^2 I; the residuals
    of both are driven to the rounding floor apart, as the second may be far smaller.

    Parameters
    ----------
    store : PackedMatrix
        K.
    factor : Factor
        Of K + s I, in either precision.
    s : float
        Square root of mu.
    B : array of shape (n, m)

    Returns
    -------
    x : complex array of shape (n, m)
    n_steps : int
        Lanczos steps over all passes (one solve with the factor each).
    reached : bool
        Whether the corrections came down to the floor.
    """
    m = B.shape[1]
    x = np.zeros(B.shape, dtype=complex)
    gap, worst, steps = np.array(B), np.inf, 0
    tol = inner = _INNER_TOL[factor.dtype]
    scale = factor.dtype.type(s)
    for _ in range(_MAX_PASSES):
        dx, k = lanczos_solve(lambda Q: scale * factor.solve(Q), factor.solve(gap), tol)
        steps += k
        trial = x + (dx if dx.shape == x.shape else dx[:, :m] + 1j * dx[:, m:])
        new_gap, excess = _residual(store, s, B, trial)
        if excess > 0.5 * worst:
            if tol == inner:
                break
            tol = inner
            continue
        x, gap, worst = trial, new_gap, excess
        if excess <= _FLOOR:
            break
        tol = max(inner, min(1e-2, 0.05 * _FLOOR / excess))
    return x, steps, worst <= 2.0 * _FLOOR


def resolvent_of_squares(
    store: PackedMatrix, factor: Factor, s: float, B: np.ndarray
) -> tuple[np.ndarray, int]:
    """Solve (K + i s I) x = b as `resolvent` does, for kernels with negative eigenvalues.

    Parameters
    ----------
    store, s, B
        As for `resolvent`.
    factor : Factor
        Of H = K K + s^2 I: (K + i s I)^-1 = (K - i s I) H^-1. Residuals are those of K + i s I,
        so the squared condition number slows corrections down and costs no digits.

    Returns
    -------
    x : complex array of shape (n, m)
    n_steps : int
        Solves with the factor.
    """
    m = B.shape[1]
    x = np.zeros(B.shape, dtype=complex)
    gap, worst, steps = np.array(B), np.inf, 0
    for _ in range(_MAX_PASSES):
        steps += 1
        h = factor.solve(gap)
        dx = store.matmul(h).astype(complex) - 1j * s * h
        trial = x + dx[:, :m] + (1j * dx[:, m:] if h.shape[1] > m else 0.0)
        new_gap, excess = _residual(store, s, B, trial)
        if excess > 0.5 * worst:
            break
        x, gap, worst = trial, new_gap, excess
        if excess <= _FLOOR:
            break
    return x, steps


def _residual(
    store: PackedMatrix, s: float, B: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return b - (K + i s I) x, real columns before imaginary ones, and its size over rounding."""
    real, imag = np.ascontiguousarray(x.real), np.ascontiguousarray(x.imag)
    gap = -store.matmul(np.hstack([real, imag]))
    m = B.shape[1]
    gap[:, :m] += B + s * imag
    gap[:, m:] -= s * real
    size_r, size_i = np.linalg.norm(real), np.linalg.norm(imag)
    floor_r = _EPS * (store.norm * size_r + s * size_i + np.linalg.norm(B))
    floor_i = _EPS * (store.norm * size_i + s * size_r)
    excess = max(np.linalg.norm(gap[:, :m]) / floor_r, np.linalg.norm(gap[:, m:]) / floor_i)
    return gap, float(excess)
