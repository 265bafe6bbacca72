"""MANIFEST.csv of a mirror: which files it has and their digests."""

from __future__ import annotations

import csv
import io
import re
import time
from functools import lru_cache
from pathlib import Path

from hlsvm.datasets._dataset import DataCorrupted
from hlsvm.datasets._transfer import NotServed, read_address

MOST_BYTES = 4 << 20
REMEMBERED = 300.0  # seconds a mirror that failed is not asked again
_DIGEST = re.compile(r"[0-9a-f]{64}")
_ABSENT = (403, 404, 410)
# Address -> its manifest, or when and why it failed.
_answers: dict[str, dict[str, str] | tuple[float, str]] = {}


def parse_manifest(raw: bytes, where: str) -> dict[str, str]:
    """Read a manifest: file name -> SHA-256.

    Raises
    ------
    DataCorrupted
        It is no UTF-8 text, no CSV, lacks a column, or a digest is none.
    """
    try:
        rows = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True)
        if missing := {"file", "sha256"} - set(rows.fieldnames or ()):
            raise ValueError(f"it has no column {min(missing)!r}")
        digests: dict[str, str] = {}
        for row in rows:
            name, digest = row["file"] or "", (row["sha256"] or "").strip().lower()
            if not _DIGEST.fullmatch(digest) or digests.setdefault(name, digest) != digest:
                raise ValueError(f"line {rows.line_num} does not state one SHA-256 of a file")
    except (ValueError, csv.Error) as error:
        raise DataCorrupted(
            f"{where} is no manifest ({error}). It must be a CSV with the columns file and sha256."
        ) from error
    return digests


@lru_cache(maxsize=8)
def _read(path: Path, stamp: tuple[int, int]) -> dict[str, str]:
    if stamp[1] > MOST_BYTES:
        raise DataCorrupted(f"{path} is no manifest: it has {stamp[1]:,} bytes.")
    return parse_manifest(path.read_bytes(), str(path))


def folder_manifest(folder: Path) -> dict[str, str] | None:
    """Return the digests a folder's MANIFEST.csv states; None where there is none.

    Raises
    ------
    DataCorrupted
        It is damaged.
    """
    path = folder / "MANIFEST.csv"
    try:
        stat = path.stat()
    except OSError:
        return None
    return _read(path, (stat.st_mtime_ns, stat.st_size))


def address_manifest(address: str) -> dict[str, str]:
    """Return the manifest of a mirror behind an address; empty if it has none.

    A manifest is asked for once in a process; a failure is remembered for five minutes, so that
    asking for a hundred data sets waits for a dead mirror once.

    Raises
    ------
    NotServed
        The mirror does not answer, or its manifest is damaged.
    """
    known = _answers.get(address)
    if isinstance(known, dict):
        return known
    if known and time.monotonic() - known[0] < REMEMBERED:
        raise NotServed(known[1])
    try:
        raw = read_address(address + "MANIFEST.csv", MOST_BYTES)
        manifest = parse_manifest(raw, f"{address}MANIFEST.csv")
    except NotServed as error:
        if error.status in _ABSENT:
            manifest = {}
        else:
            text = f"the mirror {address} does not answer: {error}"
            _answers[address] = time.monotonic(), text
            raise NotServed(text) from error
    except DataCorrupted as error:
        _answers[address] = time.monotonic(), str(error)
        raise NotServed(str(error)) from error
    _answers[address] = manifest
    return manifest
