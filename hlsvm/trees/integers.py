"""Fitted trees that count in integers, and how far that can lead a decision astray."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hlsvm._data import check_data
from hlsvm._params import check_option
from hlsvm.trees._columns import Columns
from hlsvm.trees._integer_nodes import Nodes, decisive
from hlsvm.trees._pipeline import forest_of
from hlsvm.trees._refit_integers import refit
from hlsvm.trees.tree import HyperplaneTree

__all__ = ["IntegerTrees"]

SHARE = 15  # bits of a leaf's share, where trees are averaged
_CHUNK = 65536


class IntegerTrees:
    r"""A fitted classifier whose inputs, weights and sums are integers, with a certificate.

    Feature j enters as :math:`q_j = \mathrm{round}((x_j - z_j) / s_j)`, with a step
    :math:`s_j` that is a power of two and a zero :math:`z_j` that is a multiple of it, such that
    the range of the training data fits; codes at either end stand for whatever lies outside.
    A hyperplane :math:`w \cdot x + b > 0` becomes :math:`\sum_j W_j q_j > T` with
    :math:`W_j \approx S w_j s_j`. Whatever the row, the integer value differs from S times the
    true one by at most

    .. math::
        D = \sum_j |W_j - S w_j s_j| \max |q_j| + |T + S (b + w \cdot z)|
            + S \sum_j |w_j| s_j / 2 + S e,

    the rounding of weights, offset and inputs, and e that of the dot product itself. So where
    :math:`|\sum_j W_j q_j - T| > D` on the whole way of a row inside the ranges, its label is that
    of the model: `certain` says so, and so does ``NAME_certain`` of the exported header. For
    probabilities ask the model's own `predict_proba`. `X` must be dense: pass ``X.toarray()`` for
    sparse rows.

    Parameters
    ----------
    model : HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier, SavedTrees, ...
        Fitted; or a Pipeline of scalers that ends in one.
    bits : {16, 8}, default=16
        Of inputs and weights. With 8 every hyperplane is fitted anew on the integers: from the
        best of several roundings on, weights are moved by one as long as fewer of the rows that
        reach it take another side than the model sends them to.
    rows : array-like of shape (n_rows, n_features), optional
        Rows that give the ranges; None: those of the training data. With 8 bits they must be
        given (the training rows, say).

    Attributes
    ----------
    zero, step : ndarray of float64, shape (n_features,)
        In the units of the features; a feature that no node reads has step 0 and enters as 0.
    forest : Forest
        The trees that count; a single one is without the splits whose sides answer alike.
    nodes : list of Nodes
        One a tree.
    shift : int
        Cuts of hyperplanes are stored in units of ``2**shift``.

    Raises
    ------
    ValueError
        Ranges are not known, or rows are missing that must be given.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import ObliqueTreeClassifier
    >>> from hlsvm.trees import IntegerTrees
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> model = ObliqueTreeClassifier(random_state=0).fit(X, X[:, 0] > 2 * X[:, 1])
    >>> small = IntegerTrees(model)
    >>> sure = small.certain(X)
    >>> bool((small.predict(X) == model.predict(X))[sure].all() and sure.mean() > 0.99)
    True
    """

    def __init__(self, model, bits: int = 16, rows: ArrayLike | None = None):
        check_option("IntegerTrees", "bits", bits, (16, 8))
        self.forest = forest = decisive(forest_of(model))
        if forest.kind == "pairs" and len(forest.classes) > 200:
            raise ValueError("IntegerTrees counts the votes of at most 200 classes.")
        self.bits, self.top = bits, 2 ** (bits - 1) - 1
        columns = forest.columns
        if rows is not None:
            rows = check_data("IntegerTrees", rows, dtype=[np.float64, np.float32], order="C")
            n = forest.n_features
            if rows.shape[1] != n:
                raise ValueError(f"rows must have {n} columns. Got {rows.shape[1]}.")
            columns = Columns.of(rows, np.ones(len(rows)), np.arange(len(rows)))
        elif bits == 8 or not (columns.high > columns.low).any():
            raise ValueError("IntegerTrees needs rows with 8 bits, and where no ranges are known.")
        self._scale_inputs(columns)
        self.nodes = []
        for tree in forest.trees:
            self.nodes.append(self._count(tree, rows if bits == 8 else None))
        self.shift = 0
        if bits == 16:
            sums = max(int(np.abs(part.weights).sum(axis=1).max(initial=0)) for part in self.nodes)
            largest = 2 * (sums * 2 ** (bits - 1) + 1)  # of a sum less a cut
            self.shift = max(0, largest.bit_length() - 31)
        for tree, part in zip(forest.trees, self.nodes, strict=True):
            self._store(tree, part)

    def _scale_inputs(self, columns: Columns) -> None:
        """Set `zero` and `step`: the range lies within all codes but those at the ends."""
        planes = self.forest.joined("weights")
        used = (planes != 0).any(axis=0)
        compared = self.forest.joined("feature")
        used[compared[compared >= 0]] = True
        half, centre = (columns.high - columns.low) / 2, (columns.high + columns.low) / 2
        half = np.where(half > 0, half, np.where(centre != 0, np.abs(centre), 1.0))
        step = 2.0 ** np.ceil(np.log2(half / (self.top - 2)))
        self.step = np.where(used, step, 0.0)
        self.zero = np.where(used, np.rint(centre / step) * step, 0.0)
        # Inside the ends the largest code is that of the range.
        self.most = np.where(used, self.top, 0)

    def inputs(self, X: ArrayLike) -> NDArray[np.int16]:
        """Rows as the integers that the trees take.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int16 (of int8 with 8 bits), shape (n_samples, n_features)
        """
        X = check_data("IntegerTrees", X, dtype=[np.float64, np.float32])
        if X.shape[1] != self.forest.n_features:
            raise ValueError(f"X must have {self.forest.n_features} columns. Got {X.shape[1]}.")
        codes = np.rint((X - self.zero) / np.where(self.step > 0, self.step, np.inf))
        kind = np.int16 if self.bits == 16 else np.int8
        return np.clip(codes, -self.top - 1, self.top).astype(kind)

    def _count(self, tree: HyperplaneTree, rows) -> Nodes:
        """Weights and cuts of a tree, cuts and bounds not yet in units of ``2**shift``."""
        weights = tree.weights.astype(np.float64)
        fine = weights * self.step
        offsets = tree.offsets.astype(np.float64)
        most = np.abs(fine).max(axis=1, initial=0)
        unit = np.ones(tree.n_nodes)
        cut = np.zeros(tree.n_nodes)
        whole = np.zeros(weights.shape, np.int64)
        nodes = np.flatnonzero(tree.plane >= 0)
        plane = tree.plane[nodes]
        unit[nodes] = self.top / np.where(most > 0, most, 1.0)[plane]
        centred = offsets[nodes] + (weights @ self.zero)[plane]
        whole[plane] = np.rint(fine[plane] * unit[nodes][:, None])
        cut[nodes] = np.rint(-centred * unit[nodes])
        if rows is not None:
            refit(tree, fine, self.inputs(rows).astype(np.int64), rows, whole, cut, unit, self.top)
        doubt = np.zeros(tree.n_nodes)
        lost = np.abs(whole[plane] - fine[plane] * unit[nodes][:, None]) @ self.most
        reach = np.abs(weights) @ (np.abs(self.zero) + self.step * (self.top + 1))
        rounding = (len(self.step) + 4) * np.finfo(tree.weights.dtype).eps
        slack = rounding * (reach[plane] + np.abs(offsets[nodes]))
        blurred = np.abs(fine).sum(axis=1)[plane] / 2
        off = np.abs(cut[nodes] + centred * unit[nodes])
        doubt[nodes] = lost + off + unit[nodes] * (blurred + slack)
        beyond = np.abs(whole).sum(axis=1)[plane] * (self.top + 1) + 1  # no row sums to more
        cut[nodes] = np.clip(cut[nodes], -beyond, beyond)
        held = np.flatnonzero(tree.feature >= 0)
        column = tree.feature[held]
        exact = (-offsets[held] - self.zero[column]) / self.step[column]
        cut[held] = np.clip(np.ceil(exact - 0.5), -self.top - 2, self.top + 1)
        cut[held] = np.where(np.abs(exact - 0.5 - cut[held] + 1) < 1e-9, cut[held] - 1, cut[held])
        doubt[held] = np.where(cut[held] + 0.5 - exact > 1e-9, 0, 1)
        unit[held] = 1 / self.step[column]
        return Nodes(whole, cut, doubt, unit)

    def _store(self, tree: HyperplaneTree, part: Nodes) -> None:
        """Bring cuts and bounds of hyperplanes to units of ``2**shift``, rounded the safe way."""
        size = float(2**self.shift)
        nodes = tree.plane >= 0
        cut = np.rint(part.cut / size)
        moved = np.abs(cut * size - part.cut)
        doubt = np.ceil((part.doubt * (1 + 1e-9) + moved) / size) + 1
        part.cut = np.where(nodes, cut, part.cut).astype(np.int64)
        part.doubt = np.where(nodes, doubt, part.doubt)
        part.doubt = np.minimum(part.doubt, 2.0**31 - 1).astype(np.int64)
        part.unit = np.where(nodes, part.unit / size, part.unit)

    def _walk(self, k: int, codes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Leaf of every row in tree k, whether its way is certain, and its least trust."""
        tree, part = self.forest.trees[k], self.nodes[k]
        sums = codes @ part.weights.T
        at = np.zeros(len(codes), np.int64)
        certain = np.ones(len(codes), bool)
        trust = np.full(len(codes), 1 << (SHARE - 1), np.int64)
        each = np.arange(len(codes))
        while True:
            moving = each[tree.left[at] >= 0]
            if len(moving) == 0:
                return at, certain, trust
            node = at[moving]
            plane, feature = tree.plane[node], tree.feature[node]
            by_plane = plane >= 0
            value = codes[moving, np.maximum(feature, 0)] - part.cut[node]
            if sums.shape[1]:
                total = sums[moving, np.maximum(plane, 0)] - part.cut[node] * 2**self.shift
                value = np.where(by_plane, total, value)
            size = np.where(by_plane, np.abs(value) >> self.shift, np.abs(value))
            near = np.abs(value) <= part.doubt[node] * np.where(by_plane, 2**self.shift, 1)
            certain[moving] &= ~near
            down, factor, limit = (table[node] for table in self.trusts(k))
            far = np.minimum(size, limit)
            scaled = np.where(size >= limit, 1 << (SHARE - 1), ((far >> down) * factor) >> 16)
            trust[moving] = np.minimum(trust[moving], scaled)
            at[moving] = np.where(value > 0, tree.right[node], tree.left[node])

    def trusts(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How the size of a decision becomes trust: shift down, factor, size from which it is 1."""
        unit = np.maximum(self.nodes[k].unit, 1.0)
        down = np.maximum(0, np.ceil(np.log2(unit)) - 15).astype(np.int64)
        factor = np.floor(2.0**30 / unit * 2.0**down).astype(np.int64)
        return down, factor, np.ceil(np.minimum(unit, 2.0**31 - 1)).astype(np.int64)

    def shares(self, k: int) -> np.ndarray:
        """Leaf shares of tree k in units of ``2**-15``, int64, shape (n_nodes, n_classes)."""
        return np.rint(self.forest.trees[k].shares * 2**SHARE).astype(np.int64)

    def _answer(self, X) -> tuple[np.ndarray, np.ndarray]:
        """Class number of every row, and whether it is certain."""
        forest, n_classes = self.forest, len(self.forest.classes)
        codes = self.inputs(X).astype(np.int64)
        inside = np.abs(codes + 0.5) < self.top + 0.5
        certain = (inside | (self.step == 0)).all(axis=1)
        each = np.arange(len(codes))
        score, votes = np.zeros((2, len(codes), n_classes), np.int64)
        for k, tree in enumerate(forest.trees):
            leaf, sure, trust = self._walk(k, codes)
            certain &= sure
            if forest.kind == "one":
                return tree.winner[leaf], certain
            if forest.kind == "mean":
                score += self.shares(k)[leaf]
                continue
            second = tree.winner[leaf]
            won, lost = forest.pairs[k][second], forest.pairs[k][1 - second]
            score[each, won] += (n_classes << SHARE) + (1 << (SHARE - 1)) + trust
            score[each, lost] += (1 << (SHARE - 1)) - trust
            votes[each, won] += 1
        ranked = np.sort(score if forest.kind == "mean" else votes, axis=1)
        least = len(forest.trees) if forest.kind == "mean" else 0
        return score.argmax(axis=1), certain & (ranked[:, -1] - ranked[:, -2] > least)

    def _in_chunks(self, X, which: int) -> np.ndarray:
        X = np.asarray(X)
        parts = range(0, max(len(X), 1), _CHUNK)
        return np.concatenate([self._answer(X[start : start + _CHUNK])[which] for start in parts])

    def predict(self, X: ArrayLike) -> NDArray:
        """Class of every row, computed in integers as the exported header does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.forest.classes[self._in_chunks(X, 0)]

    def certain(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Whether the label of every row is proven to be the model's.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            False where a decision on the way lies within its bound, a feature lies outside the
            range, or the scores of trees are closer than their rounding (for pairs of classes,
            where votes are equal).
        """
        return self._in_chunks(X, 1)

    @property
    def bounds(self) -> list[NDArray[np.float64]]:
        """Bound of every decision in the units of the model's decision values; 0 at leaves."""
        return [
            np.where(tree.is_inner, (part.doubt + 1) / part.unit, 0.0)
            for tree, part in zip(self.forest.trees, self.nodes, strict=True)
        ]
