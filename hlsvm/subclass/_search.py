"""Search for the solution of a kernel SVM: blocks of variables, looked over on all samples."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from hlsvm._certificate import KernelCertificate
from hlsvm.subclass._active import MARGIN, Descent, extremes

_STAGES = (0.3, 0.1)  # tolerances on the way, at which the active set is looked over
_FEW = 1024  # so many samples are solved at once
_SAMPLE = 256  # samples of either kind whose slope is checked in double precision
_REFINEMENTS = 12
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


class Search:
    """Descend on the active samples, compare with all of them, take in those that violate."""

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
