"""Where a data set is: the data folder, the mirror, the official address."""

from __future__ import annotations

import csv
import hashlib
import os
from functools import lru_cache
from pathlib import Path

from hlsvm.datasets._dataset import DataCorrupted, DataUnavailable
from hlsvm.datasets._npz import read_npz
from hlsvm.datasets._raw import Raw, check_shape, clean
from hlsvm.datasets._registry import Entry, find


def _digest(path):
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache
def _manifest(folder):
    with (folder / "MANIFEST.csv").open(encoding="utf-8") as stream:
        return {row["file"]: row["sha256"] for row in csv.DictReader(stream)}


def obtain(entry: Entry, *, download=True, sample=True) -> tuple[Raw, str, str]:
    mirror = os.environ.get("HLSVM_MIRROR", "")
    folder = Path(mirror) if mirror else None
    if folder and entry.mirror and (folder / entry.mirror).exists():
        path = folder / entry.mirror
        expected, found = _manifest(folder).get(entry.mirror), _digest(path)
        if expected != found:
            raise DataCorrupted(f"{path}: expected {expected}, found {found}")
        raw = clean(read_npz(path, entry), entry)
        check_shape(raw, entry, str(path))
        return raw, f"mirror, {entry.mirror}", entry.note
    if sample and entry.stand_in:
        other = find(entry.stand_in)
        return obtain(other, download=download)
    raise DataUnavailable(f"{entry.name}: not at hand")
