"""Rows of the Gaussian kernel matrix, less a constant: the loops on arrays.

What is written is exp(-|a - b|^2) - shift in single precision, the samples being multiplied by
sqrt(gamma) beforehand. As the coefficients of an SVM with a bias sum to zero, the shift changes
nothing; 1 keeps the digits where all values are close to 1. A value is a function of its two
samples alone, whatever else is computed beside it and on every processor: there is no product of
matrices, and sums have one order.

Samples of zeros and ones have whole distances, counted by exclusive or, and their kernel values
are read from a table: each errs by half a unit in its last place, 2^-25 at most. Others are
subtracted feature by feature. Their coordinates are rounded to 2^-24 of themselves, distances to
(d + 2) 2^-24 of themselves, exponentials to 2e-7: with d features and |a| <= R for all samples a
value errs by less than R 2^-23 + (d + 2) 2^-24 / e + 2e-7.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from hlsvm._arithmetic import exp

_SPAN = 2048  # columns that stay in the cache while rows go by


@intrinsic
def _ones(typingctx, word):
    """Return the number of bits set in a 64-bit word (LLVM ctpop)."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@njit(cache=True, nogil=True)
def pack(X):
    """Words of 64 features, shape (n_words, n), from rows of zeros and ones, shape (n, d)."""
    n, d = X.shape
    words = np.zeros(((d + 63) // 64, n), np.uint64)
    for i in range(n):
        for k in range(d):
            if X[i, k] != 0:
                words[k // 64, i] |= np.uint64(1) << np.uint64(k % 64)
    return words


@njit(cache=True, nogil=True)
def bit_rows(words, table, samples, out, at):
    """Write the rows of `samples` into ``out[at]``: entry j is ``table[bits that differ]``.

    Parameters
    ----------
    words : ndarray of uint64, shape (n_words, n)
    table : ndarray of float32, shape (n_features + 1,)
    samples, at : ndarray of int64, of one length
    out : ndarray of float32, shape (max(at) + 1 or more, n)
    """
    n_words, n = words.shape
    count = np.empty(_SPAN, np.int64)
    for left in range(0, n, _SPAN):
        m = min(_SPAN, n - left)
        for s in range(samples.shape[0]):
            count[:m] = 0
            for w in range(n_words):
                word = words[w, samples[s]]
                others = words[w, left : left + m]
                for j in range(m):
                    count[j] += np.int64(_ones(word ^ others[j]))
            row = out[at[s], left : left + m]
            for j in range(m):
                row[j] = table[count[j]]


@njit(cache=True, nogil=True)
def kernel_values(distances, gamma, shift):
    """Return exp(-gamma d) - shift in double precision, of distances of shape (m, n)."""
    out = np.empty(distances.shape)
    for i in range(distances.shape[0]):
        for j in range(distances.shape[1]):
            out[i, j] = exp(-gamma * distances[i, j]) - shift
    return out


@njit(cache=True, nogil=True, fastmath={"nsz", "nnan"})
def _exponentials(distance, shift, out):
    """Write exp(-distance) - shift, relative error of the exponential below 2e-7."""
    f = np.float32
    for j in range(out.shape[0]):
        x = max(-distance[j], f(-87.0))
        n = np.floor(x * f(1.44269504088896) + f(0.5))
        r = x - n * f(0.693359375)
        r = r - n * f(-2.12194440e-4)
        p = f(1.9875691500e-4)
        p = p * r + f(1.3981999507e-3)
        p = p * r + f(8.3334519073e-3)
        p = p * r + f(4.1665795894e-2)
        p = p * r + f(1.6666665459e-1)
        p = p * r + f(5.0000001201e-1)
        p = p * r * r + r  # exp(r) - 1
        power = np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
        out[j] = p * power + (power - shift)


@njit(cache=True, nogil=True)
def plain_rows(columns, shift, samples, out, at):
    """Write the rows of `samples` into ``out[at]``.

    Parameters
    ----------
    columns : ndarray of float32, shape (d, n), d a multiple of 4
        The samples, transposed; features of zeros fill up.
    shift : float32
    samples, at, out
        See `bit_rows`.
    """
    d, n = columns.shape
    distance = np.empty(_SPAN, np.float32)
    for left in range(0, n, _SPAN):
        right = min(left + _SPAN, n)
        part = distance[: right - left]
        for s in range(samples.shape[0]):
            i = samples[s]
            part[:] = 0
            for k in range(0, d, 4):
                a, b = columns[k, i], columns[k + 1, i]
                c, e = columns[k + 2, i], columns[k + 3, i]
                first, second = columns[k, left:right], columns[k + 1, left:right]
                third, fourth = columns[k + 2, left:right], columns[k + 3, left:right]
                for j in range(part.shape[0]):
                    t, u = a - first[j], b - second[j]
                    v, w = c - third[j], e - fourth[j]
                    part[j] += (t * t + u * u) + (v * v + w * w)
            _exponentials(part, shift, out[at[s], left:right])
