"""SRS-SVM and HSRS-SVM: kernel SVMs from a reduced set, the solver they need, and their rivals."""

from hlsvm.subclass._gram import Kernel
from hlsvm.subclass.solver import KernelSolution, solve_kernel_svm
from hlsvm.subclass.srs import SRSSVC
from hlsvm.subclass.svc import KernelSVC

__all__ = ["SRSSVC", "Kernel", "KernelSVC", "KernelSolution", "solve_kernel_svm"]
