"""Published beside ours: the difference, and a verdict for every number."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from hlsvm._files import settle
from hlsvm.reproduce.catalogue import entries, lookup, siblings
from hlsvm.reproduce.columns import keys_of, quantities_of, row_keys, spread_column
from hlsvm.reproduce.gaps import explain
from hlsvm.reproduce.judge import Verdict, judge, round_like
from hlsvm.reproduce.paths import repository_root, stem
from hlsvm.reproduce.published_numbers import is_text_file, parse_number, published, read_strings
from hlsvm.reproduce.quantities import Quantity, quantity, text_quantity

_NO_RECORD = "nothing recorded yet"


def _results_folder() -> Path:
    return repository_root() / "data" / "results"


def _record_owners(id: str) -> list[str]:
    """Ids whose recorded table answers for `id`: itself, its siblings, the table it draws."""
    entry = lookup(id)
    owners = siblings(id)
    if entry.kind != "table" and entry.published_csv:
        tables = [
            other.id
            for other in entries().values()
            if other.kind == "table" and other.published_csv == entry.published_csv
        ]
        owners += [name for table in tables for name in siblings(table)]
    return list(dict.fromkeys(owners))


def _record_file(id: str, folders: list[Path]) -> Path | None:
    """Return the CSV that answers for an id.

    The id's own record comes first, then that of the same table in another document, then that of
    the table a figure draws.
    """
    for folder in folders:
        settle(folder)
    files = [folder / f"{stem(id)}.csv" for id in _record_owners(id) for folder in folders]
    return next((file for file in files if file.exists()), None)


def recorded(id: str, *, missing_ok: bool = False) -> pd.DataFrame | None:
    """Return the recorded table of an id: numbers as numbers (NaN where empty), text as text.

    Parameters
    ----------
    id : str
        Id of the catalogue. Its own record answers, else that of the same figure or table in
        another document, else that of the table a figure draws.
    missing_ok : bool, default=False
        Return None where nothing is recorded.

    Raises
    ------
    LookupError
        Nothing is recorded for this id.

    Examples
    --------
    >>> recorded("Thesis.Tab5.4").error_pct.dtype
    dtype('float64')
    """
    folders = [_results_folder(), repository_root() / "figures"]
    file = _record_file(id, folders[::-1] if lookup(id).kind == "figure" else folders)
    if file is None:
        if missing_ok:
            return None
        raise LookupError(
            f"nothing is recorded for {id!r} yet: `hlsvm run {lookup(id).home} --scale paper`"
        )
    frame = pd.read_csv(file, keep_default_na=False, na_values=[""])
    texts = frame.select_dtypes(exclude=["number", "bool"]).columns
    return frame.fillna(dict.fromkeys(texts, ""))


def recorded_text(id: str) -> pd.DataFrame | None:
    """Return the recorded table that answers for the published one of an id as text, or None."""
    file = _record_file(id, [_results_folder()])
    return None if file is None else read_strings(file)


def recorded_texts() -> pd.DataFrame | None:
    """Return every recorded row that answers a number in running text (``id``, ``value``)."""
    folder = _results_folder()
    settle(folder)
    frames = [read_strings(path) for path in sorted(folder.glob("*.csv"))]
    frames = [frame for frame in frames if {"id", "value"} <= set(frame.columns)]
    return pd.concat(frames).drop_duplicates("id").fillna("") if frames else None


def _as_text(frame: pd.DataFrame) -> pd.DataFrame:
    plain = frame.reset_index() if any(frame.index.names) else frame
    return plain.map(lambda cell: "" if pd.isna(cell) else str(cell)).astype(object)


def _match_keys(id: str, theirs: pd.DataFrame, ours: pd.DataFrame) -> list[str]:
    keys = [name for name in keys_of(id) if name in ours.columns]
    if not keys or theirs.duplicated(keys).any():
        missing = [name for name in keys_of(id) if name not in ours.columns]
        raise ValueError(
            f"The record of {id} cannot be matched with the published rows: it lacks {missing}."
        )
    return keys


def _own_rows(id: str, theirs: pd.DataFrame, ours: pd.DataFrame | None) -> list[dict | None]:
    if ours is None:
        return [None] * len(theirs)
    keys = _match_keys(id, theirs, ours)
    found: dict[tuple, dict] = {}
    for key, row in zip(row_keys(ours, keys), ours.to_dict("records"), strict=True):
        if key in found:
            raise ValueError(f"The record of {id} has two rows for {key}.")
        found[key] = row
    return [found.get(key) for key in row_keys(theirs, keys)]


def _status(row: dict) -> tuple[str, str]:
    """Return the verdict a row declares of itself ("" = none) and its reason."""
    text = str(row.get("status", "")).strip()
    note = str(row.get("why", "") or row.get("note", "")).strip()
    for verdict in ("not run", "not comparable"):
        if text.lower().startswith(verdict):
            return verdict, text[len(verdict) :].lstrip(": ") or note or "no reason given"
    return "", ""


def _compare_cell(printed, row, name, meaning, spread, missing):
    if row is None:
        return "", missing
    declared, why = _status(row)
    ours = str(row.get(name, "")).strip()
    if declared == "not run":
        return "", Verdict("not run", why)
    verdict = judge(printed, ours, meaning, spread)
    if declared and ours:
        verdict = Verdict(declared, why, verdict.difference)
    shown = ours if math.isnan(parse_number(ours)) else round_like(printed, parse_number(ours))
    return shown, verdict


def _meaning(row: dict, name: str, text: bool) -> Quantity:
    return text_quantity(row["quantity"], row["topic"]) if text else quantity(name)


def _missing(id: str, ours: pd.DataFrame | None) -> Verdict:
    """Return the verdict on a row that was not recorded."""
    external = lookup(id).why
    if external:
        return Verdict("not comparable", external)
    return Verdict("not run", _NO_RECORD if ours is None else "no such row in the record")


def _line(row: dict, own: dict | None, name: str, text: bool, spread: str, missing: Verdict):
    """Return the cells of one number: published, ours, difference, verdict, why."""
    printed, meaning = row[name], _meaning(row, name, text)
    if text and own is None and meaning.kind == "setting":
        missing = Verdict("not comparable", f"stated, not measured ({row['topic']})")
    shown, verdict = _compare_cell(printed, own, name, meaning, spread, missing)
    return {
        "published": f"{printed} ± {spread}" if spread else printed,
        "ours": shown,
        "difference": round_like(printed, verdict.difference, digits=1),
        "verdict": verdict.verdict,
        "why": verdict.why,
    }


def _long(id: str, theirs: pd.DataFrame, ours: pd.DataFrame | None) -> list[dict]:
    text = is_text_file(lookup(id).published_csv)
    keys = ["id", "dataset", "method", "quantity"] if text else keys_of(id)
    names, missing = quantities_of(id), _missing(id, ours)
    spreads = {name: spread_column(name, theirs.columns) for name in names}
    rows = zip(theirs.to_dict("records"), _own_rows(id, theirs, ours), strict=True)
    return [
        _explained(
            id,
            {
                **{key: row[key] for key in keys},
                **({} if text else {"quantity": name}),
                **_line(row, own, name, text, row.get(spreads[name], ""), missing),
            },
            [row[key] for key in (("id",) if text else keys)],
        )
        for row, own in rows
        for name in names
        if row[name] != ""
    ]


def _explained(id: str, line: dict, keys: list[str]) -> dict:
    """Return a line of a comparison; one that is not run says in full what is missing."""
    if line["verdict"] != "not run":
        return line
    row = ", ".join(key for key in keys if key)
    found = Verdict("not run", line["why"])
    found = explain(id, row, line["quantity"], line.get("dataset", ""), found)
    return {**line, "verdict": found.verdict, "why": found.why}


def compare(id: str, results=None, *, quantities=None, layout: str = "long") -> pd.DataFrame:
    """Set the published numbers of an id beside the recorded ones.

    Reads ``data/published`` and ``data/results`` only, so it says the same on every machine.

    Parameters
    ----------
    id : str
        Id of the catalogue with printed numbers.
    results : DataFrame, optional
        Table to compare instead of the recorded one: the published key columns and quantities
        under the same names; ``status`` may say "not run: ..." or "not comparable: ...".
    quantities : str or list of str, optional
        Only these.
    layout : {"long", "wide"}, default="long"
        One line per number, or one line per row of the published table, each cell
        "published | ours verdict".

    Returns
    -------
    DataFrame
        Text cells. Long: the key columns, ``quantity``, ``published``, ``ours``, ``difference``
        (ours minus published), ``verdict`` (better, same, worse, not comparable, not run), ``why``.

    Raises
    ------
    KeyError
        The id is unknown or has no printed numbers.
    ValueError
        A quantity is unknown, or the record cannot be matched with the published rows.

    Examples
    --------
    >>> import pandas as pd
    >>> ours = pd.DataFrame({"dataset": ["IJCNN"], "method": ["H-LSVM"], "error_pct": [2.1]})
    >>> found = compare("Thesis.Tab5.4", ours, quantities="error_pct")
    >>> found[found.ours != ""][["published", "ours", "verdict"]].values.tolist()
    [['2.36', '2.10', 'better']]
    """
    if layout not in ("long", "wide"):
        raise ValueError(f"layout must be 'long' or 'wide'. Got {layout!r} instead.")
    theirs = published(id, printed=True)
    if results is not None:
        ours = _as_text(results)
    else:
        ours = recorded_texts() if is_text_file(lookup(id).published_csv) else recorded_text(id)
    frame = pd.DataFrame(_long(id, theirs, ours), dtype=object)
    if frame.empty:
        return frame
    if quantities is not None:
        wanted = [quantities] if isinstance(quantities, str) else list(quantities)
        unknown = [name for name in wanted if name not in set(frame["quantity"])]
        if unknown:
            accepted = list(dict.fromkeys(frame["quantity"]))
            raise ValueError(f"quantities must be among {accepted}. Got {unknown[0]!r}.")
        frame = frame[frame["quantity"].isin(wanted)].reset_index(drop=True)
    return _wide(frame) if layout == "wide" else frame


def _wide(frame: pd.DataFrame) -> pd.DataFrame:
    keys = list(frame.columns[: frame.columns.get_loc("quantity")])
    cells = frame.assign(
        cell=[f"{row.published} | {row.ours or '—'}  {row.verdict}" for row in frame.itertuples()]
    )
    wide = cells.groupby([*keys, "quantity"], sort=False)["cell"].first().unstack(fill_value="")
    order = list(dict.fromkeys(frame["quantity"]))
    rows = list(dict.fromkeys(frame[keys].itertuples(index=False, name=None)))
    index = rows if len(keys) > 1 else [row[0] for row in rows]
    return wide.reindex(index=index)[order].rename_axis(columns=None)
