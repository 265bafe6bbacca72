"""Forms of a tree: how it grows, and how it is pruned and shrunk once it has grown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hlsvm.trees._certificates import CERTIFICATE, certificate_of, record_of
from hlsvm.trees._drawn_features import split_on_drawn
from hlsvm.trees._fit_tree import FittedTree
from hlsvm.trees._grow import default_fraction, grow
from hlsvm.trees._grow_on import grow_on
from hlsvm.trees._out_of_core import solve
from hlsvm.trees._refine import leaves_of, replace_counts
from hlsvm.trees._refine import refine as refine_tree
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees.pruning import PruningPath, count_leaves, weakest_links
from hlsvm.trees.tree import HyperplaneTree

# Passes of refinement, and the share of the rows in a leaf of the tree that is refined.
PASSES, _COARSE = 8, 5e-3
# Regularisations of a single hyperplane.
LINES = (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5)


@dataclass(frozen=True)
class Form:
    """How a tree grows.

    Attributes
    ----------
    split : {"svm", "axis", "best"}
    part : float
        Regularisation of a node, its weights summing to one, over the mean square norm of rows.
    refine : int
        Passes over the top of the tree, before its leaves grow on.
    line : bool
        The root is a linear SVM of two classes with the weights of its samples as they are.
    max_depth : int or None
        Of the tree; of its top, where that is refined.
    standardized : bool
        Whether features have variance one, or are only centred.
    features : float
        Share of the features that a node looks at, drawn anew in every node.
    """

    split: str
    part: float = 0.01
    refine: int = 0
    line: bool = False
    max_depth: int | None = None
    standardized: bool = True
    features: float = 1.0


def fit_form(samples: Samples, rows, options: SplitOptions, form: Form, seed: int, **growth):
    """Grow a tree in some form on `rows`; nothing is pruned or shrunk.

    Returns
    -------
    FittedTree
    """
    weight = samples.weight[rows]
    lam = max(form.part * float(np.average(samples.norms[rows], weights=weight)), 1e-12)
    options = replace(
        options, lam=lam, refine_lam=lam, loss_scale="sum", split=form.split, bias_feature=None
    )
    small = growth.pop("min_fraction", None)
    small = default_fraction(weight.sum()) if small is None else small
    given = growth.pop("max_depth", None)
    depth = min([d for d in (given, form.max_depth) if d is not None], default=None)
    if form.features < 1:
        growth["splitter"] = partial(split_on_drawn, form.features)
    if form.line and depth != 0:
        tree, proven, proofs = _line(samples, options, rows, seed)
        history = None
    else:
        least = max(_COARSE, small) if form.refine else small
        tree, proven, proofs = grow(
            samples, options, rows, min_fraction=least, max_depth=depth, seed=seed, **growth
        )
        if not form.refine:
            return FittedTree(tree, proven, [proof.converged for proof in proofs])
        tree, proven, history = refine_tree(samples, options, rows, tree, proven, form.refine, seed)
    if depth is None:
        tree, proven, more = grow_on(samples, options, rows, tree, proven, small, seed)
        proofs = proofs + more
    return FittedTree(tree, proven, [proof.converged for proof in proofs], None, history)


def _line(samples: Samples, options: SplitOptions, rows, seed: int):
    """Tree of one hyperplane between two classes, its certificate and proof."""
    codes, weight = samples.codes[rows], samples.weight[rows]
    upper = weight / (weight.sum() * options.lam)
    limits = (options.bias_feature, options.tol, options.max_iter, seed)
    sign = np.where(codes > 0, 1.0, -1.0)
    plane = solve(samples, rows, sign, upper, *limits, np.zeros(len(rows)))
    proof = certificate_of(plane, options.lam)
    tree = HyperplaneTree.from_arrays(
        weights=plane.w.astype(samples.X.dtype)[None],
        offsets=[plane.b, 0, 0],
        plane=[0, -1, -1],
        left=[1, -1, -1],
        right=[2, -1, -1],
        counts=np.zeros((3, samples.n_classes)),
    )
    leaf = leaves_of(tree, samples.X, rows)
    tree = replace_counts(tree, count_leaves(tree, leaf, codes, weight))
    certificates = np.array([record_of(proof, weight.sum(), np.nan)], CERTIFICATE)
    if not tree.counts[1:].sum(axis=1).all():
        return tree.collapse(tree.is_inner), certificates[:0], [proof]
    return tree, certificates, [proof]


def finish(
    fitted: FittedTree, saving: float | None, shrinkage: float, power: float = 1.0
) -> FittedTree:
    """Prune, shrink and sharpen a tree."""
    if saving is not None:
        fitted.cut(cut_by(weakest_links(fitted.tree), saving))
    fitted.tree = fitted.tree.shrink(shrinkage, power)
    return fitted


def cut_by(path: PruningPath, saving: float) -> np.ndarray:
    """Inner nodes that become leaves where every leaf must save so many errors."""
    inner = path.tree.is_inner
    if np.isinf(saving):
        return inner & (np.arange(len(inner)) == 0)
    total = path.tree.counts[0].sum()
    return inner & (path.step <= int(np.flatnonzero(path.alphas * total <= saving)[-1]))


def stops(tree: HyperplaneTree, cut) -> np.ndarray:
    """Node at which a row that reaches each node stops where the nodes `cut` are leaves."""
    stop = np.arange(tree.n_nodes)
    for level in range(1, tree.max_depth + 1):
        nodes = np.flatnonzero(tree.depth == level)
        above = stop[tree.parent[nodes]]
        stop[nodes] = np.where(cut[above], above, nodes)
    return stop
