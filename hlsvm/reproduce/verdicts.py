"""Published beside ours: the difference, and a verdict for every number."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from hlsvm.reproduce.atomic import settle
from hlsvm.reproduce.columns import (
    Quantity,
    keys_of,
    quantities_of,
    quantity,
    row_keys,
    spread_column,
    text_quantity,
)
from hlsvm.reproduce.ids import entries, lookup, siblings
from hlsvm.reproduce.paths import repository_root, stem
from hlsvm.reproduce.printed import is_text_file, parse_number, published, read_strings

VERDICTS = ("better", "same", "worse", "not comparable", "not run")
_NO_RECORD = "nothing recorded yet"


@dataclass(frozen=True)
class Verdict:
    """A verdict, why it is so, and the difference ours minus published."""

    verdict: str
    why: str = ""
    difference: float = math.nan


def _last_digit(printed: str) -> float:
    """Half a unit of the last digit printed: "2.36" -> 0.005, "2.0e-3" -> 0.00005."""
    match = re.fullmatch(r"[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?", printed)
    if not match:
        return 0.0
    decimals = len(match[1]) if "." in printed else 0
    return 0.5 * 10.0 ** (int(match[2] or 0) - decimals)


def judge(printed: str, ours: str, meaning: Quantity, spread: str = "") -> Verdict:
    """Return the verdict on one number.

    It is "same" within the printed spread (a standard deviation or a plus-minus), without one
    within the relative tolerance of its kind, and always within half a unit of the last digit
    printed. Outside, the way that is better decides; a setting or a formula has none.

    Examples
    --------
    >>> judge("2.36", "2.10", quantity("error_pct")).verdict
    'better'
    >>> judge("11.39", "11.60", quantity("error_pct"), spread="0.30").verdict
    'same'
    """
    if ours == "":
        return Verdict("not run", "no value recorded")
    theirs, mine = parse_number(printed), parse_number(ours)
    if math.isnan(theirs) or math.isnan(mine):
        if printed.strip().lower() == ours.strip().lower():
            return Verdict("same")
        return Verdict("not comparable", "not a number")
    difference = mine - theirs
    allowed = parse_number(spread)
    if math.isnan(allowed):
        scale = abs(100.0 - theirs) if meaning.kind == "accuracy" else abs(theirs)
        allowed = meaning.tolerance * scale
    if abs(difference) <= max(allowed, _last_digit(printed)) * (1 + 1e-9):
        return Verdict("same", "", difference)
    if meaning.better == "":
        why = "a setting" if meaning.kind == "setting" else "a formula"
        return Verdict("not comparable", f"{why}: neither way is better", difference)
    if meaning.better == "match":
        return Verdict("worse", "not reproduced", difference)
    better = difference < 0 if meaning.better == "lower" else difference > 0
    why = "seconds of two machines" if meaning.kind == "time" else ""
    return Verdict("better" if better else "worse", why, difference)


def round_like(printed: str, value: float) -> str:
    """Write a number the way the published one is printed, with three digits at least.

    Examples
    --------
    >>> round_like("2.36", 2.34123), round_like("2.0e-3", 0.00184), round_like("3154", 3201.0)
    ('2.34', '1.84e-3', '3201')
    """
    if math.isnan(value):
        return ""
    exponent = re.search(r"[eE]", printed)
    if exponent or (value != 0 and not 1e-4 <= abs(value) < 1e9):
        mantissa, _, power = f"{value:.2e}".partition("e")
        return f"{mantissa}e{int(power)}"
    decimals = len(printed.partition(".")[2]) if "." in printed else 0
    if value != 0 and value != round(value):
        decimals = max(decimals, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


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


def recorded(id: str) -> pd.DataFrame | None:
    """Return the recorded table that answers for an id as text, or None.

    The id's own record comes first, then that of the same table in another document, then that of
    the table a figure draws.
    """
    folder = _results_folder()
    settle(folder)
    for owner in _record_owners(id):
        path = folder / f"{stem(owner)}.csv"
        if path.exists():
            return read_strings(path)
    return None


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


def _setting_in_text(row: dict, verdict: Verdict, meaning: Quantity) -> Verdict:
    if verdict.verdict == "not run" and meaning.kind == "setting":
        return Verdict("not comparable", f"stated, not measured ({row['topic']})")
    return verdict


def _long(id: str, theirs: pd.DataFrame, ours: pd.DataFrame | None) -> list[dict]:
    text = is_text_file(lookup(id).published_csv)
    keys = ["id", "dataset", "method", "quantity"] if text else keys_of(id)
    external = lookup(id).why
    missing = Verdict("not run", _NO_RECORD if ours is None else "no such row in the record")
    if external:
        missing = Verdict("not comparable", external)
    lines = []
    rows = zip(theirs.to_dict("records"), _own_rows(id, theirs, ours), strict=True)
    for row, own in rows:
        for name in quantities_of(id):
            printed = row[name]
            if printed == "":
                continue
            meaning = quantity(name)
            if text:
                meaning = text_quantity(row["quantity"], row["unit"], row["topic"])
            spread = row.get(spread_column(name, theirs.columns), "")
            shown, verdict = _compare_cell(printed, own, name, meaning, spread, missing)
            if text:
                verdict = _setting_in_text(row, verdict, meaning)
            lines.append(
                {
                    **{key: row[key] for key in keys},
                    **({} if text else {"quantity": name}),
                    "published": f"{printed} ± {spread}" if spread else printed,
                    "ours": shown,
                    "difference": round_like(printed, verdict.difference),
                    "verdict": verdict.verdict,
                    "why": verdict.why,
                }
            )
    return lines


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
        ours = recorded_texts() if is_text_file(lookup(id).published_csv) else recorded(id)
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
