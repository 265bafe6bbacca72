"""A symmetric matrix in half the memory, and Cholesky factors of it in single or double precision.

The matrix is cut in four: K11 and K22 share one square, lower and upper triangle, and K21 has
another. All blocks are contiguous, so every product and solve is a call of BLAS. The factor has
the same cut. With N^2 doubles as the unit, K takes 1/2 and a factor 3/4 in double precision, 3/8
in single: less than K as a whole, or a quarter more.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from hlsvm.extract._gram import LARGEST, TOO_LARGE, Gram, block_rows


class NotPositiveDefiniteError(ValueError):
    """A Cholesky factorisation met a pivot that is not positive."""


class PackedMatrix:
    """The kernel matrix, each entry once.

    Parameters
    ----------
    gram : Gram
        Computed once, by blocks, on and below the diagonal only.

    Attributes
    ----------
    norm : float
        Largest modulus of an eigenvalue, from below, by power steps.
    """

    def __init__(self, gram: Gram):
        self.n = gram.n
        self.half = h = (gram.n + 1) // 2
        self.rest = gram.n - h
        self._square = np.zeros((h, h), order="F")
        self._below = np.empty((self.rest, h), order="F")
        step = min(512, block_rows(gram.n))
        for start in range(0, h, step):
            stop = min(start + step, h)
            columns = gram.rows(start, stop, first=start).T
            self._put_lower(start, stop, columns[: h - start])
            self._below[:, start:stop] = columns[h - start :]
        corner = np.empty(self.rest)
        for start in range(0, self.rest, step):
            stop = min(start + step, self.rest)
            rows = gram.rows(h + start, h + stop, first=h + start)
            corner[start:stop] = rows.diagonal()
            self._put_upper(start, stop, rows)
        self.diagonal = np.concatenate([self._square.diagonal(), corner])
        self.norm = self._power_norm()
        if not self.norm < LARGEST:
            raise ValueError(TOO_LARGE)

    def _put_lower(self, start: int, stop: int, columns: np.ndarray) -> None:
        width = stop - start
        self._square[start:stop, start:stop] = np.tril(columns[:width])
        self._square[stop:, start:stop] = columns[width:]

    def _put_upper(self, start: int, stop: int, rows: np.ndarray) -> None:
        width = stop - start
        self._square[start:stop, start:stop] += np.triu(rows[:, :width], 1)
        self._square[start:stop, stop : self.rest] = rows[:, width:]

    def matmul(self, B: np.ndarray) -> np.ndarray:
        """Return K B for a matrix `B` of shape (n, m)."""
        h, rest = self.half, self.rest
        top = np.asfortranarray(B[:h])
        low = np.zeros_like(top)
        low[:rest] = B[h:]
        out = np.empty((self.n, B.shape[1]))
        out[:h] = _symmetric(self._square, top, lower=1)
        out[h:] = _symmetric(self._square, low, lower=0)[:rest]
        out[h:] += (self.diagonal[h:] - self.diagonal[:rest])[:, None] * low[:rest]
        out[:h] += self._below.T @ low[:rest]
        out[h:] += self._below @ top
        return out

    def corners(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return K11 (lower triangle holds), K22 (lower triangle holds) and K21."""
        low = np.asfortranarray(self._square[: self.rest, : self.rest].T)
        np.fill_diagonal(low, self.diagonal[self.half :])
        return self._square, low, self._below

    def _power_norm(self) -> float:
        x = np.ones((self.n, 1)) / np.sqrt(self.n)
        x[::2] *= 1.0 + 1e-3
        size = 0.0
        for _ in range(3):
            with np.errstate(over="ignore", invalid="ignore"):
                x = self.matmul(x)
                size = float(np.linalg.norm(x))
            if size == 0.0 or not np.isfinite(size):
                return size
            x /= size
        return size


def _symmetric(a: np.ndarray, b: np.ndarray, lower: int) -> np.ndarray:
    if b.shape[1] == 1:
        return get_blas_funcs("symv", (a,))(1.0, a, b[:, 0], lower=lower)[:, None]
    return get_blas_funcs("symm", (a,))(1.0, a, b, lower=lower)


class Factor:
    """Cholesky factor of K + shift I, or of K K + shift I.

    Parameters
    ----------
    store : PackedMatrix
        K.
    shift : float
        Added to the diagonal.
    dtype : numpy.float32 or numpy.float64
        Precision of the factor.
    squared : bool
        Factorise K K + shift I, for kernels with negative eigenvalues.

    Raises
    ------
    NotPositiveDefiniteError
        A pivot is not positive in this precision.
    """

    def __init__(self, store: PackedMatrix, shift: float, dtype=np.float64, squared: bool = False):
        self.dtype = np.dtype(dtype)
        self._half = store.half
        first, last, below = _squares(store) if squared else store.corners()
        self._first, self._last, self._below = (
            np.array(part, dtype=self.dtype, order="F") for part in (first, last, below)
        )
        del first, last, below
        for part in (self._first, self._last):
            part.ravel(order="K")[:: len(part) + 1] += self.dtype.type(shift)
        syrk, self._trsm = get_blas_funcs(("syrk", "trsm"), (self._first,))
        self._factorise(self._first)
        if len(self._last):
            self._below = self._trsm(
                1.0, self._first, self._below, side=1, lower=1, trans_a=1, overwrite_b=1
            )
            self._last = syrk(-1.0, self._below, 1.0, self._last, lower=1, overwrite_c=1)
            self._factorise(self._last)

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Solve for the columns of `B`; the result has the factor's precision."""
        h = self._half
        top = np.array(B[:h], dtype=self.dtype, order="F")
        low = np.array(B[h:], dtype=self.dtype, order="F")
        top = self._trsm(1.0, self._first, top, lower=1, overwrite_b=1)
        if len(low):
            low -= self._below @ top
            low = self._trsm(1.0, self._last, low, lower=1, overwrite_b=1)
            low = self._trsm(1.0, self._last, low, lower=1, trans_a=1, overwrite_b=1)
            top -= self._below.T @ low
        top = self._trsm(1.0, self._first, top, lower=1, trans_a=1, overwrite_b=1)
        return np.concatenate([top, low])

    def _factorise(self, part: np.ndarray) -> None:
        potrf = get_lapack_funcs("potrf", (part,))
        info = potrf(part, lower=1, clean=0, overwrite_a=1)[1]
        if info:
            raise NotPositiveDefiniteError(f"pivot {info} of {len(part)} is not positive")


def _squares(store: PackedMatrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the corners of K K."""
    first, last, below = store.corners()
    first, last = (np.tril(part) + np.tril(part, -1).T for part in (first, last))
    return (
        first @ first + below.T @ below,
        last @ last + below @ below.T,
        below @ first + last @ below,
    )
