"""Small problems and plain NumPy formulas that the tests of this room share."""

import numpy as np

from hlsvm.linear._dual import solve_dual
from hlsvm.linear._free_bias import solve_free_bias
from hlsvm.linear._rows import read_only, squared_norms

PRECISE = 1e-11


def blobs(n=60, d=4, seed=0, shift=1.0, share=0.3):
    """Two overlapping Gaussians, `share` of the samples positive."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < max(1, int(share * n)), 1.0, -1.0)
    return rng.normal(size=(n, d)) + 0.5 * shift * y[:, None], y


def primal(X, y, upper, w, b, s=np.inf):
    """P(w, b); s is the value of the bias feature, infinity for an unregularised bias."""
    ridge = 0.0 if s == 0 else (b / s) ** 2
    return 0.5 * (w @ w + ridge) + upper @ np.maximum(0, 1 - y * (X @ w + b))


def dual(X, y, alpha, s):
    """D(alpha)."""
    w, v = X.T @ (alpha * y), s * (alpha @ y)
    return alpha.sum() - 0.5 * (w @ w + v * v)


def solve(X, y, upper, s=1.0, tol=PRECISE, max_epochs=20_000, seed=0, alpha=None, rows=None):
    """Solve on all rows; s=None for a free bias. Returns what the kernel does, and alpha."""
    X = read_only(X)
    rows = np.arange(len(X)) if rows is None else rows
    alpha = np.zeros(len(rows)) if alpha is None else alpha
    norms = squared_norms(X)
    if s is None:
        answer = solve_free_bias(X, rows, y, upper, norms, tol, max_epochs, seed, alpha)
    else:
        answer = solve_dual(X, rows, y, upper, norms, s, tol, max_epochs, seed, alpha)
    return (*answer, alpha)
