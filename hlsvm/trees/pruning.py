"""Cost-complexity pruning by weakest links (Thesis 2.3.3.1, after Breiman et al.)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm._params import check_type
from hlsvm.trees.tree import HyperplaneTree

# Two links are equally weak when they differ by no more than rounding of weighted sums.
_TIE = 1e-12


@dataclass
class PruningPath:
    """Nested subtrees T_0 > T_1 > ... > root, one for every jump point of alpha.

    Attributes
    ----------
    tree : HyperplaneTree
        The tree before pruning.
    step : ndarray of int64, shape (n_nodes,)
        First k such that the node is not an inner node of T_k; 0 for leaves of T_0.
    alphas : ndarray of float64, shape (n_steps,)
        alpha_k from which on T_k minimises Thesis Eq. 2.39; alphas[0] = 0.
    risks : ndarray of float64, shape (n_steps,)
        Training error rate of T_k.
    n_leaves : ndarray of int64, shape (n_steps,)
        Leaves of T_k.
    """

    tree: HyperplaneTree
    step: np.ndarray
    alphas: np.ndarray
    risks: np.ndarray
    n_leaves: np.ndarray

    def __len__(self):
        return len(self.alphas)

    def subtree(self, k: int) -> HyperplaneTree:
        """T_k."""
        return self.tree.collapse(self.tree.is_inner & (self.step <= k))

    def errors(self, counts) -> np.ndarray:
        """Weight that every T_k gets wrong of samples counted at the nodes.

        Parameters
        ----------
        counts : ndarray, shape (n_nodes, n_classes)
            Weight of the samples of every class that pass each node, as `count_passing` gives it.

        Returns
        -------
        ndarray of float64, shape (n_steps,)
        """
        majority = self.tree.counts.argmax(axis=1)
        wrong = counts.sum(axis=1) - counts[np.arange(len(counts)), majority]
        # Node t is a leaf of T_k from step[t] on, until its parent stops being an inner node.
        until = np.full(len(wrong), len(self))
        until[1:] = self.step[self.tree.parent[1:]]
        alive = self.step < until
        change = np.zeros(len(self) + 1)
        np.add.at(change, self.step[alive], wrong[alive])
        np.add.at(change, until[alive], -wrong[alive])
        return np.cumsum(change)[:-1]


def count_passing(tree: HyperplaneTree, X, codes, weight) -> np.ndarray:
    """Weight of the samples of every class that pass each node, shape (n_nodes, n_classes)."""
    return count_leaves(tree, tree.apply(X), codes, weight)


def count_leaves(tree: HyperplaneTree, leaf, codes, weight) -> np.ndarray:
    """As `count_passing`, of samples whose leaves are known."""
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (leaf, codes), weight)
    for node in range(tree.n_nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    return counts


class _Links:
    """Running state of the weakest-link cuts: risk and leaves below every inner node left."""

    def __init__(self, tree):
        self.tree = tree
        self.risk = tree.counts.sum(axis=1) - tree.counts.max(axis=1)
        self.below = self.risk.copy()
        self.leaves = np.ones(tree.n_nodes, np.int64)
        self.inner = tree.is_inner
        self.slack = _TIE * max(float(tree.counts[0].sum()), 1.0)
        for node in range(tree.n_nodes - 1, -1, -1):
            if self.inner[node]:
                left, right = tree.left[node], tree.right[node]
                self.below[node] = self.below[left] + self.below[right]
                self.leaves[node] = self.leaves[left] + self.leaves[right]
                if self.risk[node] <= self.below[node] + self.slack:
                    self.inner[node] = False
                    self.below[node] = self.risk[node]
                    self.leaves[node] = 1
        # Below a cut node everything is out of play.
        self.end = tree.subtree_end
        for node in np.flatnonzero(tree.is_inner & ~self.inner):
            self.inner[node : self.end[node]] = False
        self.strength = np.full(tree.n_nodes, np.inf)
        for node in np.flatnonzero(self.inner):
            self._measure(node)

    def _measure(self, node):
        gain = self.risk[node] - self.below[node]
        self.strength[node] = gain / (self.leaves[node] - 1)

    def cut(self, node):
        """Make an inner node a leaf and bring its ancestors up to date."""
        tree = self.tree
        more = self.risk[node] - self.below[node]
        leaves = self.leaves[node] - 1
        self.inner[node : self.end[node]] = False
        self.strength[node : self.end[node]] = np.inf
        while node >= 0:
            self.below[node] += more
            self.leaves[node] -= leaves
            if self.inner[node]:
                self._measure(node)
            node = tree.parent[node]


def weakest_links(tree: HyperplaneTree) -> PruningPath:
    """Return all the subtrees that minimise risk + alpha * leaves (Thesis 2.3.3.1).

    T_0 is the smallest subtree that errs on the training samples as little as `tree`. Each next
    one cuts every node whose g(t) = (R(t) - R(T_t)) / (leaves(T_t) - 1) is least, all of them at
    once, until the root is left. R counts what the majority of a node gets wrong, whatever the
    tree's shrinkage.

    Returns
    -------
    PruningPath
    """
    check_type("weakest_links", "tree", tree, HyperplaneTree, "a HyperplaneTree")
    links = _Links(tree)
    total = max(float(tree.counts[0].sum()), np.finfo(float).tiny)
    step = np.where(links.inner, -1, 0)
    alphas, risks, leaves = [0.0], [links.below[0]], [int(links.leaves[0])]
    while links.inner[0]:
        weakest = links.strength.min()
        limit = weakest * (1 + _TIE)
        # A cut can make an ancestor as weak: it belongs to the same step.
        while links.inner[0] and links.strength.min() <= limit:
            links.cut(int(np.argmin(links.strength)))
        step[(step < 0) & ~links.inner] = len(alphas)
        alphas.append(weakest / total)
        risks.append(links.below[0])
        leaves.append(int(links.leaves[0]))
    return PruningPath(
        tree, step, np.array(alphas), np.array(risks) / total, np.array(leaves, dtype=np.int64)
    )


def choose(path: PruningPath, X, codes, weight) -> tuple[int, np.ndarray]:
    """Step with the highest accuracy on held-out samples, the smallest subtree among equals.

    (HLSVM section 2: zero standard errors.)

    Returns
    -------
    k : int
        Step of the chosen subtree.
    errors : ndarray of float64, shape (n_steps,)
        Held-out weight that every subtree gets wrong.
    """
    return choose_counted(path, count_passing(path.tree, X, codes, weight))


def choose_counted(path: PruningPath, counts) -> tuple[int, np.ndarray]:
    """As `choose`, of held-out samples counted at the nodes."""
    errors = path.errors(counts)
    slack = _TIE * max(float(counts[0].sum()), 1.0)
    return int(np.flatnonzero(errors <= errors.min() + slack)[-1]), errors
