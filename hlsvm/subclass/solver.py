"""The kernel SVM solver: an active set that grows to a certified answer on all samples."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from hlsvm._data import check_data, check_numbers
from hlsvm._params import (
    check_n_jobs,
    check_number,
    check_option,
    check_scale,
    check_tolerance,
    check_type,
    refusal,
)
from hlsvm.subclass._active import Dual
from hlsvm.subclass._gram import Kernel
from hlsvm.subclass._search import KernelSolution, Search

_MANY, _THIN = 8192, 4  # of so many samples or more, every fourth is looked at first
_MOST_STEPS, _STEPS_EACH = 10_000_000, 100  # of max_iter=-1, in all or for a sample, as in LIBSVM


def solve_kernel_svm(
    kernel: Kernel,
    X: NDArray,
    y: NDArray[np.float64],
    upper: NDArray[np.float64],
    *,
    beta: NDArray[np.float64] | None = None,
    active: NDArray[np.int64] | None = None,
    tol: float = 1e-3,
    cache_size: float = 2000,
    max_iter: int = -1,
    refine: bool = True,
    n_jobs: int | None = None,
) -> KernelSolution:
    """Solve min 1/2 ||w||^2 + sum_i U_i max(0, 1 - y_i (w.phi(x_i) + b)) through its dual.

    Blocks of variables are solved by SMO with second-order working sets. Samples safely at a bound
    are left out, those that then violate the conditions are taken back, and the solution returned
    meets them on *all* samples, whatever set the search began with.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Labels +-1, both present.
    upper : ndarray of shape (n,)
        Caps U_i > 0 (C times a weight).
    beta : ndarray of shape (n,), optional
        Warm start, y_i alpha_i; it is made feasible.
    active : ndarray of int64, optional
        Where to look first, such as a reduced set. Default: everywhere.
    tol : float
        Largest violation allowed. Rounding may hide any less: then the search stops there.
    cache_size : float
        Megabytes for kernel rows; at least two rows.
    max_iter : int
        Most pairs to move; -1 for max(10,000,000, 100 n), as LIBSVM does.
    refine : bool
        Where single precision could hide a tenth of `tol`, put the slopes right in double precision
        and go on. Otherwise the rounding is only measured.
    n_jobs : int, optional
        Threads for kernel rows. The answer does not depend on it.

    Returns
    -------
    KernelSolution

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.subclass import Kernel, solve_kernel_svm
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> y = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> s = solve_kernel_svm(Kernel("linear"), X, y, np.full(4, 10.0))
    >>> s.beta.round(3).tolist(), abs(round(s.bias, 3)), s.certificate.converged
    ([0.0, -0.5, 0.5, 0.0], 0.0, True)
    """
    owner = "solve_kernel_svm"
    check_type(owner, "kernel", kernel, Kernel, "a Kernel")
    X = check_data(owner, X, dtype=[np.float64, np.float32])
    n = len(X)
    y = _check_vector("y", y, n)
    upper = _check_vector("upper", upper, n)
    beta = None if beta is None else _check_vector("beta", beta, n)
    if not (np.isin(y, (-1.0, 1.0)).all() and np.ptp(y) > 0):
        raise ValueError(refusal(owner, "y", "labels -1 and +1, both present", y))
    if active is not None:
        active = check_numbers(owner, "active", active, ndim=1).astype(np.int64)
        if active.min() < 0 or active.max() >= n:
            raise ValueError(refusal(owner, "active", f"rows from 0 to {n - 1}", active))
    check_tolerance(owner, "tol", tol)
    check_scale(owner, "cache_size", cache_size)
    check_number(owner, "max_iter", max_iter, kind=Integral, low=1, options=(-1,))
    check_option(owner, "refine", refine, (True, False))
    check_n_jobs(owner, n_jobs)
    n_values = int(min(cache_size, 1e12) * 1e6 / 4)
    if n_values < 2 * n:
        raise ValueError(
            f"The 'cache_size' parameter must hold two rows of the kernel matrix, {8e-6 * n:.3g} "
            f"megabytes for {n} samples. Got {cache_size!r} instead."
        )
    start = np.zeros(n) if beta is None else _feasible(beta, y, upper)
    dual = Dual(kernel, kernel.embed(X, np.float32), y, upper)
    search = Search(dual, X, float(tol), most_steps(max_iter, n), n_values, n_jobs)
    first = np.arange(n) if active is None else active
    if len(first) > _MANY and not start.any():
        first = first[::_THIN]
    return search.run(start, np.union1d(first, np.flatnonzero(start)), refine)


def _check_vector(name, value, n):
    vector = check_numbers("solve_kernel_svm", name, value, ndim=1)
    if len(vector) != n or (name == "upper" and vector.min() <= 0):
        accepted = f"{n} numbers, one per row of X" + " and above 0" * (name == "upper")
        raise ValueError(refusal("solve_kernel_svm", name, accepted, value))
    return vector


def most_steps(max_iter: int, n: int) -> int:
    """Return the steps that `max_iter` allows; -1 is LIBSVM's max(10,000,000, 100 n)."""
    return max(_MOST_STEPS, _STEPS_EACH * n) if max_iter < 0 else int(max_iter)


def _feasible(beta, y, upper):
    """Nearest scaling of a start into the box with zero sum."""
    beta = np.clip(beta, np.minimum(0.0, y * upper), np.maximum(0.0, y * upper))
    plus, minus = beta[beta > 0].sum(), -beta[beta < 0].sum()
    if plus == 0.0 or minus == 0.0:
        return np.zeros(len(y))
    least = min(plus, minus)
    return np.where(beta > 0, beta * (least / plus), beta * (least / minus))
