"""Where the repository is, and what the files of an id are called."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

_MARKS = ("data/catalogue.csv", "data/published")


class RepositoryNotFound(FileNotFoundError):
    """The package is installed, but the repository with its data and records is not at hand."""


def _is_root(folder: Path) -> bool:
    return all((folder / mark).exists() for mark in _MARKS)


def repository_root() -> Path:
    """Return the repository: ``HLSVM_ROOT``, else the one we stand in, else the package's own.

    Raises
    ------
    RepositoryNotFound
        None of the three holds ``data/catalogue.csv`` and ``data/published``.

    Examples
    --------
    >>> (repository_root() / "data" / "catalogue.csv").exists()
    True
    """
    return _root(os.environ.get("HLSVM_ROOT", ""), os.getcwd())


@lru_cache(maxsize=16)
def _root(named: str, here: str) -> Path:
    if named:
        if _is_root(Path(named)):
            return Path(named).resolve()
        raise RepositoryNotFound(
            f"HLSVM_ROOT={named!r} is not a clone of the repository: it lacks {' or '.join(_MARKS)}"
        )
    for folder in (Path(here), *Path(here).parents, Path(__file__).resolve().parents[2]):
        if _is_root(folder):
            return folder.resolve()
    raise RepositoryNotFound(
        "hlsvm is installed without its repository (data/catalogue.csv is not beside it). Clone "
        "the repository and work inside it, or set HLSVM_ROOT to the clone."
    )


def stem(id: str) -> str:
    """Return the file name of an id, without suffix.

    Examples
    --------
    >>> stem("Thesis.Fig5.6")
    'thesis-fig5.6'
    """
    return id.lower().replace(".", "-", 1)


def resolve(folder: str | os.PathLike) -> Path:
    """Return `folder`; a relative one is taken from the repository, wherever we stand."""
    folder = Path(folder).expanduser()
    return folder if folder.is_absolute() else repository_root() / folder


def record_folders(scale: str, out_dir: str | os.PathLike | None = None) -> tuple[Path, Path]:
    """Return the folders of figures and of tables.

    They are in the git-ignored ``out/<scale>/``, or in `out_dir`. Only ``out_dir="record"`` names
    those of the repository (``figures/``, ``data/results/``), which paper scale alone may write.
    """
    root = repository_root()
    if out_dir == "record":
        if scale != "paper":
            raise ValueError(f"out_dir='record' keeps results at scale 'paper'. Got {scale!r}.")
        return root / "figures", root / "data" / "results"
    base = resolve(out_dir) if out_dir else root / "out" / scale
    return base / "figures", base / "results"
