"""How a metric tree answers: Taylor leaves, bounds on the SVM's values, the SVM itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from hlsvm._certificate import Certificate
from hlsvm._data import check_data
from hlsvm.regions._expansion import pair_scores, read_svm, winners
from hlsvm.regions._metric_descent import squared_distances
from hlsvm.regions._metric_grow import Growth, grow
from hlsvm.regions._metric_prune import prune
from hlsvm.regions._metric_router import Router
from hlsvm.regions._remainder import Remainder, damped

_EXACT_UP_TO = 100_000  # points of a node whose farthest pair is sought exactly by "auto"
_NO_LIMIT = np.iinfo(np.int64).max


class MetricTreeBase(ClassifierMixin, BaseEstimator):
    """Base of `MetricTreeSVC`: grows the tree of a fitted SVM, evaluates and certifies."""

    def _check_width(self):
        width = getattr(self.svm_, "n_features_in_", self.n_features_in_)
        if width != self.n_features_in_:
            raise ValueError(
                f"X must have the {width} features that the fitted SVM has. "
                f"Got {self.n_features_in_}."
            )
        theirs = getattr(self.svm_, "feature_names_in_", None)
        ours = getattr(self, "feature_names_in_", theirs)
        if theirs is not None and list(ours) != list(theirs):
            raise ValueError(
                "X must have the features that the fitted SVM has, in its order: "
                f"{list(theirs)[:5]} .... Got {list(ours)[:5]} ...."
            )

    @property
    def certificates_(self):
        """Certificates of the SVM, one a machine."""
        check_is_fitted(self)
        if hasattr(self.svm_, "certificates_"):
            return tuple(self.svm_.certificates_)
        dual = np.abs(self._expansion.coef).sum(axis=1) - self._expansion.norms() ** 2 / 2
        met = self.svm_.fit_status_ == 0
        reason = "tolerance" if met else "max_iter"
        taken = np.ravel(self.svm_.n_iter_).tolist()
        return tuple(
            Certificate(np.nan, bound, n_iter, met, reason)
            for bound, n_iter in zip(dual.tolist(), taken, strict=True)
        )

    def _approximate(self, X):
        self._expansion = read_svm(self.svm_, X)
        self.classes_ = np.asarray(self.svm_.classes_)
        self.n_support_ = len(self._expansion.support)
        up_to = {"auto": _EXACT_UP_TO, "exact": _NO_LIMIT, "heuristic": 0}[self.pair]
        growth = Growth(self.split, up_to, int(self.leaf_size), self.max_depth, self.n_jobs)
        self.tree_ = grow(X, growth)
        if self.prune is not None:
            exact = self._expansion.values(X, self.n_jobs)
            self.tree_ = prune(
                self.tree_, X, exact, self._expansion, float(self.prune), self.n_jobs
            )
        points, self.leaf_radius_ = _leaf_points(X, self.tree_)
        values, gradients = self._expansion.taylor(points, self.n_jobs)
        self.leaf_points_, self.leaf_values_, self.leaf_gradients_ = points, values, gradients
        constants = values - np.einsum("lj,lmj->lm", points, gradients)
        self._router = Router(self.tree_, constants, gradients)
        self._remainder = None  # prepared when first asked for

    def _rows(self, X):
        check_is_fitted(self)
        return check_data(self, X, dtype=np.float64, order="C", reset=False)

    def _located(self, X):
        """Leaf, squared distance to its point and first-order values of every row."""
        leaf, _ = self._router.locate(X, self.n_jobs)
        squares = np.empty(len(X))
        squared_distances(X, leaf, self.leaf_points_, squares)
        return leaf, squares, self._router.values(X, leaf)

    def _interval(self, X, leaf, squares, taylor):
        if self._remainder is None:
            parts = self.leaf_points_, self.leaf_values_, self.leaf_gradients_
            with threadpool_limits(1, user_api="blas"):
                self._remainder = Remainder.of(self._expansion, *parts, self.n_jobs)
        low, high = self._remainder.interval(taylor, X, leaf, squares, self.bound)
        # So far out that distances overflow nothing is known.
        return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)

    def _certain(self, values, low, high):
        """Whether the intervals leave the SVM one class, and it is the one of these values."""
        k = len(self.classes_)
        if k == 2:
            return np.where(values > 0, low > 0, high < 0)[:, 0]
        least, most = np.zeros((len(low), k)), np.zeros((len(low), k))
        for m, (a, b) in enumerate(combinations(range(k), 2)):
            least[:, b] += low[:, m] > 0
            least[:, a] += high[:, m] < 0
            most[:, b] += high[:, m] >= 0
            most[:, a] += low[:, m] <= 0
        rows, label = np.arange(len(low)), winners(self.svm_, pair_scores(values, k))
        most[rows, label] = -1
        return least[rows, label] > most.max(axis=1)

    def _answers(self, X, certify=False):
        """Values of every machine as this model answers it, and which rows are certain.

        Without `certify` and without a fallback nobody asks for the certain rows: None.
        """
        leaf, squares, taylor = self._located(X)
        kernel = self._expansion.kernel
        values, certain = taylor, None
        if self.expansion == "damped" and kernel.name == "rbf":
            values = damped(taylor, self._expansion.intercept, kernel.gamma, squares)
        if certify or self.fallback == "exact":
            certain = self._certain(values, *self._interval(X, leaf, squares, taylor))
        return values, certain

    def _values(self, X):
        values, certain = self._answers(X)
        if certain is not None and not certain.all():
            values[~certain] = self._exact(X[~certain])
        return values

    def _exact(self, X):
        with threadpool_limits(1, user_api="blas"):
            return self._expansion.values(X, self.n_jobs)

    def svm_decision(self, X):
        """Evaluate the SVM itself, all its support vectors, in double precision.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            As `decision_function`.
        """
        values = self._exact(self._rows(X))
        return values[:, 0] if len(self.classes_) == 2 else pair_scores(values, len(self.classes_))

    def bounds(self, X):
        """Enclose the SVM's own values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        low, high : ndarrays of shape (n_samples,), or (n_samples, n_pairs) for several classes
            f of the SVM lies between them; for classes a < b of a pair, positive for b.
        """
        X = self._rows(X)
        low, high = self._interval(X, *self._located(X))
        return (low[:, 0], high[:, 0]) if len(self.classes_) == 2 else (low, high)

    def is_certain(self, X):
        """Whether the tree's class is sure to be the SVM's: the sign of f within its bounds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            Where False, ``fallback="exact"`` asks the SVM.
        """
        return self._answers(self._rows(X), certify=True)[1]

    def apply(self, X):
        """Return the leaf of every row, ndarray of int32 of shape (n_samples,)."""
        X = self._rows(X)
        return self._router.locate(X, self.n_jobs)[0]

    def n_support_evaluated(self, X):
        """Support vectors met by every row: none, or all where ``fallback="exact"`` asks the SVM.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        X = self._rows(X)
        if self.fallback is None:
            return np.zeros(len(X), dtype=np.int64)
        return ~self._answers(X)[1] * np.int64(self.n_support_)

    def get_depth(self):
        """Return the most cuts above a leaf."""
        check_is_fitted(self)
        return int(self.tree_.leaf_depths().max())

    def get_n_leaves(self):
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves


def _leaf_points(X, tree):
    """Mean of every leaf's points (the point itself where they are equal), and its radius."""
    ordered = X[tree.rows]
    first, sizes = tree.starts[:-1], np.diff(tree.starts)
    anchor = ordered[first]
    steps = ordered - np.repeat(anchor, sizes, axis=0)
    points = anchor + np.add.reduceat(steps, first, axis=0) / sizes[:, None]
    away = ordered - np.repeat(points, sizes, axis=0)
    return points, np.sqrt(np.maximum.reduceat(np.einsum("ij,ij->i", away, away), first))
