"""``hlsvm site``: web pages of the notebooks, the gallery and the API."""

from __future__ import annotations

from pathlib import Path

import click

from hlsvm.cli._base import fail, one_sentence
from hlsvm.reproduce.paths import RepositoryNotFound, repository_root


def _make_site(out: Path | None) -> list[str]:
    """Build the static site and return what is broken in it."""
    from importlib.util import find_spec

    if find_spec("latex2mathml") is None or find_spec("nbconvert") is None:
        raise ModuleNotFoundError("the site needs more packages: pip install 'hlsvm[site]'.")
    from hlsvm.reproduce.site.build import build
    from hlsvm.reproduce.site.links import problems

    folder = Path(out) if out else repository_root() / "out" / "site"
    pages = build(folder)
    broken = list(problems(folder))
    for line in broken:
        click.echo(f"BROKEN: {line}")
    click.echo(f"{len(pages)} pages: open {folder / 'index.html'}")
    return broken


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
def site(out: Path | None) -> None:
    """Make web pages of the executed notebooks and the gallery; they need no network."""
    with one_sentence(RepositoryNotFound, ValueError, ModuleNotFoundError):
        broken = _make_site(out)
    if broken:
        fail(f"{len(broken)} links are broken; they stand above.")
