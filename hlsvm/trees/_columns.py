"""What the features were like in the training data: for reading a tree and for integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

_CHUNK = 1 << 14  # numbers looked at together: some ten arrays of them are in memory at once


@dataclass(frozen=True)
class Columns:
    """Range, mean and spread of every feature, each float64 of shape (n_features,).

    Attributes
    ----------
    low, high : ndarray
        Least and largest value.
    mean, spread : ndarray
        Mean and standard deviation, weighted. NaN counts nowhere; of a feature without any
        number all four are zero.
    names : tuple of str or None
        Of the data frame of the fit.
    """

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    names: tuple[str, ...] | None = None

    @classmethod
    def unknown(cls, n_features: int) -> Columns:
        """Nothing known: spread one, range empty."""
        zero = np.zeros(n_features)
        return cls(zero, zero, zero, np.ones(n_features))

    @classmethod
    def of(cls, X, weight, rows, names=None) -> Columns:
        """Look at `rows` (ascending) of X, dense (in memory or on disk) or sparse, in pieces."""
        n_features = X.shape[1]
        step = max(1, _CHUNK // n_features)
        low, high = np.full(n_features, np.inf), np.full(n_features, -np.inf)
        mass, mean, square = np.zeros((3, n_features))
        for start in range(0, len(rows), step):
            chosen = rows[start : start + step]
            part = X[chosen].toarray() if issparse(X) else X[chosen]
            part = part.astype(np.float64, copy=False)
            known = ~np.isnan(part)
            low = np.minimum(low, np.where(known, part, np.inf).min(axis=0))
            high = np.maximum(high, np.where(known, part, -np.inf).max(axis=0))
            share = weight[chosen][:, None] * known
            fresh = share.sum(axis=0)
            whole = np.where(mass + fresh > 0, mass + fresh, 1.0)
            filled = np.where(fresh > 0, fresh, 1.0)
            part = np.where(known, part, 0.0)
            centre = (share * part).sum(axis=0) / filled
            away = centre - mean
            square += (share * (part - centre) ** 2).sum(axis=0) + away**2 * mass * fresh / whole
            mean += away * fresh / whole
            mass += fresh
        seen = mass > 0
        filled = np.where(seen, mass, 1.0)
        low, high = np.where(seen, low, 0.0), np.where(seen, high, 0.0)
        names = None if names is None else tuple(str(name) for name in names)
        return cls(low, high, mean, np.sqrt(square / filled), names)

    def to_array(self) -> np.ndarray:
        """All numbers, one row each."""
        return np.stack([self.low, self.high, self.mean, self.spread])

    @classmethod
    def from_array(cls, array, n_features: int, names=None) -> Columns:
        """Read what `to_array` gave.

        Raises
        ------
        ValueError
        """
        array = np.asarray(array)
        if array.shape != (4, n_features) or array.dtype != np.float64:
            raise ValueError(f"'columns' must be float64 of shape (4, {n_features}).")
        if not np.isfinite(array).all() or (array[0] > array[1]).any() or (array[3] < 0).any():
            raise ValueError("'columns' must be finite, low <= high, spread >= 0.")
        if names is not None:
            if names.shape != (n_features,) or names.dtype.kind != "U":
                raise ValueError(f"'names' must be {n_features} texts.")
            names = tuple(names.tolist())
        return cls(*array, names)
