"""Checks of arguments, all ending in one sentence: which argument, what is accepted, what came."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any


def _interval(low: float, high: float, closed: str) -> str:
    left = "[" if closed in ("both", "left") and math.isfinite(low) else "("
    right = "]" if closed in ("both", "right") and math.isfinite(high) else ")"
    return f"{left}{low:g}, {high:g}{right}"


def _inside(value: float, low: float, high: float, closed: str) -> bool:
    above = value >= low if closed in ("both", "left") else value > low
    below = value <= high if closed in ("both", "right") else value < high
    return above and below


def check_number(
    owner: object | str,
    name: str,
    value: Any,
    *,
    kind: type = Real,
    low: float = -math.inf,
    high: float = math.inf,
    closed: str = "both",
    options: Collection[Any] = (),
) -> None:
    """Raise unless `value` is a finite number of `kind` in the interval, or one of `options`.

    Parameters
    ----------
    owner : object or str
        Estimator (or name of the function) the argument belongs to.
    name : str
        Name of the argument.
    value : object
        What was given.
    kind : {numbers.Real, numbers.Integral}
        Booleans count as neither.
    low, high : float
        Ends of the accepted interval.
    closed : {"both", "left", "right", "neither"}
        Which ends belong to it.
    options : collection
        Values accepted besides, such as ``("auto",)`` or ``(None,)``.

    Raises
    ------
    TypeError
        The value is not a number of this kind, nor one of the options.
    ValueError
        It is a number out of range, or NaN.

    Examples
    --------
    >>> check_number("SVC", "C", -1, low=0, closed="neither")
    Traceback (most recent call last):
        ...
    ValueError: The 'C' parameter of SVC must be a number in (0, inf). Got -1 instead.
    """
    if any(value is option or (isinstance(option, str) and value == option) for option in options):
        return
    what = "an integer" if kind is Integral else "a number"
    accepted = " or ".join(
        [f"{what} in {_interval(low, high, closed)}", *(repr(option) for option in options)]
    )
    owner_name = owner if isinstance(owner, str) else type(owner).__name__
    message = f"The {name!r} parameter of {owner_name} must be {accepted}. Got {value!r} instead."
    if isinstance(value, bool) or not isinstance(value, kind):
        raise TypeError(message)
    if not math.isfinite(value) or not _inside(value, low, high, closed):
        raise ValueError(message)


def check_option(owner: object | str, name: str, value: Any, options: Collection[Any]) -> None:
    """Raise unless `value` is one of `options`.

    Raises
    ------
    ValueError
        It is none of them; the message lists them.

    Examples
    --------
    >>> check_option("SVC", "solver", "smo", ("dual", "pegasos"))
    Traceback (most recent call last):
        ...
    ValueError: The 'solver' parameter of SVC must be one of 'dual', 'pegasos'. Got 'smo' instead.
    """
    if not any(
        value is option or (type(value) is type(option) and value == option) for option in options
    ):
        owner_name = owner if isinstance(owner, str) else type(owner).__name__
        listed = ", ".join(repr(option) for option in options)
        raise ValueError(
            f"The {name!r} parameter of {owner_name} must be one of {listed}. "
            f"Got {value!r} instead."
        )
