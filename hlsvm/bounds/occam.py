"""Occam bound for a tree of hyperplanes: every node coded by its weights at a stated precision."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np

from hlsvm._data import check_numbers
from hlsvm._params import check_number, check_type, refusal
from hlsvm.bounds._integer_planes import Coded, code_planes, majorities, sides
from hlsvm.bounds._standardize import Standardizer
from hlsvm.bounds._tree_shape import TreeShape, to_tree
from hlsvm.bounds._trees import planes_of, rows_and_codes
from hlsvm.bounds.binomial import binomial_upper, kl_upper
from hlsvm.bounds.descent_on_bound import exchange_rate
from hlsvm.bounds.prefix_codes import label_nats, shape_nats, structure_nats
from hlsvm.bounds.result import Bound
from hlsvm.trees.tree import HyperplaneTree

__all__ = ["code_tree", "message_bound"]

_NOTE = "centre and scale of the features come from other rows than those that count"


def message_bound(
    errors: int, n: int, nats: dict[str, float], *, delta: float = 0.05, note: str = ""
) -> Bound:
    """Occam bound for a classifier that a message of so many nats describes.

    Binomial tail inversion at ``delta exp(-nats)`` (Langford 2005, Theorem 4.1): it holds for all
    messages of a prefix code at once, so the classifier may be chosen by it.

    Parameters
    ----------
    errors, n : int
        Errors on the n rows that count.
    nats : dict of str to float
        Lengths of the parts of the message.
    delta : float
    note : str
        What else the code was made from.

    Examples
    --------
    >>> message_bound(0, 1000, {"a coin": math.log(2)}).value < 0.004
    True
    """
    check_number("message_bound", "delta", delta, low=0, high=1, closed="neither")
    check_type("message_bound", "note", note, str, "text")
    check_type("message_bound", "nats", nats, dict, "a dict of numbers of nats")
    for nat in nats.values():
        check_number("message_bound", "nats", nat, low=0)
    length = float(sum(nats.values()))
    value = binomial_upper(errors, n, math.log(delta) - length)
    terms = {
        "rows that count": n,
        "errors on them": errors,
        "error rate on them": errors / n,
        **nats,
        "nats in all": length,
        "bits in all": length / math.log(2),
        "delta": delta,
        "Chernoff form": kl_upper(errors / n, (length - math.log(delta)) / n),
    }
    assumption = "rows that count are i.i.d." + (f"; {note}" if note else "")
    return Bound("Occam, weights coded", value, 1 - delta, terms, assumption, "the coded tree")


def code_tree(tree, standardizer, X, codes, *, delta: float = 0.05, units=None, rounds: int = 5):
    """Round the hyperplanes of a tree, cut what does not pay, and bound the result.

    Rounding and cutting minimise ``rate errors + nats`` at the exchange rate of the present bound
    and are repeated until the bound no longer falls; the best round is kept.

    Parameters
    ----------
    tree : HyperplaneTree
        On raw rows.
    standardizer : Standardizer
        Standardisation, from rows that do not count.
    X, codes : ndarray
        Raw rows that count, and their classes.
    delta : float
    units : ndarray, optional
        Hyperplanes on standardised rows; by default those of the tree.
    rounds : int

    Returns
    -------
    tree : HyperplaneTree
        The coded tree, on raw rows.
    bound : Bound

    Examples
    --------
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.bounds._standardize import Standardizer
    >>> X = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    >>> y = (X[:, 0] + 2 * X[:, 1] > 0).astype(int)
    >>> model = HLSVMClassifier(lam=1e-5, random_state=0).fit(X[50:], y[50:])
    >>> tree, bound = code_tree(model.tree_, Standardizer.of(X[:50]), X[50:], y[50:])
    >>> tree.n_leaves, bound.value < 0.1
    (6, True)
    """
    check_type("code_tree", "tree", tree, HyperplaneTree, "a HyperplaneTree")
    check_type("code_tree", "standardizer", standardizer, Standardizer, "a Standardizer")
    check_number("code_tree", "delta", delta, low=0, high=1, closed="neither")
    check_number("code_tree", "rounds", rounds, kind=Integral, low=1, high=1000)
    X, codes = rows_and_codes("code_tree", tree, X, codes, name="codes")
    if units is not None:
        units = check_numbers("code_tree", "units", units, ndim=2, least=0)
        if units.shape != planes_of(tree).shape:
            accepted = f"a matrix of shape {planes_of(tree).shape}"
            raise ValueError(refusal("code_tree", "units", accepted, units))
    tree_shape = TreeShape.of(tree)
    units = standardizer.to_standard(planes_of(tree)) if units is None else units
    Z = standardizer.rows(X)
    n_classes = tree.counts.shape[1]
    rate, best = 1.0, None
    for _ in range(rounds):
        coded = code_planes(tree_shape, units, Z, codes, n_classes, rate)
        smaller, planes, nats = _cut(tree_shape, coded, Z, codes, n_classes, rate)
        result = _bounded(smaller, planes, nats, standardizer, X, Z, codes, n_classes, delta)
        if best is not None and result[1].value >= best[1].value:
            break
        best = result
        rate, _ = exchange_rate(result[1].terms["error rate on them"], result[1].value, len(codes))
    return best


def _cut(tree_shape, coded: Coded, Z, codes, n_classes, rate):
    """Best subtree of the rounded tree at an exchange rate, by dynamic programming."""
    counts, _ = majorities(tree_shape, sides(Z, coded.planes), codes, n_classes)
    as_leaf = rate * (counts.sum(axis=1) - counts.max(axis=1))
    each = structure_nats(tree_shape.n_inner, n_classes) / max(tree_shape.n_inner, 1)
    best, cut = as_leaf.copy(), np.zeros(tree_shape.n_nodes, bool)
    for node in tree_shape.inner[::-1]:
        k = tree_shape.plane[node]
        split = best[tree_shape.left[node]] + best[tree_shape.right[node]] + coded.nats[k] + each
        cut[node] = as_leaf[node] <= split
        best[node] = min(as_leaf[node], split)
    smaller, keep = tree_shape.collapse(cut)
    rows = tree_shape.plane[keep & (tree_shape.plane >= 0) & ~cut]
    return smaller, coded.planes[rows], coded.nats[rows]


def _bounded(tree_shape, planes, nats, standardizer, X, Z, codes, n_classes, delta):
    counts, _ = majorities(tree_shape, sides(Z, planes), codes, n_classes)
    tree = to_tree(tree_shape, standardizer.to_raw(planes), counts)
    # Counted as the tree itself decides, rounding of sums included.
    errors = int(np.count_nonzero(tree.winner[tree.apply(X)] != codes))
    parts = {
        "nats of shape": shape_nats(tree_shape.n_inner),
        "nats of labels": label_nats(tree_shape.n_inner + 1, n_classes),
        "hyperplanes": tree_shape.n_inner,
        "nats of hyperplanes": float(nats.sum()),
    }
    planes_in_all = parts.pop("hyperplanes")
    bound = message_bound(errors, len(codes), parts, delta=delta, note=_NOTE)
    terms = {"hyperplanes": planes_in_all, **bound.terms}
    return tree, Bound(
        bound.name, bound.value, bound.confidence, terms, bound.assumption, bound.subject
    )
