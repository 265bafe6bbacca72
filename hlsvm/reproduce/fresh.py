"""Whether a record is as young as the code and the data it was made from.

A record names the digest of every module it was made by and of the registry entry of every data set
it used. One of them changed: the record is out of date, until it is made again or until somebody
has confirmed, with a reason, that its numbers are untouched. Confirmations stand in
``data/results/confirmed.csv`` and hold for exactly the state that was confirmed.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from hlsvm.reproduce._files import read_json, write_json
from hlsvm.reproduce.atomic import write_together
from hlsvm.reproduce.paths import repository_root
from hlsvm.reproduce.provenance import code_digest, registry_digest

_COLUMNS = ("record", "changed", "digest", "because")


def _confirmed_file() -> Path:
    return repository_root() / "data" / "results" / "confirmed.csv"


def confirmations() -> list[dict[str, str]]:
    """Return what has been confirmed: record, what changed, its digest then, and why."""
    path = _confirmed_file()
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _module_path(name: str) -> Path | None:
    """Return the source of a module of the package, without importing anything."""
    place = Path(__file__).resolve().parents[2].joinpath(*name.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.exists():
            return path
    return None


class _Digests:
    """Digests of sources as they are now; those of unchanged files are kept on the disk."""

    def __init__(self):
        self._file = repository_root() / "out" / "digests.json"
        kept = read_json(self._file)
        self._kept = kept if isinstance(kept, dict) else {}
        self._new = False

    def of(self, name: str) -> str:
        """Return the digest of a module or, after "data:", of a registry entry; or "gone"."""
        if name.startswith("data:"):
            return registry_digest(name.removeprefix("data:")) or "gone"
        path = _module_path(name)
        if path is None:
            return "gone"
        state = path.stat()
        key = [str(path), state.st_mtime_ns, state.st_size]
        found = self._kept.get(name)
        if not isinstance(found, dict) or found.get("key") != key:
            found = self._kept[name] = {"key": key, "digest": code_digest(path)}
            self._new = True
        return found["digest"]

    def keep(self) -> None:
        """Write what was computed anew."""
        if self._new:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_json(self._file, self._kept)


def _sources(content: dict) -> dict[str, str]:
    """Return what a record was made from: modules and registered data sets, with their digests."""
    found = dict(content.get("code", {}))
    for name, described in content.get("datasets", {}).items():
        if described.get("registered"):
            found[f"data:{name.partition(' (')[0]}"] = described["registered"]
    return found


def _changes() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield id, record and what has changed since (name -> digest now), confirmed or not."""
    root = repository_root()
    digests, now = _Digests(), {}
    records = [*(root / "figures").glob("*.json"), *(root / "data/results").glob("*.json")]
    for path in sorted(records):
        content = json.loads(path.read_text(encoding="utf-8"))
        changed = {}
        for name, digest in _sources(content).items():
            if name not in now:
                now[name] = digests.of(name)
            if now[name] != digest:
                changed[name] = now[name]
        if changed:
            yield content["id"], path.relative_to(root).as_posix(), changed
    digests.keep()


def stale() -> pd.DataFrame:
    """Return the records made by code or data that have changed since (comments do not count).

    Returns
    -------
    DataFrame
        Columns ``id``, ``record`` (file), ``changed`` (modules, and data sets as "data:name",
        separated by a space). What is confirmed does not count.
    """
    known = {(row["record"], row["changed"], row["digest"]) for row in confirmations()}
    lines = []
    for id, record, changed in _changes():
        left = [name for name, digest in changed.items() if (record, name, digest) not in known]
        if left:
            lines.append({"id": id, "record": record, "changed": " ".join(left)})
    return pd.DataFrame(lines, columns=["id", "record", "changed"])


def confirm(ids: Iterable[str], because: str) -> int:
    """Confirm that changes since left the numbers of records as they are.

    Parameters
    ----------
    ids : iterable of str
        Ids whose records are confirmed; "all" stands for every one that is out of date.
    because : str
        Why the numbers are untouched; a sentence, kept beside the confirmation.

    Returns
    -------
    int
        How many records were out of date and are confirmed now.

    Raises
    ------
    ValueError
        No reason is given, or an id has no record that is out of date.
    """
    if not isinstance(because, str) or len(because.split()) < 3:
        raise ValueError(
            "because must say in a sentence why the numbers are untouched. "
            f"Got {because!r} instead."
        )
    late, asked = stale(), list(ids)
    unknown = [id for id in asked if id != "all" and id not in set(late["id"])]
    if unknown or not asked:
        came = repr(unknown[0]) if unknown else "none"
        raise ValueError(f"ids must name records that are out of date, or be 'all'. Got {came}.")
    chosen = late if "all" in asked else late[late["id"].isin(asked)]
    _write(set(chosen["record"]), because)
    return len(chosen)


def _write(records: set[str], because: str) -> None:
    """Add confirmations of the present state; those of an earlier state go."""
    present, rows = {}, []
    for _, record, changed in _changes():
        present.update({(record, name): digest for name, digest in changed.items()})
    for row in confirmations():
        if present.get((row["record"], row["changed"])) == row["digest"]:
            rows.append(row)
    kept = {(row["record"], row["changed"]) for row in rows}
    for (record, name), digest in present.items():
        if record in records and (record, name) not in kept:
            rows.append(dict(zip(_COLUMNS, (record, name, digest, because), strict=True)))
    rows.sort(key=lambda row: (row["record"], row["changed"]))

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)

    write_together(_confirmed_file().parent, {_confirmed_file().name: write})
