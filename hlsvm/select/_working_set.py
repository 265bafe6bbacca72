"""The program on the features that entered: pairwise steps, then Newton steps inside the face."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from hlsvm._params import refusal
from hlsvm.select._simplex_steps import add_rows, gradient_steps, pairwise_steps

_FLOOR = 1e-4  # the gap is measured against no less than this share of the largest coefficient
_LARGE = 768  # working set from which gradient steps replace pairwise ones


class WorkingSet:
    """The columns that entered, the square block G among them, and the point on them."""

    def __init__(self, rows, linear, weight):
        self.rows, self.linear, self.weight = rows, linear, weight
        self.entered = np.empty(0, dtype=np.int64)
        self.columns = []
        self.G = np.empty((0, 0))
        self.w = np.empty(0)
        self.steps = 0

    def enter(self, features):
        """Fetch columns of Q and extend the block."""
        try:
            new = np.ascontiguousarray(self.rows(features))
        except (TypeError, IndexError) as error:
            raise TypeError(f"The 'rows' parameter of simplex_qp failed: {error}") from error
        if new.shape != (len(features), len(self.linear)) or new.dtype.kind not in "biuf":
            accepted = f"a function that returns rows of {len(self.linear)} numbers for indices"
            raise ValueError(refusal("simplex_qp", "rows", accepted, self.rows))
        new = new if new.dtype in (np.float32, np.float64) else new.astype(np.float64)
        old = len(self.entered)
        self.entered = np.concatenate([self.entered, features])
        self.columns.append(new)
        G = np.empty((len(self.entered), len(self.entered)))
        G[:old, :old] = self.G
        G[old:] = new[:, self.entered]
        G[old:] *= self.weight
        G[:old, old:] = G[old:, :old].T
        if not np.isfinite(G).all():
            raise ValueError("Q must be finite: NaN or infinity was found in its rows.")
        block = new[:, features]
        if np.abs(block - block.T).max() > 1e-4 * np.abs(block).max():
            raise ValueError("Q must be symmetric: Q[i, j] and Q[j, i] differ in its rows.")
        self.G = G
        self.w = np.concatenate([self.w, np.zeros(len(features))])
        self.c = self.linear[self.entered]

    def gradient(self):
        """Gradient on all M features, from the columns of the support."""
        total = np.zeros(len(self.linear))
        start = 0
        for block in self.columns:
            add_rows(block, self.w[start : start + len(block)], total)
            start += len(block)
        return self.weight * total - self.linear

    def gap(self):
        """Return the gap on the working set, and the size of the two terms."""
        Gw = self.G @ self.w
        g = Gw - self.c
        least = _FLOOR * max(np.abs(np.diag(self.G)).max(), np.abs(self.c).max())
        size = max(abs(0.5 * self.w @ Gw), abs(self.c @ self.w), least, 1e-300)
        return self.w @ g - g.min(), size

    def solve(self, tol, most=60):
        """Solve on the working set, to a gap of `tol` times the size of the terms."""
        for _ in range(most):
            gap, size = self.gap()
            if gap <= tol * size and not self._escape():
                break
            self._descend(max(0.01 * gap, 0.5 * tol * size))
            self._newton()

    def _descend(self, tol):
        if len(self.w) > _LARGE:
            start = np.ones(len(self.w)) / np.sqrt(len(self.w))
            for _ in range(20):  # largest eigenvalue, by powers
                start = self.G @ start
                length = np.linalg.norm(start)
                start /= max(length, 1e-300)
            bound = min(1.05 * length, np.abs(self.G).sum(axis=1).max())
            self.w, steps = gradient_steps(self.G, self.c, self.w, max(bound, 1e-300), tol, 400)
        else:
            g = self.G @ self.w - self.c
            steps = pairwise_steps(self.G, self.w, g, tol, 50 * len(self.w) + 1000)
        self.steps += steps

    def _face(self):
        """Support, and the Hessian in the coordinates e_i - e_last of its face."""
        support = np.flatnonzero(self.w > 0)
        support = support[np.argsort(self.w[support], kind="stable")]
        block = self.G[np.ix_(support, support)]
        rest, last = block[:-1, :-1], block[:-1, -1]
        return support, rest - last[:, None] - last + block[-1, -1]

    def _newton(self):
        """Newton steps inside the face, dropping what they push to zero."""
        for _ in range(50):
            support, H = self._face()
            if len(H) == 0:
                return
            g = self.G[support] @ self.w - self.c[support]
            slope = g[:-1] - g[-1]
            try:
                jitter = 1e-13 * np.trace(H) / len(H)
                factor = cho_factor(H + max(jitter, 0.0) * np.eye(len(H)), check_finite=False)
            except LinAlgError:
                return
            move = -cho_solve(factor, slope, check_finite=False)
            blocked = self._move(support, np.append(move, -move.sum()), 1.0)
            self.steps += 1
            if not blocked:
                return

    def _escape(self):
        """At a stationary point that is no local minimum: go down along negative curvature."""
        support, H = self._face()
        if len(H) == 0 or len(H) > 2 * _LARGE:
            return False
        size = np.abs(np.diag(H)).max()
        if np.all(np.linalg.norm(H, axis=0) <= 1e-12 * size):
            return False
        try:
            cho_factor(H + 1e-9 * size * np.eye(len(H)), check_finite=False)
            return False
        except LinAlgError:
            value, vector = eigh(H, subset_by_index=[0, 0])
        if value[0] >= -1e-9 * size:
            return False
        move = np.append(vector[:, 0], -vector[:, 0].sum())
        g = self.G[support] @ self.w - self.c[support]
        move = -move if g @ move > 0 else move
        self._move(support, move, np.inf)
        self.steps += 1
        return True

    def _move(self, support, move, longest):
        """Go along `move`, at most until a weight becomes zero; return whether one did."""
        w = self.w[support]
        down = move < 0
        if not down.any():
            return False
        reach = np.full(len(w), np.inf)
        reach[down] = w[down] / -move[down]
        length = min(longest, reach.min())
        w = np.maximum(w + length * move, 0.0)
        blocked = bool(reach.min() <= longest)
        if blocked:
            w[np.argmin(reach)] = 0.0
        self.w[support] = w / w.sum()
        return blocked
