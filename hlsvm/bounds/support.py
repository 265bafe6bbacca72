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
from hlsvm.linear.kernels import move_to_vertex, solve_dual, squared_norms
from hlsvm.linear.weights import balanced_weights

__all__ = ["support_vector_bound"]

_EDGE = 1e-3  # a margin of one is met up to the tolerance of a solver
_TOL, _EPOCHS = 1e-7, 20_000  # of the SVM of a node, solved once more for its multipliers
# What a classifier must say of itself for its hyperplanes to be the SVMs of their nodes.
_AS_TRAINED = {"bias": "svm", "split": "svm", "refine": 0, "prune_fraction": 0}


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _support_of_nodes(model, tree, X, codes):
    """Rows that reach every inner node, and which of them determine its SVM."""
    arriving = {0: np.arange(len(X))}
    norms = squared_norms(X)
    nodes = []
    for plane, node in zip(planes_of(tree), np.flatnonzero(tree.is_inner), strict=True):
        rows = arriving.pop(node)
        y = np.where(codes[rows] > 0, 1.0, -1.0)
        scale = tree.counts[node].sum() if model.loss_scale == "mean" else 1.0
        caps = balanced_weights(y) / (model.lam * scale)
        nodes.append((rows, _support(X, rows, y, caps, norms)))
        right = X[rows] @ plane[:-1] + plane[-1] > 0
        arriving[tree.left[node]], arriving[tree.right[node]] = rows[~right], rows[right]
    return nodes


def _support(X, rows, y, caps, norms):
    """Which rows have a positive multiplier at a vertex of the dual of their SVM (bool).

    The SVM of these rows alone, with the same caps, is that of all rows: rows whose margin it does
    not meet (what the tolerance left over) are added until there are none.
    """
    alpha = np.zeros(len(rows))
    solve_dual(X, rows, y, caps, norms, 1.0, _TOL, _EPOCHS, 0, alpha)
    move_to_vertex(X, rows, y, caps, alpha)
    support = alpha > 0
    while not support.all():
        alone = np.zeros(int(support.sum()))
        problem = X, rows[support], y[support], caps[support], norms
        w, b, *_ = solve_dual(*problem, 1.0, _TOL, _EPOCHS, 0, alone)
        missed = ~support & (y * (X[rows] @ w + b) < 1.0 - _EDGE)
        if not missed.any():
            break
        support |= missed
    return support


def _check_as_trained(model, tree) -> None:
    """Refuse what other rows than the support vectors had a part in."""
    if tree.counts.shape[1] != 2:
        raise ValueError(
            "support_vector_bound needs a tree for two classes. "
            f"Got one for {tree.counts.shape[1]}."
        )
    if model is tree:
        raise TypeError(
            "support_vector_bound needs the classifier that grew the tree: its 'lam' is part of "
            "the SVMs. Got a HyperplaneTree."
        )
    for name, needed in _AS_TRAINED.items():
        value = getattr(model, name, "no such parameter")
        if value != needed:
            raise ValueError(
                "support_vector_bound needs hyperplanes that are the SVMs of their nodes: "
                f"ObliqueTreeClassifier with {name}={needed!r}. Got {value!r}."
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

    Where more rows lie on the margin than determine it, a vertex of the dual solution names the
    support vectors: of the rows strictly between their bounds at most n_features + 1 per node.
    With the soft margins of the papers most rows are support vectors and the bound is vacuous;
    it speaks for trees of few of them. It takes the solver at its word: fit with a small `tol`.

    Parameters
    ----------
    model : fitted ObliqueTreeClassifier
        Two classes, hyperplanes as their SVMs gave them (``split="svm", bias="svm"``: of a b that
        is regularised and so unique) and nothing moved or cut on other rows afterwards
        (``refine=0``, ``prune_fraction=0``, a given `lam`).
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
    TypeError
        `model` is a tree without the classifier that grew it.

    Examples
    --------
    >>> from hlsvm import ObliqueTreeClassifier
    >>> X = np.random.default_rng(0).normal(size=(800, 2))
    >>> y = X[:, 0] > 0
    >>> X[:, 0] += np.where(y, 5, -5)
    >>> how = {"split": "svm", "bias": "svm", "refine": 0, "prune_fraction": 0, "tol": 1e-6}
    >>> model = ObliqueTreeClassifier(lam=1e-6, **how, random_state=0).fit(X, y)
    >>> support_vector_bound(model, X, y).value < 0.1
    True
    """
    check_number("support_vector_bound", "delta", delta, low=0, high=1, closed="neither")
    tree = only_tree(model)
    _check_as_trained(model, tree)
    X, codes = rows_and_codes("support_vector_bound", model, X, y)
    n = len(X)
    nodes = _support_of_nodes(model, tree, X, codes)
    used = np.zeros(n, bool)
    for rows, support in nodes:
        used[rows[support]] = True
    k = int(used.sum())
    serving = sum(
        integer_nats(int(support.sum()))
        + _log_choose(int(used[rows].sum()), int(support.sum()))
        + 2 * math.log(n + 1)
        for rows, support in nodes
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
