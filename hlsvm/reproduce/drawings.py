"""Which function draws which figure: a pure function of the table recorded beside it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from hlsvm.reproduce.catalogue import lookup

# The chapter of hlsvm.chapters that draws what a notebook is the home of.
_CHAPTERS = {
    "02_background": "background",
    "03_qpfs": "qpfs",
    "04_kqpfs_equivalence": "kqpfs",
    "05_hlsvm": "hlsvm",
    "06_generalization_bounds": "bounds",
    "07_global_view": "global_view",
    "08_srs_svm": "srs_svm",
    "09_dtsvm": "dtsvm",
    "10_metric_tree": "metric_tree",
}
_DRAWINGS: dict[str, Callable[[Any], Any]] = {}


def draws(id: str, **options: Any):
    """Register a function ``table -> Figure`` as the drawing of an id; `options` are passed to it.

    Examples
    --------
    >>> @draws("Thesis.Fig5.6")
    ... def error_and_cost(table): ...
    """
    lookup(id)

    def register(function):
        _DRAWINGS[id] = lambda table: function(table, **options)
        return function

    return register


def draw(table, id: str):
    """Draw the figure of an id from its table: a DataFrame, or a dict of them (the panels).

    Raises
    ------
    KeyError
        No drawing is registered for this id.
    """
    home = lookup(id).home
    if home in _CHAPTERS:
        import_module(f"hlsvm.chapters.{_CHAPTERS[home]}.drawings")
    if id not in _DRAWINGS:
        raise KeyError(f"No drawing is registered for {id!r}: decorate one with @draws({id!r}).")
    return _DRAWINGS[id](table)
