"""Bounds on the error of trees: Thesis 5.2.2, 5.3.3 and C, HLSVM 4 and 5.6, DTSVM 4.

Their protocol stands in ``notebooks/experiments/06_generalization_bounds.ipynb``. Kept apart:
`drawings` of its tables, `claims` that its records decide, `nested` trees, the descent of Thesis
appendix C (`descent`), and samples of a known distribution that every bound is tried on
(`validity`).
"""
