"""What other rooms call of this one below its estimators: plain functions on arrays."""

from hlsvm.subclass._smo import solve_block

__all__ = ["solve_block"]
