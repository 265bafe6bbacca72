"""What all selectors share: data checks, how many features to keep, the support."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from hlsvm._data import check_classes, check_data
from hlsvm._params import check_n_jobs, check_number, check_random_state

SPARSE = ["csr", "csc"]  # formats that are taken
_ROUNDING = 1e-12  # of the largest value: what differs by less is equal


class RankingSelector(SelectorMixin, BaseEstimator):
    """Base of selectors that order the features, best first.

    A subclass implements `_rank`, which sets ``scores_`` and returns the order, and may return
    from `_closed_size` how many features its own criterion wants (`"support"`).
    """

    _closed = False  # does the method itself say how many features to keep?

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self._takes_sparse
        return tags

    @property
    def _takes_sparse(self):
        return True

    def fit(self, X, y):
        """Rank the features.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Real numbers, finite.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            NaN or infinity in `X`, one class only, lengths that differ, a parameter out of range.
        TypeError
            A parameter of the wrong type; sparse `X` where the method needs a dense one (`ReliefF`,
            `JMI`, `CMIM`, a similarity that is a function): pass ``X.toarray()``.
        """
        self._check_params()
        sparse = SPARSE if self._takes_sparse else False
        X, y = check_data(self, X, y, dtype="numeric", ensure_min_samples=2, accept_sparse=sparse)
        self.classes_, codes = check_classes(self, y)
        self.n_selected_ = self._wanted(X.shape[1])
        X = canonical(X)
        if X.dtype.kind in "biu" and X.dtype != np.uint8:
            X = X.astype(np.float64)
        self.ranking_ = self._rank(X, codes)
        if self.n_selected_ is None:
            self.n_selected_ = self._closed_size()
        return self

    def _check_params(self):
        check_n_jobs(self, getattr(self, "n_jobs", None))
        check_random_state(self, getattr(self, "random_state", None))
        options = (None, "support") if self._closed else (None,)
        wanted = self.n_features_to_select
        if isinstance(wanted, Integral):
            check_number(self, "n_features_to_select", wanted, kind=Integral, low=1)
        else:
            check_number(
                self, "n_features_to_select", wanted, low=0, high=1, closed="right", options=options
            )

    def _wanted(self, n_features):
        wanted = self.n_features_to_select
        if wanted is None:
            return max(1, n_features // 2)
        if isinstance(wanted, str):
            return None
        if not isinstance(wanted, Integral):
            return max(1, round(wanted * n_features))
        if wanted > n_features:
            raise ValueError(
                f"The 'n_features_to_select' parameter of {type(self).__name__} must be an "
                f"integer in [1, {n_features}] (X has {n_features} features) or a share in "
                f"(0, 1]. Got {wanted!r} instead."
            )
        return int(wanted)

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(len(self.ranking_), dtype=bool)
        mask[self.ranking_[: self.n_selected_]] = True
        return mask


def check_codes(y, n_samples):
    """Return the classes 0 .. C - 1 of `n_samples` samples as int64, or raise."""
    result = np.asarray(y)
    if result.shape == (n_samples,) and result.dtype.kind in "biuf":
        with np.errstate(invalid="ignore"):
            codes = result.astype(np.int64)
        if np.array_equal(codes, result) and codes.min() >= 0:
            return codes
    raise ValueError(
        f"'y' must hold the classes of the {n_samples} samples, coded 0 .. C - 1 (as "
        f"numpy.unique(labels, return_inverse=True)[1] codes them). Got {y!r} instead."
    )


def canonical(X):
    """Return an array as it is, a sparse matrix as CSC with sorted rows, none of them twice."""
    if not issparse(X):
        return X
    X = X.tocsc(copy=not X.has_canonical_format)
    X.sum_duplicates()
    return X


def tops(X):
    """Largest magnitude of each column of an array or a sparse matrix."""
    return abs(X).max(axis=0).toarray().ravel() if issparse(X) else np.abs(X).max(axis=0)


def divided(X, unit):
    """Divide the columns of an array, or of a sparse matrix, by `unit`."""
    if not issparse(X):
        return X / unit
    X = X.tocsc(copy=True)
    X.data = X.data / np.repeat(unit, np.diff(X.indptr))
    return X


def units(top):
    """Return powers of two, divided by which columns have squares that neither overflow nor vanish.

    `top` is the largest magnitude of each column; the power is 1 wherever it need not be another,
    so that ordinary data keep their bits.
    """
    odd = (top > 0) & ((top < 1e-100) | (top > 1e100))
    return np.ldexp(1.0, np.where(odd, np.frexp(np.where(odd, top, 1.0))[1] - 1, 0))


def _places(key):
    """Places of the values from the largest on; values that differ by rounding share one."""
    key = np.asarray(key, dtype=np.float64)
    order = np.argsort(-key, kind="stable")
    size = np.abs(key[np.isfinite(key)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):  # infinity minus infinity: no fall
        falls = -np.diff(key[order]) > _ROUNDING * size
    places = np.empty(len(key), dtype=np.int64)
    places[order] = np.concatenate([[0], np.cumsum(falls)])
    return places


def order_by(*keys):
    """Sort indices by falling first key, ties by the next one, then by index.

    Values that differ by no more than rounding are ties: the processor does not decide.
    """
    return np.lexsort([_places(key) for key in reversed(keys)])
