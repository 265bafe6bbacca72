"""From one solve to every direction of chapter 4: algebra on C x C matrices, C classes.

V has one column for each class, its indicator over the square root of its size, so V'V = I and
the within-class projector is P_w = I - V V'. With H = K^2 + mu I (or K^2 + mu K), one solve gives

    Y = K H^-1 V,     S = V'K Y,     D = I - S = mu V' R H^-1 V,     R = I or K.

As W + mu R = H - K V V' K and Q_K + mu R = H - K V w w' V' K, w = sqrt(sizes / N), every direction
is Y M with a small matrix M:

- (W + mu R)^-1 K V = Y D^-1, the within-class solve (Woodbury);
- (Q_K + mu R)^-1 K V = Y (I + w w'S / (w'D w)), the total one (Sherman-Morrison).

D is taken from H^-1 V, not as I - S, so nothing cancels when mu is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class ClassSystem:
    """What a solver hands over.

    Parameters
    ----------
    coef : array of shape (p, n_classes)
        Y, in the solver's basis: coefficients of training points, of landmarks or of features.
    scatter : array of shape (n_classes, n_classes)
        S = V'K Y.
    complement : array of shape (n_classes, n_classes)
        D = I - S, computed without the subtraction.
    counts : array of shape (n_classes,)
        Class sizes.
    """

    coef: np.ndarray
    scatter: np.ndarray
    complement: np.ndarray
    counts: np.ndarray

    def __post_init__(self):
        self.scatter = (self.scatter + self.scatter.T) / 2
        self.complement = (self.complement + self.complement.T) / 2

    @property
    def share(self) -> np.ndarray:
        """Return w, the unit vector with V w = 1 / sqrt(N)."""
        return np.sqrt(self.counts / self.counts.sum())

    def means(self, M: np.ndarray) -> np.ndarray:
        """Return the class means of the training set's projections on the directions Y M."""
        return self.scatter @ M / np.sqrt(self.counts)[:, None]


def class_matrix(codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return V of shape (n_samples, n_classes) and the class sizes."""
    counts = np.bincount(codes, minlength=n_classes).astype(np.float64)
    V = np.zeros((len(codes), n_classes))
    V[np.arange(len(codes)), codes] = 1.0 / np.sqrt(counts[codes])
    return V, counts


def fisher(system: ClassSystem) -> np.ndarray:
    """Return M of the two-class Fisher direction (W + mu R)^-1 (B+ - B-), Thesis 4.1.1.

    The sign is that of Algorithm 3: the class that sorts last is the positive one and projects
    higher. The text prints B- - B+.
    """
    e = np.array([-1.0, 1.0]) / np.sqrt(system.counts)
    return np.linalg.solve(system.complement, e)[:, None]


def kqpfs_factor(system: ClassSystem) -> float:
    """Return s with KQPFS = s x Fisher: 2 c / (1 + t), c = N+ N- / N, t = c d'(W + mu R)^-1 d."""
    c = system.counts.prod() / system.counts.sum()
    return 2.0 * c / (1.0 + separation(system))


def separation(system: ClassSystem) -> float:
    """Return t = c d'(W + mu R)^-1 d of a two-class system, d = B+ - B-."""
    w = system.share
    h = np.array([-w[1], w[0]])
    return float(h @ system.scatter @ np.linalg.solve(system.complement, h))


def directions(system: ClassSystem) -> tuple[np.ndarray, np.ndarray]:
    """Return M and the eigenvalues of the C - 1 discriminant directions, strongest first.

    The directions solve K E E' K a = lambda (W + mu R) a with K E E' K the between-class scatter
    sum_c N_c (m_c - m)(m_c - m)', and have a'(W + mu R) a = 1. Signs: the last class projects
    higher than the first.
    """
    w, n_classes = system.share, len(system.counts)
    centre = np.eye(n_classes) - np.outer(w, w)
    between = centre @ system.scatter @ np.linalg.solve(system.complement, centre)
    values, vectors = np.linalg.eigh((between + between.T) / 2)
    order = np.argsort(values)[::-1][: n_classes - 1]
    values = np.maximum(values[order], 0.0)
    floor = np.finfo(float).eps * np.max(values, initial=np.finfo(float).tiny)
    lengths = np.where(values > floor, 1.0 / np.sqrt(np.maximum(values, floor)), 0.0)
    M = np.linalg.solve(system.complement, centre @ vectors[:, order]) * lengths
    means = system.means(M)
    M *= np.where(means[-1] < means[0], -1.0, 1.0)
    return M, values


def one_against_rest(system: ClassSystem) -> tuple[np.ndarray, np.ndarray]:
    """Return M and the separations t of the KQPFS directions of each class against the rest.

    Column k is (Q_K + mu R)^-1 K (I - 1_N) y_k with y_k = +1 on class k and -1 elsewhere, Eq. 4.8:
    Q_K is the same for all classes, so one factorisation serves them all. Its Fisher counterpart
    is (1 + t_k) / (2 c_k) times as long, c_k = N_k (N - N_k) / N.
    """
    w, S, D = system.share, system.scatter, system.complement
    counts, total = system.counts, system.counts.sum()
    targets = 2.0 * (np.diag(np.sqrt(counts)) - np.outer(w, counts / np.sqrt(total)))
    M = targets + np.outer(w, w @ S @ targets) / (w @ D @ w)
    h = targets / np.linalg.norm(targets, axis=0)
    short = np.einsum("ij,ij->j", h, D @ h) - (w @ D @ h) ** 2 / (w @ D @ w)
    return M, 1.0 / short - 1.0
