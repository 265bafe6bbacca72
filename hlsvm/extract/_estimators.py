"""Kernel Fisher discriminant and kernel QPFS."""

from __future__ import annotations

import numpy as np

from hlsvm._params import check_number
from hlsvm.extract import _system
from hlsvm.extract._discriminant import KernelDiscriminant


class KernelFisher(KernelDiscriminant):
    """Kernel Fisher discriminant: nonlinear features that separate the classes best.

    For two classes the direction is alpha = (W + mu R)^-1 (B+ - B-) (Thesis 4.1.1), with W the
    within-class scatter of the kernel columns, B+ and B- their class means, and R = I or K. For
    more, the leading solutions of B a = lambda (W + mu R) a, or one direction for each class
    against the rest. A sample goes to the class with the nearest projected mean (Thesis 2.3.1).

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        A kernel of `sklearn.metrics.pairwise.pairwise_kernels`, ``"precomputed"`` (`X` is then a
        dense kernel matrix), or a symmetric function of two sample matrices that returns their
        kernel matrix, as `sklearn.svm.SVC` has.
    gamma : {"scale", "auto"} or float, default="scale"
        Of the rbf, laplacian, chi2, poly and sigmoid kernels: 1 / (n_features X.var()),
        1 / n_features, or the number. Thesis Table 2.2 writes 1 / (2 sigma^2).
    degree : float, default=3
        Of the poly kernel.
    coef0 : float, default=1.0
        Of the poly and sigmoid kernels.
    kernel_params : dict, default=None
        Keyword arguments of a kernel that is a function.
    mu : float, default=1e-3
        mu_W of the Thesis, as printed: it is added to W, whose size grows with n_samples. There
        is no default that suits all data; choose it by cross-validation. Zero is refused: W has
        at most rank n_samples - 2.
    regularizer : {"identity", "kernel"}, default="identity"
        R = I penalises the length of alpha, R = K that of the direction in feature space, as
        least squares support vector machines do.
    multiclass : {"directions", "ovr"}, default="directions"
        For three classes and more: C - 1 discriminant directions and the nearest mean in their
        space (one unit of distance is one within-class deviation), or C directions of one class
        against the rest. The latter cost no more: Q_K is the same for all, so the KQPFS
        directions come from one factorisation and the Fisher ones are parallel to them.
    threshold : {"means", "offset"}, default="means"
        ``"means"``: the nearest projected mean (Thesis 2.3.1). ``"offset"``: the sign of
        f(x) + b, with f the KQPFS projection and b of Eq. 4.18, corrected: the least squares form,
        which takes account of the class sizes and has a lower error where they are unequal. Two
        classes or ``"ovr"``.
    n_components : int, default=None
        How many directions, at most (and by default) n_classes - 1. Not used with
        ``"ovr"``, which has one for each of three classes and more.
    solver : {"exact", "nystroem", "rff", "cg"}, default="exact"
        ``"exact"``: one Cholesky factorisation in the memory of K alone. ``"nystroem"``: exact
        for the kernel of `rank` randomly pivoted landmarks. ``"rff"``: the same for random
        Fourier features (rbf only). ``"cg"``: conjugate gradients on kernel blocks, for
        n_samples whose K does not fit in memory.
    rank : int, default=500
        Landmarks, random features, or size of the preconditioner.
    tol : float, default=1e-8
        Residual at which ``"cg"`` stops, relative to the right-hand side.
    max_iter : int, default=500
        Most steps of ``"cg"``.
    cache_size : float, default=1000
        Megabytes that ``"cg"`` may take to keep K; a larger K is recomputed at each step.
    n_reduced : int, default=None
        Keep this many terms of the expansion (orthogonal matching pursuit). `reduced_` states
        what is lost.
    random_state : int, RandomState or None, default=None
        Draws landmarks and random features.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    dual_coef_ : array of shape (n_support, n_directions)
        alpha; one row for each random feature with ``"rff"``.
    support_ : array of shape (n_support,) or None
        Training samples that the expansion uses.
    support_points_ : array of shape (n_support, n_features) or None
        The samples themselves; None for precomputed kernels and ``"rff"``.
    means_ : array of shape (n_classes, n_directions)
        Projected class means.
    offset_ : array or None
        b of each direction (two classes and ``"ovr"``).
    separation_ : array of shape (n_directions,)
        Between-class over regularised within-class scatter of each direction, t = c d'alpha.
    certificates_ : tuple of SystemCertificate
        One, of the system (W + mu R) alpha = d, measured with the true kernel: its objective and
        gap, `residual`, `backward_error` and `condition`. Empty with ``"nystroem"`` and ``"rff"``,
        which solve for another kernel: `approximation_error_` tells which.
    approximation_error_ : float or None
        Share of the kernel's trace that the landmarks lose, or the relative error of 512 rows
        and columns of the random-feature kernel.
    reduced_ : ReducedSet or None
        Indices, coefficients, `norm_error` and `projection_error` of the sparse expansion.
    gamma_ : float
    n_iter_ : int
        Lanczos or conjugate gradient steps, or solves.

    See Also
    --------
    KQPFS : the same directions from the QPFS objective.
    hlsvm.extract.reference : the algorithms as printed.

    Notes
    -----
    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows; it needs the rows themselves, not ``kernel="precomputed"``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from hlsvm import KernelFisher
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), KernelFisher(mu=1.0)).fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.95)
    True
    >>> model[-1].transform(X[:3]).shape
    (3, 1)
    """

    def _two_classes(self, system: _system.ClassSystem) -> np.ndarray:
        self._length = _system.kqpfs_factor(system)
        return _system.fisher(system)

    def _against_rest(self, M: np.ndarray, system: _system.ClassSystem) -> np.ndarray:
        counts, total = system.counts, system.counts.sum()
        self._length = (2.0 * counts * (total - counts) / total) / (1.0 + self.separation_)
        return M / self._length

    def _several(self, M: np.ndarray) -> np.ndarray:
        return M


class KQPFS(KernelDiscriminant):
    """Kernel quadratic programming feature selection: QPFS in feature space, one direction.

    alpha = (Q_K + mu R)^-1 F_K (Thesis Eq. 4.8) minimises the redundancy alpha' Q_K alpha, the
    variance of the projection, less the relevance F_K' alpha, its covariance with the class. It
    is the Fisher direction: Q_K = W + c d d' and F_K = 2 c d with c = N+ N- / N and
    d = B+ - B-, so by Sherman and Morrison

        alpha_KQPFS = 2 c / (1 + t) alpha_KernelFisher,    t = c d' alpha_KernelFisher > 0,

    exactly, for every mu > 0. Predictions are those of `KernelFisher`.

    Parameters
    ----------
    beta : float, default=0.5
        Weight of relevance against redundancy, Eq. 4.9. It multiplies alpha by beta / (1 - beta)
        and changes no direction.
    kernel, gamma, degree, coef0, kernel_params, mu, regularizer, multiclass, threshold, \
n_components, solver, rank, tol, max_iter, cache_size, n_reduced, random_state
        As for `KernelFisher`; mu is mu_Q.

    Attributes
    ----------
    factor_ : float or None
        2 c / (1 + t) beta / (1 - beta): alpha over that of `KernelFisher` (two classes).
    classes_, dual_coef_, support_, support_points_, means_, offset_, separation_, \
certificates_, approximation_error_, reduced_, gamma_, n_iter_
        As for `KernelFisher`; the certificates are those of the Fisher system, which the
        direction solves up to its factor. Several directions have
        alpha'(Q_K + mu R) alpha = (beta / (1 - beta))^2.

    Notes
    -----
    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows; it needs the rows themselves, not ``kernel="precomputed"``.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import KQPFS, KernelFisher
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (200, 2))
    >>> y = np.where(np.hypot(*X.T) < 0.5, 1, -1)
    >>> kqpfs, fisher = KQPFS(mu=0.1).fit(X, y), KernelFisher(mu=0.1).fit(X, y)
    >>> bool(np.allclose(kqpfs.dual_coef_, kqpfs.factor_ * fisher.dual_coef_, rtol=1e-12))
    True
    """

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
        beta=0.5,
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
        super().__init__(
            kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            kernel_params=kernel_params,
            mu=mu,
            regularizer=regularizer,
            multiclass=multiclass,
            threshold=threshold,
            n_components=n_components,
            solver=solver,
            rank=rank,
            tol=tol,
            max_iter=max_iter,
            cache_size=cache_size,
            n_reduced=n_reduced,
            random_state=random_state,
        )
        self.beta = beta

    def _check_params(self) -> None:
        super()._check_params()
        check_number(self, "beta", self.beta, low=0, high=1, closed="neither")

    @property
    def _balance(self) -> float:
        return self.beta / (1.0 - self.beta)

    def _two_classes(self, system: _system.ClassSystem) -> np.ndarray:
        self._length = 1.0 / self._balance
        self.factor_ = _system.kqpfs_factor(system) * self._balance
        return self.factor_ * _system.fisher(system)

    def _against_rest(self, M: np.ndarray, system: _system.ClassSystem) -> np.ndarray:
        self.factor_, self._length = None, 1.0 / self._balance
        return M * self._balance

    def _several(self, M: np.ndarray) -> np.ndarray:
        self.factor_ = None
        lengths = np.sqrt(1.0 + self.separation_)
        self._metric = lengths / self._balance
        return M * (self._balance / lengths)
