"""Thesis chapter 5 and the HLSVM paper: its problems, its protocol, its pictures.

`problems` names the data and the published settings, `contest` measures the classifiers on one
division of the data, `series` runs the protocols over all of them, `pictures` draws.
"""
