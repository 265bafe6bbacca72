"""Rows with gaps, categories and zeros left out, brought to the dense numbers that trees take."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.sparse import issparse
from scipy.stats import chi2

from hlsvm._data import check_sparse

from .._params import shown

# A gap is a feature of its own if the classes differ in it by more than chance would have it.
_CHANCE = 1e-3


@dataclass(frozen=True)
class Encoder:
    """What was learned of gaps and categories.

    Attributes
    ----------
    ranks : dict of int to ndarray
        Of every column of categories the rank of each by the mean of the class.
    filling : ndarray of float64, shape (n_features,)
        Weighted mean of what is known of every column: stands where a number lacks.
    telling : ndarray of int64, shape (n_telling,)
        Columns whose gaps tell of the class. Each has a further column: one where it lacks, zero
        elsewhere. The weight that a hyperplane gives to it is what a gap is worth in this node.
    gaps : bool
        Whether rows may have gaps: there were some, or there are categories.
    """

    ranks: dict[int, np.ndarray]
    filling: np.ndarray
    telling: np.ndarray
    gaps: bool

    @property
    def is_idle(self) -> bool:
        """Whether rows stay as they are."""
        return not self.gaps

    def encode(self, X) -> np.ndarray:
        """Rows as trees take them; categories come as places in their list, gaps as NaN."""
        if self.is_idle:
            return X
        filled = np.concatenate([X, np.isnan(X[:, self.telling])], axis=1, dtype=X.dtype)
        for column, rank in self.ranks.items():
            place = filled[:, column]
            known = ~np.isnan(place)
            filled[known, column] = rank[place[known].astype(np.int64)]
        rows, columns = np.nonzero(np.isnan(filled))
        filled[rows, columns] = self.filling[columns]
        return filled


def _spread_of(codes, weight, n_classes: int, groups, n_groups: int) -> np.ndarray:
    """Weight of every class in every group, shape (n_groups, n_classes)."""
    table = np.zeros((n_groups, n_classes))
    np.add.at(table, (groups, codes), weight)
    return table


def _ranked(table) -> np.ndarray:
    """Rank of every group along the direction in which the class shares of groups differ most.

    With two classes this is the order of the share of the second.
    """
    mass = table.sum(axis=1)
    total = table.sum(axis=0) / max(table.sum(), 1e-300)
    # Of a group of little weight the share is drawn to that of all.
    apart = (table + total) / (mass[:, None] + 1) - total
    direction = np.linalg.svd(apart * np.sqrt(mass)[:, None], full_matrices=False)[2][0]
    direction = direction * (1.0 if direction[-1] >= 0 else -1.0)
    along = np.round(apart @ direction, 12)
    return np.argsort(np.argsort(along, kind="stable"), kind="stable").astype(np.float64)


def _tells(table) -> bool:
    """Whether the classes differ between groups (Pearson's test)."""
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    held = expected > 0
    statistic = ((table - expected)[held] ** 2 / expected[held]).sum()
    freedom = (np.count_nonzero(table.sum(axis=1)) - 1) * (np.count_nonzero(table.sum(axis=0)) - 1)
    return bool(freedom > 0 and statistic > chi2.isf(_CHANCE, freedom))


def learn(X, codes, weight, n_classes: int, sizes: dict[int, int]) -> Encoder:
    """Learn an `Encoder` from rows whose categories are numbered.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    codes, weight : ndarray of shape (n,)
        Class and weight of every row.
    n_classes : int
    sizes : dict of int to int
        Categories of every column of categories.

    Returns
    -------
    Encoder
    """
    lacks = np.isnan(X)
    ranks, telling = {}, []
    filling = np.zeros(X.shape[1])
    for column in range(X.shape[1]):
        known = ~lacks[:, column]
        values = X[known, column].astype(np.float64)
        if column in sizes:
            place = values.astype(np.int64)
            table = _spread_of(codes[known], weight[known], n_classes, place, sizes[column])
            ranks[column] = _ranked(table)
            values = ranks[column][place]
        if weight[known].sum() > 0:
            filling[column] = np.average(values, weights=weight[known])
        if not known.all():
            groups = lacks[:, column].astype(np.int64)
            if _tells(_spread_of(codes, weight, n_classes, groups, 2)):
                telling.append(column)
    gaps = bool(lacks.any() or sizes)
    return Encoder(ranks, filling, np.array(telling, np.int64), gaps)


def category_columns(X, given) -> list[int]:
    """Numbers of the columns of categories: `given` by number, name or mask, or of their dtype.

    Raises
    ------
    ValueError
        `given` does not name columns of X.
    """
    names = list(getattr(X, "columns", []))
    marked = [k for k, name in enumerate(names) if str(X.dtypes.iloc[k]) == "category"]
    if given is None:
        return marked
    items = np.asarray(given, dtype=object).ravel().tolist()
    n_features = X.shape[1]
    if len(items) == n_features and all(isinstance(c, bool | np.bool_) for c in items):
        return sorted({*marked, *np.flatnonzero(items).tolist()})
    wanted = [names.index(c) if np.isscalar(c) and c in names else c for c in items]
    if not all(
        type(c) is not bool and isinstance(c, Integral) and 0 <= c < n_features for c in wanted
    ):
        raise ValueError(
            "categorical_features must be column numbers, column names or a mask of "
            f"{n_features} columns of X. Got {shown(given)}."
        )
    return sorted({*marked, *(int(c) for c in wanted)})


def _column(X, column: int) -> np.ndarray:
    """One column as Python objects, None where it lacks."""
    frame = hasattr(X, "iloc")
    values = np.array(X.iloc[:, column] if frame else X[:, column], dtype=object)
    lacks = np.array([v is None or v != v or str(v) == "<NA>" for v in values], dtype=bool)
    values[lacks] = None
    return values


def categories_of(X, columns) -> dict[int, dict]:
    """Return the number of every category of some columns, in sorted order."""
    numbers = {}
    for column in columns:
        seen = {v for v in _column(X, column).tolist() if v is not None}
        ordered = sorted(seen, key=lambda v: (str(type(v)), v))
        numbers[column] = {value: number for number, value in enumerate(ordered)}
    return numbers


def numbered(X, categories: dict[int, dict]):
    """Copy of X with categories replaced by their numbers; NaN for those unknown or lacking."""
    if not categories:
        if issparse(X):
            check_sparse("an oblique tree", X)
            return X.toarray()
        return X
    X = X.copy() if hasattr(X, "iloc") else np.array(X, dtype=object)
    for column, table in categories.items():
        values = [np.nan if v is None else table.get(v, np.nan) for v in _column(X, column)]
        if hasattr(X, "iloc"):
            X.isetitem(column, np.array(values, dtype=np.float64))
        else:
            X[:, column] = values
    return X if hasattr(X, "iloc") else X.astype(np.float64)
