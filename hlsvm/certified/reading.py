"""From a fitted SVM to its certified answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from hlsvm._params import check_n_jobs, refusal
from hlsvm.certified._cells import cells_of
from hlsvm.certified.classifier import CertifiedSVC, checked_rows
from hlsvm.regions.kernels import read_svm

_NEEDED = ("support_vectors_", "dual_coef_", "intercept_", "classes_", "kernel")


def certify(svm: Any, X: ArrayLike | None = None, *, n_jobs: int | None = None) -> CertifiedSVC:
    r"""Make a classifier that answers as a fitted Gaussian kernel SVM does, many times faster.

    Every answer comes from bounds on the SVM's value :math:`f(x)` that leave its sign no choice;
    where they do, the SVM itself answers.

    Parameters
    ----------
    svm : fitted classifier of two classes
        scikit-learn's `SVC` or `NuSVC`, or one of `hlsvm.subclass`, with ``kernel="rbf"``.
    X : array-like of shape (n_samples, n_features), optional
        Rows like those to come, such as the training rows; no labels. They say where cells pay
        in which a polynomial of degree three answers for all support vectors: up to 16 columns
        of more than two values. The answers do not depend on them.
    n_jobs : int or None, default=None
        Threads. The answers do not depend on it, to the bit.

    Returns
    -------
    CertifiedSVC

    Raises
    ------
    TypeError
        `svm` is not fitted, or no SVM of a Gaussian kernel.
    ValueError
        It has more than two classes, or X holds NaN or has other columns.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from hlsvm import certify
    >>> from hlsvm.datasets.synthetic import banana
    >>> X, y = banana(2000, seed=0)
    >>> svm = SVC(C=10, gamma=1.0).fit(X[:1000], y[:1000])
    >>> fast = certify(svm, X[:1000])
    >>> bool((fast.predict(X) == svm.predict(X)).all()), fast.work(X).settled > 0.99
    (True, True)
    >>> low, high = fast.bounds(X)
    >>> f = svm.decision_function(X)
    >>> bool(((low <= f) & (f <= high)).all())
    True
    """
    check_n_jobs("certify", n_jobs)
    missing = [name for name in _NEEDED if isinstance(svm, type) or not hasattr(svm, name)]
    if missing or svm.kernel != "rbf":
        raise TypeError(refusal("certify", "svm", "a fitted SVM with kernel='rbf'", svm))
    if len(svm.classes_) != 2:
        accepted = "an SVM of two classes"
        raise ValueError(refusal("certify", "svm", accepted, svm))
    vectors = svm.support_vectors_
    points = vectors.toarray() if hasattr(vectors, "toarray") else np.asarray(vectors)
    if X is not None:
        X = checked_rows("certify", X, points.shape[1])
    with threadpool_limits(1, user_api="blas"):
        expansion = read_svm(svm, points if X is None else X)
        cells = None if X is None else cells_of(expansion, X)
    return CertifiedSVC(svm, expansion, cells, n_jobs)
