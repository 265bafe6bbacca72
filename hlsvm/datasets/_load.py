"""`load`: a data set by name, or from a file."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import numpy as np

from hlsvm._params import check_number, check_option, refusal
from hlsvm.datasets._dataset import Dataset
from hlsvm.datasets._prepare import SCALES, apply_classes, label_text, rescale
from hlsvm.datasets._raw import Raw
from hlsvm.datasets._user_files import is_path, read_user_file
from hlsvm.datasets.registry import Entry, find

_SCALING = {
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
    given = ", ".join(f"{k}={v}" for k, v in options.items())
    return Raw(*made), f"hlsvm.datasets.{room}.{function}({given})", ""


def load(
    name: str | os.PathLike,
    *,
    target: str | int | None = None,
    dtype: str | None = None,
    scale: str | float = "protocol",
    binary: Any = None,
    download: bool = True,
    sample: bool = True,
    **options: Any,
) -> Dataset:
    r"""Load a data set by name, or your own data from a file.

    A name is looked for, in this order, in the data folder (``HLSVM_DATA``), in the mirror
    (``HLSVM_MIRROR``), and at the official address. Every file is checked before it is read.

    Parameters
    ----------
    name : str or path
        One of ``hlsvm.datasets.list()``, or the path of a file: ``.csv`` (with or without a line
        of names; separated by commas, semicolons or tabs), ``.npz`` with ``X, y`` or ``X_train,
        y_train, X_test, y_test``, or ``.svm``, ``.svmlight``, ``.libsvm``. Compressed
        ``.csv.gz``, ``.svm.bz2`` and the like are read too.
    target : str or int, optional
        For a CSV file, the column to predict: its name or its number, counted from 0 (from the
        end if negative). Default: the last one.
    dtype : {"float32", "float64"}, optional
        Type of X. By default float32, float64 for the sets whose values need it; of a file its
        floating type, float64 for all other numbers.
    scale : {"protocol", "none", "minmax", "symmetric"} or float
        "protocol": as the papers compute with it (the registry says how; a file as it is); "none":
        as distributed; "minmax": [0, 1] per feature; "symmetric": [-1, 1] per feature, both by
        the range of the training part; a number divides everything.
    binary : label or list of labels, optional
        These classes become +1 and the rest -1 (named variants such as ``"mnist_3vo"`` do it).
    download : bool
        False: never go to the official address.
    sample : bool
        False: refuse the stand-in (a sample, a training part alone) that serves where the whole
        set is not available. `Dataset.note` always says when one was used.
    **options
        For synthetic sets: arguments of the generator (``n``, ``seed``, ...).

    Returns
    -------
    Dataset
        Labels are int64, or float64 for regression. Labels of text become the numbers of their
        names in `Dataset.class_names`.

    Raises
    ------
    ValueError
        No such data set, class, column or option.
    DataUnavailable
        It is not available and could not be fetched; the message says what to run.
    DataCorrupted
        A file is not what it should be.

    Examples
    --------
    >>> load("xor", n=100, seed=1)
    Dataset(xor: 100 x 2 float32, 2 classes; no test part)

    Your own data, with a column of names as the target:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = path.write_text("kind,weight,width\napple,150,7.5\nplum,40,3.5\napple,170,8\n")
    >>> fruit = load(path, target="kind")
    >>> fruit
    Dataset(fruit.csv: 3 x 2 float64, 2 classes; no test part; read from a file, target 'kind')
    >>> fruit.class_names, fruit.y_train.tolist(), fruit.feature_names
    (('apple', 'plum'), [0, 1, 0], ('weight', 'width'))
    """
    check_option("load", "dtype", dtype, (None, "float32", "float64"))
    if isinstance(scale, str):
        check_option("load", "scale", scale, ("protocol", *SCALES))
    else:
        accepted = ("protocol", *SCALES)
        check_number("load", "scale", scale, low=0, closed="neither", options=accepted)
    positive = _positive(binary)
    if is_path(name):
        if options:
            raise TypeError(f"load of a file takes no option {min(options)!r}.")
        entry, raw, source, note = read_user_file(name, target)
        return _finish(entry, raw, source, note, dtype, scale, positive)
    entry = find(name)
    if target is not None:
        raise TypeError(f"The 'target' parameter of load is for files, not for {name!r}.")
    if entry.built_in:
        raw, source, note = _make(entry, options)
    else:
        if options:
            raise TypeError(
                f"load({name!r}) takes no option {sorted(options)[0]!r}: only synthetic sets do."
            )
        from hlsvm.datasets._find import obtain

        raw, source, note = obtain(entry, download=download, sample=sample)
    return _finish(entry, raw, source, note, dtype, scale, positive)


def _positive(binary: Any) -> tuple[str, ...]:
    """Texts of the labels that `binary` names."""
    if binary is None:
        return ()
    binary = np.atleast_1d(binary) if isinstance(binary, np.ndarray) else binary
    many = isinstance(binary, list | tuple | set | frozenset | np.ndarray)
    try:
        labels = tuple(label_text(label) for label in (binary if many else [binary]))
    except ValueError as error:  # an integer too long to print
        raise ValueError(refusal("load", "binary", "one class or more", binary)) from error
    if not labels:
        raise ValueError(refusal("load", "binary", "one class or more", binary))
    return labels


def _finish(entry, raw: Raw, source: str, note: str, dtype, scale, positive) -> Dataset:
    notes = [note]
    groups = {} if positive else entry.groups
    positive = positive or entry.positive
    if positive or groups:
        notes.append(apply_classes(raw, positive, groups))
    how = entry.scale if scale == "protocol" else scale
    dtype = dtype or entry.dtype
    if not (how == "none" and raw.X_train.dtype == dtype):
        raw.X_train, raw.X_test = rescale(how, raw.X_train, raw.X_test, dtype=dtype)
    if how != "none":
        notes.append(_SCALING.get(how, f"values divided by {how}"))
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
