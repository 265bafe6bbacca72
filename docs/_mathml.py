"""Formulas as MathML, which browsers draw without a script and without a network."""

import re

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

# What the converter does not know, in words it knows.
_WORDS = {
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\tfrac": r"\frac",
    r"\dfrac": r"\frac",
    r"\mathbb 1": r"\mathbb{1}",
    r"\mathbf 1": r"\mathbf{1}",
    **dict.fromkeys((r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\big", r"\Big"), ""),
}


def to_mathml(tex, display=False):
    """Return a formula as MathML; a number given by a tag stands at the end of its line."""
    tex = re.sub(r"\\tag\{([^}]*)\}", r"\\qquad (\1)", tex.strip())
    for word, other in _WORDS.items():
        tex = re.sub(re.escape(word) + r"(?![a-zA-Z])", lambda _, other=other: other, tex)
    try:
        return convert(tex, display="block" if display else "inline")
    except Exception as error:  # the converter's errors have no common class
        raise ValueError(f"The formula {tex!r} cannot be shown ({error!r}).") from error


def visit_inline(self, node):
    """Write a formula within a line."""
    self.body.append(to_mathml(node.astext()))
    raise SkipNode


def visit_display(self, node):
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="math">{to_mathml(node.astext(), display=True)}</div>')
    raise SkipNode


def setup(app):
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
