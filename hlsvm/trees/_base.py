"""What the tree classifiers share: checks of the data, prediction, one fast decision."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from hlsvm._data import check_classes, check_data
from hlsvm._params import check_random_state
from hlsvm.linear.kernels import read_only
from hlsvm.linear.weights import check_class_weight, check_sample_weight
from hlsvm.trees._answers import Answers
from hlsvm.trees._columns import Columns
from hlsvm.trees._forest import Forest
from hlsvm.trees._samples import Samples

_HUGE = 1e30  # squared norms, and objectives made of their products, stay finite below


class TreeClassifier(Answers, ClassifierMixin, BaseEstimator):
    """Base of the classifiers made of trees."""

    @abstractmethod
    def _check_params(self) -> None:
        """Raise where a parameter is not what is accepted."""

    @abstractmethod
    def _build(
        self, samples: Samples, rows: NDArray[np.int64], seed: int
    ) -> tuple[Forest, list[bool]]:
        """Grow the trees on `rows`; whether each solver converged."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree (one a pair of classes, one against one).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense, finite. float32 stays float32; a C-contiguous array is not copied.
        y : array-like of shape (n_samples,)
            At least two classes.
        sample_weight : array-like of shape (n_samples,), optional
            Finite, >= 0. A weight of two means the row twice, zero means it is not there. Weights
            that sum to less than the number of rows are scaled up to that sum.

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
            A hyperplane did not reach the tolerance; `certificates_` tells which.
        """
        self._check_params()
        random = check_random_state(self, self.random_state)
        X, y = self._take(X, y)
        weight = check_sample_weight(self, sample_weight, X.shape[0])
        self._weighted = bool(weight.min() < weight.max())
        rows = np.flatnonzero(weight)
        self.classes_, present = check_classes(self, y[rows])
        codes = np.zeros(len(y), dtype=np.int32)
        codes[rows] = present
        X = self._encode_first(X, codes, weight)
        weight = self._weigh(weight, codes, len(rows))
        budget = getattr(self, "memory_budget", None)
        samples = Samples.of(read_only(X), codes, weight, len(self.classes_), budget)
        if not samples.norms.max() < _HUGE:
            raise ValueError(
                f"X of {type(self).__name__} must have rows of Euclidean norm below "
                f"{np.sqrt(_HUGE):.0e}: scale the features. Got {np.sqrt(samples.norms.max()):.2e}."
            )
        seed = int(random.randint(2**31 - 1))
        self.__dict__.pop("_one", None)
        self.forest_, converged = self._build(samples, rows, seed)
        self.forest_.columns = Columns.of(X, weight, rows, self._names())
        self.trees_ = self.forest_.trees
        self._warn(converged)
        return self

    def _take(self, X, y):
        """Rows and labels of a fit, checked."""
        return check_data(self, X, y, dtype=[np.float64, np.float32], order="C")

    def _encode_first(self, X, codes, weight) -> NDArray:
        """Rows as trees take them, once the classes are known."""
        return X

    def _weigh(self, weight, codes, n_rows) -> NDArray[np.float64]:
        """Weight of every sample: its own times its class's, scaled up to the number of rows."""
        check_class_weight(self, self.class_weight, self.classes_)
        if self.class_weight is not None:
            if isinstance(self.class_weight, str):
                mass = np.bincount(codes, weights=weight, minlength=len(self.classes_))
                per_class = weight.sum() / (len(self.classes_) * mass)
            else:
                per_class = np.array(
                    [self.class_weight.get(label, 1.0) for label in self.classes_.tolist()]
                )
            weight = weight * per_class[codes]
        total = weight.sum()
        return weight * (n_rows / total) if total < n_rows else weight

    def _warn(self, converged) -> None:
        failed = len(converged) - int(np.sum(converged))
        if failed:
            warnings.warn(
                f"{type(self).__name__}: {failed} of {len(converged)} hyperplanes did not reach "
                f"tol={self.tol!r} (see certificates_). The tree is sound, its hyperplanes not "
                "quite the best. Increase max_iter, tol or lam, or scale the features.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _names(self):
        """Names of the columns that trees take, where they have names."""
        return getattr(self, "feature_names_in_", None)

    def _bind(self) -> Callable:
        """Return a function from one row to its label."""
        return self.forest_.bind()

    def _read(self, X) -> NDArray:
        check_is_fitted(self)
        return check_data(self, X, dtype=[np.float64, np.float32], order="C", reset=False)

    def predict_one(self, x: ArrayLike):
        """Class of one row, in about a microsecond.

        Nothing of scikit-learn runs on the way. The first call after `fit` or after loading
        prepares the compiled kernel.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            Fastest as a contiguous array in the precision of the training data; a list, another
            precision or a strided array is converted first.

        Returns
        -------
        label : element of ``classes_``
            What ``predict([x])[0]`` returns.

        Raises
        ------
        ValueError
            `x` is not one row of as many numbers as there are features, or holds NaN where a node
            on its way reads it. (Nothing else is looked at; `predict` refuses any NaN.)
        """
        try:
            one = self._one
        except AttributeError:
            check_is_fitted(self)
            one = self._one = self._bind()
        return one(x)

    @property
    def n_iter_(self) -> int:
        """Most passes (steps of Pegasos) that a hyperplane of `certificates_` took, at least 1."""
        return max((proof.n_iter for proof in self.certificates_), default=1) or 1

    @property
    def tree_(self):
        """The tree; a vote of several has `trees_` only."""
        trees = self.__dict__.get("trees_", ())
        if len(trees) == 1:
            return trees[0]
        why = f"it holds a vote of {len(trees)} trees: see trees_" if trees else "it is not fitted"
        raise AttributeError(f"This {type(self).__name__} has no tree_: {why}.")

    def __getstate__(self):
        state = super().__getstate__()
        state = dict(state)
        state.pop("_one", None)
        return state

    def __sklearn_is_fitted__(self):
        return "trees_" in self.__dict__
