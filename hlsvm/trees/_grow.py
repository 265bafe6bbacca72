"""Growth of a tree: which node is split next, when to stop, where its samples go (HLSVM Fig. 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from joblib import Parallel, delayed

from hlsvm._certificate import Certificate
from hlsvm.trees._certificates import CERTIFICATE, record_of
from hlsvm.trees._routing import partition
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees._seeds import child_seed
from hlsvm.trees._split import least_gain, split_node
from hlsvm.trees.tree import HyperplaneTree

# Subtrees of at most this part of the samples grow side by side.
_PIECES = 16


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

    def graft(self, node: int, other: TreeBuilder) -> None:
        """Put a tree grown elsewhere in the place of the last leaf appended."""
        for name in ("offsets", "plane", "feature", "left", "right", "counts"):
            getattr(self, name).pop()
        planes = len(self.weights)
        self.offsets += other.offsets
        self.feature += other.feature
        self.counts += other.counts
        self.plane += [plane + planes if plane >= 0 else -1 for plane in other.plane]
        self.left += [child + node if child >= 0 else -1 for child in other.left]
        self.right += [child + node if child >= 0 else -1 for child in other.right]
        self.weights += other.weights

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


@dataclass
class _Growth:
    """What all nodes of a tree that grows have in common."""

    options: SplitOptions
    total: float
    least: float
    delta: float
    max_depth: int | None
    splitter: Callable


@dataclass
class _Task:
    """A subtree that waits to grow: its range of the permutation, its place, its seed."""

    low: int
    high: int
    depth: int
    parent: int
    side: int
    path: int
    is_final: bool = False


@dataclass
class _Branch:
    """A subtree as it grows."""

    builder: TreeBuilder
    certificates: list[tuple] = field(default_factory=list)
    proofs: list[Certificate] = field(default_factory=list)
    waiting: dict[int, _Task] = field(default_factory=dict)

    def join(self, node: int, other: _Branch) -> None:
        """Put another branch in the place of the last leaf appended."""
        self.builder.graft(node, other.builder)
        self.certificates += other.certificates
        self.proofs += other.proofs


def _grow_branch(growth, samples, rows, spare, start, small, on_rows_done) -> _Branch:
    """Grow a branch; subtrees of at most `small` rows are left waiting."""
    branch = _Branch(TreeBuilder(samples.X.shape[1], samples.X.dtype))
    todo = [start]
    while todo:
        task = todo.pop()
        members = rows[task.low : task.high]
        if samples.fits(len(members)):
            parent = None if task is start else task
            _grow_loaded(growth, samples, rows, task, parent, branch, on_rows_done)
            continue
        counts = samples.count(members)
        node = branch.builder.add(counts, task.parent, task.side)
        split = None
        stop = task.is_final or task.depth == growth.max_depth
        stop = stop or counts.sum() <= growth.delta * growth.total
        if not stop and np.count_nonzero(counts) > 1:
            if len(members) <= small and task is not start:
                branch.waiting[node] = task
                continue
            split, tried = growth.splitter(
                samples, growth.options, members, counts, growth.total, growth.least, task.path
            )
            branch.proofs += tried
        middle = task.low
        if split is not None:
            middle += partition(members, split.values, split.offset, spare[task.low : task.high])
        if not task.low < middle < task.high:
            on_rows_done(len(members))
            continue
        branch.builder.split(node, split)
        if split.proof is not None:
            branch.certificates.append(_certify(counts, split))
        for side, low, high in ((1, middle, task.high), (0, task.low, middle)):
            seed = child_seed(task.path, side)
            todo.append(_Task(low, high, task.depth + 1, node, side, seed, split.is_final))
    return branch


def _certify(counts, split) -> tuple:
    size = counts.sum()
    whole = -np.sum(counts[counts > 0] * np.log2(counts[counts > 0] / size))
    return record_of(split.proof, size, (whole - split.mass) / size)


def _grow_loaded(growth, samples, rows, task, parent, branch, on_rows_done) -> None:
    """Copy the rows of a subtree into memory and grow it there, as part of `branch`."""
    members = rows[task.low : task.high]
    loaded = samples.load(members)
    local = np.arange(len(members))
    start = replace(task, low=0, high=len(members), parent=-1, side=0)
    grown = _grow_branch(growth, loaded, local, np.empty_like(local), start, 0, on_rows_done)
    above, side = (-1, 0) if parent is None else (parent.parent, parent.side)
    node = branch.builder.add(loaded.count(local[:0]), above, side)
    branch.join(node, grown)


def grow(
    samples: Samples,
    options: SplitOptions,
    rows: np.ndarray,
    *,
    min_fraction: float | None = None,
    max_depth: int | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    on_rows_done: Callable[[int], object] | None = None,
    splitter: Callable = split_node,
) -> tuple[HyperplaneTree, np.ndarray, list]:
    """Grow a tree on some rows.

    A node is a contiguous range of one permutation of the row numbers; a split partitions its
    range in place and in order. It stays a leaf if it is pure, if its share of the samples is at
    most delta, or if no split lowers the entropy (HLSVM Fig. 3).

    With several threads the top of the tree grows first, then its subtrees of at most a sixteenth
    of the samples side by side. With ``samples.budget`` a subtree whose rows fit is copied into
    memory and grows there; above it hyperplanes are trained block by block (see `solve`).

    Parameters
    ----------
    samples, options
    rows : ndarray of int64
        Rows to grow on, ascending; not changed.
    min_fraction : float or None
        delta, in shares of the weight of `rows`; None: `default_fraction`.
    max_depth : int or None
        No node deeper than this.
    seed : int
    n_jobs : int or None
        Threads; changes no bit, as a node depends only on its samples and its seed.
    on_rows_done : callable, optional
        Called with the number of rows whenever rows have reached their leaf.
    splitter : callable
        What splits a node, as `split_node` does.

    Returns
    -------
    tree : HyperplaneTree
    certificates : ndarray of `CERTIFICATE`, shape (n_planes,)
        Of every hyperplane of the tree, in the order of ``tree.weights``.
    proofs : list of Certificate
        Of every SVM trained, also where the split was refused.
    """
    rows = rows.copy()
    spare = np.empty_like(rows)
    total = float(samples.weight[rows].sum())
    delta = default_fraction(total) if min_fraction is None else min_fraction
    growth = _Growth(options, total, least_gain(samples.weight[rows]), delta, max_depth, splitter)
    on_rows_done = on_rows_done or (lambda n: None)
    start = _Task(0, len(rows), 0, -1, 0, seed)
    alone = n_jobs is None or n_jobs == 1
    small = 0 if alone else max(len(rows) // _PIECES, 1)
    top = _grow_branch(growth, samples, rows, spare, start, small, on_rows_done)
    if top.waiting:
        grown = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_grow_branch)(
                growth, samples, rows, spare, replace(task, parent=-1), 0, on_rows_done
            )
            for task in top.waiting.values()
        )
        top = _assemble(top, dict(zip(top.waiting, grown, strict=True)))
    certificates = np.array(top.certificates, dtype=CERTIFICATE)
    return top.builder.tree(), certificates, top.proofs


def _assemble(top: _Branch, grown: dict[int, _Branch]) -> _Branch:
    """Put the subtrees in their places, in preorder."""
    source = top.builder
    whole = _Branch(TreeBuilder(source.n_features, source.dtype), proofs=top.proofs)
    todo = [(0, -1, 0)]
    while todo:
        old, parent, side = todo.pop()
        node = whole.builder.add(source.counts[old], parent, side)
        if old in grown:
            whole.join(node, grown[old])
            continue
        if source.left[old] < 0:
            continue
        plane = source.plane[old]
        whole.builder.offsets[node] = source.offsets[old]
        whole.builder.feature[node] = source.feature[old]
        if plane >= 0:
            whole.builder.plane[node] = len(whole.builder.weights)
            whole.builder.weights.append(source.weights[plane])
            whole.certificates.append(top.certificates[plane])
        todo += [(source.right[old], node, 1), (source.left[old], node, 0)]
    return whole
