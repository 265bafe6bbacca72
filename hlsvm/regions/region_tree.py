"""The axis-parallel tree that cuts a data space into regions, held as flat arrays."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from hlsvm._data import check_data, check_labels
from hlsvm._params import check_number, check_option, refusal
from hlsvm.regions._axis_splits import (
    choose_split,
    entropy_table,
    partition,
    route,
    split_of_every_feature,
)

__all__ = ["RegionTree", "grow_region_tree"]

_AMONG = 20  # best splits that a random one is drawn from (Dietterich 2000)


class RegionTree:
    """Binary tree whose inner nodes compare one feature with one value (DTSVM section 2.1).

    Nodes are numbered in preorder: the root is 0, a left child follows its parent. A row goes left
    where ``x[feature] < threshold``. Every node is a contiguous range of `rows`.

    Attributes
    ----------
    feature : ndarray of int32, shape (n_nodes,)
        Feature of each inner node; -1 at leaves.
    threshold : ndarray of float64, shape (n_nodes,)
    left, right : ndarray of int32, shape (n_nodes,)
        Children; -1 at leaves.
    counts : ndarray of int64, shape (n_nodes, n_classes)
        Training rows of every class.
    begin : ndarray of int64, shape (n_nodes,)
        Where the rows of each node begin in `rows`.
    rows : ndarray of int32, shape (n_samples,)
        Training rows, arranged by leaf.
    n_train : ndarray of int64, shape (n_nodes,)
        Training rows of every node.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> tree = grow_region_tree(X, np.array([0, 0, 1, 1]), 2, ceiling_size=2)
    >>> tree.threshold[0], tree.apply(np.array([[1.2], [1.8]])).tolist()
    (np.float64(1.5), [1, 2])
    """

    def __init__(self, feature, threshold, left, right, counts, begin, rows):
        self.feature = feature
        self.threshold = threshold
        self.left = left
        self.right = right
        self.counts = counts
        self.begin = begin
        self.rows = rows
        self.n_train = counts.sum(axis=1)

    @property
    def leaves(self) -> NDArray[np.int64]:
        """Nodes without children, in preorder."""
        return np.flatnonzero(self.feature < 0)

    @property
    def is_homogeneous(self) -> NDArray[np.bool_]:
        """Whether all training rows of a node have one label."""
        return self.counts.max(axis=1) == self.n_train

    @property
    def homogeneous_share(self) -> float:
        """Share of the training rows in leaves of one label (DTSVM Table 7)."""
        alone = (self.feature < 0) & self.is_homogeneous
        return float(self.n_train[alone].sum() / self.n_train[0])

    def rows_of(self, node: int) -> NDArray[np.int32]:
        """Training rows of a node."""
        return self.rows[self.begin[node] : self.begin[node] + self.n_train[node]]

    def get_depth(self) -> int:
        """Most comparisons per decision."""
        depth = np.zeros(len(self.feature), dtype=np.int64)
        for node in np.flatnonzero(self.feature >= 0):
            depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return int(depth.max())

    def apply(self, X) -> NDArray[np.int64]:
        """Leaf (its node) that every row of `X` reaches."""
        out = np.empty(len(X), dtype=np.int64)
        X = np.ascontiguousarray(X, dtype=np.float64)
        route(X, self.feature, self.threshold, self.left, self.right, out)
        return out

    def at_ceiling(self, ceiling_size: int) -> RegionTree:
        """Return the coarser tree of a larger ceiling by moving up, nothing grown anew.

        A node is kept where its parent has at least `ceiling_size` rows (DTSVM section 2.2, step
        2; "smaller than" and "greater than" there meet in this rule, see erratum E25 in
        `notebooks/11_errata.ipynb`). It equals the tree grown with that ceiling.
        """
        split = (self.feature >= 0) & (self.n_train >= ceiling_size)
        kept, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            kept.append(node)
            if split[node]:
                waiting += [self.right[node], self.left[node]]
        kept = np.array(kept)
        number = np.full(len(self.feature), -1, dtype=np.int32)
        number[kept] = np.arange(len(kept))
        inner = split[kept]
        return RegionTree(
            np.where(inner, self.feature[kept], np.int32(-1)),
            np.where(inner, self.threshold[kept], 0.0),
            np.where(inner, number[self.left[kept]], np.int32(-1)),
            np.where(inner, number[self.right[kept]], np.int32(-1)),
            self.counts[kept],
            self.begin[kept],
            self.rows,
        )


def _sorted_lists(X):
    """Rows sorted by each feature, and the ranks of their values."""
    n, d = X.shape
    order = np.empty((d, n), dtype=np.int32)
    code = np.zeros((d, n), dtype=np.int32)
    for f in range(d):
        column = np.ascontiguousarray(X[:, f])
        order[f] = np.argsort(column, kind="stable")
        column = column[order[f]]
        np.cumsum(column[1:] != column[:-1], out=code[f, 1:])
    return order, code


def _between(low, high):
    """Threshold that sends `low` left and `high` right."""
    middle = 0.5 * low + 0.5 * high
    return middle if low < middle <= high else high


def _draw_split(order, code, y, start, stop, table, total, seed):
    """One of the best splits, each by another feature; drawn by the seed and the node's rows."""
    scores, places = split_of_every_feature(order, code, y, start, stop, table, total)
    best = np.argsort(-scores, kind="stable")[:_AMONG]
    best = best[places[best] >= 0]
    if len(best) == 0:
        return -1, -1
    feature = np.random.default_rng([seed, start, stop]).choice(best)
    return int(feature), int(places[feature])


def grow_region_tree(
    X, y, n_classes, ceiling_size, *, balance=False, random_seed=None
) -> RegionTree:
    """Grow the tree of DTSVM section 2.1.

    A node is split while it has at least `ceiling_size` rows, by the feature and threshold that
    reduce the entropy most; not where nothing reduces it (all rows of one label, or the labels
    mixed alike on both sides of every cut), unless `balance` asks for the evenest cut there.
    Thresholds lie midway between neighbouring values; among equal splits the first feature and the
    lowest threshold are taken.

    Parameters
    ----------
    X : ndarray of float64, shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
        Classes 0 ... n_classes - 1.
    n_classes : int
    ceiling_size : int
        sigma >= 2.
    balance : bool, default=False
    random_seed : int or None, default=None
        Draw every split among the 20 best, each by another feature, instead of taking the best:
        one of the randomised trees of DTSVM section 1 (Dietterich 2000).

    Returns
    -------
    RegionTree
    """
    owner = "grow_region_tree"
    X = check_data(owner, X, dtype=np.float64)
    y = check_labels(owner, "y", y, len(X))
    check_number(owner, "n_classes", n_classes, kind=Integral, low=1, high=2**31 - 1)
    check_number(owner, "ceiling_size", ceiling_size, kind=Integral, low=2)
    check_option(owner, "balance", balance, (False, True))
    check_number(owner, "random_seed", random_seed, kind=Integral, low=0, options=(None,))
    if y.dtype.kind not in "biu" or y.min() < 0 or y.max() >= n_classes:
        accepted = f"integers from 0 to {n_classes - 1}, the classes"
        raise ValueError(refusal(owner, "y", accepted, y))
    y = np.ascontiguousarray(y, dtype=np.int32)
    order, code = _sorted_lists(X)
    table = entropy_table(len(y))
    feature, threshold, left, right, counts, begin = [], [], [], [], [], []
    waiting = [(0, len(y), -1)]  # start, stop, node whose right child it is
    while waiting:
        start, stop, parent = waiting.pop()
        node = len(feature)
        if parent >= 0:
            right[parent] = node
        total = np.bincount(y[order[0, start:stop]], minlength=n_classes)
        f, place = -1, -1
        if stop - start >= ceiling_size and total.max() < stop - start:
            node_rows = order, code, y, start, stop, table, total
            if random_seed is not None:
                f, place = _draw_split(*node_rows, random_seed)
            if f < 0:
                f, place = choose_split(*node_rows, balance)
        cut = _between(X[order[f, place - 1], f], X[order[f, place], f]) if f >= 0 else 0.0
        for column, value in zip(
            (feature, threshold, left, right, counts, begin),
            (f, cut, node + 1 if f >= 0 else -1, -1, total, start),
            strict=True,
        ):
            column.append(value)
        if f >= 0:
            partition(order, code, start, stop, f, place)
            waiting += [(place, stop, node), (start, place, -1)]
    return RegionTree(
        np.array(feature, dtype=np.int32),
        np.array(threshold, dtype=np.float64),
        np.array(left, dtype=np.int32),
        np.array(right, dtype=np.int32),
        np.array(counts, dtype=np.int64),
        np.array(begin, dtype=np.int64),
        order[0].copy(),
    )
