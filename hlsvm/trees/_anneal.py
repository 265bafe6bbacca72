"""All hyperplanes of a complete tree trained together, from soft splits to hard ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from tqdm.auto import tqdm

from hlsvm.trees import _anneal_kernels as kernels
from hlsvm.trees._refine import leaves_of, replace_counts
from hlsvm.trees._samples import Samples
from hlsvm.trees.pruning import count_leaves
from hlsvm.trees.tree import HyperplaneTree

# Least number of steps of Adam: more passes where there are few rows.
_STEPS = 1000
# Columns that hold this share of zeros are left sparse; their mean is taken away by the offset.
_SPARSE = 0.5
# Weights that are finite before they are divided by the spread of a feature stay so after.
_ROOM = 1e12


@dataclass(frozen=True)
class Annealing:
    """How a soft tree is trained; the parameters of `AnnealedTreeClassifier` of these names."""

    max_depth: int
    max_iter: int | None
    batch_size: int
    learning_rate: float
    weight_decay: float
    sharpness: float
    standardize: bool

    def passes(self, n_rows: int) -> int:
        """Return the passes over so many rows."""
        if self.max_iter is not None:
            return self.max_iter
        return max(40, -(-_STEPS // -(-n_rows // self.batch_size)))


@dataclass
class Scaled:
    """Rows brought to scale, the sparse columns of them without their mean taken away.

    Attributes
    ----------
    rows : csr_array of float32
    lacking : ndarray of float32, shape (n_features,)
        What is still to be taken away from every row.
    mean, scale : ndarray of float64, shape (n_features,)
        A row x stands for ``(x - mean) / scale``.
    """

    rows: csr_array
    lacking: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, samples: Samples, rows, each: bool) -> Scaled:
        """Bring rows to variance one, feature by feature or (`each` False) on the mean."""
        X, weight = samples.X[rows], samples.weight[rows]
        mean = np.average(X, axis=0, weights=weight).astype(np.float64)
        square = np.average((X - mean) ** 2, axis=0, weights=weight)
        spread = np.sqrt(square)
        if not each:
            spread = np.full_like(spread, np.sqrt(square.mean()))
        least = _ROOM / float(np.finfo(X.dtype).max)
        constant = np.sqrt(square) <= np.maximum(1e-12 * np.abs(mean), least)
        scale = np.where(constant | (spread <= least), 1.0, spread)
        sparse = (X == 0).mean(axis=0) >= _SPARSE
        centre = np.where(sparse & ~constant, 0.0, mean)
        values = ((X - centre) / scale).astype(np.float32)
        values[:, constant] = 0.0
        lacking = ((mean - centre) / scale).astype(np.float32)
        return cls(csr_array(values), lacking, mean, scale)


class SoftTree:
    r"""A complete tree whose node k sends a row right with probability :math:`\sigma(\beta z_k)`.

    The probability of a class is the mean of the leaves' shares, each leaf taken with the
    probability to reach it. Parameters climb the weighted log-likelihood by Adam on small batches;
    :math:`\beta` rises from 1 to `sharpness`, its inverse falling in equal steps, while the step
    falls to nothing. Weights, not offsets, decay as in AdamW.

    Attributes
    ----------
    planes : ndarray of float32, shape (n_features, n_inner)
    offsets : ndarray of float32, shape (n_inner,)
    scores : ndarray of float32, shape (n_classes, n_leaves)
        Logarithms of the leaves' shares, but for a constant.
    """

    def __init__(self, n_features: int, n_classes: int, depth: int, random: np.random.Generator):
        n_inner = 2**depth - 1

        def draw(shape, size):
            return ((random.random(shape) - 0.5) * (size * np.sqrt(12.0))).astype(np.float32)

        self.planes = draw((n_features, n_inner), 1 / np.sqrt(n_features))
        self.offsets = np.zeros(n_inner, np.float32)
        self.scores = draw((n_classes, n_inner + 1), 0.1)

    def train(self, data: Scaled, codes, weight, how: Annealing, random, bar) -> None:
        """Climb from soft to hard; `weight` has a mean of one."""
        n = len(codes)
        values = (self.planes, self.offsets, self.scores)
        slopes, first, second = ([np.zeros_like(part) for part in values] for _ in range(3))
        shares = np.empty_like(self.scores)
        arrays = (data.rows.data, data.rows.indices, data.rows.indptr)
        passes = how.passes(n)
        starts = np.arange(0, n, how.batch_size)
        steps, step, late = passes * len(starts), 0, [1.0, 1.0]
        for _ in range(passes):
            order = random.permutation(n)
            for start in starts:
                batch, done = order[start : start + how.batch_size], step / steps
                beta = 1.0 / (1.0 + (1.0 / how.sharpness - 1.0) * done)
                rate = how.learning_rate * (1.0 - done)
                step += 1
                kernels.softmax(self.scores, shares)
                kernels.batch_slopes(
                    *arrays, batch, codes, weight, self.planes, self.offsets, data.lacking,
                    np.float32(beta), shares, *slopes,
                )  # fmt: skip
                slopes[2] -= shares * slopes[2].sum(axis=0)
                late = [late[0] * 0.9, late[1] * 0.99]
                correct = [np.float32(1.0 / (1.0 - lack)) for lack in late]
                for k in range(len(values)):
                    keep = np.float32(1.0 - rate * how.weight_decay * (k == 0))
                    flat = (array[k].ravel() for array in (values, slopes, first, second))
                    kernels.climb(*flat, np.float32(rate), *correct, keep)
            bar.update()

    def hardened(self, data: Scaled, sharpness: float, dtype) -> HyperplaneTree:
        """Return the tree of its hyperplanes, of rows as given; it has counted nothing yet."""
        n_inner = len(self.offsets)
        weights = self.planes.T.astype(np.float64) * (sharpness / data.scale)
        offsets = self.offsets.astype(np.float64) * sharpness - (weights * data.mean).sum(axis=1)
        order, left, right, todo = [], [], [], [(0, -1)]
        while todo:
            node, above = todo.pop()
            if above >= 0:
                right[above] = len(order)
            inner = node < n_inner
            left.append(len(order) + 1 if inner else -1)
            right.append(-1)
            if inner:
                todo += [(2 * node + 2, len(order)), (2 * node + 1, -1)]
            order.append(node)
        order = np.array(order)
        inner = order < n_inner
        plane = np.where(inner, np.cumsum(inner) - 1, -1)
        return HyperplaneTree.from_arrays(
            weights=weights[order[inner]].astype(dtype),
            offsets=np.where(inner, np.append(offsets, 0.0)[np.minimum(order, n_inner)], 0.0),
            plane=plane,
            left=left,
            right=right,
            counts=np.zeros((len(order), self.scores.shape[0])),
        )


def without_idle(tree: HyperplaneTree) -> HyperplaneTree:
    """Tree of the same answers without nodes one side of which no sample takes."""
    mass = tree.counts.sum(axis=1)
    order, left, right, todo = [], [], [], [(0, -1)]
    while todo:
        node, above = todo.pop()
        while tree.left[node] >= 0 and min(mass[[tree.left[node], tree.right[node]]]) == 0:
            node = tree.right[node] if mass[tree.left[node]] == 0 else tree.left[node]
        if above >= 0:
            right[above] = len(order)
        inner = tree.left[node] >= 0
        left.append(len(order) + 1 if inner else -1)
        right.append(-1)
        if inner:
            todo += [(tree.right[node], len(order)), (tree.left[node], -1)]
        order.append(node)
    plane = tree.plane[order]
    held = plane >= 0
    weights = tree.weights[plane[held]]
    plane[held] = np.arange(len(weights))
    return HyperplaneTree.from_arrays(
        weights=weights, offsets=tree.offsets[order], plane=plane, left=left, right=right,
        counts=tree.counts[order],
    )  # fmt: skip


def counted(tree: HyperplaneTree, samples: Samples, rows) -> HyperplaneTree:
    """Tree whose leaves have counted their samples, without what changes no answer of theirs."""
    leaf = leaves_of(tree, samples.X, rows)
    counts = count_leaves(tree, leaf, samples.codes[rows], samples.weight[rows])
    tree = without_idle(replace_counts(tree, counts))
    idle = tree.agreeing()
    return tree.collapse(idle) if idle.any() else tree


def anneal(
    samples: Samples, rows: np.ndarray, how: Annealing, seed: int, title: str | None = None
) -> HyperplaneTree:
    """Train a tree on some rows.

    Parameters
    ----------
    samples : Samples
    rows : ndarray of int64
        Ascending.
    how : Annealing
    seed : int
        Of the first hyperplanes, and of the order of the rows.
    title : str or None
        Of the progress bar; None for no bar.

    Returns
    -------
    HyperplaneTree
        At most ``2**max_depth`` leaves. Decision values are in the scale in which a row went
        right with probability ``1 / (1 + exp(-value))`` at last.
    """
    random = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    data = Scaled.of(samples, rows, how.standardize)
    soft = SoftTree(samples.X.shape[1], samples.n_classes, how.max_depth, random)
    weight = samples.weight[rows]
    weight = (weight * (len(rows) / weight.sum())).astype(np.float32)
    # The mean of a batch, so that the slope's size says nothing of how many rows it has.
    weight /= np.float32(min(how.batch_size, len(rows)))
    with tqdm(total=how.passes(len(rows)), disable=title is None, desc=title, leave=False) as bar:
        soft.train(data, samples.codes[rows], weight, how, random, bar)
    tree = soft.hardened(data, how.sharpness, samples.X.dtype)
    return counted(tree, samples, rows)
