"""The coordinates in which weights are priced: features centred and scaled by a few rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Standardizer", "split_rows"]

# A feature that hardly varies is not stretched beyond this multiple of a typical one.
_STRETCH = 10.0


@dataclass(frozen=True)
class Standardizer:
    """Centre and scale of every feature, from rows that do not count in the bound.

    Attributes
    ----------
    center, scale : ndarray of shape (n_features,)
    """

    center: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, X) -> Standardizer:
        """Mean and standard deviation; deviations below a tenth of the typical one are raised."""
        spread = X.std(axis=0)
        typical = float(np.sqrt(np.mean(spread**2)))
        floor = typical / _STRETCH if typical > 0 else 1.0
        return cls(X.mean(axis=0), np.maximum(spread, floor))

    def rows(self, X) -> np.ndarray:
        """Standardised rows with a last column of ones, C-contiguous float64."""
        standard = np.empty((len(X), X.shape[1] + 1))
        np.divide(X - self.center, self.scale, out=standard[:, :-1])
        standard[:, -1] = 1.0
        return standard

    def to_standard(self, planes) -> np.ndarray:
        """Hyperplanes (w, b) of raw rows as unit vectors on standardised rows."""
        inside = np.empty_like(planes)
        inside[:, :-1] = planes[:, :-1] * self.scale
        inside[:, -1] = planes[:, -1] + planes[:, :-1] @ self.center
        norm = np.linalg.norm(inside, axis=1, keepdims=True)
        return inside / np.where(norm > 0, norm, 1.0)

    def to_raw(self, planes) -> np.ndarray:
        """Hyperplanes on standardised rows as (w, b) of raw rows."""
        outside = np.empty_like(planes, dtype=float)
        outside[:, :-1] = planes[:, :-1] / self.scale
        outside[:, -1] = planes[:, -1] - outside[:, :-1] @ self.center
        return outside


def split_rows(n: int, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the rows that form the prior (at least one) and those that count, both ascending.

    Drawn by `seed` alone, never by the values.
    """
    order = np.random.default_rng(np.random.SeedSequence([seed, n])).permutation(n)
    size = min(max(round(fraction * n), 1), n - 1)
    return np.sort(order[:size]), np.sort(order[size:])
