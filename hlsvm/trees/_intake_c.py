"""Gaps and categories in C: rows as given are brought to the columns that trees take."""

from __future__ import annotations

import numpy as np

from hlsvm.trees._c_text import array
from hlsvm.trees._intake import Intake

_BODY = """
/* Columns as trees take them: categories ranked, gaps filled, companions of gaps that tell. */
static inline void {name}_encode(const {real} *x, {real} *z)
{{
    int j, gap[{n}];
    for (j = 0; j < {n}; ++j) {{
        gap[j] = x[j] != x[j];
        z[j] = x[j];
    }}
{ranking}    for (j = 0; j < {n}; ++j)
        if (gap[j])
            z[j] = {name}_filling[j];
{telling}}}

static inline int {name}_predict(const {real} *x)
{{
    {real} z[{m}];
    {name}_encode(x, z);
    return {name}_encoded_predict(z);
}}

static inline void {name}_proba(const {real} *x, double *p)
{{
    {real} z[{m}];
    {name}_encode(x, z);
    {name}_encoded_proba(z, p);
}}
"""
_RANKING = """\
    gap[{j}] = !(x[{j}] >= 0 && x[{j}] < {size});
    if (!gap[{j}])
        z[{j}] = {name}_ranks_{j}[(int)x[{j}]];
"""


def clean(word: str) -> str:
    """Text that ends no comment of C."""
    return "".join(c if c.isprintable() and c not in "*/\\" else "_" for c in str(word))


def note(intake: Intake) -> str:
    """Lines of the first comment: how gaps and codes are passed."""
    lines = ["", " * A gap is NaN."]
    if intake.categories:
        lines[1] += " Categories are passed as codes; a number that is none counts as a gap:"
    for column, table in intake.categories.items():
        codes = ", ".join(f"{code} {clean(value)}" for value, code in table.items())
        lines.append(f" *   x[{column}] {clean(intake.word(column))}: {codes}")
    return "\n".join(lines)


def integer_note(intake: Intake, small) -> list[str]:
    """Lines that list the integers of gaps, categories and companions."""
    encoder, n = intake.encoder, intake.n_features

    def code(j, value) -> int:
        row = np.zeros((1, small.forest.n_features), small.forest.dtype)
        row[0, j] = value
        return int(small.inputs(row)[0, j])

    lines = [f" *   x[{j}] of a gap: {code(j, encoder.filling[j])}\n" for j in range(n)]
    for j, table in intake.categories.items():
        codes = ", ".join(
            f"{clean(value)} {code(j, encoder.ranks[j][place])}" for value, place in table.items()
        )
        lines.append(f" *   x[{j}] of categories (others are gaps): {codes}\n")
    for k, j in enumerate(encoder.telling):
        held, lacks = code(n + k, 0.0), code(n + k, 1.0)
        lines.append(f" *   x[{n + k}]: {lacks} where feature {j} is a gap, {held} elsewhere\n")
    return lines


def wrapper(intake: Intake, name: str, dtype) -> str:
    """Tables, and functions that call the trees' own ``NAME_encoded_predict``."""
    real, suffix = ("float", "f") if dtype == np.float32 else ("double", "")
    encoder, n = intake.encoder, intake.n_features
    tables = [array(real, f"{name}_filling", encoder.filling.astype(dtype), suffix)]
    words = {"name": name, "real": real, "n": n, "m": n + len(encoder.telling)}
    ranking = []
    for j, rank in encoder.ranks.items():
        size = len(rank)
        table = rank if size else np.zeros(1)
        tables.append(array(real, f"{name}_ranks_{j}", table.astype(dtype), suffix))
        ranking.append(_RANKING.format(j=j, size=size, name=name))
    telling = [f"    z[{n + k}] = gap[{j}];\n" for k, j in enumerate(encoder.telling)]
    body = _BODY.format(ranking="".join(ranking), telling="".join(telling), **words)
    return "".join(tables) + body
