"""Trees of hyperplanes: the H-LSVM, the cascade it is compared with, pruning, flat arrays."""

from hlsvm.trees.cascade import SVMTreesClassifier
from hlsvm.trees.classifier import HLSVMClassifier
from hlsvm.trees.pruning import PruningPath, weakest_links
from hlsvm.trees.tree import HyperplaneTree

__all__ = [
    "HLSVMClassifier",
    "HyperplaneTree",
    "PruningPath",
    "SVMTreesClassifier",
    "weakest_links",
]
