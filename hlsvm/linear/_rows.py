"""Rows of a matrix, dense or sparse, as the kernels of this room read them.

A kernel is written once and compiled for both kinds. A sparse inner product sums in the order of
the dense one (`hlsvm._arithmetic`), so both kinds lead to the same bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.core import types
from numba.extending import overload
from numpy.typing import NDArray

from hlsvm._arithmetic import dot, sparse_dot

_INLINE = {"nogil": True, "forceinline": True}


class SparseRows(NamedTuple):
    """A matrix in compressed sparse rows, indices of a row ascending, none twice."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    n_columns: int


def read_only(X: Any) -> NDArray | SparseRows:
    """Return `X` as kernels take it: arrays that cannot be written, a CSR matrix as `SparseRows`.

    Memory-mapped input is read-only; one kind for all arrays halves the compiled variants.
    """
    if hasattr(X, "indptr"):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return SparseRows(*map(read_only, (X.data, X.indices, X.indptr)), X.shape[1])
    view = X.view()
    view.flags.writeable = False
    return view


def n_columns(X):
    """Columns of dense or sparse rows."""
    return X.n_columns if isinstance(X, SparseRows) else X.shape[1]


@overload(n_columns, jit_options=_INLINE)
def _n_columns(X):
    if isinstance(X, types.Array):
        return lambda X: X.shape[1]
    return lambda X: X.n_columns


def row_dot(X, i, w):
    """Inner product of row i and the first entries of w, in double precision; of kernels alone."""
    raise NotImplementedError


@overload(row_dot, jit_options=_INLINE)
def _row_dot(X, i, w):
    if isinstance(X, types.Array):
        return lambda X, i, w: dot(X[i], w, 0.0)
    return lambda X, i, w: sparse_dot(
        X.data, X.indices, X.indptr[i], X.indptr[i + 1], w, X.n_columns
    )


def add_row(X, i, step, w):
    """Add ``step`` times row i to w; of kernels alone."""
    raise NotImplementedError


@overload(add_row, jit_options=_INLINE)
def _add_row(X, i, step, w):
    if isinstance(X, types.Array):

        def add(X, i, step, w):
            for j in range(X.shape[1]):
                w[j] += step * X[i, j]

    else:

        def add(X, i, step, w):
            for at in range(X.indptr[i], X.indptr[i + 1]):
                w[X.indices[at]] += step * X.data[at]

    return add


@njit(cache=True, nogil=True)
def _squared_dense(X):
    norms = np.empty(X.shape[0])
    for i in range(X.shape[0]):
        norms[i] = dot(X[i], X[i], 0.0)
    return norms


@njit(cache=True, nogil=True)
def _squared_sparse(X):
    norms = np.empty(X.indptr.shape[0] - 1)
    row = np.zeros(X.n_columns)
    for i in range(norms.shape[0]):
        add_row(X, i, 1.0, row)
        norms[i] = row_dot(X, i, row)
        for at in range(X.indptr[i], X.indptr[i + 1]):
            row[X.indices[at]] = 0.0
    return norms


def squared_norms(X):
    """Squared Euclidean norm of every row of `X`, float64, shape (n_all,)."""
    return _squared_sparse(X) if isinstance(X, SparseRows) else _squared_dense(X)


@njit(cache=True, nogil=True)
def draw(state, n):
    """One SplitMix64 step; an integer in [0, n)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(np.float64(z >> np.uint64(11)) * 2.0**-53 * n)
