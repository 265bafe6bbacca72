"""Downloads from a server on loopback: whole or not at all, gone on with, checked."""

import gzip
import io
import subprocess
import sys
import time

import numpy as np
import pytest

from hlsvm.datasets import DataCorrupted, DataUnavailable, fetch, load
from hlsvm.datasets import list as list_sets
from hlsvm.datasets._download import download
from hlsvm.datasets._transfer import NotServed

LINES = b"".join(b"%d 1:%d 2:7\n" % (1 - 2 * (k % 2), k) for k in range(20_000))
PACKED = gzip.compress(LINES, mtime=0)


def _npz():
    out = io.BytesIO()
    np.savez(out, X=np.arange(6, dtype=np.uint8).reshape(3, 2), y=np.array([1, -1, 1], np.int8))
    return out.getvalue()


TOY = _npz()


@pytest.fixture
def official(server, enter):
    """A set of one file at an official address; gives a function that sets its digest."""
    server.files["/toy.gz"] = PACKED

    def put(sha256=""):
        return enter(
            files=({"name": "toy.gz", "part": "all", "sha256": sha256},), format="svmlight",
            official=(server.address,), n_train=20_000, n_features=2,
        )  # fmt: skip

    return put


def leftovers(folder):
    return sorted(p.name for p in folder.iterdir() if p.name != ".lock")


def test_first_download_is_recorded_and_then_checked(official, data_folder, digest, server):
    official()
    assert list_sets().loc["toy", "where"] == "needs download"
    data = load("toy")
    assert data.X_train[:, 0].tolist() == list(range(20_000))
    assert leftovers(data_folder) == ["toy.gz", "toy.gz.sha256"]
    assert (data_folder / "toy.gz.sha256").read_text().split() == [digest(PACKED), "toy.gz"]
    asked = len(server.asked)
    load("toy")
    assert len(server.asked) == asked, "the second time nothing is asked for"
    (data_folder / "toy.gz").unlink()
    server.files["/toy.gz"] = gzip.compress(LINES + b"1 1:1\n")
    with pytest.raises(DataCorrupted, match="lock file of an earlier download"):
        load("toy")
    assert leftovers(data_folder) == ["toy.gz.sha256"]


def test_known_digest(official, data_folder, digest, server):
    official(digest(PACKED))
    assert [p.name for p in fetch("toy")] == ["toy.gz"]
    assert load("toy").source == "data folder: toy.gz"


def test_wrong_download_is_refused_and_nothing_stays(official, data_folder, digest, server):
    official("0" * 64)
    with pytest.raises(DataCorrupted) as caught:
        load("toy")
    assert "0" * 64 in str(caught.value)
    assert digest(PACKED) in str(caught.value)
    assert leftovers(data_folder) == []


def test_a_good_file_is_never_replaced(official, data_folder, digest, server):
    official(digest(PACKED))
    fetch("toy")
    server.files["/toy.gz"] = b"something else"
    fetch("toy")
    assert (data_folder / "toy.gz").read_bytes() == PACKED


def test_interrupted_answers_are_gone_on_with(official, data_folder, server):
    official()
    server.cut = [1000, 500]
    load("toy")
    ranges = [r for path, r in server.asked if path == "/toy.gz"]
    assert ranges == [None, "bytes=1000-", "bytes=1500-"]
    assert (data_folder / "toy.gz").read_bytes() == PACKED


def test_interrupted_run_is_gone_on_with_by_the_next(official, data_folder, server):
    official()
    server.cut = [1000, 0, 0, 0]
    with pytest.raises(DataUnavailable, match=r"official address failed(.|\n)*data fetch toy"):
        load("toy")
    assert not (data_folder / "toy.gz").exists()
    assert (data_folder / "toy.gz.part").read_bytes() == PACKED[:1000]
    load("toy")
    assert server.asked[-1] == ("/toy.gz", "bytes=1000-")
    assert leftovers(data_folder) == ["toy.gz", "toy.gz.sha256"]


def test_a_file_that_changed_meanwhile_is_begun_anew(official, data_folder, server):
    official()
    server.files["/toy.gz"] = gzip.compress(LINES[::-1])
    server.cut = [1000, 0, 0, 0]
    with pytest.raises(DataUnavailable):
        load("toy")
    server.files["/toy.gz"] = PACKED
    load("toy")
    assert (data_folder / "toy.gz").read_bytes() == PACKED


def test_a_part_that_is_too_long_is_begun_anew(official, data_folder, server):
    official()
    server.cut = [1000, 0, 0, 0]
    with pytest.raises(DataUnavailable):
        load("toy")
    with (data_folder / "toy.gz.part").open("ab") as part:
        part.write(bytes(len(PACKED)))
    load("toy")
    assert (data_folder / "toy.gz").read_bytes() == PACKED


def test_a_server_without_marks_is_asked_from_the_start(official, data_folder, server):
    official()
    server.validators, server.cut = False, [1000]
    load("toy")
    assert [r for path, r in server.asked if path == "/toy.gz"] == [None, None]


KILLED = """
import sys
from pathlib import Path
from hlsvm.datasets import _download, _transfer
_transfer._PIECE = 64
_download.download(sys.argv[1], Path(sys.argv[2]))
"""


def test_killed_in_the_middle(server, data_folder, digest):
    server.files["/big"] = np.random.default_rng(0).bytes(400_000)
    answer, slow = server.answer, {"on": True}

    def dribble(handler):
        if not slow["on"]:
            return answer(handler)
        data = server.files["/big"]
        handler.send_response(200)
        handler.send_header("ETag", f'"{digest(data)[:16]}"')
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[:100_000])
        handler.wfile.flush()
        time.sleep(30)

    server.answer = dribble
    target = data_folder / "big"
    command = [sys.executable, "-c", KILLED, server.address + "big", str(target)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        part, deadline = data_folder / "big.part", time.monotonic() + 60
        while not (part.exists() and part.stat().st_size > 50_000) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
    assert not target.exists()
    held = part.stat().st_size
    assert held > 50_000
    slow["on"] = False
    download(server.address + "big", target)
    assert target.read_bytes() == server.files["/big"]
    assert server.asked[-1] == ("/big", f"bytes={held}-")
    assert leftovers(data_folder) == ["big"], "the killed process left nothing"


def test_second_address_serves_when_the_first_does_not(server, enter, digest):
    server.files["/second/toy.gz"] = PACKED
    enter(
        files=({"name": "toy.gz", "part": "all", "sha256": digest(PACKED)},), format="svmlight",
        official=(server.address, server.address + "second/"), n_train=20_000, n_features=2,
    )  # fmt: skip
    assert load("toy").X_train.shape == (20_000, 2)


def test_nobody_there(tmp_path, server):
    with pytest.raises(NotServed, match="answered 404"):
        download(server.address + "none", tmp_path / "none")
    server.http.server_close()
    server.http.shutdown()
    with pytest.raises(NotServed, match=r"no connection to 127\.0\.0\.1"):
        download("http://127.0.0.1:1/none", tmp_path / "none")


def test_mirror_behind_an_address(server, monkeypatch, enter, data_folder, digest):
    monkeypatch.setenv("HLSVM_MIRROR", server.address + "m")
    monkeypatch.setenv("HLSVM_OFFLINE", "1")  # forbids the official address, not the mirror
    server.files["/m/toy.npz"] = TOY
    server.files["/m/MANIFEST.csv"] = f"file,sha256\ntoy.npz,{digest(TOY)}\n".encode()
    enter(mirror="toy.npz", n_train=3, n_features=2)
    enter("gone", mirror="gone.npz", n_train=3, n_features=2, external="no address")
    table = list_sets()
    assert (table.loc["toy", "where"], table.loc["gone", "where"]) == ("mirror", "external")
    assert load("toy").source == "mirror: toy.npz"
    assert leftovers(data_folder) == ["toy.npz", "toy.npz.sha256"]
    with pytest.raises(DataUnavailable, match=r"holds gone\.npz"):
        load("gone")
    monkeypatch.delenv("HLSVM_MIRROR")
    assert load("toy").source == "data folder: toy.npz"


def test_mirror_with_a_wrong_file(server, monkeypatch, enter, data_folder, digest):
    monkeypatch.setenv("HLSVM_MIRROR", server.address)
    server.files["/toy.npz"] = TOY
    server.files["/MANIFEST.csv"] = b"file,sha256\ntoy.npz," + b"1" * 64
    enter(mirror="toy.npz", n_train=3, n_features=2)
    with pytest.raises(DataCorrupted, match=f"(?s){'1' * 64}.*{digest(TOY)}"):
        load("toy")
    assert leftovers(data_folder) == []


def test_mirror_of_official_files_without_a_manifest(server, monkeypatch, enter, digest):
    monkeypatch.setenv("HLSVM_MIRROR", server.address)
    server.files["/toy.gz"] = PACKED
    enter(
        files=({"name": "toy.gz", "part": "all", "sha256": digest(PACKED)},), format="svmlight",
        mirror="toy.npz", official=("https://official.invalid/",), n_train=20_000, n_features=2,
    )  # fmt: skip
    assert load("toy").source == "mirror: toy.gz"


def test_mirror_that_does_not_answer(monkeypatch, enter):
    monkeypatch.setenv("HLSVM_MIRROR", "http://127.0.0.1:1/")
    enter(mirror="toy.npz", n_train=3, n_features=2, external="no address")
    with pytest.raises(DataUnavailable, match="does not answer"):
        load("toy")
    with pytest.warns(UserWarning, match="does not answer"):
        assert list_sets().loc["toy", "where"] == "external"
