"""Many SVMs on one small kernel matrix: SMO with active-set steps, along C, for every width.

With beta_i = y_i alpha_i the dual of the kernel SVM loses its labels,

    min_beta 1/2 beta'K beta - y'beta,   lo_i <= beta_i <= hi_i,   sum_i beta_i = 0,

where [lo_i, hi_i] is [0, C] for y_i = +1 and [-C, 0] for y_i = -1; slope = K beta - y is the
gradient. As the beta_i sum to zero, a constant may be added to K: what is stored is
K - 1 = exp(-gamma d) - 1 in single precision, which stays precise where all entries of K are
close to 1 (small gamma), and whose diagonal is zero.

Sequential minimal optimisation (Fan, Chen, Lin, JMLR 2005) finds quickly which variables are free,
and creeps once C is large. So it takes turns with the exact minimum over the free variables: the
inverse of their block gives the Newton step; where the step meets a bound, that variable leaves
(a rank-one change of the inverse) and the step is taken again. Both only go down.

The loop of SMO is that of `hlsvm.subclass._smo.solve_block` for a zero diagonal, written here
because compiled callers do not see a change in a kernel of another file (CONTRIBUTING.md); a test
holds the two to the same bits.
"""

# Longer than other files: its kernels are compiled into one another, and Numba's cache does not
# notice a change in a kernel of another file (CONTRIBUTING.md, "Kernels apart").

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot, greater, lesser

# No NaN comes in, so extremes vectorise. Nothing is re-ordered or contracted: an extreme is
# found again by value, and every processor has the same bits.
_FAST = {"nsz", "nnan"}
_MOST_FREE = 2500  # free variables above which their block is not inverted
_RIDGE = 1e-6  # of the largest entry of K - 1, added to the diagonal of that block
_PACE = 64  # an exact minimum over m variables is worth m^3 / (_PACE n) steps of SMO on n
_MANY_STEPS = 100_000  # steps between looks at the rounding
_ROUNDING = 16 * np.finfo(np.float64).eps  # of the largest variable or slope: no step is smaller


@njit(cache=True, nogil=True, fastmath=_FAST)
def kernel_less_one(distance, gamma, out):
    """Write exp(-gamma d) - 1 to `out`, single precision, relative error below 2e-7."""
    f = np.float32
    g = f(-gamma)
    for i in range(distance.shape[0]):
        for j in range(distance.shape[1]):
            x = max(g * distance[i, j], f(-87.0))
            n = np.floor(x * f(1.44269504088896) + f(0.5))
            r = x - n * f(0.693359375)
            r = r - n * f(-2.12194440e-4)
            p = f(1.9875691500e-4)
            p = p * r + f(1.3981999507e-3)
            p = p * r + f(8.3334519073e-3)
            p = p * r + f(4.1665795894e-2)
            p = p * r + f(1.6666665459e-1)
            p = p * r + f(5.0000001201e-1)
            p = p * r * r + r  # exp(r) - 1
            power = np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
            out[i, j] = p * power + (power - f(1.0))


@njit(cache=True, nogil=True, fastmath=_FAST)
def _move(slope, row_i, row_j, step, not_up, not_down):
    """Add step * (row_i - row_j) to `slope`; return its extremes over up and over down."""
    least = np.inf
    most = -np.inf
    for k in range(slope.shape[0]):
        value = slope[k] + step * (row_i[k] - row_j[k])
        slope[k] = value
        least = lesser(value + not_up[k], least)
        most = greater(value - not_down[k], most)
    return least, most


@njit(cache=True, nogil=True, fastmath=_FAST)
def _gains(slope, not_down, row_i, least, gain):
    """Fill `gain` with (slope_j - least)^2 / |phi_i - phi_j|^2, which ranks; return the largest."""
    f = np.float32
    best = f(-1.0)
    for j in range(slope.shape[0]):
        d = greater(f(slope[j] - not_down[j] - least), f(0.0))
        value = d * d / greater(f(-2.0) * row_i[j], f(1e-12))
        gain[j] = value
        best = greater(value, best)
    return best


@njit(cache=True, nogil=True)
def _first_up(slope, not_up, least):
    n = slope.shape[0]
    at = n
    for k in range(n):
        at = min(at, k if slope[k] + not_up[k] == least else n)
    return at


@njit(cache=True, nogil=True)
def _first(gain, best):
    n = np.int32(gain.shape[0])
    at = n
    for k in range(n):
        at = min(at, np.int32(k) if gain[k] == best else n)
    return at


@njit(cache=True, nogil=True)
def _smo(gram, slope, beta, lo, hi, tol, max_iter):
    """Move pairs until the violation is at most `tol`; return how many, and the violation."""
    n = slope.shape[0]
    gain = np.empty(n, np.float32)
    not_up = np.zeros(n)
    not_down = np.zeros(n)
    for k in range(n):
        not_up[k] = 0.0 if beta[k] < hi[k] else np.inf
        not_down[k] = 0.0 if beta[k] > lo[k] else np.inf
    least, most = _move(slope, gram[0], gram[0], 0.0, not_up, not_down)
    iteration = 0
    while most - least > tol and iteration < max_iter:
        i = _first_up(slope, not_up, least)
        best = _gains(slope, not_down, gram[i], least, gain)
        j = _first(gain, best)
        eta = max(-2.0 * gram[i, j], 1e-12)
        step = min((slope[j] - slope[i]) / eta, hi[i] - beta[i], beta[j] - lo[j])
        beta[i] = hi[i] if step >= hi[i] - beta[i] else beta[i] + step
        beta[j] = lo[j] if step >= beta[j] - lo[j] else beta[j] - step
        not_up[i] = 0.0 if beta[i] < hi[i] else np.inf
        not_down[j] = 0.0 if beta[j] > lo[j] else np.inf
        not_down[i] = 0.0
        not_up[j] = 0.0
        least, most = _move(slope, gram[i], gram[j], step, not_up, not_down)
        iteration += 1
    return iteration, most - least


@njit(cache=True, nogil=True)
def _free(beta, lo, hi):
    """Return the indices of the variables strictly between their bounds."""
    return np.flatnonzero((beta > lo) & (beta < hi))


@njit(cache=True, nogil=True)
def _add(row, step, out):
    for k in range(out.shape[0]):
        out[k] += step * row[k]


@njit(cache=True, nogil=True)
def _apply_inverse(factor, x, start):
    """Replace x by A^-1 x, where A = factor factor' and x is zero before `start`."""
    m = x.shape[0]
    for i in range(start, m):
        x[i] = (x[i] - dot(factor[i, start:i], x[start:i], 0.0)) / factor[i, i]
    for i in range(m - 1, -1, -1):
        x[i] /= factor[i, i]
        _add(factor[i, :i], -x[i], x[:i])


@njit(cache=True, nogil=True)
def _factor(gram, free, ridge):
    """Cholesky factor of the block of the free variables; the ridge grows until there is one."""
    m = free.shape[0]
    block = np.empty((m, m))
    for a in range(m):
        row = gram[free[a]]
        for b in range(m):
            block[a, b] = row[free[b]] + 1.0
    for _ in range(4):
        for a in range(m):
            block[a, a] = 1.0 + ridge
        try:
            return True, np.linalg.cholesky(block)
        except Exception:
            ridge *= 10.0
    return False, block


@njit(cache=True, nogil=True)
def _to_bound(b, d, low, high):
    """Largest part of the step (at most all) within the bounds, and the variable in the way."""
    t = 1.0
    p = -1
    for a in range(b.shape[0]):
        if d[a] > 0.0 and d[a] * t > high[a] - b[a]:
            t = (high[a] - b[a]) / d[a]
            p = a
        elif d[a] < 0.0 and d[a] * t < low[a] - b[a]:
            t = (low[a] - b[a]) / d[a]
            p = a
    return t, p


@njit(cache=True, nogil=True)
def _descend(factor, g, b, low, high):
    """Minimise b'Ab/2 + (g - Ab0)'b over sum b = sum b0 by Newton steps, within the bounds.

    A variable that meets its bound stays there: with v = (column of the inverse) / sqrt(pivot), the
    inverse without it is the inverse less v v'. `b` goes from b0 to the answer; `g` is used up.
    """
    m = b.shape[0]
    kept = np.ones(m)
    u = -g
    w = np.ones(m)
    _apply_inverse(factor, u, 0)
    _apply_inverse(factor, w, 0)
    gone = np.empty((m, m))
    for k in range(m - 1):
        lam = -u.sum() / w.sum()
        d = u + lam * w
        if not dot(g * kept, d, 0.0) < 0.0:
            break
        t, p = _to_bound(b, d, low, high)
        b += t * d
        g += t * (lam - g)
        u -= t * d
        if p < 0:
            break
        b[p] = high[p] if d[p] > 0.0 else low[p]
        column = np.zeros(m)
        column[p] = 1.0
        _apply_inverse(factor, column, p)
        for j in range(k):
            _add(gone[j], -gone[j, p], column)
        pivot = column[p]
        if not pivot > 0.0:
            break
        kept[p] = 0.0
        u = (u - column * (u[p] / pivot)) * kept
        w = (w - column * (w[p] / pivot)) * kept
        gone[k] = column / np.sqrt(pivot)
    b[:] = np.minimum(np.maximum(b, low), high)


@njit(cache=True, nogil=True)
def _newton(gram, y, slope, beta, lo, hi, free, ridge):
    """Minimise over the free variables; undone if rounding made it go up."""
    result, factor = _factor(gram, free, ridge)
    if not result:
        return
    before = beta[free]
    after = before.copy()
    _descend(factor, slope[free], after, lo[free], hi[free])
    old_slope = slope.copy()
    old = dot(beta, slope - y, 0.0)
    for a in range(free.shape[0]):
        step = after[a] - before[a]
        if step != 0.0:
            beta[free[a]] = after[a]
            _add(gram[free[a]], step, slope)
    if not dot(beta, slope - y, 0.0) <= old:
        beta[free] = before
        slope[:] = old_slope


@njit(cache=True, nogil=True)
def _solve(gram, y, cost, beta, slope, ridge, tol, max_iter):
    """Solve one SVM from `beta`; return bias, steps of SMO and violation."""
    n = y.shape[0]
    hi = np.where(y > 0.0, cost, 0.0)
    lo = hi - cost
    done = 0
    while True:
        m = _free(beta, lo, hi).shape[0]
        pace = max(n // 2, m * m // n * m // _PACE) if m <= _MOST_FREE else _MANY_STEPS
        least = max(tol, _ROUNDING * max(np.abs(beta).max(), np.abs(slope).max()))
        steps, violation = _smo(gram, slope, beta, lo, hi, least, min(pace, max_iter - done))
        done += steps
        free = _free(beta, lo, hi)
        if violation <= least or done >= max_iter:
            break
        if 1 < free.shape[0] <= _MOST_FREE:
            _newton(gram, y, slope, beta, lo, hi, free, ridge)
    if free.shape[0] > 0:
        return -slope[free].mean(), done, violation
    up = slope[beta < hi]
    down = slope[beta > lo]
    return -0.5 * (up.min() + down.max()), done, violation


@njit(cache=True, nogil=True)
def solve_paths(distance, labels, gammas, costs, reach, tol, max_iter):
    """Solve SVMs on the same rows for several labellings, widths and costs.

    Each width goes through the costs in ascending order, every solution stretched along itself to
    begin the next. Where no variable is at its bound, larger costs change nothing.

    Parameters
    ----------
    distance : ndarray of float32, shape (n, n)
        Squared distances of the rows, zero on the diagonal.
    labels : ndarray of float64, shape (n_problems, n)
        -1 or +1, both in every row.
    gammas : ndarray of float64, shape (n_gammas,)
    costs : ndarray of float64, shape (n_costs,)
        Ascending.
    reach : ndarray of int64, shape (n_gammas,)
        How many of the costs each width goes through.
    tol : float
        Largest violation of the optimality conditions, as LIBSVM's.
    max_iter : int
        Most steps of SMO for one SVM.

    Returns
    -------
    coef : ndarray of float64, shape (n_gammas, n_costs, n_problems, n)
        y_i alpha_i; zero beyond `reach`.
    bias : ndarray of float64, shape (n_gammas, n_costs, n_problems)
    steps : ndarray of int64, of the same shape
    violation : ndarray of float64, of the same shape
    """
    n = distance.shape[0]
    shape = (gammas.shape[0], costs.shape[0], labels.shape[0])
    coef = np.zeros((*shape, n))
    bias = np.zeros(shape)
    steps = np.zeros(shape, np.int64)
    violation = np.zeros(shape)
    gram = np.empty((n, n), np.float32)
    for a in range(shape[0]):
        if reach[a] == 0:
            continue
        kernel_less_one(distance, gammas[a], gram)
        ridge = max(-_RIDGE * gram.min(), 1e-30)
        for p in range(shape[2]):
            y = labels[p]
            beta = np.zeros(n)
            slope = -y
            for c in range(reach[a]):
                if c > 0:
                    bounded = np.abs(beta).max() >= costs[c - 1]
                    if not bounded:
                        coef[a, c:, p] = beta
                        bias[a, c:, p] = bias[a, c - 1, p]
                        violation[a, c:, p] = violation[a, c - 1, p]
                        break
                    linear = dot(y, beta, 0.0)
                    square = dot(beta, slope, 0.0) + linear
                    stretch = costs[c] / costs[c - 1]
                    if linear < stretch * square:
                        stretch = max(linear / square, 1.0)
                    beta *= stretch
                    slope += (stretch - 1.0) * (slope + y)
                    beta[:] = np.minimum(np.maximum(beta, -costs[c]), costs[c])
                result = _solve(gram, y, costs[c], beta, slope, ridge, tol, max_iter)
                bias[a, c, p], steps[a, c, p], violation[a, c, p] = result
                coef[a, c, p] = beta
    return coef, bias, steps, violation
