"""Dual coordinate descent for one weighted linear SVM (Hsieh et al., ICML 2008): kernels on arrays.

With labels y_i = +-1, a cap U_i for every sample and s = `bias_feature`, the primal problem is

    P(w, b) = 1/2 ||w||^2 + 1/2 (b/s)^2 + sum_i U_i max(0, 1 - y_i (w.x_i + b)).

Its dual has one variable 0 <= alpha_i <= U_i a sample, and w = sum alpha_i y_i x_i. Writing
slope_i = y_i (w.x_i + b) - 1, the duality gap is a sum of non-negative parts, one a sample:

    P - D = sum_i alpha_i max(0, slope_i) + (U_i - alpha_i) max(0, -slope_i),

which costs nothing beside the descent itself: every epoch knows (nearly) how far it is from the
end. An unregularised b (s infinite) adds the constraint sum_i alpha_i y_i = 0; `solve_free_bias`
meets it by a search on b, and the same sum is the gap.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be re-ordered, so that they vectorise; NaN and infinities keep their meaning.
_REORDER = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=_REORDER)
def _dot(X, i, w):
    total = 0.0
    for j in range(X.shape[1]):
        total += X[i, j] * w[j]
    return total


@njit(cache=True, nogil=True, fastmath=_REORDER)
def _add(X, i, step, w):
    for j in range(X.shape[1]):
        w[j] += step * X[i, j]


@njit(cache=True, nogil=True, fastmath=_REORDER)
def squared_norms(X):
    """Squared Euclidean norm of every row of `X`, float64, shape (n_all,)."""
    norms = np.empty(X.shape[0])
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            total += np.float64(X[i, j]) * X[i, j]
        norms[i] = total
    return norms


@njit(cache=True, nogil=True)
def _draw(state, n):
    """One SplitMix64 step; an integer in [0, n)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(np.float64(z >> np.uint64(11)) * 2.0**-53 * n)


@njit(cache=True, nogil=True)
def _start(X, rows, y, upper, bias_feature, alpha, w):
    """Fill w from alpha. A zero alpha first moves to the best point t * upper, 0 <= t <= 1.

    On that ray the dual objective is t sum(U) - t^2/2 ||w_U||^2: where every sample violates its
    margin, t = 1 and the problem is solved.
    """
    cold = True
    for k in range(rows.shape[0]):
        if alpha[k] != 0.0:
            cold = False
            break
    if cold:
        alpha[:] = upper
    w[:] = 0.0
    d = X.shape[1]
    total = 0.0
    for k in range(rows.shape[0]):
        if alpha[k] != 0.0:
            total += alpha[k]
            _add(X, rows[k], alpha[k] * y[k], w)
            w[d] += alpha[k] * y[k] * bias_feature
    if cold:
        square = np.dot(w, w)
        if square > total:
            t = total / square
            alpha *= t
            w *= t


@njit(cache=True, nogil=True)
def _certify(X, rows, y, upper, bias_feature, offset, alpha, w):
    """Primal objective and duality gap at (w, alpha), one pass in storage order."""
    d = X.shape[1]
    b = bias_feature * w[d] + offset
    loss = 0.0
    gap = 0.0
    for k in range(rows.shape[0]):
        slope = y[k] * (_dot(X, rows[k], w) + b) - 1.0
        if slope < 0.0:
            loss -= upper[k] * slope
            gap -= (upper[k] - alpha[k]) * slope
        else:
            gap += alpha[k] * slope
    return 0.5 * np.dot(w, w) + loss, gap


@njit(cache=True, nogil=True)
def _epoch(
    X, rows, y, upper, norms, bias_feature, offset, order, active, high, low, state, alpha, w
):
    """One pass over the active samples in random order.

    Returns the number still active, the largest and smallest projected gradient met, and the gap
    as seen on the way (every part at the w of its moment).
    """
    d = X.shape[1]
    square = bias_feature * bias_feature
    top = 0.0
    bottom = 0.0
    gap = 0.0
    at = 0
    while at < active:
        swap = at + _draw(state, active - at)
        k = order[swap]
        order[swap] = order[at]
        order[at] = k
        i = rows[k]
        a = alpha[k]
        cap = upper[k]
        label = y[k]
        slope = label * (_dot(X, i, w) + bias_feature * w[d] + offset) - 1.0
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
            _add(X, i, step, w)
            w[d] += step * bias_feature
    return active, top, bottom, gap


@njit(cache=True, nogil=True)
def _descend(X, rows, y, upper, norms, bias_feature, offset, tol, max_epochs, state, alpha, w):
    """Descend from (alpha, w) until the relative gap is at most `tol`; b is offset + s w[d].

    Returns primal, gap, epochs.
    """
    n = rows.shape[0]
    primal, gap = _certify(X, rows, y, upper, bias_feature, offset, alpha, w)
    if gap <= tol * primal or max_epochs <= 0:
        return primal, gap, 0
    order = np.arange(n)
    active = n
    high = np.inf
    low = -np.inf
    for epoch in range(1, max_epochs + 1):
        active, top, bottom, seen = _epoch(
            X,
            rows,
            y,
            upper,
            norms,
            bias_feature,
            offset,
            order,
            active,
            high,
            low,
            state,
            alpha,
            w,
        )
        high = top if top > 0.0 else np.inf
        low = bottom if bottom < 0.0 else -np.inf
        if seen <= tol * primal or epoch == max_epochs:
            primal, gap = _certify(X, rows, y, upper, bias_feature, offset, alpha, w)
            if gap <= tol * primal or epoch == max_epochs:
                return primal, gap, epoch
            active = n
            high = np.inf
            low = -np.inf
    return primal, gap, max_epochs


@njit(cache=True, nogil=True)
def solve_dual(X, rows, y, upper, norms, bias_feature, tol, max_epochs, seed, alpha):
    """Weighted linear SVM on some rows of `X`, its bias a constant feature of value `bias_feature`.

    Parameters
    ----------
    X : ndarray, C-contiguous float32 or float64, shape (n_all, d)
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
    w : ndarray of float64, shape (d,)
    b, primal, dual : float
    n_epochs : int
        0 when the start was already optimal.
    converged : bool
    """
    d = X.shape[1]
    w = np.zeros(d + 1)
    state = np.array([seed], dtype=np.uint64)
    _start(X, rows, y, upper, bias_feature, alpha, w)
    primal, gap, epochs = _descend(
        X, rows, y, upper, norms, bias_feature, 0.0, tol, max_epochs, state, alpha, w
    )
    return w[:d].copy(), bias_feature * w[d], primal, primal - gap, epochs, gap <= tol * primal


@njit(cache=True, nogil=True)
def primal_objective(X, rows, y, upper, w, b):
    """Return 1/2 ||w||^2 + sum_i U_i max(0, 1 - y_i (w.x_i + b)), in storage order."""
    loss = 0.0
    for k in range(rows.shape[0]):
        loss += upper[k] * max(0.0, 1.0 - y[k] * (_dot(X, rows[k], w) + b))
    return 0.5 * np.dot(w, w) + loss


@njit(cache=True, nogil=True)
def _best_bias(X, rows, y, upper, w):
    """Find the b of least sum_i U_i max(0, 1 - y_i (w.x_i + b)): a quantile of y_i - w.x_i.

    Where the minimum is flat, take its middle.
    """
    n = rows.shape[0]
    kinks = np.empty(n)
    short = 0.0
    for k in range(n):
        kinks[k] = y[k] - _dot(X, rows[k], w)
        if y[k] > 0.0:
            short += upper[k]
    slack = 1e-12 * np.sum(upper)
    order = np.argsort(kinks)
    for at in range(n):
        short -= upper[order[at]]
        if short <= slack:
            if short >= -slack and at + 1 < n:
                return 0.5 * (kinks[order[at]] + kinks[order[at + 1]])
            return kinks[order[at]]
    return kinks[order[n - 1]]


@njit(cache=True, nogil=True)
def _balance(X, rows, y, alpha, w):
    """Scale down the heavier class of alpha until sum_i alpha_i y_i = 0, and w with it."""
    r = np.dot(alpha, y)
    heavy = 1.0 if r > 0.0 else -1.0
    total = 0.0
    for k in range(rows.shape[0]):
        if y[k] == heavy:
            total += alpha[k]
    share = abs(r) / max(total, 1e-300)
    for k in range(rows.shape[0]):
        if y[k] == heavy and alpha[k] != 0.0:
            _add(X, rows[k], -share * alpha[k] * heavy, w)
            alpha[k] -= share * alpha[k]


@njit(cache=True, nogil=True)
def _mix(ends, sums, alpha, w, alphas, ws):
    """Take the mean of the two ends of the bracket that meets sum_i alpha_i y_i = 0."""
    share = sums[0] / (sums[0] - sums[1])
    alpha[:] = alphas[0] + share * (alphas[1] - alphas[0])
    w[:] = ws[0] + share * (ws[1] - ws[0])
    return ends[0] + share * (ends[1] - ends[0])


@njit(cache=True, nogil=True)
def _bracket(X, rows, y, upper, norms, b, stride, tol, max_epochs, state, alpha, w):
    """Search the b with r(b) = sum_i alpha_i y_i = 0, from (alpha, w) at b, to relative gap `tol`.

    For fixed b the problem has no constraint, and r falls with b. The mean of the two ends of a
    bracket with r = 0 is feasible in the dual, starts the next descent, and bounds the objective
    from below at least as well as the tangents at the ends.
    Returns b, primal, gap, epochs, and the width of the last bracket.
    """
    alphas = np.zeros((2, rows.shape[0]))
    ws = np.zeros((2, w.shape[0]))
    ends = np.zeros(2)
    sums = np.zeros(2)
    still = 1e-12 * np.sum(upper)
    epochs = 0
    last = -1
    while epochs < max_epochs:
        used = _descend(
            X, rows, y, upper, norms, 0.0, b, 0.25 * tol, max_epochs - epochs, state, alpha, w
        )[2]
        epochs += max(used, 1)
        r = np.dot(alpha, y)
        secant = b
        if abs(r) > still:
            side = 0 if r > 0.0 else 1
            ends[side], sums[side] = b, r
            alphas[side], ws[side] = alpha, w
            if sums[0] == 0.0 or sums[1] == 0.0:
                b += stride if side == 0 else -stride
                stride *= 4.0
                continue
            secant = _mix(ends, sums, alpha, w, alphas, ws)
            stride = max(abs(ends[1] - ends[0]), 1e-9)
        b = _best_bias(X, rows, y, upper, w)
        primal, gap = _certify(X, rows, y, upper, 0.0, b, alpha, w)
        if gap <= tol * primal:
            return b, primal, gap, epochs, stride
        b = 0.5 * (ends[0] + ends[1]) if side == last else secant
        margin = 0.05 * (ends[1] - ends[0])
        b = min(max(b, ends[0] + margin), ends[1] - margin)
        last = side
    _balance(X, rows, y, alpha, w)
    b = _best_bias(X, rows, y, upper, w)
    primal, gap = _certify(X, rows, y, upper, 0.0, b, alpha, w)
    return b, primal, gap, epochs, stride


@njit(cache=True, nogil=True)
def solve_free_bias(X, rows, y, upper, norms, tol, max_epochs, seed, alpha):
    """Weighted linear SVM whose bias is not regularised; arguments and results as `solve_dual`.

    The tolerance falls tenfold from stage to stage, so that most of the search for b is cheap and
    an exhausted `max_epochs` leaves the answer of the stage before. Where the optimal b is not
    unique the middle of its range is taken.
    """
    d = X.shape[1]
    w = np.zeros(d + 1)
    state = np.array([seed], dtype=np.uint64)
    _start(X, rows, y, upper, 0.0, alpha, w)
    _balance(X, rows, y, alpha, w)
    b = _best_bias(X, rows, y, upper, w)
    primal, gap = _certify(X, rows, y, upper, 0.0, b, alpha, w)
    epochs = 0
    stride = 0.25
    while gap > tol * primal and epochs < max_epochs:
        goal = max(tol, min(0.1, 0.1 * gap / primal))
        trial = alpha.copy()
        trial_w = w.copy()
        trial_b, new_primal, new_gap, used, stride = _bracket(
            X, rows, y, upper, norms, b, stride, goal, max_epochs - epochs, state, trial, trial_w
        )
        epochs += used
        if new_gap / max(new_primal, 1e-300) >= gap / primal:
            break
        b, primal, gap = trial_b, new_primal, new_gap
        alpha[:] = trial
        w[:] = trial_w
    return w[:d].copy(), b, primal, primal - gap, epochs, gap <= tol * primal
