"""Dual coordinate descent for one weighted linear SVM (Hsieh et al., ICML 2008): kernels on arrays.

With labels y_i = +-1, a cap U_i for every sample and s = `bias_feature`, the primal problem is

    P(w, b) = 1/2 ||w||^2 + 1/2 (b/s)^2 + sum_i U_i max(0, 1 - y_i (w.x_i + b)).

Its dual has one variable 0 <= alpha_i <= U_i per sample, and w = sum alpha_i y_i x_i. Writing
slope_i = y_i (w.x_i + b) - 1, the duality gap is a sum of non-negative parts, one per sample:

    P - D = sum_i alpha_i max(0, slope_i) + (U_i - alpha_i) max(0, -slope_i),

which costs nothing beside the descent itself: every epoch knows (nearly) how far it is from the
end. `_free_bias.py` has the problem whose b is not regularised.
"""

# Longer than other files: its kernels are compiled into one another, and Numba's cache does not
# notice a change in a kernel of another file (CONTRIBUTING.md, "Kernels apart").

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot
from hlsvm.linear._rows import add_row, draw, n_columns, row_dot

# Epochs between two subspace steps, and conjugate gradient iterations in one.
_STRIDE = 10
_BUDGET = 50
# A subspace step is skipped where more are free than this and than features plus _BUDGET.
_FEW = 400
# Mean of U ||x||^2, in coordinate steps, above which the boxes are approached by smaller ones.
_WIDTH = 3.0


class Hyperplane(NamedTuple):
    """What the solvers return: w, b, both objectives, passes over the samples, whether done."""

    w: np.ndarray
    b: float
    objective: float
    dual_objective: float
    n_iter: int
    converged: bool


@njit(cache=True, nogil=True)
def inner(u, v):
    """u.v of float64 arrays, summed in the same order on every processor."""
    return dot(u, v, 0.0)


@njit(cache=True, nogil=True)
def decisions(X, rows, w):
    """Return w.x_i for every row; entries of w beyond the columns of `X` are not read."""
    values = np.empty(rows.shape[0])
    for k in range(rows.shape[0]):
        values[k] = row_dot(X, rows[k], w)
    return values


@njit(cache=True, nogil=True)
def add_rows(X, rows, weights, bias_feature, w):
    """Add sum_i weights_i (x_i, bias_feature) to w of shape (d + 1,)."""
    d = n_columns(X)
    for k in range(rows.shape[0]):
        if weights[k] != 0.0:
            add_row(X, rows[k], weights[k], w)
            w[d] += weights[k] * bias_feature


@njit(cache=True, nogil=True)
def _start(X, rows, y, upper, bias_feature, alpha, w):
    """Fill w from alpha. A zero alpha first moves to the best point t * upper, 0 <= t <= 1.

    On that ray the dual objective is t sum(U) - t^2/2 ||w_U||^2: where every sample violates its
    margin, t = 1 and the problem is solved.
    """
    n = rows.shape[0]
    cold = not np.any(alpha)
    total = 0.0
    for k in range(n):
        total += upper[k]
    weights = np.empty(n)
    for k in range(n):
        if cold:
            alpha[k] = upper[k]
        weights[k] = alpha[k] * y[k]
    w[:] = 0.0
    add_rows(X, rows, weights, bias_feature, w)
    square = dot(w, w, 0.0)
    if cold and square > total:
        t = total / square
        for k in range(n):
            alpha[k] *= t
        for j in range(w.shape[0]):
            w[j] *= t


@njit(cache=True, nogil=True)
def dual_gap(X, rows, y, upper, bias_feature, offset, alpha, w):
    """Primal objective and duality gap at (w, alpha), one pass in storage order."""
    d = n_columns(X)
    b = bias_feature * w[d] + offset
    loss = 0.0
    gap = 0.0
    for k in range(rows.shape[0]):
        slope = y[k] * (row_dot(X, rows[k], w) + b) - 1.0
        if slope < 0.0:
            loss -= upper[k] * slope
            gap -= (upper[k] - alpha[k]) * slope
        else:
            gap += alpha[k] * slope
    return 0.5 * dot(w, w, 0.0) + loss, gap


@njit(cache=True, nogil=True)
def dual_epoch(X, rows, y, upper, norms, s, offset, order, active, high, low, state, alpha, w):
    """One pass over the active samples in random order.

    Returns the number still active, the largest and smallest projected gradient met (beyond them
    the next epoch shrinks), and the gap as seen on the way, every part at the w of its moment.
    """
    d = n_columns(X)
    square = s * s
    top = 0.0
    bottom = 0.0
    gap = 0.0
    at = 0
    while at < active:
        swap = at + draw(state, active - at)
        k = order[swap]
        order[swap] = order[at]
        order[at] = k
        i = rows[k]
        a = alpha[k]
        cap = upper[k]
        label = y[k]
        slope = label * (row_dot(X, i, w) + s * w[d] + offset) - 1.0
        gap += a * slope if slope > 0.0 else (a - cap) * slope
        if (a <= 0.0 and slope > high) or (a >= cap and slope < low):
            active -= 1
            order[at] = order[active]
            order[active] = k
            continue
        at += 1
        if (a <= 0.0 and slope >= 0.0) or (a >= cap and slope <= 0.0):
            continue
        top = max(top, slope)
        bottom = min(bottom, slope)
        new = min(max(a - slope / max(norms[i] + square, 1e-300), 0.0), cap)
        if new != a:
            alpha[k] = new
            step = (new - a) * label
            add_row(X, i, step, w)
            w[d] += step * s
    return active, top if top > 0.0 else np.inf, bottom if bottom < 0.0 else -np.inf, gap


@njit(cache=True, nogil=True)
def _longest(alpha, upper, free, delta, p):
    """Largest t >= 0 that keeps alpha + delta + t p in the box."""
    t = np.inf
    for m in range(free.shape[0]):
        if p[m] != 0.0:
            a = alpha[free[m]] + delta[m]
            room = upper[free[m]] - a if p[m] > 0.0 else -a
            t = min(t, max(room / p[m], 0.0))
    return t


@njit(cache=True, nogil=True)
def _conjugate(X, rows, y, upper, bias_feature, offset, free, budget, alpha, w):
    """Conjugate gradients on the free variables, up to the first bound met on the way.

    Returns iterations, and whether a bound was met.
    """
    d = n_columns(X)
    b = bias_feature * w[d] + offset
    residual = np.empty(free.shape[0])
    for m in range(free.shape[0]):
        k = free[m]
        residual[m] = 1.0 - y[k] * (row_dot(X, rows[k], w) + b)
    p = residual.copy()
    delta = np.zeros(free.shape[0])
    pull = np.empty(d + 1)
    square = dot(residual, residual, 0.0)
    goal = 1e-20 * square
    used = 0
    stuck = False
    while square > goal and used < budget and not stuck:
        used += 1
        pull[:] = 0.0
        for m in range(free.shape[0]):
            push = p[m] * y[free[m]]
            add_row(X, rows[free[m]], push, pull)
            pull[d] += push * bias_feature
        room = _longest(alpha, upper, free, delta, p)
        step = square / max(dot(pull, pull, 0.0), 1e-300)
        stuck = step >= room
        step = min(step, room)
        for j in range(d + 1):
            w[j] += step * pull[j]
        for m in range(free.shape[0]):
            k = free[m]
            residual[m] -= step * y[k] * (row_dot(X, rows[k], pull) + bias_feature * pull[d])
            delta[m] += step * p[m]
        new = dot(residual, residual, 0.0)
        for m in range(free.shape[0]):
            p[m] = residual[m] + new / square * p[m]
        square = new
    for m in range(free.shape[0]):
        k = free[m]
        a = alpha[k] + delta[m]
        edge = 1e-14 * upper[k]
        alpha[k] = 0.0 if a <= edge else upper[k] if a >= upper[k] - edge else a
    return used, stuck


@njit(cache=True, nogil=True)
def _subspace(X, rows, y, upper, bias_feature, offset, budget, alpha, w):
    """Minimise over the free variables: an active-set step that epochs only creep towards.

    With more free samples than dimensions the dual is all but linear in some directions; there
    epochs move at a constant rate, and this goes to the bound at once. Nothing is done where many
    more are free: too many bounds are in the way.
    """
    free = np.empty(max(w.shape[0] + budget, _FEW), dtype=np.int64)
    while budget > 0:
        count = 0
        for k in range(rows.shape[0]):
            if 0.0 < alpha[k] < upper[k]:
                if count == free.shape[0]:
                    return
                free[count] = k
                count += 1
        used, stuck = _conjugate(
            X, rows, y, upper, bias_feature, offset, free[:count], budget, alpha, w
        )
        budget -= used
        if not stuck:
            return


@njit(cache=True, nogil=True)
def _descend(X, rows, y, upper, norms, s, offset, tol, max_epochs, state, alpha, w):
    """Descend from (alpha, w) until the relative gap is at most `tol`; b is offset + s w[d].

    Returns primal, gap, epochs.
    """
    n = rows.shape[0]
    primal, gap = dual_gap(X, rows, y, upper, s, offset, alpha, w)
    if gap <= tol * primal or max_epochs <= 0:
        return primal, gap, 0
    order = np.arange(n)
    active = n
    high = np.inf
    low = -np.inf
    for epoch in range(1, max_epochs + 1):
        active, high, low, seen = dual_epoch(
            X, rows, y, upper, norms, s, offset, order, active, high, low, state, alpha, w
        )
        if seen <= tol * primal or epoch == max_epochs:
            primal, gap = dual_gap(X, rows, y, upper, s, offset, alpha, w)
            if gap <= tol * primal or epoch == max_epochs:
                return primal, gap, epoch
            active = n
            high = np.inf
            low = -np.inf
        if epoch % _STRIDE == 0:
            _subspace(X, rows, y, upper, s, offset, _BUDGET, alpha, w)
    return primal, gap, max_epochs


@njit(cache=True, nogil=True)
def _approach(X, rows, y, upper, norms, s, max_epochs, state, alpha, w):
    """Fill (alpha, w) from alpha; from zero, approach large boxes by way of smaller ones.

    A coordinate step is at most about 1/||x||^2, so boxes that are thousands of steps wide are
    never crossed. But which multipliers are at their bounds hardly depends on the width: solve
    roughly with boxes ten times smaller, stretch, go on.
    Returns epochs.
    """
    n = rows.shape[0]
    width = 0.0
    for k in range(n):
        width += upper[k] * norms[rows[k]] / n
    if width <= _WIDTH or np.any(alpha):
        _start(X, rows, y, upper, s, alpha, w)
        return 0
    stage = int(np.ceil(np.log10(width / _WIDTH)))
    caps = np.empty(n)
    for k in range(n):
        caps[k] = upper[k] * 10.0**-stage
    _start(X, rows, y, caps, s, alpha, w)
    epochs = 0
    while stage > 0:
        left = min(_STRIDE, max_epochs - epochs)
        epochs += _descend(X, rows, y, caps, norms, s, 0.0, 0.1, left, state, alpha, w)[2]
        stage -= 1
        for k in range(n):
            full = alpha[k] >= caps[k]
            caps[k] = upper[k] * 10.0**-stage
            alpha[k] = caps[k] if full else min(10.0 * alpha[k], caps[k])
        for j in range(w.shape[0]):
            w[j] *= 10.0
    _start(X, rows, y, upper, s, alpha, w)
    return epochs


@njit(cache=True, nogil=True)
def solve_dual(X, rows, y, upper, norms, bias_feature, tol, max_epochs, seed, alpha):
    """Weighted linear SVM on some rows of `X`, its bias a constant feature of value `bias_feature`.

    Parameters
    ----------
    X : ndarray, C-contiguous float32 or float64, shape (n_all, d), or SparseRows
        Read, never copied.
    rows : ndarray of int64, shape (n,)
        Rows of `X` that take part.
    y, upper : ndarray of float64, shape (n,)
        Labels +-1 and caps U_i > 0 of these rows.
    norms : ndarray of float64, shape (n_all,)
        `squared_norms(X)`, computed once for all problems on the same `X`.
    bias_feature : float
        s; 0 for a hyperplane through the origin.
    tol : float
        Stop when (primal - dual) <= tol * primal.
    max_epochs : int
        At most so many passes over the (unshrunk) samples.
    seed : int
        Of the order of the samples.
    alpha : ndarray of float64, shape (n,)
        In: where to start, in the box; all zero for a cold start. Out: the solution.

    Returns
    -------
    Hyperplane
        ``n_iter`` is 0 when the start was already optimal.
    """
    d = n_columns(X)
    w = np.zeros(d + 1)
    state = np.array([seed], dtype=np.uint64)
    before = _approach(X, rows, y, upper, norms, bias_feature, max_epochs, state, alpha, w)
    primal, gap, epochs = _descend(
        X, rows, y, upper, norms, bias_feature, 0.0, tol, max_epochs - before, state, alpha, w
    )
    epochs += before
    met = gap <= tol * primal
    return Hyperplane(w[:d].copy(), bias_feature * w[d], primal, primal - gap, epochs, met)
