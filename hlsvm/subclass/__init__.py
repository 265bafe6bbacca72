"""SRS-SVM and HSRS-SVM: kernel SVMs from a reduced set, the solver they need, and their rivals."""

from hlsvm._certificate import KernelCertificate
from hlsvm.subclass._gram import Kernel
from hlsvm.subclass._search import KernelSolution
from hlsvm.subclass.dcsvm import DCSVC
from hlsvm.subclass.quality import McNemar, SetQuality, mcnemar, set_quality
from hlsvm.subclass.rivals import Fastfood, explicit_feature_svc
from hlsvm.subclass.solver import solve_kernel_svm
from hlsvm.subclass.srs import SRSSVC
from hlsvm.subclass.svc import KernelSVC

__all__ = [
    "DCSVC",
    "SRSSVC",
    "Fastfood",
    "Kernel",
    "KernelCertificate",
    "KernelSVC",
    "KernelSolution",
    "McNemar",
    "SetQuality",
    "explicit_feature_svc",
    "mcnemar",
    "set_quality",
    "solve_kernel_svm",
]
