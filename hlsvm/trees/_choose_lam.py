"""The regularisation chosen from training rows: one for all nodes (HLSVM 5.1), or one a node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hlsvm._holdout import deal_folds
from hlsvm.trees._impurity import best_threshold, entropy_mass
from hlsvm.trees._seeds import child_seed

_FOLDS = 5


def candidates(norms, weight, rows, loss_scale: str) -> np.ndarray:
    """Exponents i of the grid 10^i, ascending (erratum E9: the papers' values are of this grid).

    Above about R^2 (R the root mean square norm of the rows; R^2/N in the "mean" scale) every
    sample violates its margin, and all lambda give the same direction. Eight decades below that
    may be tried.
    """
    mass = weight[rows]
    radius = float(np.average(norms[rows], weights=mass))
    top = radius / (mass.sum() if loss_scale == "mean" else 1.0)
    highest = int(np.floor(np.log10(max(top, 1e-12))))
    return np.arange(highest - 7, highest + 1)


def choose_lam(
    samples,
    rows: np.ndarray,
    loss_scale: str,
    build: Callable,
    seed: int,
    jobs,
) -> tuple[float, dict[str, np.ndarray]]:
    """Lambda with the least cross-validated error.

    Every second power of ten is tried from the top, until the error has risen by more than a
    standard error (small lambda are slow and overfit), then neighbours of the best until it has
    two that are worse. Equal errors go to fewer hyperplanes, then to the larger lambda.

    Parameters
    ----------
    samples : Samples
    rows : ndarray of int64
    loss_scale : {"mean", "sum"}
    build : callable
        ``build(rows, lam, seed)`` returns what predicts.
    seed : int
        Of the folds and the trees.
    jobs : Jobs
        Threads and progress; the choice does not depend on them.

    Returns
    -------
    lam : float
    tried : dict of ndarray
        "lam", "error" (weighted rate), "n_hyperplanes" (mean), ascending in lam.
    """
    exponents = candidates(samples.norms, samples.weight, rows, loss_scale)
    random = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    fold = deal_folds(samples.codes[rows], _FOLDS, random)

    def judge(exponent, k):
        inside, outside = rows[fold != k], rows[fold == k]
        model = build(inside, float(10.0**exponent), child_seed(seed, k))
        weight = samples.weight[outside]
        held = samples.X[outside]
        wrong = weight[model.predict(held) != samples.codes[outside]].sum()
        return wrong, float(np.sum(weight * model.n_hyperplanes(held)))

    def judge_all(chosen):
        fits = [(exponent, k) for exponent in chosen for k in range(_FOLDS)]
        costs = jobs.run(lambda fit: judge(*fit), fits)
        sums = np.array(costs).reshape(len(chosen), _FOLDS, 2).sum(axis=1)
        return dict(zip(chosen, sums / mass, strict=True))

    def best_of(scores):
        return min(scores, key=lambda i: (round(scores[i][0], 12), scores[i][1], -i))

    mass = samples.weight[rows].sum()
    scores = {}
    for i in exponents[::-2].tolist():
        scores |= judge_all([i])
        least = scores[best_of(scores)][0]
        if scores[i][0] > least + np.sqrt(least * (1 - least) / mass) + 1e-12:
            break
    best = best_of(scores)
    while beside := [i for i in (best - 1, best + 1) if i not in scores]:
        scores |= judge_all(beside)
        best = best_of(scores)
    order = sorted(scores)
    tried = {
        "lam": np.array([10.0**i for i in order]),
        "error": np.array([scores[i][0] for i in order]),
        "n_hyperplanes": np.array([scores[i][1] for i in order]),
    }
    return float(10.0**best), tried


# Regularisations tried, as parts of the one above which all samples violate their margin.
PARTS = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
# The middle one, for nodes of fewer rows than this, where a share would tell nothing.
_MIDDLE, _FEW = 0.03, 50
# Share of the rows held back, one in so many.
_EVERY = 5


def ceiling(samples, rows, counts, loss_scale: str) -> float:
    """Regularisation above which (nearly) all samples of a node violate their margin."""
    mass = samples.weight[rows]
    square = float(np.average(samples.norms[rows], weights=mass))
    return max(square, 1e-300) / (counts.sum() if loss_scale == "mean" else 1.0)


def hold_back(codes, seed: int) -> np.ndarray:
    """Mask of one row in five of every class."""
    random = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    return deal_folds(codes, _EVERY, random) == _EVERY - 1


def held_gain(samples, rows, values) -> float:
    """Entropy that the best threshold along `values` takes from some rows (bits times weight)."""
    counts = samples.count(rows)
    order = np.argsort(values, kind="stable")
    mass = best_threshold(order, values, rows, samples.codes, samples.weight, counts)[0]
    return entropy_mass(counts) - mass if np.isfinite(mass) else 0.0


def choose_on_path(samples, rows, counts, loss_scale: str, seed: int, solve) -> float:
    """Regularisation whose hyperplane gains most on the held-back rows.

    The path falls; each solution starts from the one before. It ends where the gain has fallen
    twice in a row; of equal gains the larger regularisation is taken.

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
