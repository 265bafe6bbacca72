"""All costs of one width on one division of the samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hlsvm._certificate import KernelCertificate
from hlsvm.tuning._path import Path


class Marks(NamedTuple):
    """What one division gives, one entry for each cost.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_costs,)
        Share of the held-out samples that are answered rightly.
    seconds : ndarray of float64, shape (n_costs,)
        Time of the fits, in seconds.
    proofs : tuple of tuple of KernelCertificate
        For each cost one of every pair of classes.
    """

    scores: NDArray[np.float64]
    seconds: NDArray[np.float64]
    proofs: tuple[tuple[KernelCertificate, ...], ...]


def mark(store, labels, pairs, weight, held_out, costs, tol, max_iter) -> Marks:
    """Solve one against one at ascending costs, and score on the samples held out.

    Parameters
    ----------
    store : RowStore
    labels : ndarray of int64, shape (n,)
        Class of every sample.
    pairs : list of tuple of int
    weight : ndarray of float64, shape (n,)
        Of the cost; 0 for samples that are not trained on.
    held_out : ndarray of int64
    costs : ndarray of float64
        Ascending.
    tol, max_iter
        See `Path`.
    """
    values = np.empty((len(costs), len(held_out), len(pairs)))
    seconds = np.zeros(len(costs))
    proofs = []
    for machine, (a, b) in enumerate(pairs):
        y = np.where(labels == b, 1.0, np.where(labels == a, -1.0, 0.0))
        y[weight == 0.0] = 0.0
        if abs(y.sum()) == np.abs(y).sum():  # a class is missing: the other is the answer
            values[:, :, machine] = 1.0 if (y > 0.0).any() else -1.0
            continue
        path = Path(store, y, weight, tol, max_iter)
        known = []
        for k, C in enumerate(costs):
            fit = path.advance(C)
            values[k, :, machine] = fit.slope[held_out] + y[held_out] + fit.bias
            seconds[k] += fit.seconds
            known.append(fit.certificate)
        proofs.append(known)
    n_classes = int(labels.max()) + 1
    right = [answers(f, pairs, n_classes) == labels[held_out] for f in values]
    scores = np.array([np.mean(each) for each in right])
    return Marks(scores, seconds, tuple(zip(*proofs, strict=True)))


def answers(values, pairs, n_classes):
    """Class of every row: most votes of all pairs, then the most bounded confidence.

    `values` has shape (n, len(pairs)); above 0 is the second class of the pair.
    """
    votes = np.zeros((len(values), n_classes))
    trust = np.zeros((len(values), n_classes))
    for f, (a, b) in zip(values.T, pairs, strict=True):
        votes[:, a] += f <= 0.0
        votes[:, b] += f > 0.0
        trust[:, a] -= f
        trust[:, b] += f
    return np.argmax(votes + trust / (3.0 * (np.abs(trust) + 1.0)), axis=1)
