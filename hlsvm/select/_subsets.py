"""CFS and streamwise selection: methods that say themselves how many features to keep."""

from __future__ import annotations

import heapq
from numbers import Integral

import numpy as np
from scipy.sparse import issparse
from scipy.stats import t as student

from hlsvm._params import check_number
from hlsvm.select._base import RankingSelector, order_by, tops, units
from hlsvm.select._filters import SimilaritySelector

_DIGITS = 12  # decimals of a merit: subsets that differ by rounding alone are equally good


class CFS(SimilaritySelector):
    """Correlation-based feature selection (Hall; Thesis Eq. 2.9): best-first search of subsets.

    Parameters
    ----------
    n_features_to_select : int, float, "support" or None, default="support"
        "support": the best subset found; a number: that many of the ranking; None: half.
    similarity : {"mi", "pearson"} or callable, default="pearson"
        See `hlsvm.select.similarity_of`; with a function, `X` must be dense.
    max_stale : int, default=5
        Expansions without improvement after which the search ends. As many children of a subset,
        the best, are kept to be expanded; Hall's search keeps all.
    n_bins : odd int or None, default=3
        Segments of the discretisation for "mi"; None: every distinct value is a level.
    span : float, default=6.0
        Standard deviations that the segments cover together.
    n_jobs : int or None, default=None

    Attributes
    ----------
    ranking_ : int array of shape (n_features,)
        The best subset in the order in which it grew, then the others by relevance.
    scores_ : array of shape (n_features,)
        Merit of the subset when the feature joined it; relevance minus 1 for the others.
    merit_ : float
        Merit of the best subset.
    relevance_ : array of shape (n_features,)

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> CFS().fit(X, y).get_support(indices=True)[:4]
    array([ 0,  2,  9, 10])
    """

    _closed = True

    def __init__(
        self,
        n_features_to_select="support",
        *,
        similarity="pearson",
        max_stale=5,
        n_bins=3,
        span=6.0,
        n_jobs=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.max_stale = max_stale
        self.n_bins = n_bins
        self.span = span
        self.n_jobs = n_jobs

    def _check_params(self):
        super()._check_params()
        check_number(self, "max_stale", self.max_stale, kind=Integral, low=1)

    def _rank(self, X, codes):
        similarity = self._similarity(X)
        self.relevance_ = np.asarray(similarity.relevance(codes), dtype=np.float64)
        chosen, merits = _best_first(similarity, self.relevance_, self.max_stale)
        self.merit_ = merits[-1]
        self._n_chosen = len(chosen)
        self.scores_ = self.relevance_ - 1.0
        self.scores_[chosen] = merits
        joined = np.zeros(len(self.relevance_))
        joined[chosen] = np.arange(len(chosen), 0, -1)
        return order_by(joined, self.relevance_)

    def _closed_size(self):
        return self._n_chosen


def _best_first(similarity, relevance, max_stale):
    """Best subset, in the order of its growth, and its merits on the way (Thesis Eq. 2.9).

    A node of the search is expanded by all single features at once: with r = sum of relevances
    and s_j = sum of similarities of j with the subset, the merit of the subset and j is
    (r + f_j) / sqrt(m + 1 + 2 (pairs + s_j)).
    """
    M = len(relevance)
    rows = {}
    start = ((), (), 0.0, 0.0, np.zeros(M))  # features, merits, relevance, pairs, sums
    heap = [(0.0, 0, start)]
    seen = {frozenset()}
    best, best_merit, stale, count = start, -np.inf, 0, 0
    while heap and stale < max_stale:
        _, _, (features, merits, total, pairs, sums) = heapq.heappop(heap)
        size = len(features) + 1
        merit = np.round((total + relevance) / np.sqrt(size + 2.0 * (pairs + sums)), _DIGITS)
        merit[list(features)] = -np.inf
        stale += 1
        for j in np.argsort(-merit, kind="stable")[:max_stale]:
            key = frozenset((*features, int(j)))
            if merit[j] == -np.inf or key in seen:
                continue
            seen.add(key)
            if j not in rows:
                rows[j] = similarity.rows(np.array([j]))[0].astype(np.float64)
            node = (
                (*features, int(j)),
                (*merits, float(merit[j])),
                total + relevance[j],
                pairs + sums[j],
                sums + rows[j],
            )
            count += 1
            heapq.heappush(heap, (-merit[j], count, node))
            if merit[j] > best_merit:
                best, best_merit, stale = node, merit[j], 0
    return np.array(best[0]), np.array(best[1])


class StreamwiseSelector(RankingSelector):
    """Streamwise feature selection by alpha-investing (Zhou et al., JMLR 2006; Thesis 2.2.1).

    Features are offered one after the other, in the order of the columns. Feature i joins the
    linear model if the p value of its t statistic is at most alpha_i = wealth / (2 i); the wealth
    then grows by `payout`, and pays alpha_i either way.

    Parameters
    ----------
    n_features_to_select : int, float, "support" or None, default="support"
        "support": what joined the model; a number: that many of the ranking; None: half.
    wealth : float, default=0.5
        Wealth at the start.
    payout : float, default=0.5
        Earned by a feature that joins.

    Attributes
    ----------
    p_values_ : array of shape (n_features,)
        When the feature was offered.
    scores_ : array of shape (n_features,)
        1 - p for what joined, -p for the rest.
    ranking_ : int array of shape (n_features,)
        What joined by rising p value, then the others by rising p value.
    wealth_ : float
        Wealth left.

    Notes
    -----
    The source defines it for two classes. With C > 2 the indicator of each class is tested and
    the smallest p value counts C times (Bonferroni).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> StreamwiseSelector().fit(X, y).n_selected_
    23
    """

    _closed = True

    def __init__(self, n_features_to_select="support", *, wealth=0.5, payout=0.5):
        self.n_features_to_select = n_features_to_select
        self.wealth = wealth
        self.payout = payout

    def _check_params(self):
        super()._check_params()
        check_number(self, "wealth", self.wealth, low=0, high=1, closed="right")
        check_number(self, "payout", self.payout, low=0, high=1)

    def _rank(self, X, codes):
        classes = np.arange(codes.max() + 1)
        targets = codes[:, None] == (classes if len(classes) > 2 else classes[1:])
        model = _LinearModel(targets.astype(np.float64))
        M = X.shape[1]
        joined = np.zeros(M, dtype=bool)
        self.p_values_ = np.ones(M)
        wealth = self.wealth
        unit = units(tops(X).astype(np.float64))
        for j in range(M):
            x = (X[:, [j]].toarray()[:, 0] if issparse(X) else X[:, j]).astype(np.float64)
            direction, self.p_values_[j] = model.offer(x / unit[j])
            bid = wealth / (2 * (j + 1))
            joined[j] = self.p_values_[j] <= bid
            wealth -= bid
            if joined[j]:
                model.join(direction)
                wealth += self.payout
        self.wealth_ = wealth
        # at least one feature, the best offered, so that the result can be used
        if not joined.any():
            joined[np.argmin(self.p_values_)] = True
        self.scores_ = joined - self.p_values_
        self._n_joined = int(joined.sum())
        return order_by(self.scores_)

    def _closed_size(self):
        return self._n_joined


class _LinearModel:
    """Least squares with an intercept; features are orthogonalised as they join."""

    def __init__(self, targets):
        self.n = len(targets)
        self.basis = np.full((self.n, 1), 1.0 / np.sqrt(self.n))
        self.residual = targets - targets.mean(axis=0)

    def offer(self, x):
        """Direction that the feature would add, and its p value."""
        size = np.linalg.norm(x)
        for _ in range(2):  # twice is enough for orthogonality
            x = x - self.basis @ (self.basis.T @ x)
        length = np.linalg.norm(x)
        freedom = self.n - self.basis.shape[1] - 1
        if freedom < 1 or length <= 1e-10 * size:
            return None, 1.0
        direction = x / length
        gain = direction @ self.residual
        left = (self.residual**2).sum(axis=0) - gain**2
        statistic = np.abs(gain) / np.sqrt(np.maximum(left, 1e-300) / freedom)
        return direction, float(min(1.0, len(gain) * 2 * student.sf(statistic.max(), freedom)))

    def join(self, direction):
        """Take the feature in."""
        self.residual = self.residual - np.outer(direction, direction @ self.residual)
        self.basis = np.column_stack([self.basis, direction])
