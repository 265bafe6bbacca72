"""Joint counts of discretised features by AND and population count: kernels on arrays.

A feature with levels 0..T is held as T bit planes, one bit per sample: plane t says "level > t" (a
thermometer code, so a feature of T + 1 levels needs T planes, and marginal and cumulative counts
come for free). For two features the population counts of the T_a T_b ANDs are the cumulative joint
counts; differences of neighbours are the joint counts n_st, and with g(n) = n log n

    N I(a; b) = sum_st g(n_st) - sum_s g(n_s) - sum_t g(n_t) + g(N)          (Thesis Eq. 2.8).

g is a table of 64-bit integers (fixed point). Integer sums do not depend on their order, so the
result is the same to the bit for (a, b) and (b, a), for a tile of the matrix and for one column,
and identical features have identical rows: ties are ties.

Features come in blocks of about `TILE` planes, words of 32 samples in the rows and planes in the
columns, plane t of feature f in column ``t * width + f``: all inner loops run along contiguous
planes and vectorise, and nothing larger than one tile of counts exists.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

TILE = 256  # planes of a block
BITS = 32  # samples of a word


@intrinsic
def _ones(typingctx, word):
    """Return the population count of a 32-bit word (LLVM ctpop, which vectorises)."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    if isinstance(word, types.Integer):
        return types.uint32(types.uint32), codegen
    return None


@njit(cache=True, nogil=True)
def column_moments(X, start, stop):
    """Mean and standard deviation (population) of the columns ``start:stop``, two passes."""
    n, m = X.shape[0], stop - start
    mean, spread = np.zeros(m), np.zeros(m)
    for i in range(n):
        row = X[i, start:stop]
        for j in range(m):
            mean[j] += row[j]
    mean /= n
    for i in range(n):
        row = X[i, start:stop]
        for j in range(m):
            gap = row[j] - mean[j]
            spread[j] += gap * gap
    return mean, np.sqrt(spread / n)


@njit(cache=True, nogil=True)
def sparse_moments(values, rows, starts, n, start, stop):
    """`column_moments` of the columns of a CSC matrix, to the bit: zeros are added in their turn.

    Parameters
    ----------
    values, rows, starts : arrays
        ``data``, ``indices`` (sorted) and ``indptr``.
    n, start, stop : int
        Rows, first column, and the one after the last.
    """
    mean, spread = np.zeros(stop - start), np.zeros(stop - start)
    for j in range(stop - start):
        first, last = starts[start + j], starts[start + j + 1]
        for k in range(first, last):
            mean[j] += values[k]
        mean[j] /= n
        square = (0.0 - mean[j]) * (0.0 - mean[j])
        row = 0
        for k in range(first, last):
            for _ in range(row, rows[k]):
                spread[j] += square
            gap = values[k] - mean[j]
            spread[j] += gap * gap
            row = rows[k] + 1
        for _ in range(row, n):
            spread[j] += square
    return mean, np.sqrt(spread / n)


@njit(cache=True, nogil=True)
def pack(X, start, edges, words):
    """Planes "X > edge" of consecutive columns.

    Parameters
    ----------
    X : array of shape (n, M)
    start : int
        First column of the block.
    edges : float64 array of shape (T, width)
        Rising thresholds of each column, infinite where a column has fewer levels.
    words : uint32 array of shape (n_words, at least T * width)
        Zeros on entry; bit ``i % 32`` of row ``i // 32`` becomes sample i.
    """
    width = edges.shape[1]
    for i in range(X.shape[0]):
        values = X[i, start : start + width]
        bit = np.uint32(1) << np.uint32(i % 32)
        for t in range(edges.shape[0]):
            row = words[i // 32, t * width : (t + 1) * width]
            limits = edges[t]
            for f in range(width):
                row[f] |= np.uint32(values[f] > limits[f]) * bit


@njit(cache=True, nogil=True)
def _count_four(A, B, w, a, c0, c1, c2, c3):
    """Add the ANDs of planes a..a+3 with all planes of `B`, over words w..w+3."""
    x00, x01, x02, x03 = A[w, a], A[w, a + 1], A[w, a + 2], A[w, a + 3]
    x10, x11, x12, x13 = A[w + 1, a], A[w + 1, a + 1], A[w + 1, a + 2], A[w + 1, a + 3]
    x20, x21, x22, x23 = A[w + 2, a], A[w + 2, a + 1], A[w + 2, a + 2], A[w + 2, a + 3]
    x30, x31, x32, x33 = A[w + 3, a], A[w + 3, a + 1], A[w + 3, a + 2], A[w + 3, a + 3]
    b0, b1, b2, b3 = B[w], B[w + 1], B[w + 2], B[w + 3]
    for j in range(B.shape[1]):
        y0, y1, y2, y3 = b0[j], b1[j], b2[j], b3[j]
        c0[j] += _ones(x00 & y0) + _ones(x10 & y1) + _ones(x20 & y2) + _ones(x30 & y3)
        c1[j] += _ones(x01 & y0) + _ones(x11 & y1) + _ones(x21 & y2) + _ones(x31 & y3)
        c2[j] += _ones(x02 & y0) + _ones(x12 & y1) + _ones(x22 & y2) + _ones(x32 & y3)
        c3[j] += _ones(x03 & y0) + _ones(x13 & y1) + _ones(x23 & y2) + _ones(x33 & y3)


@njit(cache=True, nogil=True)
def joint_counts(A, B):
    """Return the population counts of the ANDs of all planes of `A` with all planes of `B`.

    Parameters
    ----------
    A, B : uint32 arrays of shape (n_words, planes)
        Rows and planes of A in multiples of four.

    Returns
    -------
    uint32 array of shape (planes of A, planes of B)
    """
    counts = np.zeros((A.shape[1], B.shape[1]), dtype=np.uint32)
    for first in range(0, A.shape[0], 64):  # 64 words of B stay in the second-level cache
        last = min(first + 64, A.shape[0])
        for a in range(0, A.shape[1], 4):
            for w in range(first, last, 4):
                _count_four(A, B, w, a, counts[a], counts[a + 1], counts[a + 2], counts[a + 3])
    return counts


@njit(cache=True, nogil=True)
def level_terms(words, n_planes, width, n, table):
    """Cumulative counts of every plane, and sum_s g(n_s) of every feature, of one block.

    Parameters
    ----------
    words : uint32 array of shape (n_words, at least n_planes * width)
    n_planes, width, n : int
        Planes per feature T, features, samples.
    table : int64 array of shape (n + 1,)
        g(0..n) in fixed point.

    Returns
    -------
    above : uint32 array of shape (T + 2, width)
        Samples whose level is at least t; row 0 is n, the last row 0.
    terms : int64 array of shape (width,)
    """
    above = np.zeros((n_planes + 2, width), dtype=np.uint32)
    above[0] = n
    for w in range(words.shape[0]):
        for t in range(n_planes):
            for f in range(width):
                above[t + 1, f] += _ones(words[w, t * width + f])
    terms = np.zeros(width, dtype=np.int64)
    for t in range(n_planes + 1):
        for f in range(width):
            terms[f] += table[above[t, f] - above[t + 1, f]]
    return above, terms


@njit(cache=True, nogil=True)
def _add_row(low, high, table, total):
    """Add g of the joint counts of one level of a feature with every level of a block."""
    for t in range(low.shape[0] - 1):
        l0, l1, h0, h1 = low[t], low[t + 1], high[t], high[t + 1]
        for f in range(total.shape[0]):
            total[f] += table[(l0[f] - l1[f]) - (h0[f] - h1[f])]


@njit(cache=True, nogil=True)
def pair_terms(counts, above_a, above_b, table):
    """Sum of g over the joint levels of all features of one block with all of another.

    Parameters
    ----------
    counts : uint32 array of shape (planes of a, planes of b)
        From `joint_counts`, or a sum of such.
    above_a, above_b : uint32 arrays
        From `level_terms`, or sums of such, over the same samples.
    table : int64 array
        g(0..n) in fixed point.

    Returns
    -------
    int64 array of shape (width of a, width of b)
        sum_st g(n_st).
    """
    width_a, width_b = above_a.shape[1], above_b.shape[1]
    planes_a, planes_b = above_a.shape[0] - 2, above_b.shape[0] - 2
    # cumulative joint counts of one feature of a: level >= s (rows) with level >= t of the block
    joint = np.zeros((planes_a + 2, planes_b + 2, width_b), dtype=np.uint32)
    joint[0] = above_b
    total = np.zeros((width_a, width_b), dtype=np.int64)
    for i in range(width_a):
        for s in range(planes_a):
            joint[s + 1, 0] = above_a[s + 1, i]
            row = counts[s * width_a + i]
            for t in range(planes_b):
                joint[s + 1, t + 1] = row[t * width_b : (t + 1) * width_b]
        for s in range(planes_a + 1):
            _add_row(joint[s], joint[s + 1], table, total[i])
    return total


@njit(cache=True, nogil=True)
def information_tile(A, above_a, terms_a, B, above_b, terms_b, table, scale):
    """Mutual information of all features of block `A` with all of block `B`.

    Parameters
    ----------
    A, B : uint32 arrays of shape (n_words, planes)
    above_a, terms_a, above_b, terms_b : arrays
        From `level_terms`.
    table : int64 array of shape (n + 1,)
        g(0..n) in fixed point.
    scale : float
        What turns a sum of g into an information.

    Returns
    -------
    float32 array of shape (width of A, width of B)
    """
    total = pair_terms(joint_counts(A, B), above_a, above_b, table)
    full = table[above_b[0, 0]]
    out = np.empty(total.shape, dtype=np.float32)
    for i in range(total.shape[0]):
        for f in range(total.shape[1]):
            out[i, f] = scale * (total[i, f] - terms_a[i] - terms_b[f] + full)
    return out
