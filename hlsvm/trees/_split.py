"""The split of one node: a linear SVM on balanced weights (Thesis Eq. 5.3, 5.4), or one feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm._certificate import Certificate
from hlsvm.linear.kernels import solve_pegasos
from hlsvm.trees._axis import best_axis
from hlsvm.trees._certificates import certificate_of
from hlsvm.trees._choose_lam import choose_on_path
from hlsvm.trees._impurity import best_threshold, entropy_mass, label_problem
from hlsvm.trees._out_of_core import solve
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees._superclasses import superclasses

# Gains below this share of the node's entropy are rounding.
_ROUNDING = 1e-12
# Where samples differ in weight, gains below so many bits per average sample do not count: they
# come from samples or classes of almost no weight.
_TRIFLE = 1e-3
# With bias="auto" the SVM's own threshold stays if it gains this part of what the best one gains.
_FAIR = 0.1
# Most rounds of regrouping classes by the split they led to.
_ROUNDS = 3


@dataclass
class Split:
    """A hyperplane, what it does to the samples of its node, and what its solver can prove.

    A comparison of one feature has no `w` and no proof.
    """

    w: np.ndarray | None
    offset: np.floating
    values: np.ndarray
    right: np.ndarray
    mass: float
    proof: Certificate | None
    feature: int = -1
    is_final: bool = False  # neither child is to be split again


def signed_problem(samples: Samples, rows, sign, side_cap):
    """Labels +-1 and one number a sample: its weight times ``side_cap`` of its class."""
    y = np.empty(len(rows))
    upper = np.empty(len(rows))
    label_problem(rows, samples.codes, samples.weight, sign, side_cap, y, upper)
    return y, upper


def train(samples, options, rows, sign, counts, total, seed, positive=0.5):
    """Train the SVM that parts the classes of sign +1 from those of sign -1.

    `positive` is the part of the weights nu that the samples of sign +1 share (Eq. 5.3: 1/2).

    Returns
    -------
    w : ndarray of float64
    b : float
    proof : Certificate
    """
    n = counts.sum()
    # nu is the weight of a sample times share[its class].
    share = np.where(
        sign > 0, positive / counts[sign > 0].sum(), (1 - positive) / counts[sign < 0].sum()
    )
    scale = n if options.loss_scale == "mean" else 1.0
    if options.solver == "dual":
        passes = max(int(options.max_iter * np.sqrt(total / n)), 1)

        def descend(part, lam, start):
            y, upper = signed_problem(samples, part, sign, share / (lam * scale))
            alpha = np.zeros(len(part)) if start is None else start * upper
            limits = (options.bias_feature, options.tol, passes, seed)
            return solve(samples, part, y, upper, *limits, alpha), alpha, upper

        lam = options.lam
        if options.path:

            def step(part, lam, start):
                plane, alpha, upper = descend(part, lam, start)
                return plane.w.astype(samples.X.dtype), alpha / upper

            lam = choose_on_path(samples, rows, counts, options.loss_scale, seed, step)
        plane = descend(rows, lam, None)[0]
        return plane.w, plane.b, certificate_of(plane, lam)
    # The kernel averages over rows: weights that do not sum to their number are brought there.
    even = len(rows) / n if options.loss_scale == "mean" else float(len(rows))
    y, nu = signed_problem(samples, rows, sign, share * even)
    w, b, n_iter, moved = solve_pegasos(
        samples.X,
        rows,
        y,
        nu,
        options.lam,
        1.0 / np.sqrt(options.lam * scale),
        options.batch_size,
        options.max_iter,
        options.tol,
        options.bias_scale,
        options.faithful,
        seed,
    )
    reason = "tolerance" if moved <= options.tol else "max_iter"
    return w, b, Certificate(np.nan, np.nan, n_iter, bool(moved <= options.tol), reason)


def between(low, high, dtype):
    """Threshold in the middle of two neighbouring values."""
    middle = dtype.type(low + (high - low) / 2)
    # The middle of neighbouring floats may round up to the higher one.
    return middle if middle < high else dtype.type(low)


def compare(samples: Samples, rows, counts):
    """Best comparison of one feature with a threshold, or None if all features are constant."""
    feature, low, high, mass = best_axis(samples.X, rows, samples.codes, samples.weight, counts)
    if feature < 0:
        return None
    values = samples.X[rows, feature]
    offset = -between(low, high, samples.X.dtype)
    right = samples.right_of(rows, values, offset)
    return Split(None, offset, values, right, mass, None, feature)


def place(samples: Samples, rows, values, counts):
    """Offset of the threshold along `values` with the least entropy on its sides, or None."""
    order = np.argsort(values, kind="stable")
    mass, low, high = best_threshold(order, values, rows, samples.codes, samples.weight, counts)
    if not np.isfinite(mass):
        return None
    return -between(low, high, values.dtype)


def _attempt(samples, options, rows, sign, counts, total, seed):
    """Split by the SVM that parts the superclasses `sign`."""
    w, b, proof = train(samples, options, rows, sign, counts, total, seed)
    w = w.astype(samples.X.dtype)
    values = samples.project(rows, w)
    offset = values.dtype.type(b)
    split = _at(samples, rows, counts, w, offset, values, proof)
    if options.bias == "svm":
        return split
    whole = entropy_mass(counts)
    enough = _FAIR if options.bias == "auto" else 1.0
    if whole - split.mass >= enough * whole:
        return split
    offset = place(samples, rows, values, counts)
    if offset is None:
        return split
    other = _at(samples, rows, counts, w, offset, values, proof)
    return split if whole - split.mass >= enough * (whole - other.mass) else other


def _at(samples, rows, counts, w, offset, values, proof):
    """Split by the hyperplane (w, offset)."""
    right = samples.right_of(rows, values, offset)
    mass = entropy_mass(right) + entropy_mass(counts - right)
    return Split(w, offset, values, right, mass, proof)


def least_gain(weight) -> float:
    """Gain (bits times weight) that a split of samples of these weights must exceed."""
    return _TRIFLE * float(weight.mean()) if weight.min() < weight.max() else 0.0


def improves(counts, mass: float, least: float) -> bool:
    """Whether children of entropy `mass` (bits times weight) are better than their parent.

    Thesis Alg. 6 stops where I(w, b) >= I_0. `least` is `least_gain` of the tree.
    """
    whole = entropy_mass(counts)
    return whole - mass > max(_ROUNDING * whole, least)


def split_node(
    samples: Samples, options: SplitOptions, rows, counts, total: float, least: float, seed: int
):
    """Best split found of one node, of the kinds that `options` allows.

    Of a hyperplane and a comparison that gain as much the comparison is taken.

    Returns
    -------
    split : Split or None
        None if no split lowers the entropy (Thesis Alg. 6: I(w, b) >= I_0).
    proofs : list of Certificate
        One for every SVM trained.
    """
    best, proofs = None, []
    if options.split != "axis":
        best, proofs = _cut(samples, options, rows, counts, total, seed)
    if options.split != "svm":
        other = compare(samples, rows, counts)
        if best is None or (other is not None and other.mass <= best.mass):
            best = other
    return (best if best is not None and improves(counts, best.mass, least) else None), proofs


def _cut(samples: Samples, options: SplitOptions, rows, counts, total: float, seed: int):
    """Best hyperplane found for one node.

    Where more than two classes are present, the superclasses (see `superclasses`) are redrawn by
    the side of the hyperplane where most of each class fell, and the SVM trained again, while
    that changes them and at most three times; the split with the least entropy stays.

    Parameters
    ----------
    samples, options
    rows : ndarray of int64
        Samples of the node.
    counts : ndarray of float64, shape (n_classes,)
        Their weight by class.
    total : float
        Weight of all samples of the tree.
    seed : int
        Of this node.

    Returns
    -------
    split : Split
    proofs : list of Certificate
        One for every SVM trained.
    """
    present = counts > 0
    sign = superclasses(samples.X, rows, samples.codes, samples.weight, counts)
    best = None
    proofs = []
    for _ in range(_ROUNDS):
        split = _attempt(samples, options, rows, sign, counts, total, seed)
        proofs.append(split.proof)
        if best is None or split.mass < best.mass:
            best = split
        redrawn = np.where(present, np.where(split.right > counts / 2, 1.0, -1.0), 0.0)
        both = (redrawn > 0).any() and (redrawn < 0).any()
        if present.sum() == 2 or not both or np.array_equal(redrawn, sign):
            break
        sign = redrawn
    return best, proofs
