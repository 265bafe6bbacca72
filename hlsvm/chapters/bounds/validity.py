"""Bounds over a thousand samples of a known distribution: how often the true error is above."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from hlsvm.bounds import (
    failure_test,
    holdout_bound,
    prune_by_bound,
    support_vector_bound,
    vc_bound,
)
from hlsvm.chapters.given_trees import given_tree

CODE = (
    "hlsvm.trees.tree",
    "hlsvm.linear",
    "hlsvm.bounds",
    "hlsvm.chapters.bounds.validity",
)
_SIDE = 24  # the domain: a lattice of 24 x 24 points, all equally likely
HOLD_OUT = "hold-out"
# Small trees and few steps: a thousand samples in minutes. The bounds hold whatever the effort.
_SHORT = {"max_iter": 5, "max_leaves": 8}
_WAYS = {
    "Occam, subtree": {"kind": "occam", "refined": False},
    "PAC-Bayes, subtree": {"kind": "gibbs", "refined": False},
    "Occam, hyperplanes moved": {"kind": "occam", **_SHORT},
    "PAC-Bayes, hyperplanes moved": {"kind": "gibbs", **_SHORT},
    "PAC-Bayes, prior a tree": {"kind": "gibbs", "prior": "tree", **_SHORT},
}
VC, COMPRESSION = "VC (one hyperplane)", "sample compression"
METHODS = (HOLD_OUT, COMPRESSION, VC, *_WAYS)


class Lattice:
    """Points of a lattice in the square, +1 in two opposite quarters, labels flipped with a chance.

    Every error probability is a sum over the points: nothing is estimated.

    Parameters
    ----------
    noise : float
        Chance that a label is flipped.
    """

    def __init__(self, noise: float = 0.1):
        axis = (np.arange(_SIDE) + 0.5) * (2 / _SIDE) - 1
        self.points = np.column_stack([part.ravel() for part in np.meshgrid(axis, axis)])
        self.truth = np.where(self.points.prod(axis=1) > 0, 1, -1)
        self.noise = noise

    def draw(self, n: int, random) -> tuple[np.ndarray, np.ndarray]:
        """Draw a sample."""
        which = random.integers(len(self.points), size=n)
        flip = random.uniform(size=n) < self.noise
        return self.points[which], np.where(flip, -self.truth[which], self.truth[which])

    def error(self, labels) -> float:
        """Probability that these labels of the points are wrong."""
        return self._noisy(np.mean(labels != self.truth))

    def gibbs_error(self, posterior, classes) -> float:
        """Probability that a Gibbs tree is wrong, by its expected errors on all points."""
        codes = np.searchsorted(classes, self.truth)
        total = posterior.errors(posterior.standardizer.rows(self.points), codes)[0]
        return self._noisy(total / len(self.points))

    def _noisy(self, wrong: float) -> float:
        return float(wrong * (1 - self.noise) + (1 - wrong) * self.noise)


def _plain(name, X, y, held, label, delta, lattice) -> tuple[float, float]:
    """Bound and true error of a way that does not choose its tree by the bound."""
    how = {"lam": 1e-3, "min_fraction": 0.05, "random_state": 0}
    if name == VC:
        how = {"lam": 1e-3, "max_depth": 1, "random_state": 0}
    if name == COMPRESSION:
        how |= {"bias": "svm", "tol": 1e-6}
    model = given_tree(**how).fit(X, y)
    error = lattice.error(model.predict(lattice.points))
    if name == VC:
        return vc_bound(1 - model.score(X, y), 3, len(y), delta=delta).value, error
    if name == COMPRESSION:
        return support_vector_bound(model, X, y, delta=delta).value, error
    return holdout_bound(label, model.predict(held), delta=delta).value, error


def _by_bound(name, model, X, y, delta, lattice) -> tuple[float, float]:
    """Bound and true error of what the bound chose: the Gibbs tree, or the tree itself."""
    tree = prune_by_bound(model, X, y, delta=delta, **_WAYS[name])
    if tree.bound.subject == "the Gibbs tree":
        return tree.bound.value, lattice.gibbs_error(tree.posterior, tree.classes_)
    return tree.bound.value, lattice.error(tree.predict(lattice.points))


def one_draw(
    seed, n: int, delta: float, lattice: Lattice, methods=METHODS
) -> dict[str, tuple[float, float]]:
    """Bound and true error of every way on one sample."""
    random = np.random.default_rng(seed)
    X, y = lattice.draw(n, random)
    held, label = lattice.draw(n // 4, random)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = given_tree(lam=1e-3, min_fraction=0.05, random_state=0).fit(X, y)
        for name in methods:
            if name in _WAYS:
                found[name] = _by_bound(name, model, X, y, delta, lattice)
            else:
                found[name] = _plain(name, X, y, held, label, delta, lattice)
    return found


def draws(
    n_draws: int,
    *,
    n: int = 300,
    delta: float = 0.05,
    noise: float = 0.1,
    seed: int = 0,
    methods=METHODS,
    n_jobs=None,
) -> pd.DataFrame:
    """Draw samples, bound each, compare with the true error.

    Parameters
    ----------
    methods : sequence of str
        Some of `METHODS`; what one of them finds does not depend on the others.

    Returns
    -------
    DataFrame
        ``draw``, ``method``, ``bound``, ``true_error``, ``failed``.
    """
    lattice = Lattice(noise)
    children = np.random.SeedSequence(seed).spawn(n_draws)
    found = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(one_draw)(child, n, delta, lattice, methods) for child in children
    )
    return pd.DataFrame(
        [
            {
                "draw": k,
                "method": name,
                "bound": bound,
                "true_error": error,
                "failed": error > bound,
            }
            for k, draw in enumerate(found)
            for name, (bound, error) in draw.items()
        ]
    )


def in_chunks(record, n_draws: int, *, chunk: int = 100, n_jobs=None, **how) -> pd.DataFrame:
    """Run `draws` in resumable steps, one a way and chunk; every chunk has seeds of its own."""
    tables = []
    for start in record.progress(range(0, n_draws, chunk), "draws"):
        size = min(chunk, n_draws - start)
        for name in METHODS:
            table = record.step(
                "chapter6-draws",
                {**how, "start": start, "size": size, "method": name},
                lambda start=start, size=size, name=name: draws(
                    size, seed=record.seed + start, methods=[name], n_jobs=n_jobs, **how
                ),
                code=CODE,
            )
            tables.append(table.assign(draw=table.draw + start))
    return pd.concat(tables, ignore_index=True)


def summary(table: pd.DataFrame, delta: float) -> pd.DataFrame:
    """Failures of every bound, and the p-value of "no more than its stated share".

    Returns
    -------
    DataFrame
        ``method``, ``draws``, ``failures``, ``allowed`` (delta), ``p_value``, ``mean_bound``,
        ``mean_error``.
    """
    rows = []
    for name, own in table.groupby("method", sort=False):
        failures = int(own.failed.sum())
        rows.append(
            {
                "method": name,
                "draws": len(own),
                "failures": failures,
                "allowed": delta,
                "p_value": failure_test(failures, len(own), delta),
                "mean_bound": own.bound.mean(),
                "mean_error": own.true_error.mean(),
            }
        )
    return pd.DataFrame(rows)
