"""What other rooms call of this one below its estimators: plain functions on arrays."""

from hlsvm.linear._dual import Hyperplane, dual_epoch, dual_gap, solve_dual
from hlsvm.linear._free_bias import solve_free_bias
from hlsvm.linear._pegasos import solve_pegasos
from hlsvm.linear._rows import read_only, squared_norms
from hlsvm.linear._vertex import move_to_vertex

__all__ = [
    "Hyperplane",
    "dual_epoch",
    "dual_gap",
    "move_to_vertex",
    "read_only",
    "solve_dual",
    "solve_free_bias",
    "solve_pegasos",
    "squared_norms",
]
