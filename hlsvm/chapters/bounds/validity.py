"""Bounds over samples of a known distribution: how often the true error is above."""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from hlsvm.bounds import failure_test, holdout_bound, prune_by_bound, support_vector_bound, vc_bound
from hlsvm.chapters.given_trees import given_tree

_SIDE = 24  # the domain: a lattice of 24 x 24 points, all equally likely
HOLD_OUT, COMPRESSION, VC = "hold-out", "sample compression", "VC (one hyperplane)"
# Small trees and few steps: a thousand samples in minutes. The bounds hold whatever the effort.
_SHORT = {"max_iter": 5, "max_leaves": 8}
_BY_BOUND = {
    "Occam, subtree": {"kind": "occam", "refined": False},
    "PAC-Bayes, subtree": {"kind": "gibbs", "refined": False},
    "Occam, hyperplanes moved": {"kind": "occam", **_SHORT},
    "PAC-Bayes, hyperplanes moved": {"kind": "gibbs", **_SHORT},
    "PAC-Bayes, prior a tree": {"kind": "gibbs", "prior": "tree", **_SHORT},
}
METHODS = (HOLD_OUT, COMPRESSION, VC, *_BY_BOUND)


class Lattice:
    """Points of a lattice in the square, +1 in two opposite quarters, labels flipped with a chance.

    Every error probability is a sum over the points: nothing is estimated.
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


def _one(name, lattice, X, y, held, delta) -> tuple[float, float]:
    """Bound of a method on a sample, and the true error of what the bound speaks of."""
    depth = {"max_depth": 1} if name == VC else {"min_fraction": 0.05}
    exact = {"bias": "svm", "tol": 1e-6} if name == COMPRESSION else {}
    model = given_tree(lam=1e-3, random_state=0, **depth, **exact).fit(X, y)
    if name in _BY_BOUND:
        chosen = prune_by_bound(model, X, y, delta=delta, **_BY_BOUND[name])
        if chosen.bound.subject == "the Gibbs tree":
            error = lattice.gibbs_error(chosen.posterior, chosen.classes_)
        else:
            error = lattice.error(chosen.predict(lattice.points))
        return chosen.bound.value, error
    if name == VC:
        bound = vc_bound(1 - model.score(X, y), 3, len(y), delta=delta)
    elif name == COMPRESSION:
        bound = support_vector_bound(model, X, y, delta=delta)
    else:
        bound = holdout_bound(held[1], model.predict(held[0]), delta=delta)
    return bound.value, lattice.error(model.predict(lattice.points))


def _sample(number, n, delta, lattice, methods, seed) -> list[dict]:
    random = np.random.default_rng([seed, number])
    X, y = lattice.draw(n, random)
    held = lattice.draw(n // 4, random)
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name in methods:
            bound, error = _one(name, lattice, X, y, held, delta)
            row = {"draw": number, "method": name, "bound": bound, "true_error": error}
            rows.append(row | {"failed": error > bound})
    return rows


def draws(
    numbers,
    *,
    n: int,
    delta: float,
    noise: float = 0.1,
    seed: int = 0,
    methods=METHODS,
    n_jobs=None,
) -> pd.DataFrame:
    """Draw samples, bound each with confidence 1 - `delta`, compare with the true error.

    A sample of `n` rows depends on its number and the seed alone; a quarter as many more are drawn
    for the hold-out bound. What one of the `methods` (of `METHODS`) gives does not depend on the
    others. One row a sample and method: ``draw``, ``method``, ``bound``, ``true_error``,
    ``failed``.
    """
    lattice = Lattice(noise)
    tables = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_sample)(int(k), n, delta, lattice, methods, seed) for k in numbers
    )
    return pd.DataFrame([row for table in tables for row in table])


def summary(table: pd.DataFrame, delta: float) -> pd.DataFrame:
    """Failures of every bound, and the p-value of "no more than its stated share".

    Columns ``method``, ``draws``, ``failures``, ``allowed`` (delta), ``p_value``, ``mean_bound``,
    ``mean_error``.
    """
    groups = table.groupby("method", sort=False)
    counts = groups.agg(draws=("failed", "size"), failures=("failed", "sum")).reset_index()
    p = [failure_test(int(k), int(n), delta) for n, k in counts[["draws", "failures"]].to_numpy()]
    means = groups[["bound", "true_error"]].mean().to_numpy()
    return counts.assign(allowed=delta, p_value=p, mean_bound=means[:, 0], mean_error=means[:, 1])
