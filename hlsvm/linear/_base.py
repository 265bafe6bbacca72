"""What the linear classifiers of this room share: checks, one against the rest, prediction."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from hlsvm._certificate import Certificate
from hlsvm._data import check_classes, check_data
from hlsvm._params import (
    check_number,
    check_option,
    check_random_state,
    check_scale,
    check_tolerance,
)
from hlsvm.linear._dual import decisions
from hlsvm.linear._rows import SparseRows, read_only, squared_norms
from hlsvm.linear.weights import balanced_weights, check_class_weight, check_sample_weight

_HUGE = 1e60  # the objective, a product of squares, stays finite below
_BLOCK = 4096  # rows widened to float64 at a time by decision_function
_ACCEPTED = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


class WeightedLinearModel(ClassifierMixin, BaseEstimator):
    """Base of the linear classifiers; see `WeightedPegasos` and `WeightedLinearSVC`."""

    advice = ""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_params(self) -> None:
        check_scale(self, "lam", self.lam)
        check_tolerance(self, "tol", self.tol, zero=True)
        check_number(self, "max_iter", self.max_iter, kind=Integral, low=1, high=10**9)
        check_option(self, "loss_scale", self.loss_scale, ("mean", "sum"))

    @abstractmethod
    def _solve(
        self,
        X: NDArray | SparseRows,
        rows: NDArray[np.int64],
        y: NDArray[np.float64],
        nu: NDArray[np.float64],
        n_effective: float,
        seed: int,
    ) -> tuple[NDArray[np.float64], float, Certificate]:
        """One hyperplane for labels +-1 and weights nu that sum to one."""

    def _caps(
        self, X: NDArray | SparseRows, nu: NDArray[np.float64], n_effective: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Boxes of the dual variables and squared norms of rows, refused where they overflow."""
        share = n_effective if self.loss_scale == "mean" else 1.0
        with np.errstate(over="ignore"):
            upper = nu / (float(self.lam) * share)
        norms = squared_norms(X)
        if not norms.max() < _HUGE:
            raise ValueError(
                f"X of {type(self).__name__} must have rows of Euclidean norm below "
                f"{np.sqrt(_HUGE):.0e}: scale the features. Got {np.sqrt(norms.max()):.2e}."
            )
        if not upper.max() < _HUGE:
            raise ValueError(
                f"The 'lam' parameter of {type(self).__name__} must keep the boxes of the dual "
                f"variables below {_HUGE:.0e}. Got lam={self.lam!r}, a box of {upper.max():.2e}."
            )
        return upper, norms

    def _nu(self, labels: NDArray, y: NDArray, weight: NDArray) -> NDArray[np.float64]:
        if isinstance(self.class_weight, str):
            return balanced_weights(y, weight)
        if self.class_weight is not None:
            per_class = [self.class_weight.get(label, 1.0) for label in self.classes_.tolist()]
            weight = weight * np.asarray(per_class, dtype=float)[labels]
        return weight / weight.sum()

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit one hyperplane for two classes, one against the rest for each of more.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Dense or sparse; float32 stays float32, a C-contiguous array or CSR matrix is not
            copied. Both kinds lead to the same hyperplane, to the bit.
        y : array-like of shape (n_samples,)
            At least two classes.
        sample_weight : array-like of shape (n_samples,), optional
            Finite, >= 0. A weight of two means the row twice, zero means it is not there.

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
            The tolerance was not met within `max_iter`.
        """
        self._check_params()
        random = check_random_state(self, self.random_state)
        X, y = check_data(self, X, y, order="C", **_ACCEPTED)
        weight = check_sample_weight(self, sample_weight, X.shape[0])
        X = read_only(X)
        rows = np.flatnonzero(weight)
        self.classes_, labels = check_classes(self, y[rows])
        check_class_weight(self, self.class_weight, self.classes_)
        weight = weight[rows]
        positives = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        draw = random.randint(2**31, size=4)
        seeds = np.random.SeedSequence(draw.tolist()).spawn(len(positives))
        planes = []
        for positive, seed in zip(positives, seeds, strict=True):
            signs = np.where(labels == positive, 1.0, -1.0)
            nu = self._nu(labels, signs, weight)
            state = int(seed.generate_state(1)[0])
            planes.append(self._solve(X, rows, signs, nu, weight.sum(), state))
        self.coef_ = np.array([w for w, _, _ in planes])
        self.intercept_ = np.array([b for _, b, _ in planes])
        self.certificates_ = tuple(certificate for _, _, certificate in planes)
        self.n_iter_ = max(certificate.n_iter for certificate in self.certificates_)
        self._warn()
        return self

    def _warn(self) -> None:
        failed = [proof for proof in self.certificates_ if not proof.converged]
        if failed:
            worst = max(failed, key=lambda proof: proof.relative_gap)
            warnings.warn(
                f"{type(self).__name__}: {len(failed)} of {len(self.certificates_)} hyperplanes "
                f"did not reach the tolerance ({worst.reason}): the objective is at most "
                f"{worst.relative_gap:.2e} (relative) above the optimum. {self.advice}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Value w.x + b of every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column per class where there are more than two; above zero means
            ``classes_[1]`` where there are two.
        """
        check_is_fitted(self)
        X = check_data(self, X, reset=False, **_ACCEPTED)
        values = np.empty((X.shape[0], len(self.intercept_)))
        if issparse(X):
            rows, every = read_only(X), np.arange(X.shape[0])
            for k, (w, b) in enumerate(zip(self.coef_, self.intercept_, strict=True)):
                values[:, k] = decisions(rows, every, w) + b
        else:
            for block in gen_batches(X.shape[0], _BLOCK):
                values[block] = np.ascontiguousarray(X[block]) @ self.coef_.T + self.intercept_
        return values[:, 0] if len(self.intercept_) == 1 else values

    def predict(self, X: ArrayLike) -> NDArray:
        """Class of every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        values = self.decision_function(X)
        best = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[best]
