"""One name and one look per method: the same colour, marker and line in every figure.

Colours are those of Okabe and Ito and of Tol's muted scheme, safe for colour-blind readers; methods
that share figures also differ in lightness, marker and dash, so that a grey print can be read.
"""

import csv
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

_COLOURS = {
    **{"black": "#000000", "orange": "#E69F00", "sky": "#56B4E9", "green": "#009E73"},
    **{"blue": "#0072B2", "red": "#D55E00", "pink": "#CC79A7", "grey": "#8A8A8A"},
    **{"olive": "#999933", "wine": "#882255", "sand": "#DDCC77", "teal": "#44AA99"},
}
_DASHES = {"dash": (5, 2), "dot": (1, 1.4), "dashdot": (6, 2, 1, 2), "sparse": (2, 3)}


@dataclass(frozen=True)
class Method:
    """Name, look and other spellings of a method: a line of ``methods.csv``."""

    name: str
    color: str
    marker: str
    linestyle: object
    aliases: tuple[str, ...]


def _read() -> tuple[Method, ...]:
    with Path(__file__).with_name("methods.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Method(
                row["name"],
                _COLOURS[row["color"]],
                row["marker"],
                (0, _DASHES[row["line"]]) if row["line"] in _DASHES else "-",
                tuple(filter(None, row["aliases"].split(";"))),
            )
            for row in csv.DictReader(file)
        )


METHODS = _read()


def _fold(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum() or letter in "+=^")


@lru_cache(maxsize=1)
def _by_spelling() -> dict[str, Method]:
    table: dict[str, Method] = {}
    for method in METHODS:
        for spelling in (method.name, *method.aliases):
            table.setdefault(_fold(spelling), method)
    return table


def method(name: str) -> Method:
    """Return a method by any of its spellings; KeyError names the nearest of an unknown one."""
    table = _by_spelling()
    entry = table.get(_fold(str(name)))
    if entry is None:
        near = get_close_matches(_fold(str(name)), table, n=2, cutoff=0.5)
        hint = " or ".join(repr(table[spelling].name) for spelling in near)
        known = ", ".join(method.name for method in METHODS)
        raise KeyError(
            f"{name!r} is not a method with a colour of its own. "
            + (f"Did you mean {hint}?" if hint else f"Known: {known}")
        )
    return entry


def canonical(name: str, *, strict: bool = True) -> str:
    """Return the one spelling of a method's name; an unknown name passes unless `strict`.

    Examples
    --------
    >>> canonical("SVM Trees"), canonical("my method", strict=False)
    ('SVM-Trees', 'my method')
    """
    if not strict and _fold(str(name)) not in _by_spelling():
        return str(name)
    return method(name).name
