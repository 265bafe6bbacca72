"""One N x N array that holds K and a Cholesky factor at once, and what is solved with them.

K stands in the lower triangle, the factor in the upper, the two diagonals apart: the memory of
the exact solver is that of K, and K stays at hand for residuals.

The identity regulariser needs H = K^2 + mu I. Forming K^2 costs N^3 operations, three times a
Cholesky factorisation, and squares the condition number. Both are avoided: with s = sqrt(mu),

    (K + i s I)^-1 = K H^-1 - i s H^-1,

so one complex solve gives K H^-1 b and H^-1 b for a real b. It is done with the *real* factor of
K + s I alone. With theta = s (K + s I)^-1, whose spectrum is in (0, 1],

    K + i s I = (K + s I) (I - (1 - i) theta),

and the spectrum of I - (1 - i) theta is on the segment from 1 to i of the complex plane, whatever
K, N and mu. A Galerkin solution from k Lanczos steps with theta converges at least as fast as
(sqrt(2) - 1)^k, and never breaks down, as the segment does not meet 0. Residuals with K itself
and corrections take it to working precision.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dsymm
from scipy.linalg.lapack import dpotrf, dpotrs

from hlsvm.extract._gram import Gram

_EPS = np.finfo(np.float64).eps
_ROTATION = 1.0 - 1.0j
_INNER_TOL = 1e-9
_MAX_STEPS = 48
_MAX_CORRECTIONS = 6
_FLOOR = 16.0


class NotPositiveDefiniteError(ValueError):
    """A Cholesky factorisation met a pivot that is not positive."""


class TriangleStore:
    """K in the lower triangle of one array, a Cholesky factor in the upper.

    Parameters
    ----------
    gram : Gram
        The kernel matrix; computed once, by blocks, lower triangle only.
    """

    def __init__(self, gram: Gram):
        n = self.n = gram.n
        self._a = np.empty((n, n), order="F")
        for start, stop in gram.blocks(n):
            self._a[start:, start:stop] = gram.rows(start, stop, first=start).T
        self.diagonal = self._a.diagonal().copy()
        self._work_diagonal = self._a.ravel(order="K")[:: n + 1]
        self.norm = self._power_norm()

    def matmul(self, B: np.ndarray) -> np.ndarray:
        """Return K B."""
        B = np.asfortranarray(B)
        out = dsymm(1.0, self._a, B, lower=1)
        out += (self.diagonal - self._work_diagonal)[:, None] * B
        return out

    def factorise(self, shift: float) -> None:
        """Factorise K + shift I in the upper triangle.

        Raises
        ------
        NotPositiveDefiniteError
            A pivot is not positive: K has an eigenvalue below -shift, or shift is below rounding.
        """
        for start in range(0, self.n, 512):
            stop = min(start + 512, self.n)
            self._a[start:stop, stop:] = self._a[stop:, start:stop].T
            square = self._a[start:stop, start:stop]
            square[:] = np.tril(square) + np.tril(square, -1).T
        self._work_diagonal[:] = self.diagonal + shift
        self._cholesky()

    def factorise_square(self, mu: float) -> None:
        """Factorise K K + mu I in the upper triangle: for kernels with negative eigenvalues."""
        self._work_diagonal[:] = self.diagonal
        squared = np.empty(self.n)
        for start in range(0, self.n, 256):
            stop = min(start + 256, self.n)
            left = np.tril(self._a[start:stop, start:stop])
            left += np.tril(left, -1).T
            columns = np.vstack([self._a[start:stop, :start].T, left, self._a[stop:, start:stop]])
            product = dsymm(1.0, self._a, np.asfortranarray(columns), lower=1)
            self._a[:start, start:stop] = product[:start]
            square = self._a[start:stop, start:stop]
            square[:] = left * np.tri(stop - start) + np.triu(product[start:stop], 1)
            squared[start:stop] = product[start:stop].diagonal()
        self._work_diagonal[:] = squared + mu
        self._cholesky()

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Solve with the matrix factorised last."""
        return dpotrs(self._a, np.asfortranarray(B), lower=0)[0]

    def _cholesky(self) -> None:
        info = dpotrf(self._a, lower=0, clean=0, overwrite_a=1)[1]
        if info:
            raise NotPositiveDefiniteError(f"pivot {info} of {self.n} is not positive")

    def _power_norm(self) -> float:
        """Estimate the largest modulus of an eigenvalue of K from below, in eight power steps."""
        x = np.ones((self.n, 1)) / np.sqrt(self.n)
        x[::2] *= 1.0 + 1e-3
        size = 0.0
        for _ in range(8):
            x = self.matmul(x)
            size = float(np.linalg.norm(x))
            if size == 0.0:
                return 0.0
            x /= size
        return size


def lanczos_solve(
    theta: Callable[[np.ndarray], np.ndarray], B: np.ndarray, tol: float = _INNER_TOL
) -> tuple[np.ndarray, int]:
    """Solve (I - (1 - i) theta) x = b for each real column b of `B`, by Galerkin on Krylov spaces.

    Parameters
    ----------
    theta : callable
        Applies a real symmetric matrix with spectrum in [0, 1] to the columns of a matrix.
    B : array of shape (n, m)
        Right-hand sides; the columns advance side by side.
    tol : float
        Residual, relative to each column's norm, at which to stop.

    Returns
    -------
    x : complex array of shape (n, m)
    n_steps : int
        Lanczos steps taken.
    """
    n, m = B.shape
    norms = np.linalg.norm(B, axis=0)
    basis = [B / np.where(norms > 0, norms, 1.0)]
    alpha, beta = np.zeros((_MAX_STEPS, m)), np.zeros((_MAX_STEPS, m))
    for k in range(_MAX_STEPS):
        w = theta(basis[k])
        alpha[k] = np.einsum("ij,ij->j", basis[k], w)
        for q in (*basis, *basis):
            w -= q * np.einsum("ij,ij->j", q, w)
        beta[k] = np.linalg.norm(w, axis=0)
        small = _projected(alpha[: k + 1], beta[: k + 1])
        if np.max(np.abs(_ROTATION) * beta[k] * np.abs(small[:, -1])) <= tol:
            break
        basis.append(w / np.where(beta[k] > 0, beta[k], 1.0))
    x = np.zeros((n, m), dtype=complex)
    for q, weights in zip(basis, small.T, strict=False):
        x += q * (weights * norms)
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


def resolvent(store: TriangleStore, s: float, B: np.ndarray) -> tuple[np.ndarray, int]:
    """Solve (K + i s I) x = b for the real columns of `B`, to working precision.

    `store` holds the factor of K + s I. The real part of x is K H^-1 b and the imaginary part
    -s H^-1 b, H = K^2 + s^2 I; residuals of both are driven to the rounding floor apart, as the
    second may be far smaller than the first.

    Returns
    -------
    x : complex array of shape (n, m)
    n_steps : int
        Lanczos steps over all passes (two triangular solves each).
    """
    m = B.shape[1]
    x = np.zeros(B.shape, dtype=complex)
    real, imag = np.array(B), None
    steps, worst = 0, np.inf
    for _ in range(_MAX_CORRECTIONS):
        columns = real if imag is None else np.hstack([real, imag])
        tol = _INNER_TOL if imag is None else max(_INNER_TOL, 0.5 / worst)
        dx, k = lanczos_solve(lambda Q: s * store.solve(Q), store.solve(columns), tol)
        steps += k
        step = dx if imag is None else dx[:, :m] + 1j * dx[:, m:]
        trial = x + step
        product = store.matmul(np.hstack([trial.real, trial.imag]))
        new_real = B - product[:, :m] + s * trial.imag
        new_imag = -product[:, m:] - s * trial.real
        size_r, size_i = np.linalg.norm(trial.real), np.linalg.norm(trial.imag)
        floor_r = _EPS * (store.norm * size_r + s * size_i + np.linalg.norm(B))
        floor_i = _EPS * (store.norm * size_i + s * size_r)
        excess = max(np.linalg.norm(new_real) / floor_r, np.linalg.norm(new_imag) / floor_i)
        if excess >= worst:
            break
        x, real, imag, worst = trial, new_real, new_imag, excess
        if excess <= _FLOOR:
            break
    return x, steps
