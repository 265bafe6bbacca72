"""A small repository to record into: the catalogue and the published numbers, nothing recorded."""

import shutil
from pathlib import Path

import matplotlib as mpl
import pytest

ROOT = Path(__file__).resolve().parents[2]
mpl.use("agg")


@pytest.fixture
def repository(tmp_path, monkeypatch, commit):
    """Root of a copy of the repository without code and records, committed."""
    root = tmp_path / "repository"
    shutil.copytree(ROOT / "data" / "published", root / "data" / "published")
    for name in ("catalogue.csv", "captions.csv", "claims.csv"):
        shutil.copy(ROOT / "data" / name, root / "data")
    monkeypatch.setenv("HLSVM_ROOT", str(root))
    (root / ".gitignore").write_text("out/\n")
    commit(root)
    return root
