"""Low-rank forms of the redundancy matrix: truncated spectrum, Nystrom (Thesis 3.2.1, app. B)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from hlsvm._data import check_numbers, check_square
from hlsvm._params import check_like, check_number, check_option, check_type

_SIMILARITY = "a Similarity, as similarity_of returns"


def _check_sample(owner, sample, n_features):
    rows = check_numbers(owner, "sample", sample, ndim=1)
    for row in rows:
        check_number(owner, "sample", float(row), low=0, high=n_features - 1)
    return rows.astype(np.int64)


@dataclass(frozen=True)
class LowRank:
    """A positive semidefinite matrix U diag(values) U' with orthonormal columns U.

    Attributes
    ----------
    values : float64 array of shape (k,)
        Falling, positive.
    vectors : float64 array of shape (M, k)
    """

    values: np.ndarray
    vectors: np.ndarray

    def rows(self, features):
        """Rows of the matrix: float64 array of shape (len(features), M)."""
        return (self.vectors[features] * self.values) @ self.vectors.T

    def matrix(self):
        """All of it: float64 array of shape (M, M)."""
        return (self.vectors * self.values) @ self.vectors.T


def truncated(Q, floor):
    """Eigenvalues of Q above `floor` with their vectors (Thesis 3.2, before Eq. 3.9).

    One that is the floor but for rounding is not above it.

    Parameters
    ----------
    Q : array of shape (M, M)
        Symmetric.
    floor : float
        delta >= 0. Negative eigenvalues (erratum E12) are always dropped.

    Returns
    -------
    LowRank
    """
    check_number("truncated", "floor", floor)
    values, vectors = np.linalg.eigh(check_square("truncated", "Q", Q))
    rounding = 1e-12 * values[-1]
    keep = np.flatnonzero(values > max(floor, 0.0) + rounding)[::-1]
    return LowRank(values[keep], np.ascontiguousarray(vectors[:, keep]))


def lifted(Q, floor):
    """Q with every eigenvalue below `floor` raised to it: the convex neighbour of an indefinite Q.

    Returns
    -------
    float64 array of shape (M, M)
    """
    check_number("lifted", "floor", floor)
    Q = check_square("lifted", "Q", Q)
    values, vectors = np.linalg.eigh(Q)
    low = values < floor
    return Q + (vectors[:, low] * (floor - values[low])) @ vectors[:, low].T


def sample_rows(similarity, size, sampling, random_state):
    """Which rows of Q form [A B] (Thesis app. B.1): drawn without replacement.

    Parameters
    ----------
    similarity : Similarity
    size : int
        r.
    sampling : {"uniform", "diagonal", "column-norm"}
        Equal chances; chances proportional to Q_ii; or to the squared norm of column i, which
        needs all of Q.
    random_state : numpy.random.RandomState

    Returns
    -------
    int array of shape (r,), rising
    """
    check_like("sample_rows", "similarity", similarity, ("n_features", "rows"), _SIMILARITY)
    M = similarity.n_features
    kinds = (np.random.RandomState, np.random.Generator)
    check_type("sample_rows", "random_state", random_state, kinds, "a generator of NumPy")
    check_number("sample_rows", "size", size, kind=Integral, low=1, high=M)
    check_option("sample_rows", "sampling", sampling, ("uniform", "diagonal", "column-norm"))
    if sampling == "uniform":
        chance = None
    elif sampling == "diagonal":
        chance = np.asarray(similarity.diagonal(), dtype=np.float64)
    else:
        starts = range(0, M, 256)
        blocks = (similarity.rows(np.arange(i, min(i + 256, M))) for i in starts)
        chance = np.concatenate([np.square(b, dtype=np.float64).sum(axis=1) for b in blocks])
    if chance is not None and not chance.max() > 0:
        chance = None  # no feature varies: equal chances
    if chance is not None:
        chance = np.maximum(chance, 1e-12 * chance.max())
        chance /= chance.sum()
    return np.sort(random_state.choice(M, size, replace=False, p=chance))


def nystrom(block, sample, floor=0.0):
    """Eigenvalues and vectors of the Nystrom matrix from r rows of Q (Thesis Eq. 3.10, B.17).

    With A = U L U' the sampled square (eigenvalues that are not positive to rounding are left out:
    the pseudo-inverse square root, erratum E12) and Z = L^-1/2 U' [A B], the Nystrom matrix is
    Z'Z. Its eigenvectors are Z' R S^-1/2 with ZZ' = R S R': Eq. B.17, without the re-ordering.

    Parameters
    ----------
    block : array of shape (r, M)
        Rows `sample` of Q, that is [A B] in the order of the features.
    sample : int array of shape (r,)
    floor : float
        delta; eigenvalues of the Nystrom matrix not above it are dropped.

    Returns
    -------
    LowRank
    """
    block = check_numbers("nystrom", "block", block, ndim=2)
    sample = _check_sample("nystrom", sample, block.shape[1])
    check_number("nystrom", "floor", floor)
    if len(sample) != len(block):
        raise ValueError(
            f"The 'block' parameter of nystrom must have a row for each of the {len(sample)} rows "
            f"of 'sample'. Got an array of shape {block.shape} instead."
        )
    values, vectors = np.linalg.eigh(block[:, sample])
    keep = values > len(sample) * np.finfo(np.float32).eps * max(values[-1], 0.0)
    Z = (vectors[:, keep] / np.sqrt(values[keep])).T @ block
    sizes, R = np.linalg.eigh(Z @ Z.T)
    keep = np.flatnonzero(sizes > max(floor, 1e-12 * sizes.max(initial=0.0)))[::-1]
    return LowRank(sizes[keep], Z.T @ (R[:, keep] / np.sqrt(sizes[keep])))


def nystrom_error(similarity, approximation, sample):
    """||E - B'A^-1 B||_F, the error on the rows and columns that were not sampled (App. B).

    Parameters
    ----------
    similarity : Similarity
    approximation : LowRank
    sample : int array of shape (r,)

    Returns
    -------
    absolute, relative : float
        The Frobenius norm, and its share of ||E||_F.
    """
    check_like("nystrom_error", "similarity", similarity, ("n_features", "rows"), _SIMILARITY)
    check_type("nystrom_error", "approximation", approximation, LowRank, "a LowRank")
    sample = _check_sample("nystrom_error", sample, similarity.n_features)
    rest = np.setdiff1d(np.arange(similarity.n_features), sample)
    error = size = 0.0
    for start in range(0, len(rest), 512):
        block = rest[start : start + 512]
        exact = similarity.rows(block)[:, rest].astype(np.float64)
        error += np.sum((exact - approximation.rows(block)[:, rest]) ** 2)
        size += np.sum(exact**2)
    return float(np.sqrt(error)), float(np.sqrt(error / size)) if size > 0 else 0.0
