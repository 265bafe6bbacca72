"""A grown metric tree: hyperplanes, children and leaves as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class MetricTree:
    """A metric tree as flat arrays, nodes and leaves numbered from the left, parents first.

    Attributes
    ----------
    normals : ndarray of shape (n_inner, d)
    offsets : ndarray of shape (n_inner,)
        ``h(x) = normals[t].x + offsets[t]``; left for ``h < 0`` (MetricTree Eqs. 5-7).
    children : ndarray of int32, shape (n_inner, 2)
        Inner nodes, or ``~leaf``. A tree of one leaf has one node with ``~0`` on both sides.
    rows : ndarray of int64, shape (n,)
        The points, leaf by leaf.
    starts : ndarray of int64, shape (n_leaves + 1,)
        Leaf k holds ``rows[starts[k]:starts[k + 1]]``.
    """

    normals: np.ndarray
    offsets: np.ndarray
    children: np.ndarray
    rows: np.ndarray
    starts: np.ndarray

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.starts) - 1

    def leaf_depths(self):
        """Count the cuts above every leaf."""
        depths = np.zeros(self.n_leaves, np.int64)
        if self.n_leaves == 1:
            return depths
        level = np.zeros(len(self.children), np.int64)
        for node, pair in enumerate(self.children):  # parents come before their children
            for child in pair:
                if child >= 0:
                    level[child] = level[node] + 1
                else:
                    depths[~child] = level[node] + 1
        return depths
