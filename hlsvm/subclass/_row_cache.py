"""Rows of the kernel matrix kept in a stated amount of memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hlsvm.subclass._gram import Kernel, Points
from hlsvm.subclass._smo import repack

Index = NDArray[np.int64]


class RowCache:
    """Single-precision kernel rows over a changing set of columns; the least recently used go.

    Parameters
    ----------
    kernel : Kernel
    points : Points
        All samples, single precision.
    columns : ndarray of int64
        The samples whose rows and columns are wanted now.
    n_values : int
        Kernel values that may be held. Memory is taken as rows are computed, not before.
    n_jobs : int or None
        Threads that compute rows.

    Attributes
    ----------
    rows : ndarray of float32, shape (capacity, n_columns)
    capacity : int
        Rows that fit.
    column_points : Points
        The columns' samples.
    n_computed : int
        Kernel values computed so far.
    """

    def __init__(self, kernel: Kernel, points: Points, columns: Index, n_values: int, n_jobs=None):
        self._kernel = kernel
        self._points = points
        self._n_jobs = n_jobs
        self._flat = np.empty(min(n_values, len(points) ** 2), dtype=np.float32)
        self._clock = 0
        self._columns = columns
        self.n_computed = 0
        self._lay_out(np.empty(0, dtype=np.int64))

    def _lay_out(self, owner: Index) -> None:
        """Take stock after a change of columns; `owner` holds the columns of the rows kept."""
        width = len(self._columns)
        self.capacity = min(len(self._flat) // max(width, 1), width)
        self.rows = self._flat[: self.capacity * width].reshape(self.capacity, width)
        self._owner = np.full(self.capacity, -1, dtype=np.int64)
        self._owner[: len(owner)] = owner
        self._stamp = np.zeros(self.capacity, dtype=np.int64)
        self._used = len(owner)
        self._slot = np.full(width, -1, dtype=np.int64)
        self._slot[owner] = np.arange(len(owner))
        self.column_points = self._points[self._columns]

    def fetch(self, wanted: Index) -> Index:
        """Give the slots of these columns' rows, at most `capacity`, computed where missing."""
        self._clock += 1
        slots = self._slot[wanted]
        self._stamp[slots[slots >= 0]] = self._clock
        missing = wanted[slots < 0]
        if len(missing):
            free = self._make_room(len(missing))
            self._slot[missing] = free
            self._owner[free] = missing
            self._stamp[free] = self._clock
            self._compute(missing, self.column_points, free, 0)
        return self._slot[wanted]

    def _make_room(self, n_rows: int) -> Index:
        fresh = np.arange(self._used, min(self._used + n_rows, self.capacity))
        short = n_rows - len(fresh)
        if short:
            oldest = np.sort(np.argpartition(self._stamp[: self._used], short - 1)[:short])
            self._slot[self._owner[oldest]] = -1
            fresh = np.concatenate([oldest, fresh])
        self._used = min(self._used + n_rows, self.capacity)
        return fresh

    def _compute(self, owner: Index, others: Points, at: Index, start: int) -> None:
        self.n_computed += len(owner) * len(others)
        points = self.column_points[owner]
        self._kernel.fill(points, others, self.rows, at, start, self._n_jobs)

    def resize(self, keep: Index, new: Index, useful: NDArray[np.bool_]) -> None:
        """Drop columns, append others, and hold on to the rows that may be needed again.

        Parameters
        ----------
        keep : ndarray of int64
            Positions of the columns that stay, ascending.
        new : ndarray of int64
            Samples that become columns.
        useful : ndarray of bool
            By old position: whether its row is worth completing.
        """
        width, new_width = len(self._columns), len(keep) + len(new)
        position = np.full(width, -1, dtype=np.int64)
        position[keep] = np.arange(len(keep))
        owner = self._owner[: self._used]
        rows = np.flatnonzero((position[owner] >= 0) & useful[owner])
        rows = rows[: min(len(self._flat) // max(new_width, 1), new_width)]
        owner = position[owner[rows]]
        repack(self._flat, width, rows, keep, new_width)
        self._columns = np.concatenate([self._columns[keep], new])
        self._lay_out(owner)
        if len(new) and len(owner):
            self._compute(owner, self._points[new], np.arange(len(owner)), len(keep))
