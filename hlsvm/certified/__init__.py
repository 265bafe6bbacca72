"""Any fitted Gaussian kernel SVM of two classes answered exactly, by bounds on its value."""

from hlsvm.certified.classifier import CertifiedSVC, Work
from hlsvm.certified.reading import certify

__all__ = ["CertifiedSVC", "Work", "certify"]
