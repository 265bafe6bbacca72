"""Regions: SVMs on the parts of a decision tree (DTSVM) and its rivals; the metric tree."""

from hlsvm.regions.boundary import boundary_rows, boundary_scores
from hlsvm.regions.dtsvm import DTSVMClassifier
from hlsvm.regions.lasvm import LASVMClassifier
from hlsvm.regions.metric_tree import MetricTreeSVC
from hlsvm.regions.preimage import PreimageSVC
from hlsvm.regions.random_decomposition import RandomDecompositionSVC
from hlsvm.regions.region_tree import RegionTree, grow_region_tree

__all__ = [
    "DTSVMClassifier",
    "LASVMClassifier",
    "MetricTreeSVC",
    "PreimageSVC",
    "RandomDecompositionSVC",
    "RegionTree",
    "boundary_rows",
    "boundary_scores",
    "grow_region_tree",
]
