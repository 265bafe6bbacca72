"""MaxRel and mRMR: the filters that QPFS grew out of (Thesis 2.2.1)."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from hlsvm._params import check_number, check_option
from hlsvm.select._base import RankingSelector, order_by
from hlsvm.select._greedy import first_of_order, greedy_order
from hlsvm.select._similarity import check_similarity, read_similarity


class SimilaritySelector(RankingSelector):
    """Base of the selectors that read relevance and redundancy."""

    def _check_params(self):
        super()._check_params()
        check_similarity(self, self.similarity, self.n_bins, self.span)

    @property
    def _takes_sparse(self):
        return not callable(self.similarity)

    def _similarity(self, X):
        return read_similarity(X, self.similarity, self.n_bins, self.span, self.n_jobs)


class MaxRel(SimilaritySelector):
    """Maximal relevance: features ordered by their similarity with the class (Thesis 2.2.1).

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to keep, or which share of them; None: half.
    similarity : {"mi", "pearson"} or callable, default="mi"
        See `hlsvm.select.similarity_of`; with a function, `X` must be dense.
    n_bins : odd int or None, default=3
        Segments of the discretisation for "mi"; None: every distinct value is a level.
    span : float, default=6.0
        Standard deviations that the segments cover together.
    n_jobs : int or None, default=None

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Relevance.
    ranking_ : int array of shape (n_features,)
        Features, best first.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> MaxRel(3).fit(X, y).ranking_[:3]
    array([ 6, 11, 12])
    """

    def __init__(
        self, n_features_to_select=None, *, similarity="mi", n_bins=3, span=6.0, n_jobs=None
    ):
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.n_bins = n_bins
        self.span = span
        self.n_jobs = n_jobs

    def _rank(self, X, codes):
        self.scores_ = np.asarray(self._similarity(X).relevance(codes), dtype=np.float64)
        return order_by(self.scores_)


class MRMR(SimilaritySelector):
    """Minimum redundancy, maximum relevance (Peng et al.; Thesis Eq. 2.10), all M ranks at once.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to keep, or which share of them; None: half.
    scheme : {"MID", "MIQ"}, default="MID"
        Relevance minus mean redundancy, or their quotient.
    n_ranked : int or None, default=None
        How many features the criterion orders; the others follow by relevance. None: all of them,
        with the whole matrix in memory. With a number, its rows are computed as they are needed.
    similarity : {"mi", "pearson"} or callable, default="mi"
        See `hlsvm.select.similarity_of`; with a function, `X` must be dense.
    n_bins : odd int or None, default=3
        Segments of the discretisation for "mi"; None: every distinct value is a level.
    span : float, default=6.0
        Standard deviations that the segments cover together.
    n_jobs : int or None, default=None
        Threads of the similarity; the order does not depend on it.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Value of the criterion when the feature was chosen.
    relevance_ : array of shape (n_features,)
    ranking_ : int array of shape (n_features,)
        Features, best first.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> MRMR(3).fit(X, y).ranking_[:3]
    array([ 6, 12, 11])
    """

    def __init__(
        self,
        n_features_to_select=None,
        *,
        scheme="MID",
        n_ranked=None,
        similarity="mi",
        n_bins=3,
        span=6.0,
        n_jobs=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.scheme = scheme
        self.n_ranked = n_ranked
        self.similarity = similarity
        self.n_bins = n_bins
        self.span = span
        self.n_jobs = n_jobs

    def _check_params(self):
        super()._check_params()
        check_option(self, "scheme", self.scheme, ("MID", "MIQ"))
        check_number(self, "n_ranked", self.n_ranked, kind=Integral, low=1, options=(None,))

    def _rank(self, X, codes):
        similarity = self._similarity(X)
        self.relevance_ = np.asarray(similarity.relevance(codes), dtype=np.float64)
        quotient = self.scheme == "MIQ"
        if self.n_ranked is None or self.n_ranked >= X.shape[1]:
            order, self.scores_ = greedy_order(similarity.matrix(), self.relevance_, quotient)
        else:
            order, self.scores_ = first_of_order(
                similarity.rows, self.relevance_, quotient, self.n_ranked
            )
        return order
