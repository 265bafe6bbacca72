"""Ctrl-C, a full disk, two sweeps on one folder: results are kept, and no work is done twice."""

import csv
import hashlib
import io
import json
import pathlib
import signal
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import nbformat
import numpy as np
import pytest

from .processes import fill, is_running, start, wait_for

ENDS = 600  # seconds after which a command that was to end has hung


def write_notebook(path, *cells):
    code = [nbformat.v4.new_code_cell(source) for source in ("seed: int = 0", *cells)]
    code[0].metadata["tags"] = ["parameters"]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=code), path)
    return path


def sweep_of(folder, runs, *cells):
    """Write a sweep whose runs log seed and process; return its command and a reader of the log."""
    log = folder / "log.txt"
    log.touch()
    begin = (
        f"import os, pathlib, time\nwith open({str(log)!r}, 'a') as file:\n"
        "    file.write(f'{seed} {os.getpid()}\\n')"
    )
    last = "from hlsvm.reproduce import sweep\nsweep.result({'square': seed**2})"
    write_notebook(folder / "n.ipynb", begin, *cells, last)
    (folder / "grid.yml").write_text(f"seed: {list(range(runs))}\n")
    command = ("sweep", folder / "n.ipynb", folder / "grid.yml", "--out", folder / "out")
    return command, lambda: [tuple(map(int, line.split())) for line in log.read_text().splitlines()]


def records(folder):
    return {path.name: path.read_bytes() for path in (folder / "out/runs").glob("*.json")}


def squares(folder):
    with (folder / "out/results.csv").open() as file:
        return {int(row["seed"]): int(row["square"]) for row in csv.DictReader(file)}


@pytest.mark.thorough
def test_an_interrupted_sweep_ends_its_runs_and_resumes(tmp_path):
    go = str(tmp_path / "go")
    wait = f"while seed and not pathlib.Path({go!r}).exists():\n    time.sleep(0.05)"
    command, logged = sweep_of(tmp_path, 3, wait)
    process = start(*command, "--n-jobs", "2")
    wait_for(lambda: len(records(tmp_path)) == 1 and len(logged()) == 3)  # two wait for ever
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=ENDS)
    assert process.returncode == 130
    assert "interrupted; what was finished is kept." in said
    assert "Traceback" not in said
    kept, begun = records(tmp_path), logged()
    assert len(kept) == 1
    wait_for(lambda: not any(is_running(pid) for _, pid in begun))
    pathlib.Path(go).touch()
    process = start(*command)
    process.communicate(timeout=ENDS)
    assert process.returncode == 0
    assert sorted(seed for seed, _ in logged()[3:]) == [1, 2]
    assert kept.items() <= records(tmp_path).items()
    assert squares(tmp_path) == {0: 0, 1: 1, 2: 4}


@pytest.mark.thorough
def test_two_sweeps_on_one_folder_share_the_runs(tmp_path):
    log = str(tmp_path / "log.txt")
    both = f"while pathlib.Path({log!r}).read_text().count('\\n') < 2:\n    time.sleep(0.05)"
    command, logged = sweep_of(tmp_path, 5, both)  # the first run of each waits for the other
    processes = [start(*command) for _ in range(2)]
    for process in processes:
        said, _ = process.communicate(timeout=ENDS)
        assert process.returncode == 0, said
    assert sorted(seed for seed, _ in logged()) == [0, 1, 2, 3, 4]
    assert squares(tmp_path) == {0: 0, 1: 1, 2: 4, 3: 9, 4: 16}


def test_a_full_disk_is_one_sentence_of_a_run_and_it_resumes_with_room(small_disk):
    for folder in ("notebooks", "data/published"):
        (small_disk / folder).mkdir(parents=True)
    (small_disk / "data/catalogue.csv").write_text("id\n")
    write_notebook(small_disk / "notebooks/a.ipynb", "6 * 7")
    options = {"cwd": small_disk, "HLSVM_ROOT": str(small_disk)}
    process = start("run", "a", **options)
    process.communicate(timeout=ENDS)
    assert process.returncode == 0
    state = small_disk / "out/quick/notebooks/a.json"
    kept = state.read_bytes()
    write_notebook(small_disk / "notebooks/b.ipynb", "6 * 9")
    ballast = fill(small_disk)
    process = start("run", "--resume", **options)
    said, _ = process.communicate(timeout=ENDS)
    assert process.returncode == 1
    assert "No space left on device" in said
    assert "Traceback" not in said
    ballast.unlink()
    assert state.read_bytes() == kept
    process = start("run", "--resume", **options)
    said, _ = process.communicate(timeout=ENDS)
    assert process.returncode == 0, said
    assert state.read_bytes() == kept
    assert json.loads(state.with_name("b.json").read_text())


class Mirror:
    """A mirror on the loopback that holds one data set, and stops half-way until it may go on."""

    def __init__(self, name, rows):
        stream = io.BytesIO()
        X = np.random.default_rng(0).normal(size=(rows, 8))
        np.savez(stream, X_train=X, y_train=np.sign(X[:, 0]))
        self.content = content = stream.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        self.half, self.go = threading.Event(), threading.Event()
        half, go = self.half, self.go

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                file = content
                if self.path.endswith("MANIFEST.csv"):
                    file = f"file,sha256\n{name}.npz,{digest}\n".encode()
                elif not self.path.endswith(f"{name}.npz"):
                    return self.send_error(404)
                self.send_response(200)
                self.send_header("Content-Length", str(len(file)))
                self.end_headers()
                with suppress(OSError):  # the reader has gone
                    if file is content:
                        self.wfile.write(file[: len(file) // 2])
                        half.set()
                        go.wait(ENDS)
                        file = file[len(file) // 2 :]
                    self.wfile.write(file)
                return None

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.go.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def mirror_of():
    opened = []

    def make(*arguments):
        opened.append(Mirror(*arguments))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_an_interrupted_fetch_leaves_no_half_file_and_fetches_again(tmp_path, mirror_of):
    mirror = mirror_of("diabetes", 4000)
    where = {"HLSVM_MIRROR": mirror.address, "HLSVM_DATA": str(tmp_path / "data")}
    process = start("data", "fetch", "diabetes", **where)
    assert mirror.half.wait(ENDS)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=ENDS)
    assert process.returncode == 130
    assert "interrupted; what was finished is kept." in said
    assert "Traceback" not in said
    assert not list((tmp_path / "data").rglob("diabetes.npz"))
    mirror.go.set()
    process = start("data", "fetch", "diabetes", **where)
    said, _ = process.communicate(timeout=ENDS)
    assert process.returncode == 0, said
    (file,) = (tmp_path / "data").rglob("diabetes.npz")
    assert file.read_bytes() == mirror.content


def test_a_full_disk_is_one_line_of_a_fetch_and_it_fetches_with_room(small_disk, mirror_of):
    mirror = mirror_of("diabetes", 1000)
    mirror.go.set()
    where = {"HLSVM_MIRROR": mirror.address, "HLSVM_DATA": str(small_disk / "data")}
    ballast = fill(small_disk)
    with ballast.open("r+b") as file:
        file.truncate(ballast.stat().st_size - len(mirror.content) // 2)
    process = start("data", "fetch", "diabetes", **where)
    said, _ = process.communicate(timeout=ENDS)
    assert process.returncode == 1
    assert "missing  diabetes: " in said
    assert "No space left on device" in said
    assert "Traceback" not in said
    assert not list((small_disk / "data").rglob("diabetes.npz"))
    ballast.unlink()
    process = start("data", "fetch", "diabetes", **where)
    said, _ = process.communicate(timeout=ENDS)
    assert process.returncode == 0, said
    (file,) = (small_disk / "data").rglob("diabetes.npz")
    assert file.read_bytes() == mirror.content
