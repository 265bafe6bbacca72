"""Several classes from SVMs of two: which SVMs a region needs, and how they decide together.

The coefficients of a region are in one array (..., n, n_slots). One against one has, as LIBSVM, a
slot for every other class: a row of class a carries, in the slot of class b, its coefficient in the
SVM of (a, b), so the decisions of all pairs are one matrix product per class. One against others
has a slot for every class. Two classes are one pair either way.

Rows are sorted by class, and classes are numbered 0 ... k - 1 within the region.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_votes(parts, bias, votes):
    """Majority vote of all pairs (Knerr et al. 1990): the first class wins a pair decided > 0.

    Parameters
    ----------
    parts : ndarray of float64, shape (n_classes, n_rows, n_classes - 1, n_models)
        Decisions by the rows of each class: the SVM of (a, b) is the sum of two of them.
    bias : ndarray of float64, shape (n_models, n_pairs)
    votes : ndarray of float64, shape (n_models, n_rows, n_classes)
        Counted up.
    """
    k, rows, _, models = parts.shape
    for m in range(models):
        for i in range(rows):
            pair = 0
            for a in range(k):
                for b in range(a + 1, k):
                    value = parts[a, i, b - 1, m] + parts[b, i, a, m] + bias[m, pair]
                    if value > 0.0:
                        votes[m, i, a] += 1.0
                    else:
                        votes[m, i, b] += 1.0
                    pair += 1


class OneAgainstOne:
    """An SVM for every pair of classes; the majority decides, the first class among equals.

    Parameters
    ----------
    counts : sequence of int
        Rows of each class of the region.
    """

    def __init__(self, counts):
        self.k = len(counts)
        self.ends = np.concatenate([[0], np.cumsum(counts)])
        self.pairs = list(combinations(range(self.k), 2))
        self.n_machines = len(self.pairs)
        self.n_slots = self.k - 1

    def _class(self, a):
        return slice(self.ends[a], self.ends[a + 1])

    def groups(self):
        """Yield the SVMs that share rows: (their numbers, the rows, labels (n_machines, n))."""
        for number, (a, b) in enumerate(self.pairs):
            rows = np.r_[self._class(a), self._class(b)]
            first = self.ends[a + 1] - self.ends[a]
            yield [number], rows, np.where(np.arange(len(rows)) < first, 1.0, -1.0)[None]

    def place(self, numbers, coef, into):
        """Write the coefficients (..., 1, n) of a group to their slots in `into`."""
        a, b = self.pairs[numbers[0]]
        first = self.ends[a + 1] - self.ends[a]
        into[..., self._class(a), b - 1] = coef[..., 0, :first]
        into[..., self._class(b), a] = coef[..., 0, first:]

    def machine(self, number, coef):
        """Return the coefficients (..., n) of one SVM; zero outside its two classes."""
        a, b = self.pairs[number]
        out = np.zeros(coef.shape[:-1])
        out[..., self._class(a)] = coef[..., self._class(a), b - 1]
        out[..., self._class(b)] = coef[..., self._class(b), a]
        return out

    def scores(self, kernel, coef, bias):
        """Votes for each class, or (two classes) the decision and its opposite.

        Parameters
        ----------
        kernel : ndarray of shape (n_rows, n)
        coef : ndarray of shape (n_models, n, n_slots)
        bias : ndarray of shape (n_models, n_machines)

        Returns
        -------
        ndarray of shape (n_models, n_rows, n_classes)
        """
        if self.k == 2:
            value = coef[..., 0] @ kernel.T + bias
            return np.stack([value, -value], axis=-1)
        models = len(coef)
        parts = np.empty((self.k, len(kernel), self.n_slots, models))
        for a in range(self.k):
            block = coef[:, self._class(a)].transpose(1, 2, 0)
            block = np.ascontiguousarray(block, dtype=kernel.dtype).reshape(len(block[:]), -1)
            parts[a] = (kernel[:, self._class(a)] @ block).reshape(parts.shape[1:])
        votes = np.zeros((models, len(kernel), self.k))
        count_votes(parts, bias, votes)
        return votes


class OneAgainstOthers:
    """An SVM for every class against all others; the largest decision wins.

    Parameters
    ----------
    counts : sequence of int
        Rows of each class of the region.
    """

    def __init__(self, counts):
        self.k = len(counts)
        self.classes = np.repeat(np.arange(self.k), counts)
        self.n_machines = self.n_slots = self.k

    def groups(self):
        """Yield the SVMs that share rows: (their numbers, the rows, labels (n_machines, n))."""
        labels = np.where(self.classes == np.arange(self.k)[:, None], 1.0, -1.0)
        yield list(range(self.k)), np.arange(len(self.classes)), labels

    def place(self, numbers, coef, into):
        """Write the coefficients (..., k, n) to their slots in `into`."""
        into[..., numbers] = np.moveaxis(coef, -2, -1)

    def machine(self, number, coef):
        """Return the coefficients (..., n) of one SVM."""
        return coef[..., number]

    def scores(self, kernel, coef, bias):
        """Decision for each class; see `OneAgainstOne.scores`."""
        models, n, _ = coef.shape
        block = np.ascontiguousarray(coef.transpose(1, 0, 2), dtype=kernel.dtype)
        values = (kernel @ block.reshape(n, -1)).reshape(len(kernel), models, self.k)
        return values.transpose(1, 0, 2) + bias[:, None, :]


def coding(multiclass, counts):
    """Return the coding of a region: "ovo" or "ovr"; two classes are always one pair."""
    if multiclass == "ovr" and len(counts) > 2:
        return OneAgainstOthers(counts)
    return OneAgainstOne(counts)
