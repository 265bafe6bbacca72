"""Prefix codes for trees of hyperplanes: how many nats each part of a tree costs.

Every length here is minus the logarithm of a probability, and the probabilities of all messages
of a code sum to at most one (Kraft), so a tree may be chosen among all of them after the data was
seen: the Occam bound pays for the choice with the length of the message.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, logsumexp

__all__ = [
    "integer_nats",
    "label_nats",
    "plane_nats",
    "pulse_vectors",
    "quantise",
    "shape_nats",
    "structure_nats",
]


def integer_nats(k: int) -> float:
    """Nats of a number k = 0, 1, 2, ...: probability 1/((k + 1)(k + 2)).

    Examples
    --------
    >>> round(integer_nats(0), 3)
    0.693
    """
    return math.log((k + 1) * (k + 2))


def shape_nats(n_inner: int) -> float:
    """Nats of the shape of a binary tree: its size, then one of Catalan(n) trees of that size.

    Examples
    --------
    >>> round(shape_nats(2) - integer_nats(2), 3)  # two trees have two inner nodes
    0.693
    """
    n = int(n_inner)
    catalan = gammaln(2 * n + 1) - gammaln(n + 1) - gammaln(n + 2)
    return integer_nats(n) + float(catalan)


def label_nats(n_leaves: int, n_classes: int) -> float:
    """Nats of the classes at the leaves, each of `n_classes` equally likely."""
    return n_leaves * math.log(n_classes)


def structure_nats(n_inner: int, n_classes: int) -> float:
    """Nats of shape and labels of a binary tree."""
    return shape_nats(n_inner) + label_nats(n_inner + 1, n_classes)


@lru_cache(maxsize=65536)
def pulse_vectors(size: int, pulses: int) -> float:
    """Logarithm of how many vectors of `size` integers have absolute values summing to `pulses`.

    ``sum_k 2^k C(size, k) C(pulses - 1, k - 1)`` over k non-zero entries.

    Examples
    --------
    >>> round(math.exp(pulse_vectors(2, 3)))
    12
    """
    if pulses == 0:
        return 0.0
    k = np.arange(1, min(size, pulses) + 1, dtype=float)
    terms = k * math.log(2)
    terms += gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1)
    terms += gammaln(pulses) - gammaln(k) - gammaln(pulses - k + 1)
    return float(logsumexp(terms))


def plane_nats(size: int, pulses: int) -> float:
    """Nats of a hyperplane whose `size` coefficients are integers of total size `pulses` >= 1.

    A hyperplane has no scale, so its coefficients are integers up to a factor; their total size
    is the precision and is stated first. A coefficient costs what it uses: zeros are cheap.

    Examples
    --------
    >>> plane_nats(23, 10) < plane_nats(23, 40)
    True
    """
    return integer_nats(pulses - 1) + pulse_vectors(size, pulses)


def quantise(plane, pulses: int) -> np.ndarray:
    """Integers of total size `pulses` in the proportions of `plane`.

    Parameters
    ----------
    plane : array-like of shape (size,)
        Coefficients, the last being b. All zero, which sends every row left, is as b < 0.
    pulses : int
        At least 1.

    Examples
    --------
    >>> quantise([0.9, -0.5, 0.1], 5).tolist()
    [3, -2, 0]
    """
    plane = np.asarray(plane, dtype=float)
    if not plane.any():
        plane = np.append(plane[:-1], -1.0)
    share = np.abs(plane) * (pulses / np.abs(plane).sum())
    whole = np.floor(share)
    left = pulses - int(whole.sum())
    # The largest remainders get the pulses that rounding down left over.
    order = np.argsort(whole - share, kind="stable")
    whole[order[:left]] += 1
    return (np.sign(plane) * whole).astype(np.int64)
