"""The same problems by scikit-learn's LIBSVM, which knows no warm start."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from hlsvm.subclass._active import extremes
from hlsvm.subclass._gram import Kernel
from hlsvm.subclass._search import KernelSolution, certify
from hlsvm.subclass.solver import most_steps

_ROUNDING = 16 * np.finfo(np.float64).eps  # of the largest variable: no step is smaller


def solve_with_libsvm(
    kernel: Kernel,
    X,
    y,
    upper,
    *,
    active=None,
    tol=1e-3,
    cache_size=2000,
    max_iter=-1,
    refine=True,
    n_jobs=None,
) -> KernelSolution:
    """Solve with LIBSVM on `active`, add what violates on all samples, solve again.

    Arguments and result are those of `solve_kernel_svm`. The certificate is computed here, always
    in double precision.
    """
    points = kernel.embed(X, np.float64)
    lo, hi = np.minimum(0.0, y * upper), np.maximum(0.0, y * upper)
    samples = np.arange(len(y)) if active is None else active
    n_iter = rounds = n_kernel = 0
    while True:
        model = SVC(
            C=1.0,
            kernel=kernel.name,
            gamma=kernel.gamma,
            degree=kernel.degree,
            coef0=kernel.coef0,
            tol=max(tol, _ROUNDING * upper[samples].max()),
            cache_size=cache_size,
            max_iter=most_steps(max_iter, len(samples)),
        ).fit(X[samples], y[samples], sample_weight=upper[samples])
        beta = np.zeros(len(y))
        support = samples[model.support_]
        beta[support] = model.dual_coef_[0]
        slope = kernel.expand(points[support], beta[support], points, n_jobs) - y
        n_iter += int(model.n_iter_[0])
        n_kernel += len(support) * len(y)
        rounds += 1
        inside = (a[samples] for a in (slope, beta, lo, hi))
        least, most = extremes(*inside)
        wrong = (y > 0) & (slope < most - tol) | (y < 0) & (slope > least + tol)
        wrong[samples] = False
        if not wrong.any():
            why = "tolerance" if model.fit_status_ == 0 else "max_iter"
            return certify(y, lo, hi, beta, slope, 1.1 * tol, 0.0, n_iter, n_kernel, rounds, why)
        samples = np.union1d(samples, np.flatnonzero(wrong))
