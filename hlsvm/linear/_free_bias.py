"""The weighted linear SVM whose bias is not regularised, by a search on the bias.

    P(w, b) = 1/2 ||w||^2 + sum_i U_i max(0, 1 - y_i (w.x_i + b))

has the dual of `_dual.py` with the constraint sum_i alpha_i y_i = 0. With 1/2 ((b - c)/s)^2 added
there is no constraint, and r(c) = sum_i alpha_i y_i is the gradient of a Moreau envelope: it is
continuous, falls with c, and is 0 at the optimal b only. So a bracket of r = 0 shrinks. The mean of
its ends with r = 0 is feasible in the dual, starts the next descent, and bounds P from below at
least as well as the tangents at the ends: the gap of `_dual.py` holds here too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hlsvm.linear._dual import Hyperplane, _approach, _descend, add_rows, decisions, inner
from hlsvm.linear._rows import SparseRows, n_columns

Floats = NDArray[np.float64]
_ZERO = 1e-12  # of the sum of the caps: rounding


@dataclass
class _Problem:
    X: NDArray | SparseRows
    rows: NDArray[np.int64]
    y: Floats
    upper: Floats
    norms: Floats
    state: NDArray[np.uint64]
    s: float = field(init=False)
    still: float = field(init=False)

    def __post_init__(self):
        # A fraction of the size of the rows: near enough to theirs for the descent to run well.
        self.s = 0.3 * float(np.sqrt(self.norms[self.rows].mean()))
        self.still = _ZERO * float(self.upper.sum())

    def balance(self, alpha: Floats, w: Floats) -> None:
        """Scale down the heavier class of alpha until sum_i alpha_i y_i = 0, and w with it."""
        r = inner(alpha, self.y)
        w[-1] = 0.0
        if abs(r) > self.still:
            heavy = self.y * r > 0
            cut = np.where(heavy, alpha * min(1.0, abs(r) / alpha[heavy].sum()), 0.0)
            add_rows(self.X, self.rows, -cut * self.y, 0.0, w)
            alpha -= cut

    def certify(self, alpha: Floats, w: Floats) -> tuple[float, float, float]:
        """Best bias for w, and primal objective and gap there; alpha must be balanced.

        The loss has a kink at every b = y_i - w.x_i, the best of which is a weighted quantile;
        where the minimum is flat its middle is taken.
        """
        values = decisions(self.X, self.rows, w)
        kinks = self.y - values
        order = np.argsort(kinks, kind="stable")
        slope = np.cumsum(self.upper[order]) - self.upper[self.y > 0].sum()
        at = min(int(np.searchsorted(slope, -self.still)), len(order) - 1)
        b = kinks[order[at]]
        if slope[at] <= self.still and at + 1 < len(order):
            b = 0.5 * (b + kinks[order[at + 1]])
        slopes = self.y * (values + b) - 1.0
        below = np.maximum(-slopes, 0.0)
        primal = 0.5 * inner(w, w) + inner(self.upper, below)
        gap = inner(alpha, np.maximum(slopes, 0.0)) + inner(self.upper - alpha, below)
        return float(b), primal, gap

    def approach(self, epochs: int, alpha: Floats, w: Floats) -> int:
        args = (self.X, self.rows, self.y, self.upper, self.norms, self.s, epochs)
        return int(_approach(*args, self.state, alpha, w))

    def descend(self, b: float, tol: float, epochs: int, alpha: Floats, w: Floats) -> int:
        args = (self.X, self.rows, self.y, self.upper, self.norms, self.s, b, tol, epochs)
        return max(int(_descend(*args, self.state, alpha, w)[2]), 1)


class _Bracketed(NamedTuple):
    """Where a search for b ended: primal and gap, epochs used, width of the last bracket."""

    b: float
    primal: float
    gap: float
    epochs: int
    width: float


@dataclass
class _End:
    """One end of the bracket: where r still has the sign it has there."""

    b: float
    r: float
    alpha: Floats
    w: Floats


def _bracket(
    problem: _Problem, b: float, stride: float, tol: float, epochs: int, alpha: Floats, w: Floats
) -> _Bracketed:
    """Search from (alpha, w) at b to relative gap `tol`."""
    ends: dict[bool, _End] = {}
    used = 0
    last = None
    while used < epochs:
        used += problem.descend(b, 0.25 * tol, epochs - used, alpha, w)
        r = inner(alpha, problem.y)
        side = r > 0
        if abs(r) > problem.still:
            ends[side] = _End(b, r, alpha.copy(), w.copy())
            if len(ends) == 1:
                b += stride if side else -stride
                stride *= 4.0
                continue
            low, high = ends[True], ends[False]
            share = low.r / (low.r - high.r)
            mean = low.alpha + share * (high.alpha - low.alpha)
            np.clip(mean, 0.0, problem.upper, out=alpha)
            w[:] = low.w + share * (high.w - low.w)
            width = high.b - low.b
            stride = max(abs(width), 1e-9)
            middle = 0.5 if side == last else min(max(share, 0.05), 0.95)
            b = low.b + middle * width
        w[-1] = 0.0
        best, primal, gap = problem.certify(alpha, w)
        if gap <= tol * primal:
            return _Bracketed(best, primal, gap, used, stride)
        last = side
    problem.balance(alpha, w)
    return _Bracketed(*problem.certify(alpha, w), used, stride)


def solve_free_bias(
    X: NDArray,
    rows: NDArray[np.int64],
    y: Floats,
    upper: Floats,
    norms: Floats,
    tol: float,
    max_epochs: int,
    seed: int,
    alpha: Floats,
) -> Hyperplane:
    """Weighted linear SVM whose bias is not regularised; arguments and results as `solve_dual`.

    The tolerance falls tenfold from stage to stage, so that most of the search for b is cheap and
    an exhausted `max_epochs` leaves the answer of the stage before. Where the optimal b is not
    unique the middle of its range is taken.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.linear._rows import squared_norms
    >>> X, y = np.array([[4.0], [6.0]]), np.array([-1.0, 1.0])
    >>> caps, rows = np.full(2, 10.0), np.arange(2)
    >>> w, b, *_ = solve_free_bias(
    ...     X, rows, y, caps, squared_norms(X), 1e-9, 100, 0, np.zeros(2)
    ... )
    >>> w.round(6).tolist(), round(b, 6)
    ([1.0], -5.0)
    """
    if (y == y[0]).all():  # the bias alone meets every margin
        alpha[:] = 0.0
        return Hyperplane(np.zeros(n_columns(X)), float(y[0]), 0.0, 0.0, 0, True)
    problem = _Problem(X, rows, y, upper, norms, np.array([seed], dtype=np.uint64))
    w = np.zeros(n_columns(X) + 1)
    epochs = problem.approach(max_epochs, alpha, w)
    begin = alpha.copy(), w.copy(), problem.s * float(w[-1])
    problem.balance(alpha, w)
    b, primal, gap = problem.certify(alpha, w)
    if not epochs:
        begin = alpha.copy(), w.copy(), b
    stride = 0.25
    while gap > tol * primal and epochs < max_epochs:
        goal = max(tol, min(0.1, 0.1 * gap / primal))
        trial, trial_w, centre = begin
        solution = _bracket(problem, centre, stride, goal, max_epochs - epochs, trial, trial_w)
        epochs, stride = epochs + solution.epochs, solution.width
        if solution.gap / max(solution.primal, 1e-300) >= gap / primal:
            break
        b, primal, gap = solution.b, solution.primal, solution.gap
        alpha[:], w[:] = trial, trial_w
        begin = trial, trial_w, b
    return Hyperplane(w[:-1].copy(), b, primal, primal - gap, epochs, bool(gap <= tol * primal))
