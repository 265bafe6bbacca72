"""The scoreboard in words: which method to choose, and a line per method.

The texts are ``data/choices.csv`` and ``data/take_home.csv``, with the fields of `deciding_values`.
"""

from __future__ import annotations

import contextlib

import pandas as pd

from hlsvm.chapters.scoreboard import STATES, headlines
from hlsvm.reproduce.claim_verdicts import NotTold, fill_in, rule, statements
from hlsvm.reproduce.recorded_numbers import recorded
from hlsvm.reproduce.repository import read_strings, repository_root


def _texts(name: str) -> list[list[str]]:
    return read_strings(repository_root() / "data" / f"{name}.csv").to_numpy().tolist()


def deciding_values() -> dict[str, list]:
    """Return the values that decide the claims told, for `fill_in`: QPFS_01 has those of QPFS.01.

    ``lost`` is the accuracy that SRS-SVM loses, ``solver`` the ratio that its solver gains, and
    ``below`` the gains of H-LSVM over the linear SVM, in points, that are beyond chance.
    """
    rows = statements().tables[headlines().index]
    values = {}
    for id, tables in rows[~rows.isin(["", "computed"])].str.split(";").items():
        with contextlib.suppress(NotTold):
            values[id.replace(".", "_")] = rule(id)(*map(recorded, tables))[2:]
    (ours, _, program), (gap, undecided) = values["SRS_02"], values["HLSVM_01"]
    derived = {"lost": -values["SRS_01"][0], "solver": program / ours, "below": gap.drop(undecided)}
    return {**values, **derived}


def choices(verdicts: pd.Series) -> str:
    """Return which method to try when, with its gain, its cost and what is open, as Markdown.

    Parameters
    ----------
    verdicts : Series
        Of the headlines, by id.
    """
    lines = ["| if | try | gain | cost | not shown |", "|---|---|---|---|---|"]
    values, short = deciding_values(), headlines().short
    for situation, method, claims, *cells, unproved, unknown in _texts("choices"):
        ids = claims.split(";")
        if not verdicts[ids].isin(["holds", "holds in part"]).all():
            method, cells, unproved = "nothing proved", ["", ""], f"see {', '.join(ids)}"
        open_ids = [id for id in unknown.split(";") if verdicts.get(id) == "cannot be told"]
        still = [f"{short[id]} ({id})" for id in open_ids]
        text = [*cells, "; ".join([unproved, *still]).removeprefix("; ")]
        row = [fill_in(cell, **values) for cell in text]
        lines.append(f"| {situation} | {method} | {' | '.join(row)} |")
    return "\n".join(lines)


def take_home(claims: pd.DataFrame) -> str:
    """Return a line per method, as its verdicts decide it, with the count of its claims, Markdown.

    Parameters
    ----------
    claims : DataFrame
        The headlines, as ``claims(headline=True)``.
    """
    parts, values = [], deciding_values()
    for topic, method, ids, holds, fails, unknown in _texts("take_home"):
        answers = set(claims.verdict[ids.split(";")])
        line = holds if answers <= {"holds", "holds in part"} else fails
        if "cannot be told" in answers:
            line = f"it is still open {unknown}"
        counts = claims.verdict[claims.index.str.startswith(f"{topic}.")].value_counts()
        tally = ", ".join(f"{name}: {counts[name]}" for name in STATES if name in counts)
        text = f"{line[0].upper()}{fill_in(line[1:], **values)}"
        parts.append(f"**{method}. {text}. *(Headlines: {tally}.)*")
    return "\n\n".join(parts)
