"""Mutual information of discretised features: the whole matrix, or columns on demand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm._data import check_data
from hlsvm._params import check_n_jobs, refusal
from hlsvm.select._base import check_codes
from hlsvm.select._bitplanes import (
    BITS,
    TILE,
    information_tile,
    level_terms,
    pack,
)
from hlsvm.select._levels import in_threads, native


@dataclass(frozen=True)
class _Block:
    """Packed features: see `hlsvm.select._bitplanes` for the layout."""

    features: np.ndarray
    n_planes: int
    words: np.ndarray
    above: np.ndarray
    terms: np.ndarray

    @property
    def arguments(self):
        return self.words, self.above, self.terms


class PackedInformation:
    """What `InformationMatrix` is, of arguments that are known to be fit for it."""

    def __init__(self, X, edges, n_jobs=None):
        X = native(X)
        self.n_jobs = n_jobs
        self.n_samples, self.n_features = X.shape
        count = np.arange(self.n_samples + 1, dtype=np.float64)
        nats = count * np.log(np.maximum(count, 1.0))
        unit = 2.0 ** np.floor(np.log2(2.0**60 / max(nats[-1], 1.0)))
        self._table = np.rint(unit * nats).astype(np.int64)
        self._scale = 1.0 / (unit * self.n_samples)
        planes = (edges < np.inf).sum(axis=0)
        order = np.argsort(planes, kind="stable")
        calls = [(X, edges, group, int(planes[group].max())) for group in _groups(order, planes)]
        self._blocks = in_threads(n_jobs, self._block, calls)
        self._home = np.empty((self.n_features, 2), dtype=np.int64)
        for b, block in enumerate(self._blocks):
            self._home[block.features, 0] = b
            self._home[block.features, 1] = np.arange(len(block.features))

    def _block(self, X, edges, features, n_planes):
        width = len(features)
        start = features[0]
        if not np.array_equal(features, np.arange(start, start + width)):
            X, start = np.ascontiguousarray(X[:, features]), 0
        words = self._empty_words(n_planes * width)
        pack(X, start, np.ascontiguousarray(edges[:n_planes, features]), words)
        return self._counted(features, n_planes, words)

    def _empty_words(self, n_planes):
        n_words = -(-self.n_samples // (4 * BITS)) * 4
        return np.zeros((n_words, -(-n_planes // 4) * 4), dtype=np.uint32)

    def _counted(self, features, n_planes, words):
        width = len(features)
        above, terms = level_terms(words, n_planes, width, self.n_samples, self._table)
        return _Block(features, n_planes, words, above, terms)

    def _gathered(self, features):
        """Block made of any features, in the order given."""
        homes = self._home[features]
        n_planes = max(self._blocks[b].n_planes for b in np.unique(homes[:, 0]))
        width = len(features)
        words = self._empty_words(n_planes * width)
        for f, (b, column) in enumerate(homes):
            home = self._blocks[b]
            planes = home.words[:, column : home.n_planes * len(home.features) : len(home.features)]
            words[:, f : home.n_planes * width : width] = planes
        return self._counted(np.asarray(features), n_planes, words)

    def _class_block(self, y):
        n_planes = int(y.max())
        words = self._empty_words(n_planes)
        target = np.repeat(native(y[:, None].astype(np.float64)), max(n_planes, 1), axis=1)
        pack(target, 0, np.arange(n_planes, dtype=np.float64)[None], words)
        return self._counted(np.zeros(1, dtype=np.int64), n_planes, words)

    def _tile(self, a, b):
        return information_tile(*a.arguments, *b.arguments, self._table, self._scale)

    def _fill(self, out, first):
        a = self._blocks[first]
        for b in self._blocks[first:]:
            tile = self._tile(a, b)
            out[_grid(a.features, b.features)] = tile
            if b is not a:
                out[_grid(b.features, a.features)] = tile.T

    def matrix(self):
        """Return all of it: float32 array of shape (M, M)."""
        out = np.empty((self.n_features, self.n_features), dtype=np.float32)
        in_threads(self.n_jobs, self._fill, [(out, first) for first in range(len(self._blocks))])
        return out

    def _sums(self, first):
        a = self._blocks[first]
        inner = self._tile(a, a).sum(dtype=np.float64)
        outer = [self._tile(a, b).sum(dtype=np.float64) for b in self._blocks[first + 1 :]]
        return inner + 2.0 * sum(outer)

    def mean(self):
        """Return the mean of all M^2 entries (Thesis Eq. 3.5); the matrix is never held."""
        calls = [(first,) for first in range(len(self._blocks))]
        return float(sum(in_threads(self.n_jobs, self._sums, calls))) / self.n_features**2

    def rows(self, features):
        """Rows (or columns) of the matrix.

        Parameters
        ----------
        features : int array of shape (k,)

        Returns
        -------
        float32 array of shape (k, M)
        """
        features = np.asarray(features, dtype=np.int64)
        out = np.empty((len(features), self.n_features), dtype=np.float32)
        for start in range(0, len(features), TILE // 2):
            part = self._gathered(features[start : start + TILE // 2])
            tiles = in_threads(self.n_jobs, self._tile, [(part, b) for b in self._blocks])
            for block, tile in zip(self._blocks, tiles, strict=True):
                out[start : start + TILE // 2, block.features] = tile
        return out

    def diagonal(self):
        """Return the entropies I(X_i; X_i): float32 array of shape (M,)."""
        out = np.empty(self.n_features, dtype=np.float32)
        for block in self._blocks:
            out[block.features] = self._scale * (self._table[-1] - block.terms)
        return out

    def relevance(self, y):
        """Information I(X_i; Y) with a class: float32 array of shape (M,).

        Parameters
        ----------
        y : int array of shape (n,)
            Classes coded 0 .. C - 1.
        """
        block = self._class_block(check_codes(y, self.n_samples))
        out = np.empty(self.n_features, dtype=np.float32)
        for other in self._blocks:
            out[other.features] = self._tile(block, other)[0]
        return out


class InformationMatrix(PackedInformation):
    """The matrix I(X_i; X_j) of Thesis Eq. 2.8 (natural logarithm), whole or by columns.

    Parameters
    ----------
    X : array of shape (n, M)
    edges : float64 array of shape (T, M)
        What discretises it: `segment_edges` or `value_edges`.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Raises
    ------
    ValueError, TypeError
        X is no table of finite numbers, the edges do not fit it, or `n_jobs` is 0.

    Notes
    -----
    The data are packed (about n M T / 8 bytes) and not kept. Results are float32; an entry is the
    same to the bit whichever way it is asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.select import value_edges
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    >>> InformationMatrix(X, value_edges(X)).matrix().round(3)
    array([[0.693, 0.   , 0.   ],
           [0.   , 0.693, 0.   ],
           [0.   , 0.   , 0.   ]], dtype=float32)
    """

    def __init__(self, X, edges, n_jobs=None):
        check_n_jobs("InformationMatrix", n_jobs)
        X = check_data("InformationMatrix", X, dtype="numeric")
        accepted = f"an array of numbers with {X.shape[1]} columns, as many as X"
        shape, kind = np.shape(edges), np.asarray(edges).dtype.kind
        if kind not in "iuf" or shape[1:] != X.shape[1:] or np.isnan(edges).any():
            raise ValueError(refusal("InformationMatrix", "edges", accepted, edges))
        super().__init__(X, np.asarray(edges, dtype=np.float64), n_jobs)


def _grid(rows, columns):
    """Index of a sub-matrix: slices (much faster) where the features are consecutive."""
    if all(np.all(np.diff(features) == 1) for features in (rows, columns)):
        return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.ix_(rows, columns)


def _groups(order, planes):
    """Cut features, sorted by their number of planes, into blocks of about `TILE` planes."""
    start = 0
    while start < len(order):
        depth = max(int(planes[order[start]]), 1)
        stop = min(start + max(TILE // depth // 4 * 4, 4), len(order))
        alike = planes[order[start:stop]] <= depth + depth // 2
        stop = start + int(alike.sum())
        yield order[start:stop]
        start = stop
