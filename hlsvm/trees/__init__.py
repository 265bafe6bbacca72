"""Trees of hyperplanes: the H-LSVM, its predecessor, pruning, flat arrays, export."""

from hlsvm.trees._certificates import SplitCertificate
from hlsvm.trees.annealed import AnnealedTreeClassifier
from hlsvm.trees.cascade import SVMTreesClassifier
from hlsvm.trees.classifier import HLSVMClassifier
from hlsvm.trees.explanation import Explanation, Step, Term, explain
from hlsvm.trees.export_c import export_c
from hlsvm.trees.export_onnx import export_onnx
from hlsvm.trees.export_text import export_text
from hlsvm.trees.integers import IntegerTrees
from hlsvm.trees.oblique import ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees.plot_tree import plot_tree
from hlsvm.trees.pruning import PruningPath, weakest_links
from hlsvm.trees.saving import SavedTrees, load_arrays, save_arrays
from hlsvm.trees.tree import HyperplaneTree

__all__ = [
    "AnnealedTreeClassifier",
    "Explanation",
    "HLSVMClassifier",
    "HyperplaneTree",
    "IntegerTrees",
    "ObliqueForestClassifier",
    "ObliqueTreeClassifier",
    "PruningPath",
    "SVMTreesClassifier",
    "SavedTrees",
    "SplitCertificate",
    "Step",
    "Term",
    "explain",
    "export_c",
    "export_onnx",
    "export_text",
    "load_arrays",
    "plot_tree",
    "save_arrays",
    "weakest_links",
]
