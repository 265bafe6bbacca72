"""The kernel SVM solver: an active set that grows to a certified answer on all samples."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from hlsvm._certificate import KernelCertificate
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
from hlsvm.subclass._active import MARGIN, Descent, Dual, extremes
from hlsvm.subclass._gram import Kernel

_STAGES = (0.3, 0.1)  # tolerances on the way, at which the active set is looked over
_FEW = 1024  # so many samples are solved at once
_MANY, _THIN = 8192, 4  # of so many samples or more, every fourth is looked at first
_SAMPLE = 256  # samples of either kind whose slope is checked in double precision
_REFINEMENTS = 12
_MOST_STEPS, _STEPS_EACH = 10_000_000, 100  # of max_iter=-1, in all or for a sample, as in LIBSVM
_MOST_ROUNDS = 1000  # comparisons with all samples
_SMALL = 0.05  # share of idle samples worth leaving out between stages


@dataclass(frozen=True)
class KernelSolution:
    """Solution of a kernel SVM: f(x) = sum_i beta_i k(x_i, x) + bias.

    Attributes
    ----------
    beta : ndarray of float64, shape (n,)
        y_i alpha_i.
    bias : float
    certificate : KernelCertificate
        On all samples.
    """

    beta: NDArray[np.float64]
    bias: float
    certificate: KernelCertificate


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
    search = _Search(dual, X, float(tol), most_steps(max_iter, n), n_values, n_jobs)
    first = np.arange(n) if active is None else active
    if len(first) > _MANY and not start.any():
        first = first[::_THIN]
    return search.run(start, np.union1d(first, np.flatnonzero(start)), refine)


def _check_vector(name, value, n):
    vector = check_numbers("solve_kernel_svm", name, value, ndim=1)
    if len(vector) != n or (name == "upper" and vector.min() <= 0):
        accepted = f"{n} numbers, one a row of X" + " and above 0" * (name == "upper")
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


class _Search:
    def __init__(self, dual, X, tol, max_iter, n_values, n_jobs):
        self.dual, self.X, self.tol = dual, X, tol
        self.max_iter, self.n_values, self.n_jobs = max_iter, n_values, n_jobs
        self.n_rounds = 0
        self.reason = "tolerance"

    def run(self, start, first, refine):
        dual = self.dual
        support = np.flatnonzero(start)
        slope = dual.slope + dual.kernel.expand(
            dual.points[support], start[support], dual.points, self.n_jobs
        )
        dual.n_kernel += len(support) * len(slope)
        dual.restart(start, slope, first)
        descent = Descent(dual, first, self.n_values, self.n_jobs)
        stages = [t for t in _STAGES if t > self.tol and len(first) > _FEW]
        for tol in (*stages, self.tol):
            self._meet(descent, tol)
        rounding = self._check()
        for _ in range(_REFINEMENTS if refine else 0):
            if rounding <= 0.1 * self.tol or self.reason != "tolerance":
                break
            rounding = self._refine(descent)
        dual.n_kernel += descent.n_kernel
        return certify(
            dual.y,
            dual.lo,
            dual.hi,
            dual.beta,
            dual.slope,
            self.tol,
            rounding,
            descent.n_iter,
            dual.n_kernel,
            self.n_rounds,
            self.reason,
        )

    def _meet(self, descent, tol):
        """Descend to `tol` and take in what violates, until nothing does; on the way, only once."""
        dual = self.dual
        last = tol == self.tol
        while True:
            descent.descend(tol, self.max_iter)
            descent.leave_out(_SMALL if not last else 1.0)
            descent.save()
            away = dual.catch_up(self.n_jobs)
            self.n_rounds += 1
            everyone = extremes(dual.slope, dual.beta, dual.lo, dual.hi)
            least, most = descent.extremes() if len(descent.samples) else everyone
            middle, slack = 0.5 * (least + most), 0.0 if last else MARGIN
            wrong = away[~dual.beyond(away, middle - slack, middle + slack)]
            done = everyone[1] - everyone[0] <= tol
            if descent.n_iter >= self.max_iter:
                self.reason = "max_iter"
                return
            stuck = (len(wrong) == 0 and most - least > tol) or self.n_rounds > _MOST_ROUNDS
            if last and (done or stuck):
                if not done:
                    self.reason = "precision"
                return
            if len(wrong):
                descent.take_in(wrong)
            if not last:
                return

    def _double_slope(self, samples):
        dual = self.dual
        support = np.flatnonzero(dual.beta)
        kernel = dual.kernel
        dual.n_kernel += len(support) * len(samples)
        values = kernel.expand(
            kernel.embed(self.X[support], np.float64),
            dual.beta[support],
            kernel.embed(self.X[samples], np.float64),
            self.n_jobs,
        )
        return values - dual.y[samples]

    def _check(self):
        """Largest error of the slopes of the most critical samples and of some of the rest."""
        dual = self.dual
        n = len(dual.y)
        rising = np.where(dual.beta < dual.hi, dual.slope, np.inf)
        falling = np.where(dual.beta > dual.lo, -dual.slope, np.inf)
        count = min(_SAMPLE, n)
        samples = np.unique(
            np.concatenate(
                [
                    np.argpartition(rising, count - 1)[:count],
                    np.argpartition(falling, count - 1)[:count],
                    np.linspace(0, n - 1, count).astype(np.int64),
                ]
            )
        )
        return float(np.max(np.abs(self._double_slope(samples) - dual.slope[samples])))

    def _refine(self, descent):
        """Put all slopes right in double precision and go on: small steps make small errors."""
        dual = self.dual
        everyone = np.arange(len(dual.y))
        dual.restart(dual.beta, self._double_slope(everyone), descent.samples)
        descent.slope = dual.slope[descent.samples]
        self._meet(descent, self.tol)
        return self._check()


def certify(y, lo, hi, beta, slope, tol, rounding, n_iter, n_kernel, n_rounds, reason):
    """Measure `beta` by its slopes on all samples: bias, objectives, violation."""
    least, most = extremes(slope, beta, lo, hi)
    free = (beta > lo) & (beta < hi)
    bias = -float(np.mean(slope[free]) if free.any() else 0.5 * (least + most))
    excess = y * (slope + bias)
    alpha, caps = np.abs(beta), hi - lo
    gap = alpha * np.maximum(excess, 0.0) + (caps - alpha) * np.maximum(-excess, 0.0)
    dual = float(alpha.sum()) - 0.5 * float(beta @ (slope + y))
    violation = float(max(most - least, 0.0))
    if violation > tol:
        if reason == "tolerance":  # by the solver's own slopes, whose rounding hid the rest
            reason = "precision"
        mend = "'tol', lower 'C'" if reason == "precision" else "'max_iter' or 'tol'"
        warnings.warn(
            f"The kernel SVM stopped ({reason}) at a violation of {violation:.3g}, above "
            f"tol={tol:g}, after {n_iter} steps. Raise {mend}, or scale the features.",
            ConvergenceWarning,
            stacklevel=2,
        )
    proof = KernelCertificate(
        objective=dual + float(gap.sum()),
        dual_objective=dual,
        n_iter=n_iter,
        converged=violation <= tol,
        reason=reason,
        violation=violation,
        rounding=rounding,
        n_kernel=n_kernel,
        n_rounds=n_rounds,
    )
    return KernelSolution(beta, bias, proof)
