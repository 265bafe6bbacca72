"""Your own data: a CSV, .npz or svmlight file in the place of a registered name."""

from __future__ import annotations

import csv
import os
import re
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from hlsvm._npz import read_arrays
from hlsvm.datasets._archive import open_stream
from hlsvm.datasets._dataset import DataCorrupted, DataUnavailable
from hlsvm.datasets._raw import Raw, check_values
from hlsvm.datasets._read import DAMAGE
from hlsvm.datasets.registry import Entry

_ENDING = re.compile(r"\.(csv|npz|svm|svmlight|libsvm)(\.gz|\.bz2|\.xz)?$", re.IGNORECASE)
_MOST_DENSE = 1 << 27  # values: a larger svmlight file stays sparse
_SEPARATORS = ",;\t"


def is_path(name: Any) -> bool:
    """Whether `load` takes this for a file and not for a registered name."""
    if isinstance(name, os.PathLike):
        return True
    return isinstance(name, str) and (bool(_ENDING.search(name)) or "/" in name or os.sep in name)


def read_user_file(name: str | os.PathLike, target: Any) -> tuple[Entry, Raw, str, str]:
    """Read a file: what stands for its entry in the registry, arrays, source, note.

    Raises
    ------
    DataUnavailable
        There is no such file.
    ValueError, TypeError
        The ending is unknown, or `target` is no column of it.
    DataCorrupted
        It cannot be read as what its ending says, or its values are no finite numbers.
    """
    path = Path(name).expanduser()
    if not (ending := _ENDING.search(path.name)):
        raise ValueError(
            f"The file {path} must end in .csv, .npz, .svm, .svmlight or .libsvm "
            f"(.csv and svmlight also in .gz, .bz2, .xz) to be loaded."
        )
    kind = ending[1].lower()
    if not path.is_file():
        raise DataUnavailable(f"There is no file {path.absolute()}.")
    if target is not None and kind != "csv":
        raise TypeError(f"The 'target' parameter of load is for CSV files, not for .{kind}.")
    try:
        if kind == "csv":
            raw, target = _csv(path, target)
        else:
            raw = _npz(path) if kind == "npz" else _svmlight(path)
        _encode_labels(raw)
        task = _task(raw)
        check_values(raw, str(path), whole=task == "classification")
    except (DataCorrupted, _BadTarget):
        raise
    except DAMAGE as error:
        reason = str(error) or type(error).__name__
        raise DataCorrupted(f"{path} cannot be read as .{kind}: {reason}.") from error
    dtype = raw.X_train.dtype.name if raw.X_train.dtype.name == "float32" else "float64"
    entry = Entry(name=path.name, title=path.name, dtype=dtype, task=task)
    note = "read from a file" + (f", target {target!r}" if kind == "csv" else "")
    return entry, raw, f"file: {path.name}", note


class _BadTarget(ValueError):
    """`target` is no column."""


def _task(raw: Raw) -> str:
    for _, _, y in raw.parts():
        if y.dtype.kind == "f" and not (np.rint(y) == y)[np.isfinite(y)].all():
            return "regression"
    return "classification"


def _encode_labels(raw: Raw) -> None:
    """Replace labels of text by the numbers of their names in alphabetical order."""
    if np.asarray(raw.y_train).dtype.kind not in "OUS":
        return
    texts = {part: np.array([str(label) for label in y]) for part, _, y in raw.parts()}
    names = np.unique(np.concatenate(list(texts.values())))
    for part, y in texts.items():
        setattr(raw, f"y_{part}", np.searchsorted(names, y))
    raw.class_names = tuple(names.tolist())


def _csv(path: Path, target: Any) -> tuple[Raw, Any]:
    import pandas as pd

    with open_stream(path) as stream:
        first = stream.readline(1 << 20).decode("utf-8-sig").rstrip("\r\n")
    separator = max(_SEPARATORS, key=first.count)
    fields = next(csv.reader([first], delimiter=separator, skipinitialspace=True), [])
    named = not all(_is_number(text) for text in fields)
    with open_stream(path) as stream:
        table = pd.read_csv(
            stream, sep=separator, header=0 if named else None, skipinitialspace=True,
            encoding="utf-8-sig", low_memory=False, index_col=False,
        )  # fmt: skip
    if not len(table) or table.shape[1] < 2:
        raise DataCorrupted(f"{path} must have at least two columns and a row of values.")
    names = [str(name) for name in table.columns]
    at = _column(path, names, target)
    y = table.iloc[:, at]
    if y.isna().any():
        raise DataCorrupted(
            f"{path}: the target {names[at]!r} is missing in {y.isna().sum()} rows."
        )
    table = table.drop(columns=table.columns[at])
    for name in table.columns:
        if table[name].dtype.kind not in "biuf":
            texts = table[name][pd.to_numeric(table[name], errors="coerce").isna()]
            example = texts.iloc[0] if len(texts) else table[name].iloc[0]
            raise DataCorrupted(
                f"{path}: column {str(name)!r} holds text, such as {str(example)!r}, in "
                f"{_rows(len(texts))}. Replace it by numbers, or name it as the target."
            )
    y = y.to_numpy() if y.dtype.kind in "biuf" else y.astype(str).to_numpy(dtype=object)
    X = table.to_numpy(dtype=np.float64)
    kept = tuple(str(name) for name in table.columns) if named else ()
    return Raw(X, y, feature_names=kept), names[at] if named else at


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return not text.strip()
    return True


def _column(path: Path, names: list[str], target: Any) -> int:
    """Return the number of the target's column."""
    if target is None:
        return len(names) - 1
    if isinstance(target, str) and names.count(target) == 1:
        return names.index(target)
    whole = isinstance(target, Integral) and not isinstance(target, bool)
    if whole and -len(names) <= target < len(names):
        return int(target) % len(names)
    listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    raise _BadTarget(
        f"The 'target' parameter of load must be a column of {path}, its name among {listed} or "
        f"its number from 0 to {len(names) - 1}. Got {target!r} instead."
    )


def _npz(path: Path) -> Raw:
    arrays = read_arrays(path)
    names = {
        key: tuple(str(text) for text in arrays[key].ravel())
        for key in ("feature_names", "class_names")
        if key in arrays
    }
    if {"X_train", "y_train"} <= set(arrays):
        raw = Raw(arrays["X_train"], arrays["y_train"], **names)
        if {"X_test", "y_test"} & set(arrays):
            raw.X_test, raw.y_test = arrays["X_test"], arrays["y_test"]
    elif {"X", "y"} <= set(arrays):
        raw = Raw(arrays["X"], arrays["y"], **names)
    else:
        raise DataCorrupted(
            f"{path} must hold X and y, or X_train, y_train and, if there is a test part, X_test "
            f"and y_test. It holds {', '.join(arrays) or 'nothing'}."
        )
    for part, X, y in raw.parts():
        if X.ndim != 2 or X.dtype.kind not in "biuf" or y.ndim != 1 or not X.shape[0]:
            raise DataCorrupted(
                f"{path}: X must be a matrix of numbers with at least one row, and y a list of "
                f"labels. The {part} part has {X.dtype} of shape {X.shape} and {y.dtype} of "
                f"shape {y.shape}."
            )
        if y.dtype.kind not in "biufUS":
            raise DataCorrupted(f"{path}: labels must be numbers or text. Got {y.dtype}.")
    return raw


def _svmlight(path: Path) -> Raw:
    from sklearn.datasets import load_svmlight_file

    with open_stream(path) as stream:
        X, y = load_svmlight_file(stream, zero_based="auto")
    if not X.shape[0] or not X.shape[1]:
        raise DataCorrupted(f"{path} holds no rows.")
    return Raw(X.toarray() if X.shape[0] * X.shape[1] <= _MOST_DENSE else X.tocsr(), y)
