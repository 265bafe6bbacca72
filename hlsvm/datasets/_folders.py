"""The data folder, the mirror, and the digest every file in them must have."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from hlsvm._files import sha256, write_whole
from hlsvm.datasets._dataset import DataCorrupted, DataUnavailable
from hlsvm.datasets._manifest import folder_manifest

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


def lock_path(name: str) -> Path:
    """Lock file of a data file: its digest when it was first accepted (`sha256sum -c` reads it)."""
    return data_folder() / f"{name}.sha256"


def recorded(name: str) -> str | None:
    """Return the digest recorded when a file was first accepted; None before that."""
    try:
        return lock_path(name).read_text(encoding="utf-8").split()[0].lower()
    except (OSError, IndexError, UnicodeDecodeError):
        return None


def record(name: str, digest: str) -> None:
    """Record the digest of a file that was accepted."""
    with contextlib.suppress(PermissionError):  # a data folder may be shared and read-only
        write_whole(lock_path(name), f"{digest}  {name}\n")


@dataclass(frozen=True)
class DataFile:
    """A file on disk, not yet checked."""

    path: Path
    known: str  # digest of the registry or the manifest; "" if neither has it
    origin: str  # which of them

    def expected(self) -> tuple[str | None, str]:
        """Digest it must have (None: any, this first time) and who states it."""
        if self.known:
            return self.known, self.origin
        return recorded(self.path.name), f"the lock file {lock_path(self.path.name)}"

    def check(self) -> Path:
        """Raise unless the file has its digest.

        Raises
        ------
        DataCorrupted
            With both digests and the way to mend it.
        """
        expected, origin = self.expected()
        if expected is not None and (actual := sha256(self.path)) != expected.lower():
            raise DataCorrupted(mismatch(str(self.path), expected, actual, origin))
        return self.path

    def pin(self) -> None:
        """Record the digest where none is known: from now on the file must have it."""
        if self.expected()[0] is None:
            record(self.path.name, sha256(self.path))


def mismatch(what: str, expected: str, actual: str, origin: str) -> str:
    """Word the refusal of a file whose digest is wrong."""
    mend = "Delete the file and fetch it again"
    if origin.startswith("the lock file"):
        mend += ", or delete the lock file if the file was changed on purpose"
    return (
        f"{what} is refused: its SHA-256 is not the one stated by {origin}.\n"
        f"  expected {expected}\n  found    {actual}\n{mend} (hlsvm data fetch NAME)."
    )


def in_folder(folder: Path, name: str, known: str) -> DataFile | None:
    """Look for a file in a folder. `known` is the registry's digest, or "".

    Raises
    ------
    DataCorrupted
        The folder's manifest is damaged, or does not list the file, and nobody else knows its
        digest.
    """
    path = folder / name
    if not path.is_file():
        return None
    if known:
        return DataFile(path, known, "the registry")
    stated = folder_manifest(folder)
    if stated and name in stated:
        return DataFile(path, stated[name], f"{folder / 'MANIFEST.csv'}")
    if stated is not None and folder != data_folder() and name.endswith(".npz"):
        raise DataCorrupted(f"{path} is refused: {folder / 'MANIFEST.csv'} does not list it.")
    return DataFile(path, "", "")
