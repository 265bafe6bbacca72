"""Fast, exact, readable large-scale SVM classification and feature selection.

The estimators are imported when they are first asked for, so ``import hlsvm`` costs nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

# Public estimator -> room it lives in. One line each; keep the order of the chapters.
_ROOMS = {
    "QPFS": "select",
    "MaxRel": "select",
    "MRMR": "select",
    "ReliefF": "select",
    "CFS": "select",
    "StreamwiseSelector": "select",
    "RFESVM": "select",
    "RandomSelector": "select",
    "KernelFisher": "extract",
    "KQPFS": "extract",
    "WeightedPegasos": "linear",
    "WeightedLinearSVC": "linear",
    "HLSVMClassifier": "trees",
    "ObliqueTreeClassifier": "trees",
    "ObliqueForestClassifier": "trees",
    "SVMTreesClassifier": "trees",
    "SRSSVC": "subclass",
    "KernelSVC": "subclass",
    "DCSVC": "subclass",
    "DTSVMClassifier": "regions",
    "RandomDecompositionSVC": "regions",
    "LASVMClassifier": "regions",
    "MetricTreeSVC": "regions",
    "PreimageSVC": "regions",
}

__all__ = ["__version__", *_ROOMS]


def __getattr__(name):
    if name in _ROOMS:
        return getattr(import_module(f"hlsvm.{_ROOMS[name]}"), name)
    raise AttributeError(f"module 'hlsvm' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_ROOMS])
