"""A small repository to record into: the catalogue and the published numbers, nothing recorded."""

import shutil
import subprocess
from pathlib import Path

import matplotlib as mpl
import pytest

from hlsvm.reproduce import scoreboard
from hlsvm.reproduce.pages import gallery_text

ROOT = Path(__file__).resolve().parents[2]
mpl.use("agg")


@pytest.fixture(scope="session")
def board():
    """Every published number beside that of the committed records."""
    return scoreboard()


@pytest.fixture(scope="session")
def gallery_page(board):
    """Text of the gallery of the committed records."""
    return gallery_text(board)


@pytest.fixture
def repository(tmp_path, monkeypatch, commit):
    """Root of a copy of the repository without code and records, committed."""
    root = tmp_path / "repository"
    shutil.copytree(ROOT / "data" / "published", root / "data" / "published")
    for name in ("catalogue", "captions", "claims", "headlines"):
        shutil.copy(ROOT / "data" / f"{name}.csv", root / "data")
    for name in ("gallery.md", "summary.md"):
        shutil.copy(ROOT / "data" / name, root / "data")
    monkeypatch.setenv("HLSVM_ROOT", str(root))
    (root / ".gitignore").write_text("out/\n")
    commit(root)
    return root


@pytest.fixture
def small_disk(tmp_path):
    """Folder on a disk of 256 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
