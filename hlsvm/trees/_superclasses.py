"""How a node with more than two classes becomes a two-class problem."""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm.trees._impurity import best_threshold
from hlsvm.trees._routing import project


@njit(cache=True, nogil=True)
def _class_sums(X, rows, codes, weight, sums):
    for row in rows:
        code = codes[row]
        step = weight[row]
        for j in range(X.shape[1]):
            sums[code, j] += step * X[row, j]


@njit(cache=True, nogil=True)
def weight_right(rows, codes, weight, values, offset, n_classes):
    """Weight of every class with ``values + offset > 0``, shape (n_classes,)."""
    right = np.zeros(n_classes)
    for i in range(rows.shape[0]):
        if values[i] + offset > 0:
            right[codes[rows[i]]] += weight[rows[i]]
    return right


def principal_direction(X, rows, codes, weight, counts):
    """Direction along which the class means of a node spread most, and those means along it.

    The leading eigenvector of the between-class scatter, by a singular value decomposition of the
    weighted, centred means of the classes present.

    Returns
    -------
    direction : ndarray of X's dtype, shape (n_features,)
    means : ndarray of float64, shape (n_classes,)
        NaN for absent classes.
    """
    sums = np.zeros((len(counts), X.shape[1]))
    _class_sums(X, rows, codes, weight, sums)
    present = counts > 0
    means = sums[present] / counts[present, None]
    centre = sums.sum(axis=0) / counts.sum()
    spread = (means - centre) * np.sqrt(counts[present, None])
    vector = np.linalg.svd(spread, full_matrices=False)[2][0]
    vector *= 1.0 if vector[np.argmax(np.abs(vector))] > 0 else -1.0
    along = np.full(len(counts), np.nan)
    along[present] = means @ vector
    return np.ascontiguousarray(vector, dtype=X.dtype), along


def superclasses(X, rows, codes, weight, counts):
    """Sign +-1 of every class present (0: absent): which superclass it joins in this node.

    Two classes present: the later one is positive. More: the rows are projected on the direction
    along which the class means spread most, cut where the entropy of *all* classes falls most, and
    every class joins the side where most of its weight lies. If that leaves a side without a
    class, the classes are parted at the widest gap between their means.

    One projection and one sort decide, so grouping costs less than the SVM that follows, however
    many classes there are (of 2^(K-1) - 1 groupings), and the criterion is the one the tree
    grows by.
    """
    present = np.flatnonzero(counts > 0)
    sign = np.zeros(len(counts))
    sign[present] = -1.0
    if len(present) == 2:
        sign[present[1]] = 1.0
        return sign
    direction, means = principal_direction(X, rows, codes, weight, counts)
    values = np.empty(len(rows), X.dtype)
    project(X, rows, direction, values)
    order = np.argsort(values, kind="stable")
    mass, low, high = best_threshold(order, values, rows, codes, weight, counts)
    if np.isfinite(mass):
        offset = values.dtype.type(-(low + (high - low) / 2))
        right = weight_right(rows, codes, weight, values, offset, len(counts))
        sign[present] = np.where(right[present] > counts[present] / 2, 1.0, -1.0)
    if abs(sign.sum()) == len(present):
        ranked = present[np.argsort(means[present], kind="stable")]
        gap = int(np.argmax(np.diff(means[ranked])))
        sign[ranked[: gap + 1]] = -1.0
        sign[ranked[gap + 1 :]] = 1.0
    return sign
