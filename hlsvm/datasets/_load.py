"""`load`: a data set by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from hlsvm._params import check_option
from hlsvm.datasets._dataset import Dataset
from hlsvm.datasets._prepare import SCALES, apply_classes, rescale
from hlsvm.datasets._raw import Raw
from hlsvm.datasets.registry import Entry, find

_SAID = {
    "minmax": "features mapped to [0, 1] by the training part's range",
    "symmetric": "features mapped to [-1, 1] by the training part's range",
}


def _bundled(which: str) -> tuple[Raw, str]:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, which)()
    names = tuple(str(c) for c in bunch.feature_names)
    return Raw(bunch.data, bunch.target, feature_names=names), "bundled with scikit-learn"


def _make(entry: Entry, options: dict[str, Any]) -> tuple[Raw, str, str]:
    """Rows of a bundled or synthetic set: arrays, source, note."""
    room, _, function = entry.generator.partition(":")
    if room == "bundled":
        if options:
            raise TypeError(f"load({entry.name!r}) takes no options. Got {sorted(options)}.")
        return *_bundled(function), ""
    made = getattr(import_module(f"hlsvm.datasets.{room}"), function)(**options)
    if isinstance(made, Dataset):
        return Raw(made.X_train, made.y_train), made.source, made.note
    said = ", ".join(f"{k}={v}" for k, v in options.items())
    return Raw(*made), f"hlsvm.datasets.{room}.{function}({said})", ""


def load(
    name: str,
    *,
    dtype: str | None = None,
    scale: str | float = "protocol",
    binary: Any = None,
    download: bool = True,
    sample: bool = True,
    **options: Any,
) -> Dataset:
    """Load a data set by name, from wherever it is nearest.

    Looked for, in this order, in the data folder (``HLSVM_DATA``), in the mirror
    (``HLSVM_MIRROR``), and at the official address. Every file is checked before it is read.

    Parameters
    ----------
    name : str
        One of ``hlsvm.datasets.list()``.
    dtype : {"float32", "float64"}, optional
        Type of X. By default float32, float64 for the sets whose values need it.
    scale : {"protocol", "none", "minmax", "symmetric"} or float
        "protocol": as the documents compute with it (the registry says how); "none": as
        distributed; "minmax": [0, 1] a feature; "symmetric": [-1, 1] a feature, both by the range
        of the training part; a number divides everything.
    binary : label or list of labels, optional
        These classes become +1 and the rest -1 (named variants such as ``"mnist_3vo"`` do it).
    download : bool
        False: never go to the official address.
    sample : bool
        False: refuse the stand-in (a sample, a training part alone) that serves where the whole
        set is not at hand. `Dataset.note` always says when one was used.
    **options
        For synthetic sets: arguments of the generator (``n``, ``seed``, ...).

    Returns
    -------
    Dataset
        Labels are int64, or float64 for regression.

    Raises
    ------
    ValueError
        No such data set, class or option.
    DataUnavailable
        It is nowhere at hand and could not be fetched; the message says what to run.
    DataCorrupted
        A file is not what it should be.

    Examples
    --------
    >>> load("xor", n=100, seed=1)
    Dataset(xor: 100 x 2 float32, 2 classes; no test part)
    """
    entry = find(name)
    check_option("load", "dtype", dtype, (None, "float32", "float64"))
    if isinstance(scale, str):
        check_option("load", "scale", scale, ("protocol", *SCALES))
    if entry.made_here:
        raw, source, note = _make(entry, options)
    else:
        if options:
            raise TypeError(
                f"load({name!r}) takes no option {sorted(options)[0]!r}: only synthetic sets do."
            )
        from hlsvm.datasets._find import obtain

        raw, source, note = obtain(entry, download=download, sample=sample)
    return _finish(entry, raw, source, note, dtype, scale, binary)


def _finish(entry, raw: Raw, source: str, note: str, dtype, scale, binary) -> Dataset:
    notes = [note]
    positive = entry.positive
    if binary is not None:
        many = isinstance(binary, list | tuple | set | frozenset | np.ndarray)
        positive = tuple(str(label) for label in (binary if many else [binary]))
    if positive or entry.groups:
        notes.append(apply_classes(raw, positive, {} if binary is not None else entry.groups))
    how = entry.scale if scale == "protocol" else scale
    dtype = dtype or entry.dtype
    if not (how == "none" and raw.X_train.dtype == dtype):
        raw.X_train, raw.X_test = rescale(how, raw.X_train, raw.X_test, dtype=dtype)
    if how != "none":
        notes.append(_SAID.get(how, f"values divided by {how}"))
    kind = np.float64 if entry.task == "regression" else np.int64
    return Dataset(
        X_train=raw.X_train,
        y_train=raw.y_train.astype(kind),
        X_test=raw.X_test,
        y_test=None if raw.y_test is None else raw.y_test.astype(kind),
        name=entry.name,
        source=source,
        note="; ".join(filter(None, notes)),
        splits=raw.splits,
        feature_names=raw.feature_names,
        class_names=raw.class_names,
    )
