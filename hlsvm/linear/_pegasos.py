"""Weighted-Pegasos (Thesis Alg. 5): stochastic subgradient descent, a kernel on arrays."""

from __future__ import annotations

import numpy as np
from numba import njit

from hlsvm._arithmetic import dot
from hlsvm.linear._rows import add_row, draw, n_columns, row_dot


@njit(cache=True, nogil=True)
def _violators(X, rows, y, nu, w, b, pool, size, state, pull):
    """Draw A_t and sum nu y x over A_t+ into `pull`; return the sum of nu y.

    A_t is a set: a partial shuffle of `pool` draws `size` samples without repetition.
    """
    n = rows.shape[0]
    for j in range(pull.shape[0]):
        pull[j] = 0.0
    push = 0.0
    for at in range(size):
        if size < n:
            swap = at + draw(state, n - at)
            pool[at], pool[swap] = pool[swap], pool[at]
        k = pool[at]
        if y[k] * (row_dot(X, rows[k], w) + b) < 1.0:
            add_row(X, rows[k], nu[k] * y[k], pull)
            push += nu[k] * y[k]
    return push


@njit(cache=True, nogil=True)
def _step(w, keep, rate, pull, radius):
    """Project keep w + rate pull onto the ball, into `w`; return the length of the step.

    `pull` holds the step afterwards.
    """
    for j in range(w.shape[0]):
        pull[j] = keep * w[j] + rate * pull[j]
    shrink = min(1.0, radius / max(np.sqrt(dot(pull, pull, 0.0)), 1e-300))
    for j in range(w.shape[0]):
        new = shrink * pull[j]
        pull[j] = new - w[j]
        w[j] = new
    return np.sqrt(dot(pull, pull, 0.0))


@njit(cache=True, nogil=True)
def _accumulate(total, w):
    for j in range(w.shape[0]):
        total[j] += w[j]


@njit(cache=True, nogil=True)
def _change(total, previous, window):
    """Relative change of the mean since the window before; resets `total` for the next one."""
    square = 0.0
    change = 0.0
    for j in range(total.shape[0]):
        mean = total[j] / window
        square += mean * mean
        change += (mean - previous[j]) ** 2
        previous[j] = mean
        total[j] = 0.0
    if change != change:  # nothing came before
        return np.inf
    return np.sqrt(change / max(square, 1e-300))


@njit(cache=True, nogil=True)
def solve_pegasos(
    X, rows, y, nu, lam, radius, batch_size, max_iter, tol, bias_scale, faithful, seed
):
    """Weighted-Pegasos on some rows of `X`.

    Minimises lam/2 ||w||^2 + (1/n) sum_i nu_i max(0, 1 - y_i (w.x_i + b)) from w_1 = 0, b_1 = 0
    with steps 1/(lam t). For the sum instead of the mean pass n nu_i.

    Parameters
    ----------
    X : ndarray, C-contiguous float32 or float64, shape (n_all, d), or SparseRows
        Read, never copied.
    rows : ndarray of int64, shape (n,)
        Rows of `X` that take part.
    y, nu : ndarray of float64, shape (n,)
        Labels +-1 and weights of these rows.
    lam : float
    radius : float
        Of the ball that every w_t is projected onto: 1/sqrt(n lam) for weights that sum to one
        (Thesis Alg. 5 and the proof of Lemma C.1), 1/sqrt(lam) in the sum form.
    batch_size : int
        k = |A_t|, drawn without repetition; all samples in storage order where k >= n.
    max_iter : int
        T.
    tol : float
        epsilon_P. As printed (`faithful`): stop when ||w_{t+1} - w_t|| <= tol, a step that
        says nothing of the distance to go. Otherwise: stop when the means of w over two
        successive windows differ by at most `tol` times the norm of the later; the first window
        is a pass over the data and at least ten steps, every next one twice as long.
    bias_scale : float
        tau, the rate of b over that of w; 0 for a hyperplane through the origin.
    faithful : bool
        Keep the printed hinge test y (w.x) < 1, without b, and the printed stop rule.
    seed : int

    Returns
    -------
    w : ndarray of float64, shape (d,)
    b : float
    n_iter : int
    moved : float
        What was last compared with `tol`; infinity if nothing was.
    """
    n = rows.shape[0]
    d = n_columns(X)
    size = min(batch_size, n)
    state = np.array([seed], dtype=np.uint64)
    pool = np.arange(n)
    w = np.zeros(d)
    b = 0.0
    pull = np.empty(d)
    mean = np.zeros(d)
    previous = np.full(d, np.nan)
    window = max(10, -(-n // size))
    inside = 0
    moved = np.inf
    for t in range(1, max_iter + 1):
        seen = 0.0 if faithful else b
        push = _violators(X, rows, y, nu, w, seen, pool, size, state, pull)
        rate = 1.0 / (lam * t * size)
        step = _step(w, 1.0 - 1.0 / t, rate, pull, radius)
        b += bias_scale * rate * push
        if faithful:
            moved = step
        else:
            inside += 1
            _accumulate(mean, w)
            if inside < window:
                continue
            moved = _change(mean, previous, window)
            window *= 2
            inside = 0
        if moved <= tol:
            return w, b, t, moved
    return w, b, max_iter, moved
