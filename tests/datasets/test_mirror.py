"""Every real set of the mirror: loads, and is what the registry says."""

from pathlib import Path

import numpy as np
import pytest

from hlsvm.datasets import DataUnavailable, load, partitions
from hlsvm.datasets import list as list_sets
from hlsvm.datasets._find import served_by_mirror
from hlsvm.datasets._folders import mirror_address
from hlsvm.datasets._manifest import address_manifest, folder_manifest
from hlsvm.datasets.registry import registry

pytestmark = pytest.mark.mirror
REAL = [name for name, entry in registry().items() if not entry.built_in]


def counts(data, names):
    result = {}
    for k, y in enumerate((data.y_train, data.y_test)):
        for label in () if y is None else np.unique(y):
            text = data.class_names[label] if names else str(label)
            result.setdefault(text, [0, 0])[k] = int((y == label).sum())
    return result


@pytest.mark.parametrize("name", REAL)
def test_set(name, mirror):
    entry = registry()[name]
    if not served_by_mirror(entry):
        with pytest.raises(DataUnavailable):
            load(name, download=False, sample=False)
        return
    data = load(name, download=False)
    assert data.source.startswith("mirror")
    assert data.X_train.shape == (entry.n_train, entry.n_features)
    assert (0 if data.X_test is None else data.X_test.shape[0]) == entry.n_test
    assert data.X_train.dtype == entry.dtype
    assert np.isfinite(data.X_train).all()
    if entry.task == "classification":
        assert len(data.classes) == entry.n_classes
    if entry.scale in ("minmax", "symmetric"):
        assert data.X_train.max() <= 1
        assert data.X_train.min() >= (0 if entry.scale == "minmax" else -1)
    if entry.classes:
        names = bool(data.class_names) and not set(entry.classes) & {"-1", "0", "1"}
        given = {
            k: [*v] if isinstance(v, tuple | list) else [v, 0] for k, v in entry.classes.items()
        }
        assert counts(data, names) == given


def test_every_file_of_the_mirror_belongs_to_a_set(mirror):
    place = mirror_address()
    listed = folder_manifest(place) if isinstance(place, Path) else address_manifest(place)
    known = {entry.mirror for entry in registry().values()}
    known |= {file["name"] for entry in registry().values() for file in entry.files}
    assert set(listed or ()) <= known
    assert list_sets().loc[REAL, "where"].str.startswith(("mirror", "local")).any()


@pytest.mark.parametrize("name", ["fourclass", "heart"])
def test_our_scaling_is_that_of_libsvm(name, mirror):
    ours, theirs = load(name), load(f"{name}_scale")
    np.testing.assert_allclose(ours.X_train, theirs.X_train, atol=2e-5)
    np.testing.assert_array_equal(ours.y_train, theirs.y_train)


@pytest.mark.parametrize("name", [n for n in REAL if n.startswith("raetsch")])
def test_recorded_partitions(name, mirror):
    data = load(name)
    n_train, n_test = registry()[name].split_sizes
    rows = np.arange(n_train + n_test)
    for train, test in data.splits:
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), rows)
        assert len(train) == n_train
    parts = list(partitions(data, 12))
    assert all(p.X_train.shape[0] == n_train and p.X_test.shape[0] == n_test for p in parts)


def test_samples_and_stand_ins_say_so(mirror):
    for name, words in [
        ("covtype", "random sample of 92,962"),
        ("covtype_binary", "random sample of 92,962"),
        ("covtype_first20k", "not a random sample"),
        ("faces", "MIT CBCL"),
        ("nci60", "60 x 1,123"),
        ("w8a", "w8a.t is missing"),
        ("a8a", "rebuilt"),
        ("arrhythmia_binary", "420 of 452 rows"),
    ]:
        assert words in load(name, download=False).note


def test_rebuilt_test_part_of_a8a_is_the_rest(mirror):
    part, whole = load("a8a"), load("a9a")
    assert part.X_test.shape == (9865, 123)
    np.testing.assert_array_equal(part.X.sum(axis=0), whole.X_train.sum(axis=0))
    assert (part.y == 1).sum() == (whole.y_train == 1).sum()


def test_binary_variants(mirror):
    digits, three = load("mnist"), load("mnist_3vo")
    np.testing.assert_array_equal(three.y_test == 1, digits.y_test == 3)
    assert digits.X_train.dtype == np.float32
    assert digits.X_train.max() == 1
    assert (load("shuttle_binary").y_test == 1).sum() == 11_478
    assert (load("covtype_sample_binary").y_train == 1).sum() == 45_328
