"""Folders of files and what their digests should be."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hlsvm.datasets._dataset import DataCorrupted, DataUnavailable

_ROOT = Path(__file__).resolve().parents[2]


def data_folder() -> Path:
    """Folder for downloads: ``HLSVM_DATA``, else ``data/cache`` of the repository.

    An installed wheel, which has no repository round it, uses the user's cache folder.
    """
    if given := os.environ.get("HLSVM_DATA"):
        return Path(given).expanduser()
    if (_ROOT / "data" / "catalogue.csv").is_file() and (_ROOT / "pyproject.toml").is_file():
        return _ROOT / "data" / "cache"
    import pooch

    return Path(pooch.os_cache("hlsvm"))


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def parse_manifest(text: str) -> dict[str, str]:
    """Read a mirror's MANIFEST.csv: file name -> SHA-256."""
    rows = csv.DictReader(io.StringIO(text))
    return {row["file"]: row["sha256"].strip().lower() for row in rows}


@lru_cache(maxsize=8)
def _manifest(path: Path, stamp: tuple[int, int]) -> dict[str, str]:
    return parse_manifest(path.read_text(encoding="utf-8"))


def manifest(folder: Path) -> dict[str, str] | None:
    """Give the digests a folder's MANIFEST.csv states; None where there is none."""
    path = folder / "MANIFEST.csv"
    try:
        stat = path.stat()
    except OSError:
        return None
    return _manifest(path, (stat.st_mtime_ns, stat.st_size))


def write_whole(path: Path, text: str) -> None:
    """Write a small file so that it appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def lock_path(name: str) -> Path:
    """Lock file of a data file: its digest when it was first accepted (`sha256sum -c` reads it)."""
    return data_folder() / f"{name}.sha256"


def recorded(name: str) -> str | None:
    """Give the digest recorded when a file was first accepted; None before that."""
    try:
        return lock_path(name).read_text(encoding="utf-8").split()[0].lower()
    except (OSError, IndexError):
        return None


def record(name: str, digest: str) -> None:
    """Record the digest of a file that was accepted without one being known."""
    with contextlib.suppress(PermissionError):  # a data folder may be shared and read-only
        write_whole(lock_path(name), f"{digest}  {name}\n")


@dataclass(frozen=True)
class Found:
    """A file on disk, not yet checked."""

    path: Path
    known: str  # digest of the registry or the manifest; "" if neither has it
    origin: str  # which of them

    def expected(self) -> tuple[str | None, str]:
        """Digest it must have (None: any, this first time) and who says so."""
        if self.known:
            return self.known, self.origin
        return recorded(self.path.name), f"the lock file {lock_path(self.path.name)}"

    def check(self) -> Path:
        """Raise unless the file has its digest; record it where none is known.

        Raises
        ------
        DataCorrupted
            With both digests and the way to mend it.
        """
        expected, origin = self.expected()
        found = sha256(self.path)
        if expected is None:
            record(self.path.name, found)
        elif found != expected.lower():
            raise DataCorrupted(mismatch(str(self.path), expected, found, origin))
        return self.path


def mismatch(what: str, expected: str, found: str, origin: str) -> str:
    """Word the refusal of a file whose digest is wrong."""
    mend = "Delete the file and fetch it again"
    if origin.startswith("the lock file"):
        mend += ", or delete the lock file if the file was changed on purpose"
    return (
        f"{what} is refused: its SHA-256 is not the one stated by {origin}.\n"
        f"  expected {expected}\n  found    {found}\n{mend} (hlsvm data fetch NAME)."
    )


def in_folder(folder: Path, name: str, known: str) -> Found | None:
    """Look for a file in a folder. `known` is the registry's digest, or "".

    Raises
    ------
    DataCorrupted
        The folder's manifest does not list the file and nobody else knows its digest.
    """
    path = folder / name
    if not path.is_file():
        return None
    if known:
        return Found(path, known, "the registry")
    stated = manifest(folder)
    if stated and name in stated:
        return Found(path, stated[name], f"{folder / 'MANIFEST.csv'}")
    if stated is not None and folder != data_folder() and name.endswith(".npz"):
        raise DataCorrupted(f"{path} is refused: {folder / 'MANIFEST.csv'} does not list it.")
    return Found(path, "", "")


def mirror_address() -> str | Path | None:
    """``HLSVM_MIRROR``: an http address (ending in /), a folder, or None.

    Raises
    ------
    DataUnavailable
        It is set to a folder that does not exist.
    """
    given = os.environ.get("HLSVM_MIRROR", "").strip()
    if not given:
        return None
    if given.startswith(("http://", "https://")):
        return given.rstrip("/") + "/"
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise DataUnavailable(
            f"HLSVM_MIRROR is {given!r}, which is neither a folder nor an http address. "
            f"Set it to one that holds the data, or unset it."
        )
    return folder
