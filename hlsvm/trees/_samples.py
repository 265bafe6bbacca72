"""What all nodes of a tree share: the samples, and how a node is split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm.linear.kernels import read_only, squared_norms
from hlsvm.trees._impurity import count_classes
from hlsvm.trees._routing import project
from hlsvm.trees._superclasses import weight_right


@dataclass
class Samples:
    """What all nodes of all trees of a fit share; nothing here is copied for a node.

    Attributes
    ----------
    X : ndarray of float32 or float64, shape (n, n_features)
        C-contiguous, read-only.
    codes : ndarray of int32, shape (n,)
        Class of every row.
    weight : ndarray of float64, shape (n,)
    n_classes : int
    norms : ndarray of float64, shape (n,)
        Squared norms of the rows.
    budget : int or None
        Bytes of rows that may be copied into memory at a time, where `X` is a file; None where it
        is in memory.
    """

    X: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    n_classes: int
    norms: np.ndarray
    budget: int | None = None

    @classmethod
    def of(cls, X, codes, weight, n_classes, budget=None) -> Samples:
        """Measure the rows once."""
        return cls(X, codes, weight, n_classes, squared_norms(X), budget)

    @property
    def block(self) -> int:
        """Rows that fit into the budget, at least one."""
        return max(self.budget // (self.X.shape[1] * self.X.itemsize), 1)

    def fits(self, n_rows: int) -> bool:
        """Whether so many rows may be copied into memory."""
        return self.budget is not None and n_rows <= self.block

    def load(self, rows) -> Samples:
        """Copy some rows into memory; they are numbered from 0."""
        X = read_only(self.X[rows])
        arrays = (self.codes[rows], self.weight[rows], self.n_classes, self.norms[rows])
        return Samples(X, *arrays)

    def like(self, other: Samples) -> Samples:
        """Return these classes and weights with the rows of another."""
        return Samples(other.X, self.codes, self.weight, self.n_classes, other.norms)

    def count(self, rows) -> np.ndarray:
        """Weight of every class among `rows`."""
        return count_classes(rows, self.codes, self.weight, self.n_classes)

    def project(self, rows, w) -> np.ndarray:
        """``w.x`` of some rows, in the precision of X, as prediction computes it."""
        values = np.empty(len(rows), self.X.dtype)
        project(self.X, rows, w, values)
        return values

    def right_of(self, rows, values, offset) -> np.ndarray:
        """Weight of every class with ``values + offset > 0``."""
        return weight_right(rows, self.codes, self.weight, values, offset, self.n_classes)


@dataclass(frozen=True)
class SplitOptions:
    """How a node is split; the parameters of `ObliqueTreeClassifier` of these names.

    Those of the solvers are parameters of `HLSVMClassifier`. `bias_feature` is the value of the
    constant feature that carries b, None for a b that is not regularised. With `path` lambda is
    chosen anew in every node.
    """

    lam: float
    loss_scale: str = "mean"
    solver: str = "dual"
    bias: str = "auto"
    tol: float = 1e-2
    max_iter: int = 100
    batch_size: int = 1000
    bias_scale: float = 0.01
    bias_feature: float | None = 1.0
    faithful: bool = False
    split: str = "svm"
    refine_lam: float | None = None
    path: bool = False
