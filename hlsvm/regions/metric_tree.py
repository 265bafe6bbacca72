"""Metric tree with Taylor leaves: the decisions of a kernel SVM for a few dot products each."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from hlsvm._data import check_data
from hlsvm._params import check_n_jobs, check_number, check_option
from hlsvm.regions._expansion import pair_scores, winners
from hlsvm.regions._metric_base import MetricTreeBase
from hlsvm.regions._metric_grow import RULES
from hlsvm.regions._wrapped import fit_wrapped

__all__ = ["MetricTreeSVC"]


class MetricTreeSVC(MetricTreeBase):
    r"""Approximate a kernel SVM by linear forms on the cells of a metric tree (MetricTree).

    The tree cuts the points between their farthest two until one is left (MetricTree section 2.1).
    In a leaf with the point :math:`x_0` the SVM is replaced by its first-order Taylor form,
    :math:`f(x_0) + (x - x_0)^\top \nabla f(x_0)` (Eq. 8). A decision is then a dot product for
    every cut on the way down and one more in the leaf.

    Beyond the source, every decision can be certified: `bounds` encloses the SVM's own value,
    `is_certain` tells where its sign is sure, and with ``fallback="exact"`` the other rows are
    answered by the SVM.

    Parameters
    ----------
    estimator : classifier or None, default=None
        SVM to fit and approximate: scikit-learn's `SVC` or `NuSVC`, or one of `hlsvm.subclass`,
        with an "rbf", "linear", "poly" or "sigmoid" kernel. None is ``SVC()``. A fitted one is
        kept as it is inside a `sklearn.frozen.FrozenEstimator`; `from_fitted` does that.
    split : {"midpoint", "median"}, default="midpoint"
        Where to cut between the farthest points. "median" makes a tree of depth log2(n).
    pair : {"auto", "exact", "heuristic"}, default="auto"
        Farthest pair: exact, by a heuristic in linear time, or the first up to 100,000 points.
    leaf_size : int, default=1
        Most points of a leaf. A leaf of several has its Taylor form at their mean.
    max_depth : int or None, default=None
        Most cuts above a leaf.
    prune : float or None, default=None
        In (0, 1): take cuts back where one Taylor form, at the mean of a node's points, is within
        ``prune * |f|`` of f at all of them. Fewer cuts, and few decisions change; beyond the
        source.
    expansion : {"taylor", "damped"}, default="taylor"
        "damped" multiplies T(x) - b by exp(-gamma |x - x0|^2), which is the projection of f on
        its value and gradient at x0 in the kernel's space: nearer to f, for the price of a
        distance. "rbf" only; the others stay as they are.
    bound : {"best", "norm", "curvature"}, default="best"
        Bound on the error: from the length of w in the kernel's space, from the second derivative
        and the sum of :math:`|\alpha_i|`, or the common part of both.
    fallback : {None, "exact"}, default=None
        Let the SVM itself answer the rows whose class is not certain.
    n_jobs : int or None, default=None
        Threads. The answer does not depend on it, to the bit.

    Attributes
    ----------
    svm_ : the fitted SVM
    tree_ : MetricTree
        ``normals``, ``offsets``, ``children`` of the cuts, points of the leaves.
    leaf_points_ : ndarray of shape (n_leaves, n_features)
    leaf_values_ : ndarray of shape (n_leaves, n_machines)
        f at the leaf points; a machine for every pair of classes.
    leaf_gradients_ : ndarray of shape (n_leaves, n_machines, n_features)
    leaf_radius_ : ndarray of shape (n_leaves,)
        Distance of the leaf's farthest point from the leaf point.
    n_support_ : int
        Support vectors of the SVM.
    certificates_ : tuple of Certificate
        Of the SVM, one a machine. Of scikit-learn's the dual objective alone is known.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    Eq. 10 of the source has :math:`x_i` where the support vectors :math:`s_i` are meant. A node
    whose points are all equal has no farthest pair: it is a leaf. Among several classes the most
    votes win; equal votes are settled as the SVM settles them (`SVC`: the first class, unless
    ``break_ties=True``), so that ``fallback="exact"`` answers as the SVM does.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows. Around a frozen SVM it needs rows that the SVM was not fitted to.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from sklearn.svm import SVC
    >>> from hlsvm.regions import MetricTreeSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = MetricTreeSVC(SVC(C=10, gamma=1)).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2), int(model.n_hyperplanes(X[1::2]).max()) < 30
    (0.96, True)
    """

    def __init__(
        self,
        estimator=None,
        *,
        split="midpoint",
        pair="auto",
        leaf_size=1,
        max_depth=None,
        prune=None,
        expansion="taylor",
        bound="best",
        fallback=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.split = split
        self.pair = pair
        self.leaf_size = leaf_size
        self.max_depth = max_depth
        self.prune = prune
        self.expansion = expansion
        self.bound = bound
        self.fallback = fallback
        self.n_jobs = n_jobs

    @classmethod
    def from_fitted(cls, svm, X, **options):
        """Approximate a fitted SVM; the points of the tree need no labels.

        Parameters
        ----------
        svm : fitted SVM
        X : array-like of shape (n_points, n_features)
            Points to cut the space by: the training rows, or others from the same source.
        **options
            As the class.

        Returns
        -------
        MetricTreeSVC
        """
        return cls(FrozenEstimator(svm), **options).fit(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = not isinstance(self.estimator, FrozenEstimator)
        return tags

    def _check_params(self):
        check_option(self, "split", self.split, tuple(RULES))
        check_option(self, "pair", self.pair, ("auto", "exact", "heuristic"))
        check_number(self, "leaf_size", self.leaf_size, kind=Integral, low=1)
        check_number(self, "max_depth", self.max_depth, kind=Integral, low=0, options=(None,))
        check_number(self, "prune", self.prune, low=0, high=1, closed="neither", options=(None,))
        check_option(self, "expansion", self.expansion, ("taylor", "damped"))
        check_option(self, "bound", self.bound, ("best", "norm", "curvature"))
        check_option(self, "fallback", self.fallback, (None, "exact"))
        check_n_jobs(self, self.n_jobs)

    def fit(self, X, y=None):
        """Fit the SVM, grow the tree of the rows, take the Taylor form of every leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Labels; not needed where `estimator` is frozen.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter is out of range, X or y hold NaN or infinity, y holds one class, or
            `estimator` is no SVM of a smooth kernel.
        """
        self._check_params()
        X, self.svm_ = fit_wrapped(self, X, y)
        self._check_width()
        with threadpool_limits(1, user_api="blas"):
            self._approximate(X)
        return self

    def decision_function(self, X):
        """Approximate the SVM's decisions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: f, positive for ``classes_[1]``. More: votes of the pairs, plus a
            confidence below 1/3 that tells equal votes apart.
        """
        values = self._values(self._rows(X))
        return values[:, 0] if len(self.classes_) == 2 else pair_scores(values, len(self.classes_))

    def predict(self, X):
        """Classify rows by the linear form of their leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        plain = self.expansion == "taylor" and self.fallback is None
        if plain and len(self.classes_) == 2:
            side = self._router.sides(self._unchecked(X), self.n_jobs)
            if side.max() < 2:  # the rows are finite: their norms are
                return self.classes_.take(side)
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.intp)]
        return self.classes_[winners(self.svm_, scores)]

    def _unchecked(self, X):
        """Rows to send down, not yet known to be finite; arrays that fit are taken as they are."""
        kinds = (np.float64, np.float32)
        fits = (
            type(X) is np.ndarray
            and X.dtype.type in kinds
            and X.dtype.isnative
            and X.flags.c_contiguous
            and X.ndim == 2
            and X.shape[1] == self.n_features_in_
            and len(X) > 0
        )
        if fits and not hasattr(self, "feature_names_in_"):
            return X
        how = {"dtype": list(kinds), "order": "C", "ensure_all_finite": False, "reset": False}
        return check_data(self, X, **how)

    def predict_one(self, x):
        """Classify one row with as little around it as possible.

        Parameters
        ----------
        x : ndarray of shape (n_features,)

        Returns
        -------
        label

        Raises
        ------
        ValueError
            x has another length, or holds NaN.
        """
        if "_router" not in self.__dict__:
            check_is_fitted(self)
        try:
            x = np.ascontiguousarray(x, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"x must be one row of real numbers. {error}") from error
        plain = self.expansion == "taylor" and self.fallback is None
        if x.ndim != 1 or len(self.classes_) > 2 or not plain:
            if x.shape != (self.n_features_in_,):
                self._refuse(x)
            return self.predict(x[None])[0]
        value = self._router.value_of(x)
        if not abs(value) < np.inf:
            self._refuse(x)
        return self.classes_[int(value > 0)]

    def _refuse(self, x):
        raise ValueError(
            f"x must be one row of {self.n_features_in_} finite numbers. Got shape {x.shape}"
            + (" with NaN or infinity." if x.shape == (self.n_features_in_,) else ".")
        )

    def n_hyperplanes(self, X):
        """Dot products of every row's decision: the cuts it meets, and its leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        X = self._rows(X)
        depth = self._router.locate(X, self.n_jobs)[1]
        return depth.astype(np.int64) + self.leaf_values_.shape[1]
