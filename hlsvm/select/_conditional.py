"""JMI and CMIM: filters that read what two features together tell of the class."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from hlsvm._params import check_number
from hlsvm.select._base import RankingSelector, order_by
from hlsvm.select._joint_information import JointInformation
from hlsvm.select._levels import segment_edges, value_edges
from hlsvm.select._similarity import check_similarity

_ROUNDING = 1e-12  # of a value: what differs by less is equal
_AHEAD = 32  # rows of the matrix that are computed at once


def conditional_order(rows, relevance, smallest, n, ahead=_AHEAD):
    """Order the first `n` features greedily, the others by relevance.

    Parameters
    ----------
    rows : callable
        ``rows(features)`` returns these rows of I(X_i X_j; Y); asked for the feature that was
        chosen and, beside it, for those that are next in line.
    relevance : float64 array of shape (M,)
        I(X_k; Y).
    smallest : bool
        The criterion is the smallest I(X_k; Y | X_j) over what was chosen before (CMIM), instead
        of the mean of I(X_k X_j; Y) (JMI).
    n : int
    ahead : int
        Rows to ask for at once.

    Returns
    -------
    order : int64 array of shape (M,)
    scores : float64 array of shape (M,)
        Value of the criterion when the feature was chosen (its relevance for the first); for the
        others, relevance minus 1 minus the largest.

    Notes
    -----
    Values that are equal but for rounding go to the more relevant feature, then to the first.
    """
    M = len(relevance)
    value = np.full(M, np.inf if smallest else 0.0)
    left, kept = np.ones(M, dtype=bool), {}
    scores = relevance - 1.0 - relevance.max()
    order, score = [], relevance
    while True:
        top = score[left].max()
        slack = _ROUNDING * max(abs(top), relevance.max())
        best = np.flatnonzero(left & (score >= top - slack))
        last = int(best[order_by(relevance[best])[0]])
        order.append(last)
        scores[last], left[last] = score[last], False
        if len(order) == n:
            break
        if last not in kept:
            near = np.flatnonzero(left)
            near = near[np.argsort(-score[near], kind="stable")[: ahead - 1]]
            asked = np.array([last, *(j for j in near if j not in kept)], dtype=np.int64)
            kept.update(zip(asked.tolist(), rows(asked), strict=True))
        row = kept.pop(last).astype(np.float64)
        value = np.minimum(value, row - relevance[last]) if smallest else value + row
        score = value if smallest else value / len(order)
    rest = np.flatnonzero(left)
    rest = rest[order_by(relevance[rest])]
    return np.concatenate([np.array(order, dtype=np.int64), rest]), scores


class _ConditionalSelector(RankingSelector):
    """Base of the selectors that read I(X_i X_j; Y), greedy from the most relevant feature on."""

    def __init__(
        self, n_features_to_select=None, *, n_ranked=None, n_bins=3, span=6.0, n_jobs=None
    ):
        self.n_features_to_select = n_features_to_select
        self.n_ranked = n_ranked
        self.n_bins = n_bins
        self.span = span
        self.n_jobs = n_jobs

    def _check_params(self):
        super()._check_params()
        check_number(self, "n_ranked", self.n_ranked, kind=Integral, low=1, options=(None,))
        check_similarity(self, "mi", self.n_bins, self.span)

    @property
    def _takes_sparse(self):
        return False

    def _rank(self, X, codes):
        if self.n_bins is None:
            edges = value_edges(X)
        else:
            edges = segment_edges(X, self.n_bins, self.span, self.n_jobs)
        joint = JointInformation(X, edges, codes, self.n_jobs)
        self.relevance_ = joint.diagonal().astype(np.float64)
        M = len(self.relevance_)
        n = M if self.n_ranked is None else min(self.n_ranked, M)
        rows, ahead = (joint.matrix().__getitem__, 1) if n == M else (joint.rows, _AHEAD)
        arguments = rows, self.relevance_, self._smallest, n, ahead
        order, self.scores_ = conditional_order(*arguments)
        return order


class JMI(_ConditionalSelector):
    """Joint mutual information (Yang and Moody): what a feature tells beside each one chosen.

    The next feature k is the one of largest mean of I(X_k X_j; Y) over the features j chosen
    before; the first is the most relevant one.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to keep, or which share of them; None: half.
    n_ranked : int or None, default=None
        How many features the criterion orders; the others follow by relevance. None: all of them,
        with the whole matrix in memory. With a number, its rows are computed as they are needed.
    n_bins : odd int or None, default=3
        Segments of the discretisation; None: every distinct value is a level.
    span : float, default=6.0
        Standard deviations that the segments cover together.
    n_jobs : int or None, default=None
        Threads of the counting; the order does not depend on it.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Value of the criterion when the feature was chosen; for those after `n_ranked`, relevance
        minus 1 minus the largest.
    relevance_ : array of shape (n_features,)
        I(X_k; Y).
    ranking_ : int array of shape (n_features,)
        Features, best first.

    See Also
    --------
    CMIM : The smallest information beside a feature chosen before, in the place of the mean.
    MRMR : Relevance less redundancy, blind to what two features tell only together.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    References
    ----------
    H. Yang, J. Moody, "Data visualization and feature selection: new algorithms for nongaussian
    data", NIPS 1999. G. Brown et al., "Conditional likelihood maximisation", JMLR 13 (2012).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> JMI(3).fit(X, y).ranking_[:3]
    array([ 6,  9, 12])
    """

    _smallest = False


class CMIM(_ConditionalSelector):
    """Conditional mutual information maximisation (Fleuret): new whatever is known before.

    The next feature k is the one of largest minimum of I(X_k; Y | X_j) over the features j chosen
    before; the first is the most relevant one.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to keep, or which share of them; None: half.
    n_ranked : int or None, default=None
        How many features the criterion orders; the others follow by relevance. None: all of them,
        with the whole matrix in memory. With a number, its rows are computed as they are needed.
    n_bins : odd int or None, default=3
        Segments of the discretisation; None: every distinct value is a level.
    span : float, default=6.0
        Standard deviations that the segments cover together.
    n_jobs : int or None, default=None
        Threads of the counting; the order does not depend on it.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Value of the criterion when the feature was chosen; for those after `n_ranked`, relevance
        minus 1 minus the largest.
    relevance_ : array of shape (n_features,)
        I(X_k; Y).
    ranking_ : int array of shape (n_features,)
        Features, best first.

    See Also
    --------
    JMI : The mean over the features chosen before, in the place of the minimum.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    References
    ----------
    F. Fleuret, "Fast binary feature selection with conditional mutual information", JMLR 5 (2004).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> CMIM(3).fit(X, y).ranking_[:3]
    array([ 6,  9, 12])
    """

    _smallest = True
