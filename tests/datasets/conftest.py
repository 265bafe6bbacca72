"""Data sets of a few bytes, a server on loopback that can fail, and no way out of either."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hlsvm.datasets import _download, _manifest
from hlsvm.datasets.registry import Entry, registry


@pytest.fixture(autouse=True)
def data_folder(request, monkeypatch, tmp_path):
    """An empty data folder; no mirror, no pause between attempts."""
    folder = tmp_path / "data"
    monkeypatch.setenv("HLSVM_DATA", str(folder))
    monkeypatch.setattr(_download, "PAUSE", 0.0)
    if not request.node.get_closest_marker("mirror"):
        monkeypatch.delenv("HLSVM_MIRROR", raising=False)
    _manifest._answers.clear()
    return folder


@pytest.fixture
def enter(monkeypatch):
    """Put an entry into the registry for one test."""

    def put(name="toy", **keys):
        entry = Entry(name=name, title=f"the set {name}", **keys)
        monkeypatch.setitem(registry(), name, entry)
        return entry

    return put


@pytest.fixture
def digest():
    return lambda data: hashlib.sha256(data).hexdigest()


class Server:
    """Serves `files` (path -> bytes); `cut` ends an answer early, once for each number in it."""

    def __init__(self):
        self.files, self.cut, self.asked = {}, [], []
        self.validators = True
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}/"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, handler):
        data = self.files.get(handler.path)
        self.asked.append((handler.path, handler.headers.get("Range")))
        if data is None:
            handler.send_error(404)
            return
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        start = 0
        asked = handler.headers.get("Range", "")
        if asked and handler.headers.get("If-Range") == tag:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            if start >= len(data):
                handler.send_error(416)
                return
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        else:
            handler.send_response(200)
        rest = data[start:]
        if self.validators:
            handler.send_header("ETag", tag)
        handler.send_header("Content-Length", str(len(rest)))
        handler.end_headers()
        if self.cut:
            rest = rest[: self.cut.pop(0)]
        handler.wfile.write(rest)
        handler.close_connection = True


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("HLSVM_OFFLINE", raising=False)
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()
