"""Thesis chapter 4: the kernel Fisher discriminant, kernel QPFS, and why they are one direction."""

from hlsvm.extract._certificate import SystemCertificate
from hlsvm.extract._estimators import KQPFS, KernelFisher

__all__ = ["KQPFS", "KernelFisher", "SystemCertificate"]
