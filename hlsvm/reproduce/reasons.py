"""Why a published number has none of ours beside it, or a worse one.

A record says of its gaps "not run: data (...)" or "not run: hours". To the first the registry adds
the files that would fill it, to the second the catalogue adds the command. What no record can say
of itself stands in ``data/reasons.csv``: one line an id, with patterns for the row and the
quantity; a line with the verdict "worse" explains, it changes no verdict.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from hlsvm.datasets import registered_name
from hlsvm.reproduce.catalogue import lookup, siblings
from hlsvm.reproduce.paths import repository_root
from hlsvm.reproduce.published_numbers import read_strings
from hlsvm.reproduce.verdict import Verdict

# Of data that were never public no file is missing.
_NEVER = ("not public", "never published")
UNEXPLAINED = "not explained"


def reasons(id: str | None = None) -> list[dict[str, str]]:
    """Return ``data/reasons.csv``: ``id``, ``row``, ``quantity``, ``verdict``, ``why``.

    Parameters
    ----------
    id : str, optional
        Only what is said of this id or of the same table in another document.

    Returns
    -------
    list of dict
        Empty where the file is not there.
    """
    path = repository_root() / "data" / "reasons.csv"
    return _lines(id, path, path.stat().st_mtime_ns) if path.exists() else []


@lru_cache(maxsize=512)
def _lines(id: str | None, path: Path, _changed: int) -> list[dict[str, str]]:
    lines = read_strings(path).to_dict("records")
    return lines if id is None else [line for line in lines if line["id"] in siblings(id)]


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
    from hlsvm.datasets.registry import registry

    entry = registry().get(registered_name(dataset))
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
    """Return a verdict "not run" or "worse" with its reason said in full.

    Parameters
    ----------
    id : str
    row : str
        The keys of the row, joined by ", ".
    quantity : str
    dataset : str
        As the documents call it; "" where the row names none.
    found : Verdict
        With the reason of the record.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> late = Verdict("not run", "hours")
    >>> explain("DTSVM.Tab3", "Poker, LASVM", "1A1_total_svs", "Poker", late).why
    'hours: `hlsvm run 09_dtsvm --scale paper`'
    """
    said = [
        line
        for line in reasons(id)
        if (line["verdict"] == "worse") == (found.verdict == "worse")
        and fnmatchcase(row, line["row"])
        and fnmatchcase(quantity, line["quantity"])
    ]
    if found.verdict == "worse":
        why = said[0]["why"] if said else found.why or UNEXPLAINED
        return Verdict("worse", why, found.difference)
    if said and not found.why.startswith("data"):
        found = Verdict(said[0]["verdict"], said[0]["why"])
    if found.verdict != "not run":
        return found
    command = f"`hlsvm run {lookup(id).home} --scale paper"
    if found.why == "hours":
        return Verdict("not run", f"hours: {command}`")
    if found.why.startswith("hours (") and found.why.endswith(" rows)"):
        rows = found.why.split()[-2].removeprefix("(")
        return Verdict("not run", f"{found.why}: {command} -p most_rows {rows}`")
    if found.why == "data" or found.why.startswith("data ("):
        return Verdict("not run", _data(found.why, dataset))
    return found
