"""One kernel SVM along ascending costs, its kernel rows from a store."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hlsvm._certificate import KernelCertificate
from hlsvm.subclass.kernels import solve_block
from hlsvm.tuning._steps import add_rows, expand, gather, measure

BLOCK = 1024  # variables moved together
_INNER = 0.05  # of the violation: how far the pairs of a block go
_PAIRS_EACH = 20  # most pairs for each variable of a block
_ROUNDING = 16 * np.finfo(np.float64).eps  # of the largest variable or slope: no step is smaller


class Fit(NamedTuple):
    """A machine at one cost, f(x_i) = slope_i + y_i + bias; good until the path goes on."""

    beta: NDArray[np.float64]
    slope: NDArray[np.float64]
    bias: float
    certificate: KernelCertificate
    seconds: float


class Path:
    """The machine of one set of samples, whose cost only rises.

    Going from a cost to a larger one, all variables are stretched alike: the point stays feasible,
    those at a bound stay there, and the slopes follow without a kernel value. Blocks of the
    samples that violate the conditions most are then moved until the gap is small. Slopes are kept
    on all samples, those that take no part included: the gap is that of the whole problem, and
    held-out samples have their values at no cost.

    Parameters
    ----------
    store : RowStore
    y : ndarray of float64, shape (n,)
        -1 or +1, and 0 for samples that take no part.
    weight : ndarray of float64, shape (n,)
        Of the cost; above 0 where y is not 0.
    tol : float
        Largest gap, as a part of the objective.
    max_iter : int
        Most pairs moved at one cost.
    """

    def __init__(self, store, y, weight, tol, max_iter):
        self._store, self._y, self._weight = store, y, np.where(y != 0.0, weight, 0.0)
        self._tol, self._max_iter = tol, max_iter
        self._cap = np.zeros(store.n)
        self._beta, self._slope = np.zeros(store.n), -y
        self._recent = np.empty(0, np.int64)
        size = min(BLOCK, store.n)
        self._gram = np.empty(size * size, np.float32)
        self._spare = np.empty((0 if store.fits() else size, store.n), np.float32)

    def advance(self, C: float) -> Fit:
        """Solve at cost `C`, at least that of the call before."""
        start = time.perf_counter()
        self._stretch(C)
        n_iter, n_rounds, reason = 0, 0, "tolerance"
        while True:
            violation, bias, objective, dual = measure(self._slope, self._y, self._cap, self._beta)
            if objective - dual <= self._tol * objective:
                break
            least = _ROUNDING * max(np.abs(self._beta).max(), np.abs(self._slope).max())
            if violation <= least or n_iter >= self._max_iter:
                reason = "precision" if violation <= least else "max_iter"
                break
            steps = self._move_block(violation, least, self._max_iter - n_iter)
            n_iter, n_rounds = n_iter + steps, n_rounds + 1
            if steps == 0:
                reason = "precision"
                break
        proof = KernelCertificate(
            objective=float(objective),
            dual_objective=float(min(dual, objective)),
            n_iter=int(n_iter),
            converged=reason == "tolerance",
            reason=reason,
            violation=float(max(violation, 0.0)),
            rounding=self._rounding(),
            n_rounds=n_rounds,
        )
        seconds = time.perf_counter() - start
        return Fit(self._beta, self._slope, float(bias), proof, seconds)

    def _stretch(self, C):
        y, beta, old = self._y, self._beta, self._cap
        self._cap = C * self._weight
        bound = (beta == y * old) & (y != 0.0)
        if beta.any() and bound.any():  # otherwise a larger cost changes nothing
            ratio = C / self._cost
            self._beta = np.where(bound, y * self._cap, ratio * beta)
            self._slope = ratio * (self._slope + y) - y
        self._cost = C

    def _move_block(self, violation, least, most_pairs):
        """Solve one block to a part of the violation; return how many pairs were moved."""
        store, y, cap = self._store, self._y, self._cap
        low, high = np.minimum(0.0, y * cap), np.maximum(0.0, y * cap)
        block = self._choose(self._beta < high, self._beta > low)
        m = len(block)
        slots = store.fetch(block, self._spare)
        gram = self._gram[: m * m].reshape(m, m)
        gather(store.rows, slots, self._spare, block, gram)
        before = self._beta[block]
        after = before.copy()
        n_iter = solve_block(
            gram,
            self._slope[block],
            after,
            low[block],
            high[block],
            max(_INNER * violation, least),
            min(_PAIRS_EACH * m, most_pairs),
        )
        add_rows(store.rows, slots, self._spare, after - before, self._slope)
        self._beta[block] = after
        self._recent = block
        return n_iter

    def _choose(self, up, down):
        """Half of the last block, and those that violate the conditions most on either side."""
        if self._store.n <= BLOCK:
            return np.arange(self._store.n)
        kept = self._recent[-(BLOCK // 2) :]
        wanted = BLOCK - len(kept)
        rising = np.where(up, self._slope, np.inf)
        falling = np.where(down, -self._slope, np.inf)
        least, most = rising.min(), -falling.min()
        rising[kept] = falling[kept] = np.inf
        first = _smallest(rising, wanted // 2, most)
        falling[first] = np.inf
        second = _smallest(falling, wanted - len(first), -least)
        return np.concatenate([kept, first, second])

    def _rounding(self):
        """Largest difference of the slopes checked from those in double precision."""
        store = self._store
        exact = expand(store.exact, self._beta) - self._y[store.checked]
        return float(np.abs(exact - self._slope[store.checked]).max())


def _smallest(values, count, limit):
    """Return the places of the `count` smallest values below `limit`; of equals the first."""
    edge = np.partition(values, count - 1)[count - 1]
    inside, tied = np.flatnonzero(values < edge), np.flatnonzero(values == edge)
    chosen = np.concatenate([inside, tied[: count - len(inside)]])
    return chosen[values[chosen] < limit]
