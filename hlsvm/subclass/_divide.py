"""Kernel k-means on a sample, and the assignment of everything else: the division of DC-SVM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hlsvm.subclass._gram import Kernel, Points

_ROUNDS = 30


@dataclass(frozen=True)
class Division:
    """Clusters in feature space, their centres the means of samples.

    Attributes
    ----------
    points : Points
        The sample, double precision.
    share : ndarray of shape (m, k)
        Column c averages the members of cluster c.
    square : ndarray of shape (k,)
        Squared length of every centre.
    """

    kernel: Kernel
    points: Points
    share: NDArray
    square: NDArray

    def assign(self, X: NDArray, n_jobs=None) -> NDArray[np.int64]:
        """Nearest centre of every row: least |centre|^2 - 2 <phi(x), centre>."""
        embedded = self.kernel.embed(X, np.float64)
        return np.argmin(
            self.square - 2.0 * self.kernel.expand(self.points, self.share, embedded, n_jobs),
            axis=1,
        )


def divide(kernel: Kernel, X: NDArray, k: int, rng: np.random.Generator) -> Division:
    """Kernel k-means (Lloyd) of the rows of `X`, at most `k` clusters."""
    points = kernel.embed(X, np.float64)
    gram = np.empty((len(X), len(X)))
    for column in range(0, len(X), 512):
        block = points[column : column + 512]
        unit = np.eye(len(block))
        gram[:, column : column + 512] = kernel.expand(block, unit, points)
    labels = _seed(gram, min(k, len(X)), rng)
    for _ in range(_ROUNDS):
        share, square = _centres(gram, labels)
        new = np.argmin(square - 2.0 * gram @ share, axis=1)
        if np.array_equal(new, labels):
            break
        labels = np.unique(new, return_inverse=True)[1]
    share, square = _centres(gram, labels)
    return Division(kernel, points, share, square)


def _seed(gram, k, rng):
    """k-means++ in feature space: centres far from those chosen; then the nearest of them."""
    diagonal = np.diag(gram)
    chosen = [int(rng.integers(len(gram)))]
    distance = diagonal - 2.0 * gram[chosen[0]] + diagonal[chosen[0]]
    while len(chosen) < k:
        weight = np.maximum(distance, 0.0)
        if weight.sum() <= 0.0:
            break
        new = int(rng.choice(len(gram), p=weight / weight.sum()))
        chosen.append(new)
        distance = np.minimum(distance, diagonal - 2.0 * gram[new] + diagonal[new])
    nearest = np.argmin(diagonal[chosen] - 2.0 * gram[:, chosen], axis=1)
    return np.unique(nearest, return_inverse=True)[1]


def _centres(gram, labels):
    share = (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)
    share /= share.sum(axis=0)
    return share, np.einsum("ic,ij,jc->c", share, gram, share, optimize=True)
