"""The scoreboard in words: which method to choose.

The texts are ``data/choices.csv``, with the fields of `deciding_values`.
"""

from __future__ import annotations

import contextlib

import pandas as pd

from hlsvm.chapters.scoreboard import headlines
from hlsvm.reproduce.claim_verdicts import NotTold, fill_in, rule, statements
from hlsvm.reproduce.recorded_numbers import recorded
from hlsvm.reproduce.repository import read_strings, repository_root


def _texts(name: str) -> list[list[str]]:
    return read_strings(repository_root() / "data" / f"{name}.csv").to_numpy().tolist()


def deciding_values() -> dict[str, list]:
    """Return the values that decide the claims told, for `fill_in`: QPFS_01 has those of QPFS.01.

    ``lost`` is the accuracy that SRS-SVM loses, ``solver`` the ratio that its solver gains,
    ``mrmr`` the points by which mRMR is at worst above and at best below the error of QPFS.
    """
    rows = statements().tables[headlines().index]
    values = {}
    for id, tables in rows[~rows.isin(["", "computed"])].str.split(";").items():
        with contextlib.suppress(NotTold):
            values[id.replace(".", "_")] = rule(id)(*map(recorded, tables))[2:]
    ours, _, program = values["SRS_02"]
    gaps = values["QPFS_01"][0].values()
    more = {"lost": -values["SRS_01"][0], "solver": program / ours, "mrmr": (-min(gaps), max(gaps))}
    return {**values, **more}


def choices(verdicts: pd.Series) -> str:
    """Return which method to try when, with its gain, its cost and what is open, as Markdown.

    Parameters
    ----------
    verdicts : Series
        Of the headlines, by id.
    """
    lines, notes = ["| if | try | gain | cost | not shown |", "|---|---|---|---|---|"], []
    values, short = deciding_values(), headlines().short
    for situation, method, claims, *cells, unproved, unknown, note in _texts("choices"):
        ids = claims.split(";")
        if not verdicts[ids].isin(["holds", "holds in part"]).all():
            method, cells, unproved, note = "nothing proved", ["", ""], f"see {', '.join(ids)}", ""
        open_ids = [id for id in unknown.split(";") if verdicts.get(id) == "cannot be told"]
        still = [f"{short[id]} ({id})" for id in open_ids]
        mark = "¹²³⁴⁵⁶"[len(notes)] if note else ""
        text = [*cells, "; ".join([unproved, *still]).removeprefix("; ")]
        *row, note = (
            fill_in(words, mark=mark, **values) for words in (*text, note and f"{mark} {note}")
        )
        notes += [note] if note else []
        lines.append(f"| {situation} | {method} | {' | '.join(row)} |")
    return "\n".join([*lines, "", " ".join(notes)]).replace("%", " %").replace("  %", " %")
