"""ReliefF: features that differ between near samples of different classes (Thesis 2.2.1)."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numba import njit
from sklearn.neighbors import NearestNeighbors

from hlsvm._params import check_number, check_option
from hlsvm.select._base import RankingSelector, order_by


@njit(cache=True, nogil=True)
def add_differences(X, left, right, weight, total):
    """Add ``weight * |X[left] - X[right]|`` to `total`, feature by feature.

    Parameters
    ----------
    X : float32 array of shape (n, M)
    left : int64 array of shape (m,)
    right : int64 array of shape (m, k)
    weight : float
    total : float64 array of shape (M,)
    """
    for i in range(len(left)):
        a = X[left[i]]
        for k in range(right.shape[1]):
            b = X[right[i, k]]
            for j in range(X.shape[1]):
                total[j] += weight * abs(np.float64(a[j]) - np.float64(b[j]))


class ReliefF(RankingSelector):
    """ReliefF (Robnik-Sikonja and Kononenko; Thesis 2.2.1): hits against misses.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to keep, or which share of them; None: half.
    n_neighbors : int, default=3
        K, nearest hits and misses of every sample (fewer where a class is smaller).
    form : {"ratio", "difference"}, default="ratio"
        "ratio": sum of the distances to the misses over that to the hits, as the Thesis prints it
        (all other classes together hold the K misses). "difference": the original method: K
        misses from every other class, weighted by its prior over that of all other classes, minus
        the hits, per sample and neighbour.
    scale : bool, default=True
        Divide features by their range before distances are taken.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
    ranking_ : int array of shape (n_features,)
        Features, best first.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    Neighbours are Euclidean, over all samples, in single precision. Where the hits of a feature
    do not differ at all the ratio is infinite if the misses do and 0 if they do not.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ReliefF(3).fit(X, y).ranking_[:3]
    array([12,  9,  0])
    """

    def __init__(self, n_features_to_select=None, *, n_neighbors=3, form="ratio", scale=True):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.form = form
        self.scale = scale

    def _check_params(self):
        super()._check_params()
        check_number(self, "n_neighbors", self.n_neighbors, kind=Integral, low=1)
        check_option(self, "form", self.form, ("ratio", "difference"))
        check_option(self, "scale", self.scale, (False, True))

    @property
    def _takes_sparse(self):
        return False

    def _rank(self, X, codes):
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        width = np.where(high > low, high - low, 1.0) if self.scale else np.ones(X.shape[1])
        X = np.ascontiguousarray((X - low) / width, dtype=np.float32)
        members = [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]
        hits, misses = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for k, rows in enumerate(members):
            if len(rows) > 1:
                self._add(X, rows, rows, hits, 1.0)
            if self.form == "ratio":
                self._add(X, rows, np.flatnonzero(codes != k), misses, 1.0)
                continue
            others = len(codes) - len(rows)
            for other in members[:k] + members[k + 1 :]:
                self._add(X, rows, other, misses, len(other) / others)
        self.scores_ = self._scores(hits, misses, len(codes))
        return order_by(self.scores_, misses)

    def _add(self, X, members, pool, total, weight):
        """Add the differences between the samples `members` and their neighbours in `pool`."""
        same = members is pool
        k = min(self.n_neighbors, len(pool) - same)
        search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X[pool])
        for start in range(0, len(members), 4096):
            block = members[start : start + 4096]
            if same:
                near = search.kneighbors(X[block], n_neighbors=k + 1, return_distance=False)
                near = _without_self(near, np.arange(start, start + len(block)))
            else:
                near = search.kneighbors(X[block], return_distance=False)
            # the original method divides every class by the neighbours it really has
            share = weight if self.form == "ratio" else weight / k
            add_differences(X, block, pool[near], share, total)

    def _scores(self, hits, misses, n):
        if self.form == "difference":
            return (misses - hits) / n
        empty = np.where(misses > 0, np.inf, 0.0)
        return np.divide(misses, hits, out=empty, where=hits > 0)


def _without_self(near, samples):
    """Drop every sample from its own list of neighbours (the last where it is not in it)."""
    keep = near != samples[:, None]
    keep[keep.all(axis=1), -1] = False
    return near[keep].reshape(len(near), -1)
