"""The catalogue: every figure, table, theorem, method and data set of the documents by its id."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from hlsvm.reproduce.paths import repository_root


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
