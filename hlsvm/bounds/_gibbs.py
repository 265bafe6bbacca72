"""Kernel of the tree with Gaussian node weights: plain functions on arrays.

A node with weights w ~ N(u, diag(v)) sends a row x right with probability
``Phi(u.x / sqrt(v.x^2))``; nodes draw independently, so the chance of a path is the product of the
chances at its nodes and the expected error of a row is a sum over leaves, without sampling.

Trees are in preorder: ``plane[t]`` is the row of the weights, -1 at leaves, ``end[t]`` the number
after the last node below t.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot, exp

_ROOT_HALF = 0.7071067811865476
_DENSITY = 0.3989422804014327  # 1/sqrt(2 pi)
# A change of the risk by less than this per row is not worth its gradient.
_NEGLIGIBLE = 1e-9


@njit(cache=True, nogil=True)
def _add(step, x, out):
    for j in range(x.shape[0]):
        out[j] += step * x[j]


@njit(cache=True, nogil=True)
def _descend(
    x, squares, mean, variance, left, right, end, plane, cutoff, reach, chance, ratio, spread, mass
):
    """Fill, for the nodes that a row enters, the chances of getting there and of going right."""
    reach[0] = 1.0
    node = 0
    while node < plane.shape[0]:
        reached = reach[node]
        if reached < cutoff:
            node = end[node]
            continue
        mass[node] += reached
        k = plane[node]
        if k >= 0:
            value = dot(mean[k], x, 0.0)
            square = dot(variance[k], squares, 0.0)
            spread[node] = math.sqrt(square)
            if square > 0:
                ratio[node] = value / spread[node]
            else:
                ratio[node] = 40.0 if value > 0 else -40.0
            chance[node] = 0.5 * math.erfc(-ratio[node] * _ROOT_HALF)
            reach[left[node]] = reached * (1.0 - chance[node])
            reach[right[node]] = reached * chance[node]
        node += 1


@njit(cache=True, nogil=True)
def expected_errors(
    X, codes, mean, variance, left, right, end, plane, label, cutoff, gradient, by_mean, by_variance
):
    """Return the expected errors of the random tree and the mass of every class in every node.

    Parts of the tree that a row reaches with a probability below `cutoff` are not entered and
    count as errors, so that the result is never too small. With `gradient`, derivatives with
    respect to mean and variance are added to `by_mean` and `by_variance`.

    Returns
    -------
    total : float
    mass : ndarray, shape (n_nodes, n_classes)
        Expected number of rows of every class that reach the node; its second dimension is
        ``1 + max(codes, label)``.
    """
    n_nodes = plane.shape[0]
    mass = np.zeros((n_nodes, 1 + max(codes.max(), label.max())))
    reach = np.zeros(n_nodes)
    chance = np.zeros(n_nodes)
    ratio = np.zeros(n_nodes)
    spread = np.zeros(n_nodes)
    wrong = np.zeros(n_nodes)
    total = 0.0
    for i in range(X.shape[0]):
        x = X[i]
        squares = x * x
        _descend(
            x, squares, mean, variance, left, right, end, plane, cutoff,
            reach, chance, ratio, spread, mass[:, codes[i]],
        )  # fmt: skip
        for node in range(n_nodes - 1, -1, -1):
            reached = reach[node]
            reach[node] = 0.0
            if reached < cutoff:
                wrong[node] = 1.0
                continue
            k = plane[node]
            if k < 0:
                wrong[node] = 0.0 if label[node] == codes[i] else 1.0
                continue
            below_left = wrong[left[node]]
            below_right = wrong[right[node]]
            wrong[node] = below_left + chance[node] * (below_right - below_left)
            if not gradient or spread[node] == 0:
                continue
            z = ratio[node]
            slope = reached * (below_right - below_left) * _DENSITY * exp(-0.5 * z * z)
            if abs(slope) > _NEGLIGIBLE:
                s = spread[node]
                _add(slope / s, x, by_mean[k])
                _add(-0.5 * slope * z / s / s, squares, by_variance[k])
        total += wrong[0]
    return total, mass
