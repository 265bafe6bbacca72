"""The published numbers: one tidy CSV per table, values as printed, and what its columns mean.

``data/published/columns.csv`` has one line a column (in the files of the running text: one line a
number, named by its id). ``data/published/README.md`` explains its fields.
"""

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from hlsvm.datasets import registered_name
from hlsvm.reproduce.methods import canonical
from hlsvm.reproduce.repository import (
    Entry,
    by_file,
    lookup,
    numbers_file,
    read_strings,
    repository_root,
)

_TABLE_WORDS = {"Fig": "Figure", "Tab": "Table"}
_SPREADS = ("_sd", "_pm")


@dataclass(frozen=True)
class Column:
    """What a published column, or a number in running text, is and how it is compared.

    The fields are those of ``data/published/columns.csv``, which the README beside it explains;
    `proposed` is its column ``own``.
    """

    column: str
    role: str
    kind: str
    better: str
    tolerance: float
    rows: str
    proposed: tuple[str, ...]
    recorded_as: dict[str, str]
    printed_in: str
    unless: str


def parse_number(text: object) -> float:
    """Return the number a printed cell stands for, NaN where it is no number."""
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


def columns_of(file: str) -> dict[str, Column]:
    """Return the columns of a published CSV by name, keys in the order in which rows are named."""
    return _columns(repository_root() / "data" / "published" / "columns.csv")[file]


@by_file
def _columns(path: Path) -> dict[str, dict[str, Column]]:
    files: dict[str, dict[str, Column]] = {}
    for row in pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records"):
        file = row.pop("file")
        pairs = (pair.split("=", 1) for pair in row["recorded_as"].split(";") if pair)
        row["recorded_as"] = {printed.lower(): value for printed, value in pairs}
        row["proposed"] = tuple(name for name in row.pop("own").split(";") if name)
        row["tolerance"] = float(row["tolerance"] or 0)
        files.setdefault(file, {})[row["column"]] = Column(**row)
    return files


def numbers_in_text() -> set[str]:
    """Return the ids of all numbers in running text."""
    files = _columns(repository_root() / "data" / "published" / "columns.csv")
    return {name for file in files if is_text_file(file) for name in files[file]}


def columns_of_role(id: str, role: str) -> list[str]:
    """Return the columns of an id's published table that are keys, quantities, spreads or texts."""
    file = lookup(id).published_csv
    known, names = columns_of(file), list(published(id, printed=True).columns)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"data/published/columns.csv does not say what {unknown} of {file} are.")
    return [name for name in known if known[name].role == role and name in names]


def keys_of(id: str) -> list[str]:
    """Return the columns that name a row of an id's published table."""
    return ["id"] if is_text_file(lookup(id).published_csv) else columns_of_role(id, "key")


def quantities_of(id: str) -> list[str]:
    """Return the columns of an id's published table that hold printed quantities."""
    file = lookup(id).published_csv
    if is_text_file(file):
        return ["value"]
    known = columns_of(file)
    return [name for name in columns_of_role(id, "quantity") if known[name].kind != "derived"]


def meaning(id: str, row: dict, name: str) -> Column:
    """Return what a number is: that of its column, a baseline if its method is not the sources'."""
    known = columns_of(lookup(id).published_csv)
    column = known.get(row["id"] if is_text_file(lookup(id).published_csv) else name)
    if column is None:
        raise ValueError(f"data/published/columns.csv does not say what {row.get('id', name)} is.")
    for key in known.values():
        if (
            key.proposed
            and row[key.column] not in key.proposed
            and column.kind in ("result", "ratio")
        ):
            return replace(column, kind="baseline")
    return column


def spread_column(name: str, columns) -> str | None:
    """Return the column that holds the spread of a quantity, if there is one."""
    for base in (name, name.removesuffix("_pct"), name.removesuffix("_mean")):
        for suffix in _SPREADS:
            if base + suffix in columns and base + suffix != name:
                return base + suffix
    return None


def key_value(column: str, value: object) -> str:
    """Return the spelling keys are matched by: methods and data by one name, numbers by value."""
    text = "" if value is None or value != value else str(value).strip()
    if column in ("method", "algorithm"):
        return canonical(text, strict=False).lower()
    if column == "dataset":
        return registered_name(text) or text.lower()
    number = parse_number(text)
    return text.lower() if number != number else f"{number:.12g}"


def row_keys(frame: pd.DataFrame, keys: list[str]) -> list[tuple[str, ...]]:
    """Return the key of every row, in the spelling rows are matched by."""
    columns = [[key_value(name, value) for value in frame[name]] for name in keys]
    return list(zip(*columns, strict=True))


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
        values stand in the text has those rows (none if its values are lost). KeyError where the
        documents print no number for it.
    printed : bool, default=False
        Keep every cell as printed (text, '' = not printed) instead of parsing the columns that
        hold numbers only (NaN = not printed).

    Examples
    --------
    >>> published("Thesis.Tab5.4").query("dataset == 'IJCNN'").error_pct.tolist()
    [7.82, 1.01, 2.36]
    >>> published("Thesis.Tab5.4", printed=True).RC[2]
    '2.0e-3'
    """
    entry, file = lookup(id), numbers_file(id, "published")
    if file is None:
        raise KeyError(f"{id!r} ({entry.title}) has no printed numbers in data/published")
    frame = read_strings(file)
    if is_text_file(entry.published_csv):
        frame = _rows_of(entry, frame).reset_index(drop=True)
    return frame if printed else frame.apply(_numeric)
