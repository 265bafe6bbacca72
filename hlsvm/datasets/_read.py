"""The official files, each format in one small function: paths in, arrays out."""

from __future__ import annotations

import io
import itertools
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hlsvm.datasets._archive import open_stream, read_members
from hlsvm.datasets._dataset import DataCorrupted
from hlsvm.datasets._raw import Raw
from hlsvm.datasets.registry import Entry

_CHUNK = 20_000  # rows parsed at a time
DAMAGE = (EOFError, OSError, ValueError, KeyError, IndexError, UnicodeDecodeError, struct.error)
DAMAGE += (
    RuntimeError,
    TypeError,
    OverflowError,
    MemoryError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
)


def read_official(entry: Entry, paths: list[Path]) -> Raw:
    """Read the files of an entry, given in the registry's order.

    Raises
    ------
    DataCorrupted
        They are cut short, damaged, hostile or of another format.
    """
    try:
        return _FORMATS[entry.format](entry, paths)
    except DataCorrupted:
        raise
    except DAMAGE as error:
        listed = ", ".join(str(p) for p in paths)
        raise DataCorrupted(
            f"{listed}: cannot be read as {entry.format} ({type(error).__name__}: {error}). "
            f"Delete it and load {entry.name!r} again."
        ) from error


def _by_part(entry: Entry, read: Callable[[list[Path]], tuple], paths: list[Path]) -> Raw:
    groups: dict[str, list[Path]] = {}
    for file, path in zip(entry.files, paths, strict=True):
        groups.setdefault(file["part"], []).append(path)
    first = "all" if "all" in groups else "train"
    raw = Raw(*read(groups[first]))
    if "test" in groups:
        raw.X_test, raw.y_test = read(groups["test"])
    return raw


def _svmlight_chunks(stream, n_features: int):
    from sklearn.datasets import load_svmlight_file

    while lines := list(itertools.islice(stream, _CHUNK)):
        text = io.BytesIO(b"".join(lines))
        yield load_svmlight_file(text, n_features=n_features, zero_based=False)


def _sparse_rows(chunks) -> tuple:
    import scipy.sparse

    blocks, labels = zip(*chunks, strict=True)
    return scipy.sparse.csr_matrix(scipy.sparse.vstack(blocks)), np.concatenate(labels)


def _dense_rows(chunks, shape: tuple[int, int], dtype: str, path: Path) -> tuple:
    """Fill one array of the expected shape, a chunk at a time: a file may be most of memory."""
    X, y, at = np.empty(shape, dtype=dtype), np.empty(shape[0]), 0
    for block, labels in chunks:
        stop = at + len(labels)
        if stop > shape[0]:
            raise DataCorrupted(f"{path} holds more than the expected {shape[0]:,} rows.")
        X[at:stop], y[at:stop], at = block.toarray(), labels, stop
    return X[:at], y[:at]


def _svmlight(entry: Entry, paths: list[Path]) -> Raw:
    rows = {"train": entry.n_train, "test": entry.n_test, "all": entry.n_train + entry.n_test}
    part_of = {path: file["part"] for file, path in zip(entry.files, paths, strict=True)}

    def read(group: list[Path]) -> tuple:
        path = group[0]
        with open_stream(path, entry.most_bytes) as stream:
            chunks = _svmlight_chunks(stream, entry.n_features)
            if entry.sparse:
                X, y = _sparse_rows(chunks)
            else:
                shape = rows[part_of[path]], entry.n_features
                X, y = _dense_rows(chunks, shape, entry.options.get("raw", entry.dtype), path)
        for old, new in entry.options.get("relabel", {}).items():
            y[y == float(old)] = new
        return X, y

    return _by_part(entry, read, paths)


def read_idx(path: Path, most_bytes: int = 1 << 40) -> np.ndarray:
    """One array of bytes in the idx format of MNIST, .gz or not.

    Raises
    ------
    DataCorrupted
        Wrong magic number or length.
    """
    with open_stream(path, most_bytes) as stream:
        data = stream.read()
    if len(data) < 4 or data[:3] != b"\0\0\x08" or len(data) < 4 + 4 * data[3]:
        raise DataCorrupted(f"{path} is not an idx file of bytes.")
    shape = struct.unpack(f">{data[3]}I", data[4 : 4 + 4 * data[3]])
    values = np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * data[3])
    if values.size != np.prod(shape, dtype=np.int64):
        raise DataCorrupted(f"{path} states {shape} values and holds {values.size}.")
    return values.reshape(shape)


def _idx(entry: Entry, paths: list[Path]) -> Raw:
    def read(group: list[Path]) -> tuple:
        images, labels = (read_idx(path, entry.most_bytes) for path in group)
        return images.reshape(len(images), -1), labels

    return _by_part(entry, read, paths)


def _frame(entry: Entry, path: Path) -> Any:
    import pandas as pd

    options = entry.options
    sep = r"\s+" if options["sep"] == " " else options["sep"]
    if "member" in options:
        stream = io.BytesIO(read_members(path, [options["member"]], entry.most_bytes)[0])
    else:
        stream = open_stream(path, entry.most_bytes)
    with stream:
        return pd.read_csv(
            stream, header=None, sep=sep, skipinitialspace=True, keep_default_na=False,
            na_values=[options["missing"]] if "missing" in options else [],
            comment=options.get("comment"),
        )  # fmt: skip


def _codes(column: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Alphabetical codes of a text column, -1 where it is missing."""
    texts = column.astype(object).where(column.notna(), None)
    levels = sorted({str(t) for t in texts if t is not None})
    index = {level: k for k, level in enumerate(levels)} | {None: -1}
    return np.array([index[t] for t in texts]), tuple(levels)


def _table(entry: Entry, paths: list[Path]) -> Raw:
    import pandas as pd

    frames = [_frame(entry, path) for path in paths]
    whole = pd.concat(frames, ignore_index=True)
    at = 0 if entry.options["label"] == "first" else whole.shape[1] - 1
    label = whole.pop(at)
    for column in entry.options.get("categorical", []):
        whole[column + (at == 0)] = _codes(whole[column + (at == 0)])[0]
    X = whole.to_numpy(dtype=np.float64)
    names: tuple[str, ...] = ()
    if pd.api.types.is_numeric_dtype(label):
        y = label.to_numpy()
    else:
        y, names = _codes(label.str.strip().str.rstrip("."))
    raw = Raw(X, y, class_names=names if entry.options.get("label_names", True) else ())
    if len(frames) == 2:
        raw.cut(len(frames[0]))
    return raw


def _mat(entry: Entry, paths: list[Path]) -> Raw:
    from scipy.io import loadmat

    keys = [entry.options["X"], entry.options["y"]]
    arrays = loadmat(paths[0], variable_names=keys)
    return Raw(arrays[keys[0]], arrays[keys[1]].ravel())


def _raetsch(entry: Entry, paths: list[Path]) -> Raw:
    from scipy.io import loadmat

    name = entry.options["set"]
    content = loadmat(paths[0], variable_names=[name], simplify_cells=True)[name]
    pairs = zip(np.atleast_2d(content["train"]), np.atleast_2d(content["test"]), strict=True)
    splits = tuple((train.astype(np.int64) - 1, test.astype(np.int64) - 1) for train, test in pairs)
    return Raw(content["x"], content["t"], splits=splits)


def _cifar(entry: Entry, paths: list[Path]) -> Raw:
    """Read the binary version: per image one label byte and 3,072 bytes (three planes)."""
    names = [*(f"data_batch_{k}.bin" for k in range(1, 6)), "test_batch.bin"]
    rows = [
        np.frombuffer(m, dtype=np.uint8) for m in read_members(paths[0], names, entry.most_bytes)
    ]
    rows = [r.reshape(-1, 1 + entry.n_features) for r in rows]
    train, test = np.concatenate(rows[:5]), rows[5]
    return Raw(train[:, 1:], train[:, 0], test[:, 1:], test[:, 0])


def _carbonetto(entry: Entry, paths: list[Path]) -> Raw:
    """Raw bytes, 24 x 24 per image, column by column; faces come first."""
    members = read_members(paths[0], ["faces.pat", "nonfaces.pat"], entry.most_bytes)
    faces, others = (np.frombuffer(m, dtype=np.uint8).reshape(-1, 24, 24) for m in members)
    images = np.concatenate([faces, others]).transpose(0, 2, 1).reshape(-1, 576)
    return Raw(images, np.repeat([1, -1], [len(faces), len(others)]))


def _windows(entry: Entry, paths: list[Path]) -> Raw:
    """Windows of raw bytes beside a text file of labels; the first rows of both."""
    rows, d = entry.n_train, entry.n_features
    with open_stream(paths[0], entry.most_bytes) as stream:
        X = np.frombuffer(stream.read(rows * d), dtype=np.uint8).reshape(-1, d)
    with open_stream(paths[1], entry.most_bytes) as stream:
        y = np.array([int(float(line)) for line in itertools.islice(stream, rows)])
    return Raw(X, y)


def _csv_pairs(entry: Entry, paths: list[Path]) -> Raw:
    """Read a CSV of values and one of labels for each part, both with a header."""
    import pandas as pd

    def read(group: list[Path]) -> tuple:
        X, y = (pd.read_csv(open_stream(path, entry.most_bytes)).to_numpy() for path in group)
        return X, y.ravel()

    return _by_part(entry, read, paths)


_FORMATS: dict[str, Callable[[Entry, list[Path]], Raw]] = {
    "svmlight": _svmlight,
    "idx": _idx,
    "table": _table,
    "mat": _mat,
    "raetsch": _raetsch,
    "cifar": _cifar,
    "carbonetto": _carbonetto,
    "windows": _windows,
    "csv_pairs": _csv_pairs,
}
