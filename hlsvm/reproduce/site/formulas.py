"""TeX in Markdown becomes MathML, which browsers draw without a script and without a network."""

from __future__ import annotations

import html
import re
from functools import lru_cache

# Code and the tags themselves are left alone; then display formulas, then those in a line.
_PARTS = re.compile(
    r"(?P<code><pre.*?</pre>|<code.*?</code>|<[^>]*>)"
    r"|\$\$(?P<block>.+?)\$\$"
    r"|(?<![\\\w$])\$(?P<line>[^$\s](?:[^$]*[^$\s])?)\$(?![\w$])",
    re.DOTALL,
)
# What the converter does not know, in words it knows.
_WORDS = {
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\tfrac": r"\frac",
    r"\dfrac": r"\frac",
    r"\bigl": "",
    r"\bigr": "",
    r"\Bigl": "",
    r"\Bigr": "",
    r"\big": "",
    r"\Big": "",
    r"\mathbb 1": r"\mathbb{1}",
    r"\mathbf 1": r"\mathbf{1}",
}


@lru_cache(maxsize=4096)
def to_mathml(tex: str, *, block: bool = False) -> str:
    """Return a formula as MathML.

    Parameters
    ----------
    tex : str
        Without dollar signs.
    block : bool, default=False
        On a line of its own.

    Examples
    --------
    >>> to_mathml("x^2").startswith("<math")
    True
    """
    from latex2mathml.converter import convert

    plain = tex.strip()
    for word, other in _WORDS.items():
        plain = re.sub(re.escape(word) + r"(?![a-zA-Z])", lambda _, o=other: o, plain)
    try:
        return convert(plain, display="block" if block else "inline")
    except Exception as error:  # the converter has no common class for what it cannot read
        raise ValueError(
            f"The formula {tex!r} cannot be shown as MathML ({type(error).__name__})."
        ) from error


def with_formulas(page: str) -> str:
    """Return HTML with the formulas between dollar signs as MathML.

    Examples
    --------
    >>> text = with_formulas("<p>$a &lt; b$ costs <code>$5</code></p>")
    >>> "<math" in text, "<code>$5</code>" in text
    (True, True)
    """

    def replace(found: re.Match) -> str:
        if found["code"]:
            return found["code"]
        tex = html.unescape(
            re.sub(r"</?(?:em|strong|br|p)\s*/?>", "", found["block"] or found["line"])
        )
        return to_mathml(tex, block=bool(found["block"]))

    return _PARTS.sub(replace, page)
