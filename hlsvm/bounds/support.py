"""Sample-compression bound: every node of the tree coded by its support vectors."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from hlsvm._params import check_number
from hlsvm.bounds._trees import only_tree, planes_of, rows_and_codes
from hlsvm.bounds.binomial import binomial_upper
from hlsvm.bounds.prefix_codes import integer_nats, label_nats, shape_nats
from hlsvm.bounds.result import Bound

__all__ = ["support_vector_bound"]

_EDGE = 1e-3  # a margin of one is met up to the tolerance of a solver
# What a classifier must say of itself for its hyperplanes to be the SVMs of their nodes.
_AS_TRAINED = {"bias": "svm", "solver": "dual", "refine": 0, "prune_fraction": 0}


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _support_of_nodes(tree, X, codes):
    """Rows that reach every inner node, and which of them have a margin of at most one."""
    rows = {0: np.arange(len(X))}
    planes = planes_of(tree)
    found = []
    for plane, node in zip(planes, np.flatnonzero(tree.is_inner), strict=True):
        mine = rows.pop(node)
        value = X[mine] @ plane[:-1] + plane[-1]
        side = np.where(codes[mine] > 0, 1.0, -1.0)
        found.append((mine, side * value <= 1.0 + _EDGE))
        rows[tree.left[node]], rows[tree.right[node]] = mine[value <= 0], mine[value > 0]
    return found


def _check_as_trained(model, tree) -> None:
    """Refuse what other rows than the support vectors had a part in."""
    if tree.counts.shape[1] != 2:
        raise ValueError(
            "support_vector_bound needs a tree for two classes. "
            f"Got one for {tree.counts.shape[1]}."
        )
    if model is not tree:
        for name, needed in _AS_TRAINED.items():
            found = getattr(model, name, "no such parameter")
            if found != needed:
                raise ValueError(
                    "support_vector_bound needs hyperplanes that are the SVMs of their nodes: "
                    f"HLSVMClassifier with {name}={needed!r}. Got {found!r}."
                )
        if getattr(model, "_weighted", False):
            raise ValueError(
                "support_vector_bound needs rows that weigh the same: the weights are no part of "
                "what is counted. Got a model fitted with a sample_weight that varies."
            )
        if isinstance(model.lam, str):
            raise ValueError(
                "support_vector_bound needs a 'lam' fixed before the rows were seen. "
                f"Got {model.lam!r}."
            )
    if (tree.plane[tree.is_inner] < 0).any():
        raise ValueError(
            "support_vector_bound needs a hyperplane in every node of the tree. "
            "Got nodes that compare one feature (split='axis' or 'best')."
        )


def support_vector_bound(model, X, y, *, delta: float = 0.05) -> Bound:
    """Bound a tree whose hyperplanes are the optima of SVMs by how few rows determine it.

    A linear SVM is determined by its support vectors and the class sizes of its node, so a tree
    is determined by the union of them, its shape, its labels, and which of these rows serve which
    node (after Shah 2007). Errors are counted on the other rows; the message is inverted through
    the binomial tail.

    With the soft margins of the documents most rows are support vectors and the bound is vacuous;
    it speaks for trees of few of them. It takes the solver at its word: fit with a small `tol`.

    Parameters
    ----------
    model : fitted HLSVMClassifier, or HyperplaneTree
        Two classes, ``bias="svm"`` and nothing moved or cut on other rows afterwards
        (``solver="dual"``, ``refine=0``, ``prune_fraction=0``, a given `lam`).
    X, y : the rows it was grown on
    delta : float

    Returns
    -------
    Bound

    Raises
    ------
    ValueError
        There are more than two classes, a node compares one feature, other rows than the support
        vectors or weights of rows had a part in the tree, or bad input.

    Examples
    --------
    >>> from hlsvm import HLSVMClassifier
    >>> X = np.random.default_rng(0).normal(size=(800, 2))
    >>> y = X[:, 0] > 0
    >>> X[:, 0] += np.where(y, 5, -5)
    >>> model = HLSVMClassifier(lam=1e-6, bias="svm", tol=1e-6, random_state=0).fit(X, y)
    >>> support_vector_bound(model, X, y).value < 0.1
    True
    """
    check_number("support_vector_bound", "delta", delta, low=0, high=1, closed="neither")
    tree = only_tree(model)
    _check_as_trained(model, tree)
    X, codes = rows_and_codes("support_vector_bound", model, X, y)
    n = len(X)
    nodes = _support_of_nodes(tree, X, codes)
    used = np.zeros(n, bool)
    for mine, support in nodes:
        used[mine[support]] = True
    k = int(used.sum())
    serving = sum(
        integer_nats(int(support.sum()))
        + _log_choose(int(used[mine].sum()), int(support.sum()))
        + 2 * math.log(n + 1)
        for mine, support in nodes
    )
    parts = {
        "nats of which rows": integer_nats(k) + _log_choose(n, k),
        "nats of which node they serve": float(serving),
        "nats of shape": shape_nats(len(nodes)),
        "nats of labels": label_nats(len(nodes) + 1, 2),
    }
    length = sum(parts.values())
    rest = n - k
    wrong = (tree.winner[tree.apply(X)] != codes) & ~used
    errors = int(wrong.sum())
    value = binomial_upper(errors, rest, math.log(delta) - length) if rest else 1.0
    terms = {
        "rows": n,
        "hyperplanes": len(nodes),
        "support vectors": k,
        "rows that count": rest,
        "errors on them": errors,
        **parts,
        "nats in all": length,
        "delta": delta,
    }
    assumption = "rows are i.i.d.; every node is the exact optimum of its SVM"
    return Bound(
        "sample compression, support vectors", value, 1 - delta, terms, assumption, "the tree"
    )
