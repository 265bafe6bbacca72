"""Kill a command again and again while it is at work, let it finish, and count what went wrong."""

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import numpy as np

_LONGEST = 120  # seconds to wait for work to begin
_KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def write_notebook(path, *cells):
    """Write a notebook whose first cell holds the parameters."""
    code = [nbformat.v4.new_code_cell(source) for source in cells]
    code[0].metadata["tags"] = ["parameters"]
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.v4.new_notebook(cells=code, metadata={"kernelspec": _KERNEL})
    nbformat.write(notebook, path)


@dataclass
class Case:
    """A command, how its pieces of work are seen to begin, and what it has finished."""

    folder: Path
    command: list[str]
    begun: callable  # -> list of the names of pieces that have begun, in order
    finished: callable  # -> {name: bytes}
    right: callable  # -> names whose final result is right
    pieces: list[str]
    seconds: float  # work goes on for longer than this after a piece has begun
    environment: dict = field(default_factory=dict)

    def start(self):
        """Start the command in a session of its own."""
        return subprocess.Popen(
            self.command,
            cwd=self.folder,
            env={**os.environ, **self.environment},
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _strike(case, chance):
    """Start, wait until a piece has begun now, then a moment more, and kill; say if it struck."""
    before = len(case.begun())
    process = case.start()
    end = time.monotonic() + _LONGEST
    while len(case.begun()) == before and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, case.seconds))
    struck = process.poll() is None
    if struck:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return struck


def count(case, kills, chance):
    """Kill `kills` times during work and finish; return kills, lost, doubled and changed."""
    struck = doubled = changed = 0
    while struck < kills:
        kept, before = case.finished(), len(case.begun())
        hit = _strike(case, chance)
        struck += hit
        now = case.finished()
        changed += sum(now.get(name) != content for name, content in kept.items())
        doubled += sum(name in kept for name in case.begun()[before:])
        if not hit:
            break  # nothing is left to do
    kept, before = case.finished(), len(case.begun())
    subprocess.run(
        case.command,
        cwd=case.folder,
        env={**os.environ, **case.environment},
        check=True,
        capture_output=True,
    )
    doubled += sum(name in kept for name in case.begun()[before:])
    lost = len(set(case.pieces) - set(case.right()))
    return {"kills": struck, "lost": lost, "doubled": doubled, "changed": changed}


def _log(folder):
    path = folder / "log.txt"
    path.touch()
    return path, lambda: path.read_text().split()


def sweep_case(folder, pieces):
    """Return a sweep of so many runs."""
    path, begun = _log(folder)
    mark = f"with open({str(path)!r}, 'a') as file:\n    file.write(f'{{seed}}\\n')"
    work = "import time\ntime.sleep(0.2)"
    last = "from hlsvm.reproduce import sweep\nsweep.result({'square': seed**2})"
    write_notebook(folder / "run.ipynb", "seed: int = 0", mark, work, last)
    (folder / "grid.yml").write_text(f"seed: {list(range(pieces))}\n")
    records = folder / "out" / "runs"

    def finished():
        contents = [path.read_bytes() for path in records.glob("*.json")]
        return {str(json.loads(text)["parameters"]["seed"]): text for text in contents}

    def right():
        answers = {name: json.loads(text) for name, text in finished().items()}
        return [n for n, one in answers.items() if one["rows"] == [{"square": int(n) ** 2}]]

    command = [sys.executable, "-m", "hlsvm", "sweep", "run.ipynb", "grid.yml"]
    command += ["--out", str(folder / "out"), "--n-jobs", "2"]
    return Case(folder, command, begun, finished, right, [str(n) for n in range(pieces)], 0.5)


def run_case(folder, pieces):
    """Return a run of so many notebooks, resumed."""
    (folder / "data" / "published").mkdir(parents=True)
    (folder / "data" / "catalogue.csv").write_text("id\n")
    path, begun = _log(folder)
    names = [f"n{number:03d}" for number in range(pieces)]
    for name in names:
        mark = f"with open({str(path)!r}, 'a') as file:\n    file.write('{name}\\n')"
        work = "import time\ntime.sleep(0.2)"
        write_notebook(folder / "notebooks" / f"{name}.ipynb", "seed: int = 0", mark, work, "6 * 7")
    out = folder / "out" / "quick" / "notebooks"

    def finished():
        states = out.glob("n*.json")
        return {path.stem: path.with_suffix(".ipynb").read_bytes() for path in states}

    def right():
        return [name for name, content in finished().items() if b'"42"' in content]

    command = [sys.executable, "-m", "hlsvm", "run", "--resume", "--n-jobs", "2"]
    where = {"HLSVM_ROOT": str(folder)}
    return Case(folder, command, begun, finished, right, names, 0.5, where)


class _Slow(SimpleHTTPRequestHandler):
    """Serves files in small pieces, so that a kill falls into a transfer."""

    asked: list

    def copyfile(self, source, outputfile):
        self.asked.append(Path(self.path).stem)  # the manifest is asked for as well
        with contextlib.suppress(ConnectionError):  # the reader was killed
            while piece := source.read(4096):
                outputfile.write(piece)
                time.sleep(0.005)

    def log_message(self, *_):
        """Say nothing."""


def _make_mirror(folder, names):
    """Write a mirror of files of random bytes with their digests, as large as small data sets."""
    folder.mkdir()
    rows = []
    for number, name in enumerate(names):
        path = folder / f"{name}.npz"
        X = np.random.default_rng(number).normal(size=(4000, 8))
        np.savez(path, X_train=X, y_train=np.sign(X[:, 0]))
        rows.append(f"{path.name},{hashlib.sha256(path.read_bytes()).hexdigest()}\n")
    (folder / "MANIFEST.csv").write_text("file,sha256\n" + "".join(rows))


def fetch_case(folder, names):
    """Return a fetch of data sets, one call a set that is missing, from a slow mirror."""
    asked = []
    mirror, data = folder / "mirror", folder / "data"
    _make_mirror(mirror, names)
    handler = partial(type("Slow", (_Slow,), {"asked": asked}), directory=str(mirror))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def finished():
        return {name: p.read_bytes() for name in names for p in data.rglob(f"{name}.npz")}

    def right():
        kept = finished()
        return [n for n in names if kept.get(n) == (mirror / f"{n}.npz").read_bytes()]

    def begun():
        return [name for name in asked if name in names]

    where = {"HLSVM_MIRROR": f"http://127.0.0.1:{server.server_port}", "HLSVM_DATA": str(data)}
    command = [sys.executable, "-m", "hlsvm", "data", "fetch", *names]
    return Case(folder, command, begun, finished, right, list(names), 0.3, where)


def in_folder(make, *arguments, kills):
    """Count for cases made in temporary folders, as many as so many kills take."""
    chance = random.Random(0)
    total = {"kills": 0, "lost": 0, "doubled": 0, "changed": 0}
    while total["kills"] < kills:
        with tempfile.TemporaryDirectory() as name:
            one = count(make(Path(name), *arguments), kills - total["kills"], chance)
        total = {key: total[key] + one[key] for key in total}
    return total
