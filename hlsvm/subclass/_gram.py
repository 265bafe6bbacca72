"""Blocks of the kernel matrix by BLAS: single precision for the solver, double for reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from hlsvm.subclass._smo import add_rows, exponentials

_ROWS, _COLUMNS = 256, 2048  # one tile of inner products stays in the second-level cache
_STRIP = 8192  # columns that one worker fills
_WORTH_A_THREAD = 1 << 22  # kernel values


@dataclass(frozen=True)
class Points:
    """Samples mapped so that the kernel is a function of their inner products.

    Attributes
    ----------
    rows : ndarray, C-contiguous, shape (n, d)
    half : ndarray, shape (n,)
        Half the squared norms (zeros for kernels that need none).
    """

    rows: np.ndarray
    half: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index) -> Points:
        return Points(self.rows[index], self.half[index])


@dataclass(frozen=True)
class Kernel:
    """exp(-gamma |a - b|^2) ("rbf"), a.b ("linear") or (gamma a.b + coef0)^degree ("poly").

    `center` is subtracted first under "rbf", which it leaves unchanged but for its rounding.
    """

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    center: np.ndarray | None = None

    def embed(self, X: np.ndarray, dtype: type) -> Points:
        """Map the rows of `X`, shape (n, d), to `Points` of this dtype."""
        rows = np.asarray(X, dtype=np.float64)
        if self.name == "rbf":
            rows = (rows - (0.0 if self.center is None else self.center)) * np.sqrt(2 * self.gamma)
        elif self.name == "poly":
            rows = rows * np.sqrt(self.gamma)
        rows = np.ascontiguousarray(rows, dtype=dtype)
        if self.name != "rbf":
            return Points(rows, np.zeros(len(rows), dtype=dtype))
        half = 0.5 * np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        return Points(rows, half.astype(dtype))

    def diagonal(self, points: Points) -> np.ndarray:
        """k(x, x) of every point, float64, shape (n,)."""
        if self.name == "rbf":
            return np.ones(len(points))
        squares = np.einsum("ij,ij->i", points.rows, points.rows, dtype=np.float64)
        return squares if self.name == "linear" else (squares + self.coef0) ** self.degree

    def fill(self, a: Points, b: Points, out: np.ndarray, at: np.ndarray, start: int, n_jobs=None):
        """Write k(a_i, b_j), single precision, into ``out[at[i], start + j]``.

        The work is cut the same way whatever `n_jobs`, so that the bits do not depend on it.
        """
        _each(
            [
                (self._fill_strip, (a, b[left : left + _STRIP], out, at, start + left))
                for left in range(0, len(b), _STRIP)
            ],
            n_jobs if len(a) * len(b) >= _WORTH_A_THREAD else 1,
        )

    def _fill_strip(self, a, b, out, at, start):
        buffer = np.empty(min(_ROWS, len(a)) * min(_COLUMNS, len(b)), dtype=np.float32)
        for top in range(0, len(a), _ROWS):
            block = a[top : top + _ROWS]
            to = at[top : top + _ROWS]
            for left in range(0, len(b), _COLUMNS):
                other = b[left : left + _COLUMNS]
                tile = buffer[: len(block) * len(other)].reshape(len(block), len(other))
                np.dot(block.rows, other.rows.T, out=tile)
                if self.name == "rbf":
                    exponentials(tile, block.half, other.half, out, to, start + left)
                else:
                    out[to, start + left : start + left + len(other)] = self._power(tile)

    def square(self, a: Points) -> np.ndarray:
        """Kernel matrix of a few points, float32, shape (n, n)."""
        out = np.empty((len(a), len(a)), dtype=np.float32)
        self.fill(a, a, out, np.arange(len(a)), 0)
        return out

    def expand(self, a: Points, coef: np.ndarray, b: Points, n_jobs=None) -> np.ndarray:
        """Sum coef_i k(a_i, b_j) over i for every b_j, in the precision of the points.

        Single-precision values are summed in double. `coef` has shape (len(a),), or for double
        precision (len(a), p); the result (len(b),) or (len(b), p).
        """
        if len(a) == 0 or len(b) == 0:
            return np.zeros((len(b), *coef.shape[1:]))
        parts = _each(
            [
                (self._expand_strip, (a, coef, b[left : left + _COLUMNS]))
                for left in range(0, len(b), _COLUMNS)
            ],
            n_jobs if len(a) * len(b) >= _WORTH_A_THREAD else 1,
        )
        return np.concatenate(parts)

    def _expand_strip(self, a, coef, b):
        single = a.rows.dtype == np.float32
        total = np.zeros((len(b), *coef.shape[1:]))
        products = np.empty((min(_ROWS, len(a)), len(b)), dtype=a.rows.dtype)
        values = np.empty_like(products) if single else products
        for top in range(0, len(a), _ROWS):
            block = a[top : top + _ROWS]
            at = np.arange(len(block))
            tile = products[: len(block)]
            np.dot(block.rows, b.rows.T, out=tile)
            if self.name == "rbf" and single:
                exponentials(tile, block.half, b.half, values, at, 0)
            elif self.name == "rbf":
                tile -= block.half[:, None]
                tile -= b.half
                np.exp(np.minimum(tile, 0.0, out=tile), out=tile)
            else:
                values[: len(block)] = self._power(tile)
            if single:
                add_rows(values, at, coef[top : top + _ROWS], total)
            else:
                total += tile.T @ coef[top : top + _ROWS]
        return total

    def _power(self, products):
        if self.name == "linear":
            return products
        return (products + products.dtype.type(self.coef0)) ** self.degree


def _each(calls, n_jobs):
    """Results of the calls (function, arguments), in order."""
    if n_jobs == 1 or len(calls) < 2:
        return [function(*arguments) for function, arguments in calls]
    return Parallel(n_jobs, prefer="threads")(
        delayed(function)(*arguments) for function, arguments in calls
    )
