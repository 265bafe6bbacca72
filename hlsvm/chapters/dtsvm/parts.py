"""The parts of a data set in DTSVM's protocol, and random subsets of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Parts:
    """Rows to train, to validate and to test."""

    X: np.ndarray
    y: np.ndarray
    X_val: np.ndarray
    y_val: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @property
    def validation(self) -> tuple[np.ndarray, np.ndarray]:
        """What `fit` of a search takes as ``validation``."""
        return self.X_val, self.y_val

    def subset(self, n: int, seed: int) -> Parts:
        """Return `n` random training rows, and as large a share of the validation rows.

        Two rows of every class that has two are among them.
        """
        if n >= len(self.y):
            return self
        rng = np.random.default_rng([seed, n])
        order = rng.permutation(len(self.y))
        firsts = [order[self.y[order] == label][:2] for label in np.unique(self.y)]
        firsts = np.concatenate(firsts)
        rest = order[~np.isin(order, firsts)]
        rows = np.sort(np.concatenate([firsts, rest])[: max(n, len(firsts))])
        held = rng.permutation(len(self.y_val))[: max(1, round(n * len(self.y_val) / len(self.y)))]
        return replace(
            self, X=self.X[rows], y=self.y[rows], X_val=self.X_val[held], y_val=self.y_val[held]
        )
