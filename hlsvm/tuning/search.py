"""Choice of cost and width of a kernel SVM by cross-validation, every fit with its gap."""

from __future__ import annotations

import time
import warnings
from itertools import combinations
from numbers import Integral
from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from hlsvm._data import check_classes, check_data
from hlsvm._params import (
    check_n_jobs,
    check_number,
    check_option,
    check_scale,
    check_tolerance,
    refusal,
)
from hlsvm.linear.weights import check_class_weight
from hlsvm.subclass.solver import most_steps
from hlsvm.subclass.svc import KernelSVC
from hlsvm.tuning._grid import divisions, factors, results_of, row_weights, widths
from hlsvm.tuning._split import mark
from hlsvm.tuning._store import RowStore

__all__ = ["KernelSVCSearch"]


class KernelSVCSearch(ClassifierMixin, BaseEstimator):
    r"""Exhaustive search over costs and widths of a Gaussian kernel SVM, as one computation.

    Answers what ``GridSearchCV(SVC(), {"C": Cs, "gamma": gammas}, cv=cv)`` asks, with a bound on
    how far every fit is from its optimum. Each fit minimises

    .. math:: P = \tfrac12 \|w\|^2 + C \sum_i \max(0, 1 - y_i (\langle w, \phi(x_i) \rangle + b))

    until P less its dual objective is at most `tol` times P. Kernel rows are computed once for a
    width and shared by all costs and folds; a fit begins at the one of the next smaller cost;
    blocks of the samples that violate the conditions most are moved; and the slopes that the
    descent needs hold the values of the samples held out.

    Parameters
    ----------
    Cs : array-like of float, default (0.1, 1.0, 10.0, 100.0)
        Costs, > 0, in any order.
    gammas : array-like of float or None
        Widths of exp(-gamma \|a - b\|^2), > 0. None: 1/4, 1 and 4 times 1 / (n_features * X.var()).
    cv : int, splitter, iterable or None, default 5
        As in `GridSearchCV`: an integer or None (5) is a StratifiedKFold.
    tol : float, default 1e-3
        Largest gap of a fit, as a part of its objective, below 1.
    class_weight : dict, "balanced" or None
        Multiplies C.
    refit : bool, default True
        Fit `KernelSVC` to all rows with the best cost and width.
    cache_size : float, default 4000
        Megabytes for kernel rows, at least two; taken as rows are needed, and those beyond are
        computed again. Besides, each worker takes 4 MB, 200 bytes for a sample (4,300 where not all
        rows fit) and the values of its fold: 8 bytes for a row, cost and pair of classes. A worker
        in another process has rows of its own.
    max_iter : int, default -1
        Most pairs of variables that one fit moves; -1 for max(10,000,000, 100 n_samples).
    n_jobs : int or None
        Folds at once, by joblib: threads unless its configuration says otherwise. The answer does
        not depend on it, to the bit.

    Attributes
    ----------
    cv_results_ : dict
        The columns of `GridSearchCV`, C slowest, and "split0_gap", ...: the largest relative gap of
        a fold's machines. Fit times are those of the descent alone.
    best_params_, best_score_, best_index_
        First candidate of those with the best mean accuracy.
    best_estimator_ : KernelSVC
        Only with `refit`.
    refit_time_ : float
        Seconds; only with `refit`.
    certificates_ : tuple of KernelCertificate
        Of every fit: candidates slowest, then folds, then pairs of classes. Kernel values are in
        single precision; `rounding` is what that did to the slopes of 32 rows, the rest of the
        arithmetic is double.
    n_iter_ : int
        Pairs of variables moved, all fits together.
    classes_ : ndarray of shape (n_classes,)
    n_splits_ : int

    Notes
    -----
    More than two classes are decided one against one, every pair on all kernel rows, and equal
    votes by the values, as with ``SVC(break_ties=True)``. Sparse rows are made dense. Of rows of
    zeros and ones the distances are whole numbers, which are counted.

    For probabilities wrap `best_estimator_` in `sklearn.calibration.CalibratedClassifierCV`, which
    fits the chosen SVM anew and a sigmoid to decisions on held-out rows. Wrapping the search itself
    would repeat it for every fold.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from hlsvm import KernelSVCSearch
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = KernelSVCSearch(Cs=[0.1, 1, 10], gammas=[0.01, 0.1]).fit(scale(X), y)
    >>> search.best_params_, round(search.best_score_, 2)
    ({'C': 10.0, 'gamma': 0.01}, 0.98)
    >>> max(proof.relative_gap for proof in search.certificates_) <= 1e-3
    True
    """

    def __init__(
        self,
        Cs=(0.1, 1.0, 10.0, 100.0),
        gammas=None,
        cv=5,
        *,
        tol=1e-3,
        class_weight=None,
        refit=True,
        cache_size=4000,
        max_iter=-1,
        n_jobs=None,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.tol = tol
        self.class_weight = class_weight
        self.refit = refit
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Solve every candidate on every fold, choose, and fit the best to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            At least two classes.
        groups : array-like of shape (n_samples,), optional
            For a splitter that wants them.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter or the data is not what is accepted; the message says what is.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            A fit did not meet the tolerance.
        """
        self._check_params()
        X, y = check_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        X = X.toarray() if issparse(X) else X
        self.classes_, labels = check_classes(self, y)
        check_class_weight(self, self.class_weight, self.classes_)
        if self.cache_size * 1e6 < 8 * len(X):
            accepted = f"two rows of the kernel matrix or more, {8e-6 * len(X):.3g} megabytes"
            raise ValueError(refusal(self, "cache_size", accepted, self.cache_size))
        costs = factors(self, "Cs", self.Cs)
        gammas = widths(self, X)
        splits = divisions(self, X, labels, y, groups)
        with threadpool_limits(limits=1):
            marks = self._mark(X, labels, costs, gammas, splits)
        self.n_splits_ = len(splits)
        self._gather(marks, costs, gammas)
        if self.refit:
            self._fit_best(X, y)
        return self

    def _check_params(self):
        check_tolerance(self, "tol", self.tol, high=1.0)
        check_option(self, "refit", self.refit, (True, False))
        check_scale(self, "cache_size", self.cache_size)
        check_number(self, "max_iter", self.max_iter, kind=Integral, low=1, options=(-1,))
        check_n_jobs(self, self.n_jobs)
        factors(self, "Cs", self.Cs)
        if self.gammas is not None:
            factors(self, "gammas", self.gammas)
        if not (hasattr(self.cv, "split") or np.iterable(self.cv)) or isinstance(self.cv, str):
            check_number(self, "cv", self.cv, kind=Integral, low=2, options=(None,))

    def _mark(self, X, labels, costs, gammas, splits):
        """Return the marks of every width and fold, costs ascending."""
        store = RowStore(X, int(min(self.cache_size, 1e12) * 1e6 / 4))
        pairs = list(combinations(range(len(self.classes_)), 2))
        limit = most_steps(self.max_iter, len(X))
        weights = [
            row_weights(self.class_weight, self.classes_, labels, counts) for counts, _ in splits
        ]
        ascending = np.sort(costs)
        marks = []
        for gamma in gammas:
            store.restart(gamma)
            marks.append(
                Parallel(self.n_jobs, prefer="threads")(
                    delayed(mark)(store, labels, pairs, weight, test, ascending, self.tol, limit)
                    for weight, (_, test) in zip(weights, splits, strict=True)
                )
            )
        return marks

    def _gather(self, marks, costs, gammas):
        """Set what the search tells, candidates in the order of scikit-learn's grids."""
        self.cv_results_, proofs = results_of(marks, costs, gammas)
        self.best_index_ = int(self.cv_results_["rank_test_score"].argmin())
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.certificates_ = tuple(p for each in proofs for fold in each for p in fold)
        self.n_iter_ = sum(proof.n_iter for proof in self.certificates_)
        self._warn()

    def _warn(self):
        missed = [proof for proof in self.certificates_ if not proof.converged]
        if missed:
            worst = max(missed, key=lambda proof: proof.relative_gap)
            warnings.warn(
                f"{len(missed)} of {len(self.certificates_)} fits of {type(self).__name__} stopped "
                f"({worst.reason}) with a gap of up to {worst.relative_gap:.3g} of the objective, "
                f"above tol={self.tol:g}. Raise 'tol' or 'max_iter', lower 'Cs', or scale the "
                "features.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _fit_best(self, X, y):
        start = time.perf_counter()
        self.best_estimator_ = KernelSVC(
            **self.best_params_,
            class_weight=self.class_weight,
            cache_size=self.cache_size,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            random_state=0,
        ).fit(X, y)
        self.refit_time_ = time.perf_counter() - start

    def _check_best(self):
        check_is_fitted(self)
        if not self.refit:
            raise NotFittedError(refusal(self, "refit", "True to predict", self.refit))

    def _rows(self, X):
        X = check_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        return X.toarray() if issparse(X) else X

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Values of `best_estimator_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        self._check_best()
        return self.best_estimator_.decision_function(self._rows(X))

    def predict(self, X: ArrayLike) -> NDArray:
        """Class of every row of `X`, by `best_estimator_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        self._check_best()
        return self.best_estimator_.predict(self._rows(X))
