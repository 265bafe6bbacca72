"""Arrays as a file holds them, before class rule, scaling and type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hlsvm.datasets._dataset import DataCorrupted
from hlsvm.datasets.registry import Entry


@dataclass
class Raw:
    """Arrays of one data set; the test part is None where no division is given."""

    X_train: Any
    y_train: np.ndarray
    X_test: Any = None
    y_test: np.ndarray | None = None
    splits: tuple = ()
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()

    def parts(self):
        """Yield ("train" or "test", X, y) for the parts there are."""
        yield "train", self.X_train, self.y_train
        if self.X_test is not None:
            yield "test", self.X_test, self.y_test

    def cut(self, n_train: int) -> None:
        """Make the first `n_train` rows the training part and the others the test part."""
        X, y = self.X_train, self.y_train
        self.X_train, self.y_train = X[:n_train], y[:n_train]
        self.X_test, self.y_test = X[n_train:], y[n_train:]


def _missing(X: np.ndarray, categorical: list[int]) -> np.ndarray:
    gaps = np.isnan(X) if X.dtype.kind == "f" else np.zeros(X.shape, dtype=bool)
    gaps[:, categorical] |= X[:, categorical] == -1
    return gaps


def clean(raw: Raw, entry: Entry) -> Raw:
    """Apply what the registry's options say on columns and rows, whatever file it came from."""
    options = entry.options
    for part, X, y in list(raw.parts()):
        names = raw.feature_names
        if "columns" in options:
            X = X[:, options["columns"]]
            names = tuple(names[j] for j in options["columns"]) if names else ()
        if "drop_columns" in options:
            X = np.delete(X, options["drop_columns"], axis=1)
            names = tuple(np.delete(names, options["drop_columns"])) if names else ()
        if options.get("drop_missing_rows"):
            whole = ~_missing(X, options.get("categorical", [])).any(axis=1)
            X, y = X[whole], y[whole]
        setattr(raw, f"X_{part}", X)
        setattr(raw, f"y_{part}", y)
    raw.feature_names = names
    if raw.X_test is None and "n_train" in options:
        raw.cut(options["n_train"])
    return raw


def check_shape(raw: Raw, entry: Entry, path: str) -> None:
    """Raise unless the arrays have the registry's shape.

    Raises
    ------
    DataCorrupted
        Rows, columns or number of labels differ.
    """
    n_train, d = raw.X_train.shape
    n_test = 0 if raw.X_test is None else raw.X_test.shape[0]
    found, expected = (n_train, n_test, d), (entry.n_train, entry.n_test, entry.n_features)
    if found != expected:
        raise DataCorrupted(
            f"{path} is not the data set {entry.name!r}: expected {expected[0]:,} training rows, "
            f"{expected[1]:,} test rows and {expected[2]:,} columns, found {found[0]:,}, "
            f"{found[1]:,} and {found[2]:,}."
        )
    for part, X, y in raw.parts():
        if len(y) != X.shape[0]:
            raise DataCorrupted(
                f"{path}: the {part} part has {X.shape[0]:,} rows but {len(y):,} labels."
            )
