"""Kernel rows that many fits share, in a stated amount of memory."""

from __future__ import annotations

from threading import Condition

import numpy as np
from scipy.spatial.distance import cdist

from hlsvm.tuning._rows import bit_rows, kernel_values, pack, plain_rows

_FEW = 32  # rows that a thread computes between looks at what the others did
_CHECKED = 32  # samples whose slopes are checked in double precision


class RowStore:
    """Single-precision rows of exp(-gamma |a - b|^2) - shift, computed when first asked for.

    Threads share it. Rows are kept until the memory is used up; those that come later are computed
    for whoever asks. A row has the same bits whoever computes it, so no answer depends on that.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
    n_values : int
        Kernel values that may be held.

    Attributes
    ----------
    rows : ndarray of float32, shape (capacity, n)
    checked : ndarray of int64
        A few samples, evenly spaced.
    exact : ndarray of float64, shape (len(checked), n)
        Their rows in double precision.
    """

    def __init__(self, X, n_values):
        self.n = len(X)
        self._X = X
        self._capacity = int(min(self.n, n_values // self.n))
        self._words = pack(X) if bool(((X == 0.0) | (X == 1.0)).all()) else None
        self.checked = np.unique(np.linspace(0, self.n - 1, _CHECKED).astype(np.int64))
        self._distances = cdist(X[self.checked], X, "sqeuclidean")
        self._changed = Condition()
        self.rows = np.empty((self._capacity, self.n), np.float32)

    def restart(self, gamma):
        """Forget all rows; those to come are of this width."""
        self._gamma = gamma
        self.shift = 1.0 if gamma * self._distances.mean() < 0.5 else 0.0
        self.exact = kernel_values(self._distances, gamma, self.shift)
        if self._words is None:
            n_features = self._X.shape[1]
            self._points = np.zeros((-(-n_features // 4) * 4, self.n), np.float32)
            self._points[:n_features] = ((self._X - self._X.mean(axis=0)) * np.sqrt(gamma)).T
        else:
            whole = np.arange(self._X.shape[1] + 1.0)[None]
            self._points = kernel_values(whole, gamma, self.shift)[0].astype(np.float32)
        self._slot = np.full(self.n, -1, np.int64)
        self._ready = np.zeros(self.n, bool)
        self._used = 0
        return self

    def __reduce__(self):
        """Travel without the rows: another process computes those it needs."""
        return _again, (self._X, self._capacity * self.n, self._gamma)

    def _compute(self, samples, out, at):
        if self._words is None:
            plain_rows(self._points, np.float32(self.shift), samples, out, at)
        else:
            bit_rows(self._words, self._points, samples, out, at)

    def fits(self):
        """Whether all rows can be held."""
        return self._capacity == self.n

    def fetch(self, samples, spare):
        """Give the slots of these samples' rows; -1 where row k had to go to ``spare[k]``."""
        while True:
            with self._changed:
                fresh = samples[self._slot[samples] < 0]
                fresh = fresh[: min(_FEW, self._capacity - self._used)]
                at = np.arange(self._used, self._used + len(fresh))
                self._slot[fresh] = at
                self._used += len(fresh)
            if len(fresh) == 0:
                break
            self._compute(fresh, self.rows, at)
            with self._changed:
                self._ready[fresh] = True
                self._changed.notify_all()
        with self._changed:
            slots = self._slot[samples]
            kept = samples[slots >= 0]
            self._changed.wait_for(lambda: self._ready[kept].all())
        away = np.flatnonzero(slots < 0)
        if len(away):
            self._compute(samples[away], spare, away)
        return slots


def _again(X, n_values, gamma):
    return RowStore(X, n_values).restart(gamma)
