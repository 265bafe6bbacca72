"""Trees that decide: one for all classes, several that are averaged, one a pair and a vote."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numba import float32, float64, int32, int64, njit, types

from hlsvm.trees import _routing
from hlsvm.trees.tree import HyperplaneTree


def _nodes(trees) -> np.ndarray:
    """Columns plane, feature, left, right of all trees, one below the other."""
    parts = []
    n_planes = n_nodes = 0
    for tree in trees:
        part = np.column_stack([tree.plane, tree.feature, tree.left, tree.right])
        part[tree.plane >= 0, 0] += n_planes
        part[tree.is_inner, 2:] += n_nodes
        parts.append(part)
        n_planes += len(tree.weights)
        n_nodes += tree.n_nodes
    return np.ascontiguousarray(np.concatenate(parts), dtype=np.int32)


def _roots(trees) -> np.ndarray:
    """Return the number of every root among the nodes of all trees."""
    return np.concatenate([[0], np.cumsum([tree.n_nodes for tree in trees])[:-1]])


@cache
def _compiled(name: str, dtype: str):
    """Kernel of `_routing` for exactly one kind of row: anything else is a TypeError at once."""
    number = float32 if dtype == "float32" else float64

    def array(kind, ndim, read_only=False):
        return types.Array(kind, ndim, "C", readonly=read_only)

    row = array(number, 1, read_only=True)
    tree = (array(number, 2), array(number, 1), array(int32, 2))
    more = {
        "route_one": (),
        "sum_one": (array(int32, 1), array(float64, 2)),
        "vote_one": (array(int32, 2), array(int32, 1), int64),
    }
    signature = int64(row, *tree, *more[name])
    return njit([signature], cache=True, nogil=True)(getattr(_routing, name).py_func)


def _read_row(x, dtype, n_features) -> np.ndarray:
    """One row as the kernel takes it.

    Raises
    ------
    ValueError
        Not one row of `n_features` numbers, or NaN or infinity among them.
    """
    try:
        row = np.asarray(x, dtype=dtype, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"predict_one takes one row of {n_features} numbers. Got {type(x).__name__} instead."
        ) from error
    if row.shape != (n_features,):
        raise ValueError(
            f"predict_one takes one row of {n_features} numbers, shape ({n_features},). "
            f"Got shape {row.shape} instead."
        )
    # One sum tells unless it overflows.
    if not math.isfinite(row.sum()) and not np.isfinite(row).all():
        raise ValueError("predict_one takes finite numbers. Got a row with NaN or infinity.")
    return row


def _bind(kernel, arrays, answers, dtype, n_features) -> Callable:
    """Close over everything a decision needs: one check of type, one compiled call, one look-up."""
    ndarray = np.ndarray

    def predict_one(x):
        if x.__class__ is ndarray and x.dtype is dtype:
            try:
                answer = kernel(x, *arrays)
            except TypeError:  # strided, or not one-dimensional
                answer = -1
            if answer >= 0:
                return answers[answer]
        answer = kernel(_read_row(x, dtype, n_features), *arrays)
        return answers[answer if answer >= 0 else ~answer]  # ~: finite numbers that overflowed

    return predict_one


class OneTree:
    """One tree for all classes.

    Parameters
    ----------
    tree : HyperplaneTree
    """

    def __init__(self, tree: HyperplaneTree):
        self.trees = [tree]

    def predict(self, X) -> np.ndarray:
        """Class index of every row."""
        tree = self.trees[0]
        return tree.winner[tree.apply(X)]

    def shares(self, X) -> np.ndarray:
        """Share of every class in the leaf of every row."""
        tree = self.trees[0]
        return tree.shares[tree.apply(X)]

    def n_hyperplanes(self, X) -> np.ndarray:
        """Hyperplanes met by every row."""
        tree = self.trees[0]
        return tree.n_planes_met[tree.apply(X)].astype(np.int64)

    def n_operations(self, X) -> np.ndarray:
        """Multiply-adds and comparisons of every row."""
        tree = self.trees[0]
        return tree.n_operations_met[tree.apply(X)]

    def bind(self, classes) -> Callable:
        """Return a function from one row to its label."""
        tree = self.trees[0]
        arrays = (tree.weights, tree.offsets, _nodes(self.trees))
        labels = list(classes[tree.winner])
        dtype = np.dtype(tree.weights.dtype.name)
        kernel = _compiled("route_one", dtype.name)
        return _bind(kernel, arrays, labels, dtype, tree.n_features)


class MeanTrees:
    """Several trees for all classes; the class with the largest sum of leaf shares wins.

    Parameters
    ----------
    trees : list of HyperplaneTree
    """

    def __init__(self, trees: list[HyperplaneTree]):
        self.trees = trees

    def predict(self, X) -> np.ndarray:
        """Class index of every row; the first of equal ones."""
        return self._sums(X).argmax(axis=1)

    def _sums(self, X):
        total = np.zeros((len(X), self.trees[0].shares.shape[1]))
        for tree in self.trees:
            total += tree.shares[tree.apply(X)]
        return total

    def shares(self, X) -> np.ndarray:
        """Mean of the leaf shares."""
        return self._sums(X) / len(self.trees)

    def n_hyperplanes(self, X) -> np.ndarray:
        """Hyperplanes met by every row, in all trees together."""
        return sum(tree.n_planes_met[tree.apply(X)].astype(np.int64) for tree in self.trees)

    def n_operations(self, X) -> np.ndarray:
        """Multiply-adds and comparisons of every row, in all trees together."""
        return sum(tree.n_operations_met[tree.apply(X)] for tree in self.trees)

    def bind(self, classes) -> Callable:
        """Return a function from one row to its label."""
        first = self.trees[0]
        dtype = np.dtype(first.weights.dtype.name)
        arrays = (
            np.concatenate([tree.weights for tree in self.trees]),
            np.concatenate([tree.offsets for tree in self.trees]),
            _nodes(self.trees),
            np.array(_roots(self.trees), dtype=np.int32),
            np.concatenate([tree.shares for tree in self.trees]),
        )
        return _bind(
            _compiled("sum_one", dtype.name), arrays, list(classes), dtype, first.n_features
        )


class PairwiseTrees:
    """One tree for each pair of classes; each votes for one of its two (one against one).

    A tree gives one vote. Among classes with equally many, trust decides: a tree trusts its vote
    by c = min(1, the least absolute decision value on the row's path), one at the SVMs' margin.
    The winner of a pair scores 1 + (1 + c) / 2K, the loser (1 - c) / 2K, K the number of classes,
    so that trust never outweighs a vote.

    Parameters
    ----------
    trees : list of HyperplaneTree
        Of pair (0, 1), (0, 2), ..., each with two classes.
    n_classes : int
    """

    def __init__(self, trees: list[HyperplaneTree], n_classes: int):
        self.trees = trees
        self.n_classes = n_classes
        self.pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]

    def _count(self, X):
        """Votes and trust of every class, and votes and leaf shares of every class."""
        scores = np.zeros((len(X), self.n_classes))
        shares = np.zeros((len(X), self.n_classes))
        everyone = np.arange(len(X))
        for pair, tree in zip(self.pairs, self.trees, strict=True):
            leaf, margin = tree.route(X)
            trust = 0.5 * np.minimum(margin.astype(np.float64), 1.0)
            second = tree.winner[leaf]
            classes = np.array(pair)
            winner = classes[second]
            scores[everyone, winner] += 1.0 + (0.5 + trust) / self.n_classes
            scores[everyone, classes[1 - second]] += (0.5 - trust) / self.n_classes
            shares[everyone, winner] += 1.0
            shares[:, classes] += tree.shares[leaf] / self.n_classes
        return scores, shares

    def predict(self, X) -> np.ndarray:
        """Class index of every row."""
        return self._count(X)[0].argmax(axis=1)

    def shares(self, X) -> np.ndarray:
        """Votes and leaf shares, scaled to sum to one.

        Where trust decided between equal votes, the winner takes the largest number of theirs;
        and it has a millionth of a vote more, so that it is the largest.
        """
        scores, shares = self._count(X)
        everyone = np.arange(len(X))
        won, largest = scores.argmax(axis=1), shares.argmax(axis=1)
        top = shares[everyone, largest]
        shares[everyone, largest] = shares[everyone, won]
        shares[everyone, won] = top + 1e-6
        return shares / shares.sum(axis=1, keepdims=True)

    def n_hyperplanes(self, X) -> np.ndarray:
        """Hyperplanes met by every row, in all trees together."""
        return sum(tree.n_planes_met[tree.apply(X)].astype(np.int64) for tree in self.trees)

    def n_operations(self, X) -> np.ndarray:
        """Multiply-adds and comparisons of every row, in all trees together."""
        return sum(tree.n_operations_met[tree.apply(X)] for tree in self.trees)

    def bind(self, classes) -> Callable:
        """Return a function from one row to its label."""
        pairs = np.ascontiguousarray(np.column_stack([_roots(self.trees), self.pairs]), np.int32)
        first = self.trees[0]
        dtype = np.dtype(first.weights.dtype.name)
        arrays = (
            np.concatenate([tree.weights for tree in self.trees]),
            np.concatenate([tree.offsets for tree in self.trees]),
            _nodes(self.trees),
            pairs,
            np.concatenate([tree.winner for tree in self.trees]),
            self.n_classes,
        )
        return _bind(
            _compiled("vote_one", dtype.name), arrays, list(classes), dtype, first.n_features
        )
