"""What the problems of every chapter share: saying what is missing, being found by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hlsvm.datasets import DataUnavailable


def missing(problem: Any) -> str:
    """Say what a problem lacks here, or "" where its data is at hand.

    Parameters
    ----------
    problem : object with ``data``, ``missing`` and ``load()``
        As each chapter's `Problem`: without ``data``, nothing stands in for the set.
    """
    if not problem.data:
        return problem.missing
    try:
        problem.load()
    except DataUnavailable:
        return problem.missing or problem.data
    return ""


def by_name(name: str, problems: Iterable[Any]) -> Any:
    """Return the problem of this name.

    Raises
    ------
    ValueError
        There is none of this name; the message lists them.
    """
    known = {entry.name: entry for entry in problems}
    if name not in known:
        raise ValueError(f"name must be one of {', '.join(known)}. Got {name!r}.")
    return known[name]
