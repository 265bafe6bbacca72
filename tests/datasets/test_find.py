"""Search order, digests, lock files, the mirror's layouts, and what is said without data."""

import io

import numpy as np
import pytest

from hlsvm.datasets import DataCorrupted, DataUnavailable, fetch, load, verify
from hlsvm.datasets import list as list_sets
from hlsvm.datasets._folders import data_folder as folder_in_use


def npz(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def put(folder, digest, manifest=True, **contents):
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["name,file,sha256"]
    for name, data in contents.items():
        (folder / f"{name}.npz").write_bytes(data)
        rows.append(f"{name},{name}.npz,{digest(data)}")
    if manifest:
        (folder / "MANIFEST.csv").write_text("\n".join(rows) + "\n")


TOY = npz(X=np.arange(6, dtype=np.uint8).reshape(3, 2), y=np.array([1, -1, 1], np.int8))
OTHER = npz(X=np.ones((3, 2), np.uint8), y=np.array([1, 1, 1], np.int8))
KEYS = {"mirror": "toy.npz", "n_train": 3, "n_features": 2}


@pytest.fixture
def mirror_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HLSVM_MIRROR", str(tmp_path / "mirror"))
    return tmp_path / "mirror"


def test_mirror_then_data_folder(mirror_folder, data_folder, digest, enter):
    enter(**KEYS)
    put(mirror_folder, digest, toy=TOY)
    data = load("toy")
    np.testing.assert_array_equal(data.X_train, [[0, 1], [2, 3], [4, 5]])
    assert data.source == "mirror: toy.npz"
    assert list_sets().loc["toy", "where"] == "mirror"
    assert [p.name for p in fetch("toy")] == ["toy.npz"]
    assert not data_folder.exists(), "nothing is copied from a folder"
    put(data_folder, digest, manifest=False, toy=OTHER)
    assert load("toy").source == "data folder: toy.npz"
    assert list_sets().loc["toy", "where"] == "local"


def test_wrong_digest_is_refused_with_both(mirror_folder, digest, enter):
    enter(**KEYS)
    put(mirror_folder, digest, toy=TOY)
    (mirror_folder / "toy.npz").write_bytes(OTHER)
    with pytest.raises(DataCorrupted) as caught:
        load("toy")
    text = str(caught.value)
    assert digest(TOY) in text
    assert digest(OTHER) in text
    assert "MANIFEST.csv" in text
    assert "Delete the file" in text
    assert (mirror_folder / "toy.npz").read_bytes() == OTHER, "nothing is deleted by itself"
    row = verify("toy").iloc[0]
    assert (row["status"], row["expected"], row["actual"]) == ("wrong", digest(TOY), digest(OTHER))


def test_file_that_the_manifest_does_not_list_is_refused(mirror_folder, digest, enter):
    enter(**KEYS)
    put(mirror_folder, digest, another=TOY)
    (mirror_folder / "toy.npz").write_bytes(TOY)
    with pytest.raises(DataCorrupted, match="does not list it"):
        load("toy")


def test_lock_file_is_written_once_and_then_binds(data_folder, digest, enter):
    enter(**KEYS)
    put(data_folder, digest, manifest=False, toy=TOY)
    assert verify("toy")["status"].tolist() == ["recorded"]
    lock = data_folder / "toy.npz.sha256"
    assert lock.read_text() == f"{digest(TOY)}  toy.npz\n"
    assert load("toy").X_train.shape == (3, 2)
    assert verify("toy")["status"].tolist() == ["good"]
    (data_folder / "toy.npz").write_bytes(OTHER)
    with pytest.raises(
        DataCorrupted, match=r"(?s)lock file .*toy\.npz\.sha256.*delete the lock file"
    ):
        load("toy")
    lock.unlink()
    assert load("toy").X_train.sum() == 6


def test_the_registry_goes_before_the_lock_file(data_folder, digest, enter):
    text = b"1 1:2 2:3\n"
    enter(
        files=({"name": "toy", "part": "all", "sha256": digest(text)},), format="svmlight",
        n_train=1, n_features=2,
    )  # fmt: skip
    data_folder.mkdir()
    (data_folder / "toy").write_bytes(text)
    (data_folder / "toy.sha256").write_text("0" * 64 + "  toy\n")
    assert load("toy").X_train.tolist() == [[2, 3]]
    (data_folder / "toy").write_bytes(text + b"1 1:1\n")
    with pytest.raises(DataCorrupted, match="stated by the registry"):
        load("toy")


def test_pickle_in_an_npz_is_never_opened(data_folder, digest, enter, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "executed"), "w"))

    enter(**KEYS)
    out = io.BytesIO()
    np.savez(out, X=np.array([Bomb()], dtype=object), y=np.zeros(3))
    put(data_folder, digest, toy=out.getvalue())
    with pytest.raises(DataCorrupted, match="plain arrays"):
        load("toy")
    assert not (tmp_path / "executed").exists()


def test_an_array_in_the_place_of_an_npz(data_folder, digest, enter):
    enter(**KEYS)
    out = io.BytesIO()
    np.save(out, np.zeros((3, 2)))
    put(data_folder, digest, toy=out.getvalue())
    with pytest.raises(DataCorrupted, match="no whole archive"):
        load("toy")


def test_fetch_says_that_the_mirror_does_not_answer(data_folder, enter, monkeypatch):
    enter(**KEYS)
    monkeypatch.setenv("HLSVM_MIRROR", "http://127.0.0.1:9")
    with pytest.raises(DataUnavailable, match=r"the mirror http://127\.0\.0\.1:9/ does not answer"):
        fetch("toy")


@pytest.mark.parametrize("keep", [0, 10, len(TOY) // 2, len(TOY) - 1])
def test_cut_npz(data_folder, digest, enter, keep):
    enter(**KEYS)
    put(data_folder, digest, toy=TOY[:keep])
    with pytest.raises(DataCorrupted, match=r"toy\.npz"):
        load("toy")


@pytest.mark.parametrize(
    "arrays",
    [
        {"X": np.zeros((3, 3)), "y": np.zeros(3)},
        {"X": np.zeros((4, 2)), "y": np.zeros(4)},
        {"X": np.zeros((3, 2)), "y": np.zeros(2)},
        {"Z": np.zeros((3, 2)), "y": np.zeros(3)},
    ],
)
def test_wrong_shape_or_layout(data_folder, digest, enter, arrays):
    enter(**KEYS)
    put(data_folder, digest, toy=npz(**arrays))
    with pytest.raises(DataCorrupted, match=r"expected 3 training rows|labels|known layouts"):
        load("toy")


def test_layouts(data_folder, digest, enter):
    put(
        data_folder, digest,
        split=npz(X_train=np.eye(2), y_train=[0, 1], X_test=np.eye(2), y_test=[1, 1]),
        halves=npz(X_num=np.ones((2, 1), np.int16), X_bin=np.zeros((2, 1), np.uint8), y=[1, 2]),
        columns=npz(c00=[3, 100], c01=[5, 6], scale=[0.01, 1.0], y=[1, 0], class_names=["a", "b"]),
        parts=npz(
            X=np.eye(4), y=[1, 1, -1, -1], train_idx=[[0, 2], [1, 3], [2, 0]],
            test_idx=[[1, 3], [0, 2], [1, 3]],
        ),
    )  # fmt: skip
    for name, n, d, test in [("split", 2, 2, 2), ("halves", 2, 2, 0), ("columns", 2, 2, 0)]:
        enter(name, mirror=f"{name}.npz", n_train=n, n_test=test, n_features=d, dtype="float64")
    enter("parts", mirror="parts.npz", n_train=4, n_features=4)
    assert load("split").y_test.tolist() == [1, 1]
    assert load("halves").X_train.tolist() == [[1, 0], [1, 0]]
    columns = load("columns")
    assert columns.X_train.tolist() == [[0.03, 5], [1, 6]], "hundredths are exact decimals"
    assert columns.class_names == ("a", "b")
    assert load("columns", binary="b").y_train.tolist() == [1, -1]
    assert len(load("parts").splits) == 2, "a partition given twice counts once"


def test_stand_in_says_so_and_can_be_refused(mirror_folder, digest, enter):
    enter("toy_sample", note="a part", external="a part of toy", **KEYS)
    enter(
        "toy", stand_in="toy_sample", n_train=9, n_features=2, official=("https://a.invalid/",),
        files=({"name": "toy.bin", "part": "all", "sha256": ""},), format="svmlight",
    )  # fmt: skip
    put(mirror_folder, digest, toy=TOY)
    data = load("toy")
    assert data.note == "stands in for 'toy': a part"
    assert data.name == "toy"
    assert list_sets().loc["toy", "where"] == "mirror (stand-in toy_sample)"
    for refused in ({"sample": False}, {"sample": False, "download": False}):
        with pytest.raises(DataUnavailable, match="load the stand-in 'toy_sample'"):
            load("toy", **refused)
    with pytest.raises(DataUnavailable, match="HLSVM_OFFLINE"):
        fetch("toy")


def test_test_part_rebuilt_from_the_rest_of_another_set(data_folder, digest, enter):
    rows, y = np.array([[1, 0], [0, 1], [1, 0], [1, 1]], np.uint8), np.array([1, 1, 1, -1])
    put(
        data_folder,
        digest,
        all=npz(X_train=rows, y_train=y),
        few=npz(X_train=rows[:2], y_train=y[:2]),
    )
    enter("whole", mirror="all.npz", n_train=4, n_features=2)
    enter("toy", mirror="few.npz", n_train=2, n_test=2, n_features=2, options={"rest_of": "whole"})
    data = load("toy")
    assert data.X_test.tolist() == [[1, 0], [1, 1]]
    assert data.y_test.tolist() == [1, -1]


def test_nothing_at_hand_says_what_to_do(monkeypatch, data_folder):
    monkeypatch.setenv("HLSVM_OFFLINE", "1")
    with pytest.raises(DataUnavailable) as caught:
        load("covtype_binary")
    text = str(caught.value)
    for part in ("hlsvm data fetch covtype_binary", "HLSVM_MIRROR", "covtype.data.gz"):
        assert part in text
    assert str(data_folder) in text
    with pytest.raises(DataUnavailable, match="download=False"):
        load("ijcnn1", download=False)
    with pytest.raises(DataUnavailable, match=r"RAT(.|\n)*never put in a public place"):
        load("rat")
    with pytest.raises(DataUnavailable, match=r"fetch_lfw_pairs could not(.|\n)*data fetch lfw"):
        load("lfw")
    with pytest.raises(DataUnavailable, match="fetch_openml could not"):
        load("gcm", download=False)
    assert verify("ijcnn1")["status"].tolist() == ["absent"]
    assert fetch("digits") == []
    assert verify("digits").empty


def test_a_mirror_that_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setenv("HLSVM_MIRROR", str(tmp_path / "no"))
    with pytest.raises(DataUnavailable, match="neither a folder nor an http address"):
        load("ijcnn1")


def test_default_data_folder_is_in_the_repository(monkeypatch):
    monkeypatch.delenv("HLSVM_DATA")
    assert folder_in_use().parts[-2:] == ("data", "cache")
    monkeypatch.setattr("hlsvm.datasets._folders._ROOT", folder_in_use())
    assert "hlsvm" in folder_in_use().name
