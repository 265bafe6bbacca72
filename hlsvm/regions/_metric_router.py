"""A metric tree with its leaves' linear forms, packed for fast descent."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed

from hlsvm.regions._metric_descent import descend, linear_values, one_value

_CHUNK = 1 << 14  # rows of one piece of work
_NONE = np.empty(0, np.int32)


def _width(d):
    """Length of a row of `d` numbers and an offset that whole vector registers serve."""
    for short in (8, 16, 32):
        if d < short:
            return short
    return -(-(d + 1) // 32) * 32


def _whole_limit(normals, offsets):
    """Size up to which rows of whole numbers meet no rounding in single precision; -1: none do."""
    if (normals != np.rint(normals)).any() or (2 * offsets != np.rint(2 * offsets)).any():
        return -1.0
    room = 2.0**22 - np.abs(offsets).max()
    return float(room / max(np.abs(normals).sum(axis=1).max(), 1.0))


class Router:
    """Hyperplanes of the cuts and of the leaves, in double precision and packed in single.

    Parameters
    ----------
    tree : MetricTree
    constants : ndarray of shape (n_leaves, n_machines)
    gradients : ndarray of shape (n_leaves, n_machines, d)
        ``f(x) ~ gradients[leaf].x + constants[leaf]`` (MetricTree Eq. 9).
    """

    def __init__(self, tree, constants, gradients):
        self.tree, self.constants, self.gradients = tree, constants, gradients
        d = tree.normals.shape[1]
        self.width = _width(d)
        normals, offsets = tree.normals, tree.offsets
        if constants.shape[1] == 1:  # the leaf of one machine is one more hyperplane
            normals = np.concatenate([normals, gradients[:, 0]])
            offsets = np.concatenate([offsets, constants[:, 0]])
        planes = np.zeros((len(normals), self.width), np.float32)
        with np.errstate(over="ignore"):
            planes[:, :d] = normals
            planes[:, d] = offsets
            sizes = np.sqrt(np.einsum("ij,ij->i", normals, normals) + offsets**2)
            # Rounding of both factors, of d + 1 products and of their sum; twice, for the norm.
            self.slack = (2.0 * (d + 4) * 2.0**-24 * sizes + 1e-37).astype(np.float32)
        self.planes = planes.ravel()
        self.limit = _whole_limit(tree.normals, tree.offsets)
        self._exact = tree.normals, tree.offsets, gradients, constants

    def _run(self, X, leaf, depth, side, n_jobs):
        def fill(rows):
            part = [array[rows] if len(array) else array for array in (leaf, depth, side)]
            head = (X[rows], self._exact, self.planes, self.slack, self.width, self.limit)
            descend(*head, self.tree.children, *part)

        tiles = [slice(start, start + _CHUNK) for start in range(0, len(X), _CHUNK)]
        if len(tiles) < 2 or n_jobs in (None, 1):
            fill(slice(None))
        else:
            Parallel(n_jobs=n_jobs, prefer="threads")(delayed(fill)(rows) for rows in tiles)

    def locate(self, X, n_jobs=None):
        """Leaf of every row and the number of cuts met, both int32."""
        leaf, depth = np.empty(len(X), np.int32), np.zeros(len(X), np.int32)
        self._run(X, leaf, depth, np.empty(0, np.uint8), n_jobs)
        if self.tree.n_leaves == 1:
            depth[:] = 0
        return leaf, depth

    def sides(self, X, n_jobs=None):
        """1 where the linear form of the row's leaf is positive (one machine), else 0.

        2 for rows whose squares are no finite numbers of single precision.
        """
        side = np.empty(len(X), np.uint8)
        self._run(X, _NONE, _NONE, side, n_jobs)
        return side

    def values(self, X, leaf):
        """Linear form of every machine at every row, shape (n, n_machines)."""
        out = np.empty((len(X), self.constants.shape[1]))
        linear_values(X, leaf, self.constants, self.gradients, out)
        return out

    def value_of(self, x):
        """Linear form at one row of float64; NaN if it holds one or does not fit."""
        tree = self.tree
        return one_value(
            x, tree.normals, tree.offsets, tree.children, self.constants, self.gradients
        )
