"""Files that belong together appear together: all of them or none, whatever kills the process.

The files are written to a hidden folder beside their place, that folder is renamed to ``*.ready``
(the one step that decides), and only then are they moved. Whoever writes or reads there next first
finishes what a killed process left: a ready folder is moved on, an unfinished one is dropped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

_STAGE, _READY = ".stage", ".ready"


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
        with suppress(FileNotFoundError):  # another process is finishing the same folder
            os.replace(path, folder / path.name)
    with suppress(OSError):
        ready.rmdir()


def settle(folder: Path) -> None:
    """Finish or drop what a killed process left in `folder`."""
    if not folder.is_dir():
        return
    for left in sorted(folder.glob(f".*{_READY}")):
        with suppress(FileNotFoundError):
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
