"""The columns of the published tables: which name a row, which are numbers, how rows match."""

from __future__ import annotations

import pandas as pd

from hlsvm.reproduce.catalogue import lookup
from hlsvm.reproduce.methods import canonical
from hlsvm.reproduce.paths import repository_root
from hlsvm.reproduce.published_numbers import is_text_file, parse_number, published, read_strings

# Columns that name a row. The exceptions say what names a row where a key is a quantity elsewhere.
_KEYS = (
    *("dataset", "mode", "method", "similarity", "nystrom_p", "algorithm", "parameter", "mu_rule"),
    *("n_instances", "sigma", "approach", "regime", "phase"),
)
_KEYS_OF = {
    "dtsvm_table01_medium_datasets.csv": ["dataset"],
    "srs_table2_h_vs_mrrs_size.csv": ["h"],
    "srs_table7_adult_h_mu.csv": ["h", "mu_rule"],
    "srs_table8_ijcnn1_h_mu.csv": ["h", "mu_rule"],
    "srs_tableA10_toy_subclasses.csv": ["h"],
    "thesis_table3_1_complexity.csv": ["method", "condition"],
    "thesis_table3_2_complexity_phases.csv": ["regime", "method", "phase"],
    "thesis_table3_4_alpha.csv": ["dataset", "similarity", "nystrom_p"],
    "thesis_table3_5_mrmr_vs_qpfs.csv": ["dataset", "n_features"],
    "thesis_table3_6_error_by_features.csv": ["dataset", "method", "nystrom_p", "n_features"],
    "thesis_table6_2_error_and_cost.csv": ["n_features", "method"],
    "thesis_table6_3_times.csv": ["n_features", "method"],
}
# Columns that describe: neither key nor number to compare.
_DESCRIBE = {
    *("note", "no", "full_name", "repository", "references", "condition", "size_on_disk"),
    *("section", "topic", "unit", "group", "subgroup", "status", "id"),
}
_SPREADS = ("_sd", "_pm")


def spread_column(name: str, columns) -> str | None:
    """Return the column that holds the printed spread of a quantity, if there is one.

    Examples
    --------
    >>> spread_column("error_pct", ["error_pct", "error_sd"])
    'error_sd'
    """
    for base in (name, name.removesuffix("_pct"), name.removesuffix("_mean")):
        for suffix in _SPREADS:
            if base + suffix in columns and base + suffix != name:
                return base + suffix
    return None


def keys_of(id: str) -> list[str]:
    """Return the columns that name a row of an id's published table.

    Examples
    --------
    >>> keys_of("Thesis.Tab5.4")
    ['dataset', 'method']
    """
    file = lookup(id).published_csv
    if is_text_file(file):
        return ["id"]
    if file in _KEYS_OF:
        return _KEYS_OF[file]
    columns = published(id, printed=True).columns
    return [name for name in columns if name in _KEYS] or [columns[0]]


def quantities_of(id: str) -> list[str]:
    """Return the columns of an id's published table that hold quantities.

    Examples
    --------
    >>> quantities_of("Thesis.Tab5.5")
    ['train_s', 'test_s_per_pattern']
    """
    if is_text_file(lookup(id).published_csv):
        return ["value"]
    columns = list(published(id, printed=True).columns)
    spreads = {spread_column(name, columns) for name in columns}
    hidden = spreads | _DESCRIBE | set(keys_of(id))
    return [name for name in columns if name not in hidden]


_DATASETS = {
    "ijcnn": "ijcnn1",
    "binary covtype": "covtype",
    "covertype": "covtype",
    "covertype.binary": "covtype.binary",
}


def key_value(column: str, value: object) -> str:
    """Return the spelling keys are matched by: methods by their one name, numbers by value.

    Examples
    --------
    >>> key_value("method", "LIBSVM (nonlinear SVM)") == key_value("method", "RBF SVM")
    True
    >>> key_value("nystrom_p", "0.50"), key_value("dataset", "IJCNN")
    ('0.5', 'ijcnn1')
    """
    text = "" if value is None or value != value else str(value).strip()
    if column in ("method", "algorithm"):
        return canonical(text, strict=False).lower()
    if column == "dataset":
        return _DATASETS.get(text.lower(), text.lower())
    number = parse_number(text)
    return text.lower() if number != number else f"{number:.12g}"


def row_keys(frame: pd.DataFrame, keys: list[str]) -> list[tuple[str, ...]]:
    """Return the key of every row, in the spelling rows are matched by."""
    columns = [[key_value(name, value) for value in frame[name]] for name in keys]
    return list(zip(*columns, strict=True))


def check_table(frame: pd.DataFrame, id: str, *, rows: bool) -> None:
    """Raise unless a table can stand beside the published one of its id.

    Raises
    ------
    ValueError
        A key column or every quantity is missing, a row is doubled, or (with `rows`) no row
        names a published row.
    """
    if not lookup(id).published_csv or is_text_file(lookup(id).published_csv):
        _check_text(frame, id)
        return
    keys, quantities = keys_of(id), quantities_of(id)
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
    known = _text_ids()
    unknown = [name for name in frame["id"] if name not in known]
    if unknown:
        raise ValueError(
            f"'id' must name numbers in running text, such as {known[0]!r}. Got {unknown[0]!r}."
        )


def _text_ids() -> list[str]:
    return [
        name
        for document in ("Thesis.Text2", "HLSVM.Text", "DTSVM.Text", "MetricTree.Text", "SRS.Text")
        for name in _all_text(document)["id"]
    ]


def _all_text(id: str) -> pd.DataFrame:

    return read_strings(repository_root() / "data" / "published" / lookup(id).published_csv)
