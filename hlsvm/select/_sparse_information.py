"""Mutual information of sparse features: joint counts of what is not zero, the rest by difference.

Zero is one level of every feature. With the joint counts n_st of all other levels s and t,

    n_s0 = n_s - sum_t n_st,   n_0t = n_t - sum_s n_st,   n_00 = n_0 - sum_s n_s0,

so the samples in which two features are both zero are never looked at. The counts are those of
`hlsvm.select._bitplanes`, and so is every bit of the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from hlsvm.select._information import PackedInformation


@njit(cache=True, nogil=True)
def _level(value, limits, f):
    """Return how many limits of feature `f` the value exceeds."""
    level = 0
    for t in range(limits.shape[0]):
        level += value > limits[t, f]
    return level


@njit(cache=True, nogil=True)
def sparse_entries(values, indices, starts, features, limits, zero, n):
    """Rows and codes of the entries of some features whose level is not that of zero.

    Parameters
    ----------
    values, indices, starts : arrays
        ``data``, ``indices`` and ``indptr`` (int64) of a CSC matrix.
    features : int64 array of shape (width,)
    limits : float64 array of shape (T, width)
    zero : int64 array of shape (width,)
        Level of the value 0.
    n : int
        Rows of the matrix.

    Returns
    -------
    rows, codes : int32 arrays
        Sorted by row; the code of a level is level * width + place of the feature.
    """
    place = np.zeros(n + 1, dtype=np.int64)
    for f in range(len(features)):
        for k in range(starts[features[f]], starts[features[f] + 1]):
            place[indices[k] + 1] += _level(values[k], limits, f) != zero[f]
    place = np.cumsum(place)
    rows, codes = np.empty(place[n], dtype=np.int32), np.empty(place[n], dtype=np.int32)
    for f in range(len(features)):
        for k in range(starts[features[f]], starts[features[f] + 1]):
            level = _level(values[k], limits, f)
            if level != zero[f]:
                entry = place[indices[k]]
                place[indices[k]] += 1
                rows[entry] = indices[k]
                codes[entry] = level * len(features) + f
    return rows, codes


@njit(cache=True, nogil=True)
def count_pairs(rows_a, codes_a, rows_b, codes_b, joint):
    """Add 1 to ``joint[a, b]`` for all codes a and b that are in the same row.

    Parameters
    ----------
    rows_a, codes_a, rows_b, codes_b : int32 arrays
        Entries of two blocks, sorted by row.
    joint : uint32 array of shape (codes of a, codes of b)
    """
    i, j = 0, 0
    while i < len(rows_a) and j < len(rows_b):
        row = rows_a[i]
        if row > rows_b[j]:
            j += 1
        elif row < rows_b[j]:
            i += 1
        else:
            stop = j
            while stop < len(rows_b) and rows_b[stop] == row:
                stop += 1
            while i < len(rows_a) and rows_a[i] == row:
                counts = joint[codes_a[i]]
                for k in range(j, stop):
                    counts[codes_b[k]] += 1
                i += 1
            j = stop


@njit(cache=True, nogil=True)
def sparse_tile(joint, zero_a, counts_a, terms_a, zero_b, counts_b, terms_b, table, scale):
    """Mutual information of all features of block a with all of block b.

    Parameters
    ----------
    joint : uint32 array of shape (levels_a * width_a, levels_b * width_b)
        From `count_pairs`.
    zero_a, zero_b : int64 arrays of shape (width,)
        Level of the value 0.
    counts_a, counts_b : int64 arrays of shape (levels, width)
        Samples of each level.
    terms_a, terms_b : int64 arrays of shape (width,)
        sum_s g(n_s).
    table : int64 array of shape (n + 1,)
        g(0..n) in fixed point.
    scale : float
        What turns a sum of g into an information.

    Returns
    -------
    float32 array of shape (width_a, width_b)
    """
    levels_a, width_a = counts_a.shape
    levels_b, width_b = counts_b.shape
    full = table[len(table) - 1]
    out = np.empty((width_a, width_b), dtype=np.float32)
    left = np.empty(levels_b, dtype=np.int64)
    for i in range(width_a):
        for f in range(width_b):
            total = np.int64(0)
            for t in range(levels_b):
                left[t] = counts_b[t, f]
            for s in range(levels_a):
                if s == zero_a[i]:
                    continue
                rest = counts_a[s, i]
                for t in range(levels_b):
                    if t != zero_b[f]:
                        count = np.int64(joint[s * width_a + i, t * width_b + f])
                        rest -= count
                        left[t] -= count
                        total += table[count]
                left[zero_b[f]] -= rest
                total += table[rest]
            for t in range(levels_b):
                total += table[left[t]]
            out[i, f] = scale * (total - terms_a[i] - terms_b[f] + full)
    return out


@dataclass(frozen=True)
class _SparseBlock:
    """Entries of some features whose level is not that of zero, sorted by row."""

    features: np.ndarray
    n_planes: int
    rows: np.ndarray
    codes: np.ndarray
    zero: np.ndarray
    counts: np.ndarray
    terms: np.ndarray


class SparseInformationMatrix(PackedInformation):
    """`InformationMatrix` of a CSC matrix, to the bit, in memory of its nonzeros.

    Parameters
    ----------
    X : CSC matrix of shape (n, M)
        In canonical format.
    edges : float64 array of shape (T, M)
    n_jobs : int or None

    Examples
    --------
    >>> from scipy.sparse import csc_array
    >>> from hlsvm.select import value_edges
    >>> X = csc_array(np.array([[0.0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]))
    >>> SparseInformationMatrix(X, value_edges(X)).diagonal().round(3)
    array([0.693, 0.693, 0.   ], dtype=float32)
    """

    def _block(self, X, edges, features, n_planes):
        limits = np.ascontiguousarray(edges[:n_planes, features])
        zero = (limits < 0).sum(axis=0)
        starts = np.asarray(X.indptr, dtype=np.int64)
        rows, codes = sparse_entries(
            X.data, X.indices, starts, features, limits, zero, self.n_samples
        )
        return self._known(features, n_planes, rows, codes, zero)

    def _known(self, features, n_planes, rows, codes, zero):
        width = len(zero)
        counts = np.bincount(codes, minlength=(n_planes + 1) * width).reshape(-1, width)
        counts[zero, np.arange(width)] = self.n_samples - counts.sum(axis=0)
        terms = self._table[counts].sum(axis=0)
        return _SparseBlock(features, n_planes, rows, codes, zero, counts, terms)

    def _gathered(self, features):
        homes = [self._blocks[b] for b, _ in self._home[features]]
        width, rows, codes = len(features), [], []
        zero = np.empty(width, dtype=np.int64)
        for f, (home, column) in enumerate(zip(homes, self._home[features, 1], strict=True)):
            level, of = np.divmod(home.codes, len(home.features))
            members = of == column
            rows.append(home.rows[members])
            codes.append(level[members] * np.int32(width) + np.int32(f))
            zero[f] = home.zero[column]
        n_planes = max(home.n_planes for home in homes)
        rows, codes = np.concatenate(rows), np.concatenate(codes)
        order = np.argsort(rows, kind="stable")
        return self._known(features, n_planes, rows[order], codes[order], zero)

    def _class_block(self, y):
        rows, only = np.flatnonzero(y), np.zeros(1, dtype=np.int64)
        codes = y[rows].astype(np.int32)
        return self._known(only, int(y.max()), rows.astype(np.int32), codes, only)

    def _tile(self, a, b):
        joint = np.zeros((a.counts.size, b.counts.size), dtype=np.uint32)
        count_pairs(a.rows, a.codes, b.rows, b.codes, joint)
        sides = a.zero, a.counts, a.terms, b.zero, b.counts, b.terms
        return sparse_tile(joint, *sides, self._table, self._scale)
