"""The verdict on one number, and how numbers are written beside each other."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from hlsvm.reproduce.published_numbers import parse_number
from hlsvm.reproduce.quantities import Quantity

VERDICTS = ("better", "same", "worse", "not comparable", "not run")


@dataclass(frozen=True)
class Verdict:
    """A verdict, why it is so, and the difference ours minus published."""

    verdict: str
    why: str = ""
    difference: float = math.nan


def _last_digit(printed: str) -> float:
    """Half a unit of the last digit printed: "2.36" -> 0.005, "2.0e-3" -> 0.00005."""
    match = re.fullmatch(r"[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?", printed)
    if not match:
        return 0.0
    decimals = len(match[1]) if "." in printed else 0
    return 0.5 * 10.0 ** (int(match[2] or 0) - decimals)


def judge(printed: str, ours: str, meaning: Quantity, spread: str = "") -> Verdict:
    """Return the verdict on one number.

    It is "same" within the printed spread (a standard deviation or a plus-minus), without one
    within the relative tolerance of its kind, and always within half a unit of the last digit
    printed. Outside, the way that is better decides; a setting or a formula has none.

    Examples
    --------
    >>> from hlsvm.reproduce.quantities import quantity
    >>> judge("2.36", "2.10", quantity("error_pct")).verdict
    'better'
    >>> judge("11.39", "11.60", quantity("error_pct"), spread="0.30").verdict
    'same'
    >>> judge("yes", "no", quantity("significant")).why
    'not reproduced'
    """
    if ours == "":
        return Verdict("not run", "no value recorded")
    theirs, mine = parse_number(printed), parse_number(ours)
    if math.isnan(theirs) or math.isnan(mine):
        if printed.strip().lower() == ours.strip().lower():
            return Verdict("same")
        if {printed.strip().lower(), ours.strip().lower()} == {"yes", "no"}:
            return Verdict("worse", "not reproduced")
        ends = [parse_number(end) for end in printed.split("|")]
        if len(ends) == 2 and not math.isnan(sum(ends) + mine):
            return _judge_range(ends[0], ends[1], mine, meaning)
        return Verdict("not comparable", "not a number")
    difference = mine - theirs
    allowed = parse_number(spread)
    if math.isnan(allowed):
        scale = abs(100.0 - theirs) if meaning.kind == "accuracy" else abs(theirs)
        allowed = meaning.tolerance * scale
    if abs(difference) <= max(allowed, _last_digit(printed)) * (1 + 1e-9):
        return Verdict("same", "", difference)
    return _outside(difference, meaning)


def _judge_range(low: float, high: float, mine: float, meaning: Quantity) -> Verdict:
    """Judge one number against a printed range "2|5" (from, to)."""
    if low <= mine <= high:
        return Verdict("same")
    return _outside(mine - (low if mine < low else high), meaning)


def _outside(difference: float, meaning: Quantity) -> Verdict:
    """Judge a number that differs from the published one by more than is allowed."""
    if meaning.better == "":
        why = "a setting" if meaning.kind == "setting" else "a formula"
        return Verdict("not comparable", f"{why}: neither way is better", difference)
    if meaning.better == "match":
        return Verdict("worse", "not reproduced", difference)
    better = difference < 0 if meaning.better == "lower" else difference > 0
    why = "seconds of two machines" if meaning.kind == "time" else ""
    return Verdict("better" if better else "worse", why, difference)


def round_like(printed: str, value: float, digits: int = 3) -> str:
    """Write a number the way the published one is printed, with `digits` digits at least.

    Examples
    --------
    >>> round_like("2.36", 2.34123), round_like("2.0e-3", 0.00184), round_like("3154", 3201.0)
    ('2.34', '1.84e-3', '3201')
    """
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
