"""What the documents claim, and what the records say of it.

A claim is decided by the function that begins with its id, ``qpfs_01_similar_to_mrmr``, in one of
the modules ``*claims`` of its chapter or of ``theory``. It is called with the tables that
``data/claims.csv`` names for the claim (`recorded`), in that order ("computed" names none: the
function computes what decides), and returns ``holds``, ``in_part`` and the values that decide, in
the order in which the claim's sentence ``because`` names them; ``holds`` is None where they do not
tell. Where there are no values it raises `NotTold`. A rule with thresholds takes ``strict``, by
which it divides or multiplies them: 2 is twice as strict.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd

from hlsvm._files import write_whole
from hlsvm.reproduce.recorded_numbers import recorded, recorded_texts
from hlsvm.reproduce.repository import CHAPTERS, read_strings, repository_root

#: The verdicts on a claim.
ANSWERS = ("holds", "holds in part", "does not hold", "cannot be told")
# Chapter of hlsvm.chapters that decides the claims of a topic.
TOPICS = {chapter.topic: chapter.word for chapter in CHAPTERS if chapter.topic}


class NotTold(Exception):
    """The records do not tell whether a claim holds; the message says what is missing."""


def statements() -> pd.DataFrame:
    """Return ``data/claims.csv`` as text, one row a claim, indexed by its id."""
    return read_strings(repository_root() / "data" / "claims.csv").set_index("id")


def has_threshold(id: str) -> bool:
    """Whether the rule of a claim has thresholds that can be set more or less strictly."""
    decides = rule(id)
    return decides is not None and "strict" in signature(decides).parameters


@cache
def rule(id: str) -> Callable[..., tuple] | None:
    """Return the function that decides a claim, None where there is none."""
    topic, _, number = id.partition(".")
    for chapter in (TOPICS[topic], "theory"):
        package = import_module(f"hlsvm.chapters.{chapter}")
        for _, module, _ in iter_modules(package.__path__, f"{package.__name__}."):
            rules = vars(import_module(module)) if module.endswith("claims") else {}
            for name in rules:
                if name.startswith(f"{topic.lower()}_{number}_"):
                    return rules[name]
    return None


def _decide(
    claim: pd.Series, table: Callable[[str], pd.DataFrame | None], strict: float = 1.0
) -> tuple[str, str]:
    id = str(claim.name)
    decides = rule(id)
    names = [name for name in claim.tables.split(";") if name not in ("", "computed")]
    absent = [name for name in names if table(name) is None]
    if decides is None or absent:
        what = claim.missing or ", ".join(absent) or "the experiment"
        none = "" if what.startswith("data") else "the records hold no experiment for it: "
        return "cannot be told", none + what
    options = {"strict": strict} if has_threshold(id) else {}
    try:
        holds, in_part, *values = decides(*map(table, names), **options)
    except NotTold as missing:
        return "cannot be told", str(missing)
    except (KeyError, AttributeError, IndexError, ValueError) as error:  # rows or columns missing
        return "cannot be told", f"the record of {', '.join(names)} lacks what decides ({error})"
    answer = 3 if holds is None else 0 if holds else 1 if in_part else 2
    return ANSWERS[answer], fill_in(claim.because, *values)


class _Sentence(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        if isinstance(value, (bool, np.bool_)):
            return spec.split("|")[not value]
        if isinstance(value, (pd.Series, Mapping)):
            if not len(value):
                raise ValueError("A claim's rule found no rows: its record has other names.")
            if spec.startswith("to "):
                return span(dict(value).values(), f"{{:{spec[3:]}}}")
            return each(value, f"{{:{spec or '.2g'}}}")
        return names(value) if isinstance(value, list) else format(value, spec)


def fill_in(text: str, /, *values: Any, **named: Any) -> str:
    """Return `text` with values in its places, as `str.format` does, and some kinds in words.

    Values by name: `each`, or least "to " largest. Texts: `names`. A truth: "yes|no".
    """
    return _Sentence().format(text, *values, **named)


def decide_all(rows: pd.DataFrame, strict: float = 1.0) -> list[tuple[str, str]]:
    """Return the verdicts on claims and the numbers that decide them, reading every table once.

    With `strict` 2 every threshold of a rule is twice as strict, with 0.5 half as strict.
    """
    table = cache(_table)
    return [_decide(claim, table, strict) for _, claim in rows.iterrows()]


def _table(name: str) -> pd.DataFrame | None:
    """Return a recorded table; "texts" means all numbers in running text that are answered."""
    if name != "texts":
        return recorded(name, missing_ok=True)
    texts = recorded_texts()
    if texts is None:
        return None
    return texts.assign(value=pd.to_numeric(texts["value"], errors="coerce"))


def claims(topic: str | None = None, *, headline: bool | None = None) -> pd.DataFrame:
    """Return what the documents claim, with the verdict computed from the records.

    Parameters
    ----------
    topic : str, optional
        Chapter ("hlsvm"), beginning of an id ("HLSVM", "SRS.02") or document ("Thesis").
    headline : bool, optional
        Only the claims on which a document rests, or only the others.

    Returns
    -------
    DataFrame
        By id: ``claim``, ``place``, ``verdict`` (holds, holds in part, does not hold, cannot be
        told) and ``because``, the numbers that decide.

    Examples
    --------
    >>> claims("metric_tree", headline=True).columns.tolist()
    ['claim', 'place', 'verdict', 'because']
    """
    rows = statements()
    if headline is not None:
        rows = rows[(rows.headline == "yes") == headline]
    if topic is not None:
        of_topic = [_is_of(topic, id, row.document) for id, row in rows.iterrows()]
        if not any(of_topic):
            raise ValueError(
                f"topic must be a chapter ({', '.join(TOPICS.values())}), the beginning of an id "
                f"or a document. Got {topic!r}."
            )
        rows = rows[of_topic]
    answers = decide_all(rows)
    frame = rows[["claim", "place"]].assign(
        place=[
            f"{row.document.replace(';', ', ')}: {re.sub(r' [(]l[.][^)]*[)]', '', row.place)}"
            for row in rows.itertuples()
        ],
        verdict=[verdict for verdict, _ in answers],
        because=[because for _, because in answers],
    )
    return frame.rename_axis(None)


def _is_of(topic: str, id: str, document: str) -> bool:
    word = TOPICS[id.partition(".")[0]]
    if topic.partition(".")[0] in TOPICS:
        return f"{id}.".startswith(f"{topic.rstrip('.')}.")
    return topic == word or topic in document.split(";")


def write_verdicts() -> None:
    """Write the computed verdicts into ``data/claims.csv``; tests hold the records to them."""
    rows = statements()
    rows["verdict"] = [verdict for verdict, _ in decide_all(rows)]
    text = rows.reset_index().to_csv(index=False, lineterminator="\n")
    write_whole(repository_root() / "data" / "claims.csv", text)


def span(values: Any, form: str = "{:.3g}") -> str:
    """Return the least and the largest of some values as text."""
    numbers = [float(value) for value in values if not math.isnan(float(value))]
    ends = dict.fromkeys(form.format(end) for end in (min(numbers), max(numbers)))
    return " to ".join(ends)


def each(values: Mapping | pd.Series, form: str = "{:.2g}") -> str:
    """Return values with their names: "IJCNN 7.8, Shuttle 2.2"; "a, sample" is "a (sample)"."""
    texts = {
        " ".join(name) if isinstance(name, tuple) else re.sub(r", (\w+)$", r" (\1)", str(name)): v
        for name, v in dict(values).items()
    }
    return ", ".join(f"{name} {form.format(value)}" for name, value in texts.items())


def names(items: Iterable[str]) -> str:
    """Return names in a row, "none" where there is none."""
    return ", ".join(items) or "none"
