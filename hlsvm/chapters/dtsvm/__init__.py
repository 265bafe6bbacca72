"""The DTSVM paper: its figures, its claims, and the searches of its rivals.

The protocol stands in ``notebooks/experiments/09_dtsvm.ipynb``.
"""
