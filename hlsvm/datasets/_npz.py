"""The normalised .npz files of a mirror; no pickle is ever opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hlsvm._npz import read_arrays
from hlsvm.datasets._dataset import DataCorrupted
from hlsvm.datasets._raw import Raw
from hlsvm.datasets.registry import Entry


def read_npz(path: Path, entry: Entry) -> Raw:
    """Read one file of a mirror in any of its layouts.

    Layouts: ``X, y``; ``X_train, y_train[, X_test, y_test]``; ``X_num, X_bin, y``; integer columns
    ``c00...`` with a ``scale`` each; ``X, y, train_idx, test_idx``. ``feature_names`` and
    ``class_names`` may be beside them.

    Raises
    ------
    DataCorrupted
        The file is not a whole .npz, holds objects (a pickle), or none of the layouts.
    """
    try:
        arrays = read_arrays(path, entry.most_bytes)
    except ValueError as error:
        raise DataCorrupted(f"{error}. Delete it and load the data again.") from error
    try:
        return _arrays(arrays)
    except (LookupError, ValueError, TypeError, OverflowError) as error:
        raise DataCorrupted(f"{path} holds none of the known layouts: {error}.") from error


def _columns(z: dict[str, np.ndarray]) -> np.ndarray:
    names = sorted(key for key in z if key[0] == "c" and key[1:].isdigit())
    scale = z["scale"]
    X = np.empty((len(z[names[0]]), len(names)))
    for j, key in enumerate(names):
        # Rates are stored in hundredths: dividing gives the decimal that was written, nearest.
        whole = np.rint(1 / scale[j])
        exact = scale[j] < 1 and np.isclose(whole * scale[j], 1, rtol=1e-12)
        X[:, j] = z[key] / whole if exact else z[key] * scale[j]
    return X


def _splits(z: dict[str, np.ndarray]) -> tuple:
    seen, splits = set(), []
    for train, test in zip(z["train_idx"], z["test_idx"], strict=True):
        key = np.sort(train).tobytes()
        if key not in seen:  # one recorded realisation of "image" is a copy of the first
            seen.add(key)
            splits.append((train.astype(np.int64), test.astype(np.int64)))
    return tuple(splits)


def _arrays(z: dict[str, np.ndarray]) -> Raw:
    names = {
        key: tuple(str(v) for v in z[key].ravel()) if key in z else ()
        for key in ("feature_names", "class_names")
    }
    if "X_train" in z:
        raw = Raw(z["X_train"], z["y_train"], **names)
        if "X_test" in z:
            raw.X_test, raw.y_test = z["X_test"], z["y_test"]
    elif "X_num" in z:
        X = np.concatenate([z["X_num"], z["X_bin"]], axis=1)
        raw = Raw(X, z["y"], **names)
    elif "c00" in z:
        raw = Raw(_columns(z), z["y"], **names)
    else:
        raw = Raw(z["X"], z["y"], **names)
        if "train_idx" in z:
            raw.splits = _splits(z)
    if names["class_names"] and raw.y_train.min() == 1:
        raw.class_names = ()  # codes that count from 1 are labels already
    return raw
