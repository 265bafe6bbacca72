"""Deformed digits: a row is a function of seed and number alone."""

import numpy as np
import pytest

from hlsvm.datasets import infinite_digits, load
from hlsvm.datasets._deform import spline_weights
from hlsvm.datasets.digits import _upscaled


@pytest.fixture(scope="module")
def whole():
    return infinite_digits(9000, seed=1, source="digits", dtype="uint8", n_jobs=1)


def test_any_number_of_workers_same_bits(whole):
    two = infinite_digits(9000, seed=1, source="digits", dtype="uint8", n_jobs=2)
    np.testing.assert_array_equal(two.X_train, whole.X_train)


def test_more_rows_begin_with_the_fewer_and_start_goes_on(whole):
    few = infinite_digits(37, seed=1, source="digits", dtype="uint8")
    np.testing.assert_array_equal(few.X_train, whole.X_train[:37])
    late = infinite_digits(50, seed=1, start=8200, source="digits", dtype="uint8")
    np.testing.assert_array_equal(late.X_train, whole.X_train[8200:8250])
    np.testing.assert_array_equal(late.y_train, whole.y_train[8200:8250])
    assert (
        infinite_digits(37, seed=2, source="digits", dtype="uint8").X_train != few.X_train
    ).any()


def test_a_digit_comes_back_deformed_otherwise(whole):
    period = len(_upscaled()[0]) * 6 // 7
    first, second = whole.X_train[:100], whole.X_train[period : period + 100]
    np.testing.assert_array_equal(whole.y_train[:100], whole.y_train[period : period + 100])
    assert (first != second).any(axis=1).all()


def test_float32_is_the_same_image():
    a = infinite_digits(200, source="digits", dtype="uint8").X_train
    b = infinite_digits(200, source="digits").X_train
    assert b.dtype == np.float32
    assert 0 <= b.min() <= b.max() <= 1
    assert abs(a - 255 * b).max() <= 0.5 + 1e-4


def test_no_strength_is_the_digit_itself():
    images, labels = _upscaled()
    still = infinite_digits(50, source="digits", strength=0, dtype="uint8")
    np.testing.assert_array_equal(still.X_train, images[:50])
    np.testing.assert_array_equal(still.y_train, labels[:50])


def test_parts_have_no_digit_in_common():
    images, _ = _upscaled()
    train = infinite_digits(1540, source="digits", strength=0, dtype="uint8")
    test = infinite_digits(257, source="digits", part="test", strength=0, dtype="uint8")
    np.testing.assert_array_equal(np.vstack([train.X_train, test.X_train]), images)


def test_into_a_memory_map(tmp_path):
    out = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", dtype="uint8", shape=(60, 784))
    data = infinite_digits(60, source="digits", dtype="uint8", out=out)
    assert data.X_train is out
    out.flush()
    expected = infinite_digits(60, source="digits", dtype="uint8").X_train
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), expected)


def test_by_name_says_what_it_is():
    data = load("infinite_digits_3vo", n=30, source="digits")
    assert data.classes.tolist() == [-1, 1]
    assert "not MNIST8m" in data.note
    assert "scikit-learn" in data.note
    fallback = infinite_digits(5)  # no MNIST at hand here
    assert "scikit-learn" in fallback.note


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        ({"n": 0}, "n"),
        ({"n": 5, "seed": -1}, "seed"),
        ({"n": 5, "start": -1}, "start"),
        ({"n": 5, "source": "emnist"}, "source"),
        ({"n": 5, "dtype": "float64"}, "dtype"),
        ({"n": 5, "out": np.zeros((4, 784), np.float32)}, "out"),
        ({"n": 5, "out": [1]}, "out"),
    ],
)
def test_bad_arguments(bad, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        infinite_digits(**{"source": "digits"} | bad)


def test_spline_weights_are_a_partition_of_one():
    weights = spline_weights()
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights.min() >= 0


@pytest.mark.mirror
def test_deformed_mnist():
    mnist = load("mnist", scale="none")
    still = infinite_digits(300, source="mnist", strength=0, dtype="uint8")
    np.testing.assert_array_equal(still.X_train, mnist.X_train[:300])
    data = infinite_digits(300, source="auto", part="test")
    np.testing.assert_array_equal(data.y_train, mnist.y_test[:300])
    assert "deformed MNIST" in data.note
