"""Formulas as MathML, which browsers draw without a script and without a network."""

from docutils.nodes import SkipNode
from docutils.utils.math import latex2mathml

# What docutils' converter does not know, in words it knows.
_WORDS = {r"\bigl": r"\big", r"\bigr": r"\big", r"\Bigl": r"\Big", r"\Bigr": r"\Big"}


def to_mathml(tex, display=False):
    """Return a formula as MathML."""
    for word, other in _WORDS.items():
        tex = tex.replace(word, other)
    return latex2mathml.tex2mathml(tex, as_block=display)


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
