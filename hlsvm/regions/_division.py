"""Ways to cut the data into parts at a given ceiling: by a tree, or at random."""

from __future__ import annotations

import numpy as np

from hlsvm.regions.region_tree import RegionTree


class TreeDivision:
    """The leaves of a tree.

    Attributes
    ----------
    tree : RegionTree
    parts : list of ndarray
        Training rows of each leaf.
    """

    def __init__(self, tree: RegionTree):
        self.tree = tree
        self._leaves = tree.leaves
        self.parts = [tree.rows_of(leaf) for leaf in self._leaves]

    def locate(self, X):
        """Part of every row of `X`."""
        return np.searchsorted(self._leaves, self.tree.apply(X))

    def at_ceiling(self, ceiling_size):
        """Return the division of a larger ceiling, moving up the tree."""
        return TreeDivision(self.tree.at_ceiling(ceiling_size))


def hash_rows(X, seed):
    """Return 64 random-looking bits for every row, a function of its values and the seed alone."""
    bits = np.full(len(X), np.uint64(seed) ^ np.uint64(0x9E3779B97F4A7C15))
    for column in np.ascontiguousarray(X, dtype=np.float64).T + 0.0:  # -0.0 counts as 0.0
        bits ^= np.ascontiguousarray(column).view(np.uint64)
        bits *= np.uint64(0xBF58476D1CE4E5B9)
        bits ^= bits >> np.uint64(31)
        bits *= np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(29)
    return bits


class RandomDivision:
    """ceil(n / sigma) random parts of nearly equal size (RDSVM, DTSVM section 3.2).

    A new row belongs to the part that a hash of its values names: as good as random, and the same
    whenever the row is asked about, alone or among others.

    Parameters
    ----------
    n : int
        Training rows.
    ceiling_size : int
    seed : int
    """

    def __init__(self, n, ceiling_size, seed):
        self.n, self.ceiling_size, self.seed = n, ceiling_size, seed
        n_parts = -(-n // ceiling_size)
        order = np.random.default_rng([seed, ceiling_size]).permutation(n)
        self.parts = [np.sort(part) for part in np.array_split(order, n_parts)]

    def locate(self, X):
        """Part of every row of `X`."""
        hashed = hash_rows(X, self.seed + self.ceiling_size) % np.uint64(len(self.parts))
        return hashed.astype(np.int64)

    def at_ceiling(self, ceiling_size):
        """Return another division, drawn anew with this ceiling."""
        return RandomDivision(self.n, ceiling_size, self.seed)
