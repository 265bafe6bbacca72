"""CBD: keep the rows near a boundary between classes (Panda, Chang, Wu 2006), for any SVM."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.neighbors import NearestNeighbors

from hlsvm._data import check_data, check_labels
from hlsvm._params import check_n_jobs, check_number

__all__ = ["boundary_rows", "boundary_scores"]

_OWNER = "boundary_rows"


def boundary_scores(X, y, n_neighbors=100, n_jobs=None):
    r"""Score rows by how near they are to rows of another class.

    Every row :math:`x` looks through its list of nearest neighbours. Let :math:`\delta_x` be the
    squared distance to the nearest one of another class; every :math:`z` of another class on the
    list is given :math:`\exp(-(\|x - z\|^2 - \delta_x) / \bar\delta)`, with :math:`\bar\delta` the
    mean of all :math:`\delta_x`. The score of a row is the mean of what it is given.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    n_neighbors : int, default=100
        Length of the list, as in the paper. The lists are exact; the index finds them by leaving
        out whole cells where the papers leave off a sum of squares.
    n_jobs : int or None, default=None

    Returns
    -------
    ndarray of shape (n_samples,)
        0 for rows that are on nobody's list from across a boundary.
    """
    check_number(_OWNER, "n_neighbors", n_neighbors, kind=Integral, low=1)
    check_n_jobs(_OWNER, n_jobs)
    X = check_data(_OWNER, X, dtype=np.float64)
    y = check_labels(_OWNER, "y", y, len(X))
    if len(X) < 2:
        raise ValueError(f"X of {_OWNER} must hold at least two rows. Got {len(X)}.")
    k = min(int(n_neighbors), len(X) - 1)
    index = NearestNeighbors(n_neighbors=k, n_jobs=n_jobs).fit(X)
    distance, neighbour = index.kneighbors()
    across = y[neighbour] != y[:, None]
    square = distance**2
    first = np.where(across, square, np.inf).min(axis=1)
    near = np.isfinite(first)
    if not near.any():
        return np.zeros(len(X))
    width = max(float(first[near].mean()), np.finfo(float).tiny)
    gift = np.exp(-np.where(across, square - np.where(near, first, 0.0)[:, None], np.inf) / width)
    given = np.bincount(neighbour[across], gift[across], minlength=len(X))
    times = np.bincount(neighbour[across], minlength=len(X))
    return given / np.maximum(times, 1)


def boundary_rows(X, y, n_neighbors=100, *, keep=0.95, n_jobs=None):
    """Return the rows that lie near a boundary: the reduced set of CBD.

    Rows are taken by falling `boundary_scores` until they carry the share `keep` of the scores of
    their class. A class that is on no list across a boundary keeps the row nearest to the others'
    mean, so that no class is lost.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    n_neighbors : int, default=100
    keep : float, default=0.95
        Share of the scores; the paper leaves its rule of sampling open.
    n_jobs : int or None, default=None

    Returns
    -------
    ndarray of int64
        Ascending.

    Raises
    ------
    ValueError, TypeError
        A parameter is out of range, or X holds NaN or infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.regions import boundary_rows
    >>> X = np.arange(100.0)[:, None]
    >>> rows = boundary_rows(X, X[:, 0] >= 50, n_neighbors=8)
    >>> rows.min() >= 40, rows.max() <= 60
    (np.True_, np.True_)
    """
    check_number(_OWNER, "keep", keep, low=0, high=1, closed="right")
    scores = boundary_scores(X, y, n_neighbors, n_jobs)
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    kept = []
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        order = members[np.argsort(-scores[members], kind="stable")]
        total = scores[order].sum()
        if total > 0.0:
            least = int(np.searchsorted(np.cumsum(scores[order]), keep * total)) + 1
            kept.append(order[: min(least, np.count_nonzero(scores[order]))])
        else:
            centre = X[y != label].mean(axis=0) if len(members) < len(y) else X.mean(axis=0)
            kept.append(members[[((X[members] - centre) ** 2).sum(axis=1).argmin()]])
    return np.sort(np.concatenate(kept))
