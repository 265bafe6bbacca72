"""Why a published number has none of ours beside it: which file is missing, which command makes it.

A record says of its gaps "not run: data (...)" or "not run: hours". Here the first gets the files
that would fill it, from the registry, and the second the command. What no record speaks of stands
in ``data/gaps.csv``: one line an id, with patterns for the row and the quantity.
"""

from __future__ import annotations

import csv
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from hlsvm.reproduce.catalogue import lookup, siblings
from hlsvm.reproduce.judge import Verdict
from hlsvm.reproduce.paths import repository_root

# What the documents call a data set, where neither the catalogue's id nor the registry's name is.
_NAMES = {
    "covertype.binary": "covtype_binary",
    "covertype": "covtype",
    "cifar-10.binary": "cifar10_animals",
    "ijcnn": "ijcnn1",
    "binary covtype": "covtype_binary",
    "w8a.t": "w8a",
}
# Of data that were never public no file is missing.
_NEVER = ("not public", "never published")


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> tuple[dict[str, str], ...]:
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@lru_cache(maxsize=256)
def _said_of(id: str, lines: Path, changed: int) -> list[dict[str, str]]:
    same = siblings(id)
    return [line for line in _read(lines, changed) if line["id"] in same]


def declared(id: str | None = None) -> list[dict[str, str]]:
    """Return the lines of ``data/gaps.csv``: ``id``, ``row``, ``quantity``, ``verdict``, ``why``.

    Parameters
    ----------
    id : str, optional
        Only what is said of this id or of the same table in another document.

    Returns
    -------
    list of dict
        Empty where the file is not there.
    """
    path = repository_root() / "data" / "gaps.csv"
    if not path.exists():
        return []
    changed = path.stat().st_mtime_ns
    return list(_read(path, changed)) if id is None else _said_of(id, path, changed)


def _says(id: str, row: str, quantity: str) -> dict[str, str] | None:
    for line in declared(id):
        if fnmatchcase(row, line["row"]) and fnmatchcase(quantity, line["quantity"]):
            return line
    return None


def _entry(dataset: str):
    """Return the registry's entry of a data set as the documents call it, or None."""
    from hlsvm.datasets.registry import registry

    known = registry()
    if name := _NAMES.get(dataset.lower()):
        return known[name]
    for entry in known.values():
        if any(id.partition(".data.")[2].lower() == dataset.lower() for id in entry.ids):
            return entry
    return known.get(dataset.lower())


@lru_cache(maxsize=256)
def missing_files(dataset: str) -> str:
    """Return the files of a data set, or what brings it; "" where nothing does.

    Examples
    --------
    >>> missing_files("Vehicle")
    'combined_scale.bz2, combined_scale.t.bz2'
    >>> missing_files("GCM")
    '`hlsvm data fetch gcm`'
    >>> missing_files("RAT")
    ''
    """
    entry = _entry(dataset)
    if entry is None or entry.built_in:
        return ""
    if entry.files:
        return ", ".join(file["name"] for file in entry.files)
    return "" if entry.external else f"`hlsvm data fetch {entry.name}`"


def _data(why: str, dataset: str) -> str:
    inside = why.removeprefix("data").strip().removeprefix("(").removesuffix(")")
    if any(words in inside for words in _NEVER):
        return why
    inside = "" if inside.startswith("The data set ") else inside
    parts = [part for part in (inside, missing_files(dataset)) if part]
    return f"data ({': '.join(parts)})" if parts else why


def explain(id: str, row: str, quantity: str, dataset: str, found: Verdict) -> Verdict:
    """Return the verdict on a number without one of ours, with what is missing said in full.

    Parameters
    ----------
    id : str
    row : str
        The keys of the row, joined by ", ".
    quantity : str
    dataset : str
        As the documents call it; "" where the row names none.
    found : Verdict
        "not run", with the reason of the record.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> late = Verdict("not run", "hours")
    >>> explain("DTSVM.Tab3", "Poker, LASVM", "1A1_total_svs", "Poker", late).why
    'hours: `hlsvm run 09_dtsvm --scale paper`'
    """
    line = _says(id, row, quantity)
    if line is not None and not found.why.startswith("data"):
        found = Verdict(line["verdict"], line["why"])
    why, home = found.why, lookup(id).home
    if found.verdict != "not run":
        return found
    if why == "hours":
        return Verdict("not run", f"hours: `hlsvm run {home} --scale paper`")
    if why.startswith("hours (") and why.endswith(" rows)"):
        more = f"-p most_rows {why.split()[-2].removeprefix('(')}"
        return Verdict("not run", f"{why}: `hlsvm run {home} --scale paper {more}`")
    if why == "data" or why.startswith("data ("):
        return Verdict("not run", _data(why, dataset))
    return found
