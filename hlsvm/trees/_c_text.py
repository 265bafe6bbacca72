"""Arrays and labels as text of C."""

from __future__ import annotations

import math

import numpy as np


def number(value, suffix: str) -> str:
    """Shortest digits that read back as the same number."""
    text = repr(value.item()) if suffix == "" else str(value)
    return text + suffix if "." in text or "e" in text else text + ".0" + suffix


def rows(values, suffix: str | None) -> str:
    """Return the initialiser of an array of one or two dimensions."""
    if np.ndim(values) == 2:
        return ",\n".join("{" + rows(row, suffix) + "}" for row in values)
    if suffix is None:
        return ", ".join(str(int(value)) for value in values)
    return ", ".join(number(value, suffix) for value in values)


def array(kind: str, name: str, values, suffix: str | None = None) -> str:
    shape = "".join(f"[{size}]" for size in np.shape(values))
    return f"static const {kind} {name}{shape} = {{\n{rows(values, suffix)}\n}};\n"


def _integer(value: int, unsigned: bool) -> str:
    """Literal of C: the least number of 64 bits has none of its own."""
    if unsigned:
        return f"{value}ULL"
    return f"({value + 1}LL - 1)" if value == -(2**63) else f"{value}LL"


def labels(name: str, classes) -> str:
    if classes.dtype.kind in "biu":
        unsigned = classes.dtype == np.uint64
        numbers = ", ".join(_integer(int(value), unsigned) for value in classes)
        kind = "unsigned long long" if unsigned else "long long"
        return f"static const {kind} {name}_classes[{len(classes)}] = {{{numbers}}};\n"
    if np.issubdtype(classes.dtype, np.floating):
        return array("double", f"{name}_classes", classes.astype(np.float64), "")
    quoted = []
    for label in classes.astype(str):
        raw = label.encode("utf-8")
        safe = (chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in raw)
        quoted.append('"' + "".join(safe) + '"')
    return f"static const char *const {name}_classes[{len(classes)}] = {{{', '.join(quoted)}}};\n"


def smallest(values, unsigned: bool = False) -> str:
    """Narrowest type of <stdint.h> that holds all of `values`."""
    most = max(int(np.max(values, initial=0)), -int(np.min(values, initial=0)) - 1)
    bits = next(b for b in (8, 16, 32, 64) if most < 2 ** (b - (not unsigned)))
    return f"{'u' if unsigned else ''}int{bits}_t"


def power_of_two(value: float) -> str:
    """Text of a power of two."""
    return f"2^{round(math.log2(value))}"
