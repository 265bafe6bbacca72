"""The verdict on one number, why it is so, and how numbers are written beside each other.

A record says of its gaps "not run: data (...)" or "not run: hours". To the first the registry adds
the files that would fill it, to the second the catalogue adds the command. What no record can say
of itself stands in ``data/reasons.csv``: one line an id, with patterns for the row and the
quantity; a line with the verdict "worse" explains a number that is worse or different, and changes
no verdict.
"""

import math
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from hlsvm.datasets import registered_name
from hlsvm.reproduce.published_numbers import Column, parse_number
from hlsvm.reproduce.repository import by_file, lookup, read_strings, repository_root, siblings

RESULTS = ("better", "same", "different", "worse", "not run")
UNLIKE = ("different", "worse")
CONTEXT = ("equal", "differs", "stated")
VERDICTS = (*RESULTS, *CONTEXT, "not comparable")
_LEVEL = 0.05  # a p value below it is significant
_RESULTS = ("result", "ratio")
_DIRECTED = ("low", "high", "accuracy", "above", "below")


@dataclass(frozen=True)
class Verdict:
    """A verdict, why it is so, and the difference ours minus published."""

    verdict: str
    why: str = ""
    difference: float = math.nan


def missing(column: Column, why: str = "no value recorded") -> Verdict:
    """Return the verdict on a number without one of ours: settings and sizes are only stated."""
    if column.kind in ("context", "stated"):
        return Verdict("stated")
    return Verdict("not run", why)


def _last_digit(printed: str) -> float:
    """Half a unit of the last digit printed: "2.36" -> 0.005, "2.0e-3" -> 0.00005."""
    match = re.fullmatch(r"[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?", printed)
    if not match:
        return 0.0
    decimals = len(match[1]) if "." in printed else 0
    return 0.5 * 10.0 ** (int(match[2] or 0) - decimals)


def judge(printed: str, ours: str, column: Column, spread: float = math.nan) -> Verdict:
    """Return the verdict on a number, a range "2|5", a limit "<0.001", or a word.

    Results and ratios within one run are better, the same or worse, or different where neither is
    better (a chosen optimum, a p-value); context (sizes, settings, other methods) is equal or
    differs; seconds of two machines are not comparable. Within `spread` numbers are the same;
    without one the column's tolerance decides. Half a unit of the last digit printed is always the
    same.
    """
    if ours == "":
        return missing(column)
    if column.kind == "stated":
        return Verdict("stated")
    difference = parse_number(ours) - parse_number(printed)
    if column.kind == "seconds":
        return Verdict("not comparable", "seconds of two machines", difference)
    sign = _sign(printed.strip(), ours.strip(), column, spread)
    if sign is None:
        return Verdict("not comparable", "not a number")
    if column.kind in _RESULTS:
        below = "worse" if column.better in _DIRECTED or printed[0] in "<>" else "different"
        return Verdict((below, "same", "better")[sign + 1], "", difference)
    return Verdict("equal" if sign == 0 else "differs", "", difference)


def _sign(printed: str, ours: str, column: Column, spread: float) -> int | None:
    """Return 1 for better, 0 for the same, -1 for worse, None where they cannot be compared."""
    if not printed.partition("|")[2] and math.isnan(parse_number(printed.lstrip("<>"))):
        known = {printed.lower(), ours.lower()}
        return 0 if len(known) == 1 else -1 if known == {"yes", "no"} else None
    theirs = [parse_number(end) for end in printed.lstrip("<>").split("|")]
    numbers = [parse_number(end) for end in ours.split("|")]
    if len(theirs) > 2 or len(numbers) > 2 or math.isnan(sum(theirs) + sum(numbers)):
        return None
    if column.better == "significance":
        return 0 if (theirs[0] < _LEVEL) == (numbers[0] < _LEVEL) else -1
    if column.better in ("above", "below") or printed[0] in "<>":
        below = printed[0] == "<" or column.better == "below"
        return 0 if (max(numbers) <= theirs[0] if below else min(numbers) >= theirs[0]) else -1
    if len(theirs) == 2 and len(numbers) == 1:  # one number against a range
        nearest = min(max(numbers[0], theirs[0]), theirs[1])
        return _one(nearest, numbers[0], "", column, spread)
    pairs = zip(theirs * len(numbers) if len(theirs) == 1 else theirs, numbers, strict=True)
    signs = [_one(a, b, printed if len(theirs) == 1 else "", column, spread) for a, b in pairs]
    return min(signs) if min(signs) < 0 else max(signs)


def _one(theirs: float, ours: float, printed: str, column: Column, spread: float) -> int:
    scale = abs(100.0 - theirs) if column.better == "accuracy" else abs(theirs)
    allowed = column.tolerance * scale if math.isnan(spread) else spread
    difference = ours - theirs
    if abs(difference) <= max(allowed, _last_digit(printed)) * (1 + 1e-9):
        return 0
    if column.better in ("low", "below"):
        return -1 if difference > 0 else 1
    return 1 if difference > 0 and column.better in ("high", "accuracy") else -1


def round_like(printed: str, value: float, digits: int = 3) -> str:
    """Write a number the way the published one is printed, with `digits` digits at least."""
    if math.isnan(value):
        return ""
    exponent = re.search(r"[eE]", printed)
    if exponent or (value != 0 and not 1e-4 <= abs(value) < 1e9):
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{int(power)}"
    decimals = len(printed.partition(".")[2]) if "." in printed else 0
    if value != 0 and value != round(value):
        decimals = max(decimals, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


# Of data that were never public no file is missing.
_NEVER = ("not public", "never published")
UNEXPLAINED = "not explained"


def reasons(id: str | None = None) -> list[dict[str, str]]:
    """Return ``data/reasons.csv``: ``id``, ``row``, ``quantity``, ``verdict``, ``why``.

    With `id` only what is said of it or of the same table in another document.
    """
    path = repository_root() / "data" / "reasons.csv"
    lines = _lines(path) if path.exists() else []
    names = siblings(id) if id else ()
    return [line for line in lines if id is None or line["id"] in names]


@by_file
def _lines(path: Path) -> list[dict[str, str]]:
    return read_strings(path).to_dict("records")


@lru_cache(maxsize=256)
def missing_files(dataset: str) -> str:
    """Return the files of a data set, or what brings it; "" where nothing does."""
    from hlsvm.datasets.registry import registry

    entry = registry().get(registered_name(dataset))
    if entry is None or entry.built_in:
        return ""
    if entry.files:
        return ", ".join(file["name"] for file in entry.files)
    return "" if entry.external else f"`hlsvm data fetch {entry.name}`"


def _data(why: str, dataset: str) -> str:
    inside = why.removeprefix("data").strip().removeprefix("(").removesuffix(")")
    if any(words in inside for words in _NEVER):
        return why
    inside = "" if inside.startswith("The data set ") else inside
    parts = [part for part in (inside, missing_files(dataset)) if part]
    return f"data ({': '.join(parts)})" if parts else why


def explain(id: str, row: str, quantity: str, dataset: str, outcome: Verdict) -> Verdict:
    """Return a verdict "not run", "worse" or "different" with its reason in full.

    The row is named by its keys, joined by ", ", the data set as the documents call it ("" where
    the row names none); the outcome comes with the reason of the record.
    """
    notes = [
        line
        for line in reasons(id)
        if (line["verdict"] == "worse") == (outcome.verdict in UNLIKE)
        and fnmatchcase(row, line["row"])
        and fnmatchcase(quantity, line["quantity"])
    ]
    if outcome.verdict in UNLIKE:
        why = notes[0]["why"] if notes else outcome.why or UNEXPLAINED
        return Verdict(outcome.verdict, why, outcome.difference)
    if notes and not outcome.why.startswith("data"):
        outcome = Verdict(notes[0]["verdict"], notes[0]["why"])
    if outcome.verdict != "not run":
        return outcome
    command = f"`hlsvm run {lookup(id).home} --scale paper"
    if outcome.why == "hours":
        return Verdict("not run", f"hours: {command}`")
    if outcome.why.startswith("hours (") and outcome.why.endswith(" rows)"):
        rows = outcome.why.split()[-2].removeprefix("(")
        return Verdict("not run", f"{outcome.why}: {command} -p most_rows {rows}`")
    if outcome.why == "data" or outcome.why.startswith("data ("):
        return Verdict("not run", _data(outcome.why, dataset))
    return outcome
