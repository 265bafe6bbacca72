"""Every official format on a file of a few rows, and what is done to broken and hostile ones."""

import bz2
import gzip
import io
import itertools
import lzma
import os
import pickle
import struct
import tarfile
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from hlsvm.datasets import DataCorrupted, load
from hlsvm.datasets._archive import open_stream, read_members, unlzw
from hlsvm.datasets._read import read_idx


def files(*names):
    return tuple(
        {"name": name, "part": part, "sha256": ""}
        for name, _, part in (n.partition("|") for n in names)
    )


def put(folder, **contents):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        (folder / name.replace("__", ".")).write_bytes(data)


def idx(array):
    head = b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.astype(np.uint8).tobytes()


def tar_of(**members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name.replace("__", "."))
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def compress_z(data, most=10):
    """LZW as Unix compress writes it, with clearing switched on and never used."""
    table, width, codes = {bytes([k]): k for k in range(256)}, 9, []
    free, word = 257, b""
    for byte in data:
        if word + bytes([byte]) in table:
            word += bytes([byte])
            continue
        codes.append((table[word], width))
        if free < 1 << most:
            table[word + bytes([byte])] = free
            free += 1
            if free > 1 << width and width < most:
                codes += [(0, width)] * (-len([c for c in codes if c[1] == width]) % 8)
                width += 1
        word = bytes([byte])
    codes.append((table[word], width))
    bits, place = 0, 0
    for code, w in codes:
        bits |= code << place
        place += w
    return b"\x1f\x9d" + bytes([0x80 | most]) + bits.to_bytes(-(-place // 8), "little")


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz"])
def test_svmlight(data_folder, enter, ending):
    pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[ending]
    train, test = b"+1 1:0.5 3:2\n-1 2:-1.25\n", b"-1 3:7\n"
    put(data_folder, **{f"toy{ending}": pack(train), f"toy.t{ending}": pack(test)})
    enter(
        files=files(f"toy{ending}|train", f"toy.t{ending}|test"), format="svmlight",
        n_train=2, n_test=1, n_features=4,
    )  # fmt: skip
    data = load("toy")
    np.testing.assert_array_equal(data.X_train, [[0.5, 0, 2, 0], [0, -1.25, 0, 0]])
    np.testing.assert_array_equal(data.X_test, [[0, 0, 7, 0]])
    assert (data.y_train.tolist(), data.y_test.tolist()) == ([1, -1], [-1])
    assert data.source == f"data folder: toy{ending}, toy.t{ending}"


def test_svmlight_stays_sparse_and_relabels(data_folder, enter):
    put(data_folder, toy=b"2 1:4\n4 70000:1 # a comment\n")
    enter(
        files=files("toy|all"), format="svmlight", n_train=2, n_features=70000, sparse=True,
        options={"relabel": {"2": -1, "4": 1}}, scale="minmax",
    )  # fmt: skip
    data = load("toy")
    assert scipy.sparse.issparse(data.X_train)
    assert data.X_train.dtype == np.float32
    assert data.X_train.sum() == 2
    assert data.y_train.tolist() == [-1, 1]
    assert len(data.digest) == 64


def test_idx(data_folder, enter):
    images, labels = np.arange(24).reshape(2, 3, 4), np.array([7, 3])
    for name, array in {"a": images, "b": labels, "c": images[:1], "d": labels[:1]}.items():
        put(data_folder, **{f"{name}.gz": gzip.compress(idx(array))})
    enter(
        files=files("a.gz|train", "b.gz|train", "c.gz|test", "d.gz|test"), format="idx",
        n_train=2, n_test=1, n_features=12, scale=255,
    )  # fmt: skip
    data = load("toy", binary=3)
    np.testing.assert_allclose(data.X_train, images.reshape(2, 12) / 255, rtol=1e-6)
    assert (data.y_train.tolist(), data.y_test.tolist()) == ([-1, 1], [-1])


@pytest.mark.parametrize(
    "wrong", [b"", b"\0\0\x09\x01\0\0\0\x01x", idx(np.zeros(9))[:-1], idx(np.zeros(9))[:6]]
)
def test_broken_idx(tmp_path, wrong):
    path = tmp_path / "x"
    path.write_bytes(wrong)
    with pytest.raises(DataCorrupted, match=r"not an idx|states"):
        read_idx(path)


def test_table_with_text_codes_and_missing_values(data_folder, enter):
    put(
        data_folder,
        toy__data=b"1, b, 5, <=50K\n2, ?, 6, >50K\n3, a, 7, >50K\n",
        toy__test=b"|a remark\n4, c, 8, <=50K.\n",
    )
    options = {"sep": ",", "label": "last", "missing": "?", "categorical": [1], "comment": "|"}
    enter(
        files=files("toy.data|train", "toy.test|test"), format="table", n_train=2, n_test=1,
        n_features=3, options=options | {"drop_missing_rows": True},
    )  # fmt: skip
    data = load("toy")
    np.testing.assert_array_equal(data.X_train, [[1, 1, 5], [3, 0, 7]])
    np.testing.assert_array_equal(data.X_test, [[4, 2, 8]])
    assert data.class_names == ("<=50K", ">50K")
    assert (data.y_train.tolist(), data.y_test.tolist()) == ([0, 1], [0])


def test_table_label_first_blanks_and_columns(data_folder, enter):
    put(data_folder, toy=b"A  1 2.5  3 \nC 4 5 6\nB 7 8 9\n")
    options = {"sep": " ", "label": "first", "columns": [2, 0], "n_train": 2, "label_names": False}
    enter(
        files=files("toy|all"), format="table", n_train=2, n_test=1, n_features=2, options=options
    )
    data = load("toy")
    np.testing.assert_array_equal(data.X, [[3, 1], [6, 4], [9, 7]])
    assert data.y.tolist() == [0, 2, 1]
    assert data.class_names == ()


def test_table_drops_the_column_then_the_rows(data_folder, enter):
    put(data_folder, toy=b"1,?,3,1\n4,5,?,2\n7,8,9,2\n")
    options = {"sep": ",", "label": "last", "missing": "?", "drop_columns": [1]}
    enter(
        files=files("toy|all"), format="table", n_train=2, n_features=2,
        options=options | {"drop_missing_rows": True}, dtype="float64",
    )  # fmt: skip
    np.testing.assert_array_equal(load("toy").X_train, [[1, 3], [7, 9]])


def test_table_inside_an_archive_and_in_compress_format(data_folder, enter):
    rows = b"1 2 1\n3 4 2\n" * 400
    put(data_folder, toy__tgz=tar_of(**{"deep/toy.data": rows, "deep/readme": b""}))
    put(data_folder, toy__Z=compress_z(rows))
    options = {"sep": " ", "label": "last"}
    keys = {"format": "table", "n_train": 800, "n_features": 2}
    enter("a", files=files("toy.tgz|all"), options=options | {"member": "deep/toy.data"}, **keys)
    enter("b", files=files("toy.Z|all"), options=options, **keys)
    assert load("a").digest == load("b").digest


@pytest.mark.parametrize("most", [10, 12, 16])
def test_compress_format(most, tmp_path):
    rng = np.random.default_rng(most)
    data = rng.integers(97, 105, size=20_000).astype(np.uint8).tobytes()
    packed = compress_z(data, most)
    assert unlzw(packed) == data
    path = tmp_path / "x.Z"
    path.write_bytes(packed)
    if os.path.exists("/bin/gzip"):  # an independent reader of the format
        assert os.popen(f"/bin/gzip -dc {path}").read().encode() == data
    with pytest.raises(DataCorrupted, match="not a file written by Unix compress"):
        unlzw(b"PK\3\4")
    with pytest.raises(DataCorrupted, match="never defined"):
        unlzw(packed[:3] + b"\xff" * 20)


def test_mat_and_raetsch(data_folder, enter):
    X, t = np.arange(8.0).reshape(4, 2), np.array([[1], [-1], [1], [-1]])
    struct_ = {
        "x": X,
        "t": t,
        "train": np.array([[1, 2], [3, 4]]),
        "test": np.array([[3, 4], [1, 2]]),
    }
    data_folder.mkdir()
    scipy.io.savemat(data_folder / "benchmarks.mat", {"toy": struct_, "other": struct_})
    scipy.io.savemat(data_folder / "toy.mat", {"X": X, "Y": t})
    keys = {"n_train": 4, "n_features": 2, "dtype": "float64"}
    enter("a", files=files("benchmarks.mat|all"), format="raetsch", options={"set": "toy"}, **keys)
    enter("b", files=files("toy.mat|all"), format="mat", options={"X": "X", "y": "Y"}, **keys)
    a, b = load("a"), load("b")
    assert a.digest == b.digest
    assert [[part.tolist() for part in pair] for pair in a.splits] == [
        [[0, 1], [2, 3]],
        [[2, 3], [0, 1]],
    ]


def test_cifar_binary(data_folder, enter):
    rng = np.random.default_rng(0)
    batches = [rng.integers(0, 10, size=(2, 13)).astype(np.uint8) for _ in range(6)]
    names = [f"c/data_batch_{k}.bin" for k in range(1, 6)] + ["c/test_batch.bin"]
    put(
        data_folder,
        toy__tgz=tar_of(**{n: b.tobytes() for n, b in zip(names, batches, strict=True)}),
    )
    enter(files=files("toy.tgz|all"), format="cifar", n_train=10, n_test=2, n_features=12)
    data = load("toy")
    np.testing.assert_array_equal(data.X_test, batches[5][:, 1:])
    np.testing.assert_array_equal(data.y_train, np.concatenate(batches[:5])[:, 0])


def test_carbonetto_images_are_turned(data_folder, enter):
    image = np.arange(576).reshape(24, 24) % 251
    column_first = image.T.astype(np.uint8).tobytes()
    put(
        data_folder, toy__tgz=tar_of(**{"d/faces.pat": column_first, "d/nonfaces.pat": bytes(1152)})
    )
    enter(files=files("toy.tgz|all"), format="carbonetto", n_train=3, n_features=576)
    data = load("toy")
    np.testing.assert_array_equal(data.X_train[0].reshape(24, 24), image)
    assert data.y_train.tolist() == [1, -1, -1]


def test_windows_takes_the_first_rows(data_folder, enter):
    values = np.arange(40).astype(np.uint8)
    put(data_folder, a__bz2=bz2.compress(values.tobytes()), b__bz2=bz2.compress(b"1\n-1\n1\n1\n"))
    enter(
        files=files("a.bz2|all", "b.bz2|all"), format="windows", n_train=3, n_features=10,
        external="no server",
    )  # fmt: skip
    data = load("toy")
    np.testing.assert_array_equal(data.X_train, values[:30].reshape(3, 10))
    assert data.y_train.tolist() == [1, -1, 1]


def test_csv_pairs(data_folder, enter):
    put(
        data_folder,
        xa=b'"V1","V2"\n1,2\n3,4\n',
        ya=b'"x"\n2\n1\n',
        xb=b"V1,V2\n5,6\n",
        yb=b"x\n2\n",
    )
    enter(
        files=files("xa|train", "ya|train", "xb|test", "yb|test"), format="csv_pairs",
        n_train=2, n_test=1, n_features=2,
    )  # fmt: skip
    data = load("toy")
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6]])
    assert data.y.tolist() == [2, 1, 2]


@pytest.mark.parametrize(
    ("name", "format_", "data"),
    [
        ("x.gz", "table", gzip.compress(b"1,2\n" * 500)[:-20]),
        ("x.bz2", "svmlight", bz2.compress(b"1 1:2\n" * 500)[:-20]),
        ("x.xz", "svmlight", lzma.compress(b"1 1:2\n" * 500)[:-20]),
        ("x", "svmlight", b"1 one:two\n"),
        ("x", "svmlight", b"1 1:2\n1 1:2\n"),
        ("x", "table", b"1,2\n3,4,5,6\n"),
        ("x.tgz", "cifar", tar_of(a=b"1")[:-15]),
        ("x.tgz", "cifar", b"\0" * 600),
        ("x.mat", "mat", b"MATLAB 5.0 MAT-file" + bytes(200)),
        ("x.mat", "raetsch", pickle.dumps({"toy": 1})),
    ],
    ids=itertools.count(),  # the bytes hold the time of day
)
def test_broken_files_are_refused(data_folder, enter, name, format_, data):
    put(data_folder, **{name: data})
    options = {"sep": ",", "label": "last", "X": "X", "y": "Y", "set": "toy"}
    enter(files=files(f"{name}|all"), format=format_, n_train=1, n_features=1, options=options)
    with pytest.raises(DataCorrupted, match=r"Delete it|holds|expected"):
        load("toy")


@pytest.mark.parametrize("name", ["../up.bin", "/etc/hosts", "a/../../b", "c:\\x", "..\\y"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_archives_that_point_outside_are_refused(tmp_path, name, kind):
    path = tmp_path / "x"
    if kind == "tar":
        path.write_bytes(tar_of(**{"good.bin": b"1", name: b"2"}))
    else:
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("good.bin", b"1")
            z.writestr(zipfile.ZipInfo(name), b"2")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataCorrupted, match="points outside the archive"):
        read_members(path, ["good.bin"])
    assert sorted(tmp_path.rglob("*")) == before


def test_archive_members_must_be_plain_and_single(tmp_path):
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as tar:
        link = tarfile.TarInfo("link.bin")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
        for name in ("a/two.bin", "b/two.bin"):
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    with pytest.raises(DataCorrupted, match="a link, not a file"):
        read_members(path, ["link.bin"])
    for name, count in [("two.bin", 2), ("none.bin", 0)]:
        with pytest.raises(DataCorrupted, match=f"holds {count} members"):
            read_members(path, [name])
    assert read_members(path, ["a/two.bin"]) == [b""]


def test_plain_files_are_opened_as_they_are(tmp_path):
    (tmp_path / "x.data").write_bytes(b"abc")
    with open_stream(tmp_path / "x.data") as stream:
        assert stream.read() == b"abc"
