"""The SVMs of one region: trained along the grid, judged on rows, packed for prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.svm import SVC

from hlsvm._certificate import KernelCertificate
from hlsvm.regions._coding import coding
from hlsvm.regions._distances import pairwise_distances, squared_distances
from hlsvm.regions._leaf_smo import kernel_less_one, solve_paths

# Entries of the kernel block of a region that are held at a time when rows are judged.
_ENTRIES = 1 << 24
# Bytes an SVM needs for each pair of its rows: distances and kernel in single precision.
_BYTES = 8


@dataclass(frozen=True)
class Training:
    """How the SVMs of a region are trained; see the estimators' parameters of these names."""

    multiclass: str = "ovo"
    tol: float = 1e-3
    max_iter: int = 10_000_000
    cache_size: float = 2000.0


@dataclass
class Region:
    """Rows of one part of the data, sorted by class.

    Attributes
    ----------
    rows : ndarray of int
        Training rows.
    classes : ndarray of int
        Classes that occur, in order.
    counts : ndarray of int
        Rows of each of them.
    """

    rows: np.ndarray
    classes: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, rows, y):
        """Sort `rows` by class."""
        rows = rows[np.argsort(y[rows], kind="stable")]
        classes, counts = np.unique(y[rows], return_counts=True)
        return cls(rows, classes, counts)


def _solve_large(X, labels, gammas, costs, reach, training):
    """Solve with LIBSVM what does not fit in memory: the same answer as `solve_paths`."""
    shape = (len(gammas), len(costs), len(labels))
    coef, bias = np.zeros((*shape, len(X))), np.zeros(shape)
    steps, violation = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    for a, c in np.ndindex(*shape[:2]):
        if c >= reach[a]:
            continue
        for p, y in enumerate(labels):
            svc = SVC(C=costs[c], gamma=gammas[a], tol=training.tol, cache_size=training.cache_size)
            svc.fit(X, y)
            coef[a, c, p, svc.support_] = svc.dual_coef_[0]
            bias[a, c, p] = svc.intercept_[0]
            steps[a, c, p] = svc.n_iter_[0]
    return coef, bias, steps, violation


def train_paths(X, counts, gammas, costs, reach, training: Training):
    """Train the SVMs of a region for every width and, along each, the costs up to its reach.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        Rows sorted by class.
    counts : sequence of int
        Rows of each class.
    gammas, costs : ndarray of float64
    reach : ndarray of int64, shape (n_gammas,)
        How many of the costs.
    training : Training

    Returns
    -------
    coef : ndarray of float64, shape (n_gammas, n_costs, n, n_slots)
    bias : ndarray of float64, shape (n_gammas, n_costs, n_machines)
    steps : ndarray of int64, shape (n_gammas, n_costs, n_machines)
        Of SMO.
    violation : ndarray of float64, of the same shape
    """
    code = coding(training.multiclass, counts)
    shape = (len(gammas), len(costs))
    coef = np.zeros((*shape, len(X), code.n_slots))
    bias = np.zeros((*shape, code.n_machines))
    steps, violation = np.zeros(bias.shape, dtype=np.int64), np.zeros_like(bias)
    for numbers, rows, labels in code.groups():
        members = X[rows]
        if _BYTES * len(rows) ** 2 > training.cache_size * 1e6:
            result = _solve_large(members, labels, gammas, costs, reach, training)
        else:
            result = solve_paths(
                pairwise_distances(members),
                labels,
                gammas,
                costs,
                reach,
                training.tol,
                training.max_iter,
            )
        code.place(numbers, result[0], coef)
        bias[..., numbers] = result[1]
        steps[..., numbers], violation[..., numbers] = result[2], result[3]
    return coef, bias, steps, violation


def winners_on_paths(X, counts, paths, gammas, reach, rows, training: Training):
    """Return the winning class of every row under every pair of the grid.

    Parameters
    ----------
    X, counts, gammas, reach, training
        As for `train_paths`.
    paths : tuple
        What `train_paths` returned.
    rows : ndarray of float64, shape (m, d)

    Returns
    -------
    ndarray of int64, shape (n_gammas, n_costs, m)
        Number of the class within the region; -1 beyond the reach.
    """
    coef, bias = paths[:2]
    code = coding(training.multiclass, counts)
    won = np.full((*coef.shape[:2], len(rows)), -1, dtype=np.int64)
    step = max(1, _ENTRIES // len(X))
    for start in range(0, len(rows), step):
        distance = squared_distances(rows[start : start + step], X, np.float32)
        kernel = np.empty_like(distance)
        for a in np.flatnonzero(reach):
            kernel_less_one(distance, gammas[a], kernel)
            used = slice(0, reach[a])
            scores = code.scores(kernel.astype(np.float64), coef[a, used], bias[a, used])
            won[a, used, start : start + step] = scores.argmax(axis=-1)
    return won


class RegionSVM:
    """The trained SVMs of one region, reduced to their support vectors.

    Attributes
    ----------
    vectors : ndarray of float64, shape (n_sv, d)
    coef : ndarray of float64, shape (n_sv, n_slots)
    bias : ndarray of float64, shape (n_machines,)
    classes : ndarray of int
        Classes of the region, by their numbers in the data.
    n_support : int
        Support vectors, summed over the SVMs.
    squared_norm, squared_slack : ndarray of float64, shape (n_machines,)
        |w|^2 and sum_i xi_i^2 of each SVM on its training rows (DTSVM Theorem 10).
    certificates : tuple of KernelCertificate
        Of each SVM on its training rows; `n_iter` counts the costs gone through.
    """

    def __init__(self, X, region, gamma, cost, coef, bias, multiclass, endings):
        used = (coef != 0.0).any(axis=1)
        number = np.repeat(np.arange(len(region.counts)), region.counts)[used]
        self.vectors = X[used]
        self.coef = coef[used]
        self.bias = bias
        self.gamma = gamma
        self.classes = region.classes
        self.n_support = int(np.count_nonzero(coef))
        self._coding = coding(multiclass, np.bincount(number, minlength=len(region.counts)))
        whole = coding(multiclass, region.counts)
        self.squared_norm, self.squared_slack, slack = _slack_terms(X, whole, gamma, coef, bias)
        half = 0.5 * self.squared_norm
        mass = [np.abs(whole.machine(k, coef)).sum() for k in range(whole.n_machines)]
        objectives = zip(half + cost * slack, mass - half, endings, strict=True)
        self.certificates = tuple(
            KernelCertificate(float(primal), float(dual), *ending)
            for primal, dual, ending in objectives
        )

    def scores(self, X):
        """Votes or decisions for each class of the region: shape (len(X), n_classes)."""
        kernel = squared_distances(X, self.vectors)
        kernel *= -self.gamma
        np.exp(kernel, out=kernel)
        return self._coding.scores(kernel, self.coef[None], self.bias[None])[0]


def _slack_terms(X, code, gamma, coef, bias):
    """|w|^2, sum_i xi_i^2 and sum_i xi_i of every SVM."""
    squared_norm, squared_slack, total = np.zeros((3, code.n_machines))
    for numbers, rows, labels in code.groups():
        alpha = np.stack([code.machine(number, coef)[rows] for number in numbers])
        used = np.flatnonzero(alpha.any(axis=0))
        inner = np.empty((len(rows), len(numbers)))
        step = max(1, _ENTRIES // max(1, len(used)))
        for start in range(0, len(rows), step):
            kernel = squared_distances(X[rows[start : start + step]], X[rows[used]])
            np.exp(-gamma * kernel, out=kernel)
            inner[start : start + step] = kernel @ alpha[:, used].T
        squared_norm[numbers] = np.einsum("pi,ip->p", alpha, inner)
        slack = np.maximum(0.0, 1.0 - labels.T * (inner + bias[numbers]))
        squared_slack[numbers] = (slack**2).sum(axis=0)
        total[numbers] = slack.sum(axis=0)
    return squared_norm, squared_slack, total


def ending(steps, last_steps, violation, tol, max_iter):
    """`n_iter`, `converged`, `reason` and `violation` of an SVM's certificate."""
    met = bool(violation <= tol)
    reason = "tolerance" if met else "max_iter" if last_steps >= max_iter else "precision"
    return int(steps), met, reason, float(violation)


def train_region_svm(X, region, gamma, cost, costs, training: Training) -> RegionSVM:
    """Train the SVMs of a region at one (gamma, cost), going through the costs below it."""
    ladder = np.array([*(c for c in costs if c < cost), cost], dtype=np.float64)
    rows = X[region.rows]
    reach = np.array([len(ladder)])
    coef, bias, steps, violation = train_paths(
        rows, region.counts, np.array([gamma], dtype=np.float64), ladder, reach, training
    )
    limits = training.tol, training.max_iter
    endings = [
        ending(taken.sum(), taken[-1], left, *limits)
        for taken, left in zip(steps[0].T, violation[0, -1], strict=True)
    ]
    solved = coef[0, -1], bias[0, -1]
    return RegionSVM(rows, region, gamma, cost, *solved, training.multiclass, endings)
