"""Any fitted Gaussian kernel SVM of two classes answered exactly, by bounds on its value."""

from hlsvm.certified.classifier import CertifiedSVC, Work, certify

__all__ = ["CertifiedSVC", "Work", "certify"]
