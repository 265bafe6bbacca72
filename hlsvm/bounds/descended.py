"""A deterministic tree whose hyperplanes moved down the PAC-Bayes bound of its noisy self."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hlsvm._data import check_classes, check_data
from hlsvm._params import check_number, check_random_state, check_scale
from hlsvm.bounds._standardize import split_rows
from hlsvm.bounds.pruning import prune_by_bound
from hlsvm.trees.classifier import HLSVMClassifier

__all__ = ["DescendedTreeClassifier"]

_FEW = 20  # rows to choose among the stages, below which the tree stays as it was grown


class DescendedTreeClassifier(ClassifierMixin, BaseEstimator):
    """Tree of hyperplanes that are moved together, with noise in every one of them.

    An H-LSVM tree is grown; then the expected error of the tree whose weights are drawn anew for
    every decision, and what the weights cost, are lowered over all hyperplanes at once, and nodes
    that do not pay are cut (`prune_by_bound` with ``prior="tree"``). The last tenth of the rows
    chooses among the stages. What decides is the tree at the means, without noise: one
    deterministic tree, with no bound of its own. Its training is what `fit_with_bound` and
    `fit_best_with_bound` need: a tree that generalises.

    Parameters
    ----------
    lam : float
        Regularisation of the tree that is grown.
    prior_fraction : float in (0, 1)
        Share of the rows on which the tree descends; the others choose among its stages.
    max_leaves : int
        The grown tree is first cut to at most so many leaves.
    n_steps : int
        Steps of each descent.
    random_state : int, RandomState instance or None
        Of the tree and of the division.

    Attributes
    ----------
    tree_ : HyperplaneTree
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int

    Notes
    -----
    Where fewer than 20 rows are left to choose among the stages, or a class is not among those on
    which it would descend, the tree stays as it was grown. `X` must be dense: pass ``X.toarray()``
    for sparse rows.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> tree = DescendedTreeClassifier(random_state=0).fit(X, y)
    >>> tree.score(X, y) > 0.95, tree.get_n_leaves() < 20
    (True, True)
    """

    def __init__(
        self, lam=1e-5, *, prior_fraction=0.9, max_leaves=400, n_steps=60, random_state=None
    ):
        self.lam = lam
        self.prior_fraction = prior_fraction
        self.max_leaves = max_leaves
        self.n_steps = n_steps
        self.random_state = random_state

    def fit(self, X, y):
        """Grow the tree and move its hyperplanes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_scale(self, "lam", self.lam)
        check_number(self, "prior_fraction", self.prior_fraction, low=0, high=1, closed="neither")
        for name in ("max_leaves", "n_steps"):
            check_number(self, name, getattr(self, name), kind=Integral, low=1, closed="left")
        random = check_random_state(self, self.random_state)
        X, y = check_data(self, X, y, dtype=np.float64, order="C")
        self.classes_, codes = check_classes(self, y)
        seed = int(random.randint(2**31 - 1))
        grown = HLSVMClassifier(self.lam, random_state=seed).fit(X, codes)
        self.tree_ = grown.tree_
        parts = split_rows(len(codes), self.prior_fraction, seed) if len(codes) >= 2 else ([], [])
        if len(parts[1]) >= _FEW and len(np.unique(codes[parts[0]])) == len(self.classes_):
            how = {"max_leaves": self.max_leaves, "max_iter": self.n_steps, "random_state": seed}
            how |= {"prior": "tree", "prior_fraction": self.prior_fraction}
            self.tree_ = prune_by_bound(grown, X, codes, **how).tree
        return self

    def _leaves(self, X) -> np.ndarray:
        check_is_fitted(self)
        return self.tree_.apply(check_data(self, X, dtype=np.float64, order="C", reset=False))

    def predict(self, X) -> np.ndarray:
        """Class of every row, shape (n_samples,)."""
        leaves = self._leaves(X)
        return self.classes_[self.tree_.winner[leaves]]

    def predict_proba(self, X) -> np.ndarray:
        """Return the expected shares of the classes in the leaf, (n_samples, n_classes)."""
        leaves = self._leaves(X)
        return self.tree_.shares[leaves]

    def get_n_leaves(self) -> int:
        """Leaves of the tree."""
        check_is_fitted(self)
        return int(self.tree_.n_leaves)
