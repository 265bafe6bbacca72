"""One request, bounded in size, in speed and in time, whatever the server does."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

ANSWER = 20.0  # seconds for the look-up of the name, connection, redirects and headers
WINDOW = 30.0  # seconds over which the speed is measured
LEAST_SPEED = 1024  # bytes per second, in every window
PATIENCE = 600.0  # seconds that a transfer may always take ...
SLOWEST = 10_000  # ... and beyond them, one for every so many bytes received
SMALL = 10.0  # seconds for a small text, such as a manifest
MOST_REDIRECTS = 5
_PIECE = 1 << 14  # bytes read at a time; less than arrives in a window at the least speed
_TICK = 0.1  # seconds between two looks at the progress


class NotServed(Exception):
    """The address did not give the file: no such file, no connection, no answer, no end."""

    def __init__(self, text: str, status: int = 0):
        super().__init__(text)
        self.status = status  # of the answer, where one came


class TooLarge(NotServed):
    """More bytes than the file can have."""


class Stalled(NotServed):
    """Too slow, or no answer at all."""


class TooLong(NotServed):
    """Still not done after all the time that a file of its size may take."""


class _Abandoned(Exception):
    """Ends the thread of a transfer that nobody waits for any more."""


class _Transfer:
    """A request in a thread of its own, because a library may wait for ever within one call.

    `accept` is called with the answer's headers; it returns the stream to write to and the most
    bytes to take. Nothing is written after `stop`.
    """

    def __init__(self, url: str, headers: Mapping[str, str], accept: Callable):
        self.url, self.headers, self.accept = url, headers, accept
        self.received = 0
        self.expected: int | None = None
        self.error: BaseException | None = None
        self.answered, self.done = threading.Event(), threading.Event()
        self._lock, self._stopped = threading.Lock(), False

    def stop(self) -> None:
        with self._lock:
            self._stopped = True

    def run(self) -> None:
        try:
            self._run()
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()
            self.answered.set()

    def _run(self) -> None:
        import requests

        with requests.Session() as session:
            session.max_redirects = MOST_REDIRECTS
            options = {"headers": self.headers, "stream": True, "timeout": (ANSWER, WINDOW)}
            with session.get(self.url, **options) as answer:
                with self._lock:
                    if self._stopped:
                        raise _Abandoned
                    stream, most = self.accept(answer)
                self.expected = _length(answer)
                self.answered.set()
                with stream:
                    if self.expected is not None and self.expected > most:
                        raise TooLarge(f"{self.url} announces {self.expected:,} bytes")
                    for piece in answer.raw.stream(_PIECE, decode_content=False):
                        self._write(stream, piece, most)

    def _write(self, stream: BinaryIO, piece: bytes, most: int) -> None:
        with self._lock:
            if self._stopped:
                raise _Abandoned
            stream.write(piece)
            self.received += len(piece)
        if self.received > most:
            raise TooLarge(f"{self.url} sends more than {most:,} bytes, the most it can have")


def _length(answer: Any) -> int | None:
    """Bytes an answer announces; None where it does not say, or says nonsense."""
    text = answer.headers.get("Content-Length", "")
    return int(text) if text.isascii() and text.isdigit() else None


def transfer(
    url: str,
    headers: Mapping[str, str],
    accept: Callable[[Any], tuple[BinaryIO, int]],
    progress: Callable[[int, int | None], object] = lambda received, expected: None,
    patience: float | None = None,
) -> None:
    """Ask for an address and write what comes, unless it comes too slowly or without end.

    Parameters
    ----------
    url : str
    headers : dict
    accept : callable ``(answer) -> (stream, most_bytes)``
        Looks at status and headers and may raise.
    progress : callable ``(received, expected)``
        Called several times a second.
    patience : float, optional
        Seconds that it may take, `PATIENCE` by default; more only for many bytes.

    Raises
    ------
    NotServed
        `TooLarge`, `Stalled`, `TooLong`, or what `accept` raises.
    requests.RequestException, urllib3.exceptions.HTTPError, OSError
        The connection broke.
    """
    job = _Transfer(url, headers, accept)
    patience = PATIENCE if patience is None else patience
    begun = time.monotonic()
    threading.Thread(target=job.run, daemon=True, name="hlsvm-transfer").start()
    try:
        if not job.answered.wait(limit := min(ANSWER, patience)):
            raise Stalled(f"{url} did not answer within {limit:g} s")
        mark, seen = time.monotonic(), 0
        while not job.done.wait(_TICK):
            now = time.monotonic()
            progress(job.received, job.expected)
            if now - mark > WINDOW:
                if job.received - seen < LEAST_SPEED * WINDOW:
                    raise Stalled(
                        f"{url} sent {job.received - seen:,} bytes in {WINDOW:g} s: too slow"
                    )
                mark, seen = now, job.received
            if now - begun > patience + job.received / SLOWEST:
                raise TooLong(f"{url} was not done after {now - begun:.0f} s")
    finally:
        job.stop()
    progress(job.received, job.expected)
    if job.error is not None:
        raise job.error


def read_address(url: str, most_bytes: int) -> bytes:
    """Return what an address holds, at most `most_bytes`.

    Raises
    ------
    NotServed
        With the status of the answer, where one came.
    """
    import requests
    import urllib3

    class Kept(io.BytesIO):
        def close(self) -> None:  # the value is read after the transfer
            pass

    kept = Kept()

    def accept(answer: Any) -> tuple[BinaryIO, int]:
        if answer.status_code != 200:
            text = f"{url} answered {answer.status_code} {answer.reason}"
            raise NotServed(text, answer.status_code)
        if (coding := answer.headers.get("Content-Encoding", "identity")) != "identity":
            raise NotServed(f"{url} came with the encoding {coding!r}, which was not asked for")
        return kept, most_bytes

    try:
        transfer(url, {"Accept-Encoding": "identity"}, accept, patience=SMALL)
    except requests.ConnectionError:
        raise NotServed(f"no connection to {urllib3.util.parse_url(url).host}") from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        raise NotServed(f"{url}: {error}") from error
    return kept.getvalue()
