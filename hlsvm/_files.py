"""Files that appear whole or not at all, alone or together; locks and digests of files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

# Files that belong together are written to a folder "*.stage", which is renamed to "*.ready" (the
# step that decides) before they are moved; who comes next finishes what a killed process left.
_STAGE, _READY = ".stage", ".ready"


def write_whole(path: Path, content: str | bytes | Callable[[BinaryIO], object]) -> None:
    """Write a file so that a reader sees the old content or all of the new, never a part.

    Parameters
    ----------
    path : Path
        Its folder is made if it is missing. The permissions of an older file stay.
    content : str, bytes or callable
        Text (written as UTF-8), bytes, or a function that writes to the binary stream it is given.

    Raises
    ------
    OSError
        The folder cannot be written to, or the disk is full; ``filename`` is `path`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> write_whole(path, "1 2 3")
    >>> path.read_text()
    '1 2 3'
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    with _named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                data(stream) if callable(data) else stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Give an OSError without a file name (a full disk) the name of the file."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = os.fspath(path)
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
def claim(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold `path` as a lock: True for the one who holds it, False for everyone else meanwhile.

    The operating system drops the lock when its holder ends, however it ends, so nothing is left
    locked by a process that was killed. The empty file stays: removing it would let two hold it.

    Parameters
    ----------
    path : Path
    wait : bool
        Wait until the other holder is done instead of answering False.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        yield _lock(stream, wait)


def _lock(stream: BinaryIO, wait: bool) -> bool:
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        else:
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _alive(pid: str) -> bool:
    if not pid.isdigit():
        return False
    if os.name != "posix":
        return int(pid) == os.getpid()
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _move_all(ready: Path, folder: Path) -> None:
    for path in sorted(ready.iterdir()):
        with contextlib.suppress(FileNotFoundError):  # another process is finishing the same folder
            os.replace(path, folder / path.name)
    with contextlib.suppress(OSError):
        ready.rmdir()


def settle(folder: Path) -> None:
    """Finish or drop what a killed process left in `folder`."""
    if not folder.is_dir():
        return
    for left in sorted(folder.glob(f".*{_READY}")):
        with contextlib.suppress(FileNotFoundError):
            _move_all(left, folder)
    for left in folder.glob(f".*{_STAGE}"):
        if not _alive(left.name.split(".")[-2]):
            shutil.rmtree(left, ignore_errors=True)


def write_together(folder: Path, writers: Mapping[str, Callable[[Path], object]]) -> None:
    """Write several files into `folder` so that all of them appear or none.

    Parameters
    ----------
    folder : Path
        Made if it is missing.
    writers : dict of str to callable
        File name -> function that writes the file at the path it is given, called in order. The
        folder of that path holds the files written before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settle(folder)
    name = Path(next(iter(writers))).stem
    stage = folder / f".{name}.{os.getpid()}{_STAGE}"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    try:
        for file_name, write in writers.items():
            write(stage / file_name)
            with (stage / file_name).open("rb") as file:
                os.fsync(file.fileno())
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    ready = stage.with_suffix(_READY)
    os.replace(stage, ready)
    _move_all(ready, folder)
