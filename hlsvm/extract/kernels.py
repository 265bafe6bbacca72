"""What other rooms call of this one below its estimators: matrices of chapter 4, their solver."""

from hlsvm.extract._exact import solve_exact
from hlsvm.extract._gram import Gram, PairwiseKernel
from hlsvm.extract._packed_matrix import PackedMatrix
from hlsvm.extract._system import ClassSystem, class_matrix, fisher, kqpfs_factor

__all__ = [
    "ClassSystem",
    "Gram",
    "PackedMatrix",
    "PairwiseKernel",
    "class_matrix",
    "fisher",
    "kqpfs_factor",
    "solve_exact",
]
