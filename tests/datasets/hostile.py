"""A mirror on loopback that lies, hangs, drips and never ends, one mode at a time."""

import contextlib
import gzip
import io
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np


def npz(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


X, Y = np.arange(6, dtype=np.uint8).reshape(3, 2), np.array([1, -1, 1], np.int8)
GOOD = npz(X=X, y=Y)


class Executed(Exception):
    """Raised by a pickle that was opened."""


class _Trap:
    def __reduce__(self):
        return _fail, ()


def _fail():
    raise Executed


def declared(shape):
    """An .npz whose array states this shape and holds 64 bytes."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape!r}, }}".ljust(117) + "\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        array = b"\x93NUMPY\x01\x00\x76\x00" + header.encode() + bytes(64)
        archive.writestr("X.npy", array)
        archive.writestr("y.npy", array)
    return out.getvalue()


def bomb(megabytes):
    """A small .npz that becomes large."""
    out = io.BytesIO()
    np.savez_compressed(out, X=np.zeros((megabytes << 17, 1)), y=Y)
    return out.getvalue()


# What a mode serves in the place of the file, with the digest of the manifest fitting it.
BODIES = {
    "NaN in a column": lambda: npz(X=np.array([[1, np.nan], [2, 3], [4, 5]]), y=Y),
    "infinity in a label": lambda: npz(X=X, y=np.array([1, np.inf, 1])),
    "a pickle": lambda: npz(X=np.array([_Trap()], dtype=object), y=Y),
    "labels too few": lambda: npz(X=X, y=Y[:2]),
    "another shape": lambda: npz(X=X[:, :1], y=Y),
    "text for numbers": lambda: npz(X=np.array([["a", "b"]] * 3), y=Y),
    "a shape of terabytes": lambda: declared((10**13,)),
    "a bomb": lambda: bomb(80),
    "an empty file": lambda: b"",
    "html": lambda: b"<html>log in to the network</html>",
}
# Modes that keep the manifest right and fail on the file itself.
FILE = {
    "wrong bytes": lambda h: h.send(GOOD[:-1] + b"!"),
    "cut short": lambda h: h.send(GOOD[:100], length=len(GOOD)),
    "shorter than it says": lambda h: h.send(GOOD[:100]),
    "announces a petabyte": lambda h: h.send(GOOD, length=10**15),
    "a length that is no number": lambda h: h.send(GOOD[:50], length="many"),
    "an error on the file": lambda h: h.send_error(500),
    "redirects without end": lambda h: h.redirect(),
    "redirects to a local file": lambda h: h.redirect("file:///etc/passwd"),
    "compresses what was not asked": lambda h: h.send(
        gzip.compress(GOOD), **{"Content-Encoding": "gzip"}
    ),
    "closes at once": lambda h: None,
    "a part that was not asked for": lambda h: h.send(
        GOOD[9:], status=206, **{"Content-Range": f"bytes 9-{len(GOOD) - 1}/{len(GOOD)}"}
    ),
    "hangs on the file": lambda h: h.wait(),
    "drips the headers": lambda h: h.drip(b"HTTP/1.0 200 OK\r\nX-Slow: "),
    "drips the file": lambda h: (h.head(200), h.drip()),
    "drips the length of a chunk": lambda h: (
        h.head(200, **{"Transfer-Encoding": "chunked"}), h.drip(digits=True),
    ),
    "a file without end": lambda h: (h.head(200), h.pour()),
}  # fmt: skip
# Modes of the manifest, or of everything.
MANIFEST = {
    "an error on everything": lambda h: h.send_error(500),
    "a manifest that hangs": lambda h: h.wait(),
    "a manifest that drips": lambda h: (h.head(200), h.drip()),
    "a manifest without end": lambda h: (h.head(200), h.pour()),
    "a manifest of 600 MB": lambda h: h.send(b"", length=600 << 20),
    "a compressed manifest that explodes": lambda h: h.send(
        gzip.compress(bytes(64 << 20)), **{"Content-Encoding": "gzip"}
    ),
    "a manifest without the column sha256": lambda h: h.send(b"name,file\ntoy,toy.npz\n"),
    "a manifest that is no text": lambda h: h.send(b"\xff\xfe\x00file,sha256\n"),
    "a manifest with NUL": lambda h: h.send(b"file,sha256\ntoy.npz,\0\n"),
    "a manifest of html": lambda h: h.send(b"<html>log in</html>"),
    "a manifest with a digest that is none": lambda h: h.send(b"file,sha256\ntoy.npz,1234\n"),
    "a manifest that loops": lambda h: h.redirect(),
}  # fmt: skip
# Harmless: the file is served nevertheless.
SERVED = {
    "a manifest that names ../../etc/passwd": "../../../../etc/passwd",
    "a manifest with ten thousand more names": "\n".join(f"f{k},{k:064x}" for k in range(10_000)),
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.mirror.asked.append(self.path)
        with contextlib.suppress(OSError):  # the other side has hung up
            self.server.mirror.answer(self)
        self.close_connection = True

    def log_message(self, *_):
        pass

    def head(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def send(self, body, status=200, length=None, **headers):
        size = len(body) if length is None else length
        self.head(status, **{"Content-Length": size}, **headers)
        self.wfile.write(body)

    def redirect(self, to=None):
        self.head(302, Location=to or self.path, **{"Content-Length": 0})

    def wait(self):
        self.server.mirror.closing.wait(60)

    def drip(self, start=b"", digits=False):
        self.wfile.write(start)
        while not self.server.mirror.closing.wait(0.02):
            self.wfile.write(b"0" if digits else b"x")

    def pour(self):
        end = time.monotonic() + 60
        while not self.server.mirror.closing.is_set() and time.monotonic() < end:
            self.wfile.write(bytes(1 << 16))


class HostileMirror:
    """Serves toy.npz and MANIFEST.csv in one of the modes."""

    def __init__(self, digest):
        self.digest, self.asked, self.mode = digest, [], ""
        self.closing = threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.http.daemon_threads, self.http.block_on_close = True, False
        self.http.mirror = self
        self.address = f"http://127.0.0.1:{self.http.server_port}/"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def mode(self):
        return self._mode

    @mode.setter
    def mode(self, mode):
        self._mode, self.body = mode, BODIES.get(mode, lambda: GOOD)()

    def close(self):
        self.closing.set()
        self.http.shutdown()
        self.http.server_close()

    def answer(self, handler):
        if self.mode in MANIFEST:
            return MANIFEST[self.mode](handler)
        body = self.body
        if handler.path == "/MANIFEST.csv":
            more = SERVED.get(self.mode, "")
            more += "" if "," in more or not more else "," + "0" * 64
            return handler.send(f"file,sha256\ntoy.npz,{self.digest(body)}\n{more}\n".encode())
        if handler.path != "/toy.npz":
            return handler.send_error(404)
        return FILE[self.mode](handler) if self.mode in FILE else handler.send(body)
