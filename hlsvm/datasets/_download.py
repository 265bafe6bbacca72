"""Downloads: checked before they appear, gone on with where they stopped."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from hlsvm.datasets._dataset import DataCorrupted
from hlsvm.datasets._store import mismatch, record, recorded, sha256, write_whole

try:
    import fcntl
except ImportError:  # no such module outside Unix: two processes may fetch the same file twice
    fcntl = None

ATTEMPTS = 4
PAUSE = 1.0  # seconds before the second attempt, doubled each time
TIMEOUT = (10, 60)  # seconds to connect, and between two pieces
_PIECE = 1 << 18


class NotServed(Exception):
    """The address did not give the file: no such file, no connection, no answer."""


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as stream:
        if fcntl:
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _resume_header(part: Path, state: Path, url: str) -> dict[str, str]:
    """Ask for the rest of a file that was begun, if it is surely the same file."""
    headers = {"Accept-Encoding": "identity"}
    try:
        known = json.loads(state.read_text(encoding="utf-8"))
        size = part.stat().st_size
    except (OSError, ValueError):
        return headers
    if size and known.get("url") == url and known.get("validator"):
        headers |= {"Range": f"bytes={size}-", "If-Range": known["validator"]}
    return headers


def _attempt(session, url: str, part: Path, state: Path) -> bool:
    """Get a file, or the rest of it, into `part`; True when it is whole."""
    from tqdm.auto import tqdm

    headers = _resume_header(part, state, url)
    with session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
        if answer.status_code == 416:  # what we hold is longer than the file: begin anew
            part.unlink()
            return False
        if answer.status_code not in (200, 206):
            raise NotServed(f"{url} answered {answer.status_code} {answer.reason}")
        goes_on = answer.status_code == 206
        held = part.stat().st_size if goes_on else 0
        if not goes_on:
            marks = answer.headers
            strong = marks.get("ETag", "") if not marks.get("ETag", "W/").startswith("W/") else ""
            validator = strong or marks.get("Last-Modified", "")
            write_whole(state, json.dumps({"url": url, "validator": validator}))
        length = answer.headers.get("Content-Length")
        total = held + int(length) if length else None
        bar = {"total": total, "initial": held, "unit": "B", "unit_scale": True, "leave": False}
        with part.open("ab" if goes_on else "wb") as out, tqdm(desc=part.stem, **bar) as progress:
            for piece in answer.raw.stream(_PIECE, decode_content=False):
                out.write(piece)
                progress.update(len(piece))
        return total is None or part.stat().st_size == total


def _get(url: str, part: Path) -> None:
    """Get a whole file into `part`, over several attempts, each going on where the last stopped."""
    import requests
    import urllib3

    state = part.with_name(part.name + ".json")
    trouble: Exception | None = None
    with requests.Session() as session:
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE * 2 ** (attempt - 1))
            try:
                if _attempt(session, url, part, state):
                    state.unlink(missing_ok=True)
                    return
                trouble = trouble or NotServed(f"{url} ended too early")
            except requests.ConnectionError as error:
                trouble = error
                if not part.exists():  # nobody there: no use in trying again and again
                    raise NotServed(
                        f"no connection to {urllib3.util.parse_url(url).host}"
                    ) from None
            except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
                trouble = error
    raise NotServed(f"{url}: {trouble}")


def download(url: str, target: Path, known: str = "", origin: str = "the registry") -> Path:
    """Download a file to `target`, which appears whole and checked or not at all.

    Parameters
    ----------
    url : str
        Address of the file.
    target : Path
        Where it goes. If it is there already, nothing is done.
    known : str
        Its SHA-256; "" accepts what comes, the first time, and records it.
    origin : str
        Who states the digest.

    Raises
    ------
    NotServed
        The address did not give it. What came stays in ``<target>.part`` to go on from.
    DataCorrupted
        The digest is wrong. Nothing is kept.
    """
    import pooch

    pooch.get_logger().setLevel("WARNING")

    def downloader(address: str, output: str, _: object) -> None:
        part = target.with_name(target.name + ".part")
        _get(address, part)
        found = sha256(part)
        expected = known or recorded(target.name)
        if expected and found != expected.lower():
            part.unlink()
            who = origin if known else "the lock file of an earlier download"
            raise DataCorrupted(mismatch(f"{url}", expected, found, who))
        record(target.name, found)
        os.replace(part, output)

    with _one_at_a_time(target.parent):
        if not target.exists():  # another process may have fetched it while this one waited
            pooch.retrieve(
                url, known_hash=f"sha256:{known}" if known else None, fname=target.name,
                path=target.parent, downloader=downloader,
            )  # fmt: skip
    return target
