"""Squared distances, exact where it counts: in double precision, a block of rows at a time."""

from __future__ import annotations

import numpy as np

_BLOCK = 2048


def squared_distances(A, B, dtype=np.float64):
    """Return |a - b|^2 of all rows of `A` and `B`, never below 0, as `dtype`.

    Sums run in double precision about the mean of `B`; only the result is rounded.

    Examples
    --------
    >>> import numpy as np
    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[25.,  0.]])
    """
    out = np.empty((len(A), len(B)), dtype=dtype)
    centre = B.mean(axis=0) if len(B) else 0.0
    B = B - centre
    norms = np.einsum("ij,ij->i", B, B)
    turned = np.ascontiguousarray(-2.0 * B.T)
    for start in range(0, len(A), _BLOCK):
        rows = A[start : start + _BLOCK] - centre
        block = rows @ turned
        block += norms
        block += np.einsum("ij,ij->i", rows, rows)[:, None]
        np.maximum(block, 0.0, out=out[start : start + _BLOCK], casting="same_kind")
    return out


def pairwise_distances(A):
    """Return the squared distances of the rows of `A` in single precision, zero on the diagonal."""
    out = squared_distances(A, A, np.float32)
    np.fill_diagonal(out, 0.0)
    return out
