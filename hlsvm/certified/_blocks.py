"""The support vectors of a Gaussian expansion, packed in blocks of near ones of one sign."""

from __future__ import annotations

import math

import numpy as np

from hlsvm.certified._sums import LANES, enclose, in_double

_SMALLEST = 2.0**-119  # powers of two below are not told apart
_WORTH = 0.7  # blocks are grouped where at most this share of them weighs near support vectors


def shift_of(points):
    """Most frequent value of every column where it fills an eighth of it, else the mean."""
    shift = points.mean(axis=0)
    for j, column in enumerate(points.T):
        values, counts = np.unique(column, return_counts=True)
        if 8 * counts.max() >= len(column):
            shift[j] = values[counts.argmax()]
    return shift


def _near(points, rows):
    """Order `rows` so that each run of 128 holds near points: cuts between far points."""
    pieces, done = [rows], []
    while pieces:
        rows = pieces.pop()
        if len(rows) <= LANES:
            done.append(rows)
            continue
        part = points[rows]
        far = part[((part - part.mean(axis=0)) ** 2).sum(axis=1).argmax()]
        other = part[((part - far) ** 2).sum(axis=1).argmax()]
        order = rows[np.argsort(part @ (other - far), kind="stable")]
        half = LANES * -(-len(rows) // (2 * LANES))
        pieces += [order[half:], order[:half]]
    return done


def _lanes(columns, n_blocks):
    """float32 of shape (n_blocks, d, 128), flat: the lanes of an entry side by side."""
    packed = columns.reshape(n_blocks, LANES, -1).transpose(0, 2, 1)
    with np.errstate(over="ignore", under="ignore"):
        return np.ascontiguousarray(packed, dtype=np.float32).ravel()


class Blocks:
    """What `_sums.enclose` reads of an expansion with one machine.

    Parameters
    ----------
    points : ndarray of shape (n_support, d)
    alpha : ndarray of shape (n_support,)
    gamma, intercept : float
    """

    def __init__(self, points, alpha, gamma, intercept):
        self.shift = shift_of(points)
        points = points - self.shift
        scale, weight = gamma / math.log(2), float(np.abs(alpha).max(initial=1e-300))
        signs = [_near(points, np.flatnonzero(alpha * sign > 0)) for sign in (1, -1)]
        rows = [block for side in signs for block in side if len(block)]
        n_plus = sum(len(block) > 0 for block in signs[0])
        packed = np.zeros((len(rows) * LANES, points.shape[1]))
        weights, signed = np.zeros(len(packed)), np.zeros(len(packed))
        for b, block in enumerate(rows):
            signed[b * LANES : b * LANES + len(block)] = alpha[block]
            packed[b * LANES : b * LANES + len(block)] = points[block]
            weights[b * LANES : b * LANES + len(block)] = np.abs(alpha[block]) / weight
        self.exact = packed, np.einsum("ij,ij->i", packed, packed), signed
        self.blocks = (*self._scaled(packed, scale), _lanes(weights, len(rows)))
        longest = math.sqrt((points**2).sum(axis=1).max(initial=0.0)) * (1 + 1e-9)
        floor = len(packed) * 2 * _SMALLEST
        self.sizes = len(rows), n_plus, scale, longest, weight, float(intercept), floor
        self.groups = self._groups(points, rows, alpha / weight, scale)
        if len(rows) and not self._worth(points):
            nothing = np.empty(0, np.float32)
            self.groups = (self.groups[0][:0], *(nothing,) * 3, np.float32(scale))

    @staticmethod
    def _scaled(packed, scale):
        n = len(packed) // LANES
        squares = (packed**2).sum(axis=1)
        return _lanes(2 * scale * packed, n).reshape(-1, LANES), _lanes(-scale * squares, n)

    def _groups(self, points, rows, alpha, scale):
        """Centre, radius and weight of every block, packed as if they were support vectors."""
        n = -(-len(rows) // LANES)
        centres = np.zeros((n * LANES, points.shape[1]))
        radii, weights = np.zeros(n * LANES), np.zeros(n * LANES)
        for b, block in enumerate(rows):
            centres[b] = points[block].mean(axis=0)
            squares = ((points[block] - centres[b]) ** 2).sum(axis=1)
            radii[b] = math.sqrt(squares.max()) * (1 + 1e-6)
            weights[b] = np.abs(alpha[block]).sum() * (1 + 1e-6)
        packed = self._scaled(centres, scale)
        return (*packed, radii.astype(np.float32), weights.astype(np.float32), np.float32(scale))

    def _worth(self, points):
        """Whether bounds on the blocks spare enough of them, seen from some support vectors."""
        n_blocks, _, scale, _, weight, _, _ = self.sizes
        centres = self.groups[0].reshape(-1, points.shape[1], LANES).transpose(0, 2, 1)
        centres = centres.reshape(-1, points.shape[1])[:n_blocks] / (2 * scale)
        few = points[:: max(1, len(points) // 200)]
        squares = (few**2).sum(1)[:, None] + (centres**2).sum(1) - 2 * few @ centres.T
        away = np.sqrt(np.maximum(squares, 0)) - self.groups[2][:n_blocks]
        most = self.groups[3][:n_blocks] * 2.0 ** (-scale * np.maximum(away, 0) ** 2)
        return (weight * most > 1e-3).mean() < _WORTH

    def enclose(self, X, width=np.inf, signs=True):
        """Lower and upper ends of f at the rows, and how many kernel values each took."""
        low, high = np.empty(len(X)), np.empty(len(X))
        met = np.empty(len(X), np.int64)
        parts = self.shift, self.blocks, self.groups, self.sizes
        enclose(X, *parts, width, signs, low, high, met)
        return low, high, met

    def in_double(self, X):
        """Evaluate f at the rows in double precision."""
        out = np.empty(len(X))
        in_double(X, self.shift, self.blocks, self.sizes, self.exact, out)
        return out
