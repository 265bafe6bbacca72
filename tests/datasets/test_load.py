"""Bundled sets, class rules, scaling and types."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

from hlsvm.datasets import Dataset, load, rescale
from hlsvm.datasets._prepare import apply_classes
from hlsvm.datasets._raw import Raw


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("digits", (1797, 64), range(10)),
        ("digits_3vo", (1797, 64), (-1, 1)),
        ("wine", (178, 13), range(3)),
        ("breast_cancer", (569, 30), range(2)),
        ("xor", (800, 2), (-1, 1)),
    ],
)
def test_bundled(name, shape, classes):
    data = load(name)
    assert data.X_train.shape == shape
    assert data.X_train.dtype == np.float32
    assert data.y_train.dtype == np.int64
    assert data.classes.tolist() == list(classes)
    assert data.X_test is None
    assert name in repr(data)


def test_class_rule_by_argument_equals_the_named_variant():
    named, given = load("digits_3vo"), load("digits", binary=3)
    np.testing.assert_array_equal(named.y_train, given.y_train)
    np.testing.assert_array_equal(named.y_train == 1, load("digits").y_train == 3)
    both = load("digits", binary=[3, 8])
    np.testing.assert_array_equal(both.y_train == 1, np.isin(load("digits").y_train, [3, 8]))
    assert "class 3 is +1" in given.note


@pytest.mark.parametrize("binary", [11, "three", list(range(10)), [], (), np.array([]), {}.keys()])
def test_bad_class_rule(binary):
    with pytest.raises(ValueError, match="'binary' parameter"):
        load("digits", binary=binary)


@pytest.mark.parametrize("scale", [0, -1, np.nan, None, "big", True])
def test_bad_scale_is_named_as_the_caller_wrote_it(scale):
    with pytest.raises((ValueError, TypeError), match="'scale' parameter of load"):
        load("wine", scale=scale)


@pytest.mark.parametrize("how", ["none", "minmax", "symmetric", 2.0])
def test_rescale_refuses_what_would_become_nan(how):
    good = np.array([[1.0, 2.0], [3.0, 4.0]])
    for bad in (
        good * [1, np.nan],
        good * [1, np.inf],
        scipy.sparse.csr_matrix(good * [1, np.nan]),
    ):
        with pytest.raises(
            ValueError, match=r"'X_train'.*column 1 holds NaN or infinity in 2 rows"
        ):
            rescale(how, bad)
    with pytest.raises(ValueError, match="'others' parameter of rescale must be finite"):
        rescale(how, good, good * np.nan)
    for none in (None, good[:0], good[0], good.astype(str), "text"):
        with pytest.raises(ValueError, match="'X_train' parameter of rescale must be a matrix"):
            rescale(how, none, None)


def test_labels_are_matched_by_value():
    raw = Raw(np.zeros((2, 1)), np.array([1234567.0, -2.5]))
    apply_classes(raw, ("1234567",), {})
    assert raw.y_train.tolist() == [1, -1]


def test_groups_are_numbered_in_order_and_keep_names():
    raw = Raw(np.zeros((4, 1)), np.array([0, 1, 2, 3]), class_names=("a", "b", "c", "d"))
    apply_classes(raw, (), {"odd": ["b", "d"], "even": ["a", "c"]})
    assert raw.y_train.tolist() == [1, 0, 1, 0]
    assert raw.class_names == ("odd", "even")


def test_scale_and_dtype():
    plain = load("wine", scale="none", dtype="float64").X_train
    unit = load("wine", scale="minmax", dtype="float64").X_train
    both = load("wine", scale="symmetric", dtype="float64").X_train
    low, high = plain.min(axis=0), plain.max(axis=0)
    np.testing.assert_allclose(unit, (plain - low) / (high - low), atol=1e-12)
    np.testing.assert_allclose(both, 2 * unit - 1, atol=1e-12)
    np.testing.assert_allclose(load("wine", scale=2, dtype="float64").X_train, plain / 2)
    assert load("digits").X_train.max() == 1
    assert "divided by 16" in load("digits").note


@pytest.mark.parametrize(
    "bad", [{"dtype": "int8"}, {"scale": "robust"}, {"scale": -1}, {"scale": True}]
)
def test_bad_arguments(bad):
    with pytest.raises((ValueError, TypeError), match=f"'{next(iter(bad))}|'how'"):
        load("wine", **bad)


def test_options_belong_to_synthetic_sets():
    assert load("xor", n=12, seed=3).X_train.shape == (12, 2)
    with pytest.raises(TypeError, match="no options"):
        load("wine", n=12)
    with pytest.raises(TypeError, match="only synthetic"):
        load("ijcnn1", n=12)


@pytest.mark.parametrize("how", ["none", "minmax", "symmetric", 4.0])
def test_rescale_uses_the_first_matrix_and_keeps_float32(how):
    train = np.array([[0, 5], [10, 5], [4, 5]], dtype=np.float32)
    a, nothing, b = rescale(how, train, None, np.array([[20, 7]], dtype=np.float32))
    assert nothing is None
    assert a.dtype == b.dtype == np.float32
    expected = {"none": 20, "minmax": 2, "symmetric": 3, 4.0: 5}[how]
    assert b[0, 0] == expected
    if isinstance(how, str) and how != "none":
        assert (a[:, 1] == 0).all(), "a constant feature becomes 0"
    assert train[1, 0] == 10, "the input is left alone"


def test_rescale_sparse_keeps_zeros():
    X = scipy.sparse.csr_matrix(np.array([[0.0, 2.0], [4.0, 0.0]]))
    (done,) = rescale("minmax", X, dtype="float64")
    assert scipy.sparse.issparse(done)
    np.testing.assert_array_equal(done.toarray(), [[0, 1], [1, 0]])


def test_dataset_views():
    a, b = np.arange(6.0).reshape(3, 2), np.ones((1, 2))
    data = Dataset(a, np.array([0, 1, 1]), b, np.array([1]), name="made")
    assert data.X.shape == (4, 2)
    assert data.y.tolist() == [0, 1, 1, 1]
    assert repr(data) == "Dataset(made: 3 + 1 x 2 float64, 2 classes)"
    assert data.n_features == 2
    same = Dataset(a.copy(), data.y_train, b, data.y_test, name="another name")
    assert data.digest == same.digest
    assert data.digest != Dataset(a + 1, data.y_train, b, data.y_test).digest


def test_import_is_light():
    heavy = "pandas", "sklearn", "scipy", "pooch", "requests", "numba", "tqdm", "joblib"
    code = (
        "import sys; before = set(sys.modules); import hlsvm.datasets; "
        f"print([m for m in {heavy!r} if m in set(sys.modules) - before])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
