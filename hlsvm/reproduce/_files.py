"""Files that appear whole or not at all, claims that die with their holder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_SKIPPED = {"__pycache__", ".ipynb_checkpoints", "cache"}


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or all of the new, never a part."""
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def write_json(path: Path, content: Any) -> None:
    """Write JSON whole."""
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read JSON; None where the file is missing or is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


@contextlib.contextmanager
def claim(path: Path) -> Iterator[bool]:
    """Hold `path` as a lock: True for the one who holds it, False for everyone else meanwhile.

    The operating system drops the lock when its holder ends, however it ends, so nothing is left
    locked by a process that was killed. The empty file stays: removing it would let two hold it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as file:
        yield _lock(file)


def _lock(file: Any) -> bool:
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def digest(*parts: Any) -> str:
    """SHA-256 of JSON-able parts, independent of the order of keys."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def tree_digest(folder: Path, suffixes: Iterable[str], skip: Iterable[str] = ()) -> str:
    """SHA-256 over names and contents of the files below `folder` with one of `suffixes`."""
    skipped = _SKIPPED | set(skip)
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix in suffixes and not skipped.intersection(inside.parts) and path.is_file():
            total.update(inside.as_posix().encode() + b"\0")
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
