"""The linear SVM of one node: in memory, or block by block where its rows do not fit."""

from __future__ import annotations

import numpy as np

from hlsvm.linear.kernels import Hyperplane, dual_epoch, dual_gap, solve_dual, solve_free_bias

# Epochs over a block while it is in memory.
_EPOCHS = 3


def solve(samples, rows, y, upper, bias_feature, tol, max_epochs, seed, alpha) -> Hyperplane:
    """Solve the dual of `hlsvm.linear.kernels.solve_dual`; arguments and results as there.

    A `bias_feature` of None leaves b free of regularisation. With a memory budget the rows are
    copied first if they fit; otherwise they are read in blocks that do, each solved for a few
    epochs with the other blocks' variables fixed (Yu, Hsieh, Chang and Lin, "Large linear
    classification when data cannot fit in memory", TKDD 2012).
    """
    end = (tol, max_epochs, seed, alpha)
    X, norms, places = samples.X, samples.norms, rows
    if samples.budget is not None:
        if not samples.fits(len(rows)):
            return _solve_blocks(samples, rows, y, upper, bias_feature, *end)
        X, norms, places = samples.X[rows], samples.norms[rows], np.arange(len(rows))
    if bias_feature is None:
        return solve_free_bias(X, places, y, upper, norms, *end)
    return solve_dual(X, places, y, upper, norms, bias_feature, *end)


def _blocks(samples, n):
    """Bounds of the blocks of `n` rows."""
    bounds = np.arange(0, n, samples.block)
    return [slice(int(low), int(min(low + samples.block, n))) for low in bounds]


def _solve_blocks(samples, rows, y, upper, bias_feature, tol, max_epochs, seed, alpha):
    state = np.array([seed], dtype=np.uint64)
    w = np.zeros(samples.X.shape[1] + 1)
    blocks = _blocks(samples, len(rows))
    primal, gap, epochs = np.inf, np.inf, 0
    while epochs < max_epochs:
        seen = 0.0
        for block in blocks:
            X, norms = samples.X[rows[block]], samples.norms[rows[block]]
            order = np.arange(len(X))
            for again in range(_EPOCHS):
                part = (X, np.arange(len(X)), y[block], upper[block], norms, bias_feature, 0.0)
                limits = (order, len(X), np.inf, -np.inf)
                excess = dual_epoch(*part, *limits, state, alpha[block], w)[3]
                seen += excess if again == 0 else 0.0
        epochs += _EPOCHS
        if seen <= tol * max(primal, 1e-300) or not np.isfinite(primal) or epochs >= max_epochs:
            primal, gap = _gap_of_blocks(samples, rows, y, upper, bias_feature, alpha, w, blocks)
            if gap <= tol * primal:
                break
    done = bool(gap <= tol * primal)
    return Hyperplane(w[:-1].copy(), bias_feature * w[-1], primal, primal - gap, epochs, done)


def _gap_of_blocks(samples, rows, y, upper, bias_feature, alpha, w, blocks):
    """Primal objective and gap, summed over the blocks in order."""
    half = 0.5 * float(w @ w)
    primal, gap = half, 0.0
    for block in blocks:
        X = samples.X[rows[block]]
        places = np.arange(len(X))
        part = dual_gap(X, places, y[block], upper[block], bias_feature, 0.0, alpha[block], w)
        primal += part[0] - half
        gap += part[1]
    return primal, gap
