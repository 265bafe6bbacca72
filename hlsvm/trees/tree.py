"""A decision tree of hyperplanes, held as flat arrays."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from hlsvm.linear.kernels import read_only
from hlsvm.trees._calibrate import sharpened
from hlsvm.trees._routing import route
from hlsvm.trees._tree_arrays import check_tree, node_numbers, numbers

# Rows converted at a time when the data and the tree differ in precision.
_CHUNK = 65536


class HyperplaneTree:
    """Binary tree whose inner nodes are hyperplanes (or comparisons of one feature), as arrays.

    Nodes are numbered in preorder: the root is 0, a left child follows its parent, a subtree is a
    contiguous range. A row goes right where ``w.x + b > 0`` and left otherwise (HLSVM Fig. 3).

    Parameters
    ----------
    weights : ndarray of float32 or float64, shape (n_planes, n_features)
        Normal vectors, one row a hyperplane.
    offsets : ndarray of the same dtype, shape (n_nodes,)
        b of every inner node; 0 at leaves.
    plane : ndarray of int32, shape (n_nodes,)
        Row of `weights` the node evaluates, or -1.
    feature : ndarray of int32, shape (n_nodes,)
        Column the node compares (``x[feature] + b > 0``), or -1. A node with neither is a leaf.
    left, right : ndarray of int32, shape (n_nodes,)
        Children; -1 at leaves.
    counts : ndarray of float64, shape (n_nodes, n_classes)
        Weight of the training samples of every class that reach the node.
    shrinkage : float, default=0.0
        How many samples' worth each node's shares are drawn to its parent's, see `shares`.
    power : float, default=1.0
        To which the shares are then raised; they sum to one again. Changes no answer.

    Attributes
    ----------
    parent : ndarray of int32, shape (n_nodes,)
        -1 for the root.
    depth : ndarray of int32, shape (n_nodes,)
        Edges from the root.
    n_planes_met : ndarray of int32, shape (n_nodes,)
        Hyperplanes evaluated on the way to the node.
    n_operations_met : ndarray of int64, shape (n_nodes,)
        Multiply-adds on the way to the node: n_features a hyperplane, one a comparison.
    shares : ndarray of float64, shape (n_nodes, n_classes)
        Estimated probability of every class in the node. Without shrinkage their shares of the
        counts; with shrinkage s hierarchically shrunk (Agarwal et al., ICML 2022): the root's
        shares, plus at every step down the change of the shares over 1 + s / weight of the parent.
    winner : ndarray of int32, shape (n_nodes,)
        Class (index) a leaf at this node answers: the largest share, the first among equals.

    Examples
    --------
    >>> import numpy as np
    >>> tree = HyperplaneTree.from_arrays(
    ...     weights=[[1.0, -1.0]], offsets=[0.5, 0, 0], plane=[0, -1, -1],
    ...     left=[1, -1, -1], right=[2, -1, -1], counts=[[3, 2], [3, 0], [0, 2]])
    >>> tree.apply(np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([1, 2], dtype=int32)
    """

    ARRAYS = ("weights", "offsets", "plane", "feature", "left", "right", "counts")

    def __init__(
        self, weights, offsets, plane, feature, left, right, counts, shrinkage=0.0, power=1.0
    ):
        self.weights = weights
        self.offsets = offsets
        self.plane = plane
        self.feature = feature
        self.left = left
        self.right = right
        self.counts = counts
        self.shrinkage = float(shrinkage)
        self.power = float(power)
        self._derive()

    @classmethod
    def from_arrays(
        cls, weights, offsets, plane, left, right, counts, feature=None, shrinkage=0.0, power=1.0
    ):
        """Tree from anything array-like, checked: shapes, ranges, preorder.

        Raises
        ------
        ValueError
            The arrays do not describe one tree; the message names the array.
        """
        tree = cls.__new__(cls)
        tree.weights = numbers("weights", weights, 2)
        if tree.weights.dtype != np.float32:
            tree.weights = tree.weights.astype(np.float64)
        with np.errstate(over="ignore"):
            shifts = numbers("offsets", offsets, 1).astype(tree.weights.dtype, copy=False)
        tree.offsets = numbers("offsets", shifts, 1)
        if feature is None:
            feature = np.full(len(plane), -1, np.int32)
        for name, given in (("plane", plane), ("feature", feature), ("left", left)):
            setattr(tree, name, node_numbers(name, given))
        tree.right = node_numbers("right", right)
        tree.counts = numbers("counts", counts, 2).astype(np.float64, copy=False)
        tree.shrinkage, tree.power = float(shrinkage), float(power)
        check_tree(tree)
        tree._derive()
        return tree

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that `from_arrays` takes: all there is to save."""
        arrays = {name: getattr(self, name) for name in self.ARRAYS}
        return arrays | {"shrinkage": np.array(self.shrinkage), "power": np.array(self.power)}

    def _derive(self):
        n = self.n_nodes
        self.parent = np.full(n, -1, np.int32)
        self.depth = np.zeros(n, np.int32)
        self.n_planes_met = np.zeros(n, np.int32)
        for node in range(n):
            above = self.parent[node]
            if above >= 0:
                self.depth[node] = self.depth[above] + 1
                self.n_planes_met[node] = self.n_planes_met[above] + (self.plane[above] >= 0)
            if self.left[node] >= 0:
                self.parent[self.left[node]] = node
                self.parent[self.right[node]] = node
        compared = self.depth - self.n_planes_met
        self.n_operations_met = self.n_planes_met * np.int64(self.n_features) + compared
        shrunk = self.shares_at(self.shrinkage)
        self.shares = sharpened(shrunk, self.power)
        answers = shrunk if self.shrinkage > 0 else self.counts
        self.winner = answers.argmax(axis=1).astype(np.int32)

    def shares_at(self, strength: float) -> np.ndarray:
        """Shares of this strength of shrinkage, of power one; even where there are no samples."""
        mass = self.counts.sum(axis=1)
        filled = np.where(mass > 0, mass, 1.0)[:, None]
        even = 1.0 / self.counts.shape[1]
        shares = np.where(mass[:, None] > 0, self.counts / filled, even)
        if strength == 0:
            return shares
        shrunk = shares.copy()
        for level in range(1, self.max_depth + 1):
            nodes = np.flatnonzero(self.depth == level)
            above = self.parent[nodes]
            change = shares[nodes] - shares[above]
            shrunk[nodes] = shrunk[above] + change / (1 + strength / filled[above])
        return np.maximum(shrunk, 0.0)  # a share of zero may come out below it by rounding

    @property
    def n_nodes(self) -> int:
        """Inner nodes and leaves."""
        return len(self.plane)

    @property
    def n_features(self) -> int:
        """Columns a row must have."""
        return self.weights.shape[1]

    @property
    def is_inner(self) -> np.ndarray:
        """Which nodes split, bool, shape (n_nodes,)."""
        return (self.plane >= 0) | (self.feature >= 0)

    @property
    def n_leaves(self) -> int:
        """Leaves of the tree."""
        return int(np.count_nonzero(~self.is_inner))

    @property
    def max_depth(self) -> int:
        """Edges on the longest path."""
        return int(self.depth.max())

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that prediction needs."""
        return sum(getattr(self, name).nbytes for name in self.ARRAYS)

    def apply(self, X) -> np.ndarray:
        """Leaf that every row reaches, see `route`."""
        return self.route(X, with_margin=False)[0]

    def route(self, X, *, with_margin: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Leaf that every row reaches, and the least absolute decision value on its way.

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            Finite numbers. Another precision than the tree's is converted, a chunk at a time.
        with_margin : bool, default=True
            Whether to measure the decision values.

        Returns
        -------
        leaf : ndarray of int32, shape (n,)
        margin : ndarray of the tree's dtype, shape (n,), or (0,) if not measured
            How far the row is from another path, in the scale of the SVMs (1: at the margin);
            infinite where the tree is a leaf.
        """
        leaf = np.empty(len(X), np.int32)
        margin = np.empty(len(X) if with_margin else 0, self.weights.dtype)
        arrays = (self.weights, self.offsets, self.plane, self.feature, self.left, self.right)
        if X.dtype == self.weights.dtype and X.flags.c_contiguous:
            route(read_only(X), *arrays, leaf, margin)
            return leaf, margin
        for start in range(0, len(X), _CHUNK):
            part = slice(start, start + _CHUNK)
            rows = np.ascontiguousarray(X[part], self.weights.dtype)
            route(read_only(rows), *arrays, leaf[part], margin[part])
        return leaf, margin

    @property
    def subtree_end(self) -> np.ndarray:
        """Number after the last node below every node (preorder), int64, shape (n_nodes,)."""
        end = np.arange(1, self.n_nodes + 1)
        inner = self.is_inner
        for level in range(self.max_depth - 1, -1, -1):
            nodes = np.flatnonzero(inner & (self.depth == level))
            end[nodes] = end[self.right[nodes]]
        return end

    def below(self, nodes) -> np.ndarray:
        """Which nodes lie below one of `nodes` (bool, both of shape (n_nodes,))."""
        lower, end = np.zeros(self.n_nodes + 1, np.int64), self.subtree_end
        nodes = np.flatnonzero(nodes)
        np.add.at(lower, nodes + 1, 1)
        np.add.at(lower, end[nodes], -1)
        return np.cumsum(lower)[:-1] > 0

    def way(self, node: int) -> list[int]:
        """Nodes from the root to `node`, both included."""
        nodes = [node]
        while nodes[-1] > 0:
            nodes.append(int(self.parent[nodes[-1]]))
        return nodes[::-1]

    def ancestry(self) -> csr_array:
        """Which nodes stand on the way to each node, itself included, bool, (n_nodes, n_nodes)."""
        paths = [self.way(node) for node in range(self.n_nodes)]
        first = np.cumsum([0] + [len(path) for path in paths])
        columns = np.concatenate(paths)
        return csr_array((np.ones(len(columns), bool), columns, first))

    def agreeing(self) -> np.ndarray:
        """Inner nodes below which all leaves answer the same, bool, shape (n_nodes,)."""
        answer = np.where(self.is_inner, -1, self.winner)
        for node in range(self.n_nodes - 1, -1, -1):
            if self.left[node] >= 0 and answer[self.left[node]] == answer[self.right[node]]:
                answer[node] = answer[self.left[node]]
        return self.is_inner & (answer >= 0)

    def collapse(self, nodes) -> HyperplaneTree:
        """Copy in which `nodes` are leaves and everything below them is gone.

        Parameters
        ----------
        nodes : array of bool, shape (n_nodes,)
            Which nodes to turn into leaves.
        """
        keep = ~self.below(nodes)
        number = np.cumsum(keep, dtype=np.int32) - 1
        inner = (self.is_inner & ~np.asarray(nodes))[keep]
        plane = np.where(inner, self.plane[keep], -1).astype(np.int32)
        used = plane >= 0
        weights = self.weights[plane[used]]
        plane[used] = np.arange(len(weights), dtype=np.int32)
        return HyperplaneTree(
            weights=weights,
            offsets=np.where(inner, self.offsets[keep], 0).astype(self.offsets.dtype),
            plane=plane,
            feature=np.where(inner, self.feature[keep], -1).astype(np.int32),
            left=np.where(inner, number[self.left[keep]], -1).astype(np.int32),
            right=np.where(inner, number[self.right[keep]], -1).astype(np.int32),
            counts=self.counts[keep],
            shrinkage=self.shrinkage,
            power=self.power,
        )

    def shrink(self, strength: float, power: float = 1.0) -> HyperplaneTree:
        """Copy whose shares are shrunk with this strength, then raised to this power."""
        arrays = {name: getattr(self, name) for name in self.ARRAYS}
        return HyperplaneTree(**arrays, shrinkage=strength, power=power)
