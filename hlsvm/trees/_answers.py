"""What fitted trees answer, whether just fitted or read from a file."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import hstack

from hlsvm.trees._forest import Forest


class Answers:
    """Methods of everything that has a `forest_`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : Forest
    """

    classes_: NDArray
    forest_: Forest

    @abstractmethod
    def _read(self, X: ArrayLike) -> NDArray:
        """Return rows as the trees take them, checked."""

    def predict(self, X: ArrayLike) -> NDArray:
        """Class of every row: the majority in its leaf, or the winner of the vote.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Where its precision is not that of the training data, it is converted, in chunks.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._read(X)
        return self.classes_[self.forest_.predict(X)]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Share of every class among the training weight in the leaf of every row.

        One against one: votes and leaf shares of every class, scaled to sum to one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._read(X)
        return self.forest_.shares(X)

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of `predict_proba`; minus infinity where that is zero.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Estimated probability of every class, or of two classes their difference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the probability of the second less that of the first: above zero where
            `predict` answers ``classes_[1]``.
        """
        X = self._read(X)
        return self.forest_.decision(X)

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Leaf that every row reaches: its number among the nodes of its tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int32, shape (n_samples,), or (n_samples, n_trees) of several trees
        """
        X = self._read(X)
        leaves = [tree.apply(X) for tree in self.forest_.trees]
        return leaves[0] if len(leaves) == 1 else np.column_stack(leaves)

    def decision_path(self, X: ArrayLike):
        """Nodes on the way of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        indicator : scipy.sparse.csr_array of bool, shape (n_samples, n_nodes)
            Whether a row meets a node; the trees of several stand side by side.
        first : ndarray of int64, shape (n_trees + 1,)
            Only of several trees: the columns of tree k are ``first[k]`` to ``first[k + 1]``.
        """
        X = self._read(X)
        trees = self.forest_.trees
        parts = [tree.ancestry()[tree.apply(X)] for tree in trees]
        if len(parts) == 1:
            return parts[0]
        first = np.cumsum([0] + [tree.n_nodes for tree in trees])
        return hstack(parts, format="csr"), first

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Part of every feature in what the splits achieve, shape (n_features,); its sum is 1.

        A split achieves the fall of the entropy, times the share of the training weight that
        reaches it. Of a hyperplane w that is divided in proportion to ``|w_j| s_j``, s_j the
        standard deviation of the feature in the training data; of a comparison the one feature
        has it all. Trees count alike. All zero where no tree splits.
        """
        return Forest.of(self).importances()

    def n_hyperplanes(self, X: ArrayLike) -> NDArray[np.int64]:
        """Hyperplanes evaluated to classify every row (HLSVM Table 4, "Hyp").

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            One against one: the sum over the trees of all pairs.
        """
        X = self._read(X)
        return self.forest_.n_hyperplanes(X)

    def n_operations(self, X: ArrayLike) -> NDArray[np.int64]:
        """Multiply-adds spent to classify every row: n_features a hyperplane, one a comparison.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            One against one: the sum over the trees of all pairs.
        """
        X = self._read(X)
        return self.forest_.n_operations(X)

    def get_depth(self) -> int:
        """Most nodes on a path from the root to a leaf; of the deepest tree of a vote."""
        return max(tree.max_depth for tree in Forest.of(self).trees)

    def get_n_leaves(self) -> int:
        """Leaves, of all trees together."""
        return sum(tree.n_leaves for tree in Forest.of(self).trees)
