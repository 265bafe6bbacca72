"""Thesis chapter 2 as pictures and small experiments: risk, margins, kernels, trees.

`risk` (2.1), `margins` (2.3.1, 2.3.2), `partitions` (2.3.3) and `schemes` (block diagrams).
"""
