"""Forty ways a mirror or an archive can be hostile: a clear error in bounded time, nothing left."""

import io
import tarfile
import time
import zipfile

import numpy as np
import pytest

from hlsvm.datasets import (
    DataCorrupted,
    DataUnavailable,
    _download,
    _manifest,
    _transfer,
    available,
    fetch,
    load,
)
from hlsvm.datasets import list as list_sets
from hlsvm.datasets._archive import open_stream, read_members, unlzw

from .hostile import BODIES, FILE, GOOD, MANIFEST, SERVED, HostileMirror
from .test_read import compress_z

WRONG = (DataUnavailable, DataCorrupted)
SECONDS = 60  # far more than any mode may take, far less than the modes last


@pytest.fixture
def hostile(digest, enter, monkeypatch, data_folder):
    """A mirror that is good until it is given a mode."""
    running = HostileMirror(digest)
    monkeypatch.setenv("HLSVM_MIRROR", running.address)
    monkeypatch.setenv("HLSVM_OFFLINE", "1")
    enter(mirror="toy.npz", n_train=3, n_features=2)
    yield running
    running.close()


@pytest.fixture
def impatient(monkeypatch):
    """Limits that make a test short, and yet leave a busy machine the time to answer."""
    for name, value in {"ANSWER": 2.0, "WINDOW": 1.0, "PATIENCE": 10.0, "SMALL": 3.0}.items():
        monkeypatch.setattr(_transfer, name, value)


def leftovers(folder):
    if not folder.exists():
        return []
    return sorted(p.name for p in folder.iterdir() if p.name != ".lock")


def in_bounded_time(function, *arguments):
    """Call, with a limit that only an endless call reaches."""
    start = time.monotonic()
    try:
        return function(*arguments)
    finally:
        assert time.monotonic() - start < SECONDS, "it did not end by itself"


def test_there_are_as_many_modes_as_promised():
    assert len({*BODIES, *FILE, *MANIFEST, *SERVED}) >= 25


@pytest.mark.parametrize("mode", [*BODIES, *FILE, *MANIFEST])
def test_mode(mode, hostile, data_folder, impatient):
    hostile.mode = mode
    with pytest.raises(WRONG, match=r"toy|MANIFEST"):
        in_bounded_time(load, "toy")
    if mode in BODIES:  # a digest is all that fetch promises
        assert [path.name for path in fetch("toy")] == ["toy.npz"]
    else:
        with pytest.raises(WRONG, match=r"toy|MANIFEST"):
            in_bounded_time(fetch, "toy")
    allowed = {"toy.npz", "toy.npz.sha256"} if mode in BODIES else set()
    allowed |= {"toy.npz.part", "toy.npz.part.json"} if mode in FILE else set()
    assert set(leftovers(data_folder)) <= allowed
    held = sum(path.stat().st_size for path in data_folder.glob("*.part"))
    assert held <= 1 << 20, "an answer without end is not kept"
    assert len(hostile.asked) <= 60


@pytest.mark.parametrize("mode", SERVED)
def test_harmless_mode(mode, hostile, data_folder):
    hostile.mode = mode
    assert load("toy").X_train.shape == (3, 2)
    assert leftovers(data_folder) == ["toy.npz", "toy.npz.sha256"]


@pytest.mark.parametrize("how", ["hangs", "drips", "loops"])
def test_a_mirror_that_failed_is_asked_once(how, hostile, impatient):
    hostile.mode = f"a manifest that {how}"
    with pytest.warns(UserWarning, match="does not answer"):
        table = in_bounded_time(list_sets)
    assert len(table) > 80
    assert not available("toy")
    with pytest.raises(DataUnavailable, match="does not answer"):
        load("toy")
    assert len(hostile.asked) <= 1 + _transfer.MOST_REDIRECTS


def test_a_mirror_that_failed_is_asked_again_later(hostile, monkeypatch):
    hostile.mode = "an error on everything"
    assert not available("toy")
    hostile.mode = ""
    assert not available("toy")
    monkeypatch.setattr(_manifest, "REMEMBERED", 0.0)
    assert available("toy")


def test_a_good_mirror_is_good(hostile, data_folder):
    assert load("toy").X_train.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert leftovers(data_folder) == ["toy.npz", "toy.npz.sha256"]


def test_garbage_without_a_digest_is_not_recorded(hostile, enter, data_folder, monkeypatch):
    """A page of a hotel's network must not become the data set that the true file differs from."""
    monkeypatch.delenv("HLSVM_OFFLINE")
    monkeypatch.delenv("HLSVM_MIRROR")
    enter(
        "text", files=({"name": "toy.npz", "part": "all", "sha256": ""},), format="svmlight",
        official=(hostile.address,), n_train=3, n_features=2,
    )  # fmt: skip
    for call in (fetch, load):
        with pytest.raises(DataCorrupted, match="cannot be read as svmlight"):
            call("text")
        assert leftovers(data_folder) == []


def test_a_damaged_part_is_fetched_anew_in_the_same_call(server, enter, data_folder, digest):
    body = np.random.default_rng(0).bytes(50_000)
    server.files["/big"], server.cut = body, [20_000, 0, 0, 0]
    with pytest.raises(_transfer.NotServed):
        _download.download(server.address + "big", data_folder / "big", digest(body))
    part = data_folder / "big.part"
    part.write_bytes(bytes(part.stat().st_size))
    _download.download(server.address + "big", data_folder / "big", digest(body))
    assert (data_folder / "big").read_bytes() == body
    assert [r for _, r in server.asked[-2:]] == ["bytes=20000-", None]


def test_what_killed_downloads_left_is_cleared(hostile, data_folder):
    data_folder.mkdir()
    (data_folder / "tmpab12_xyz").touch()
    (data_folder / "tmpkept_abc").write_bytes(b"not empty")
    load("toy")
    assert leftovers(data_folder) == ["tmpkept_abc", "toy.npz", "toy.npz.sha256"]


def test_a_manifest_in_a_folder(tmp_path, monkeypatch, enter, digest):
    monkeypatch.setenv("HLSVM_MIRROR", str(tmp_path))
    enter(mirror="toy.npz", n_train=3, n_features=2)
    (tmp_path / "toy.npz").write_bytes(GOOD)
    manifest = tmp_path / "MANIFEST.csv"
    good = f"file,sha256\ntoy.npz,{digest(GOOD)}\n".encode()
    for bad in (b"name,file\ntoy,toy.npz\n", b"\xff" + good, b"\0", good + good[12:-9], b""):
        manifest.write_bytes(bad)
        with pytest.raises(DataCorrupted, match=r"MANIFEST\.csv is no manifest"):
            load("toy")
        assert not available("toy")
        with pytest.warns(UserWarning, match="no manifest"):
            list_sets()
    manifest.write_bytes(bytes(5 << 20))
    with pytest.raises(DataCorrupted, match="5,242,880 bytes"):
        load("toy")
    manifest.write_bytes(b"\xef\xbb\xbf" + good.replace(b"\n", b"\r\n"))
    assert load("toy").X_train.shape == (3, 2)


def tar(*members, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content, kind in members:
            info = tarfile.TarInfo(name)
            info.size, info.type = len(content), kind
            info.linkname = "/etc/passwd" if kind != tarfile.REGTYPE else ""
            archive.addfile(info, io.BytesIO(content) if kind == tarfile.REGTYPE else None)
    return out.getvalue()


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "C:\\x", "..\\x"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_members_that_point_outside(name, kind, tmp_path):
    path = tmp_path / "archive"
    if kind == "tar":
        path.write_bytes(tar(("good", b"1", tarfile.REGTYPE), (name, b"2", tarfile.REGTYPE)))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("good", b"1")
            archive.writestr(name, b"2")
    with pytest.raises(DataCorrupted, match="points outside the archive"):
        read_members(path, ["good"])
    assert [p.name for p in tmp_path.iterdir()] == ["archive"]


def test_links_twins_and_gaps(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(tar(("good", b"", tarfile.SYMTYPE)))
    with pytest.raises(DataCorrupted, match="is a link"):
        read_members(path, ["good"])
    path.write_bytes(tar(("a/good", b"1", tarfile.REGTYPE), ("b/good", b"2", tarfile.REGTYPE)))
    with pytest.raises(DataCorrupted, match="holds 2 members"):
        read_members(path, ["good"])
    with pytest.raises(DataCorrupted, match="holds 0 members"):
        read_members(path, ["other"])
    assert read_members(path, ["b/good", "a/good"]) == [b"2", b"1"]


@pytest.mark.parametrize("kind", ["tar", "tar header", "zip", "gz", "bz2", "xz", "Z"])
def test_bombs(kind, tmp_path, monkeypatch):
    """40 MB in a file of a few kB, where a MB can be."""
    import bz2
    import gzip
    import lzma

    zeros, path = bytes(40 << 20), tmp_path / f"bomb.{kind}"
    if kind == "tar":
        path.write_bytes(tar(("x", zeros, tarfile.REGTYPE)))
    elif kind == "tar header":  # a header that holds a long text
        path.write_bytes(gzip.compress(tar(("x", zeros, tarfile.XHDTYPE), mode="w") + zeros))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x", zeros)
    else:
        pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
        path.write_bytes(pack[kind](zeros) if kind in pack else compress_z(bytes(200_000), 16))
    read = {
        "Z": lambda: unlzw(path.read_bytes(), str(path), most_bytes=100_000),
        **dict.fromkeys(("gz", "bz2", "xz"), lambda: open_stream(path, most_bytes=1 << 20).read()),
    }.get(kind, lambda: read_members(path, ["x"], most_bytes=1 << 20))
    with pytest.raises((DataCorrupted, tarfile.TarError), match=r"more than|header"):
        read()
