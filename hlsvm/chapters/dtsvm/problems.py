"""The data sets of DTSVM Tables 1 and 2, the bundled ones of the quick scale, and the six parts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hlsvm.datasets import Dataset, load


@dataclass(frozen=True)
class Problem:
    """A data set as DTSVM uses it.

    Attributes
    ----------
    name : str
        As in DTSVM Tables 1 and 2.
    data : str
        Name for `hlsvm.datasets.load`; empty where nothing is at hand.
    missing : str
        What is missing, for the row "not run: data".
    large : bool
        Of Table 2: fewer rivals.
    ceiling_size : int
        sigma_0.
    options : dict
        More for `load`.
    """

    name: str
    data: str
    missing: str = ""
    large: bool = False
    ceiling_size: int = 1500
    options: dict = field(default_factory=dict)

    def load(self) -> Dataset:
        """Return the data."""
        return load(self.data, sample=False, **self.options)


@dataclass(frozen=True)
class Parts:
    """Four sixths to train, one to validate, one to test; features in [0, 1] on the first."""

    X: np.ndarray
    y: np.ndarray
    X_val: np.ndarray
    y_val: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @property
    def n_classes(self) -> int:
        """Classes of the training part."""
        return len(np.unique(self.y))

    def subset(self, n: int, seed: int, *, validate: int | None = None) -> Parts:
        """Return `n` random training rows, and as large a share of the validation rows."""
        if n >= len(self.y):
            return self
        rng = np.random.default_rng([seed, n])
        rows = _with_every_class(self.y, n, rng)
        share = validate or max(1, round(n * len(self.y_val) / len(self.y)))
        held = rng.permutation(len(self.y_val))[:share]
        return Parts(
            self.X[rows],
            self.y[rows],
            self.X_val[held],
            self.y_val[held],
            self.X_test,
            self.y_test,
        )


def _with_every_class(y, n, rng):
    """Draw `n` rows, at least two of every class that has two."""
    order = rng.permutation(len(y))
    firsts = [order[y[order] == label][:2] for label in np.unique(y)]
    firsts = np.concatenate(firsts)
    rest = order[~np.isin(order, firsts)]
    return np.sort(np.concatenate([firsts, rest])[: max(n, len(firsts))])


def six_parts(data: Dataset, seed: int) -> Parts:
    """Divide all rows at random as DTSVM section 3.1 does.

    Examples
    --------
    >>> parts = six_parts(load("wine"), 0)
    >>> len(parts.y), len(parts.y_val), len(parts.y_test)
    (120, 29, 29)
    """
    given = [(data.X_train, data.y_train), (data.X_test, data.y_test)]
    given = [(X, y) for X, y in given if X is not None]
    X = np.concatenate([np.asarray(X, dtype=np.float64) for X, _ in given])
    y = np.concatenate([y for _, y in given])
    sixths = np.array_split(np.random.default_rng(seed).permutation(len(y)), 6)
    train = np.sort(np.concatenate(sixths[:4]))
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1.0)
    rows = (train, np.sort(sixths[4]), np.sort(sixths[5]))
    return Parts(*(array[part] for part in rows for array in (X, y)))


_PAPER = (
    Problem("PHW", "pendigits"),
    Problem("Letter", "letter"),
    Problem("Shuttle", "shuttle"),
    Problem("Poker", "poker"),
    Problem("CI", "census"),
    Problem("News20", "", "News20 (62,061 words)"),
    Problem("KDD-10%", "kdd_10pct"),
    Problem("Forest", "", "all 581,012 rows; a sample stands in", large=True),
    Problem("Forest sample", "covtype_sample", large=True),
    Problem("PPI", "", "never published", large=True),
    Problem("KDD-full", "", "KDD Cup 1999, 4,898,431 rows", large=True),
    Problem("Webspam", "", "Webspam, 16.6 million features", large=True),
)
_QUICK = (
    Problem("Wine", "wine", ceiling_size=40),
    Problem("Banana-like", "banana_like", ceiling_size=200, options={"n": 1500}),
    Problem("Breast cancer", "breast_cancer", large=True, ceiling_size=100),
)


def problems(scale: str) -> list[Problem]:
    """Return the problems of a scale: bundled ones, or those of the paper.

    Examples
    --------
    >>> [problem.name for problem in problems("quick")]
    ['Wine', 'Banana-like', 'Breast cancer']
    """
    return list(_QUICK if scale == "quick" else _PAPER)
