"""The scoreboard in words: which method to choose.

The texts are ``data/choices.csv``, with the fields of `deciding_values`.
"""

from __future__ import annotations

import contextlib

import pandas as pd

from hlsvm.chapters.evidence import pivoted
from hlsvm.chapters.scoreboard import headlines
from hlsvm.reproduce.claim_verdicts import NotTold, fill_in, rule, statements
from hlsvm.reproduce.recorded_numbers import recorded
from hlsvm.reproduce.repository import read_strings, repository_root


def deciding_values() -> dict[str, list]:
    """Return the values that decide the claims told, for `fill_in`: QPFS_01 has those of QPFS.01.

    ``lost`` is what accuracy SRS-SVM loses, ``solver`` the ratio that its solver gains, ``fast``
    both by its default; ``mrmr`` by how much mRMR's error is at worst above and at best below that
    of QPFS.
    """
    rows = statements().tables[headlines().index]
    values = {}
    for id, tables in rows[~rows.isin(["", "computed"])].str.split(";").items():
        with contextlib.suppress(NotTold):
            values[id.replace(".", "_")] = rule(id)(*map(recorded, tables))[2:]
    seconds, right = (pivoted(recorded("SRS.Tab4"), name) for name in ("train_s", "accuracy_pct"))
    libsvm, exact, fast = "LibSVM", "KernelSVC", "Proposed, fast"
    gaps = values["QPFS_01"][0].values()
    return values | {
        "lost": -values["SRS_01"][0],
        "solver": seconds[libsvm] / seconds[exact],
        "same": (right[libsvm] - right[exact]).abs().max(),
        "fast": (seconds[exact] / seconds[fast], right[exact] - right[fast]),
        "mrmr": (-min(gaps), max(gaps)),
    }


def choices(verdicts: pd.Series, **more) -> str:
    """Return which method to try when, with its gain, its cost and what is open, as Markdown.

    `verdicts` are those of the headlines, by id; the texts may name `more` values.
    """
    lines, notes = ["| if | try | gain | cost | not shown |", "|---|---|---|---|---|"], []
    values, short = deciding_values() | more, headlines().short
    texts = read_strings(repository_root() / "data" / "choices.csv").to_numpy()
    for situation, method, claims, *cells, unproved, unknown, note in texts:
        ids = [id for id in claims.split(";") if id]
        if not verdicts[ids].isin(["holds", "holds in part"]).all():
            method, cells, unproved, note = "nothing proved", ["", ""], f"see {', '.join(ids)}", ""
        open_ids = [id for id in unknown.split(";") if verdicts.get(id) == "cannot be told"]
        still = [f"whether “{short[id]}” is true ({id})" for id in open_ids]
        mark = "¹²³⁴⁵⁶"[len(notes)] if note else ""
        text = [*cells, "; ".join([unproved, *still]).removeprefix("; ")]
        *row, note = (
            fill_in(words, mark=mark, **values) for words in (*text, note and f"{mark} {note}")
        )
        notes += [note] if note else []
        lines.append(f"| {situation} | {method} | {' | '.join(row)} |")
    return "\n".join([*lines, "", " ".join(notes)]).replace("%", " %").replace("  %", " %")
