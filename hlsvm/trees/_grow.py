"""Growth of a tree: which node is split next, when to stop, where its samples go (HLSVM Fig. 3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hlsvm.trees._routing import partition
from hlsvm.trees._split import CERTIFICATE, Rule, Samples, split_node
from hlsvm.trees.tree import HyperplaneTree

_MASK = (1 << 64) - 1


def child_seed(seed: int, side: int) -> int:
    """Seed of a child: a SplitMix64 hash of its parent's and its side.

    A node's seed depends on the path that leads to it and on nothing else, so trees that differ
    only in where they stop are nested (Thesis 5.3.3), and subtrees may grow in any order.

    Examples
    --------
    >>> child_seed(7, 0) != child_seed(7, 1)
    True
    """
    z = (seed * 2 + side + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) >> 1


class TreeBuilder:
    """Arrays of a tree while it grows, node by node in preorder."""

    def __init__(self, n_features: int, dtype: np.dtype):
        self.n_features = n_features
        self.dtype = dtype
        self.weights: list[np.ndarray] = []
        self.offsets: list[float] = []
        self.plane: list[int] = []
        self.feature: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.counts: list[np.ndarray] = []

    def add(self, counts: np.ndarray, parent: int, side: int) -> int:
        """Append a leaf below `parent` (-1: the root) on `side` (0 left, 1 right)."""
        node = len(self.plane)
        if parent >= 0:
            (self.right if side else self.left)[parent] = node
        self.offsets.append(0.0)
        self.plane.append(-1)
        self.feature.append(-1)
        self.left.append(-1)
        self.right.append(-1)
        self.counts.append(counts)
        return node

    def split(self, node: int, split) -> None:
        """Give a leaf the hyperplane or comparison of a `Split`; its children follow."""
        if split.w is None:
            self.feature[node] = split.feature
        else:
            self.plane[node] = len(self.weights)
            self.weights.append(split.w)
        self.offsets[node] = split.offset

    def tree(self) -> HyperplaneTree:
        """Return what has grown."""
        weights = np.array(self.weights, dtype=self.dtype).reshape(-1, self.n_features)
        return HyperplaneTree.from_arrays(
            weights=weights,
            offsets=self.offsets,
            plane=self.plane,
            left=self.left,
            right=self.right,
            counts=np.array(self.counts),
            feature=self.feature,
        )


def default_fraction(total: float) -> float:
    """Return delta = 10^-floor(log10 N) of N samples (HLSVM section 2).

    Examples
    --------
    >>> default_fraction(49990)
    0.0001
    """
    return float(10.0 ** -np.floor(np.log10(max(total, 1.0))))


def grow(
    samples: Samples,
    rule: Rule,
    rows: np.ndarray,
    *,
    min_fraction: float | None = None,
    max_depth: int | None = None,
    seed: int = 0,
    settled: Callable[[int], object] | None = None,
    splitter: Callable = split_node,
) -> tuple[HyperplaneTree, np.ndarray, list]:
    """Grow a tree on some rows.

    A node is a contiguous range of one permutation of the row numbers; a split partitions its
    range in place and in order. It stays a leaf if it is pure, if its share of the samples is at
    most delta, or if no split lowers the entropy (HLSVM Fig. 3).

    Parameters
    ----------
    samples, rule
    rows : ndarray of int64
        Rows to grow on, ascending; not changed.
    min_fraction : float or None
        delta, in shares of the weight of `rows`; None: `default_fraction`.
    max_depth : int or None
        No node deeper than this.
    seed : int
    settled : callable, optional
        Told the number of rows that have found their leaf, as they do.
    splitter : callable
        What splits a node, as `split_node` does.

    Returns
    -------
    tree : HyperplaneTree
    certificates : ndarray of `CERTIFICATE`, shape (n_planes,)
        Of every hyperplane of the tree, in the order of ``tree.weights``.
    proofs : list of tuple
        Of every SVM trained, also where the split was refused.
    """
    rows = rows.copy()
    spare = np.empty_like(rows)
    total = float(samples.weight[rows].sum())
    unit = total / max(len(rows), 1)
    delta = default_fraction(total) if min_fraction is None else min_fraction
    builder = TreeBuilder(samples.X.shape[1], samples.X.dtype)
    certificates: list[tuple] = []
    proofs: list[tuple] = []
    todo = [(0, len(rows), 0, -1, 0, seed, False)]
    while todo:
        low, high, depth, parent, side, path, final = todo.pop()
        mine = rows[low:high]
        counts = samples.count(mine)
        node = builder.add(counts, parent, side)
        split = None
        stop = final or depth == max_depth or counts.sum() <= delta * total
        if not stop and np.count_nonzero(counts) > 1:
            split, tried = splitter(samples, rule, mine, counts, total, unit, path)
            proofs += tried
        middle = low
        if split is not None:
            middle += partition(mine, split.values, split.offset, spare)
        if not low < middle < high:
            if settled is not None:
                settled(high - low)
            continue
        builder.split(node, split)
        if split.proof is not None:
            size = counts.sum()
            whole = -np.sum(counts[counts > 0] * np.log2(counts[counts > 0] / size))
            certificates.append((size, *split.proof, (whole - split.mass) / size))
        todo.append((middle, high, depth + 1, node, 1, child_seed(path, 1), split.last))
        todo.append((low, middle, depth + 1, node, 0, child_seed(path, 0), split.last))
    return builder.tree(), np.array(certificates, dtype=CERTIFICATE), proofs
