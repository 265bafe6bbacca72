"""Tree alternating optimization: every node refitted on the samples whose fate it decides.

Carreira-Perpinan and Tavallali, "Alternating optimization of decision trees, with application to
learning sparse oblique trees", NeurIPS 2018. With all other nodes fixed, a sample that reaches a
node is decided by it only if exactly one of its two sides classifies the sample correctly. On these
samples the node is a two-class problem (`hlsvm.trees._node_refit`); whatever lowers its weighted
0/1 loss lowers the training loss of the tree by as much. Nodes are visited from the leaves up, so
that the subtrees below a node are those of the same pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm.trees._certificates import CERTIFICATE, record_of
from hlsvm.trees._impurity import entropy_mass
from hlsvm.trees._node_refit import NodeSplit, decide
from hlsvm.trees._routing import answer_below
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees._seeds import child_seed
from hlsvm.trees.pruning import count_leaves
from hlsvm.trees.tree import HyperplaneTree

REFINEMENT = np.dtype(
    [
        ("lam", np.float64),
        ("loss", np.float64),
        ("n_changed", np.int64),
        ("n_leaves", np.int64),
        ("n_operations", np.float64),
    ]
)
# lambda of the first pass over that of the growth, and of the last over that of the first.
_FIRST, _LAST = 0.1, 0.05
# Rows copied at a time.
_CHUNK = 65536


def path_of_lam(first: float, passes: int) -> np.ndarray:
    """Regularisation of every pass: falls geometrically from `first` to a twentieth of it.

    What a node decides for the tree is a smaller problem than what it grew on, and a harder one;
    and the passes of a falling lambda do not stop where those of a single one would.

    Examples
    --------
    >>> path_of_lam(1.0, 3).round(3).tolist()
    [1.0, 0.224, 0.05]
    """
    return first * np.geomspace(1.0, _LAST, max(passes, 2))[:passes]


class _Pass:
    """One pass over a tree: arrays that change while it goes, samples sorted by leaf."""

    def __init__(self, samples: Samples, tree: HyperplaneTree, certificates, rows, leaf):
        n = tree.n_nodes
        self.samples = samples
        self.tree = tree
        self.inner = np.cumsum(tree.is_inner) - 1
        held = tree.plane >= 0
        self.weights = np.zeros((max(tree.n_leaves - 1, 0), tree.n_features), tree.weights.dtype)
        self.weights[self.inner[held]] = tree.weights[tree.plane[held]]
        self.certificates = np.zeros(len(self.weights), CERTIFICATE)
        self.certificates[self.inner[held]] = certificates[tree.plane[held]]
        self.plane = np.where(held, self.inner, -1).astype(np.int32)
        self.feature = tree.feature.copy()
        self.offsets = tree.offsets.copy()
        self.instead = np.full(n, -1)
        order = np.argsort(leaf, kind="stable")
        self.rows = rows[order]
        reached = leaf[order]
        self.low = np.searchsorted(reached, np.arange(n))
        self.high = np.searchsorted(reached, tree.subtree_end - 1, side="right")
        self.answer = np.empty(len(rows), np.int32)

    def _below(self, root, rows, out):
        arrays = (self.weights, self.offsets, self.plane, self.feature)
        tree = self.tree
        answer_below(self.samples.X, rows, root, *arrays, tree.left, tree.right, tree.winner, out)

    def _answers(self, node):
        """Return a node's samples and what its sides answer; the first `middle` go left."""
        low, high = self.low[node], self.high[node]
        middle = self.low[self.tree.right[node]] - low
        rows = self.rows[low:high]
        sides = np.empty((2, high - low), np.int32)
        sides[0, :middle] = self.answer[low : low + middle]
        sides[1, middle:] = self.answer[low + middle : high]
        self._below(self.tree.left[node], rows[middle:], sides[0, middle:])
        self._below(self.tree.right[node], rows[:middle], sides[1, :middle])
        return rows, sides, middle

    def visit(self, node, options, lam, seed) -> bool:
        """Refit a node; whether that changed it."""
        if self.tree.left[node] < 0:
            self.answer[self.low[node] : self.high[node]] = self.tree.winner[node]
            return False
        rows, sides, middle = self._answers(node)
        correct = sides == self.samples.codes[rows]
        care = correct[0] != correct[1]
        at_stake = rows[care]
        signed_weight = self.samples.weight[at_stake] * np.where(correct[1, care], 1.0, -1.0)
        went_right = np.arange(len(rows)) >= middle
        loss = float(np.abs(signed_weight[went_right[care] != (signed_weight > 0)]).sum())
        cost = self.tree.n_features if self.plane[node] >= 0 else 1
        heavier = 2 * middle < len(rows)
        choice = decide(
            self.samples,
            options,
            lam,
            at_stake,
            signed_weight,
            NodeSplit(loss, cost),
            heavier,
            seed,
        )
        if choice is None:
            return False
        right = self._apply(node, choice, rows)
        self.answer[self.low[node] : self.high[node]] = np.where(right, sides[1], sides[0])
        return True

    def _apply(self, node, choice, rows):
        """Give a node a new split; which of its rows go right."""
        if choice.goes_right is not None:
            side = self.tree.right if choice.goes_right else self.tree.left
            self.instead[node] = side[node]
            # Until it is removed the node sends everything there.
            self.plane[node], self.feature[node] = -1, 0
            self.offsets[node] = np.inf if choice.goes_right else -np.inf
            return np.full(len(rows), choice.goes_right)
        self.offsets[node] = choice.offset
        self.feature[node] = choice.feature
        if choice.w is None:
            self.plane[node] = -1
            return self.samples.X[rows, choice.feature] + self.offsets[node] > 0
        self.plane[node] = self.inner[node]
        self.weights[self.inner[node]] = choice.w
        self.certificates[self.inner[node]] = record_of(choice.proof, 0.0, 0.0)
        return self.samples.project(rows, choice.w) + self.offsets[node] > 0

    def result(self) -> tuple[HyperplaneTree, np.ndarray]:
        """Tree without the nodes that are idle, its counts not yet made, and its certificates."""
        tree = self.tree
        nodes, left, right = [], [], []
        todo = [(0, -1, False)]
        while todo:
            node, above, is_right = todo.pop()
            while self.instead[node] >= 0:
                node = self.instead[node]
            if above >= 0:
                (right if is_right else left)[above] = len(nodes)
            number = len(nodes)
            nodes.append(node)
            left.append(-1)
            right.append(-1)
            if tree.left[node] >= 0:
                todo.append((tree.right[node], number, True))
                todo.append((tree.left[node], number, False))
        plane = self.plane[nodes]
        weights = self.weights[plane[plane >= 0]]
        certificates = self.certificates[plane[plane >= 0]]
        plane[plane >= 0] = np.arange(len(weights))
        tree = HyperplaneTree.from_arrays(
            weights=weights,
            offsets=self.offsets[nodes],
            plane=plane,
            left=left,
            right=right,
            counts=np.zeros((len(nodes), tree.counts.shape[1])),
            feature=self.feature[nodes],
        )
        return tree, certificates


def leaves_of(tree: HyperplaneTree, X, rows) -> np.ndarray:
    """Leaf that some rows of `X` reach; they are copied a chunk at a time."""
    if len(rows) == len(X):
        return tree.apply(X)
    leaf = np.empty(len(rows), np.int32)
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        leaf[part] = tree.apply(X[rows[part]])
    return leaf


@dataclass
class _State:
    """A tree, where the samples are in it, and what that costs."""

    tree: HyperplaneTree
    certificates: np.ndarray
    leaf: np.ndarray
    loss: float
    operations: float

    @classmethod
    def of(cls, samples: Samples, tree: HyperplaneTree, certificates, rows) -> _State:
        """Count the samples anew: leaves answer their majority."""
        leaf = leaves_of(tree, samples.X, rows)
        codes, weight = samples.codes[rows], samples.weight[rows]
        tree = replace_counts(tree, count_leaves(tree, leaf, codes, weight))
        wrong = weight[tree.winner[leaf] != codes].sum()
        cost = np.average(tree.n_operations_met[leaf], weights=weight)
        return cls(tree, certificates, leaf, float(wrong), float(cost))


def _measure(tree, certificates):
    """Certificates with the weight and the gain of their nodes in this tree."""
    measured = certificates.copy()
    for node in np.flatnonzero(tree.plane >= 0):
        size = tree.counts[node].sum()
        parts = tree.counts[[tree.left[node], tree.right[node]]]
        gain = entropy_mass(tree.counts[node]) - sum(entropy_mass(part) for part in parts)
        measured["n_samples"][tree.plane[node]] = size
        measured["gain"][tree.plane[node]] = gain / max(size, 1e-300)
    return measured


def replace_counts(tree: HyperplaneTree, counts) -> HyperplaneTree:
    """Copy with other counts, its shares not shrunk."""
    arrays = {name: getattr(tree, name) for name in HyperplaneTree.ARRAYS}
    return HyperplaneTree(**(arrays | {"counts": counts}))


def refine(
    samples: Samples,
    options: SplitOptions,
    rows,
    tree: HyperplaneTree,
    certificates,
    passes: int,
    seed: int,
) -> tuple[HyperplaneTree, np.ndarray, np.ndarray]:
    """Refit the nodes of a tree in passes from the leaves up.

    A node is changed where that lowers the training loss (the weight that the leaves' majorities
    get wrong), or leaves it and makes the node cheaper; an idle node, one of whose sides would do
    for all, is removed. Passes end early where one changes nothing. The mean number of operations
    may grow as the samples find other ways; the record says by how much.

    Parameters
    ----------
    samples, options
        As for `grow`; the hyperplanes come from the dual solver.
    rows : ndarray of int64
        Samples the tree was grown on.
    tree : HyperplaneTree
    certificates : ndarray of `CERTIFICATE`
        Of its hyperplanes.
    passes : int
        At most so many.
    seed : int

    Returns
    -------
    tree : HyperplaneTree
    certificates : ndarray of `CERTIFICATE`
        Of the hyperplanes that stayed as they grew, and of those refitted.
    history : ndarray of `REFINEMENT`
        Before the first pass (its lam NaN) and after each one: training loss (weight), nodes
        changed, leaves, mean operations of the training samples.
    """
    state = _State.of(samples, tree, certificates, rows)
    history = [(np.nan, state.loss, 0, tree.n_leaves, state.operations)]
    first = _FIRST * options.lam if options.refine_lam is None else options.refine_lam
    for number, lam in enumerate(path_of_lam(first, passes)):
        work = _Pass(samples, state.tree, state.certificates, rows, state.leaf)
        changed = 0
        for node in range(state.tree.n_nodes - 1, -1, -1):
            changed += work.visit(node, options, float(lam), child_seed(seed + number, node))
        if not changed:
            continue
        attempt = _State.of(samples, *work.result(), rows)
        idle = attempt.tree.agreeing()
        if idle.any():
            stays = ~idle & ~attempt.tree.below(idle) & (attempt.tree.plane >= 0)
            kept = attempt.certificates[attempt.tree.plane[stays]]
            attempt = _State.of(samples, attempt.tree.collapse(idle), kept, rows)
        # Rounding may part the batch from the single row at a sample on a hyperplane.
        if attempt.loss > state.loss:
            break
        state = attempt
        history.append((lam, state.loss, changed, state.tree.n_leaves, state.operations))
    measured = _measure(state.tree, state.certificates)
    return state.tree, measured, np.array(history, dtype=REFINEMENT)
