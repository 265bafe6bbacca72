"""The bare shape of a binary tree in preorder, without hyperplanes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm.trees.tree import HyperplaneTree

__all__ = ["TreeShape", "to_tree"]


@dataclass(frozen=True)
class TreeShape:
    """Children, ends of subtrees and numbers of planes; see `hlsvm.bounds._gibbs`.

    Attributes
    ----------
    left, right, end, plane : ndarray of int64, shape (n_nodes,)
        -1 where there is none; planes are numbered in preorder.
    """

    left: np.ndarray
    right: np.ndarray
    end: np.ndarray
    plane: np.ndarray

    @classmethod
    def of(cls, tree) -> TreeShape:
        """Shape of a `HyperplaneTree`."""
        inner = tree.is_inner
        plane = np.where(inner, np.cumsum(inner) - 1, -1)
        return cls(
            *(np.asarray(a, np.int64) for a in (tree.left, tree.right)), tree.subtree_end, plane
        )

    @property
    def n_nodes(self) -> int:
        """Inner nodes and leaves."""
        return len(self.plane)

    @property
    def n_inner(self) -> int:
        """Hyperplanes."""
        return int(np.count_nonzero(self.plane >= 0))

    @property
    def inner(self) -> np.ndarray:
        """Numbers of the inner nodes, in preorder."""
        return np.flatnonzero(self.plane >= 0)

    def collapse(self, cut) -> tuple[TreeShape, np.ndarray]:
        """Shape in which the nodes of `cut` (bool) are leaves, and which nodes it keeps."""
        keep = np.ones(self.n_nodes, bool)
        for node in np.flatnonzero(cut):
            keep[node + 1 : self.end[node]] = False
        number = np.cumsum(keep) - 1
        inner = (self.plane >= 0) & keep & ~np.asarray(cut)
        left = np.where(inner, number[self.left], -1)[keep]
        right = np.where(inner, number[self.right], -1)[keep]
        plane = np.where(inner, np.cumsum(inner) - 1, -1)[keep]
        # As many nodes are kept before the end of a subtree as its new end says.
        end = np.cumsum(keep)[self.end - 1][keep]
        return TreeShape(left, right, end, plane), keep


def to_tree(tree_shape: TreeShape, planes, counts) -> HyperplaneTree:
    """Tree of hyperplanes (w, b) on raw rows, with the counts that decide its labels."""
    inner = tree_shape.plane >= 0
    offsets = np.zeros(tree_shape.n_nodes)
    offsets[inner] = planes[:, -1]
    return HyperplaneTree.from_arrays(
        weights=np.ascontiguousarray(planes[:, :-1]),
        offsets=offsets,
        plane=tree_shape.plane,
        left=tree_shape.left,
        right=tree_shape.right,
        counts=counts,
    )
