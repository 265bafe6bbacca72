"""Any fitted tree classifier as one set of plain arrays: what is saved and exported."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hlsvm.trees._forest import MeanTrees, OneTree, PairwiseTrees
from hlsvm.trees.tree import HyperplaneTree

KINDS = {"one": OneTree, "mean": MeanTrees, "pairs": PairwiseTrees}


@dataclass
class Flat:
    """Trees one below the other.

    Attributes
    ----------
    kind : {"one", "mean", "pairs"}
        One tree, several averaged, or one a pair of classes.
    classes : ndarray
        Labels.
    trees : list of HyperplaneTree
    """

    kind: str
    classes: np.ndarray
    trees: list[HyperplaneTree]

    @classmethod
    def of(cls, model) -> Flat:
        """Read a fitted classifier.

        Raises
        ------
        TypeError
            It is not a classifier of `hlsvm.trees`.
        sklearn.exceptions.NotFittedError
        """
        inside = getattr(model, "_model", None)
        kinds = {made: kind for kind, made in KINDS.items()}
        if not hasattr(model, "predict_one"):
            raise TypeError(
                "model must be a fitted HLSVMClassifier, SVMTreesClassifier or what load_arrays "
                f"returns. Got {type(model).__name__}."
            )
        if hasattr(model, "fit"):
            check_is_fitted(model)
        return cls(kinds[type(inside)], model.classes_, list(inside.trees))

    def model(self):
        """Return what predicts class numbers."""
        if self.kind == "one":
            return OneTree(self.trees[0])
        if self.kind == "mean":
            return MeanTrees(self.trees)
        return PairwiseTrees(self.trees, len(self.classes))

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        return self.trees[0].weights.dtype

    @property
    def n_features(self) -> int:
        """Columns of a row."""
        return self.trees[0].n_features

    @property
    def roots(self) -> np.ndarray:
        """Number of every tree's root among all nodes."""
        return np.concatenate([[0], np.cumsum([tree.n_nodes for tree in self.trees])[:-1]])

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

    @property
    def pairs(self) -> np.ndarray:
        """Classes of every tree, shape (n_trees, 2); of "pairs" only."""
        n = len(self.classes)
        return np.array([(a, b) for a in range(n) for b in range(a + 1, n)])
