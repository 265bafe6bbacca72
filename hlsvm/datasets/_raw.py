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


def check_raw(raw: Raw, entry: Entry, path: str) -> None:
    """Raise unless the arrays are numbers, finite, and of the registry's shape.

    Raises
    ------
    DataCorrupted
        The message names what differs; for NaN and infinity the first column and how many rows.
    """
    for part, X, y in raw.parts():
        if (
            X.ndim != 2
            or X.dtype.kind not in "biuf"
            or np.ndim(y) != 1
            or y.dtype.kind not in "biuf"
        ):
            raise DataCorrupted(
                f"{path}: X must be a matrix of numbers and y a list of numbers. The {part} part "
                f"has {X.dtype} of shape {X.shape} and {y.dtype} of shape {np.shape(y)}."
            )
    rows = [X.shape[0] for _, X, _ in raw.parts()] + [0]
    actual = rows[0], rows[1], raw.X_train.shape[1]
    expected = entry.n_train, entry.n_test, entry.n_features
    if actual != expected:
        raise DataCorrupted(
            f"{path} is not the data set {entry.name!r}: expected {expected[0]:,} training rows, "
            f"{expected[1]:,} test rows and {expected[2]:,} columns, found {actual[0]:,}, "
            f"{actual[1]:,} and {actual[2]:,}."
        )
    check_values(raw, path, whole=entry.task == "classification")


def check_values(raw: Raw, path: str, *, whole: bool) -> None:
    """Raise unless all values are finite, labels (`whole`) are codes, and partitions are rows.

    Raises
    ------
    DataCorrupted
    """
    d = raw.X_train.shape[1]
    if raw.feature_names and len(raw.feature_names) != d:
        raise DataCorrupted(f"{path}: {len(raw.feature_names)} feature names for {d} columns.")
    for part, X, y in raw.parts():
        if X.shape[1] != d:
            raise DataCorrupted(f"{path}: the {part} part has {X.shape[1]:,} columns, not {d:,}.")
        if len(y) != X.shape[0]:
            raise DataCorrupted(
                f"{path}: the {part} part has {X.shape[0]:,} rows but {len(y):,} labels."
            )
        if problem := not_finite(X, raw.feature_names):
            raise DataCorrupted(f"{path}: the {part} part is not finite: {problem}.")
        if problem := not_finite(y[:, None], ("the label",)):
            raise DataCorrupted(f"{path}: the {part} part is not finite: {problem}.")
        if whole and not _are_codes(y, len(raw.class_names)):
            raise DataCorrupted(
                f"{path}: the labels of the {part} part must be whole numbers of 64 bits"
                + (f", 0 to {len(raw.class_names) - 1}." if raw.class_names else ".")
            )
    n = sum(X.shape[0] for _, X, _ in raw.parts())
    for train, test in raw.splits:
        both = np.concatenate([train, test])
        if both.size and (both.min() < 0 or both.max() >= n or len(np.unique(both)) < both.size):
            raise DataCorrupted(f"{path}: a recorded partition is not one of the {n:,} rows.")


def _are_codes(y: np.ndarray, n_names: int) -> bool:
    if not len(y):
        return True
    low, high = y.min(), y.max()
    inside = (low >= 0 and high < n_names) if n_names else (low >= -(2.0**63) and high < 2.0**63)
    return bool(inside) and (y.dtype.kind != "f" or bool((y == np.rint(y)).all()))


_BLOCK = 1 << 22  # values looked at together


def not_finite(X: Any, names: tuple[str, ...] = ()) -> str:
    """Say which column holds NaN or infinity and in how many rows; "" where all is finite."""
    if X.dtype.kind != "f":
        return ""
    if not isinstance(X, np.ndarray):
        bad = np.flatnonzero(~np.isfinite(X.data))
        columns = X.indices[bad]
    else:
        step = max(1, _BLOCK // max(1, X.shape[1]))
        blocks = (X[start : start + step] for start in range(0, X.shape[0], step))
        where = [np.nonzero(~np.isfinite(block))[1] for block in blocks]
        columns = np.concatenate(where) if where else np.empty(0, int)
    if not len(columns):
        return ""
    first = int(columns.min())
    named = f" ({names[first]})" if names else ""
    others = len(np.unique(columns)) - 1
    more = f" (and so do {others:,} other columns)" if others else ""
    rows = int(np.sum(columns == first))
    count = "1 row" if rows == 1 else f"{rows:,} rows"
    return f"column {first}{named} holds NaN or infinity in {count}{more}"
