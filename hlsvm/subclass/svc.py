"""Kernel SVM classifier on all samples."""

from __future__ import annotations

from hlsvm.subclass._base import KernelClassifier
from hlsvm.subclass.solver import solve_kernel_svm


class KernelSVC(KernelClassifier):
    """Exact kernel SVM on all samples, by blocks of SMO over an active set.

    Solves scikit-learn's `SVC` problem to the same tolerance; see
    `hlsvm.subclass.solve_kernel_svm` for the method and the certificate.

    Parameters
    ----------
    C : float, default 1.0
        Cost, > 0.
    kernel : {"rbf", "linear", "poly"}, default "rbf"
    gamma : {"scale", "auto"} or float, default "scale"
        Of "rbf" and "poly", > 0; names as in scikit-learn's `SVC`.
    degree : int, default 3
    coef0 : float, default 0.0
        Of "poly", >= 0.
    class_weight : dict, "balanced" or None
        Multiplies C.
    tol : float, default 1e-3
        Largest violation of the optimality conditions. Where rounding hides any less (16 units
        in the last place of the largest coefficient), a ConvergenceWarning says what was reached.
    cache_size : float, default 2000
        Megabytes for kernel rows.
    max_iter : int, default -1
        Most pairs of variables moved; -1 for max(10,000,000, 100 n) with n samples, the limit of
        LIBSVM.
    n_jobs : int or None
        Threads. The answer does not depend on it, to the bit.
    random_state : int, RandomState or None
        Unused; all kernel classifiers here have it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_, support_vectors_, n_support_ : ndarrays
        Rows with a non-zero coefficient, their values, their number by class.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        y_i alpha_i, one row per pair of classes.
    intercept_ : ndarray of shape (n_machines,)
    certificates_ : tuple of KernelCertificate
        Of every machine: objective, dual objective, gap, violation, why it stopped, ...
    n_iter_ : ndarray of int
    gamma_ : float

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from hlsvm.subclass import KernelSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = KernelSVC(C=10).fit(X, y)
    >>> round(model.score(X, y), 2), model.certificates_[0].converged
    (0.92, True)
    """

    def __init__(
        self,
        C=1.0,
        *,
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

    def _solve(self, X, y, caps, rows):
        return solve_kernel_svm(
            self._kernel_,
            X,
            y,
            caps,
            tol=self.tol,
            cache_size=self.cache_size,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )
