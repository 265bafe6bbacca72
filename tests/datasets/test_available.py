"""`available` answers from names alone, and answers as `load` would."""

import numpy as np
import pytest

from hlsvm.datasets import DataUnavailable, available, load
from hlsvm.datasets import list as list_sets
from hlsvm.datasets.registry import registry


@pytest.fixture
def nothing_is_read(monkeypatch):
    """Reading, generating and downloading fail."""

    def refuse(*_, **__):
        raise AssertionError("available() must not read, generate or download")

    for module, name in [
        ("_find", "read_npz"),
        ("_find", "read_official"),
        ("_find", "download"),
        ("digits", "infinite_digits"),
    ]:
        monkeypatch.setattr(f"hlsvm.datasets.{module}.{name}", refuse)
    monkeypatch.setattr(np, "load", refuse)


def test_every_name_is_answered_without_reading(nothing_is_read):
    answers = {name: available(name) for name in registry()}
    assert {name: a.where for name, a in answers.items()} == list_sets()["where"].to_dict()
    assert answers["infinite_digits"]
    assert answers["digits_3vo"].where == "bundled"
    for answer in answers.values():
        assert bool(answer) == (answer.reason == "")


def test_reason_says_what_to_do():
    answer = available("ijcnn1")
    assert not answer
    assert answer.where == "needs download"
    assert "hlsvm data fetch ijcnn1" in answer.reason
    assert "never put in a public place" in available("rat").reason
    with pytest.raises(ValueError, match="No data set is called 'ijcn'"):
        available("ijcn")


def test_a_rebuilt_test_part_needs_both_files(enter, data_folder):
    enter("whole", mirror="all.npz", n_train=4, n_features=2)
    enter("toy", mirror="few.npz", n_train=2, n_test=2, n_features=2, options={"rest_of": "whole"})
    data_folder.mkdir()
    (data_folder / "few.npz").write_bytes(b"")
    assert not available("toy")
    (data_folder / "all.npz").write_bytes(b"")
    assert available("toy")


def test_a_stand_in_counts_unless_refused(enter, data_folder):
    enter("few", mirror="few.npz", n_train=2, n_features=2)
    enter("toy", stand_in="few", n_train=9, n_features=2, official=("https://a.invalid/",))
    data_folder.mkdir()
    (data_folder / "few.npz").write_bytes(b"")
    assert available("toy").where == "local (stand-in few)"
    assert not available("toy", sample=False)


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["diabetes", "a8a", "covtype", "shuttle_binary", "gcm", "rat"])
def test_load_agrees(name, mirror):
    if available(name):
        load(name, download=False)
    else:
        with pytest.raises(DataUnavailable):
            load(name, download=False)
