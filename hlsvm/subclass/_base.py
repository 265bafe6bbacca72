"""What the kernel classifiers of this room share: checks, one against one, prediction."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from itertools import combinations
from numbers import Integral
from typing import Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import ThreadpoolController

from hlsvm._data import check_classes, check_data
from hlsvm._params import (
    check_n_jobs,
    check_number,
    check_option,
    check_random_state,
    check_scale,
    check_tolerance,
)
from hlsvm.linear.weights import check_class_weight, check_sample_weight
from hlsvm.subclass._gram import Kernel
from hlsvm.subclass._search import KernelSolution

_HUGE = 1e15  # |x|^2 gamma stays exact enough in single precision below
_CHUNK = 8192  # rows predicted at a time
_NODES = 4  # machines solved side by side, each with a share of the memory


@cache
def _threads() -> ThreadpoolController:
    """Libraries with threads of their own: `n_jobs` alone says how many run."""
    return ThreadpoolController()


class KernelClassifier(ClassifierMixin, BaseEstimator):
    """Base of `SRSSVC`, `KernelSVC` and `DCSVC`: binary machines, one for each pair of classes."""

    _row_names: tuple[str, ...] = ("support_",)  # attributes that hold numbers of rows

    def _check_params(self) -> None:
        check_scale(self, "C", self.C)
        check_option(self, "kernel", self.kernel, ("rbf", "linear", "poly"))
        check_scale(self, "gamma", self.gamma, options=("scale", "auto"))
        check_number(self, "degree", self.degree, kind=Integral, low=1, high=1000)
        check_number(self, "coef0", self.coef0, low=0, closed="left")
        check_tolerance(self, "tol", self.tol)
        check_scale(self, "cache_size", self.cache_size)
        check_number(self, "max_iter", self.max_iter, kind=Integral, low=1, options=(-1,))
        check_n_jobs(self, self.n_jobs)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit one kernel SVM for every pair of classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense.
        y : array-like of shape (n_samples,)
            At least two classes.
        sample_weight : array-like of shape (n_samples,), optional
            Finite, >= 0; the cost of a row is C times its weight. A weight of two means the row
            twice, zero means it is not there.

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
            The tolerance was not met.
        """
        self._check_params()
        random = check_random_state(self, self.random_state)
        X, y = check_data(self, X, y, dtype=np.float64, order="C")
        weight = check_sample_weight(self, sample_weight, len(X))
        present = np.flatnonzero(weight)
        if len(present) < len(X):
            X, y, weight = X[present], y[present], weight[present]
        self.classes_, labels = check_classes(self, y)
        check_class_weight(self, self.class_weight, self.classes_)
        self._kernel_ = self._make_kernel(X, weight)
        caps = self._caps(labels, weight)
        seed = int(random.randint(np.iinfo(np.int32).max))
        with _threads().limit(limits=1):
            self._prepare(X, labels, caps, seed)
            pairs = list(combinations(range(len(self.classes_)), 2))
            parts = [self._fit_pair(X, labels, caps, a, b) for a, b in pairs]
        self._assemble(X, labels, parts)
        for name in self._row_names:
            setattr(self, name, present[getattr(self, name)])
        return self

    def _caps(self, labels, weight):
        """C_i: the cost times the weights of class and row."""
        with np.errstate(over="ignore", under="ignore"):
            caps = float(self.C) * self._class_weights(labels, weight)[labels] * weight
        if not 0.0 < caps.min() <= caps.max() < np.inf:
            raise ValueError(
                f"The 'C' parameter of {type(self).__name__} times the weight of a row must be a "
                f"number above zero. Got {caps.min():.3g} to {caps.max():.3g}."
            )
        return caps

    def _make_kernel(self, X, weight):
        if self.gamma == "scale":
            if (weight == weight[0]).all():
                spread = X.var()
            else:
                mean = np.average(X.mean(axis=1), weights=weight)
                spread = np.average(((X - mean) ** 2).mean(axis=1), weights=weight)
            gamma = 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
        else:
            gamma = 1.0 / X.shape[1] if self.gamma == "auto" else float(self.gamma)
        kernel = Kernel(self.kernel, gamma, int(self.degree), float(self.coef0), X.mean(axis=0))
        with np.errstate(over="ignore", invalid="ignore"):
            size = kernel.diagonal(kernel.embed(X, np.float64))
            largest = np.max(2 * kernel.embed(X, np.float64).half) if self.kernel == "rbf" else 0.0
        largest = max(float(np.max(size)), float(largest))
        if not largest < _HUGE:
            raise ValueError(
                f"X of {type(self).__name__} must keep kernel values and gamma |x|^2 below "
                f"{_HUGE:.0e}: scale the features or lower 'gamma'. Got {largest:.2e}."
            )
        self.gamma_ = gamma
        return kernel

    def _class_weights(self, labels, weight):
        counts = np.bincount(labels, weight)
        if self.class_weight is None:
            return np.ones(len(counts))
        if isinstance(self.class_weight, str):
            return weight.sum() / (len(counts) * counts)
        weights = np.array([self.class_weight.get(c, 1.0) for c in self.classes_.tolist()], float)
        return weights

    def _prepare(self, X, labels, caps, seed) -> None:
        """Work that the pairs share."""
        self._seed = seed

    def _check_memory(self, counts) -> None:
        largest = int(np.sort(counts)[-2:].sum())
        if self.cache_size * 1e6 < 8 * largest:
            raise ValueError(
                f"The 'cache_size' parameter of {type(self).__name__} must hold two rows of the "
                f"kernel matrix, {8e-6 * largest:.3g} megabytes for {largest} samples. "
                f"Got {self.cache_size!r} instead."
            )

    def _share(self, sizes) -> tuple[float, int]:
        """Megabytes for each of several machines, and how many are solved side by side.

        Where a share would not hold two rows of the largest one, they go one by one.
        """
        share = self.cache_size / _NODES
        if share * 1e6 < 8 * max(sizes, default=0):
            return self.cache_size, 1
        return share, min(effective_n_jobs(self.n_jobs), _NODES)

    @abstractmethod
    def _solve(self, X: NDArray, y: NDArray, caps: NDArray, rows: NDArray) -> KernelSolution:
        """Binary machine on these rows; y is +-1, and beta is for `rows` in order."""

    def _fit_pair(self, X, labels, caps, a, b):
        """Rows with support, their coefficients, the solution, for classes a (-1) and b (+1)."""
        rows = np.flatnonzero((labels == a) | (labels == b))
        y = np.where(labels[rows] == b, 1.0, -1.0)
        whole = len(rows) == len(labels)
        solution = self._solve(X if whole else X[rows], y, caps if whole else caps[rows], rows)
        support = np.flatnonzero(solution.beta)
        return rows[support], solution.beta[support], solution

    def _assemble(self, X, labels, parts):
        self.support_ = np.unique(np.concatenate([rows for rows, _, _ in parts]))
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = np.zeros((len(parts), len(self.support_)))
        for machine, (rows, beta, _) in enumerate(parts):
            self.dual_coef_[machine, np.searchsorted(self.support_, rows)] = beta
        self.intercept_ = np.array([solution.bias for _, _, solution in parts])
        self.n_support_ = np.bincount(labels[self.support_], minlength=len(self.classes_))
        self.certificates_ = tuple(solution.certificate for _, _, solution in parts)
        self.n_iter_ = np.array([max(proof.n_iter, 1) for proof in self.certificates_])

    def _machines(self, X):
        """f(x) of every machine, shape (n, n_machines)."""
        kernel = self._kernel_
        support = kernel.embed(self.support_vectors_, np.float64)
        out = np.empty((len(X), len(self.intercept_)))
        for left in range(0, len(X), _CHUNK):
            rows = kernel.embed(X[left : left + _CHUNK], np.float64)
            out[left : left + _CHUNK] = kernel.expand(support, self.dual_coef_.T, rows, self.n_jobs)
        return out + self.intercept_

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Signed value for two classes, votes of all pairs plus a bounded confidence for more.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = check_data(self, X, dtype=np.float64, order="C", reset=False)
        values = self._machines(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            return values[:, 0]
        votes = np.zeros((len(X), n_classes))
        trust = np.zeros((len(X), n_classes))
        for machine, (a, b) in enumerate(combinations(range(n_classes), 2)):
            f = values[:, machine]
            votes[np.arange(len(X)), np.where(f > 0, b, a)] += 1
            trust[:, a] -= f
            trust[:, b] += f
        return votes + trust / (3.0 * (np.abs(trust) + 1.0))

    def predict(self, X: ArrayLike) -> NDArray:
        """Class of every row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        values = self.decision_function(X)
        if values.ndim == 1:
            return self.classes_[(values > 0).astype(np.int64)]
        return self.classes_[np.argmax(values, axis=1)]
