"""Levels of the features for the mutual information: segments about the mean, or every value."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse

from hlsvm._data import check_data
from hlsvm._params import check_n_jobs, check_number, check_scale, refusal
from hlsvm.select._base import SPARSE, canonical, divided, tops, units
from hlsvm.select._bitplanes import TILE, column_moments, sparse_moments

_NATIVE = (np.uint8, np.float32, np.float64)
_MOST_LEVELS = 256


def native(X):
    """`X` as a C-contiguous array, or CSC matrix, of a type that the kernels are compiled for."""
    dtype = X.dtype if X.dtype in _NATIVE else np.float64
    if issparse(X):
        return canonical(X).astype(dtype, copy=False)
    return np.ascontiguousarray(X, dtype=dtype)


def _moments(X, n_jobs):
    """Mean and standard deviation of the columns."""
    if issparse(X):
        function, arrays = sparse_moments, (X.data, X.indices, X.indptr, X.shape[0])
    else:
        function, arrays = column_moments, (X,)
    starts = range(0, X.shape[1], TILE)
    calls = [(*arrays, start, min(start + TILE, X.shape[1])) for start in starts]
    parts = in_threads(n_jobs, function, calls)
    return tuple(np.concatenate(moment) for moment in zip(*parts, strict=True))


def in_threads(n_jobs, function, calls):
    """Run `function` on every tuple of `calls`, in threads that share their arrays."""
    parallel = Parallel(n_jobs=n_jobs, require="sharedmem")
    return parallel(delayed(function)(*arguments) for arguments in calls)


def segment_edges(X, n_bins, span, n_jobs=None):
    """Inner edges of `n_bins` equal segments that cover `span` deviations (Thesis Fig. 3.4).

    Parameters
    ----------
    X : array or CSR matrix of shape (n, M)
    n_bins : int
        Number of segments n, odd, so that one has the mean in its middle; the outer two reach to
        infinity.
    span : float
        s: together the segments are ``s`` standard deviations wide.
    n_jobs : int or None

    Returns
    -------
    float64 array of shape (n_bins - 1, M), rising along the first axis

    Examples
    --------
    >>> import numpy as np
    >>> segment_edges(np.array([[-1.0], [1.0]]), n_bins=3, span=3.0)
    array([[-0.5],
           [ 0.5]])
    """
    X = check_data("segment_edges", X, dtype="numeric", accept_sparse=SPARSE)
    check_number("segment_edges", "n_bins", n_bins, kind=Integral, low=1, high=255)
    check_scale("segment_edges", "span", span)
    check_n_jobs("segment_edges", n_jobs)
    X = native(X)
    mean, deviation = _moments(X, n_jobs)
    if X.dtype == np.float64:  # squares that overflow or vanish: once more in units of their own
        odd = np.flatnonzero(~((deviation > 1e-140) & (deviation < 1e140)))
        unit = units(tops(X[:, odd])) if len(odd) else np.ones(0)
        odd, unit = odd[unit != 1.0], unit[unit != 1.0]
        if len(odd):
            again = _moments(native(divided(X[:, odd], unit)), None)
            mean[odd], deviation[odd] = again[0] * unit, again[1] * unit
    share = np.arange(1, n_bins) / n_bins - 0.5
    return mean + share[:, None] * span * deviation


def _stored(X):
    """Values of every column of a sparse matrix, 0 among them where it occurs."""
    X = canonical(X)
    for j in range(X.shape[1]):
        column = X.data[X.indptr[j] : X.indptr[j + 1]]
        yield column if len(column) == X.shape[0] else np.append(column, X.dtype.type(0))


def value_edges(X):
    """Edges that make every distinct value of a column a level of its own.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, M)

    Returns
    -------
    float64 array of shape (most levels - 1, M); a column with fewer levels ends in infinities

    Raises
    ------
    ValueError
        A column has more than 256 distinct values.
    """
    X = check_data("value_edges", X, dtype="numeric", accept_sparse=SPARSE)
    values = [np.unique(column) for column in (_stored(X) if issparse(X) else X.T)]
    most = max(map(len, values))
    if most > _MOST_LEVELS:
        column = next(j for j, result in enumerate(values) if len(result) > _MOST_LEVELS)
        raise ValueError(
            f"n_bins=None makes every distinct value of a column a level, at most {_MOST_LEVELS}: "
            f"column {column} of X has {len(values[column])}. Give 'n_bins' an odd integer."
        )
    edges = np.full((most - 1, len(values)), np.inf)
    for j, result in enumerate(values):
        edges[: len(result) - 1, j] = result[:-1]
    return edges


def levels(X, edges):
    """Level of every value: how many of its column's edges it exceeds; int64, shape of `X`."""
    X = check_data("levels", X, dtype="numeric")
    accepted = f"an array of shape (T, {X.shape[1]}), as segment_edges returns"
    try:
        edges = np.asarray(edges)
    except ValueError as error:
        raise ValueError(refusal("levels", "edges", accepted, edges)) from error
    if edges.dtype.kind not in "biuf" or edges.ndim != 2 or edges.shape[1] != X.shape[1]:
        raise ValueError(refusal("levels", "edges", accepted, edges))
    result = np.zeros(X.shape, dtype=np.int64)
    for row in edges:
        result += row < X
    return result
