"""Divide-and-conquer SVM, which clusters in feature space (Hsieh, Si, Dhillon, ICML 2014)."""

from __future__ import annotations

import time
from dataclasses import replace
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from hlsvm._certificate import KernelCertificate
from hlsvm._params import check_number, check_option
from hlsvm.subclass._base import KernelClassifier
from hlsvm.subclass._divide import divide
from hlsvm.subclass._search import KernelSolution
from hlsvm.subclass.solver import solve_kernel_svm

_LOOSE = 0.1  # tolerance below the root

# The solution reported where every cluster holds one class and no SVM is trained.
_NOTHING = KernelSolution(
    np.zeros(0), 0.0, KernelCertificate(0.0, 0.0, 0, True, "tolerance", violation=0.0)
)


class DCSVC(KernelClassifier):
    """Divide-and-conquer SVM, early or exact.

    Level by level, kernel k-means on a sample cuts the data into ``branching ** level`` clusters;
    the SVM of every cluster starts from the variables of the level before. Samples for the
    clustering come from the support vectors once there are any.

    Parameters
    ----------
    n_levels : int, default 3
        Levels below the whole problem.
    branching : int, default 4
        Clusters of the first level, and factor from level to level, >= 2.
    n_sample : int, default 1000
        Samples that kernel k-means sees.
    early : bool, default False
        Stop after the top level: a sample is then decided by the machine of its cluster. Otherwise
        the whole problem is solved from there, first on the support vectors.
    C, kernel, gamma, degree, coef0, class_weight, tol, cache_size, max_iter, n_jobs, random_state
        As in `KernelSVC`.

    Attributes
    ----------
    n_warm_support_ : list of int
        Support vectors that the whole problem started from, for every machine.
    stage_times_ : dict
        Seconds of ``divide``, ``conquer`` (clusters) and ``whole``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, classes_, gamma_, n_iter_
    certificates_
        As in `KernelSVC`. With `early`, `certificates_` holds the least good cluster of every
        machine, `intercept_` means nothing, and every cluster has its own bias.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from hlsvm.subclass import DCSVC
    >>> X, y = make_moons(300, noise=0.1, random_state=0)
    >>> DCSVC(n_levels=1, gamma=1.0, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_levels=3,
        *,
        branching=4,
        n_sample=1000,
        early=False,
        C=1.0,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        class_weight=None,
        tol=1e-3,
        cache_size=2000,
        max_iter=-1,
        n_jobs=None,
        random_state=None,
    ):
        self.n_levels = n_levels
        self.branching = branching
        self.n_sample = n_sample
        self.early = early
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        check_number(self, "n_levels", self.n_levels, kind=Integral, low=1, high=60)
        check_number(self, "branching", self.branching, kind=Integral, low=2, high=10**6)
        check_number(self, "n_sample", self.n_sample, kind=Integral, low=2)
        check_option(self, "early", self.early, (True, False))

    def _prepare(self, X, labels, caps, seed):
        self._check_memory(np.bincount(labels))
        self._rng = np.random.default_rng(seed)
        self.stage_times_ = {"divide": 0.0, "conquer": 0.0, "whole": 0.0}
        self.n_warm_support_, self._early = [], []

    def _solve(self, X, y, caps, rows):
        beta = np.zeros(len(y))
        for level in range(int(self.n_levels), 0, -1):
            start = time.perf_counter()
            support = np.flatnonzero(beta)
            pool = support if len(support) >= self.n_sample else np.arange(len(y))
            sample = np.sort(
                self._rng.choice(pool, min(int(self.n_sample), len(pool)), replace=False)
            )
            division = divide(self._kernel_, X[sample], int(self.branching) ** level, self._rng)
            labels = division.assign(X, self.n_jobs)
            self._spend("divide", start)
            start = time.perf_counter()
            tol = self.tol if self.early and level == 1 else max(self.tol, _LOOSE)
            beta, bias, solutions = self._conquer(X, y, caps, labels, beta, tol)
            self._spend("conquer", start)
        self.n_warm_support_.append(int(np.count_nonzero(beta)))
        if self.early:
            self._early.append((division, labels, bias, rows, beta))
            worst = max(solutions, key=lambda s: s.certificate.violation, default=_NOTHING)
            return replace(worst, beta=beta)
        start = time.perf_counter()
        solution = self._whole(X, y, caps, beta)
        self._spend("whole", start)
        return solution

    def _spend(self, stage, start):
        self.stage_times_[stage] += time.perf_counter() - start

    def _whole(self, X, y, caps, beta):
        active = np.flatnonzero(beta)
        return solve_kernel_svm(
            self._kernel_,
            X,
            y,
            caps,
            beta=beta,
            active=active if len(active) > 1 else None,
            tol=self.tol,
            cache_size=self.cache_size,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )

    def _conquer(self, X, y, caps, labels, beta, tol):
        """Solve every cluster from `beta`: variables, a bias for each cluster, the solutions."""

        def solve(rows):
            if abs(y[rows].sum()) == len(rows):
                return None
            return solve_kernel_svm(
                self._kernel_,
                X[rows],
                y[rows],
                caps[rows],
                beta=beta[rows],
                tol=tol,
                cache_size=share,
                max_iter=self.max_iter,
            )

        members = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
        members = [rows for rows in members if len(rows)]
        share, workers = self._share([len(rows) for rows in members])
        solutions = Parallel(workers, prefer="threads")(delayed(solve)(rows) for rows in members)
        new, bias = np.zeros(len(y)), np.zeros(labels.max() + 1)
        for rows, solution in zip(members, solutions, strict=True):
            bias[labels[rows[0]]] = y[rows[0]] if solution is None else solution.bias
            if solution is not None:
                new[rows] = solution.beta
        result = [solution for solution in solutions if solution is not None]
        return new, bias, result

    def _assemble(self, X, labels, parts):
        super()._assemble(X, labels, parts)
        del self._rng
        for machine, (division, clusters, bias, rows, beta) in enumerate(self._early):
            support = np.flatnonzero(beta)
            at = np.searchsorted(self.support_, rows[support])
            self._early[machine] = (division, at, clusters[support], bias, beta[support])

    def _machines(self, X):
        check_is_fitted(self)
        if not self._early:
            return super()._machines(X)
        kernel = self._kernel_
        support = kernel.embed(self.support_vectors_, np.float64)
        out = np.empty((len(X), len(self._early)))
        for machine, (division, at, clusters, bias, beta) in enumerate(self._early):
            nearest = division.assign(X, self.n_jobs)
            for c in np.unique(nearest):
                rows = np.flatnonzero(nearest == c)
                members = clusters == c
                block = kernel.embed(X[rows], np.float64)
                values = kernel.expand(support[at[members]], beta[members], block, self.n_jobs)
                out[rows, machine] = values + bias[c]
        return out
