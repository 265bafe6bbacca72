"""What every bound returns: one number, how sure it is, what it is made of, what it needs."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

from hlsvm._params import check_type, refusal

__all__ = ["Bound", "side_by_side"]

_BOUNDS = "an iterable of Bound"


def _number(value: float | int | str) -> str:
    """Four significant digits, whole numbers in full."""
    if isinstance(value, str):
        return value
    if isinstance(value, Integral) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{float(value):.4g}"


@dataclass(frozen=True)
class Bound:
    """An upper bound on an error probability (or on what `quantity` says), read as a number.

    Attributes
    ----------
    name : str
        Which bound.
    value : float
        The bound.
    confidence : float or None
        Probability, over the draw of the sample, with which it holds (1 - delta); None where a
        constant of the statement is unknown, so that `value` only shows how it varies.
    terms : dict of str to float
        What the value is computed from, by name.
    assumption : str
        What must be true for it to hold.
    subject : str
        Which classifier it speaks of.
    quantity : str
        What is bounded.

    Examples
    --------
    >>> bound = Bound("demonstration", 0.25, 0.95, {"samples": 100}, "rows are i.i.d.")
    >>> float(bound), bound.terms["samples"]
    (0.25, 100)
    >>> print(bound)
    demonstration: error <= 0.25 with confidence 0.95
      samples  100
      assumes: rows are i.i.d.
    """

    name: str
    value: float
    confidence: float | None
    terms: Mapping[str, float] = field(default_factory=dict)
    assumption: str = ""
    subject: str = ""
    quantity: str = "error"

    def __float__(self) -> float:
        return float(self.value)

    @property
    def vacuous(self) -> bool:
        """Whether it says no more than guessing among two classes would (1/2 or more)."""
        return not self.value < 0.5

    def _headline(self) -> str:
        sure = "constant unknown"
        if self.confidence is not None:
            sure = f"with confidence {_number(self.confidence)}"
        of = f" of {self.subject}" if self.subject else ""
        return f"{self.quantity}{of} <= {_number(self.value)} {sure}"

    def __repr__(self) -> str:
        lines = [f"{self.name}: {self._headline()}"]
        width = max((len(name) for name in self.terms), default=0)
        lines += [f"  {name:<{width}}  {_number(value)}" for name, value in self.terms.items()]
        if self.assumption:
            lines.append(f"  assumes: {self.assumption}")
        return "\n".join(lines)

    __str__ = __repr__

    def _repr_markdown_(self) -> str:
        rows = "".join(f"| {name} | {_number(value)} |\n" for name, value in self.terms.items())
        needs = f"\n*Assumes:* {self.assumption}\n" if self.assumption else ""
        return f"**{self.name}**: {self._headline()}\n\n| term | value |\n|:--|--:|\n{rows}{needs}"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(name)}</td>"
            f"<td style='text-align:right'>{_number(value)}</td></tr>"
            for name, value in self.terms.items()
        )
        needs = (
            f"<p><em>Assumes:</em> {html.escape(self.assumption)}</p>" if self.assumption else ""
        )
        return (
            f"<div><p><strong>{html.escape(self.name)}</strong>: "
            f"{html.escape(self._headline())}</p><table>{rows}</table>{needs}</div>"
        )

    def to_dict(self) -> dict[str, float | str | None]:
        """Return name, value, confidence and terms in one flat dict: a row of a table."""
        return {
            "bound": self.name,
            "value": float(self.value),
            "confidence": self.confidence,
            **self.terms,
        }


def side_by_side(bounds: Iterable[Bound]) -> pd.DataFrame:
    """One row a bound, tightest first: value, confidence, subject, assumption.

    Examples
    --------
    >>> loose, tight = Bound("loose", 0.4, 0.95), Bound("tight", 0.1, 0.95)
    >>> side_by_side([loose, tight]).bound.tolist()
    ['tight', 'loose']
    """
    import pandas as pd

    check_type("side_by_side", "bounds", bounds, Iterable, _BOUNDS)
    try:
        bounds = [*bounds]
    except TypeError as error:  # an array of no dimension
        raise TypeError(refusal("side_by_side", "bounds", _BOUNDS, bounds)) from error
    for bound in bounds:
        check_type("side_by_side", "bounds", bound, Bound, _BOUNDS)
    rows = [
        {
            "bound": bound.name,
            "value": float(bound.value),
            "confidence": bound.confidence,
            "of": bound.subject,
            "assumes": bound.assumption,
        }
        for bound in bounds
    ]
    columns = ["bound", "value", "confidence", "of", "assumes"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.sort_values("value", kind="stable", ignore_index=True)
