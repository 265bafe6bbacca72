"""What other rooms call of this one below its estimators: matrices of chapter 4, their solver."""

from hlsvm.extract._exact import solve_exact
from hlsvm.extract._gram import Gram, Kernel
from hlsvm.extract._packed_matrix import PackedMatrix
from hlsvm.extract._system import ClassSystem, class_matrix, fisher, kqpfs_factor

__all__ = [
    "ClassSystem",
    "Gram",
    "Kernel",
    "PackedMatrix",
    "class_matrix",
    "fisher",
    "kqpfs_factor",
    "solve_exact",
]
