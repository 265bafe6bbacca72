"""Thesis chapter 4: the disc, the thirteen sets, the race against the printed algorithms.

`toy` makes the data of Figures 4.1 and 4.3, `equivalence` runs section 4.4.1, `prior` section
4.4.2, `beyond` what the closed form has no memory for, `pictures` draws.
"""
