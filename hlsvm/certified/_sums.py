"""Sums over blocks of support vectors in single precision, each with a bound of its error.

A row is held as its entries that differ from the shift, so that a product with 128 support vectors
costs one vector operation an entry. Lanes never mix before the last sum, which is in double
precision: the bits do not depend on the processor.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot, exp

LANES = 128
# Rounding of a weight (1 unit), the series cut (3) and rounded (4), the product (1); see `_weigh`.
POWER_ERROR = 10 * 2.0**-24
_ROUNDER = np.float32(3 << 22)  # adding and taking it away rounds to a whole number
_LOWEST = np.float32(-120.0)  # powers of two below 2^-120 are taken as that
_SERIES = tuple(np.float32(math.log(2) ** k / math.factorial(k)) for k in range(7))
_C0, _C1, _C2, _C3, _C4, _C5, _C6 = _SERIES
_SHIFT = np.int32(23)
_VANISHES = np.float32(-80.0)  # exponents that add nothing in double precision
_LEVELS = (0.1, 1e-2, 1e-4, 1e-7, -0.5)  # blocks that can weigh more are met first


@njit(cache=True, nogil=True)
def _load(x, shift, index, value, at):
    """Write the entries of a row that are not zero from `at` on, and zeros up to a multiple of 4.

    Return their end, their number and their square.
    """
    square, first = 0.0, at
    for j in range(x.shape[0]):
        step = x[j] - shift[j]
        if step != 0:
            index[at] = j
            value[at] = step
            square += step * step
            at += 1
    n = at - first
    while (at - first) % 4:
        index[at] = 0
        value[at] = 0
        at += 1
    return at, n, square


@njit(cache=True, nogil=True)
def _start(heads, block, tail, acc):
    """Write -gamma (|s|^2 + |x|^2) / log(2) for the support vectors of a block to `acc`."""
    head = heads[block * LANES : (block + 1) * LANES]
    for k in range(LANES):
        acc[k] = head[k] + tail


@njit(cache=True, nogil=True)
def _doubt(n_entries, square, sizes):
    """Bound the rounding of a row's exponents in single precision.

    A term is rounded with both factors, the product, the sums of its eight and those of later
    eights.
    """
    reach = np.sqrt(square) + sizes[3]
    return (n_entries / 8 + 11) * 2.0**-24 * 1.02 * sizes[2] * reach * reach


@njit(cache=True, nogil=True)
def _products(support, base, index, value, first, last, acc):
    """Add the products of a row with the support vectors of a block; entries come in fours."""
    at = np.uint64(first)
    while at + np.uint64(8) <= np.uint64(last):
        i, v = index[at : at + np.uint64(8)], value[at : at + np.uint64(8)]
        p0, p1, p2, p3 = base + i[0], base + i[1], base + i[2], base + i[3]
        p4, p5, p6, p7 = base + i[4], base + i[5], base + i[6], base + i[7]
        s0, s1, s2, s3 = support[p0], support[p1], support[p2], support[p3]
        s4, s5, s6, s7 = support[p4], support[p5], support[p6], support[p7]
        v0, v1, v2, v3, v4, v5, v6, v7 = v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
        for k in range(LANES):
            total = (v0 * s0[k] + v1 * s1[k]) + (v2 * s2[k] + v3 * s3[k])
            acc[k] += total + ((v4 * s4[k] + v5 * s5[k]) + (v6 * s6[k] + v7 * s7[k]))
        at += np.uint64(8)
    if at < np.uint64(last):
        i, v = index[at : at + np.uint64(4)], value[at : at + np.uint64(4)]
        p0, p1, p2, p3 = base + i[0], base + i[1], base + i[2], base + i[3]
        s0, s1, s2, s3 = support[p0], support[p1], support[p2], support[p3]
        v0, v1, v2, v3 = v[0], v[1], v[2], v[3]
        for k in range(LANES):
            acc[k] += (v0 * s0[k] + v1 * s1[k]) + (v2 * s2[k] + v3 * s3[k])


@njit(cache=True, nogil=True)
def _weigh(acc, weight):
    """Replace the exponents by weight * 2^exponent, to `POWER_ERROR`."""
    for k in range(LANES):
        z = acc[k]
        z = z if z > _LOWEST else _LOWEST
        m = z + _ROUNDER
        r = z - (m - _ROUNDER)
        p = (((((_C6 * r + _C5) * r + _C4) * r + _C3) * r + _C2) * r + _C1) * r + _C0
        whole = np.int32(np.float32(m).view(np.int32) << _SHIFT)
        bits = np.int32(np.float32(p).view(np.int32) + whole)
        acc[k] = weight[k] * bits.view(np.float32)


@njit(cache=True, nogil=True)
def _fold(lanes, total, room):
    """Add the sum of the lanes to `total` and clear them; `room` is for half of them."""
    for k in range(LANES // 2):
        room[k] = lanes[k] + lanes[k + LANES // 2]
    half = LANES // 4
    while half > 0:
        for k in range(half):
            room[k] += room[k + half]
        half //= 2
    lanes[:] = 0.0
    return total + room[0]


@njit(cache=True, nogil=True)
def _most(groups, width, index, value, first, last, tail, doubt, acc, upper):
    """Write what each block can sum up to: its weights times the largest kernel value."""
    centres, heads, radii, weights, scale = groups
    for part in range(len(heads) // LANES):
        _start(heads, part, tail, acc)
        _products(centres, np.uint64(part * width), index, value, first, last, acc)
        radius = radii[part * LANES : (part + 1) * LANES]
        for k in range(LANES):
            square = (-acc[k] - doubt) / scale
            square = square if square > 0 else np.float32(0)
            away = np.sqrt(square) * np.float32(0.999999) - radius[k]
            away = away if away > 0 else np.float32(0)
            acc[k] = -scale * away * away
        _weigh(acc, weights[part * LANES : (part + 1) * LANES])
        for k in range(LANES):
            upper[part * LANES + k] = acc[k] * np.float32(1.001)


@njit(cache=True, nogil=True)
def _ends(sums, rest, error, floor, weight, intercept):
    """Lower and upper end of f from the sums met and the most that the others can add."""
    plus, minus = sums
    away = error * (plus + minus) + floor
    value = plus - minus
    low = weight * (value - away - rest[1]) + intercept
    high = weight * (value + away + rest[0]) + intercept
    slack = 1e-14 * (weight * (plus + minus) + abs(intercept))
    return low - slack, high + slack


@njit(cache=True, nogil=True)
def _rest(upper, n_plus, n_blocks, rest):
    """Sum what the blocks that are not met yet can add, for either sign."""
    rest[0] = rest[1] = 0.0
    for b in range(n_blocks):
        if upper[b] >= 0:
            rest[0 if b < n_plus else 1] += upper[b]
    rest[0] *= 1 + 1e-12
    rest[1] *= 1 + 1e-12


@njit(cache=True, nogil=True)
def enclose(X, shift, blocks, groups, sizes, width, signs, low, high, met):
    """Enclose f at rows that have not been settled, as near as asked.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    shift : ndarray of shape (d,)
        Taken off the rows; the support vectors are without it.
    blocks : tuple (support, heads, weights)
        In float32, 128 lanes a block: support vectors times 2 gamma / log(2), shape
        (n_blocks * d, 128); flat: -gamma |s|^2 / log(2), |alpha| over the largest.
    groups : tuple (centres, heads, radii, weights, scale)
        Of the blocks, one a lane; no heads: every block is met.
    sizes : tuple (n_blocks, n_plus, scale, longest, weight, intercept, floor)
        Blocks, those of positive alpha (first), gamma / log(2), the longest support vector, the
        largest |alpha|, b, and the error that remains where kernel values vanish.
    width : float
        Distance of the ends that suffices.
    signs : bool
        Whether the sign of f suffices.
    low, high : ndarrays of shape (n,)
        Receive the ends; rows that have no more than `width` between them are left alone.
    met : ndarray of int64, shape (n,)
        Receives the number of kernel values taken, those of filled-up blocks included.
    """
    tile = max(1, min(len(X), 64))
    d = X.shape[1]
    index, value = np.empty(tile * (d + 3), np.uint64), np.empty(tile * (d + 3), np.float32)
    starts, tails = np.zeros(tile + 1, np.int64), np.empty(tile, np.float32)
    errors, doing = np.empty(tile), np.empty(tile, np.int64)
    padded = max(len(groups[1]), sizes[0])
    upper, sums, rest = np.empty((tile, padded), np.float32), np.empty((tile, 2)), np.zeros(2)
    lanes, acc = np.zeros((tile, 2, LANES)), np.empty(LANES, np.float32)
    for start in range(0, len(X), tile):
        n = 0
        for i in range(start, min(start + tile, len(X))):
            met[i] = 0
            starts[n + 1], n_entries, square = _load(X[i], shift, index, value, starts[n])
            doubt = _doubt(n_entries, square, sizes)
            low[i], high[i] = -np.inf, np.inf
            if not doubt < 0.1:
                continue  # single precision tells nothing
            errors[n] = 1.06 * (doubt * 0.6931471805599454 + POWER_ERROR)
            tails[n] = -sizes[2] * square
            sums[n], doing[n], upper[n] = 0.0, i, np.inf
            if len(groups[1]):
                first, last, tail, most = starts[n], starts[n + 1], tails[n], upper[n]
                _most(groups, d, index, value, first, last, tail, np.float32(doubt), acc, most)
            n += 1
        _tile(blocks, sizes, width, signs, (index, value, starts, tails, errors), doing[:n],
              upper, (lanes, sums, rest, acc), d, low, high, met)  # fmt: skip


@njit(cache=True, nogil=True)
def _tile(
    blocks, sizes, width, signs, rows, doing, upper, space, d, low, high, met
):  # fmt: skip
    """Meet the blocks of a tile of rows, those that can weigh most first; see `enclose`."""
    support, heads, weights = blocks
    n_blocks, n_plus, _, _, weight, intercept, floor = sizes
    index, value, starts, tails, errors = rows
    lanes, sums, rest, acc = space
    room = np.empty(LANES // 2)
    for level in _LEVELS:
        least = level / weight if level > 0 else level
        left = 0
        for b in range(n_blocks):
            for n in range(len(doing)):
                if doing[n] < 0 or not upper[n, b] > least:
                    continue
                _start(heads, b, tails[n], acc)
                first, last = starts[n], starts[n + 1]
                _products(support, np.uint64(b * d), index, value, first, last, acc)
                _weigh(acc, weights[b * LANES : (b + 1) * LANES])
                total = lanes[n, 0 if b < n_plus else 1]
                for k in range(LANES):
                    total[k] += np.float64(acc[k])
                upper[n, b] = -1.0
                met[doing[n]] += LANES
        for n in range(len(doing)):
            i = doing[n]
            if i >= 0:
                sums[n, 0] = _fold(lanes[n, 0], sums[n, 0], room)
                sums[n, 1] = _fold(lanes[n, 1], sums[n, 1], room)
                _rest(upper[n], n_plus, n_blocks, rest)
                low[i], high[i] = _ends(sums[n], rest, errors[n], floor, weight, intercept)
                if high[i] - low[i] <= width or (signs and (low[i] > 0 or high[i] < 0)):
                    doing[n] = -1
                left += doing[n] >= 0
        if left == 0:
            break


@njit(cache=True, nogil=True)
def in_double(X, shift, blocks, sizes, exact, out):
    """Evaluate f in double precision; support vectors whose kernel value vanishes are left out.

    `exact` is a tuple (points, squares, alpha) of the packed support vectors, in double precision.
    """
    support, heads, _ = blocks
    points, squares, alpha = exact
    d, scale, intercept = X.shape[1], sizes[2], sizes[5]
    gamma = scale * 0.6931471805599453
    x, acc = np.empty(d), np.empty(LANES, np.float32)
    index, value = np.empty(d + 3, np.uint64), np.empty(d + 3, np.float32)
    for i in range(len(X)):
        for j in range(d):
            x[j] = X[i, j] - shift[j]
        last, n_entries, square = _load(X[i], shift, index, value, 0)
        least = _VANISHES if _doubt(n_entries, square, sizes) < 0.1 else np.float32(-np.inf)
        total = 0.0
        for b in range(len(heads) // LANES):
            _start(heads, b, np.float32(-scale * square), acc)
            _products(support, np.uint64(b * d), index, value, 0, last, acc)
            for k in range(LANES):
                s = b * LANES + k
                if acc[k] < least or alpha[s] == 0:
                    continue
                away = square + squares[s] - 2.0 * dot(x, points[s], 0.0)
                total += alpha[s] * exp(-gamma * (away if away > 0 else 0.0))
        out[i] = total + intercept
