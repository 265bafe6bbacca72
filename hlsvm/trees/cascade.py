"""The cascade of linear SVMs of Zapien et al. (Thesis 5.1.1, Fig. 5.2a), H-LSVM's predecessor."""

from __future__ import annotations

from functools import partial
from numbers import Integral

import numpy as np

from hlsvm._params import (
    check_n_jobs,
    check_number,
    check_option,
    check_scale,
    check_tolerance,
)
from hlsvm.trees._base import TreeClassifier
from hlsvm.trees._certificates import read_certificates
from hlsvm.trees._fit_tree import Jobs, fit_forest
from hlsvm.trees._grow import default_fraction
from hlsvm.trees._impurity import entropy_mass
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees._split import Split, split_node, train

__all__ = ["SVMTreesClassifier"]


def _peel(values, is_hard, hard_right):
    """Offset that leaves all of the hard class on its side, as little as possible besides.

    The threshold stands midway between the outermost hard sample and the next sample beyond it;
    None where there is none.
    """
    sign = 1.0 if hard_right else -1.0
    along = values * values.dtype.type(sign)
    edge = along[is_hard].min()
    beyond = along[~is_hard]
    beyond = beyond[beyond < edge]
    if len(beyond) == 0:
        return None
    next_one = beyond.max()
    middle = values.dtype.type(next_one + (edge - next_one) / 2)
    if not next_one <= middle < edge:
        middle = next_one
    # Left is w.x + b <= 0: seen from the other side the threshold belongs to the hard class.
    return -middle if hard_right else np.nextafter(middle, edge)


def cascade_split(samples, options, rows, counts, total, least, seed, *, hardness, lightest):
    """One step of the cascade: a hyperplane with one pure side, as large as may be.

    For each of the two classes in the role of the hard one, an SVM is trained whose weights nu
    give that class `hardness` times the part of the other (one SVM for both roles where
    `hardness` is 1), and its threshold is moved to where no sample of the class is on the wrong
    side. The larger pure side wins. Where that side is lighter than
    `lightest` the cascade ends with an ordinary split (`split_node`).
    """
    proofs = []
    best = None
    sign = np.array([-1.0, 1.0])
    codes = samples.codes[rows]
    for hard in (0, 1):
        if hard == 0 or hardness != 1:
            part = (hardness if hard == 1 else 1.0) / (1.0 + hardness)
            w, _, proof = train(samples, options, rows, sign, counts, total, seed, part)
            proofs.append(proof)
            w = w.astype(samples.X.dtype)
            values = samples.project(rows, w)
        offset = _peel(values, codes == hard, hard_right=hard == 1)
        if offset is None:
            continue
        right = samples.right_of(rows, values, offset)
        pure = counts - right if hard == 1 else right
        if pure[hard] > 0:
            continue
        if pure.sum() >= lightest and (best is None or pure.sum() > best[0]):
            mass = entropy_mass(right) + entropy_mass(counts - right)
            best = (pure.sum(), Split(w, offset, values, right, mass, proof))
    if best is not None:
        return best[1], proofs
    split, tried = split_node(samples, options, rows, counts, total, least, seed)
    if split is not None:
        split.is_final = True
    return split, proofs + tried


def _step(hardness, min_fraction, samples, options, rows, counts, total, least, seed):
    """`cascade_split` as `grow` calls it."""
    share = default_fraction(total) if min_fraction is None else min_fraction
    return cascade_split(
        samples,
        options,
        rows,
        counts,
        total,
        least,
        seed,
        hardness=hardness,
        lightest=share * total,
    )


class SVMTreesClassifier(TreeClassifier):
    r"""Chain of linear SVMs, each of which settles a part of one class and passes on the rest.

    Every step trains a linear SVM and moves its threshold until no sample of one class, the hard
    one, is cut off: the other side then holds the other class only and becomes a leaf. Of the two
    classes in the role of the hard one, that with the larger leaf wins. The rest goes on to the
    next step, until it is pure or small, or no leaf of at least a share `min_fraction` can be
    had; an ordinary linear SVM then ends the chain. More than two classes: one against one and a
    vote (Thesis 5.3.2).

    Parameters
    ----------
    lam : float, default=1e-3
        :math:`\lambda > 0` of every SVM.
    hardness : float, default=1.0
        Weight of the hard class over that of the other in the SVM, at least 1. Above 1 an SVM is
        trained for each role, and bends to the outermost samples of the hard class.
    min_fraction : float or None, default=None
        Least share of the samples for a leaf, and for a rest that is still split. None:
        :math:`10^{-\lfloor \log_{10} N \rfloor}`.
    max_depth : int or None, default=None
        Most steps.
    loss_scale : {"mean", "sum"}, default="sum"
        See `HLSVMClassifier`.
    tol : float, default=0.01
        Relative duality gap of every SVM.
    max_iter : int, default=100
        Passes over the samples of the root, see `HLSVMClassifier`.
    class_weight : "balanced", dict or None, default=None
        Multiplies the weight of samples in shares and leaves.
    random_state : int, RandomState instance or None, default=None
        Of the solvers.
    n_jobs : int or None, default=None
        Threads over pairs of classes. Changes no bit.

    Attributes
    ----------
    tree_ : HyperplaneTree
        The chain as flat arrays; with a vote there is `trees_` only.
    trees_ : list of HyperplaneTree
        One chain, or one for each of the pairs (0, 1), (0, 2), ... of classes.
    classes_ : ndarray of shape (n_classes,)
    certificates_ : tuple of SplitCertificate
        As of `HLSVMClassifier`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    References
    ----------
    K. Zapien Arreola, J. Fehr, H. Burkhardt, "Fast Support Vector Machine classification using
    linear SVMs", ICPR 2006; Thesis 5.1.1 and Table 5.7; HLSVM section 5.3. The hard constraints
    of the original are met by the weight and the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import SVMTreesClassifier
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = (X ** 2).sum(axis=1) > 1
    >>> model = SVMTreesClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """

    def __init__(
        self,
        lam=1e-3,
        *,
        hardness=1.0,
        min_fraction=None,
        max_depth=None,
        loss_scale="sum",
        tol=1e-2,
        max_iter=100,
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        self.lam = lam
        self.hardness = hardness
        self.min_fraction = min_fraction
        self.max_depth = max_depth
        self.loss_scale = loss_scale
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        check_scale(self, "lam", self.lam)
        check_number(self, "hardness", self.hardness, low=1, closed="left")
        check_number(self, "min_fraction", self.min_fraction, low=0, high=1, options=(None,))
        depth = {"kind": Integral, "low": 0, "closed": "left", "options": (None,)}
        check_number(self, "max_depth", self.max_depth, **depth)
        check_tolerance(self, "tol", self.tol, zero=True)
        check_number(self, "max_iter", self.max_iter, kind=Integral, low=1, high=10**9)
        check_n_jobs(self, self.n_jobs)
        check_option(self, "loss_scale", self.loss_scale, ("mean", "sum"))

    def _build(self, samples: Samples, rows, seed):
        options = SplitOptions(
            lam=float(self.lam),
            loss_scale=self.loss_scale,
            bias="gain",
            tol=float(self.tol),
            max_iter=int(self.max_iter),
        )
        limits = {
            "min_fraction": self.min_fraction,
            "max_depth": self.max_depth,
            "splitter": partial(_step, float(self.hardness), self.min_fraction),
        }
        jobs = Jobs(self.n_jobs)
        forest, fitted = fit_forest(
            samples, rows, options, seed, self.classes_, jobs, pairwise=True, **limits
        )
        self.certificates_ = read_certificates(np.concatenate([t.certificates for t in fitted]))
        return forest, [done for part in fitted for done in part.converged]
