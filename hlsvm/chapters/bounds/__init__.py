"""Bounds on the error of trees: Thesis 5.2.2, 5.3.3 and C, HLSVM 4 and 5.6, DTSVM 4."""
