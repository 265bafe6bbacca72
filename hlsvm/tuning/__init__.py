"""A whole grid of kernel SVMs with its folds as one computation."""

from hlsvm.tuning.search import KernelSVCSearch

__all__ = ["KernelSVCSearch"]
