"""Published beside ours: the difference, and a verdict for every number."""

import math

import pandas as pd

from hlsvm.reproduce.published_numbers import (
    Column,
    columns_of,
    is_text_file,
    key_value,
    keys_of,
    meaning,
    parse_number,
    published,
    quantities_of,
    row_keys,
    spread_column,
)
from hlsvm.reproduce.recorded_numbers import recorded_text, recorded_texts
from hlsvm.reproduce.repository import lookup
from hlsvm.reproduce.verdict import UNLIKE, Verdict, explain, judge, missing, round_like

_NO_RECORD = "nothing recorded yet"


def _match_keys(id: str, theirs: pd.DataFrame, ours: pd.DataFrame) -> list[str]:
    keys = [name for name in keys_of(id) if name in ours.columns]
    if not keys or theirs.duplicated(keys).any():
        missing = [name for name in keys_of(id) if name not in ours.columns]
        raise ValueError(
            f"The record of {id} cannot be matched with the published rows: it lacks {missing}."
        )
    return keys


def our_rows(id: str, theirs: pd.DataFrame, ours: pd.DataFrame | None) -> list[dict | None]:
    """Return the recorded row that stands beside each published one."""
    if ours is None:
        return [None] * len(theirs)
    keys = _match_keys(id, theirs, ours)
    rows: dict[tuple, dict] = {}
    whole = _rows_in_full(ours)
    for key, row in zip(row_keys(ours, keys), ours.to_dict("records"), strict=True):
        if key in rows:
            raise ValueError(f"The record of {id} has two rows for {key}.")
        rows[key] = {**row, "of": whole.get(row.get("dataset", ""), math.nan)}
    other = _readings(id, theirs, ours, keys)
    pairs = zip(other, row_keys(theirs, keys), strict=True)
    return [rows.get(reading) or rows.get(key) for reading, key in pairs]


def _readings(id: str, theirs: pd.DataFrame, ours: pd.DataFrame, keys: list[str]) -> list[tuple]:
    """Return the keys of the rows that answer for the printed ones where they differ.

    Of several values (``A|B``) the first that is recorded answers.
    """
    known, frame = columns_of(lookup(id).published_csv), theirs.copy()
    for name in keys:
        if name in known and known[name].recorded_as:
            there = set(ours[name].astype(str))
            readings = {k: v.split("|") for k, v in known[name].recorded_as.items()}
            frame[name] = [
                next((one for one in readings.get(str(value).lower(), ()) if one in there), value)
                for value in frame[name]
            ]
    return row_keys(frame, keys)


def _rows_in_full(ours: pd.DataFrame) -> dict[str, float]:
    """Return the most rows any method of a record was run on, by data set."""
    if not {"rows", "dataset"} <= set(ours.columns):
        return {}
    rows = pd.to_numeric(ours["rows"], errors="coerce")
    return rows.groupby(ours["dataset"]).max().to_dict()


def _status(row: dict) -> tuple[str, str]:
    """Return the verdict a row declares of itself ("" = none) and its reason."""
    text = str(row.get("status", "")).strip()
    note = str(row.get("why", "") or row.get("note", "")).strip()
    for verdict in ("not run", "not comparable"):
        if text.lower().startswith(verdict):
            return verdict, text[len(verdict) :].lstrip(": ") or note or "no reason given"
    rows = parse_number(row.get("rows", ""))
    if rows < row["of"]:
        return "not comparable", f"{rows:,.0f} of {row['of']:,.0f} rows"
    if str(row.get("extrapolated", "")).lower() in ("true", "1", "1.0"):
        return "not comparable", "extrapolated, or chosen on a part of the rows"
    return "", ""


def _test_rows(where: str, dataset: str) -> float:
    """Return the rows of a test part: "SRS.Tab3.n_test", "DTSVM.Tab1.n_samples/6", "USPS=2007"."""
    name, _, number = where.rpartition("=")
    if not name and number.replace(".", "").isdigit():
        return float(number)
    if name:
        return float(number) if key_value("dataset", name) == key_value("dataset", dataset) else 0.0
    path, _, parts = where.partition("/")
    id, _, column = path.rpartition(".")
    table = published(id)
    names = [key_value("dataset", value) for value in table["dataset"]]
    rows = table[column][[name == key_value("dataset", dataset) for name in names]]
    return float(rows.iloc[0]) / float(parts or 1) if len(rows) else 0.0


def _spread(printed: str, row: dict, ours: dict, name: str, column: Column, theirs: str) -> float:
    """Return the difference that is noise: printed or recorded spread, else two binomial errors."""
    beside = spread_column(name, ours)
    spreads = [parse_number(theirs), parse_number(ours.get(beside, "") if beside else "")]
    known = [spread for spread in spreads if not math.isnan(spread)]
    if known:
        return max(known)
    rows = _test_rows(column.rows, row.get("dataset", "")) if column.rows else 0.0
    share = parse_number(printed) / 100
    if not rows or math.isnan(share):
        return math.nan
    return 200 * math.sqrt(share * (1 - share) / rows)


def _holds_back(column: Column) -> bool:
    """Whether a recorded column stands against a verdict (`Column.unless`)."""
    if not column.unless:
        return False
    id, _, name = column.unless.rpartition(".")
    table = recorded_text(id)
    return table is not None and name in table and table[name].str.lower().eq("true").any()


def _line(id: str, row: dict, ours: dict | None, name: str, spread: str, absent: Verdict) -> dict:
    """Return the cells of one number: published, ours, difference, verdict, why."""
    column, printed = meaning(id, row, name), row[name]
    declared, why = _status(ours) if ours else ("", "")
    shown = "" if ours is None or declared == "not run" else str(ours.get(name, "")).strip()
    if not shown:
        reason = why if declared == "not run" else absent.why if ours is None else ""
        verdict = (
            absent
            if absent.verdict == "not comparable"
            else missing(column, reason or "no value recorded")
        )
    else:
        verdict = judge(printed, shown, column, _spread(printed, row, ours, name, column, spread))
        if _holds_back(column):
            declared, why = "not comparable", "extrapolated from a part of the rows"
        if declared and verdict.verdict != "stated":
            verdict = Verdict(declared, why, verdict.difference)
        if not math.isnan(parse_number(shown)):
            shown = round_like(printed, parse_number(shown))
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
    names = quantities_of(id)
    absent = Verdict("not run", _NO_RECORD if ours is None else "no such row in the record")
    if external := lookup(id).why:
        absent = Verdict("not comparable", external)
    spreads = {name: spread_column(name, theirs.columns) for name in names}
    rows = zip(theirs.to_dict("records"), our_rows(id, theirs, ours), strict=True)
    return [
        _explained(
            id,
            {
                **{key: row[key] for key in keys},
                **({} if text else {"quantity": name}),
                **_line(id, row, record, name, row.get(spreads[name], ""), absent),
            },
            [row[key] for key in (("id",) if text else keys)],
        )
        for row, record in rows
        for name in names
        if row[name] != ""
    ]


def _explained(id: str, line: dict, keys: list[str]) -> dict:
    """Return a line of a comparison; one that is not run or unlike print says why."""
    if line["verdict"] not in ("not run", *UNLIKE):
        return line
    row = ", ".join(key for key in keys if key)
    short = Verdict(line["verdict"], line["why"])
    full = explain(id, row, line["quantity"], line.get("dataset", ""), short)
    return {**line, "verdict": full.verdict, "why": full.why}


def compare(id: str, results=None, *, quantities=None, layout: str = "long") -> pd.DataFrame:
    """Set the published numbers of an id beside the recorded ones.

    Reads ``data/published`` and ``data/results`` only, so it says the same on every machine.

    Parameters
    ----------
    id : str
        Id of the catalogue with printed numbers (others: KeyError).
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
        (ours minus published), ``verdict``, ``why``. Results are better, same, different, worse
        or not run; context (sizes, settings, other methods) is equal, differs or stated; seconds
        of two machines and parts of the data are not comparable.

    Examples
    --------
    >>> import pandas as pd
    >>> ours = pd.DataFrame({"dataset": ["IJCNN"], "method": ["H-LSVM"], "error_pct": [2.1]})
    >>> lines = compare("Thesis.Tab5.4", ours, quantities="error_pct")
    >>> lines[lines.ours != ""][["published", "ours", "verdict"]].values.tolist()
    [['2.36', '2.10', 'better']]
    """
    if layout not in ("long", "wide"):
        raise ValueError(f"layout must be 'long' or 'wide'. Got {layout!r} instead.")
    theirs = published(id, printed=True)
    if results is not None:
        ours = results.reset_index() if any(results.index.names) else results
        ours = ours.map(lambda cell: "" if pd.isna(cell) else str(cell)).astype(object)
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
    return wide(frame) if layout == "wide" else frame


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one line per row of a comparison, each cell "published | ours verdict"."""
    keys = list(frame.columns[: frame.columns.get_loc("quantity")])
    cells = frame.published + " | " + frame.ours.replace("", "—") + "  " + frame.verdict
    groups = frame.assign(cell=cells).groupby([*keys, "quantity"], sort=False)
    wide = groups["cell"].first().unstack(fill_value="")
    order = list(dict.fromkeys(frame["quantity"]))
    rows = list(dict.fromkeys(frame[keys].itertuples(index=False, name=None)))
    index = rows if len(keys) > 1 else [row[0] for row in rows]
    return wide.reindex(index=index)[order].rename_axis(columns=None)
