"""The dual of a kernel SVM, and its descent on the samples that are active."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hlsvm.subclass._gram import Kernel, Points
from hlsvm.subclass._row_cache import RowCache
from hlsvm.subclass._smo import add_rows, solve_block

_BLOCK = 1024  # variables solved together
MARGIN = 0.2  # how far beyond its limit a sample must be to be left out
_CHECK_EVERY = 8  # blocks between looks for samples to leave out
_PACE = 100_000  # steps between looks at the rounding
_ROUNDING = 16 * np.finfo(np.float64).eps  # of the largest variable or slope: no step is smaller
_WORTH = 0.3  # share of the active samples that makes leaving them out worth while


class Dual:
    """min 1/2 beta'K beta - y'beta with lo <= beta <= hi and sum(beta) = 0, on all samples.

    `slope` = K beta - y is kept right for the active samples. The others are in `away`, in groups
    (samples, beta) that remember for which beta theirs was right.
    """

    def __init__(self, kernel: Kernel, points: Points, y: NDArray, upper: NDArray):
        self.kernel = kernel
        self.points = points
        self.y = y
        self.lo = np.minimum(0.0, y * upper)
        self.hi = np.maximum(0.0, y * upper)
        self.n_kernel = 0
        self.restart(np.zeros(len(y)), -y.astype(np.float64), np.empty(0, dtype=np.int64))

    def restart(self, beta: NDArray, slope: NDArray, active: NDArray[np.int64]) -> None:
        """Take these variables and slopes, right for all samples."""
        self.beta, self.slope = beta, slope
        out = np.setdiff1d(np.arange(len(beta)), active, assume_unique=True)
        self.away = [(out, beta.copy())]

    def leave(self, samples: NDArray[np.int64]) -> None:
        """Count these samples as active no more."""
        self.away.append((samples, self.beta.copy()))

    def take_back(self, samples: NDArray[np.int64]) -> None:
        """Make these samples active; only right after `catch_up`."""
        out, beta = self.away[0]
        self.away = [(np.setdiff1d(out, samples, assume_unique=True), beta)]

    def catch_up(self, n_jobs: int | None) -> NDArray[np.int64]:
        """Bring `slope` up to date for the samples that are away; return them, ascending."""
        for samples, beta in self.away:
            moved = np.flatnonzero(self.beta != beta)
            if len(moved) and len(samples):
                change = (self.beta - beta)[moved]
                self.slope[samples] += self.kernel.expand(
                    self.points[moved], change, self.points[samples], n_jobs
                )
                self.n_kernel += len(moved) * len(samples)
        out = np.sort(np.concatenate([samples for samples, _ in self.away]))
        self.away = [(out, self.beta.copy())]
        return out

    def beyond(self, samples: NDArray[np.int64], least: float, most: float) -> NDArray[np.bool_]:
        """Whether a sample can move in no direction that an extreme sample would pair with."""
        return idle(
            self.slope[samples],
            self.beta[samples],
            self.lo[samples],
            self.hi[samples],
            least,
            most,
        )


def extremes(slope, beta, lo, hi):
    """Least slope of the samples that may go up, largest of those that may go down."""
    least = np.min(slope, where=beta < hi, initial=np.inf)
    most = np.max(slope, where=beta > lo, initial=-np.inf)
    return least, most


def idle(slope, beta, lo, hi, least, most):
    """Whether a sample is at a bound and its slope is beyond `least`, `most` (a stricter pair)."""
    return ((beta >= hi) & (slope < least)) | ((beta <= lo) & (slope > most))


def _choose(slope, up, down, kept, size):
    """Pick samples to join `kept`: half with the least slopes that may go up, half the reverse."""
    wanted = size - len(kept)
    rising = np.where(up, slope, np.inf)
    falling = np.where(down, -slope, np.inf)
    least, most = rising.min(), -falling.min()
    rising[kept] = falling[kept] = np.inf
    half = wanted // 2
    first = np.argpartition(rising, half - 1)[:half]
    first = first[rising[first] < most]
    falling[first] = np.inf
    wanted -= len(first)
    second = np.argpartition(falling, wanted - 1)[:wanted]
    second = second[falling[second] < -least]
    return np.concatenate([first, second])


class Descent:
    """Blocks of SMO on the active samples of a `Dual`, their kernel rows in a store."""

    def __init__(self, dual: Dual, samples: NDArray[np.int64], n_values: int, n_jobs: int | None):
        self.dual = dual
        self.n_jobs = n_jobs
        self.n_values = n_values
        self.n_iter = 0
        self._store = None
        self._recent = np.empty(0, dtype=np.int64)
        self._load(samples)

    def _load(self, samples):
        dual = self.dual
        self.samples = samples
        self.slope, self.beta = dual.slope[samples], dual.beta[samples]
        self.lo, self.hi = dual.lo[samples], dual.hi[samples]

    def save(self) -> None:
        """Write the active part back to the dual."""
        self.dual.slope[self.samples] = self.slope
        self.dual.beta[self.samples] = self.beta

    def extremes(self) -> tuple[float, float]:
        """Extreme slopes of the active samples."""
        return extremes(self.slope, self.beta, self.lo, self.hi)

    def descend(self, tol: float, max_iter: float) -> None:
        """Move blocks until the violation of the active samples is at most `tol`, or rounding."""
        blocks = 0
        while self.n_iter < max_iter:
            least, most = self.extremes()
            violation = most - least
            if violation <= max(tol, self._rounding()):
                return
            if len(self.samples) <= _BLOCK:
                self._solve_all(tol, max_iter)
                return
            if not self._move_block(violation, tol, max_iter):
                return
            blocks += 1
            if blocks % _CHECK_EVERY == 0:
                self.leave_out(_WORTH)

    def _solve_all(self, tol, max_iter):
        gram = self.dual.kernel.square(self.dual.points[self.samples])
        self.dual.n_kernel += gram.size
        pace = steps = min(_PACE, max_iter - self.n_iter)
        while steps == pace > 0:
            least = max(tol, self._rounding())
            steps = solve_block(gram, self.slope, self.beta, self.lo, self.hi, least, pace)
            self.n_iter += steps
            pace = min(pace, max_iter - self.n_iter)

    def _rounding(self):
        """Violation below which a step is lost in the rounding of variables and slopes."""
        largest = (np.abs(part).max(initial=0.0) for part in (self.beta, self.slope))
        return _ROUNDING * max(largest)

    def _move_block(self, violation, tol, max_iter):
        """Solve one block to a tenth of the violation; whether anything moved."""
        if self._store is None:
            self._store = RowCache(
                self.dual.kernel, self.dual.points, self.samples, self.n_values, self.n_jobs
            )
        store = self._store
        size = min(_BLOCK, store.capacity)
        kept = self._recent[-(size // 2) :] if size > 3 else self._recent[:0]
        fresh = _choose(self.slope, self.beta < self.hi, self.beta > self.lo, kept, size)
        block = np.concatenate([kept, fresh])
        slots = store.fetch(block)
        gram = self.dual.kernel.square(store.column_points[block])
        self.dual.n_kernel += gram.size
        beta, slope = self.beta[block], self.slope[block]
        self.n_iter += solve_block(
            gram,
            slope,
            beta,
            self.lo[block],
            self.hi[block],
            max(0.5 * tol, 0.1 * violation),
            min(20 * size, max_iter - self.n_iter),
        )
        step = beta - self.beta[block]
        moved = np.flatnonzero(step)
        self.beta[block] = beta
        add_rows(store.rows, slots[moved], step[moved], self.slope)
        self._recent = block
        return len(moved) > 0

    def leave_out(self, worth: float) -> None:
        """Let go of the samples that are safely at a bound, if they are a share `worth` or more."""
        least, most = self.extremes()
        out = idle(self.slope, self.beta, self.lo, self.hi, least - MARGIN, most + MARGIN)
        if not out.any() or out.mean() <= worth:
            return
        self.save()
        self.dual.leave(self.samples[out])
        self._change(np.flatnonzero(~out), np.empty(0, dtype=np.int64))

    def take_in(self, samples: NDArray[np.int64]) -> None:
        """Make more samples active; only right after `Dual.catch_up`."""
        self.dual.take_back(samples)
        self._change(np.arange(len(self.samples)), samples)

    def _change(self, keep, new):
        if self._store is not None:
            self._store.resize(keep, new, self.beta != 0)
        position = np.full(len(self.samples), -1, dtype=np.int64)
        position[keep] = np.arange(len(keep))
        recent = position[self._recent]
        self._recent = recent[recent >= 0]
        self._load(np.concatenate([self.samples[keep], new]))

    @property
    def n_kernel(self) -> int:
        """Kernel values computed for rows."""
        return 0 if self._store is None else self._store.n_computed
