"""|Pearson correlation| of features and its relevance for a class; any other similarity."""

from __future__ import annotations

from functools import reduce

import numpy as np
from scipy.sparse import issparse

from hlsvm.select._base import check_codes, divided, units

_ROWS = 4096
_COLUMNS = 1024
_DENSE = 2**18  # numbers of a sparse X that are made dense at once


class CorrelationMatrix:
    """The matrix |rho_ij| of Thesis Eq. 2.6, whole or by columns; 0 for a constant feature.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, M)

    Notes
    -----
    With more samples than features the M x M matrix is made once, from the data in slices; with
    more features than samples the standardised data are kept and columns are made when asked for.
    So they are of a sparse X, of which only a few rows or columns are dense at any time; its
    entries differ from those of the dense X by rounding.

    Examples
    --------
    >>> import numpy as np
    >>> CorrelationMatrix(np.array([[0, 0, 7], [1, -2, 7], [2, -4, 7]])).matrix()
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 0.]], dtype=float32)
    """

    def __init__(self, X):
        self.n_samples, self.n_features = X.shape
        self._X, self._unit = X, 1.0
        self._rows, self._columns = _ROWS, _COLUMNS
        if issparse(X):
            self._X = X.tocsr()
            self._rows = min(_ROWS, max(1, _DENSE // self.n_features))
            self._columns = min(_COLUMNS, max(1, _DENSE // self.n_samples))
        top = reduce(np.maximum, (np.abs(part).max(axis=0) for part in self._slices()))
        unit = units(top)
        if (unit != 1.0).any() and issparse(X):
            self._X = divided(X, unit).tocsr()
        elif (unit != 1.0).any():
            self._unit = unit
        self._mean = sum(part.sum(axis=0) for part in self._slices()) / self.n_samples
        squares = sum(((part - self._mean) ** 2).sum(axis=0) for part in self._slices())
        varies = np.sqrt(squares / self.n_samples) > 1e-12 * top / unit
        self._factor = np.where(varies, 1.0, 0.0) / np.sqrt(np.where(varies, squares, 1.0))
        self._wide = self.n_features > self.n_samples or issparse(X)
        self._gram = self._Z = None
        if self._wide and not issparse(X):
            self._Z = np.concatenate(list(map(self._standard, self._slices())))

    def _slices(self):
        for start in range(0, self.n_samples, self._rows):
            part = self._X[start : start + self._rows]
            part = np.asarray(part.toarray() if issparse(part) else part, dtype=np.float64)
            yield part if np.isscalar(self._unit) else part / self._unit

    def _standard(self, part):
        return (part - self._mean) * self._factor

    def _finished(self, gram, features):
        gram = np.minimum(np.abs(gram), 1.0).astype(np.float32)
        gram[np.arange(len(features)), features] = self._factor[features] > 0
        return gram

    def _products(self, features):
        """Inner products of some standardised columns with all."""
        if self._Z is not None:
            return self._Z[:, features].T @ self._Z
        part = self._X[:, features].toarray() - self._mean[features]
        part *= self._factor[features]
        shift = np.outer(part.sum(axis=0), self._mean)  # rounding: the columns are centred
        return ((self._X.T @ part).T - shift) * self._factor

    def _square(self):
        if self._gram is None:
            gram = np.zeros((self.n_features, self.n_features))
            for part in self._slices():
                standard = self._standard(part)
                gram += standard.T @ standard
            self._gram = self._finished(gram, np.arange(self.n_features))
        return self._gram

    def matrix(self):
        """Return all of it: float32 array of shape (M, M)."""
        return self.rows(np.arange(self.n_features)) if self._wide else self._square().copy()

    def rows(self, features):
        """Rows (or columns) `features` of the matrix: float32 array of shape (k, M)."""
        features = np.asarray(features, dtype=np.int64)
        if not self._wide:
            return self._square()[features]
        out = np.empty((len(features), self.n_features), dtype=np.float32)
        for start in range(0, len(features), self._columns):
            block = features[start : start + self._columns]
            out[start : start + self._columns] = self._finished(self._products(block), block)
        return out

    def mean(self):
        """Mean of all M^2 entries (Thesis Eq. 3.5)."""
        if not self._wide:
            return float(self._square().mean(dtype=np.float64))
        total = 0.0
        for start in range(0, self.n_features, self._columns):
            block = np.arange(start, min(start + self._columns, self.n_features))
            total += self.rows(block).sum(dtype=np.float64)
        return float(total / self.n_features**2)

    def diagonal(self):
        """1 for a feature that varies, 0 for a constant one: float32 array of shape (M,)."""
        return (self._factor > 0).astype(np.float32)

    def relevance(self, y):
        """sum_k P(Y = k) |rho(X_i, 1[Y = k])| (Thesis 3.2): float64 array of shape (M,).

        Parameters
        ----------
        y : int array of shape (n,)
            Classes coded 0 .. C - 1.
        """
        y = check_codes(y, self.n_samples)
        prior = np.bincount(y) / len(y)
        spread = np.sqrt(np.maximum(prior * (1 - prior), 1e-300) * len(y))
        products = np.zeros((self.n_features, len(prior)))
        starts = range(0, self.n_samples, self._rows)
        for start, part in zip(starts, self._slices(), strict=True):
            member = y[start : start + self._rows, None] == np.arange(len(prior))
            products += self._standard(part).T @ ((member - prior) / spread)
        return np.minimum(np.abs(products), 1.0) @ prior


class CallableMatrix:
    """Similarity by a function of two blocks of columns.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` with arrays of shape (n, a) and (n, b) returns the (a, b) similarities,
        symmetric in the features; the class is a column of codes 0 .. C - 1.
    X : array of shape (n, M)
    """

    def __init__(self, function, X):
        self._function = function
        self._X = X.astype(np.float64) if X.dtype.kind in "biu" else X  # sums of bytes overflow
        self.n_samples, self.n_features = X.shape

    def _call(self, A, B):
        try:
            result = np.asarray(self._function(A, B), dtype=np.float64)
        except TypeError as error:
            raise TypeError(
                f"The 'similarity' function must take two blocks of columns. {error}"
            ) from error
        finite = np.isfinite(result).all()
        if result.shape != (A.shape[1], B.shape[1]) or not finite:
            raise ValueError(
                f"The 'similarity' function must return finite numbers of shape (columns of its "
                f"first argument, columns of its second), here {(A.shape[1], B.shape[1])}. "
                f"Got shape {result.shape}{'' if finite else ' with NaN or infinity'}."
            )
        return result

    def matrix(self):
        """Return all of it: float32 array of shape (M, M)."""
        return self.rows(np.arange(self.n_features))

    def rows(self, features):
        """Rows `features` of the matrix: float32 array of shape (k, M)."""
        return self._call(self._X[:, features], self._X).astype(np.float32)

    def mean(self):
        """Mean of all M^2 entries (Thesis Eq. 3.5)."""
        starts = range(0, self.n_features, _COLUMNS)
        slices = [self._X[:, start : start + _COLUMNS] for start in starts]
        return float(sum(self._call(part, self._X).sum() for part in slices) / self.n_features**2)

    def diagonal(self):
        """Similarity of every feature with itself: float32 array of shape (M,)."""
        columns = (self._X[:, [j]] for j in range(self.n_features))
        return np.array([self._call(c, c)[0, 0] for c in columns], dtype=np.float32)

    def relevance(self, y):
        """Similarity with the class: float64 array of shape (M,)."""
        y = check_codes(y, self.n_samples)
        return self._call(self._X, y[:, None].astype(self._X.dtype))[:, 0]
