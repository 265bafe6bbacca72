"""The scoreboard in words: which method to choose, and a line per method.

The texts are ``data/choices.csv`` and ``data/take_home.csv``, with the fields of `deciding_values`.
"""

from __future__ import annotations

from string import Formatter

import pandas as pd

from hlsvm.chapters.scoreboard import STATES, headlines, short_claims
from hlsvm.reproduce.claim_verdicts import names, rule, span, statements
from hlsvm.reproduce.recorded_numbers import recorded
from hlsvm.reproduce.repository import read_strings, repository_root


class _Ends:
    """Several values, shown as the least and the largest."""

    def __init__(self, values):
        self.values = list(dict(values).values())

    def __format__(self, form):
        return span(self.values, f"{{:{form}}}")


def deciding_values(*more: str) -> dict[str, list]:
    """Return the values that decide the claims named in the texts, and `more`, for `str.format`.

    QPFS_01 has those of QPFS.01. Several values of one kind are shown as the least and the largest.
    """
    texts = (text for name in ("take_home", "choices") for text in _texts(name).to_numpy().flat)
    fields = (field for text in texts for _, field, *_ in Formatter().parse(text) if field)
    ids = {*more, *(field.partition("[")[0].replace("_", ".") for field in fields)}
    tables = statements().tables[sorted(ids)].str.split(";")
    return {
        id.replace(".", "_"): [_shown(value) for value in rule(id)(*map(recorded, names))[2:]]
        for id, names in tables.items()
    }


def _texts(name: str) -> pd.DataFrame:
    return read_strings(repository_root() / "data" / f"{name}.csv")


def _shown(value):
    if isinstance(value, list):
        return names(value)
    return _Ends(value) if isinstance(value, (pd.Series, dict)) else value


def choices(verdicts: pd.Series) -> str:
    """Return which method to try when, with its gain, its cost and what is unproved, Markdown.

    Parameters
    ----------
    verdicts : Series
        Of the headlines, by id.
    """
    lines = ["| if | try | gain | cost | unproved |", "|---|---|---|---|---|"]
    values, short = deciding_values(), short_claims()
    for situation, method, ids, *cells, unproved, unknown in _texts("choices").to_numpy():
        ids = ids.split(";")
        if not verdicts[ids].isin(["holds", "holds in part"]).all():
            method, cells, unproved = "nothing proved", ["", ""], f"see {', '.join(ids)}"
        still = [
            f"{short[id]} ({id})"
            for id in unknown.split(";")
            if verdicts.get(id) == "cannot be told"
        ]
        text = [*cells, "; ".join([unproved, *still]).removeprefix("; ")]
        row = [cell.format(**values) for cell in text]
        lines.append(f"| {situation} | {method} | {' | '.join(row)} |")
    return "\n".join(lines)


def take_home(claims: pd.DataFrame) -> str:
    """Return a line per method, as its verdicts decide it, with its claims in a fold, Markdown.

    Parameters
    ----------
    claims : DataFrame
        The headlines, as ``claims(headline=True)``.
    """
    parts, order, values = [], list(STATES), deciding_values()
    for row, words in zip(_texts("take_home").itertuples(), headlines().values(), strict=True):
        answers = set(claims.verdict[row.claims.split(";")])
        line = row.holds if answers <= {"holds", "holds in part"} else row.fails
        if "cannot be told" in answers:
            line = f"it is still open {row.open}"
        counts = claims.verdict[list(words)].value_counts()
        totals = ", ".join(f"{name}: {counts[name]}" for name in order if name in counts)
        rows = [f"| {id} | {words[id]} | {_decides(claims.loc[id])} |" for id in words]
        rows.sort(key=lambda row: order.index(claims.verdict[row.split()[1]]))
        parts.append(
            f"**{row.method}. {line[0].upper()}{line[1:].format(**values)}.\n\n"
            f"<details><summary>Headline claims ({totals})</summary>\n\n"
            "| number | claim | verdict and what decides it |\n|---|---|---|\n"
            + "\n".join(rows)
            + "\n\n</details>"
        )
    return "\n\n".join(parts)


def _decides(claim: pd.Series) -> str:
    because = claim.because.replace("|", "\\|").rstrip(".")
    return f"**{claim.verdict}**: {because}"
