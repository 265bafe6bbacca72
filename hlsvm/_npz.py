"""Reading ``.npz`` files of plain arrays that may be damaged or hostile."""

from __future__ import annotations

import math
import zipfile
import zlib
from os import PathLike, fspath

import numpy as np
from numpy.lib import format as npy

# What damage to a zip archive or to the arrays in it makes the libraries raise.
_DAMAGE = (ValueError, OSError, EOFError, KeyError, IndexError, TypeError, OverflowError)
_DAMAGE += (RuntimeError, MemoryError, SyntaxError, zipfile.BadZipFile, zlib.error)
_MOST_MEMBERS = 4096
_SMALL = 1 << 28  # bytes an archive may always expand to
_MOST_RATIO = 200  # and beyond them, times its own size


def read_arrays(path: str | PathLike, most_bytes: int | None = None) -> dict[str, np.ndarray]:
    """Read all arrays of an ``.npz``; no pickle is opened, and nothing before all headers fit.

    Parameters
    ----------
    path : path-like
    most_bytes : int, optional
        Most bytes the arrays may take. By default 256 MiB, or 200 times the size of the file
        where that is more.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    ValueError
        The file is damaged, is no such archive, holds objects, states sizes that it does not
        hold, or expands to more than `most_bytes`.
    FileNotFoundError, PermissionError
        It cannot be opened.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, a=np.arange(3))
    >>> read_arrays(file)["a"].tolist()
    [0, 1, 2]
    """
    where = fspath(path) if isinstance(path, (str, PathLike)) else "the file"
    try:
        if not zipfile.is_zipfile(path):
            if isinstance(path, (str, PathLike)):
                with open(path, "rb"):  # no such file says so itself
                    pass
            raise ValueError("it is no whole archive")
        with zipfile.ZipFile(path) as archive:
            _check_headers(archive, most_bytes)
            return {name.filename[:-4]: _read(archive, name) for name in archive.infolist()}
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except _DAMAGE as error:
        reason = str(error) or type(error).__name__
        raise ValueError(f"{where} is not a readable .npz of plain arrays ({reason})") from error


def _check_headers(archive: zipfile.ZipFile, most_bytes: int | None) -> None:
    members = archive.infolist()
    packed = sum(member.compress_size for member in members)
    if most_bytes is None:
        most_bytes = max(_SMALL, _MOST_RATIO * packed)
    if len(members) > _MOST_MEMBERS:
        raise ValueError(f"it holds {len(members):,} files, more than {_MOST_MEMBERS:,}")
    names = [member.filename for member in members]
    if len(set(names)) < len(names):
        raise ValueError("two arrays in it have the same name")
    total = 0
    for member in members:
        name = member.filename
        if not name.endswith(".npy"):
            raise ValueError(f"{name!r} in it is no array")
        with archive.open(member) as stream:
            shape, dtype, start = _header(stream)
        if dtype.hasobject:
            raise ValueError(f"{name!r} holds Python objects, which are never opened")
        size = math.prod(shape) * dtype.itemsize
        if size + start != member.file_size:
            raise ValueError(
                f"{name!r} states the shape {shape} of {dtype}, {size:,} bytes, "
                f"and holds {max(0, member.file_size - start):,}"
            )
        total += size
        if total > most_bytes:
            raise ValueError(
                f"its arrays take {total:,} bytes or more; at most {most_bytes:,} are expected"
            )


def _header(stream) -> tuple[tuple[int, ...], np.dtype, int]:
    """Shape, type and length of the header of an array."""
    version = npy.read_magic(stream)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"version {version} of the array format is not served")
    shape, _, dtype = read(stream)
    if any(size < 0 for size in shape):
        raise ValueError(f"the shape {shape} is negative")
    return shape, dtype, stream.tell()


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(member) as stream:
        array = npy.read_array(stream, allow_pickle=False)
        stream.read(1)  # reaches the end, so that the checksum is compared
    return array
