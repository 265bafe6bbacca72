"""The repository: where it is, what its files are called, its catalogue of ids, and captions."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class Entry:
    """One row of ``data/catalogue.csv``.

    Attributes
    ----------
    id, document, kind, title, what_it_shows, inputs : str
        What it is and what it is made from.
    regenerable : {"data", "diagram", "no"}
        Computed, drawn, or external (then `why` says why).
    published_csv : str
        File of ``data/published`` with its printed numbers, or "".
    depends_on : str
        Ids separated by ``;``.
    home : str
        Notebook that makes it, such as "05_hlsvm".
    same_as : str
        Id of the same figure or table in another document: one record serves both.
    why : str
        Why it cannot be recomputed.
    """

    id: str
    document: str
    kind: str
    title: str
    what_it_shows: str
    inputs: str
    regenerable: str
    published_csv: str
    depends_on: str
    home: str
    same_as: str
    why: str


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int) -> dict[str, Entry]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: Entry(**row) for row in csv.DictReader(file)}


def entries() -> dict[str, Entry]:
    """Return every entry of the catalogue by id, in its order."""
    path = repository_root() / "data" / "catalogue.csv"
    return _read(path, path.stat().st_mtime_ns)


def lookup(id: str) -> Entry:
    """Return the entry of an id.

    Raises
    ------
    TypeError
        `id` is not text.
    KeyError
        The catalogue has no such id; the message names the nearest ones.

    Examples
    --------
    >>> lookup("Thesis.Fig5.6").home
    '05_hlsvm'
    """
    if not isinstance(id, str):
        raise TypeError(f"id must be text such as 'Thesis.Fig5.6'. Got {id!r} instead.")
    known = entries()
    if id in known:
        return known[id]
    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(id.lower(), by_lower, n=3, cutoff=0.6)
    names = " or ".join(repr(by_lower[name]) for name in near)
    hint = f"Did you mean {names}?" if near else "data/catalogue.csv lists them."
    raise KeyError(f"{id!r} is not in the catalogue. {hint}")


def home(id: str) -> str:
    """Return the notebook an id is made in, relative to the repository.

    Examples
    --------
    >>> home("Thesis.Tab5.4")
    'notebooks/05_hlsvm.ipynb'
    """
    return f"notebooks/{lookup(id).home}.ipynb"


def siblings(id: str) -> list[str]:
    """Return `id` and the ids that name the same figure or table in another document.

    Examples
    --------
    >>> siblings("HLSVM.Tab4")
    ['HLSVM.Tab4', 'Thesis.Tab5.4']
    """
    first = lookup(id).same_as or id
    group = [first, *(other.id for other in entries().values() if other.same_as == first)]
    return [id, *(other for other in group if other != id)]


@lru_cache(maxsize=8)
def _captions(path: Path, _changed: int) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def _said(id: str, what: str) -> str:
    path = repository_root() / "data" / "captions.csv"
    return _captions(path, path.stat().st_mtime_ns).get(lookup(id).id, {}).get(what, "")


def caption(id: str) -> str:
    """Return what to see in a figure of ours, in one sentence; "" if it is not recorded.

    Examples
    --------
    >>> caption("Thesis.Fig5.3")
    'In an H-LSVM tree both children may be split again.'
    """
    return _said(id, "caption")


def caveat(id: str) -> str:
    """Return what to beware of when a figure of ours is read; "" where there is nothing.

    Examples
    --------
    >>> caveat("Thesis.Fig5.3")
    'A diagram: nothing is measured.'
    """
    return _said(id, "caveat")


def read_strings(path: Path) -> Any:
    """Read a CSV as a frame as it stands: every cell text, empty cells ''."""
    return _cells(path, path.stat().st_mtime_ns, path.stat().st_size).copy()


@lru_cache(maxsize=256)
def _cells(path: Path, _changed: int, _size: int) -> Any:
    import pandas as pd

    return pd.read_csv(path, dtype=str, keep_default_na=False).astype(object)
