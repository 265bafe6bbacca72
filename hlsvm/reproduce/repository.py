"""The repository: where it is, what its files are called, its catalogue of ids, and captions."""

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from hlsvm._files import settle

_MARKS = ("data/catalogue.csv", "data/published")


class RepositoryNotFound(FileNotFoundError):
    """The package is installed, but the repository with its data and records is not at hand."""


def _is_root(folder: Path) -> bool:
    return all((folder / mark).exists() for mark in _MARKS)


def repository_root() -> Path:
    """Return the repository: ``HLSVM_ROOT``, else the one we stand in, else the package's own.

    RepositoryNotFound: none of the three holds ``data/catalogue.csv`` and ``data/published``.

    Examples
    --------
    >>> (repository_root() / "data" / "catalogue.csv").exists()
    True
    """
    return _root(os.environ.get("HLSVM_ROOT", ""), os.getcwd())


@lru_cache(maxsize=16)
def _root(named: str, current: str) -> Path:
    if named:
        if _is_root(Path(named)):
            return Path(named).resolve()
        raise RepositoryNotFound(
            f"HLSVM_ROOT={named!r} is not a clone of the repository: it lacks {' or '.join(_MARKS)}"
        )
    for folder in (Path(current), *Path(current).parents, Path(__file__).resolve().parents[2]):
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
class Chapter:
    """A lesson with its experiments: notebook, folder of `hlsvm.chapters`, title, claims."""

    home: str
    word: str
    title: str
    topic: str = ""  # the beginning of its claims' ids
    method: str = ""  # what they are about


CHAPTERS = (
    Chapter("02_background", "background", "Chapter 2: background"),
    Chapter("03_qpfs", "qpfs", "Chapter 3: QPFS", "QPFS", "QPFS"),
    Chapter("04_kqpfs_equivalence", "kqpfs", "Chapter 4: KQPFS", "KQPFS", "KQPFS"),
    Chapter("05_hlsvm", "hlsvm", "Chapter 5: H-LSVM, and beyond", "HLSVM", "H-LSVM"),
    Chapter("06_generalization_bounds", "bounds", "Chapter 6: bounds", "BOUND", "bounds"),
    Chapter(
        "07_global_view", "global_view", "Chapter 7: the global view", "GLOBAL", "QPFS and H-LSVM"
    ),
    Chapter("08_srs_svm", "srs_svm", "Chapter 8: SRS-SVM", "SRS", "SRS-SVM"),
    Chapter("09_dtsvm", "dtsvm", "Chapter 9: DTSVM", "DTSVM", "DTSVM"),
    Chapter("10_metric_tree", "metric_tree", "Chapter 10: metric trees", "METRIC", "metric tree"),
)


@dataclass(frozen=True)
class Entry:
    """One row of ``data/catalogue.csv``; ``data/published/README.md`` explains its columns."""

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


def by_file(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    """Keep what a function reads from a file until the file changes."""
    kept = lru_cache(maxsize=512)(lambda path, *_state: read(path))

    def read_once(path: Path) -> Any:
        state = path.stat()
        return kept(path, state.st_mtime_ns, state.st_size)

    return read_once


@by_file
def _entries(path: Path) -> dict[str, Entry]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: Entry(**row) for row in csv.DictReader(file)}


def entries() -> dict[str, Entry]:
    """Return every entry of the catalogue by id, in its order."""
    return _entries(repository_root() / "data" / "catalogue.csv")


def lookup(id: str) -> Entry:
    """Return the entry of an id.

    Raises
    ------
    TypeError, KeyError
        `id` is not text, or not in the catalogue; the message names the nearest ones.

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


def tables_drawn(entry: Entry) -> list[str]:
    """Return the tables whose published numbers an entry that is no table stands for."""
    return [
        other.id
        for other in entries().values()
        if entry.kind != "table" and other.kind == "table"
        if other.published_csv == entry.published_csv != ""
    ]


def record_files(root: Path | None = None) -> list[Path]:
    """Return the provenance files of all records, in the order of their names."""
    root = root or repository_root()
    return sorted([*root.glob("figures/*.json"), *root.glob("data/results/*.json")])


def record_file(owners: list[str], folders: list[Path], suffix: str) -> Path | None:
    """Return the first file that is there of those of the owners, an owner before the next."""
    for folder in folders:
        settle(folder)
    files = (folder / f"{stem(owner)}{suffix}" for owner in owners for folder in folders)
    return next((file for file in files if file.exists()), None)


def recorded_file(id: str, *folders: str) -> Path | None:
    """Return the CSV that answers for an id, None where nothing is recorded.

    The id's own record comes first, then that of the same table in another document, then that of
    the table a figure draws; for a figure the last folder comes first.
    """
    entry = lookup(id)
    drawn = (owner for table in tables_drawn(entry) for owner in siblings(table))
    places = [repository_root() / folder for folder in folders]
    places = places[::-1] if entry.kind == "figure" else places
    return record_file([*siblings(id), *drawn], places, ".csv")


def numbers_file(id: str, kind: str) -> Path | None:
    """Return the CSV whose numbers are the "published" or the "recorded" ones of an id, or None."""
    if kind == "recorded":
        return recorded_file(id, "data/results", "figures")
    file = lookup(id).published_csv
    return repository_root() / "data" / "published" / file if file else None


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


def _words(id: str, what: str) -> str:
    known = _cells(repository_root() / "data" / "captions.csv").set_index("id")[what]
    return known.get(lookup(id).id, "")


def caption(id: str) -> str:
    """Return what to see in a figure of ours, in one sentence; "" if it is not recorded.

    Examples
    --------
    >>> caption("Thesis.Fig5.3")
    'In an H-LSVM tree both children may be split again.'
    """
    return _words(id, "caption")


def caveat(id: str) -> str:
    """Return what to beware of when a figure of ours is read; "" where there is nothing.

    Examples
    --------
    >>> caveat("Thesis.Fig5.3")
    'A diagram: nothing is measured.'
    """
    return _words(id, "caveat")


def read_strings(path: Path) -> Any:
    """Read a CSV as a frame as it stands: every cell text, empty cells ''."""
    return _cells(path).copy()


@by_file
def _cells(path: Path) -> Any:
    import pandas as pd

    return pd.read_csv(path, dtype=str, keep_default_na=False).astype(object)
