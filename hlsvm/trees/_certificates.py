"""What the solver of a node proves about its hyperplane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm._certificate import Certificate

__all__ = ["SplitCertificate"]

CERTIFICATE = np.dtype(
    [
        ("n_samples", np.float64),
        ("objective", np.float64),
        ("dual_objective", np.float64),
        ("gap", np.float64),
        ("n_iter", np.int64),
        ("converged", np.bool_),
        ("reason", "U9"),
        ("gain", np.float64),
    ]
)


@dataclass(frozen=True)
class SplitCertificate(Certificate):
    """Certificate of the hyperplane of a node; the objective is that of Thesis Eq. 5.4.

    Attributes
    ----------
    n_samples : float
        Weight of the training samples of the node.
    gain : float
        Entropy (bits) that the split takes from the node; NaN for the linear SVM that
        `ObliqueTreeClassifier` may put at the root.
    """

    n_samples: float
    gain: float


def certificate_of(plane, lam: float) -> Certificate:
    """Certificate of what `solve` returns, whose objectives are those of Eq. 5.4 over lambda."""
    reason = "tolerance" if plane.converged else "max_iter"
    objectives = plane.objective * lam, plane.dual_objective * lam
    return Certificate(*objectives, plane.n_iter, plane.converged, reason)


def record_of(proof: Certificate, size: float, gain: float) -> tuple:
    """Record of `CERTIFICATE`: the weight and the gain (bits) of a node beside its proof."""
    face = (proof.objective, proof.dual_objective, proof.gap, proof.n_iter, proof.converged)
    return (size, *face, proof.reason, gain)


def read_certificates(records) -> tuple[SplitCertificate, ...]:
    """Return a certificate for every record of `CERTIFICATE`."""
    names = ("objective", "dual_objective", "n_iter", "converged", "reason", "n_samples", "gain")
    return tuple(SplitCertificate(*values) for values in records[list(names)].tolist())
