"""Regularization of one node, chosen from a path by its gain on rows held back (Thesis 7.1)."""

from __future__ import annotations

import numpy as np

from hlsvm.trees._impurity import best_threshold, entropy_mass

# Regularizations tried, as parts of the one above which all samples violate their margin.
PARTS = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
# The middle one, for nodes of fewer rows than this, where a share would tell nothing.
_MIDDLE, _FEW = 0.03, 50
# Share of the rows held back, one in so many.
_EVERY = 5


def ceiling(samples, rows, counts, loss_scale: str) -> float:
    """Regularization above which (nearly) all samples of a node violate their margin."""
    mass = samples.weight[rows]
    square = float(np.average(samples.norms[rows], weights=mass))
    return max(square, 1e-300) / (counts.sum() if loss_scale == "mean" else 1.0)


def hold_back(codes, seed: int) -> np.ndarray:
    """Mask of one row in five of every class, in random order."""
    random = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    back = np.zeros(len(codes), bool)
    back[order[_EVERY - 1 :: _EVERY]] = True
    return back


def held_gain(samples, rows, values) -> float:
    """Entropy that the best threshold along `values` takes from some rows (bits times weight)."""
    counts = samples.count(rows)
    order = np.argsort(values, kind="stable")
    mass = best_threshold(order, values, rows, samples.codes, samples.weight, counts)[0]
    return entropy_mass(counts) - mass if np.isfinite(mass) else 0.0


def choose_on_path(samples, rows, counts, loss_scale: str, seed: int, solve) -> float:
    """Regularization whose hyperplane gains most on the held-back rows.

    The path falls; each solution starts from the one before. It ends where the gain has fallen
    twice in a row; of equal gains the larger regularization is taken.

    Parameters
    ----------
    samples, rows, counts
        Of the node.
    loss_scale : {"mean", "sum"}
    seed : int
    solve : callable
        ``solve(rows, lam, start)`` returns the normal vector and the dual variables as shares of
        their caps; `start` is such shares or None.

    Returns
    -------
    float
    """
    top = ceiling(samples, rows, counts, loss_scale)
    if len(rows) < _FEW:
        return _MIDDLE * top
    back = hold_back(samples.codes[rows], seed)
    inside, outside = rows[~back], rows[back]
    best, chosen, falls, share = -np.inf, PARTS[0], 0, None
    for number, part in enumerate(PARTS):
        if number > 0:
            # As the caps grow, variables below theirs hardly change, those at them stay there.
            share = np.where(share >= 1.0, 1.0, share * (part / PARTS[number - 1]))
        w, share = solve(inside, part * top, share)
        gain = held_gain(samples, outside, samples.project(outside, w))
        falls = falls + 1 if gain <= best else 0
        if gain > best:
            best, chosen = gain, part
        if falls == 2:
            break
    return chosen * top
