"""Tables as Markdown for a reader: columns in words, numbers in few digits, few rows."""

import math
import re

import numpy as np
import pandas as pd

_ROWS, _COLUMNS = 12, 10
# Parts of the names of columns, in the order in which they are replaced.
_WORDS = {
    "_s_per_pattern$": " (s)",
    "_pct$": " (%)",
    "_(s|us)$": r" (\1)",
    r"\(us\)": "(µs)",
    "^(test|train)_s_": r"\1 (s), ",
    "_": " ",
    r"\btnsv\b|\bn sv\b|n T SV": "support vectors",
    "n T MRRS hat": "candidates",
    "n T rSV": "support vectors found",
    "mrrs (precision|recall)": r"\1 of the candidates",
    "rsv (precision|recall)": r"\1 of those found",
    "hyp mean": "hyperplanes (mean)",
    "hyp max": "hyperplanes (most)",
    "n stumps H": "stumps",
    r"^n (train|test)$": r"\1ing rows",
    "testing rows": "test rows",
    r"^n (samples|features|classes|labels|selected mean)": r"\1",
    "n instances": "samples",
    "avg depth": "mean depth",
    "mrmr": "mRMR",
    "qpfs": "QPFS",
    "hlsvm": "H-LSVM",
    "liblinear": "linear SVM",
    "libsvm|^svm ": "RBF SVM ",
    "srs (?=train|acc)": "SRS-SVM ",
    "svms": "SVMs",
    "R dtsvm": "R of DTSVM",
    "adaboost": "AdaBoost",
    "  +": " ",
}


def markdown_table(frame: pd.DataFrame) -> str:
    r"""Return a frame of text as a Markdown table."""
    rows = [list(frame.columns), *frame.to_numpy().tolist()]
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    lines.insert(1, "|" + "---|" * len(frame.columns))
    return "\n".join(lines)


def place(heading: str) -> str:
    """Return the anchor that Markdown gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def folded(title: str, lines: list[str]) -> list[str]:
    """Return lines behind a triangle with a title, none where there are none."""
    return [f"<details><summary>{title}</summary>", "", *lines, "", "</details>", ""] * bool(lines)


def picture(file: str, title: str, width: int) -> str:
    """Return a picture that leads to its SVG; one in a folder has none and leads to itself."""
    whole = file if "/" in file else file.removesuffix("png") + "svg"
    return f'<a href="{whole}"><img src="{file}" width="{width}" alt="{title}"></a>'


def column_words(name: str) -> str:
    """Return the name of a column in words.

    Examples
    --------
    >>> column_words("train_s"), column_words("hlsvm_error_pct")
    ('train (s)', 'H-LSVM error (%)')
    """
    for pattern, words in _WORDS.items():
        name = re.sub(pattern, words, name)
    return name.strip()


def _scaled_words(name: str) -> str:
    """Return the name of a column whose seconds per pattern are written as microseconds."""
    words = column_words(name)
    return words.replace("(s)", "(µs)") if name.endswith("_s_per_pattern") else words


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def cell_words(name: str, text: str, beside: str = "") -> str:
    """Return a cell of a column in few digits, with the number it is compared with in brackets.

    Examples
    --------
    >>> cell_words("error_pct", "2.3567", "2.36"), cell_words("n", "49990", "50000")
    ('2.36 (=)', '49,990 (50,000)')
    """
    value = _number(text) * (1e6 if name.endswith("_s_per_pattern") else 1)
    if math.isnan(value):
        shown = text.replace("nan", "")
    elif value.is_integer() or abs(value) > 999:
        shown = f"{value + 0.0:,.0f}"
    else:
        shown = f"{value:.2f}" if name.endswith("_pct") else f"{value:.3g}"
    if beside == "" or shown == "":
        return shown
    other = cell_words(name, beside)
    plain = other if "e" in beside or "," in other or name.endswith("_s_per_pattern") else beside
    return f"{shown} ({'=' if other == shown else plain})"


def why_not(name: str, status: str) -> str:
    """Return why a data set is not shown, in brackets; "" where the record says its name alone."""
    why = status.removeprefix("not run: ").replace("hours", "takes hours")
    why = re.sub(r"^data \((.*)\)$", r"\1", why).replace("at hand", "available")
    why = re.sub(rf"^{re.escape(name)} (\(|is |was )", "", why)
    why = why.removesuffix(")") if why.count(")") > why.count("(") else why
    return f" ({why})" if " " in why and not why.startswith("The data set") else ""


def compact(table: pd.DataFrame, keys: list[str], kinds: dict[str, str]):
    """Return the columns that find room, in a dozen rows or few more, and which.

    Long tables have their methods side by side. Of too many columns, what was measured comes
    first, and ratios last. Rows with a number in brackets come before those without; of many,
    evenly spaced ones are shown.
    """
    names = list(kinds)
    measured = [name for name in names if kinds[name] in ("result", "ratio", "seconds")]
    plain = [name for name in measured if kinds[name] != "ratio"]
    first = [name for name in names if kinds[name] == "result"] or names
    across = [key for key in ("method", "mu_rule") if key in keys]
    many = len(keys) > 1 and len(table) > _ROWS
    for use in filter(None, (names, measured, plain, first[:1])):
        part = table.set_index(keys)[use]
        if across and many:
            part = part.unstack(across, fill_value="", sort=False)
            names = [(_scaled_words(name), *map(str, other)) for name, *other in part.columns]
            part.columns = [", ".join(name[len(use) == 1 :]) for name in names]
        part = part.loc[:, part.ne("").any()]
        if len(part.columns) <= _COLUMNS:
            break
    shown = part[part.map(lambda cell: "(" in cell).any(axis=1)]
    room = _ROWS * 3 // 2  # no table is cut for a few rows
    shown = shown if len(part) > room and len(shown) else part
    count = len(shown) if len(shown) <= room else _ROWS
    places = np.linspace(0, len(shown) - 1, count).round().astype(int)
    lead = f": {_scaled_words(use[0])}" * (len(use) == 1)
    lead += f"; {len(places)} of {len(part)} rows" * (len(places) < len(part))
    return shown.iloc[places].reset_index().rename(columns=_scaled_words), lead
