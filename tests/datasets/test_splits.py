"""Partitions: sizes, seeds, recorded ones, samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlsvm.datasets import Dataset, load, partition_indices, partitions


def made(n=100, splits=()):
    X = np.arange(n, dtype=float)[:, None]
    return Dataset(X, np.arange(n) % 3, name="made", splits=splits)


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(4, 200),
    share=st.floats(0.05, 0.6),
    seed=st.integers(0, 2**32),
    stratify=st.booleans(),
)
def test_a_partition_covers_all_rows_once(n, share, seed, stratify):
    train, test, recorded = next(
        partition_indices(made(n), 1, test_size=share, seed=seed, stratify=stratify)
    )
    assert not recorded
    assert sorted([*train, *test]) == list(range(n))
    assert len(test) == np.ceil(share * n - 1e-9)


@pytest.mark.parametrize(
    ("rows", "share", "test"),
    [(581_012, 0.1, 58_102), (12_788, 1 / 3, 4_263), (100, 0.2, 20), (581_012, 0.2, 116_203)],
)
def test_sizes_of_the_documents(rows, share, test):
    # SRS-SVM states 116,202 for its 80/20 split: it rounds down; one row of 581,012.
    data = Dataset(np.empty((rows, 0)), np.zeros(rows, dtype=int))
    assert len(next(partition_indices(data, 1, test_size=share))[1]) == test


def test_more_partitions_begin_with_the_fewer():
    few = [t.tolist() for t, *_ in partition_indices(made(), 3, seed=5)]
    many = [t.tolist() for t, *_ in partition_indices(made(), 6, seed=5)]
    assert many[:3] == few
    assert len({tuple(t) for t in many}) == 6
    other = [t.tolist() for t, *_ in partition_indices(made(), 3, seed=6)]
    assert other[0] != few[0]


def test_recorded_partitions_come_first_and_fix_the_sizes():
    splits = ((np.arange(30), np.arange(30, 100)), (np.arange(70, 100), np.arange(70)))
    parts = list(partitions(made(splits=splits), 4))
    np.testing.assert_array_equal(parts[1].X_train[:, 0], np.arange(70, 100))
    assert [p.X_train.shape[0] for p in parts] == [30] * 4
    assert ["distributed" in p.note for p in parts] == [True, True, False, False]
    ours = next(partitions(made(splits=splits), 1, test_size=0.5))
    assert ours.X_test.shape[0] == 50
    assert "distributed" not in ours.note


def test_the_given_test_part_is_put_back():
    data = Dataset(np.zeros((6, 1)), np.zeros(6, int), np.ones((4, 1)), np.ones(4, int))
    part = next(partitions(data, 1, test_size=0.5, seed=1))
    assert part.X_train.shape[0] == part.X_test.shape[0] == 5
    np.testing.assert_array_equal(part.X_train[:, 0], part.y_train)
    assert part.y.sum() == 4


def test_stratified_shares():
    y = np.repeat([0, 1], [90, 10])
    data = Dataset(np.zeros((100, 1)), y)
    for part in partitions(data, 5, test_size=0.3, stratify=True):
        assert part.y_test.sum() == 3


def test_split_and_sample():
    data = load("wine")
    part = data.split(0.25, seed=2)
    assert part.X_test.shape == (45, 13)
    assert part.digest == data.split(0.25, seed=2).digest
    small, large = data.sample(20, seed=1), data.sample(50, seed=1)
    assert small.X_train.shape == (20, 13)
    rows = {r.tobytes() for r in large.X_train}
    assert all(r.tobytes() in rows for r in small.X_train)
    assert "20 random rows" in small.note


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        ({"n": 0}, "n"),
        ({"test_size": 0.0}, "test_size"),
        ({"test_size": 1.5}, "test_size"),
        ({"test_size": 0.999}, "test_size"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_arguments(bad, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        list(partitions(made(10), **bad))
    with pytest.raises(ValueError, match="'n' parameter"):
        made().sample(101)
