"""One interface for the similarities of Thesis 3.2, and the quantities that every filter reads."""

from __future__ import annotations

from numbers import Integral
from typing import Protocol

import numpy as np
from scipy.sparse import issparse

from hlsvm._data import check_data, check_square
from hlsvm._params import check_n_jobs, check_number, check_option, check_scale
from hlsvm.select._base import SPARSE, canonical
from hlsvm.select._correlation import CallableMatrix, CorrelationMatrix
from hlsvm.select._information import PackedInformation
from hlsvm.select._levels import segment_edges, value_edges
from hlsvm.select._sparse_information import SparseInformationMatrix


class Similarity(Protocol):
    """A symmetric matrix of similarities between features that is read by pieces."""

    n_features: int

    def rows(self, features: np.ndarray) -> np.ndarray:
        """Rows `features`: float32 array of shape (k, M)."""

    def matrix(self) -> np.ndarray:
        """All of it: float32 array of shape (M, M)."""

    def mean(self) -> float:
        """Mean of all M^2 entries (Thesis Eq. 3.5)."""

    def diagonal(self) -> np.ndarray:
        """Similarity of every feature with itself: array of shape (M,)."""

    def relevance(self, y: np.ndarray) -> np.ndarray:
        """Similarity of every feature with the class (codes 0 .. C - 1): array of shape (M,)."""


def check_similarity(owner, similarity, n_bins, span):
    """Raise unless these are arguments of `similarity_of`."""
    if not callable(similarity):
        check_option(owner, "similarity", similarity, ("mi", "pearson"))
    check_number(owner, "n_bins", n_bins, kind=Integral, low=3, high=255, options=(None,))
    if n_bins is not None and n_bins % 2 == 0:
        name = owner if isinstance(owner, str) else type(owner).__name__
        raise ValueError(
            f"The 'n_bins' parameter of {name} must be odd, so that one segment "
            f"has the mean in its middle (or None: every distinct value is a level). Got {n_bins}."
        )
    check_scale(owner, "span", span)


def similarity_of(X, similarity="mi", *, n_bins=3, span=6.0, n_jobs=None) -> Similarity:
    """Similarity of the columns of `X`, read by pieces.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, M)
        A similarity that is a function needs an array.
    similarity : {"mi", "pearson"} or callable
        Mutual information of the discretised features (Thesis Eq. 2.8), |Pearson correlation|
        (Eq. 2.6), or ``f(A, B)`` of two blocks of columns (see `CallableMatrix`).
    n_bins : odd int or None, default=3
        Segments of the discretisation; None: every distinct value is a level.
    span : float, default=6
        Standard deviations that the segments cover together (Thesis Fig. 3.4). Three segments
        over six deviations are "below, within, above one deviation from the mean".
    n_jobs : int or None
        Threads of the mutual information.

    Returns
    -------
    Similarity

    Raises
    ------
    ValueError
        NaN or infinity in `X`, an even `n_bins`, an argument out of range.
    TypeError
        An argument of the wrong type, sparse `X` for a function.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> similarity_of(X, "pearson").rows([0])[0, :3].round(2)
    array([1.  , 0.09, 0.21], dtype=float32)
    """
    check_similarity("similarity_of", similarity, n_bins, span)
    check_n_jobs("similarity_of", n_jobs)
    sparse = False if callable(similarity) else SPARSE
    X = check_data("similarity_of", X, dtype="numeric", ensure_min_samples=2, accept_sparse=sparse)
    return read_similarity(canonical(X), similarity, n_bins, span, n_jobs)


def read_similarity(X, similarity, n_bins, span, n_jobs):
    """Do the work of `similarity_of` on what is known to be fit for it."""
    if callable(similarity):
        return CallableMatrix(similarity, X)
    if similarity == "pearson":
        return CorrelationMatrix(X)
    edges = value_edges(X) if n_bins is None else segment_edges(X, n_bins, span, n_jobs)
    kind = SparseInformationMatrix if issparse(X) else PackedInformation
    return kind(X, edges, n_jobs)


class SimilarityPart:
    """A similarity read on some of its features."""

    def __init__(self, similarity, features):
        self.similarity, self.features = similarity, features
        self.n_features = len(features)
        self.whole = self.n_features == similarity.n_features

    def position(self, features):
        """Places of these features among those kept."""
        return np.searchsorted(self.features, features)

    def rows(self, features):
        result = self.similarity.rows(self.features[features])
        return result if self.whole else np.ascontiguousarray(result[:, self.features])

    def diagonal(self):
        return self.similarity.diagonal()[self.features]

    def matrix(self):
        result = self.similarity.matrix()
        return result if self.whole else result[np.ix_(self.features, self.features)]


def smallest_eigenvalue(Q):
    """Smallest eigenvalue of a symmetric matrix (negative: Q is not a Gram matrix, erratum E12).

    Parameters
    ----------
    Q : array of shape (M, M)

    Examples
    --------
    >>> import numpy as np
    >>> directions = np.deg2rad([0, 45, 90, 135])
    >>> angles = directions[:, None] - directions
    >>> round(smallest_eigenvalue(np.abs(np.cos(angles))), 3)
    -0.414
    """
    from scipy.sparse.linalg import eigsh

    Q = check_square("smallest_eigenvalue", "Q", Q)
    if len(Q) < 400:
        return float(np.linalg.eigvalsh(Q)[0])
    start = np.random.RandomState(0).standard_normal(len(Q))
    value = eigsh(Q, k=1, which="SA", v0=start, tol=1e-6, return_eigenvectors=False)
    return float(value[0])
