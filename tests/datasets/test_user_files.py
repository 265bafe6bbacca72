"""Your own data: CSV, .npz and svmlight files where a name stands, and what is refused."""

import gzip
import os

import numpy as np
import pytest

from hlsvm.datasets import DataCorrupted, DataUnavailable, available, load, partitions


@pytest.fixture
def put(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


CSV = "a,b,y\n1,2.5,0\n3,-4,1\n5,6,1\n"


def test_csv_with_names(put):
    path = put("my.csv", CSV)
    data = load(str(path))
    assert data.X_train.tolist() == [[1, 2.5], [3, -4], [5, 6]]
    assert data.y_train.tolist() == [0, 1, 1]
    assert (data.name, data.source) == ("my.csv", "file: my.csv")
    assert data.note == "read from a file, target 'y'"
    assert data.feature_names == ("a", "b")
    assert data.X_train.dtype == np.float64
    assert data.digest == load(path).digest != load(path, target="b").digest
    assert load(path, dtype="float32").X_train.dtype == np.float32


@pytest.mark.parametrize("target", ["a", 0, -3, np.int64(0)])
def test_target_by_name_and_number(put, target):
    data = load(put("my.csv", CSV), target=target)
    assert data.y_train.tolist() == [1, 3, 5]
    assert data.feature_names == ("b", "y")


@pytest.mark.parametrize("target", ["z", 3, -4, True, 1.0, None])
def test_target_that_is_no_column(put, target):
    path = put("my.csv", CSV if target is not None else "a,a,b\n1,2,3\n")
    if target is None:
        with pytest.raises(ValueError, match="'target' parameter of load"):
            load(path, target="c")
        return
    with pytest.raises(ValueError, match=r"name among a, b, y or its number from 0 to 2"):
        load(path, target=target)


@pytest.mark.parametrize(
    "text", ["1;2;0\n3;4;1\n", "1\t2\t0\n3\t4\t1\n", "\ufeff1,2,0\r\n3,4,1\r\n"]
)
def test_csv_without_names_and_other_separators(put, text):
    data = load(put("my.csv", text))
    assert data.X_train.tolist() == [[1, 2], [3, 4]]
    assert data.y_train.tolist() == [0, 1]
    assert data.feature_names == ()
    assert "target 2" in data.note


def test_labels_of_text_and_of_numbers(put):
    data = load(put("my.csv", 'x,kind\n1,"b, c"\n2,a\n3,a\n'))
    assert data.class_names == ("a", "b, c")
    assert data.y_train.tolist() == [1, 0, 0]
    assert load(put("my.csv", "x,kind\n1,b\n2,a\n"), binary="b").y_train.tolist() == [1, -1]
    assert load(put("n.csv", "1,5.0\n2,7.0\n"), binary=7).y_train.tolist() == [-1, 1]
    big = load(put("n.csv", "1,1234567\n2,7\n"), binary=1234567)
    assert big.y_train.tolist() == [1, -1]
    regression = load(put("r.csv", "1,0.5\n2,7\n"))
    assert regression.y_train.tolist() == [0.5, 7]
    assert "regression" in repr(regression)


def test_npz(put, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 2)).astype(np.float32), np.array(list("abbaba"))
    np.savez(tmp_path / "all.npz", X=X, y=y)
    data = load(tmp_path / "all.npz")
    assert data.X_train.dtype == np.float32
    np.testing.assert_array_equal(data.X_train, X)
    assert data.class_names == ("a", "b")
    np.savez(tmp_path / "two.npz", X_train=X, y_train=y, X_test=X[:2], y_test=np.array(["b", "c"]))
    two = load(tmp_path / "two.npz", scale="minmax")
    assert two.class_names == ("a", "b", "c")
    assert two.y_test.tolist() == [1, 2]
    assert (two.X_train.min(), two.X_train.max()) == (0, 1)
    assert next(partitions(two, 1)).X_test.shape == (1, 2)


@pytest.mark.parametrize("ending", ["svm", "svmlight", "libsvm", "svm.gz", "SVM"])
def test_svmlight(put, ending):
    text = b"1 1:0.5 3:2\n-1 2:1 # note\n"
    data = load(put(f"my.{ending}", gzip.compress(text) if ending.endswith("gz") else text))
    assert data.X_train.tolist() == [[0.5, 0, 2], [0, 1, 0]]
    assert data.y_train.tolist() == [1, -1]


def test_a_wide_svmlight_file_stays_sparse(put):
    data = load(put("my.svm", "1 1:1 2000000000:2\n0 7:1\n"))
    assert data.X_train.shape == (2, 2_000_000_000)
    assert data.X_train.nnz == 3


def test_home_and_relative_paths(put, tmp_path, monkeypatch):
    put("my.csv", CSV)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load("~/my.csv").X_train.shape == (3, 2)
    monkeypatch.chdir(tmp_path)
    assert load("my.csv").X_train.shape == (3, 2)
    assert available("my.csv").where == "file"
    assert not available(tmp_path / "gone.csv")
    assert str(tmp_path) in available("gone.csv").reason


def hostile_npz(**arrays):
    import io

    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


REFUSED = {
    "nan.csv": ("a,b,y\n1,,0\n2,,1\n", r"column 1 \(b\) holds NaN or infinity in 2 rows"),
    "inf.csv": ("a,b,y\n1,inf,0\n2,3,1\n", r"column 1 \(b\) holds NaN or infinity in 1 row"),
    "label.csv": ("a,y\n1,\n2,1\n", r"target 'y' is missing in 1 row"),
    "text.csv": ("a,b,y\n1,red,0\n2,3,1\n", r"column 'b' holds text, such as 'red', in 1 row"),
    "date.csv": ("a,b,y\n1,2020-01-01,0\n2,2020-01-02,1\n", r"column 'b' holds text"),
    "empty.csv": ("", r"empty\.csv"),
    "names.csv": ("a,b,y\n", r"row of values"),
    "one.csv": ("a\n1\n2\n", r"two columns"),
    "ragged.csv": ("a,b\n1,2\n1,2,3,4\n", r"ragged\.csv"),
    "latin.csv": ("a,y\né,1\n".encode("latin-1"), r"latin\.csv cannot be read"),
    "zeros.csv": (bytes(1000), r"zeros\.csv"),
    "quote.csv": ('a,y\n"1,2\n3,4\n', r"quote\.csv"),
    "cut.csv.gz": (gzip.compress(CSV.encode() * 100)[:60], r"cut\.csv\.gz cannot be read"),
    "text.svm": ("hello world\n", r"text\.svm cannot be read"),
    "minus.svm": ("1 -5:1\n", r"minus\.svm cannot be read"),
    "nan.svm": ("1 1:nan 2:1\n0 2:3\n", r"column 0 holds NaN"),
    "empty.svm": ("", r"empty\.svm"),
    "text.npz": ("hello", r"text\.npz is not a readable \.npz"),
    "none.npz": (hostile_npz(Z=np.eye(2)), r"must hold X and y.*It holds Z"),
    "rows.npz": (hostile_npz(X=np.eye(3), y=[0, 1]), r"3 rows but 2 labels"),
    "flat.npz": (hostile_npz(X=np.ones(3), y=[0, 1, 1]), r"X must be a matrix of numbers"),
    "words.npz": (hostile_npz(X=np.array([["a"]]), y=[0]), r"X must be a matrix of numbers"),
    "object.npz": (hostile_npz(X=np.array([[None]]), y=[0]), r"never opened"),
    "nan.npz": (hostile_npz(X=np.array([[1, np.nan]]), y=[0]), r"column 1 holds NaN"),
    "width.npz": (
        hostile_npz(X_train=np.eye(2), y_train=[0, 1], X_test=np.eye(3), y_test=[0, 1, 1]),
        r"test part has 3 columns, not 2",
    ),
    "half.npz": (hostile_npz(X_train=np.eye(2), y_train=[0, 1], X_test=np.eye(2)), r"y_test"),
    "huge.npz": (hostile_npz(X=np.eye(2), y=np.array([0, 2**64 - 1], np.uint64)), r"64 bits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_files_are_refused_with_their_path(put, name):
    content, words = REFUSED[name]
    with pytest.raises(DataCorrupted, match=rf"(?s){words}"):
        load(put(name, content))


def test_other_mistakes(put, tmp_path):
    with pytest.raises(DataUnavailable, match=r"There is no file /.*gone\.csv"):
        load(os.path.join(tmp_path, "gone.csv"))
    with pytest.raises(ValueError, match=r"must end in \.csv"):
        load(put("my.txt", CSV))
    with pytest.raises(ValueError, match="path of a file must end in"):
        load("my")
    with pytest.raises(TypeError, match=r"for CSV files, not for \.svm"):
        load(put("my.svm", "1 1:1\n"), target=0)
    with pytest.raises(TypeError, match="'target' parameter of load is for files"):
        load("wine", target="y")
    with pytest.raises(TypeError, match="takes no option 'n'"):
        load(put("my.csv", CSV), n=3)
    with pytest.raises(TypeError, match="must be a string"):
        load(3)
