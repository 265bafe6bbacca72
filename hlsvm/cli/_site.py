"""``hlsvm site``: web pages of the book, the gallery and the API, made by Sphinx."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from hlsvm.cli._base import fail, one_sentence
from hlsvm.reproduce.repository import RepositoryNotFound, repository_root

_NEEDED = ("sphinx", "myst_nb", "numpydoc", "furo", "latex2mathml")


def _make_site(out: Path | None) -> Path:
    root = repository_root()
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        raise ModuleNotFoundError(
            f"the site needs {', '.join(missing)}: pip install 'hlsvm[site]'."
        )
    folder = Path(out) if out else root / "out" / "site"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(root / "docs" / "api", ignore_errors=True)  # pages of names that are gone
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-E", "-j", "2"]
    command += ["-c", str(root / "docs"), "-d", str(folder / ".doctrees")]
    if subprocess.run([*command, str(root), str(folder)], check=False).returncode:
        fail("Sphinx could not make the site; its output is above.")
    return folder


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
def site(out: Path | None) -> None:
    """Make web pages of the book, the gallery and the API; they need no network."""
    with one_sentence(RepositoryNotFound, ModuleNotFoundError):
        folder = _make_site(out)
    pages = sum(1 for _ in folder.rglob("*.html"))
    click.echo(f"{pages} pages: open {folder / 'index.html'}")
