"""Rivals with explicit features for the kernel: Nystrom (LLSVM), random, FastFood."""

from __future__ import annotations

from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from hlsvm._data import check_data
from hlsvm._params import check_number, check_option, check_random_state, check_scale
from hlsvm.subclass._hadamard import walsh_hadamard

_ROWS = 4096  # rows transformed at a time


class Fastfood(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Random features of the RBF kernel in log-linear time (Le, Sarlos, Smola, ICML 2013).

    A Gaussian matrix is replaced by blocks S H G P H B: random signs B, a permutation P, Gaussian G
    and scales S on the diagonals, Hadamard matrices H between them. Then
    phi(x)'phi(z) = exp(-gamma |x - z|^2) in expectation, as with `RBFSampler`.

    Parameters
    ----------
    n_components : int, default 512
        Cosine features; rounded up to full blocks and cut.
    gamma : float, default 1.0
    random_state : int, RandomState or None

    Attributes
    ----------
    n_padded_ : int
        Features of the input, filled up to a power of two.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.subclass import Fastfood
    >>> x = np.array([[0.0, 0.0, 0.0], [0.3, -0.2, 0.5]])
    >>> z = Fastfood(20000, gamma=0.5, random_state=0).fit_transform(x)
    >>> round(float(z[0] @ z[1]), 1), round(float(np.exp(-0.5 * 0.38)), 1)
    (0.8, 0.8)
    """

    def __init__(self, n_components=512, *, gamma=1.0, random_state=None):
        self.n_components = n_components
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Draw the features; of `X` only the number of columns matters."""
        check_number(self, "n_components", self.n_components, kind=Integral, low=1, high=10**7)
        check_scale(self, "gamma", self.gamma)
        rng = check_random_state(self, self.random_state)
        X = check_data(self, X, dtype=np.float64)
        p = 1 << max(X.shape[1] - 1, 0).bit_length()
        blocks = -(-int(self.n_components) // p)
        self.n_padded_ = p
        self._signs = rng.choice([-1.0, 1.0], size=(blocks, p))
        self._order = np.stack([rng.permutation(p) for _ in range(blocks)])
        self._gauss = rng.standard_normal((blocks, p))
        lengths = chi.rvs(p, size=(blocks, p), random_state=rng)
        norms = np.sqrt((self._gauss**2).sum(axis=1, keepdims=True))
        self._scale = np.sqrt(2.0 * self.gamma / p) * lengths / norms
        self._phase = rng.uniform(0.0, 2.0 * np.pi, int(self.n_components))
        self._n_features_out = int(self.n_components)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Cosine features of `X`, shape (n_samples, n_components)."""
        check_is_fitted(self)
        X = check_data(self, X, dtype=np.float64, reset=False)
        out = np.empty((len(X), len(self._phase)))
        for left in range(0, len(X), _ROWS):
            out[left : left + _ROWS] = self._angles(X[left : left + _ROWS])
        out += self._phase
        np.cos(out, out=out)
        return np.multiply(out, np.sqrt(2.0 / len(self._phase)), out=out)

    def _angles(self, X):
        blocks = []
        for signs, order, gauss, scale in zip(
            self._signs, self._order, self._gauss, self._scale, strict=True
        ):
            block = np.zeros((len(X), self.n_padded_))
            block[:, : X.shape[1]] = X * signs[: X.shape[1]]
            walsh_hadamard(block)
            block = np.ascontiguousarray(block[:, order] * gauss)
            walsh_hadamard(block)
            blocks.append(block * scale)
        return np.hstack(blocks)[:, : len(self._phase)]


def explicit_feature_svc(
    method: str, n_components: int, *, C: float, gamma: float, random_state: int | None = None
) -> Pipeline:
    """Build a linear SVM on explicit features of the RBF kernel.

    Parameters
    ----------
    method : {"nystroem", "random", "fastfood"}
        "nystroem" with a linear SVM is low-rank linearization, LLSVM (Zhang et al., AISTATS 2012);
        "random" are random Fourier features.
    n_components : int
        Features.
    C, gamma : float
    random_state : int or None

    Returns
    -------
    sklearn.pipeline.Pipeline
        Ends in scikit-learn's `LinearSVC` with the hinge loss.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from hlsvm.subclass import explicit_feature_svc
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = explicit_feature_svc("nystroem", 50, C=1, gamma=1, random_state=0)
    >>> model.fit(X, y).score(X, y) > 0.9
    True
    """
    owner = "explicit_feature_svc"
    check_option(owner, "method", method, ("nystroem", "random", "fastfood"))
    check_number(owner, "n_components", n_components, kind=Integral, low=1)
    check_scale(owner, "C", C)
    check_scale(owner, "gamma", gamma)
    check_random_state(owner, random_state)
    maps = {"nystroem": Nystroem, "random": RBFSampler, "fastfood": Fastfood}
    features = maps[method](n_components=n_components, gamma=gamma, random_state=random_state)
    machine = LinearSVC(C=C, loss="hinge", dual=True, random_state=random_state)
    return make_pipeline(features, machine)
