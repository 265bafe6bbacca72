"""LASVM: the online kernel SVM that DTSVM is compared with."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from joblib import Parallel, delayed

from hlsvm._params import (
    check_n_jobs,
    check_number,
    check_option,
    check_scale,
    check_tolerance,
)
from hlsvm.regions._base import RegionSVC
from hlsvm.regions._coding import coding
from hlsvm.regions._division import RandomDivision
from hlsvm.regions._lasvm import solve_online
from hlsvm.regions._region_svm import Region, RegionSVM, ending

__all__ = ["LASVMClassifier"]

_SEEDS = 5  # rows of each class that are taken unasked, as in the paper


class LASVMClassifier(RegionSVC):
    r"""Online RBF SVM (LASVM): passes over the rows in random order, then finishing.

    Every row that violates the conditions of optimality enters the set of candidates with one step
    of SMO, and after each another step of SMO is taken within the set, which drops the rows that
    are of no use. Finishing goes on with such steps until the set is optimal to `tol`. Rows that
    were turned away are not looked at again, so after one pass the objective stays below that of
    LIBSVM: by a per cent or two on thousands of rows, by ten and more on a few hundred, where the
    first rows are judged by next to nothing. A second pass (``n_epochs=2``) comes within about a
    per cent.

    Parameters
    ----------
    C : float, default=1.0
    gamma : float, default=1.0
        Of the kernel :math:`\exp(-\gamma \|x - z\|^2)`.
    n_epochs : int, default=1
        Passes over the rows; the papers compare with one.
    finish : bool, default=True
        Whether to end with finishing.
    multiclass : {"ovo", "ovr"}, default="ovo"
        One against one with majority vote, or one against others with the largest decision.
    tol : float, default=1e-3
        Largest violation of the optimality conditions within the set.
    max_iter : int, default=10_000_000
        Most steps of finishing for one SVM.
    n_jobs : int or None, default=None
        SVMs trained at a time.
    random_state : int, RandomState instance or None, default=None
        Of the order of the rows.

    Attributes
    ----------
    machines_ : list of RegionSVM
        One, with all SVMs.
    certificates_ : tuple of KernelCertificate
        Of all SVMs: the objectives are those of all rows, the violation that of the set.
    n_support_total_, n_iter_ : int
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows.

    References
    ----------
    A. Bordes, S. Ertekin, J. Weston, L. Bottou, "Fast Kernel Classifiers with Online and Active
    Learning", JMLR 6 (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from hlsvm.regions import LASVMClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    >>> LASVMClassifier(C=10, gamma=1, random_state=0).fit(X, y).score(X, y) > 0.97
    True
    """

    def __init__(
        self,
        C=1.0,
        gamma=1.0,
        *,
        n_epochs=1,
        finish=True,
        multiclass="ovo",
        tol=1e-3,
        max_iter=10_000_000,
        n_jobs=None,
        random_state=None,
    ):
        self.C = C
        self.gamma = gamma
        self.n_epochs = n_epochs
        self.finish = finish
        self.multiclass = multiclass
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        check_scale(self, "C", self.C)
        check_scale(self, "gamma", self.gamma)
        check_tolerance(self, "tol", self.tol)
        check_number(self, "n_epochs", self.n_epochs, kind=Integral, low=1, high=10_000)
        check_number(self, "max_iter", self.max_iter, kind=Integral, low=1)
        check_option(self, "multiclass", self.multiclass, ("ovo", "ovr"))
        check_option(self, "finish", self.finish, (True, False))
        check_n_jobs(self, self.n_jobs)
        return None, None

    def fit(self, X, y):
        """Train by passes over the rows in random order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter is out of range, X or y hold NaN or infinity, or y holds one class.
        """
        return super().fit(X, y)

    def _one(self, X, y, number):
        rng = np.random.default_rng([self._seed, number])
        order = np.concatenate([rng.permutation(len(y)) for _ in range(self.n_epochs)])
        most = int(self.max_iter) if self.finish else 0
        return solve_online(
            X, y, float(self.C), float(self.gamma), order, _SEEDS, float(self.tol), most
        )

    def _fit(self, X, codes, validation, grid, training):
        region = Region.of(np.arange(len(codes)), codes)
        X = X[region.rows]
        code = coding(self.multiclass, region.counts)
        tasks = [
            (number, rows, labels[k])
            for numbers, rows, labels in code.groups()
            for k, number in enumerate(numbers)
        ]
        result = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._one)(X[rows], y, number) for number, rows, y in tasks
        )
        coef, bias = np.zeros((len(X), code.n_slots)), np.zeros(code.n_machines)
        for (number, _, _), (beta, b, _, _) in zip(tasks, result, strict=True):
            code.place([number], beta[None], coef)
            bias[number] = b
        limits = float(self.tol), int(self.max_iter)
        endings = [
            ending(steps, steps, left, *limits) if self.finish else (steps, False, "passes", left)
            for _, _, steps, left in result
        ]
        problem = X, region, float(self.gamma), float(self.C)
        machine = RegionSVM(*problem, coef, bias, self.multiclass, endings)
        self.division_ = RandomDivision(len(X), len(X), self._seed)
        self.labels_ = region.classes[:1]
        self._keep([machine])
