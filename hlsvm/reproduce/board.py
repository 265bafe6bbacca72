"""The scoreboard: every published number beside ours, and the state of every id."""

import math
from pathlib import Path

import numpy as np
import pandas as pd

from hlsvm.datasets import registered_name
from hlsvm.reproduce.claim_verdicts import ANSWERS, decide_all, statements
from hlsvm.reproduce.comparison import compare
from hlsvm.reproduce.published_numbers import (
    columns_of,
    is_text_file,
    key_value,
    parse_number,
    published,
)
from hlsvm.reproduce.repository import (
    Entry,
    entries,
    lookup,
    record_file,
    repository_root,
    siblings,
)
from hlsvm.reproduce.verdict import VERDICTS

_VALUES = ["quantity", "published", "ours", "difference", "verdict", "why"]


def owners() -> list[str]:
    """Return the ids that own published numbers: tables and running text, each printed once."""
    kinds = ("table", "text")
    known = (e for e in entries().values() if e.kind in kinds and e.published_csv)
    return [entry.id for entry in known if not entry.same_as]


def _printed_elsewhere(id: str, line: pd.Series) -> bool:
    """Whether another table prints the same number, as ``data/published/columns.csv`` says."""
    known = columns_of(lookup(id).published_csv)
    column = known[line["id"] if is_text_file(lookup(id).published_csv) else line["quantity"]]
    other, _, by_method = column.printed_in.partition(": ")
    if not by_method:
        return bool(other)
    columns = dict(pair.split("=") for pair in by_method.split())
    rows = published(other)
    names = rows["dataset"].map(lambda name: key_value("dataset", name))
    same = (names == key_value("dataset", line["dataset"])) & (
        rows["n_features"] == parse_number(line["n_features"])
    )
    return line["method"] in columns and bool(same.any())


def scoreboard(ids=None) -> pd.DataFrame:
    """Compare every published number with the recorded one; a number printed twice stands once.

    Parameters
    ----------
    ids : list of str, optional
        Only these. Default: every table and the numbers in running text.

    Returns
    -------
    DataFrame
        One line per published number: ``id``, ``row`` (its keys), ``dataset``, ``quantity``,
        ``published``, ``ours``, ``difference``, ``verdict``, ``why``. Text cells, the same on
        every machine.
    """
    parts = []
    for id in owners() if ids is None else ids:
        lines = compare(id)
        if lines.empty:
            continue
        keys = list(lines.columns[: lines.columns.get_loc("quantity")])
        twice = lines.apply(lambda line, id=id: _printed_elsewhere(id, line), axis=1)
        lines = lines[~twice]
        row = [", ".join(cell for cell in cells if cell) for cells in lines[keys].to_numpy()]
        data = lines.get("dataset", "")
        parts.append(lines[_VALUES].assign(id=id, row=row, dataset=data))
    names = ["id", "row", "dataset", *_VALUES]
    if not parts:
        return pd.DataFrame(columns=names, dtype=object)
    return pd.concat(parts, ignore_index=True)[names]


def summary(board: pd.DataFrame | None = None, by: str = "id") -> pd.DataFrame:
    """Count the verdicts of a scoreboard; the last line, "all", is their sum.

    A line is a table (`by` "id"), a "document", or the notebook that computes it ("home").

    Examples
    --------
    >>> summary(scoreboard(["SRS.Tab9"])).loc["SRS.Tab9", "numbers"]
    np.int64(6)
    """
    board = scoreboard() if board is None else board
    group = board["id"].map(lambda id: getattr(lookup(id), by))
    counts = pd.crosstab(group, board["verdict"])
    counts = counts.reindex(columns=VERDICTS, index=group.unique(), fill_value=0)
    counts.insert(0, "numbers", counts.sum(axis=1))
    return _with_sum(counts)


def _with_sum(counts: pd.DataFrame) -> pd.DataFrame:
    counts.loc["all"] = counts.sum()
    return counts.rename_axis(index=None, columns=None)


def claim_counts(*, headline: bool | None = None) -> pd.DataFrame:
    """Count the verdicts of the claims by document; the last line, "all", is their sum.

    With `headline` only the headline claims count, or only the others.

    Examples
    --------
    >>> claim_counts().loc["all"].sum()
    np.int64(172)
    """
    rows = statements()
    if headline is not None:
        rows = rows[(rows.headline == "yes") == headline]
    verdict = np.asarray([verdict for verdict, _ in decide_all(rows)])
    counts = pd.crosstab(rows.document.str.replace(";", ", ").to_numpy(), verdict)
    return _with_sum(counts.reindex(columns=ANSWERS, fill_value=0))


def _ends(text: str) -> list[float]:
    return [parse_number(end) for end in text.partition(" ±")[0].lstrip("<>").split("|")]


def worse(board: pd.DataFrame) -> pd.DataFrame:
    """Return the results that fall short of print, the largest ratio first.

    ``ratio`` is ours over published; of a range the end that is further off; empty where one is 0
    or a word.
    """
    lines = board[board["verdict"] == "worse"].copy()
    lines["ratio"] = [_ratio(a, b) for a, b in zip(lines["published"], lines["ours"], strict=True)]
    size = lines["ratio"].map(lambda ratio: abs(math.log(ratio))).fillna(0.0)
    order = lines.assign(size=-size).sort_values(["size", "id", "row"]).index
    lines["ratio"] = lines["ratio"].map("{:.3g}".format, na_action="ignore").fillna("")
    columns = ["id", "row", "quantity", "published", "ours", "ratio", "why"]
    return lines.loc[order, columns].reset_index(drop=True)


def _ratio(published: str, ours: str) -> float:
    ends = zip(_ends(published), _ends(ours), strict=False)
    ratios = [b / a for a, b in ends if a > 0 and b > 0]
    return max(ratios, key=lambda ratio: abs(math.log(ratio)), default=math.nan)


def not_run(board: pd.DataFrame) -> pd.DataFrame:
    """Return what is missing, one line a data set (or other reason), the largest gap first."""
    lines = board[board["verdict"] == "not run"].copy()
    lines["missing"] = [
        (registered_name(row.dataset) or row.dataset or row.why)
        if row.why.startswith("data")
        else row.why
        for row in lines.itertuples()
    ]
    groups = lines.groupby("missing", sort=False)
    table = pd.DataFrame(
        {
            "numbers": groups.size(),
            "ids": groups["id"].agg(lambda ids: ", ".join(dict.fromkeys(ids))),
            "what_it_takes": groups["why"].agg(lambda why: max(why, key=len)),
        }
    )
    return table.sort_values("numbers", ascending=False, kind="stable").reset_index()


def record_path(id: str) -> Path | None:
    """Return the provenance file of an id's committed record (or its sibling's), or None."""
    folders = [repository_root() / "figures", repository_root() / "data" / "results"]
    return record_file(siblings(id), folders, ".json")


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

    "computed", "drawn" (a diagram), "in <notebook>" (methods, theorems, data sets), "external:
    why", or "not run: what is missing".

    Examples
    --------
    >>> state(["Thesis.Fig1.2"]).iloc[0]
    'external: a magazine infographic, not a result'
    """
    wanted = entries().values() if ids is None else [entries()[id] for id in ids]
    return pd.Series({entry.id: _state(entry) for entry in wanted}, name="state", dtype=object)


def catalogue_states() -> pd.DataFrame:
    """Count what has become of the ids of the catalogue, by kind of entry; "all" is the sum."""
    kinds = state().str.split(":").str[0].str.replace(r"^in .*", "in a notebook", regex=True)
    return _with_sum(pd.crosstab(pd.Series({id: entries()[id].kind for id in kinds.index}), kinds))
