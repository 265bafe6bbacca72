"""What two features together tell of the class: I(X_i X_j; Y), by the counts of every class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm.select._base import check_codes
from hlsvm.select._bitplanes import BITS, joint_counts, level_terms, pair_terms
from hlsvm.select._information import PackedInformation, _Block

_STEP = 4 * BITS  # samples of the words that are counted at once


@dataclass(frozen=True)
class _ClassBlock(_Block):
    """Packed features, and words, counts and terms of the samples of every class."""

    classes: tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]


class JointInformation(PackedInformation):
    """The matrix I(X_i X_j; Y) (natural logarithm), whole or by rows; its diagonal is I(X_i; Y).

    With g(n) = n log n and c the classes, all from the counts of `hlsvm.select._bitplanes`:

        N I(X_i X_j; Y) = sum_stc g(n_stc) - sum_st g(n_st) - sum_c g(n_c) + g(N)

    Parameters
    ----------
    X : array of shape (n, M)
    edges : float64 array of shape (T, M)
        What discretises it: `segment_edges` or `value_edges`.
    y : int array of shape (n,)
        Classes coded 0 .. C - 1.
    n_jobs : int or None
        Threads; the result does not depend on it.

    Notes
    -----
    The samples are packed class after class, so that the counts of all classes together cost as
    much as those of `InformationMatrix`: every sample is counted once. Results are float32, the
    same to the bit whichever way they are asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.select import value_edges
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    >>> JointInformation(X, value_edges(X), X[:, 0] ^ X[:, 1]).matrix().round(3)
    array([[0.   , 0.693, 0.   ],
           [0.693, 0.   , 0.   ],
           [0.   , 0.   , 0.   ]], dtype=float32)
    """

    def __init__(self, X, edges, y, n_jobs=None):
        y = check_codes(y, len(X))
        self._order = np.argsort(y, kind="stable")
        sizes = np.bincount(y)
        ends = np.cumsum(sizes)
        self._spans = [(stop - n, stop) for n, stop in zip(sizes, ends, strict=True) if n]
        super().__init__(X[self._order], edges, n_jobs)
        self._constant = self._table[-1] - self._table[sizes].sum()

    def _counted(self, features, n_planes, words):
        whole = super()._counted(features, n_planes, words)
        classes = []
        for start, stop in self._spans:
            first, last = start // _STEP * 4, -(-stop // _STEP) * 4
            part = words[first:last] & _mask(
                start - first * BITS, stop - first * BITS, last - first
            )
            terms = level_terms(part, n_planes, len(features), stop - start, self._table)
            classes.append((part, *terms))
        return _ClassBlock(**vars(whole), classes=tuple(classes))

    def _tile(self, a, b):
        counts, total = np.uint32(0), self._constant
        for (words_a, above_a, _), (words_b, above_b, _) in zip(a.classes, b.classes, strict=True):
            of_class = joint_counts(words_a, words_b)
            counts = counts + of_class
            total = total + pair_terms(of_class, above_a, above_b, self._table)
        total -= pair_terms(counts, a.above, b.above, self._table)
        return (self._scale * total).astype(np.float32)

    def diagonal(self):
        """Return the informations I(X_i; Y): float32 array of shape (M,)."""
        out = np.empty(self.n_features, dtype=np.float32)
        for block in self._blocks:
            total = sum(terms for _, _, terms in block.classes) - block.terms
            out[block.features] = self._scale * (total + self._constant)
        return out

    def relevance(self, y):
        """Information I(X_i; Y) with this class or another: float32 array of shape (M,)."""
        block = self._class_block(check_codes(y, self.n_samples)[self._order])
        out = np.empty(self.n_features, dtype=np.float32)
        for other in self._blocks:
            out[other.features] = super()._tile(block, other)[0]
        return out


def _mask(start, stop, n_words):
    """Words whose bits start .. stop - 1 are set: uint32 array of shape (n_words, 1)."""
    bits = np.zeros(n_words * BITS, dtype=np.uint8)
    bits[start:stop] = 1
    packed = np.packbits(bits, bitorder="little").reshape(n_words, -1).astype(np.uint32)
    return (packed << np.arange(0, BITS, 8, dtype=np.uint32)).sum(axis=1, dtype=np.uint32)[:, None]
