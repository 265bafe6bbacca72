"""The one feature and threshold of least entropy: kernels on arrays, and NumPy to sort them.

Small nodes sort every feature. Large ones count classes in equal-width bins of every feature: the
borders of the bins are thresholds, and a bin is opened (its values sorted) only if a threshold
inside it could be better than the best border of all features. Entropy is concave in the class
weights on the left, so within a bin it is least at a vertex: where some classes of the bin lie on
the left whole and the others on the right. The answer is that of the sort, at the price of two
passes over the rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Nodes of at most so many rows sort; others count in so many bins.
_SMALL = 512
_BINS = 256
# Bytes that the bins may take, and columns counted in one pass over the rows (a line of cache).
_ROOM = 1 << 25
_COLUMNS = 16
# A bin that holds more classes has no bound: its rows are always looked at.
_CLASSES = 6


@njit(cache=True, nogil=True)
def _xlogx(x):
    return x * np.log2(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _mass(left, counts):
    """Entropy times weight of both sides, where `left` of `counts` lie on the left."""
    below = 0.0
    above = 0.0
    inner = 0.0
    for k in range(counts.shape[0]):
        rest = max(counts[k] - left[k], 0.0)
        below += left[k]
        above += rest
        inner += _xlogx(left[k]) + _xlogx(rest)
    return _xlogx(below) + _xlogx(above) - inner


@njit(cache=True, nogil=True)
def _least(left, inside, counts, spare):
    """Lower bound of `_mass` when any part of `inside` joins `left`."""
    n_present = 0
    for k in range(inside.shape[0]):
        n_present += inside[k] > 0.0
    if n_present > _CLASSES:
        return -np.inf
    least = np.inf
    for choice in range(1 << n_present):
        bit = 0
        for k in range(inside.shape[0]):
            spare[k] = left[k]
            if inside[k] > 0.0:
                if choice >> bit & 1:
                    spare[k] += inside[k]
                bit += 1
        least = min(least, _mass(spare, counts))
    return least


@njit(cache=True, nogil=True)
def _scan(values, order, rows, codes, weight, bins, starts, counts, best):
    """Best threshold between neighbours of one bin, below `best`: mass, low, high.

    `order` sorts `values`, those of `rows`. ``starts[b]`` is the class weight to the left of bin b.
    """
    left = np.zeros_like(counts)
    now = -1
    low = 0.0
    high = 0.0
    for i in range(order.shape[0] - 1):
        place = order[i]
        following = order[i + 1]
        if bins[place] != now:
            now = bins[place]
            for k in range(counts.shape[0]):
                left[k] = starts[now, k]
        row = rows[place]
        left[codes[row]] += weight[row]
        if bins[following] == now and values[place] < values[following]:
            mass = _mass(left, counts)
            if mass < best:
                best = mass
                low = values[place]
                high = values[following]
    return best, low, high


@njit(cache=True, nogil=True)
def _scan_all(values, order, rows, codes, weight, counts):
    """Best threshold of all columns of `values`, each sorted by its row of `order`."""
    best = np.inf
    feature = -1
    low = 0.0
    high = 0.0
    one = np.zeros(rows.shape[0], np.int64)
    starts = np.zeros((1, counts.shape[0]))
    for j in range(values.shape[0]):
        mass, below, above = _scan(
            values[j], order[j], rows, codes, weight, one, starts, counts, best
        )
        if mass < best:
            best, feature, low, high = mass, j, below, above
    return feature, low, high, best


def by_sorting(X, rows, codes, weight, counts):
    """`best_axis` by sorting every column."""
    values = np.ascontiguousarray(X[rows].T, dtype=np.float64)
    return _scan_all(values, values.argsort(axis=1), rows, codes, weight, counts)


@njit(cache=True, nogil=True)
def _bin(value, low, scale, n_bins):
    return min(int((value - low) * scale), n_bins - 1)


@njit(cache=True, nogil=True)
def _count(X, rows, codes, weight, n_bins, lows, scales, table):
    """Range of every column, and its class weights by bin, shape (d, n_bins, n_classes)."""
    d = X.shape[1]
    for first in range(0, d, _COLUMNS):
        last = min(first + _COLUMNS, d)
        low = np.full(last - first, np.inf)
        high = np.full(last - first, -np.inf)
        for row in rows:
            for j in range(first, last):
                value = np.float64(X[row, j])
                low[j - first] = min(low[j - first], value)
                high[j - first] = max(high[j - first], value)
        for j in range(first, last):
            width = high[j - first] - low[j - first]
            lows[j] = low[j - first]
            scales[j] = n_bins / width if width > 0.0 else 0.0
            if not np.isfinite(scales[j]):
                scales[j] = 0.0
        for row in rows:
            code = codes[row]
            step = weight[row]
            for j in range(first, last):
                table[j, _bin(np.float64(X[row, j]), lows[j], scales[j], n_bins), code] += step


@njit(cache=True, nogil=True)
def _borders(table, counts):
    """Feature, bin and mass of the best border between bins; table becomes cumulative sums.

    ``table[j, b]`` is then the class weight in the bins before b.
    """
    best = np.inf
    feature = -1
    after = -1
    left = np.empty_like(counts)
    for j in range(table.shape[0]):
        left[:] = 0.0
        for b in range(table.shape[1]):
            filled = False
            for k in range(counts.shape[0]):
                inside = table[j, b, k]
                table[j, b, k] = left[k]
                left[k] += inside
                filled = filled or inside > 0.0
            if filled:
                mass = _mass(left, counts)
                if mass < best:
                    # All to the left parts nothing; rounding must not let it win.
                    rest = 0.0
                    for k in range(counts.shape[0]):
                        rest += counts[k] - left[k]
                    if rest > 1e-9 * left.sum():
                        best, feature, after = mass, j, b
    return best, feature, after


@njit(cache=True, nogil=True)
def _want(starts, counts, best, wanted):
    """Mark the bins of a column in which a threshold could be better than `best`."""
    n_bins, n_classes = starts.shape
    inside = np.empty(n_classes)
    spare = np.empty(n_classes)
    for b in range(n_bins):
        following = starts[b + 1] if b + 1 < n_bins else counts
        filled = False
        for k in range(n_classes):
            inside[k] = following[k] - starts[b, k]
            filled = filled or inside[k] > 0.0
        wanted[b] = filled and _least(starts[b], inside, counts, spare) < best


@njit(cache=True, nogil=True)
def _neighbours(values, low, scale, n_bins, after):
    """Largest of `values` in the bins up to `after`, and smallest beyond."""
    below = -np.inf
    above = np.inf
    for value in values:
        if _bin(value, low, scale, n_bins) <= after:
            below = max(below, value)
        else:
            above = min(above, value)
    return below, above


@njit(cache=True, nogil=True)
def _find(values, low, scale, wanted, places, bins):
    """Positions of `values` that lie in `wanted` bins, and these bins; returns how many."""
    size = 0
    for i in range(values.shape[0]):
        b = _bin(values[i], low, scale, wanted.shape[0])
        if wanted[b]:
            places[size] = i
            bins[size] = b
            size += 1
    return size


def _open(values, rows, low, scale, starts, wanted, codes, weight, counts, best):
    """Best threshold of a column inside the `wanted` bins, below `best`."""
    places = np.empty(len(rows), np.int64)
    bins = np.empty(len(rows), np.int64)
    size = _find(values, low, scale, wanted, places, bins)
    places = places[:size]
    values = values[places]
    return _scan(
        values, values.argsort(), rows[places], codes, weight, bins[:size], starts, counts, best
    )


def best_axis(X, rows, codes, weight, counts):
    """Feature and threshold whose two sides have the least weighted entropy.

    Parameters
    ----------
    X : ndarray, shape (n_all, n_features)
    rows, codes, weight
        Rows of the node; class and weight of every row of the data.
    counts : ndarray of float64, shape (n_classes,)
        Weight of every class in the node.

    Returns
    -------
    feature : int
        -1 if all features are constant.
    low, high : float
        Neighbouring values between which the threshold belongs.
    mass : float
        Entropy of both sides in bits, times their weights.
    """
    d = X.shape[1]
    n_classes = counts.shape[0]
    n_bins = min(_BINS, _ROOM // (8 * d * n_classes))
    if rows.shape[0] <= _SMALL or n_bins < 8:
        return by_sorting(X, rows, codes, weight, counts)
    lows = np.empty(d)
    scales = np.empty(d)
    table = np.zeros((d, n_bins, n_classes))
    _count(X, rows, codes, weight, n_bins, lows, scales, table)
    best, feature, after = _borders(table, counts)
    low = 0.0
    high = 0.0
    if feature >= 0:
        column = X[rows, feature].astype(np.float64)
        low, high = _neighbours(column, lows[feature], scales[feature], n_bins, after)
    wanted = np.empty(n_bins, np.bool_)
    for j in range(d):
        _want(table[j], counts, best, wanted)
        if wanted.any():
            column = X[rows, j].astype(np.float64)
            mass, below, above = _open(
                column, rows, lows[j], scales[j], table[j], wanted, codes, weight, counts, best
            )
            if mass < best:
                best, feature, low, high = mass, j, below, above
    return feature, low, high, best
