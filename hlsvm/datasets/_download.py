"""Downloads: checked before they appear, resumed where they stopped."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from pathlib import Path
from typing import Any, BinaryIO

from hlsvm._files import claim, sha256, write_whole
from hlsvm.datasets._dataset import DataCorrupted
from hlsvm.datasets._folders import mismatch, record, recorded
from hlsvm.datasets._transfer import NotServed, Stalled, TooLarge, transfer

ATTEMPTS = 4
PAUSE = 1.0  # seconds before the second attempt, doubled each time
MOST_BYTES = 1 << 36
# Empty files of other programmes' downloads, and texts that a killed process was writing.
_LEFT = re.compile(r"tmp[a-z0-9_]{8}|\..*\.(sha256|json)\.[a-z0-9_]{8}")
_AN_HOUR = 3600


def _clear(folder: Path) -> None:
    """Remove what killed processes left; parts of downloads stay to be resumed."""
    for path in folder.iterdir():
        if _LEFT.fullmatch(path.name):
            with contextlib.suppress(OSError):
                stat = path.stat()
                empty = path.name.startswith("tmp") and stat.st_size == 0
                hidden = path.name.startswith(".") and stat.st_mtime < time.time() - _AN_HOUR
                if empty or hidden:
                    path.unlink()


def _resume_header(part: Path, state: Path, url: str) -> dict[str, str]:
    """Ask for the rest of a file that was begun, if it is surely the same file."""
    headers = {"Accept-Encoding": "identity"}
    try:
        known = json.loads(state.read_text(encoding="utf-8"))
        size = part.stat().st_size
        if size and known["url"] == url and known["validator"]:
            headers |= {"Range": f"bytes={size}-", "If-Range": known["validator"]}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return headers


class _Begin:
    """Looks at an answer and opens the part it goes to."""

    def __init__(self, url: str, part: Path, state: Path, most_bytes: int):
        self.url, self.part, self.state, self.most_bytes = url, part, state, most_bytes
        self.headers = _resume_header(part, state, url)
        self.held = 0
        self.again = False

    def __call__(self, answer: Any) -> tuple[BinaryIO, int]:
        begun = int(self.headers.get("Range", "bytes=0-")[6:-1])
        expected = answer.headers.get("Content-Range", "").startswith(f"bytes {begun}-")
        if answer.status_code == 416 or (answer.status_code == 206 and not (begun and expected)):
            self.again = True  # the part is longer than the file, or not its beginning
            self.part.unlink(missing_ok=True)
        if answer.status_code not in (200, 206) or self.again:
            text = f"{self.url} answered {answer.status_code} {answer.reason}"
            raise NotServed(text, answer.status_code)
        if answer.status_code == 206:
            self.held = begun
        else:
            tag = answer.headers.get("ETag", "W/")
            validator = answer.headers.get("Last-Modified", "") if tag.startswith("W/") else tag
            write_whole(self.state, json.dumps({"url": self.url, "validator": validator}))
        # Without a buffer: nothing is written after a transfer was given up.
        stream = self.part.open("ab" if self.held else "wb", buffering=0)
        return stream, self.most_bytes - self.held


def _attempt(begin: _Begin) -> None:
    """Transfer a file, or the rest of it, into its part."""
    from tqdm.auto import tqdm

    with tqdm(desc=begin.part.stem, unit="B", unit_scale=True, leave=False) as bar:

        def progress(received: int, expected: int | None) -> None:
            bar.total = None if expected is None else begin.held + expected
            bar.update(begin.held + received - bar.n)

        transfer(begin.url, begin.headers, begin, progress)


def _get(url: str, part: Path, most_bytes: int) -> None:
    """Bring a whole file into `part`, over several attempts, each resuming the last."""
    import requests
    import urllib3

    state = part.with_name(part.name + ".json")
    trouble: Exception | None = None
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        begin = _Begin(url, part, state, most_bytes)
        before = part.stat().st_size if part.exists() else 0
        try:
            _attempt(begin)
        except TooLarge:
            part.unlink(missing_ok=True)
            raise
        except Stalled as error:
            trouble = error
            if not part.exists() or part.stat().st_size <= before:
                raise
        except NotServed as error:
            trouble = error
            if not begin.again:
                raise
        except requests.ConnectionError as error:
            trouble = error
            if not part.exists():  # nobody there: no use in trying again and again
                host = urllib3.util.parse_url(url).host
                raise NotServed(f"no connection to {host}") from None
        except (urllib3.exceptions.HTTPError, requests.exceptions.ChunkedEncodingError) as error:
            trouble = error
        except requests.RequestException as error:
            raise NotServed(f"{url}: {error}") from error
        except OSError as error:
            raise NotServed(f"{part} cannot be written: {error}") from error
        else:
            state.unlink(missing_ok=True)
            return
    raise NotServed(f"{url}: {trouble}")


def download(
    url: str,
    target: Path,
    known: str = "",
    origin: str = "the registry",
    most_bytes: int = MOST_BYTES,
) -> Path:
    """Download a file to `target`, which appears whole and checked or not at all.

    Parameters
    ----------
    url : str
        Address of the file.
    target : Path
        Where it goes. If it is there already, nothing is done.
    known : str
        Its SHA-256, recorded beside it; "" takes the digest recorded by an earlier download, and
        without one accepts what comes.
    origin : str
        Who states the digest.
    most_bytes : int
        A larger file is refused.

    Raises
    ------
    NotServed
        The address did not give it. What came stays in ``<target>.part`` to be resumed.
    DataCorrupted
        The digest is wrong. Nothing is kept.
    """
    part = target.with_name(target.name + ".part")
    with claim(target.parent / ".lock", wait=True):
        _clear(target.parent)
        expected = (known or recorded(target.name) or "").lower()
        if not known:
            origin = "the lock file of an earlier download"
        while not target.exists():  # another process may have fetched it while this one waited
            resumed = part.exists()
            _get(url, part, most_bytes)
            actual = sha256(part)
            if not expected or actual == expected:
                if expected:
                    record(target.name, actual)
                os.replace(part, target)
            else:
                part.unlink()
                if not resumed:  # a part may have been damaged: once more from the start
                    raise DataCorrupted(mismatch(url, expected, actual, origin))
    return target
