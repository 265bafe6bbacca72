"""Gaps and categories of exported models: tables of codes, fills and companions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hlsvm.trees._encoding import Encoder

_KINDS = "biufU"  # kinds of dtype that a file holds without executing anything


@dataclass(frozen=True)
class Intake:
    """What a model does with a row before its trees see it.

    Attributes
    ----------
    encoder : Encoder
    categories : dict of int to dict
        Of every column of categories the code of each: 0, 1, ... in sorted order.
    n_features : int
        Columns of a row as given.
    names : tuple of str or None
        Of these columns.
    """

    encoder: Encoder
    categories: Mapping[int, dict]
    n_features: int
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, model) -> Intake | None:
        """Return what a fitted classifier does; None where rows stay as they are."""
        encoder = getattr(model, "_encoder", None)
        if encoder is None or encoder.is_idle:
            return None
        names = getattr(model, "feature_names_in_", None)
        names = None if names is None else tuple(map(str, names))
        return cls(encoder, model._categories, int(model.n_features_in_), names)

    def word(self, column: int) -> str:
        """Name of a column as given."""
        return f"x{column}" if self.names is None else self.names[column]

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Plain arrays, for a file.

        Raises
        ------
        TypeError
            Categories that are neither numbers nor text, or some of each.
        """
        arrays = {"filling": self.encoder.filling, "telling": self.encoder.telling}
        arrays["categorical"] = np.array(sorted(self.categories), np.int64)
        for column, table in self.categories.items():
            values = list(table)
            kinds = {np.asarray(value).dtype.kind for value in values}
            if len(kinds) > 1 or not kinds <= set(_KINDS):
                raise TypeError(
                    f"Categories of column {self.word(column)} must be all text or all numbers to "
                    "be saved."
                )
            arrays[f"categories_{column}"] = np.array(values) if values else np.empty(0)
            arrays[f"ranks_{column}"] = self.encoder.ranks[column]
        if self.names is not None:
            arrays["given_names"] = np.array(self.names)
        return arrays

    @classmethod
    def from_arrays(cls, arrays, n_columns: int) -> Intake | None:
        """Read what `to_arrays` gave; None where the model took rows as they are.

        Raises
        ------
        ValueError, KeyError
            The arrays are not such arrays.
        """
        if "filling" not in arrays:
            return None
        filling, telling = arrays["filling"], arrays["telling"]
        if filling.ndim != 1 or filling.dtype != np.float64 or not np.isfinite(filling).all():
            raise ValueError("'filling' must be finite numbers, one a feature.")
        n = len(filling)
        columns = _columns_in("categorical", arrays["categorical"], n)
        _columns_in("telling", telling, n)
        if n + len(telling) != n_columns:
            raise ValueError(f"'filling' and 'telling' must have {n_columns} entries together.")
        categories, ranks = {}, {}
        for column in columns:
            values, rank = arrays[f"categories_{column}"], arrays[f"ranks_{column}"]
            if values.ndim != 1 or values.dtype.kind not in _KINDS:
                raise ValueError(f"'categories_{column}' must be a list of numbers or texts.")
            table = {value: code for code, value in enumerate(values.tolist())}
            if rank.dtype != np.float64 or rank.shape != values.shape or len(table) != len(values):
                raise ValueError(f"'ranks_{column}' must have one number a category.")
            if not np.isfinite(rank).all():
                raise ValueError(f"'ranks_{column}' must be finite.")
            categories[column], ranks[column] = table, rank
        names = arrays.get("given_names")
        if names is not None:
            if names.shape != (n,) or names.dtype.kind != "U":
                raise ValueError(f"'given_names' must be {n} texts.")
            names = tuple(names.tolist())
        return cls(Encoder(ranks, filling, telling, True), categories, n, names)


def _columns_in(name: str, given, n: int) -> list[int]:
    """Rising numbers of columns, checked."""
    if given.ndim != 1 or given.dtype != np.int64 or (given[1:] <= given[:-1]).any():
        raise ValueError(f"{name!r} must be rising column numbers.")
    if len(given) and (given[0] < 0 or given[-1] >= n):
        raise ValueError(f"{name!r} must be column numbers below {n}.")
    return given.tolist()
