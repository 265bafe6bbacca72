"""What `KernelFisher` and `KQPFS` share: arguments, kernels, solvers, projections, classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from hlsvm._certificate import Certificate
from hlsvm._data import check_classes, check_data
from hlsvm._params import check_random_state
from hlsvm.extract import _system
from hlsvm.extract._arguments import (
    check_directions,
    check_function,
    check_params,
    check_symmetric,
)
from hlsvm.extract._gram import Gram, PairwiseKernel, project
from hlsvm.extract._reduced import reduce_expansion
from hlsvm.extract._solvers import Problem, Solution, solve


class KernelDiscriminant(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, BaseEstimator
):
    """Base of the kernel discriminants; `KernelFisher` describes the arguments."""

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma="scale",
        degree=3,
        coef0=1.0,
        kernel_params=None,
        mu=1e-3,
        regularizer="identity",
        multiclass="directions",
        threshold="means",
        n_components=None,
        solver="exact",
        rank=500,
        tol=1e-8,
        max_iter=500,
        cache_size=1000,
        n_reduced=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.mu = mu
        self.regularizer = regularizer
        self.multiclass = multiclass
        self.threshold = threshold
        self.n_components = n_components
        self.solver = solver
        self.rank = rank
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_reduced = n_reduced
        self.random_state = random_state

    def fit(self, X, y):
        """Find the directions.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples; the kernel matrix for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Classes, two or more.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError, TypeError
            An argument is out of range, y has one class, a precomputed matrix is not symmetric, or
            ``mu`` is too small for the regularised matrix to be positive definite.
        """
        self._check_params()
        precomputed = self._precomputed
        sparse = False if precomputed else "csr"
        X, y = check_data(self, X, y, dtype=np.float64, accept_sparse=sparse)
        self.classes_, codes = check_classes(self, y)
        check_directions(self, len(self.classes_))
        if precomputed:
            check_symmetric(X, type(self).__name__)
        self.gamma_ = self._resolve_gamma(X)
        if callable(self.kernel):
            check_function(self._kernel_function(), X, type(self).__name__)
        problem = self._problem(X, codes)
        solution = solve(problem, self.solver)
        self._keep(solution, self._choose(solution.system), X, problem)
        return self

    def transform(self, X):
        """Project samples on the directions: z = sum_i alpha_i k(x_i, x).

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"``, the kernel matrix between these samples and the training
            samples, shape (n_samples, n_training_samples).

        Returns
        -------
        Z : array of shape (n_samples, n_directions)
        """
        return self._project(X)

    def _project(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        sparse = False if self._precomputed else "csr"
        X = check_data(self, X, reset=False, dtype=np.float64, accept_sparse=sparse)
        if self.sampler_ is not None:
            return self.sampler_.transform(X) @ self.dual_coef_
        if self._precomputed:
            return X[:, self.support_] @ self.dual_coef_
        return project(self._kernel_function(), X, self.support_points_, self.dual_coef_)

    def decision_function(self, X):
        """Score samples for each class; the highest score is the prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,) or (n_samples, n_classes)
            Two classes: position between the projected means, -1 at that of the first class and
            +1 at that of the second; with ``threshold="offset"`` the least squares estimate of
            the label, f(x) + b. More: the same for each class against the rest, or minus half the
            squared distance to each class's mean.
        """
        Z = self._project(X)
        if self.threshold == "offset":
            scores = Z * self._length + self.offset_
            return scores[:, 0] if len(self.classes_) == 2 else scores
        if len(self.classes_) == 2:
            return _between(Z, self.means_[:1, :], self.means_[1:, :])[:, 0]
        if self.multiclass == "ovr":
            return _between(Z, self._rest_means, self.means_.diagonal()[None, :])
        Z, means = Z * self._metric, self.means_ * self._metric
        return Z @ means.T - 0.5 * ((Z**2).sum(axis=1)[:, None] + (means**2).sum(axis=1))

    def predict(self, X):
        """Return the class whose projected mean is nearest, or whose score is highest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : array of shape (n_samples,)
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def _problem(self, X: Any, codes: np.ndarray) -> Problem:
        """Put together what a solver needs."""
        seeds = check_random_state(self, self.random_state).randint(2**31 - 1, size=4)
        return Problem(
            Gram(self._kernel_function(), X, cache_bytes=self.cache_size * 2.0**20),
            *_system.class_matrix(codes, len(self.classes_)),
            mu=float(self.mu),
            regularizer=self.regularizer,
            rank=int(self.rank),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            rng=np.random.default_rng(seeds),
        )

    def _choose(self, system: _system.ClassSystem) -> np.ndarray:
        """Return M of the directions Y M, and set what the choice says about itself."""
        n_classes = len(self.classes_)
        self._metric = self._length = 1.0
        if n_classes == 2:
            self.separation_ = np.array([_system.separation(system)])
            return self._two_classes(system)
        if self.multiclass == "ovr":
            M, self.separation_ = _system.one_against_rest(system)
            return self._against_rest(M, system)
        M, self.separation_ = _system.directions(system)
        k = self.n_components or n_classes - 1
        M, self.separation_ = M[:, :k], self.separation_[:k]
        return self._several(M)

    def _keep(self, solution: Solution, M: np.ndarray, X: Any, problem: Problem) -> None:
        """Set the fitted attributes."""
        self.dual_coef_ = solution.expand(M)
        self.means_ = solution.system.means(M)
        self.n_iter_ = max(1, solution.n_iter)
        self.sampler_, self.support_ = solution.sampler, solution.points
        self.approximation_error_ = solution.error
        self.certificates_, self.reduced_ = (), None
        if solution.verify is not None:
            self.certificates_ = (solution.verify(M),)
            self._warn_unless_converged(self.certificates_[0])
        if self.n_reduced is not None:
            self._reduce(X, problem)
        counts = problem.counts
        self._set_offset(counts)
        if self.multiclass == "ovr" and len(counts) > 2:
            rest = counts @ self.means_ - counts * self.means_.diagonal()
            self._rest_means = (rest / (counts.sum() - counts))[None, :]
        whole = self.sampler_ is not None or self._precomputed
        self.support_points_ = None if whole else X[self.support_]

    def _set_offset(self, counts: np.ndarray) -> None:
        """Set b of Eq. 4.18, corrected: b = (1'y - 1'K alpha) / N, alpha of KQPFS (erratum E2)."""
        self.offset_ = None
        if len(counts) == 2 or self.multiclass == "ovr":
            share = counts[1:] / counts.sum() if len(counts) == 2 else counts / counts.sum()
            middle = (counts @ self.means_) / counts.sum()
            self.offset_ = 2.0 * share - 1.0 - middle * self._length

    def _warn_unless_converged(self, certificate: Certificate) -> None:
        if certificate.converged:
            return
        mu = f"mu (now {self.mu:.1e})"
        if self.solver == "cg":
            advice = f"max_iter (now {self.max_iter}), rank (now {self.rank}) or {mu}."
        else:
            advice = f"{mu}; kernels with negative eigenvalues need a larger one."
        warnings.warn(
            f"{type(self).__name__} with solver={self.solver!r} reached {certificate.reason}. "
            f"Raise {advice}",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _reduce(self, X: Any, problem: Problem) -> None:
        """Replace the expansion by a sparse one and the means by its own."""
        if self._precomputed:
            gram = Gram(problem.gram.kernel, X[np.ix_(self.support_, self.support_)])
        else:
            gram = Gram(problem.gram.kernel, X[self.support_])
        self.reduced_ = reduce_expansion(gram, self.dual_coef_, min(int(self.n_reduced), gram.n))
        self.support_ = self.support_[self.reduced_.indices]
        self.dual_coef_ = self.reduced_.coef
        Z = problem.gram.columns(self.support_) @ self.dual_coef_
        self.means_ = (problem.V.T @ Z) / np.sqrt(problem.counts)[:, None]

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def _n_features_out(self) -> int:
        return self.dual_coef_.shape[1]

    def _kernel_function(self) -> PairwiseKernel:
        if callable(self.kernel):
            return PairwiseKernel(self.kernel, dict(self.kernel_params or {}))
        params = {"gamma": self.gamma_, "degree": self.degree, "coef0": self.coef0}
        return PairwiseKernel(self.kernel, params)

    def _resolve_gamma(self, X: Any) -> float:
        if self.gamma == "scale":
            variance = X.multiply(X).mean() - X.mean() ** 2 if issparse(X) else X.var()
            return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        return 1.0 / X.shape[1] if self.gamma == "auto" else float(self.gamma)

    def _check_params(self) -> None:
        check_params(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = not self._precomputed
        return tags


def _between(Z: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return positions from -1 at `low` to +1 at `high`; 0 where the two are the same."""
    gap = high - low
    flat = gap == 0
    return np.where(flat, 0.0, (2.0 * Z - (low + high)) / np.where(flat, 1.0, gap))
