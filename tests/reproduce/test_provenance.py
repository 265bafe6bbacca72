"""Provenance: what a result depends on is noted, where it was computed on disk is not."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hlsvm.reproduce.provenance import (
    code_digest,
    describe_dataset,
    provenance,
    scrub,
)


def digest_of(source, tmp_path, name="module.py"):
    path = tmp_path / name
    path.write_text(source)
    return code_digest(path)


def test_comments_and_docstrings_do_not_change_code(tmp_path):
    plain = digest_of("def f(x):\n    return x + 1\n", tmp_path, "a.py")
    spoken = digest_of(
        '"""Module."""\n\n\ndef f(x):\n    """Add."""\n    # why\n    return x + 1\n',
        tmp_path,
        "b.py",
    )
    other = digest_of("def f(x):\n    return x + 2\n", tmp_path, "c.py")
    assert plain == spoken != other


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = 'a'", "y = 'a'"),
        ("f(a, b)", "f(b, a)"),
        ("if a:\n    b()\nc()", "if a:\n    b()\n    c()"),
        ("def f(): pass", "async def f(): pass"),
    ],
)
def test_code_that_differs_has_another_digest(one, two, tmp_path):
    assert digest_of(one, tmp_path, "a.py") != digest_of(two, tmp_path, "b.py")


def test_a_change_on_disk_is_seen(tmp_path):
    first = digest_of("x = 1", tmp_path)
    path = tmp_path / "module.py"
    path.write_text("x = 2")
    import os

    os.utime(path, ns=(1, 1))
    assert code_digest(path) != first


def test_a_data_set_without_test_part():
    X = np.eye(2)
    data = SimpleNamespace(
        X_train=X, y_train=[0, 1], X_test=None, y_test=None, source="/data/x/a.npz", note="n"
    )
    found = describe_dataset(data)
    assert found["shapes"] == [[2, 2], [2], None, None]
    assert found["source"] == "a.npz"


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


def test_provenance_names_code_versions_and_machine():
    code = (
        "import json, hlsvm._params\n"
        "from hlsvm.reproduce.provenance import provenance\n"
        "print(json.dumps(provenance()))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert "hlsvm._params" in found["code"]
    assert not any(name.startswith("hlsvm.reproduce") for name in found["code"])
    assert found["versions"]["numpy"] == np.__version__
    assert found["machine"]["cores"] >= 1
    assert "threads" in found["machine"]


def test_outside_git_the_commit_is_unknown(repository, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    found = provenance()
    assert found["commit"] is None
    assert found["dirty"] is None


def test_the_commit_says_whether_the_code_was_changed(repository):
    def git(*words):
        identity = ["-c", "user.name=n", "-c", "user.email=e@e"]
        subprocess.run(["git", *identity, *words], cwd=repository, check=True, capture_output=True)

    (repository / "hlsvm").mkdir()
    (repository / "hlsvm" / "a.py").write_text("x = 1\n")
    git("init", "-q")
    git("add", "hlsvm")
    git("commit", "-q", "-m", "first")
    clean = provenance()
    assert len(clean["commit"]) == 40
    assert clean["dirty"] is False
    (repository / "hlsvm" / "a.py").write_text("x = 2\n")
    assert provenance()["dirty"] is True
