"""The static site: executed notebooks and the gallery as pages that need no network.

`formulas` (TeX to MathML), `frame` (the look of a page), `build` (all pages), `links` (what they
point to).
"""
