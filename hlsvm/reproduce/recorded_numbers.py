"""The recorded numbers: the tables of the repository's records, held to the published ones."""

import pandas as pd

from hlsvm._files import settle
from hlsvm.reproduce.published_numbers import (
    columns_of_role,
    is_text_file,
    keys_of,
    numbers_in_text,
    published,
    row_keys,
)
from hlsvm.reproduce.repository import lookup, read_strings, recorded_file, repository_root


def recorded(id: str, *, missing_ok: bool = False) -> pd.DataFrame | None:
    """Return the recorded table of an id: numbers as numbers (NaN where empty), text as text.

    Parameters
    ----------
    id : str
        Id of the catalogue. Its own record answers, else that of the same figure or table in
        another document, else that of the table a figure draws.
    missing_ok : bool, default=False
        Return None where nothing is recorded, and raise no LookupError.

    Examples
    --------
    >>> recorded("Thesis.Tab5.4").error_pct.dtype
    dtype('float64')
    """
    file = recorded_file(id, "data/results", "figures")
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
    file = recorded_file(id, "data/results")
    return None if file is None else read_strings(file)


def recorded_texts() -> pd.DataFrame | None:
    """Return every recorded row that answers a number in running text (``id``, ``value``)."""
    folder = repository_root() / "data" / "results"
    settle(folder)
    frames = [read_strings(path) for path in sorted(folder.glob("*.csv"))]
    frames = [frame for frame in frames if {"id", "value"} <= set(frame.columns)]
    return pd.concat(frames).drop_duplicates("id").fillna("") if frames else None


def check_table(frame: pd.DataFrame, id: str, *, rows: bool) -> None:
    """Raise ValueError unless a table can stand beside the published one of its id.

    A key column or every quantity may not be missing, no row may be doubled, and with `rows` one
    row must name a published row.
    """
    if not lookup(id).published_csv or is_text_file(lookup(id).published_csv):
        _check_text(frame, id)
        return
    keys, quantities = keys_of(id), columns_of_role(id, "quantity")
    if lookup(id).kind != "table" and not set(keys) <= set(frame.columns):
        return  # a figure's own numbers need not be those of the table it draws
    missing = [name for name in keys if name not in frame.columns]
    if missing or not set(quantities) & set(frame.columns):
        raise ValueError(
            f"The table of {id} must have the key columns {keys} and at least one of the "
            f"quantities {quantities}. Got {list(frame.columns)}."
        )
    ours = row_keys(frame, keys)
    doubled = [key for key in dict.fromkeys(ours) if ours.count(key) > 1]
    if doubled:
        raise ValueError(f"The table of {id} must have one row per {keys}. Got {doubled[0]} twice.")
    theirs = published(id, printed=True)
    if rows and not set(ours) & set(row_keys(theirs, keys)):
        accepted = {name: list(dict.fromkeys(theirs[name])) for name in keys}
        raise ValueError(
            f"No row of the table of {id} names a published row. Accepted: {accepted}. "
            f"Got for example {dict(zip(keys, ours[0], strict=True))}."
        )


def _check_text(frame: pd.DataFrame, id: str) -> None:
    """Rows with an ``id`` answer numbers in running text: they need a ``value`` and no doubles."""
    if "id" not in frame.columns:
        if lookup(id).kind == "text":
            raise ValueError(f"The table of {id} must have the columns 'id' and 'value'.")
        return
    if "value" not in frame.columns or frame["id"].duplicated().any():
        raise ValueError(f"The table of {id} must have one row per 'id' and a column 'value'.")
    known = numbers_in_text()
    unknown = [name for name in frame["id"] if name not in known]
    if unknown:
        raise ValueError(
            f"'id' must name numbers in running text, such as 'Thesis.text054'. Got {unknown[0]!r}."
        )
