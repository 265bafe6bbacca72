"""Compressed files and archives, opened as streams; nothing is ever unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from hlsvm.datasets._dataset import DataCorrupted

_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".tgz": gzip.open}


def open_stream(path: Path) -> BinaryIO:
    """Open a file for reading, decompressed by its ending (.gz, .bz2, .xz, .Z or none)."""
    if path.suffix == ".Z":
        return io.BytesIO(unlzw(path.read_bytes(), str(path)))
    return _OPENERS.get(path.suffix, open)(path, "rb")


def _check_name(name: str, archive: Path) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in "".join(parts.parts[:1]):
        raise DataCorrupted(
            f"{archive} holds a member named {name!r}, which points outside the archive: it is "
            f"hostile or broken. Delete it and load the data again."
        )


def read_members(archive: Path, wanted: list[str]) -> list[bytes]:
    """Contents of members of a tar or zip archive, found by the end of their path.

    Every member's name is looked at first, also of those not wanted.

    Raises
    ------
    DataCorrupted
        A name is absolute or climbs out of the archive; a wanted member is missing, occurs twice
        or is no plain file.
    """
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as z:
            names = z.namelist()
            return [z.read(_pick(names, want, archive)) for want in wanted]
    with tarfile.open(archive, "r:*") as tar:
        members = tar.getmembers()
        names = [m.name for m in members]
        found = []
        for want in wanted:
            name = _pick(names, want, archive)
            member = members[names.index(name)]
            if not member.isreg():
                raise DataCorrupted(f"{archive}: the member {name!r} is a link, not a file.")
            found.append(tar.extractfile(member).read())
        return found


def _pick(names: list[str], want: str, archive: Path) -> str:
    for name in names:
        _check_name(name, archive)
    tail = PurePosixPath(want).parts
    hits = [name for name in names if PurePosixPath(name).parts[-len(tail) :] == tail]
    if len(hits) != 1:
        raise DataCorrupted(f"{archive} holds {len(hits)} members named {want!r}, not one.")
    return hits[0]


def unlzw(data: bytes, path: str = "data") -> bytes:
    """Decompress what Unix `compress` wrote (.Z): LZW with codes of 9 to 16 bits.

    Raises
    ------
    DataCorrupted
        No such file, or a code that was never defined.
    """
    if len(data) < 3 or data[:2] != b"\x1f\x9d":
        raise DataCorrupted(f"{path} is not a file written by Unix compress (.Z).")
    most = max(data[2] & 31, 10)  # compress itself takes 9 for 10
    first_free = 257 if data[2] & 128 else 256
    table = [bytes([k]) for k in range(256)] + [b""] * (first_free - 256)
    width, place, start, end = 9, 24, 24, 8 * len(data)
    before, out = b"", bytearray()
    while True:
        full = len(table) > (1 << width) - 1 and width < most
        if full:  # codes come in groups of eight; the rest of the last group is padding
            start = place = start + -(-(place - start) // (8 * width)) * 8 * width
            width += 1
        if place + width > end:
            return bytes(out)
        code = int.from_bytes(data[place >> 3 : (place >> 3) + 4], "little") >> (place & 7)
        code &= (1 << width) - 1
        place += width
        if code == 256 and first_free == 257:
            start = place = start + -(-(place - start) // (8 * width)) * 8 * width
            del table[first_free:]
            width, before = 9, b""
            continue
        if code > len(table) or (code == len(table) and not before):
            raise DataCorrupted(f"{path} is damaged: code {code} was never defined.")
        entry = table[code] if code < len(table) else before + before[:1]
        out += entry
        if before and len(table) < 1 << most:
            table.append(before + entry[:1])
        before = entry
