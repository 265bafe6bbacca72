"""Saved models that were damaged or tampered with: refused, or the same answers."""

import struct
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hlsvm.chapters.given_trees import given_tree
from hlsvm.trees import load_arrays, save_arrays

FORMS = {
    "one": {"split": "best"},
    "mean": {"split": "best", "n_trees": 2},
    "ovo": {"multiclass": "ovo"},
}
ROWS = np.random.default_rng(1).normal(size=(40, 3))


@pytest.fixture(scope="module", params=FORMS)
def saved(request, tmp_path_factory):
    """Path, arrays and answers of a small saved model."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] * X[:, 1] > 0) + 2 * (X[:, 2] > 0.5)
    options = {"lam": 1e-2, "min_fraction": 0.1, "random_state": 0} | FORMS[request.param]
    model = given_tree(**options).fit(X, y)
    path = save_arrays(model, tmp_path_factory.mktemp(request.param) / "model.npz")
    return path, dict(np.load(path)), model.predict_proba(ROWS), model.predict(ROWS)


def refused(path):
    """Whether loading ends in the promised error; anything else than a model fails the test."""
    try:
        model = load_arrays(path)
    except ValueError:
        return True
    answers = model.predict(ROWS)
    assert_array_equal([model.predict_one(row) for row in ROWS], answers)
    shares = model.predict_proba(ROWS)
    assert np.isfinite(shares).all()
    assert np.isin(answers, model.classes_).all()
    return False


def first(value):
    def change(array):
        array = array.copy()
        array.flat[0] = value
        return array

    return change


def inner_gets_both(arrays):
    arrays["feature"] = arrays["feature"].copy()
    arrays["feature"][arrays["plane"] >= 0] = 0


NUMBERS = ("offsets", "weights", "counts", "shrinkage")
NODES = ("plane", "feature", "left", "right", "n_nodes")
ALL = (*NUMBERS, *NODES, "classes")
# Kind of tampering -> (arrays it is tried on, change). 63 in all.
KINDS = {
    "missing": (ALL, None),
    "one entry less": (ALL, lambda a: a[:-1]),
    "another dimension": (ALL, lambda a: a[..., None]),
    "text": (NUMBERS + NODES, lambda a: np.full(a.shape, "x")),
    "complex": (NUMBERS + NODES, lambda a: a.astype(complex)),
    "NaN": (NUMBERS, first(np.nan)),
    "infinite": (NUMBERS, first(np.inf)),
    "wrapped": (NODES, lambda a: a.astype(np.int64) + 2**32),
    "out of range": (NODES, first(10**6)),
    "negative": (("left", "right", "plane", "feature", "n_nodes", "counts"), first(-7)),
}
CASES = [(kind, name) for kind, (names, _) in KINDS.items() for name in names]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_tampered_arrays_are_refused(kind, name, saved, tmp_path):
    _, arrays, *_ = saved
    change = KINDS[kind][1]
    tampered = dict(arrays)
    if change is None:
        del tampered[name]
    else:
        tampered[name] = change(arrays[name])
    np.savez(tmp_path / "model.npz", **tampered)
    assert refused(tmp_path / "model.npz")


CLASSES = {
    "twice": lambda a: np.r_[a[:1], a[:-1]],
    "unsorted": lambda a: a[::-1],
    "NaN": lambda a: np.r_[a[:-1].astype(float), np.nan],
    "complex": lambda a: a.astype(complex),
    "one": lambda a: a[:1],
    "none": lambda a: a[:0],
    "one more": lambda a: np.r_[a, a[-1] + 1],
}


@pytest.mark.parametrize("kind", CLASSES)
def test_tampered_classes_are_refused(kind, saved, tmp_path):
    _, arrays, *_ = saved
    np.savez(tmp_path / "model.npz", **(arrays | {"classes": CLASSES[kind](arrays["classes"])}))
    assert refused(tmp_path / "model.npz")


def test_a_node_with_plane_and_feature_is_refused(saved, tmp_path):
    """Kernels disagree about it: `route` would follow the feature, the others the plane."""
    arrays = dict(saved[1])
    inner_gets_both(arrays)
    np.savez(tmp_path / "model.npz", **arrays)
    assert (arrays["plane"] >= 0).any()
    with pytest.raises(ValueError, match="both a 'plane' and a 'feature'"):
        load_arrays(tmp_path / "model.npz")


@pytest.mark.parametrize("change", [lambda a: a * 1e300, lambda a: a * 0, lambda a: -a])
def test_other_finite_numbers_are_another_model_that_is_one(change, saved, tmp_path):
    """Overflowing decision values too: `predict` and `predict_one` go the same way."""
    arrays = dict(saved[1])
    np.savez(tmp_path / "model.npz", **(arrays | {"weights": change(arrays["weights"])}))
    with np.errstate(over="ignore", invalid="ignore"):
        assert not refused(tmp_path / "model.npz")


@pytest.mark.parametrize(
    "every", [pytest.param(1, marks=pytest.mark.thorough, id="all"), pytest.param(17, id="some")]
)
def test_every_single_bit_flip_is_refused_or_harmless(tmp_path, every):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = given_tree(lam=1e-2, max_depth=2, random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
    path = save_arrays(model, tmp_path / "model.npz")
    expected = model.tree_.to_arrays()
    data = bytearray(path.read_bytes())
    flips = range(0, 8 * len(data), every)
    refusals = 0
    for flip in flips:
        place, bit = divmod(flip, 8)
        data[place] ^= 1 << bit
        try:
            path.write_bytes(data)
            (tree,) = (saved := load_arrays(path)).trees_
        except ValueError:
            refusals += 1
        else:  # dates and flags of the archive, nothing of the model
            assert saved.classes_.tolist() == [False, True]
            for name, array in tree.to_arrays().items():
                assert array.tobytes() == expected[name].tobytes()
        data[place] ^= 1 << bit
    assert refusals > len(flips) / 2


def npy(shape, dtype="<f8", data=b""):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape!r}, }}".ljust(117)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + b"\n" + data


@pytest.mark.parametrize("shape", [(10**13,), (2**40, 2**40), (-1,), (10**30,), (2**62, 2, 2)])
def test_a_shape_of_terabytes_is_refused_before_anything_is_taken(shape, tmp_path):
    with zipfile.ZipFile(tmp_path / "model.npz", "w") as archive:
        archive.writestr("weights.npy", npy(shape, data=bytes(64)))
    with pytest.raises(ValueError, match=r"states the shape|negative"):
        load_arrays(tmp_path / "model.npz")


def test_a_bomb_is_refused_by_its_headers(tmp_path, monkeypatch):
    """A third of a MB that would become 320 MB."""
    header, zeros = npy((40 << 20,)), bytes(320 << 20)
    with zipfile.ZipFile(tmp_path / "model.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", header + zeros)
    monkeypatch.setattr("hlsvm._npz._read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(ValueError, match="at most 268,435,456 are expected"):
        load_arrays(tmp_path / "model.npz")


@pytest.mark.parametrize("what", ["two of one name", "objects", "no array", "encrypted", "method"])
def test_strange_archives(what, tmp_path):
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", npy((1,), data=bytes(8)))
        if what == "two of one name":
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr("a.npy", npy((1,), data=bytes(8)))
        elif what == "objects":
            archive.writestr("b.npy", npy((1,), "|O", bytes(8)))
        elif what == "no array":
            archive.writestr("../../etc/passwd", b"x")
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    if what == "encrypted":
        data[6] |= 1
        data[central + 8] |= 1
    elif what == "method":
        data[8] = data[central + 10] = 99
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"model\.npz is not a readable \.npz"):
        load_arrays(path)


@pytest.mark.parametrize("rows", ["text", [["a"] * 3], {"a": 1}, object(), [[10**400, 0, 0]]])
def test_a_loaded_model_names_wrong_rows(rows, saved):
    with pytest.raises((TypeError, ValueError), match=r"\bX\b"):
        load_arrays(saved[0]).predict(rows)
