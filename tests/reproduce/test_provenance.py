"""Provenance: what a result depends on is noted, where it was computed on disk is not."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hlsvm.reproduce.provenance import (
    describe_dataset,
    provenance,
    scrub,
)


def test_a_data_set_without_test_part():
    X = np.eye(2)
    data = SimpleNamespace(
        X_train=X, y_train=[0, 1], X_test=None, y_test=None, source="/data/x/a.npz", note="n"
    )
    result = describe_dataset(data)
    assert result["shapes"] == [[2, 2], [2], None, None]
    assert result["source"] == "a.npz"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/a/b/c.npz", "c.npz"),
        ("see https://x.org/a/b and ftp://y.org/c", "see https://x.org/a/b and ftp://y.org/c"),
        (r"C:\Users\me\x.csv", "x.csv"),
        ("h^2/4, N/M/p and 1 / 2", "h^2/4, N/M/p and 1 / 2"),
        ("'/a/b/c', ../figures/x.png", "'c', ../figures/x.png"),
        ({"k": ("/a/b/c", 1, None, True)}, {"k": ["c", 1, None, True]}),
        (np.float32(0.5), 0.5),
        (Path("/a/b"), "b"),
    ],
)
def test_scrub(text, left):
    assert scrub(text) == left


def test_provenance_names_versions_and_machine():
    result = provenance()
    assert result["versions"]["numpy"] == np.__version__
    assert result["machine"]["cores"] >= 1
    assert "threads" in result["machine"]


def test_outside_git_the_commit_is_unknown(repository, tmp_path, monkeypatch):
    (repository / ".git").rename(tmp_path / "gone")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    result = provenance()
    assert result["commit"] is None
    assert result["dirty"] is None


def test_the_commit_says_whether_the_code_was_changed(repository, commit):
    (repository / "hlsvm").mkdir()
    (repository / "hlsvm" / "a.py").write_text("x = 1\n")
    commit(repository)
    clean = provenance()
    assert len(clean["commit"]) == 40
    assert clean["dirty"] is False
    (repository / "hlsvm" / "a.py").write_text("x = 2\n")
    assert provenance()["dirty"] is True
