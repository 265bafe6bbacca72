"""The published numbers: one tidy CSV per table, values as printed."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from hlsvm.reproduce.catalogue import Entry, lookup
from hlsvm.reproduce.paths import repository_root

_TABLE_WORDS = {"Fig": "Figure", "Tab": "Table"}


def parse_number(text: object) -> float:
    """Return the number a printed cell stands for, NaN where it is no number.

    Examples
    --------
    >>> parse_number("1.22e-7"), parse_number("~ n"), parse_number("1/11")
    (1.22e-07, nan, 0.09090909090909091)
    """
    text = str(text).strip()
    fraction = re.fullmatch(r"(\d+)/(\d+)", text)
    if fraction:
        return int(fraction[1]) / int(fraction[2])
    power = re.fullmatch(r"(\d+)\^(-?\d+)", text)
    if power:
        return float(power[1]) ** int(power[2])
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def is_text_file(name: str) -> bool:
    """Whether a published CSV holds the numbers of the running text."""
    return name.endswith("_text_numbers.csv")


def read_strings(path: Path) -> pd.DataFrame:
    """Read a CSV as it stands: every cell text, empty cells ''."""
    return _cells(path, path.stat().st_mtime_ns, path.stat().st_size).copy()


@lru_cache(maxsize=256)
def _cells(path: Path, _changed: int, _size: int) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False).astype(object)


def _rows_of(entry: Entry, frame: pd.DataFrame) -> pd.DataFrame:
    """Cut the numbers in running text down to those that belong to an entry."""
    kind, number = re.fullmatch(r"[^.]+\.(Fig|Tab|Text|)(.*)", entry.id).groups()
    if kind == "Text":
        return frame[frame["section"].str.startswith(number)] if number else frame
    if kind == "":
        return frame
    topic = rf"{_TABLE_WORDS[kind]} (\d+-)?{re.escape(number)}(-\d+)?(\(?[a-z]\)?)?"
    return frame[frame["topic"].str.fullmatch(topic).astype(bool)]


def _numeric(column: pd.Series) -> pd.Series:
    given = column[column != ""]
    numbers = column.map(parse_number).astype(float)
    if given.empty or numbers[given.index].isna().any():
        return column
    whole = len(given) == len(column) and (numbers == np.round(numbers)).all()
    return numbers.astype(np.int64) if whole and (numbers.abs() < 2**53).all() else numbers


def published(id: str, *, printed: bool = False) -> pd.DataFrame:
    """Return the published numbers of an id as a tidy table.

    Parameters
    ----------
    id : str
        Id of the catalogue. A figure that only draws a table has that table's numbers; one whose
        values stand in the text has those rows (none if its values are lost).
    printed : bool, default=False
        Keep every cell as printed (text, '' = not printed) instead of parsing the columns that
        hold numbers only (NaN = not printed).

    Raises
    ------
    KeyError
        The id is unknown, or the documents print no number for it.

    Examples
    --------
    >>> published("Thesis.Tab5.4").query("dataset == 'IJCNN'").error_pct.tolist()
    [7.82, 1.01, 2.36]
    >>> published("Thesis.Tab5.4", printed=True).RC[2]
    '2.0e-3'
    """
    entry = lookup(id)
    if not entry.published_csv:
        raise KeyError(f"{id!r} ({entry.title}) has no printed numbers in data/published")
    frame = read_strings(repository_root() / "data" / "published" / entry.published_csv)
    if is_text_file(entry.published_csv):
        frame = _rows_of(entry, frame).reset_index(drop=True)
    return frame if printed else frame.apply(_numeric)
