"""The scoreboard: every published number beside ours, and the state of every id."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from hlsvm._files import settle
from hlsvm.reproduce.catalogue import Entry, entries, siblings
from hlsvm.reproduce.comparison import compare
from hlsvm.reproduce.judge import VERDICTS
from hlsvm.reproduce.paths import repository_root, stem

_VALUES = ["quantity", "published", "ours", "difference", "verdict", "why"]


def owners() -> list[str]:
    """Return the ids that own published numbers: the tables, and the running text by chapter."""
    kinds = ("table", "text")
    return [e.id for e in entries().values() if e.kind in kinds and e.published_csv]


def scoreboard(ids=None) -> pd.DataFrame:
    """Compare every published number with the recorded one.

    Parameters
    ----------
    ids : list of str, optional
        Only these. Default: every table and the numbers in running text.

    Returns
    -------
    DataFrame
        One line per published number: ``id``, ``row`` (its keys), ``quantity``, ``published``,
        ``ours``, ``difference``, ``verdict``, ``why``. Text cells, the same on every machine.

    Examples
    --------
    >>> scoreboard(["SRS.Tab9"]).verdict.unique().tolist()
    ['not comparable']
    """
    parts = []
    for id in owners() if ids is None else ids:
        found = compare(id)
        if found.empty:
            continue
        keys = list(found.columns[: found.columns.get_loc("quantity")])
        row = found[keys].apply(lambda cells: ", ".join(cell for cell in cells if cell), axis=1)
        parts.append(pd.DataFrame({"id": id, "row": row, **found[_VALUES]}))
    if not parts:
        return pd.DataFrame(columns=["id", "row", *_VALUES], dtype=object)
    return pd.concat(parts, ignore_index=True)


def summary(board: pd.DataFrame | None = None) -> pd.DataFrame:
    """Count the verdicts of a scoreboard by id; the last line, "all", is their sum.

    Examples
    --------
    >>> summary(scoreboard(["SRS.Tab9"])).loc["SRS.Tab9", "numbers"]
    np.int64(6)
    """
    board = scoreboard() if board is None else board
    counts = pd.crosstab(board["id"], board["verdict"])
    counts = counts.reindex(columns=VERDICTS, index=board["id"].unique(), fill_value=0)
    counts.insert(0, "numbers", counts.sum(axis=1))
    counts.loc["all"] = counts.sum()
    return counts.rename_axis(index=None, columns=None)


def record_path(id: str) -> Path | None:
    """Return the provenance file of an id's committed record (or its sibling's), or None."""
    root = repository_root()
    for folder in (root / "figures", root / "data" / "results"):
        settle(folder)
    for owner in siblings(id):
        for folder in (root / "figures", root / "data" / "results"):
            path = folder / f"{stem(owner)}.json"
            if path.exists():
                return path
    return None


def _state(entry: Entry) -> str:
    if entry.why:
        return f"external: {entry.why}"
    if entry.kind in ("figure", "table"):
        if record_path(entry.id) is not None:
            return "drawn" if entry.regenerable == "diagram" else "computed"
        return "not run: nothing recorded yet"
    if (repository_root() / "notebooks" / f"{entry.home}.ipynb").exists():
        return f"in {entry.home}"
    return f"not run: {entry.home} is missing"


def state(ids=None) -> pd.Series:
    """Return what has become of every id of the catalogue.

    Returns
    -------
    Series
        By id: "computed", "drawn" (a diagram), "in <notebook>" (methods, theorems, data sets),
        "external: why", or "not run: what is missing".

    Examples
    --------
    >>> state(["Thesis.Fig1.2"]).iloc[0]
    'external: a magazine infographic, not a result'
    """
    wanted = entries().values() if ids is None else [entries()[id] for id in ids]
    return pd.Series({entry.id: _state(entry) for entry in wanted}, name="state", dtype=object)
