"""Fast Walsh-Hadamard transform."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def walsh_hadamard(rows):
    """Multiply every row by the Hadamard matrix of its length, a power of two, in place.

    The matrix has entries +-1; a row of length p takes p log2 p additions.
    """
    n, p = rows.shape
    for i in range(n):
        half = 1
        while half < p:
            for start in range(0, p, 2 * half):
                for j in range(start, start + half):
                    a, b = rows[i, j], rows[i, j + half]
                    rows[i, j] = a + b
                    rows[i, j + half] = a - b
            half *= 2
