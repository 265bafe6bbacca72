"""One node of a tree as a problem by itself: which side each sample should go, what errs least.

A node decides about a sample if exactly one of its sides classifies the sample correctly.
`signed_weight` is the weight of such samples, positive where the right side is correct, negative
where the left is; the loss of a split is the weight that goes the wrong way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from hlsvm._certificate import Certificate
from hlsvm.trees._certificates import certificate_of
from hlsvm.trees._out_of_core import solve
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees._split import between

# Bytes of the columns that are sorted together.
_ROOM = 1 << 23
# Losses that differ by less than this share of the weight at stake are equal.
_ROUNDING = 1e-9


@njit(cache=True, nogil=True)
def best_cuts(values, order, signed_weight):
    """Column and threshold with the least loss.

    Parameters
    ----------
    values : ndarray, shape (n_columns, n)
    order : ndarray of int64, shape (n_columns, n)
        What sorts each column.
    signed_weight : ndarray of float64, shape (n,)

    Returns
    -------
    column : int
        -1 where to send all samples right is as good.
    loss, low, high : float
        Neighbouring values between which the threshold belongs.
    """
    start = 0.0
    for i in range(signed_weight.shape[0]):
        start += max(-signed_weight[i], 0.0)
    best = start
    column = -1
    low = 0.0
    high = 0.0
    for j in range(values.shape[0]):
        loss = start
        for i in range(order.shape[1] - 1):
            loss += signed_weight[order[j, i]]
            value = values[j, order[j, i]]
            following = values[j, order[j, i + 1]]
            if value < following and loss < best:
                best = loss
                column = j
                low = value
                high = following
    return column, best, low, high


@dataclass
class NodeSplit:
    """A way to split a node, and the loss it leaves."""

    loss: float
    cost: int
    w: np.ndarray | None = None
    feature: int = -1
    offset: float = 0.0
    proof: Certificate | None = None
    goes_right: bool | None = None  # all of them

    def better(self, other: NodeSplit, slack: float) -> bool:
        """Whether this one leaves less loss than the other, or as much at a lower cost."""
        if self.loss < other.loss - slack:
            return True
        return self.loss <= other.loss + slack and self.cost < other.cost


def loss_at(values, offset, signed_weight) -> float:
    """Weight that goes the wrong way at a threshold."""
    right = values + offset > 0
    return float(np.abs(signed_weight[right != (signed_weight > 0)]).sum())


def _plane(
    samples: Samples, options: SplitOptions, lam: float, rows, signed_weight, seed: int
) -> NodeSplit:
    """Hyperplane of a linear SVM weighted by what is at stake, at its b or where it errs least."""
    size = np.abs(signed_weight)
    total = size.sum()
    box = lam * (total if options.loss_scale == "mean" else 1.0)
    upper = size / (total * box)
    limits = (options.bias_feature, options.tol, options.max_iter, seed)
    plane = solve(samples, rows, np.sign(signed_weight), upper, *limits, np.zeros(len(rows)))
    proof = certificate_of(plane, lam)
    w = plane.w.astype(samples.X.dtype)
    values = samples.project(rows, w)
    offset = values.dtype.type(plane.b)
    best = NodeSplit(
        loss_at(values, offset, signed_weight), samples.X.shape[1], w, -1, offset, proof
    )
    order = values.argsort(kind="stable")
    column, loss, low, high = best_cuts(values[None], order[None], signed_weight)
    if column >= 0 and loss < best.loss - _ROUNDING * total:
        offset = -between(low, high, values.dtype)
        best = NodeSplit(loss, samples.X.shape[1], w, -1, offset, proof)
    return best


def _comparison(samples: Samples, rows, signed_weight) -> NodeSplit | None:
    """Comparison of the one feature that errs least."""
    step = max(_ROOM // (16 * len(rows)), 1)
    best = None
    for first in range(0, samples.X.shape[1], step):
        values = np.ascontiguousarray(samples.X[rows, first : first + step].T)
        order = values.argsort(axis=1, kind="stable")
        column, loss, low, high = best_cuts(values, order, signed_weight)
        if column >= 0 and (best is None or loss < best.loss):
            offset = -between(low, high, values.dtype)
            best = NodeSplit(loss, 1, feature=first + column, offset=offset)
    return best


def decide(
    samples: Samples,
    options: SplitOptions,
    lam: float,
    rows,
    signed_weight,
    now: NodeSplit,
    heavier: bool,
    seed: int,
) -> NodeSplit | None:
    """Best way to split a node, or None where none is better than what it does `now`.

    Parameters
    ----------
    samples, options
    lam : float
        Regularisation of the SVM.
    rows : ndarray of int64
        Samples whose fate the node decides.
    signed_weight : ndarray of float64
        Their weights, signed by the side that classifies them correctly.
    now : NodeSplit
        Cost and loss of the node as it is.
    heavier : bool
        Whether more weight goes right, where both sides are as good.
    seed : int

    Returns
    -------
    NodeSplit or None
        With `goes_right` where the node is idle: one side for all is as good.
    """
    to_right = float(signed_weight[signed_weight > 0].sum())
    to_left = float(-signed_weight[signed_weight < 0].sum())
    slack = _ROUNDING * (to_left + to_right)
    idle = min(to_left, to_right)
    if idle <= now.loss + slack:
        side = heavier if abs(to_left - to_right) <= slack else to_left < to_right
        return NodeSplit(idle, 0, goes_right=bool(side))
    best = now
    if options.split != "svm":
        other = _comparison(samples, rows, signed_weight)
        if other is not None and other.better(best, slack):
            best = other
    if options.split != "axis":
        other = _plane(samples, options, lam, rows, signed_weight, seed)
        if other.better(best, slack):
            best = other
    return None if best is now else best
