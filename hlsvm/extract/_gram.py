"""Kernel matrices by blocks: what the solvers of this room read instead of K itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

KERNELS = (*sorted(kernel_metrics()), "precomputed")
_BLOCK_BYTES = 16 * 2**20  # malloc reuses blocks below 32 MB; larger ones are mapped anew each time
LARGEST = float(np.sqrt(np.finfo(np.float64).max))
TOO_LARGE = (
    "The kernel matrix must be finite, and so must its square, in double precision. It is not: "
    "scale X, or take a smaller 'gamma', 'degree' or 'coef0'."
)


@dataclass(frozen=True)
class PairwiseKernel:
    """A kernel with its parameters: ``kernel.block(X, Y)`` is the matrix k(x_i, y_j).

    Parameters
    ----------
    name : str or callable
        One of `KERNELS`, or a function ``(X, Y, **params) -> (n_X, n_Y)`` matrix.
    params : dict
        Keyword arguments; a named kernel takes those it knows.
    """

    name: str | Callable[..., np.ndarray]
    params: dict[str, Any] = field(default_factory=dict)

    def block(self, X: Any, Y: Any) -> np.ndarray:
        """Return the kernel matrix between the rows of `X` and the rows of `Y`."""
        if not callable(self.name):
            return pairwise_kernels(X, Y, metric=self.name, filter_params=True, **self.params)
        out = np.asarray(self.name(X, Y, **self.params), dtype=np.float64)
        if out.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"The 'kernel' parameter must be a function that returns one row for each row of "
                f"its first argument and one column for each row of its second, here an array of "
                f"shape {(X.shape[0], Y.shape[0])}. Got shape {out.shape} instead."
            )
        if not np.isfinite(out).all():
            raise ValueError("The function given as 'kernel' returned NaN or infinite values.")
        return out

    def diagonal(self, X: Any) -> np.ndarray:
        """Return k(x_i, x_i) for the rows of `X`, without the rest of the matrix."""
        if self.name in ("rbf", "laplacian", "chi2"):
            return np.ones(X.shape[0])
        rows = (X[i : i + 1] for i in range(X.shape[0]))
        return np.fromiter((self.block(row, row).item() for row in rows), np.float64, X.shape[0])


class Gram:
    """The kernel matrix of a training set, computed when asked for, never kept.

    Parameters
    ----------
    kernel : PairwiseKernel
        For ``"precomputed"``, `X` is the matrix itself.
    X : array of shape (n_samples, n_features)
        The training set.
    cache_bytes : float
        `matmul` keeps K if it takes no more than this.
    """

    def __init__(self, kernel: PairwiseKernel, X: Any, cache_bytes: float = 0.0):
        self.kernel = kernel
        self.X = X
        self.n = X.shape[0]
        self.precomputed = kernel.name == "precomputed"
        self._keep = not self.precomputed and 8.0 * self.n**2 <= cache_bytes
        self._kept: np.ndarray | None = None

    def rows(self, start: int, stop: int, first: int = 0) -> np.ndarray:
        """Return K[start:stop, first:]."""
        if self.precomputed:
            return self.X[start:stop, first:]
        return self.kernel.block(self.X[start:stop], self.X[first:])

    def columns(self, indices: np.ndarray) -> np.ndarray:
        """Return K[:, indices]."""
        if self.precomputed:
            return self.X[:, indices]
        return self.kernel.block(self.X, self.X[indices])

    def diagonal(self) -> np.ndarray:
        """Return the diagonal of K."""
        return self.X.diagonal().copy() if self.precomputed else self.kernel.diagonal(self.X)

    def blocks(self, width: int) -> Iterator[tuple[int, int]]:
        """Yield (start, stop) of row blocks whose share of `width` columns takes 16 MB."""
        step = block_rows(width)
        yield from ((i, min(i + step, self.n)) for i in range(0, self.n, step))

    def matmul(self, B: np.ndarray) -> np.ndarray:
        """Return K B for a matrix `B` of shape (n_samples, m); each pair is computed once."""
        if self._kept is not None:
            return self._kept @ B
        out = np.zeros((self.n, B.shape[1]))
        kept = np.empty((self.n, self.n)) if self._keep else None
        for start, stop in self.blocks(self.n):
            rows = self.rows(start, stop, first=start)
            beyond = rows[:, stop - start :]
            out[start:stop] += rows @ B[start:]
            out[stop:] += beyond.T @ B[start:stop]
            if kept is not None:
                kept[start:stop, start:] = rows
                kept[stop:, start:stop] = beyond.T
        self._kept = kept
        return out


def block_rows(width: int) -> int:
    """Return how many rows of `width` doubles make a 16 MB block."""
    return max(16, _BLOCK_BYTES // (8 * max(1, width)))


def project(kernel: PairwiseKernel, X: Any, points: Any, coef: np.ndarray) -> np.ndarray:
    """Return k(X, points) @ coef by blocks of rows; z = sum_j a_j k(x_j, x) of Thesis 4.1.1."""
    out = np.empty((X.shape[0], coef.shape[1]))
    step = block_rows(points.shape[0])
    for start in range(0, X.shape[0], step):
        out[start : start + step] = kernel.block(X[start : start + step], points) @ coef
    return out
