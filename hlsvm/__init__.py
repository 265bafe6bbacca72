"""Fast, exact, readable large-scale SVM classification and feature selection.

The estimators are imported when they are first asked for, so ``import hlsvm`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what `__getattr__` imports when it is asked for
    from hlsvm.certified import certify as certify
    from hlsvm.extract import KQPFS as KQPFS
    from hlsvm.extract import KernelFisher as KernelFisher
    from hlsvm.linear import WeightedLinearSVC as WeightedLinearSVC
    from hlsvm.linear import WeightedPegasos as WeightedPegasos
    from hlsvm.regions import DTSVMClassifier as DTSVMClassifier
    from hlsvm.regions import LASVMClassifier as LASVMClassifier
    from hlsvm.regions import MetricTreeSVC as MetricTreeSVC
    from hlsvm.regions import PreimageSVC as PreimageSVC
    from hlsvm.regions import RandomDecompositionSVC as RandomDecompositionSVC
    from hlsvm.select import CFS as CFS
    from hlsvm.select import CMIM as CMIM
    from hlsvm.select import JMI as JMI
    from hlsvm.select import MRMR as MRMR
    from hlsvm.select import QPFS as QPFS
    from hlsvm.select import RFESVM as RFESVM
    from hlsvm.select import MaxRel as MaxRel
    from hlsvm.select import RandomSelector as RandomSelector
    from hlsvm.select import ReliefF as ReliefF
    from hlsvm.select import StabilitySelector as StabilitySelector
    from hlsvm.select import StreamwiseSelector as StreamwiseSelector
    from hlsvm.subclass import DCSVC as DCSVC
    from hlsvm.subclass import SRSSVC as SRSSVC
    from hlsvm.subclass import KernelSVC as KernelSVC
    from hlsvm.trees import HLSVMClassifier as HLSVMClassifier
    from hlsvm.trees import ObliqueForestClassifier as ObliqueForestClassifier
    from hlsvm.trees import ObliqueTreeClassifier as ObliqueTreeClassifier
    from hlsvm.trees import SVMTreesClassifier as SVMTreesClassifier
    from hlsvm.tuning import KernelSVCSearch as KernelSVCSearch

__version__ = "0.1.0"

# Public estimator, or `certify` -> room it lives in. One line each; keep the order of chapters.
_ROOMS = {
    "QPFS": "select",
    "MaxRel": "select",
    "MRMR": "select",
    "JMI": "select",
    "CMIM": "select",
    "ReliefF": "select",
    "CFS": "select",
    "StreamwiseSelector": "select",
    "StabilitySelector": "select",
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
    "KernelSVCSearch": "tuning",
    "DTSVMClassifier": "regions",
    "RandomDecompositionSVC": "regions",
    "LASVMClassifier": "regions",
    "MetricTreeSVC": "regions",
    "PreimageSVC": "regions",
    "certify": "certified",
}

__all__ = ["__version__", *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return getattr(import_module(f"hlsvm.{_ROOMS[name]}"), name)
    raise AttributeError(f"module 'hlsvm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOMS])
