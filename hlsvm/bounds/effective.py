"""Effective number of leaves and the tree bounds of Thesis 5.2.2 (HLSVM section 4)."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np

from hlsvm._data import check_numbers
from hlsvm._params import check_number
from hlsvm.bounds._trees import only_tree, rows_and_codes, rows_of
from hlsvm.bounds.result import Bound

__all__ = [
    "complexity",
    "correct_shares",
    "effective_leaves",
    "leaf_shares",
    "lemma_5_2",
    "lemma_5_3",
    "tree_complexity",
]

_ASSUMPTION = "training rows are i.i.d.; the constant c of the Lemma is not known"


def leaf_shares(model, X) -> np.ndarray:
    """Share p_i of the rows of X that every leaf receives, leaves in preorder.

    Parameters
    ----------
    model : fitted classifier with one `tree_`, or `HyperplaneTree`
    X : array-like of shape (n, n_features)

    Returns
    -------
    ndarray of shape (n_leaves,)

    Examples
    --------
    >>> from hlsvm.trees.tree import HyperplaneTree
    >>> stump = HyperplaneTree.from_arrays(
    ...     weights=[[1.0]], offsets=[0.0, 0.0, 0.0], plane=[0, -1, -1], left=[1, -1, -1],
    ...     right=[2, -1, -1], counts=[[3, 1], [3, 0], [0, 1]],
    ... )
    >>> leaf_shares(stump, [[-3.0], [-2.0], [-1.0], [1.0]]).tolist()
    [0.75, 0.25]
    """
    tree = only_tree(model)
    X = rows_of("leaf_shares", model, X)
    counts = np.bincount(tree.apply(X), minlength=tree.n_nodes)
    return counts[~tree.is_inner] / len(X)


def correct_shares(model, X, y) -> np.ndarray:
    """P'_i, the share of a leaf among the rows that are classified correctly (Thesis 5.2.2).

    ``p_i P_S[T(x) = y | leaf i] / P_S[T(x) = y]``. It sums to one only with the empirical p_i
    (erratum E27, see notebooks/11_errata), which are used here.

    Raises
    ------
    ValueError
        No row is classified correctly.

    Examples
    --------
    >>> from hlsvm.trees.tree import HyperplaneTree
    >>> stump = HyperplaneTree.from_arrays(
    ...     weights=[[1.0]], offsets=[0.0, 0.0, 0.0], plane=[0, -1, -1], left=[1, -1, -1],
    ...     right=[2, -1, -1], counts=[[3, 1], [3, 0], [0, 1]],
    ... )
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0]], [0, 0, 1, 1]
    >>> correct_shares(stump, X, y).round(3).tolist()  # one of three is wrong on the left
    [0.667, 0.333]
    """
    tree = only_tree(model)
    X, codes = rows_and_codes("correct_shares", model, X, y)
    leaf = tree.apply(X)
    right = tree.winner[leaf] == codes
    if not right.any():
        raise ValueError("correct_shares needs a row that is classified correctly. Got none.")
    counts = np.bincount(leaf[right], minlength=tree.n_nodes)
    return counts[~tree.is_inner] / np.count_nonzero(right)


def effective_leaves(shares) -> float:
    r"""L_eff = L (1 - d(P, U)) = 1 + L (1 - sum p_i^2) (Thesis 5.2.2, HLSVM section 4).

    1 where all rows reach one leaf, L where they are spread evenly; d is the squared Euclidean
    distance to the uniform shares.

    Parameters
    ----------
    shares : array-like of shape (L,)
        Non-negative, summing to one.

    Examples
    --------
    >>> effective_leaves([1.0, 0.0, 0.0]), effective_leaves([0.25] * 4)
    (1.0, 4.0)
    >>> round(effective_leaves([0.7, 0.1, 0.1, 0.1]), 2)
    2.92
    """
    shares = check_numbers("effective_leaves", "shares", shares, ndim=1)
    if shares.min() < 0 or abs(shares.sum() - 1) > 1e-6:
        raise ValueError(
            "'shares' must be non-negative and sum to one. "
            f"Got a least of {shares.min():.3g} and a sum of {shares.sum():.6g}."
        )
    return 1.0 + len(shares) * max(1.0 - float(np.sum(shares**2)), 0.0)


def complexity(
    effective: float, n_features: int, n: int, depth: int, *, power: float = 1 / 3
) -> float:
    r"""T_comp = (L'_eff (M + 1) log^2 N log D / N)^power (Thesis 5.3.3).

    Parameters
    ----------
    effective : float
        (Empirical) effective number of leaves.
    n_features, n, depth : int
        M, N and D. D counts the edges of the longest path; below 2 it is taken as 2, for which
        the statement still has a complexity (log 1 = 0, erratum E27).
    power : float
        1/3 for Lemma 5.3 (trees that misclassify rows of the sample), 1/2 for Theorem 5.1 and
        Lemma 5.2.

    Examples
    --------
    >>> complexity(3.0, 2, 1000, 4) < complexity(4.0, 2, 1000, 4)
    True
    """
    check_number("complexity", "effective", effective, low=1, closed="left")
    check_number("complexity", "n_features", n_features, kind=Integral, low=0)
    check_number("complexity", "n", n, kind=Integral, low=1, closed="left")
    check_number("complexity", "depth", depth, kind=Integral, low=0)
    check_number("complexity", "power", power, low=0, high=10, closed="right")
    inside = effective * (n_features + 1) * math.log(n) ** 2 * math.log(max(depth, 2)) / n
    return float(inside**power)


def tree_complexity(model, X, y) -> dict[str, float]:
    """Everything the bounds of Thesis 5.2.2 are made of, for a fitted tree and its sample.

    Returns
    -------
    dict
        ``samples`` N, ``features`` M, ``VC dimension`` M + 1, ``depth`` D, ``leaves`` L,
        ``effective leaves`` L_eff, ``effective leaves, correct rows`` L'_eff, ``training error``
        and ``T_comp``.

    Examples
    --------
    >>> from hlsvm.trees.tree import HyperplaneTree
    >>> stump = HyperplaneTree.from_arrays(
    ...     weights=[[1.0]], offsets=[0.0, 0.0, 0.0], plane=[0, -1, -1], left=[1, -1, -1],
    ...     right=[2, -1, -1], counts=[[3, 1], [3, 0], [0, 1]],
    ... )
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0]], [0, 0, 1, 1]
    >>> terms = tree_complexity(stump, X, y)
    >>> terms["training error"], terms["effective leaves"]
    (0.25, 1.75)
    """
    tree = only_tree(model)
    shares = leaf_shares(model, X)
    X, codes = rows_and_codes("tree_complexity", model, X, y)
    error = float(np.mean(tree.winner[tree.apply(X)] != codes))
    # A tree that is never right has no P'; every leaf then counts.
    right = effective_leaves(correct_shares(model, X, y)) if error < 1 else float(tree.n_leaves)
    return {
        "samples": len(X),
        "features": tree.n_features,
        "VC dimension": tree.n_features + 1,
        "depth": tree.max_depth,
        "leaves": tree.n_leaves,
        "effective leaves": effective_leaves(shares),
        "effective leaves, correct rows": right,
        "training error": error,
        "T_comp": complexity(right, tree.n_features, len(X), tree.max_depth),
    }


def lemma_5_3(model, X, y, *, c: float = 1.0) -> Bound:
    """Training error plus c T_comp (Thesis Lemma 5.3, HLSVM Lemma 3).

    Parameters
    ----------
    model : fitted classifier with one `tree_`
    X, y : the rows it was grown on
    c : float
        The Lemma says only that such a constant exists; the value shows how the bound varies.

    Returns
    -------
    Bound
        Its `confidence` is None: with an unknown constant nothing can be promised.

    Examples
    --------
    >>> from hlsvm.trees.tree import HyperplaneTree
    >>> stump = HyperplaneTree.from_arrays(
    ...     weights=[[1.0]], offsets=[0.0, 0.0, 0.0], plane=[0, -1, -1], left=[1, -1, -1],
    ...     right=[2, -1, -1], counts=[[3, 1], [3, 0], [0, 1]],
    ... )
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0]], [0, 0, 1, 1]
    >>> bound = lemma_5_3(stump, X, y, c=0.1)
    >>> bound.value == 0.25 + 0.1 * bound.terms["T_comp"]
    True
    """
    check_number("lemma_5_3", "c", c, low=0, closed="neither")
    terms = tree_complexity(model, X, y)
    value = terms["training error"] + c * terms["T_comp"]
    return Bound("Lemma 5.3", value, None, {**terms, "c": c}, _ASSUMPTION, "the tree")


def lemma_5_2(model, X, y, *, c: float = 1.0) -> Bound:
    """Complexity c (L_eff (M + 1) log^2 N log D / N)^(1/2) of a consistent tree (Thesis Lemma 5.2).

    Raises
    ------
    ValueError
        The tree misclassifies a row of its sample.

    Examples
    --------
    >>> from hlsvm.trees.tree import HyperplaneTree
    >>> stump = HyperplaneTree.from_arrays(
    ...     weights=[[1.0]], offsets=[0.0, 0.0, 0.0], plane=[0, -1, -1], left=[1, -1, -1],
    ...     right=[2, -1, -1], counts=[[3, 1], [3, 0], [0, 1]],
    ... )
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0]], [0, 0, 0, 1]
    >>> lemma_5_2(stump, X, y).terms["effective leaves"]
    1.75
    """
    check_number("lemma_5_2", "c", c, low=0, closed="neither")
    terms = tree_complexity(model, X, y)
    if terms["training error"] > 0:
        raise ValueError(
            "lemma_5_2 speaks of trees consistent with the sample. "
            f"Got a training error of {terms['training error']:.3g}: see lemma_5_3."
        )
    term = complexity(
        terms["effective leaves"], terms["features"], terms["samples"], terms["depth"], power=0.5
    )
    del terms["T_comp"]
    terms |= {"complexity": term, "c": c}
    return Bound("Lemma 5.2", c * term, None, terms, _ASSUMPTION, "the tree")
