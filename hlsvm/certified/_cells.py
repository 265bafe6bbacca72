r"""Cells of the space in which a polynomial of degree three answers for all support vectors.

With u = x - z and v = s - z for the point z of a cell,

.. math:: f(x) - b = e^{-\gamma |u|^2} \sum_i \alpha_i e^{-\gamma |v_i|^2} e^{2 \gamma u^T v_i},

and the last exponential's series is cut after the third power. The powers are orthogonal features
of the kernel's space (the p-th of x has the squared length :math:`e^{-2t} (2t)^p / p!`, with
:math:`t = \gamma |u|^2`), so that what is left out is at most

.. math:: |w| \sqrt{1 - e^{-2t} (1 + 2t + (2t)^2/2 + (2t)^3/6)} \le |w| (2t)^2 / \sqrt{24} .
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, permutations
from math import factorial

import numpy as np

from hlsvm.certified._cell_values import enclose_in_cells, sign_in_cells
from hlsvm.regions.kernels import Expansion

_LEAF = 16  # fewest points of a cell that is cut
_CELLS = 4096  # about the most cells
_FREE = 16  # most columns of the polynomials
_CHUNK = 256  # cells made together
_EPS = np.finfo(float).eps


class _Tree:
    """Cuts at the mean of the column that varies most; columns of two values first."""

    def __init__(self, X, free):
        self.least = max(_LEAF, len(X) // _CELLS)
        self.feature, self.cut, self.children, self.leaves = [], [], [], []
        is_free = np.zeros(X.shape[1], bool)
        is_free[free] = True
        todo = [(np.arange(len(X)), None)]
        while todo:
            rows, parent = todo.pop()
            cut = self._cut(X[rows], is_free)
            if cut is None and parent is not None:
                self.children[parent[0]][parent[1]] = ~len(self.leaves)
                self.leaves.append(rows)
                continue
            node = len(self.feature)
            if parent is not None:
                self.children[parent[0]][parent[1]] = node
            if cut is None:  # a single cell: both ways lead to it
                self._add(0, np.inf, [-1, -1])
                self.leaves.append(rows)
                continue
            self._add(*cut, [0, 0])
            above = X[rows, cut[0]] > cut[1]
            todo += [(rows[above], (node, 1)), (rows[~above], (node, 0))]

    def _add(self, feature, cut, children):
        self.feature.append(feature)
        self.cut.append(cut)
        self.children.append(children)

    def _cut(self, part, is_free):
        low, high = part.min(axis=0), part.max(axis=0)
        spread = np.where(low < high, part.var(axis=0), -1.0)
        tied = np.where(is_free, -1.0, spread)
        if tied.max() < 0:
            if len(part) <= self.least:
                return None
            tied = spread
        j = int(tied.argmax())
        if tied[j] < 0:
            return None
        middle = part[:, j].mean()
        return j, float(middle if low[j] <= middle < high[j] else low[j])

    def arrays(self):
        return (
            np.array(self.feature, np.uint64),
            np.array(self.cut),
            np.array(self.children, np.int64),
        )


class _Products:
    """Products of up to four of `q` coordinates, each once: its places and how often it occurs."""

    def __init__(self, q):
        self.places, self.times, self.rank = [], [], []
        for degree in range(5):
            table = list(combinations_with_replacement(range(q), degree))
            self.places.append(np.array(table, np.int64).reshape(len(table), degree))
            self.times.append(np.array([len(set(permutations(row))) for row in table], float))
            rank = np.zeros((q,) * degree, np.int64)
            for order in permutations(range(degree)) if degree else ():
                rank[tuple(self.places[-1][:, order].T)] = np.arange(len(table))
            self.rank.append(rank)

    def of(self, points, degree):
        """Products of the columns, shape (n, number of products)."""
        return points[:, self.places[degree]].prod(axis=2)

    def moments(self, weights, points, anchors):
        """Moments of the weighted points about the anchors, one array a degree."""
        raw = [weights @ products for products in points]
        out = []
        for degree, places in enumerate(self.places):
            total = np.zeros((len(anchors), len(places)))
            for size in range(degree + 1):
                for kept in combinations(range(degree), size):
                    away = [a for a in range(degree) if a not in kept]
                    at = self.rank[size][tuple(places[:, list(kept)].T)]
                    part = raw[size][:, np.atleast_1d(at)]
                    for a in away:
                        part = part * -anchors[:, places[:, a]]
                    total += part
            out.append(total)
        return out


def _laid_out(one, two, three, products):
    """Coefficients in the order in which `_cell_values._polynomial` takes them."""
    q, n_pairs = one.shape[1], two.shape[1]
    size = -(-n_pairs // 8) * 8
    firsts = np.array([j * q - j * (j - 1) // 2 for j in range(q)])
    starts = firsts // 8 * 8
    ends = np.cumsum([q + size, *(size - starts)])
    out = np.zeros((len(one), ends[-1]), np.float32)
    out[:, :q], out[:, q : q + n_pairs] = one, two
    j, k, m = products.places[3].T
    out[:, ends[j] - starts[j] + products.rank[2][k, m]] = three
    return out


class Cells:
    """What `_cell_values.enclose_in_cells` reads; made from rows like those to come.

    Parameters
    ----------
    expansion : Expansion
        Gaussian, one machine.
    X : ndarray of shape (n, d)
    """

    def __init__(self, expansion, X, free):
        fixed = np.setdiff1d(np.arange(X.shape[1]), free)
        self.columns = free.astype(np.uint64), fixed.astype(np.uint64)
        tree = _Tree(X, free)
        self.tree = tree.arrays()
        anchors = X[[rows[0] for rows in tree.leaves]]
        for anchor, rows in zip(anchors, tree.leaves, strict=True):
            anchor[free] = X[np.ix_(rows, free)].mean(axis=0)
        self.sizes = self._sizes(expansion, anchors)
        lengths = self._lengths(expansion, anchors)
        self.table = anchors, *self._terms(expansion, anchors, free, lengths)
        low, high = self.enclose(X)
        settled = (low > 0) | (high < 0)
        self.share = float(settled.mean())
        for leaf, rows in enumerate(tree.leaves):
            if not settled[rows].any():
                self.table[2][leaf, 0] = 0.0

    def _lengths(self, expansion, anchors):
        """|w|^2 in the free columns, which the fixed ones weigh, of every cell."""
        free, fixed = self.columns
        gamma = expansion.kernel.gamma
        patterns, which = np.unique(
            (anchors - expansion.centre)[:, fixed], axis=0, return_inverse=True
        )
        away = patterns[:, None] - expansion.support[:, fixed]
        coef = expansion.coef * np.exp(-gamma * (away**2).sum(axis=2))
        part = Expansion(
            expansion.kernel, expansion.support[:, free], coef, np.zeros(len(coef)), np.zeros(1)
        )
        slack = self.sizes[3] * np.abs(expansion.coef).sum()
        return (part.norms() ** 2 + slack)[which.ravel()]

    @staticmethod
    def _terms(expansion, anchors, free, lengths):
        """Coefficients of every cell; norms of the degrees, and of w in degree 4 and above it."""
        gamma, points = expansion.kernel.gamma, expansion.support[:, free]
        products = _Products(len(free))
        powers = [products.of(points, degree) for degree in range(5)]
        terms, norms = [], []
        for start in range(0, len(anchors), _CHUNK):
            moved = anchors[start : start + _CHUNK] - expansion.centre
            weights = expansion.block(moved) * expansion.coef[0]
            moments = products.moments(weights, powers, moved[:, free])
            parts, squares = [], []
            for degree, (part, times) in enumerate(zip(moments, products.times, strict=True)):
                factor = (2 * gamma) ** degree / factorial(degree)
                squares.append(factor * (part**2 * times).sum(axis=1))
                parts.append(factor * part * times)
            length = lengths[start : start + _CHUNK]
            above = np.maximum(length - sum(squares), 1e-9 * length)
            sizes = [np.linalg.norm(part, axis=1) for part in parts[:4]]
            sizes += [np.sqrt(squares[4]), np.sqrt(above)]
            norms.append(
                np.column_stack([*(size * (1 + 1e-6) + 1e-30 for size in sizes), parts[0]])
            )
            terms.append(_laid_out(*parts[1:4], products))
        return np.concatenate(terms), np.concatenate(norms)

    @staticmethod
    def _sizes(expansion, anchors):
        gamma, total = expansion.kernel.gamma, np.abs(expansion.coef[0]).sum()
        n, d = expansion.support.shape
        far = np.linalg.norm(expansion.support, axis=1).max()
        reach = far + np.linalg.norm(anchors - expansion.centre, axis=1).max()
        rounding = 8 * (n + 4 * d + 40) * _EPS * total * (1 + gamma * reach**2)
        ends = float(expansion.intercept[0]), float(2 * gamma * reach), float(rounding)
        return (float(gamma), *ends)

    def enclose(self, X, low=None, high=None):
        """Lower and upper ends of f at the rows."""
        low = np.empty(len(X)) if low is None else low
        high = np.empty(len(X)) if high is None else high
        enclose_in_cells(X, self.tree, self.columns, self.table, self.sizes, low, high)
        return low, high

    def sign_of(self, x):
        """Sign of f at one row, 0 where the bounds leave it open."""
        return sign_in_cells(x, self.tree, self.columns, self.table, self.sizes)


def cells_of(expansion, X):
    """Cells for rows like those of `X`; None where they would settle few rows."""
    free = [j for j, column in enumerate(X.T) if len(np.unique(column)) > 2]
    if not 1 <= len(free) <= _FREE or not len(expansion.support):
        return None
    cells = Cells(expansion, X, np.array(free, np.int64))
    return cells if cells.share > 0.2 else None
