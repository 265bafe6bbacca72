"""Compressed files and archives, opened as streams; nothing is ever unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from hlsvm.datasets._dataset import DataCorrupted

_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".tgz": gzip.open}
_MAGIC = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}


class _Bounded(io.RawIOBase):
    """A stream that refuses to go on after so many bytes: a small file may hold endless zeros."""

    def __init__(self, stream: BinaryIO, path: Path, most_bytes: int):
        self._stream, self._path, self._most, self._read = stream, path, most_bytes, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        data = self._stream.read(len(buffer))
        self._read += len(data)
        if self._read > self._most:
            raise DataCorrupted(
                f"{self._path} decompresses to more than {self._most:,} bytes, the most it can "
                f"hold. Delete it and load the data again."
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_stream(path: Path, most_bytes: int = 1 << 40) -> BinaryIO:
    """Open a file for reading, decompressed by its ending (.gz, .bz2, .xz, .Z or none).

    Reading more than `most_bytes` of what it decompresses to raises `DataCorrupted`.
    """
    if path.suffix == ".Z":
        return io.BytesIO(unlzw(path.read_bytes(), str(path), most_bytes))
    stream = _OPENERS.get(path.suffix, open)(path, "rb")
    return io.BufferedReader(_Bounded(stream, path, most_bytes), 1 << 18)


def _check_name(name: str, archive: Path) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in "".join(parts.parts[:1]):
        raise DataCorrupted(
            f"{archive} holds a member named {name!r}, which points outside the archive: it is "
            f"hostile or broken. Delete it and load the data again."
        )


def read_members(archive: Path, wanted: list[str], most_bytes: int = 1 << 40) -> list[bytes]:
    """Contents of members of a tar or zip archive, looked up by the end of their path.

    Every member's name is checked, also of those not wanted; sizes are checked before anything
    is decompressed.

    Raises
    ------
    DataCorrupted
        A name is absolute or climbs out of the archive; a wanted member is missing, occurs twice
        or is no plain file; the members take more than `most_bytes`.
    """
    contents: dict[str, list[bytes]] = {want: [] for want in wanted}
    read = _zip_members if zipfile.is_zipfile(archive) else _tar_members
    total = 0
    for name, size, plain, content in read(archive, most_bytes):
        _check_name(name, archive)
        total += size
        if total > most_bytes:
            raise DataCorrupted(f"{archive} holds more than {most_bytes:,} bytes. Delete it.")
        for want in wanted:
            tail = PurePosixPath(want).parts
            if PurePosixPath(name).parts[-len(tail) :] == tail:
                if not plain:
                    raise DataCorrupted(f"{archive}: the member {name!r} is a link, not a file.")
                contents[want].append(content())
    for want, hits in contents.items():
        if len(hits) != 1:
            raise DataCorrupted(f"{archive} holds {len(hits)} members named {want!r}, not one.")
    return [contents[want][0] for want in wanted]


def _zip_members(path: Path, most_bytes: int):
    """Yield name, size, whether it is a plain file, and a function that reads it."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            yield member.filename, member.file_size, True, partial(archive.read, member)


def _tar_members(path: Path, most_bytes: int):
    with path.open("rb") as start:
        opener = _MAGIC.get(start.read(2), open)
    # Twice the limit: headers and padding count as well.
    bounded = _Bounded(opener(path, "rb"), path, 2 * most_bytes + (1 << 20))
    with io.BufferedReader(bounded) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            yield (
                member.name, member.size, member.isreg(),
                lambda member=member: archive.extractfile(member).read(),
            )  # fmt: skip


def unlzw(data: bytes, path: str = "data", most_bytes: int = 1 << 40) -> bytes:
    """Decompress what Unix `compress` wrote (.Z): LZW with codes of 9 to 16 bits.

    Raises
    ------
    DataCorrupted
        No such file, a code that was never defined, or more than `most_bytes`.
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
        if len(out) > most_bytes:
            raise DataCorrupted(f"{path} decompresses to more than {most_bytes:,} bytes.")
        if before and len(table) < 1 << most:
            table.append(before + entry[:1])
        before = entry
