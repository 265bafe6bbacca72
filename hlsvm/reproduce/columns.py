"""What the columns of the published tables mean: keys, quantities, which way is better."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from hlsvm.reproduce.ids import lookup
from hlsvm.reproduce.methods import canonical
from hlsvm.reproduce.paths import repository_root
from hlsvm.reproduce.printed import is_text_file, parse_number, published, read_strings

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


@dataclass(frozen=True)
class Quantity:
    """How two values of a column are compared.

    Attributes
    ----------
    kind : str
        "error", "accuracy", "time", "count", "ratio", "match", "setting", "formula".
    better : {"lower", "higher", "match", ""}
        Which way is better; "match": reproduced or not; "": neither.
    tolerance : float
        Relative difference that counts as the same where no spread is printed. For accuracies it
        is taken of 100 minus the published value, so that it means the same as for errors.
    """

    kind: str
    better: str
    tolerance: float


_ERROR = Quantity("error", "lower", 0.05)
_ACCURACY = Quantity("accuracy", "higher", 0.05)
_TIME = Quantity("time", "lower", 0.25)
_COUNT = Quantity("count", "lower", 0.05)
_GAIN = Quantity("ratio", "higher", 0.05)
_RATIO = Quantity("ratio", "lower", 0.05)
_MATCH = Quantity("match", "match", 0.02)
_SETTING = Quantity("setting", "", 0.0)
_FORMULA = Quantity("formula", "", 0.0)

# First pattern that matches the whole name of a column decides.
_PATTERNS = [
    (r"\w*error_pct", _ERROR),
    (r"\w*accuracy_pct", _ACCURACY),
    (r"(subclass|level\d)_pct", _SETTING),
    (r"\w*_s(_per_pattern|_tree|_local_svms)?", _TIME),
    (r"hyp_\w+|\w*hyp_mean|n_sv|svm_n_sv|tnsv|avg_depth|n_T_\w+|\w+_cost|T1|T2|R_\w+", _COUNT),
    (r"RC|RCC|RTT|RCT|abs_accuracy_diff", _RATIO),
    (r"RE|speed_gain_factor|\w+_(precision|recall)", _GAIN),
    (r"n_selected\w*", _COUNT),
    (r"q_bar|f_bar|alpha_hat|S_global|homogeneous_leaf_train_pct", _MATCH),
    (r"n_(train|test|features|samples|classes|labels)|d", Quantity("match", "match", 0.0)),
    (r"complexity|\w+_ops|estimated_mrrs_size|\w+_relation|accuracy_contrast", _FORMULA),
]


def quantity(name: str) -> Quantity:
    """Return how a column is compared; a column no rule knows is a setting.

    Examples
    --------
    >>> quantity("error_pct").better, quantity("accuracy_pct").better, quantity("libsvm_C").better
    ('lower', 'higher', '')
    """
    for pattern, meaning in _PATTERNS:
        if re.fullmatch(pattern, name):
            return meaning
    return _SETTING


_STATED = {
    *("Protocol", "Parameter", "Hardware", "Context", "Motivation", "Baseline", "Levels"),
    *("Sizes", "Pruning", "Algorithm 1", "Pegasos parameters", "alpha grid"),
    "Discretisation example",
}


def text_quantity(name: str, unit: str, topic: str) -> Quantity:
    """Return how a number in running text is compared, judged by its words and unit.

    Examples
    --------
    >>> text_quantity("accuracy", "%", "Figure 5.5").kind
    'accuracy'
    >>> text_quantity("C grid", "", "Protocol").kind
    'setting'
    """
    words = name.lower()
    if topic in _STATED or re.search(
        r"\bgrid\b|\brange\b|\blambda\b|\bvalues?\b|training sam", words
    ):
        return _SETTING
    if "accuracy" in words:
        return _ACCURACY if unit == "%" and "lost" not in words else _MATCH
    if re.search(r"\berror|misclassif", words):
        return _ERROR
    if unit in ("s", "h", "ms") or re.search(r"\btime\b", words):
        return _GAIN if unit in ("%", "x") else _TIME
    if re.search(r"speed|saved|accelerat|cost reduction|ratio|improvement|correlation", words):
        return _GAIN
    if re.search(r"support vectors|hyperplanes|nesv|depth", words):
        return _COUNT
    return _MATCH


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
