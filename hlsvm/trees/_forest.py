"""Trees that decide together: one for all classes, several that are averaged, one a pair."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from itertools import combinations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hlsvm.trees._columns import Columns
from hlsvm.trees._impurity import entropy_mass
from hlsvm.trees._one_row import bind, compiled
from hlsvm.trees.tree import HyperplaneTree

KINDS = ("one", "mean", "pairs")


def _achieved(tree: HyperplaneTree, spread: np.ndarray) -> np.ndarray:
    """Fall of the entropy (bits times weight) in all splits, divided among the features."""
    mass = np.array([entropy_mass(counts) for counts in tree.counts])
    inner = np.flatnonzero(tree.is_inner)
    fall = mass[inner] - mass[tree.left[inner]] - mass[tree.right[inner]]
    part = np.zeros(tree.n_features)
    for node, amount in zip(inner, np.maximum(fall, 0.0), strict=True):
        if tree.plane[node] < 0:
            part[tree.feature[node]] += amount
            continue
        sway = np.abs(tree.weights[tree.plane[node]].astype(np.float64)) * spread
        if sway.sum() > 0:
            part += amount * (sway / sway.sum())
    return part


class Forest:
    """One tree or several, and how they decide.

    "one"
        The tree's answer.
    "mean"
        The class with the largest sum of leaf shares; the first of equal ones.
    "pairs"
        A tree for each pair of classes (0, 1), (0, 2), ... gives one vote (one against one). Among
        classes with equally many, trust decides: a tree trusts its vote by c = min(1, the least
        absolute decision value on the row's path), one at the SVMs' margin. The winner of a pair
        scores 1 + (1 + c) / 2K, the loser (1 - c) / 2K, K the number of classes, so that trust
        never outweighs a vote.

    Parameters
    ----------
    kind : {"one", "mean", "pairs"}
    classes : ndarray of shape (n_classes,)
        Labels.
    trees : list of HyperplaneTree
        Of "pairs" each with two classes.
    columns : Columns, optional
        What the features were like in the training data.

    Attributes
    ----------
    pairs : ndarray of int64, shape (n_pairs, 2)
        All pairs of classes, in the order of the trees of "pairs".
    roots : ndarray of int64, shape (n_trees,)
        Number of every tree's root among all nodes, the trees one below the other.
    """

    def __init__(
        self,
        kind: str,
        classes: np.ndarray,
        trees: list[HyperplaneTree],
        columns: Columns | None = None,
    ):
        self.kind = kind
        self.classes = classes
        self.trees = trees
        self.columns = columns or Columns.unknown(trees[0].n_features)
        self.pairs = np.array(list(combinations(range(len(classes)), 2)))
        self.roots = np.cumsum([0] + [tree.n_nodes for tree in trees[:-1]])

    @classmethod
    def of(cls, model) -> Forest:
        """Trees of a fitted classifier.

        Raises
        ------
        TypeError
            It is not a classifier of `hlsvm.trees`.
        sklearn.exceptions.NotFittedError
        """
        if not hasattr(model, "predict_one"):
            raise TypeError(
                "model must be a fitted classifier of hlsvm.trees or what load_arrays returns. "
                f"Got {type(model).__name__}."
            )
        if hasattr(model, "fit"):
            check_is_fitted(model)
        return model.forest_

    def with_trees(self, trees: list[HyperplaneTree], columns: Columns) -> Forest:
        """Copy that decides by other trees, of rows with other columns."""
        other = copy(self)
        other.trees, other.columns = trees, columns
        return other

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        return self.trees[0].weights.dtype

    @property
    def n_features(self) -> int:
        """Columns of a row."""
        return self.trees[0].n_features

    def joined(self, name: str) -> np.ndarray:
        """One attribute of all trees, one below the other; numbers as in the whole."""
        parts = []
        planes = nodes = 0
        for tree in self.trees:
            part = getattr(tree, name).copy()
            if name == "plane":
                part[part >= 0] += planes
            elif name in ("left", "right"):
                part[part >= 0] += nodes
            parts.append(part)
            planes += len(tree.weights)
            nodes += tree.n_nodes
        return np.concatenate(parts)

    def predict(self, X) -> np.ndarray:
        """Class index of every row."""
        if self.kind == "one":
            tree = self.trees[0]
            return tree.winner[tree.apply(X)]
        return self.scores(X).argmax(axis=1)

    def scores(self, X) -> np.ndarray:
        """Score of every class: leaf shares, their sum over the trees, or votes with trust."""
        if self.kind == "pairs":
            return self._count(X)[0]
        total = np.zeros((len(X), len(self.classes)))
        for tree in self.trees:
            total += tree.shares[tree.apply(X)]
        return total

    def decision(self, X) -> np.ndarray:
        """`shares`, or of two classes by how much that of the second is larger."""
        shares = self.shares(X)
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def shares(self, X) -> np.ndarray:
        """Estimated probability of every class: (mean) leaf shares.

        Of "pairs" votes and leaf shares, scaled to sum to one. Where trust decided between equal
        votes, the winner takes the largest number of theirs; and it has a millionth of a vote
        more, so that it is the largest.
        """
        if self.kind != "pairs":
            return self.scores(X) / len(self.trees)
        scores, shares = self._count(X)
        everyone = np.arange(len(X))
        won, largest = scores.argmax(axis=1), shares.argmax(axis=1)
        top = shares[everyone, largest]
        shares[everyone, largest] = shares[everyone, won]
        shares[everyone, won] = top + 1e-6
        return shares / shares.sum(axis=1, keepdims=True)

    def _count(self, X):
        """Votes and trust of every class, and votes and leaf shares of every class."""
        n_classes = len(self.classes)
        scores = np.zeros((len(X), n_classes))
        shares = np.zeros((len(X), n_classes))
        everyone = np.arange(len(X))
        for classes, tree in zip(self.pairs, self.trees, strict=True):
            leaf, margin = tree.route(X)
            trust = 0.5 * np.minimum(margin.astype(np.float64), 1.0)
            second = tree.winner[leaf]
            winner = classes[second]
            scores[everyone, winner] += 1.0 + (0.5 + trust) / n_classes
            scores[everyone, classes[1 - second]] += (0.5 - trust) / n_classes
            shares[everyone, winner] += 1.0
            shares[:, classes] += tree.shares[leaf] / n_classes
        return scores, shares

    def importances(self) -> np.ndarray:
        """Part of every feature in the fall of the entropy, see `Answers`."""
        total = np.zeros(self.n_features)
        for tree in self.trees:
            part = _achieved(tree, self.columns.spread)
            total += part / (part.sum() or 1.0)
        return total / (total.sum() or 1.0)

    def n_hyperplanes(self, X) -> np.ndarray:
        """Hyperplanes met by every row, in all trees together."""
        return sum(tree.n_planes_met[tree.apply(X)].astype(np.int64) for tree in self.trees)

    def n_operations(self, X) -> np.ndarray:
        """Multiply-adds and comparisons of every row, in all trees together."""
        return sum(tree.n_operations_met[tree.apply(X)] for tree in self.trees)

    def bind(self) -> Callable:
        """Return a function from one row to its label."""
        dtype = np.dtype(self.dtype.name)
        nodes = np.column_stack([self.joined(k) for k in ("plane", "feature", "left", "right")])
        nodes = np.ascontiguousarray(nodes, dtype=np.int32)
        arrays = (self.joined("weights"), self.joined("offsets"), nodes)
        labels = list(self.classes)
        if self.kind == "one":
            name = "route_one"
            labels = list(self.classes[self.trees[0].winner])
        elif self.kind == "mean":
            name = "sum_one"
            arrays += (self.roots.astype(np.int32), self.joined("shares"))
        else:
            name = "vote_one"
            pairs = np.column_stack([self.roots, self.pairs]).astype(np.int32, order="C")
            arrays += (pairs, self.joined("winner"), len(self.classes))
        return bind(compiled(name, dtype.name), arrays, labels, dtype, self.n_features)
