"""Steps that lower a quadratic on the simplex, on a dense working set: kernels on arrays.

f(w) = 1/2 w'Gw - c'w over w >= 0, sum w = 1, g = Gw - c its gradient. Every step lowers f, whether
G is positive semidefinite or not, so no set of steps can cycle.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def pairwise_steps(G, w, g, tol, most):
    """Move weight between the two coordinates that gain most, until the gap w'g - min g <= tol.

    Parameters
    ----------
    G : float64 array of shape (m, m)
        Symmetric.
    w, g : float64 arrays of shape (m,)
        Point of the simplex and gradient there; both are updated.
    tol : float
    most : int
        Largest number of steps.

    Returns
    -------
    int
        Steps taken.
    """
    m = len(w)
    for step in range(most):
        i = np.argmin(g)
        gap = 0.0
        best = -1.0
        j = -1
        for k in range(m):
            if w[k] > 0.0:
                ahead = g[k] - g[i]
                gap += w[k] * ahead
                if ahead > 0.0:
                    bend = G[i, i] + G[k, k] - 2.0 * G[i, k]
                    move = min(w[k], ahead / bend) if bend > 0.0 else w[k]
                    gain = move * (ahead - 0.5 * move * bend)
                    if gain > best:
                        best = gain
                        j = k
        if gap <= tol or j < 0 or best <= 0.0:
            return step
        bend = G[i, i] + G[j, j] - 2.0 * G[i, j]
        ahead = g[j] - g[i]
        move = ahead / bend if bend > 0.0 else np.inf
        if move >= w[j]:
            move = w[j]
            w[j] = 0.0
        else:
            w[j] -= move
        w[i] += move
        row_i, row_j = G[i], G[j]
        for k in range(m):
            g[k] += move * (row_i[k] - row_j[k])
    return most


@njit(cache=True, nogil=True)
def add_rows(rows, w, total):
    """Add ``w @ rows`` to `total`, in double precision, skipping zero weights."""
    for i in range(rows.shape[0]):
        if w[i] != 0.0:
            row = rows[i]
            for j in range(rows.shape[1]):
                total[j] += w[i] * row[j]


@njit(cache=True, nogil=True)
def project(v):
    """Nearest point of the simplex: float64 array of the shape of `v`."""
    ordered = np.sort(v)[::-1]
    total = 0.0
    shift = 0.0
    for k in range(len(v)):
        total += ordered[k]
        candidate = (total - 1.0) / (k + 1)
        if ordered[k] <= candidate:
            break
        shift = candidate
    return np.maximum(v - shift, 0.0)


def gradient_steps(G, c, w, curvature, tol, most):
    """Accelerated projected gradient with restarts, until the gap w'g - min g <= tol.

    Parameters
    ----------
    G : float64 array of shape (m, m)
    c, w : float64 arrays of shape (m,)
    curvature : float
        At least the largest eigenvalue of `G`.
    tol : float
    most : int

    Returns
    -------
    w : float64 array of shape (m,)
    steps : int
    """
    ahead, pace = w, 1.0
    value = np.inf
    for step in range(1, most + 1):
        slope = G @ ahead - c
        new = project(ahead - slope / curvature)
        Gw = G @ new
        new_value = new @ (0.5 * Gw - c)
        if new_value > value:  # acceleration overshot: a plain step from w, which always descends
            new = project(w - (G @ w - c) / curvature)
            Gw, pace = G @ new, 1.0
            new_value = new @ (0.5 * Gw - c)
        faster = 0.5 + np.sqrt(0.25 + pace * pace)
        ahead = new + (pace - 1.0) / faster * (new - w)
        w, pace, value = new, faster, new_value
        gradient = Gw - c
        if w @ gradient - gradient.min() <= tol:
            return w, step
    return w, most
