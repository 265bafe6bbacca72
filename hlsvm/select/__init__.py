"""Feature selection: QPFS and the filters it is compared with (Thesis chapter 3)."""

from hlsvm.select._binary import BinarySubset, binary_subset
from hlsvm.select._conditional import CMIM, JMI
from hlsvm.select._correlation import CallableMatrix, CorrelationMatrix
from hlsvm.select._elimination import RFESVM, RandomSelector
from hlsvm.select._error import nystrom_bound, subspace_bound
from hlsvm.select._filters import MRMR, MaxRel
from hlsvm.select._greedy import greedy_order
from hlsvm.select._information import InformationMatrix
from hlsvm.select._levels import levels, segment_edges, value_edges
from hlsvm.select._nystrom import LowRank, lifted, nystrom, nystrom_error, sample_rows, truncated
from hlsvm.select._qpfs import QPFS, alpha_hat
from hlsvm.select._relief import ReliefF
from hlsvm.select._similarity import Similarity, similarity_of, smallest_eigenvalue
from hlsvm.select._simplex_qp import SimplexSolution, simplex_qp
from hlsvm.select._stability import StabilitySelector
from hlsvm.select._subsets import CFS, StreamwiseSelector
from hlsvm.select._subspace_qp import SubspaceSolution, subspace_qp

__all__ = [
    "CFS",
    "CMIM",
    "JMI",
    "MRMR",
    "QPFS",
    "RFESVM",
    "BinarySubset",
    "CallableMatrix",
    "CorrelationMatrix",
    "InformationMatrix",
    "LowRank",
    "MaxRel",
    "RandomSelector",
    "ReliefF",
    "Similarity",
    "SimplexSolution",
    "StabilitySelector",
    "StreamwiseSelector",
    "SubspaceSolution",
    "alpha_hat",
    "binary_subset",
    "greedy_order",
    "levels",
    "lifted",
    "nystrom",
    "nystrom_bound",
    "nystrom_error",
    "sample_rows",
    "segment_edges",
    "similarity_of",
    "simplex_qp",
    "smallest_eigenvalue",
    "subspace_bound",
    "subspace_qp",
    "truncated",
    "value_edges",
]
