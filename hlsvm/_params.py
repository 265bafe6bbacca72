"""Checks of arguments, all ending in one sentence: which argument, what is accepted, what came."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

_LARGEST = 2**63 - 1  # the largest integer of a compiled kernel
_SEEDS = 2**32 - 1  # the largest seed of numpy.random.RandomState
_JOBS = 1024  # the most threads that `n_jobs` may ask for
_SHOWN = 200  # characters of a value that an error shows
_SCALES = 1e-300, 1e300  # positive numbers of which the reciprocal is finite too
ROUNDING = float(np.finfo(np.float64).eps)


def owner_name(owner: object | str) -> str:
    """Name of the estimator or function that an argument belongs to."""
    return owner if isinstance(owner, str) else type(owner).__name__


def shown(value: Any) -> str:
    """Text of a value for an error: its `repr`, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # of a foreign object, or an integer too long to print
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({type(value).__name__})"


def refusal(owner: object | str, name: str, accepted: str, value: Any) -> str:
    """Sentence of every refusal: the argument, what is accepted, what came."""
    return (
        f"The {name!r} parameter of {owner_name(owner)} must be {accepted}. "
        f"Got {shown(value)} instead."
    )


def _interval(low: float, high: float, closed: str) -> str:
    left = "[" if closed in ("both", "left") and math.isfinite(low) else "("
    right = "]" if closed in ("both", "right") and math.isfinite(high) else ")"
    top = "2**63 - 1" if high == _LARGEST else f"{high:g}"
    return f"{left}{low:g}, {top}{right}"


def _inside(value: float, low: float, high: float, closed: str) -> bool:
    above = value >= low if closed in ("both", "left") else value > low
    below = value <= high if closed in ("both", "right") else value < high
    return above and below


def _same(value: Any, option: Any) -> bool:
    return value is option or (type(value) is type(option) and value == option)


def _is_finite(value: Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


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
        Booleans and fractions count as neither. Integers are at most 2**63 - 1, whatever `high` is.
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
    if any(_same(value, option) for option in options):
        return
    plain = isinstance(value, Integral | float | np.floating) and not isinstance(value, bool)
    is_number = plain and isinstance(value, kind)
    if is_number and _is_finite(value) and _inside(value, low, high, closed):
        if kind is not Integral or abs(value) <= _LARGEST:
            return
        high, closed = _LARGEST, "both"
    what = "an integer" if kind is Integral else "a number"
    listed = (repr(option) for option in options)
    accepted = " or ".join([f"{what} in {_interval(low, high, closed)}", *listed])
    raise (ValueError if is_number else TypeError)(refusal(owner, name, accepted, value))


def check_scale(
    owner: object | str, name: str, value: Any, *, options: Collection[Any] = ()
) -> None:
    """Raise unless `value` is a positive number, in [1e-300, 1e300] so that 1 / value is finite.

    For costs, widths and other factors; see `check_number`.

    Examples
    --------
    >>> check_scale("SVC", "gamma", 1e-320)
    Traceback (most recent call last):
        ...
    ValueError: The 'gamma' parameter of SVC must be a number in [1e-300, 1e+300]. Got 1e-320 instead.
    """  # noqa: E501
    low, high = _SCALES
    check_number(owner, name, value, low=low, high=high, options=options)


def check_tolerance(
    owner: object | str, name: str, value: Any, *, high: float = math.inf, zero: bool = False
) -> None:
    """Raise unless `value` is a tolerance that arithmetic in double precision can tell from zero.

    Parameters
    ----------
    owner, name, value
        See `check_number`.
    high : float
        Tolerances are below it.
    zero : bool
        Whether 0 is accepted: go on until the limit of iterations.

    Examples
    --------
    >>> check_tolerance("SVC", "tol", 1e-320)
    Traceback (most recent call last):
        ...
    ValueError: The 'tol' parameter of SVC must be a number in [2.22045e-16, inf). Got 1e-320 instead.
    """  # noqa: E501
    if not (zero and isinstance(value, Real) and not isinstance(value, bool) and value == 0):
        check_number(owner, name, value, low=ROUNDING, high=high, closed="left")


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
    if not any(_same(value, option) for option in options):
        listed = ", ".join(repr(option) for option in options)
        raise ValueError(refusal(owner, name, f"one of {listed}", value))


def check_type(
    owner: object | str, name: str, value: Any, kinds: type | tuple[type, ...], accepted: str
) -> None:
    """Raise unless `value` is one of these kinds of object; `accepted` describes them.

    Examples
    --------
    >>> check_type("side_by_side", "bounds", 3, list, "a list of bounds")
    Traceback (most recent call last):
        ...
    TypeError: The 'bounds' parameter of side_by_side must be a list of bounds. Got 3 instead.
    """
    if not isinstance(value, kinds):
        raise TypeError(refusal(owner, name, accepted, value))


def check_like(
    owner: object | str, name: str, value: Any, attributes: Collection[str], accepted: str
) -> None:
    """Raise unless `value` has all of `attributes`, and is no type; see `check_type`."""
    if isinstance(value, type) or not all(hasattr(value, name) for name in attributes):
        raise TypeError(refusal(owner, name, accepted, value))


def check_path(owner: object | str, value: Any, name: str = "path") -> None:
    """Raise unless `value` is a path: text, or an object that stands for one."""
    check_type(owner, name, value, (str, os.PathLike), "a path")
    if not os.fspath(value):
        raise ValueError(refusal(owner, name, "a path", value))


def check_n_jobs(owner: object | str, value: Any) -> None:
    """Raise unless `value` is a number of threads as joblib counts them: None, 1, 2, ..., -1.

    Examples
    --------
    >>> check_n_jobs("SVC", 0)
    Traceback (most recent call last):
        ...
    ValueError: The 'n_jobs' parameter of SVC must be None or an integer other than 0 in [-1024, 1024]. Got 0 instead.
    """  # noqa: E501
    if value is None:
        return
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not (is_integer and value != 0 and -_JOBS <= value <= _JOBS):
        accepted = f"None or an integer other than 0 in [-{_JOBS}, {_JOBS}]"
        raise (ValueError if is_integer else TypeError)(refusal(owner, "n_jobs", accepted, value))


def check_random_state(
    owner: object | str, value: Any, name: str = "random_state"
) -> np.random.RandomState:
    """Return the generator that `value` stands for, as `sklearn.utils.check_random_state` does.

    Raises
    ------
    TypeError, ValueError
        It is neither None, an integer in [0, 2**32 - 1] nor a RandomState.

    Examples
    --------
    >>> check_random_state("SVC", -1)
    Traceback (most recent call last):
        ...
    ValueError: The 'random_state' parameter of SVC must be None, a numpy.random.RandomState or an integer in [0, 2**32 - 1]. Got -1 instead.
    """  # noqa: E501
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    known = value is None or value is np.random or isinstance(value, np.random.RandomState)
    if not (known or (is_integer and 0 <= value <= _SEEDS)):
        accepted = "None, a numpy.random.RandomState or an integer in [0, 2**32 - 1]"
        raise (ValueError if is_integer else TypeError)(refusal(owner, name, accepted, value))
    from sklearn.utils import check_random_state

    return check_random_state(value)
