"""A fitted SVM as kernel expansions: values and gradients in blocks, never all at once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from joblib import Parallel, delayed

KERNELS = ("rbf", "linear", "poly", "sigmoid")
_ENTRIES = 1 << 18  # kernel values held at a time by a worker
_ROWS = 512


@dataclass(frozen=True)
class SmoothKernel:
    """exp(-gamma |x - s|^2), s.x, (gamma s.x + coef0)^degree or tanh(gamma s.x + coef0)."""

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    def inner(self, products):
        """Turn inner products s.x into the argument of the kernel's scalar function."""
        return products if self.name == "linear" else self.gamma * products + self.coef0

    def scalar(self, u, order):
        """Evaluate the kernel's scalar function, or its derivative 1 or 2."""
        if self.name == "linear":
            return (u, np.ones_like(u), np.zeros_like(u))[order]
        if self.name == "poly":
            p = self.degree
            if order > p:
                return np.zeros_like(u)
            return np.prod(np.arange(p - order + 1, p + 1, dtype=float)) * u ** (p - order)
        t = np.tanh(u)
        return (t, 1 - t * t, -2 * t * (1 - t * t))[order]

    @property
    def slope(self) -> float:
        """Derivative of the inner argument by s.x."""
        return 1.0 if self.name == "linear" else self.gamma


@dataclass(frozen=True)
class Expansion:
    """f_m(x) = sum_i coef[m, i] k(s_i, x) + intercept[m], positive for the pair's second class.

    Attributes
    ----------
    kernel : SmoothKernel
    support : ndarray of float64, shape (n_support, d)
        Under "rbf" with `centre` subtracted, which leaves the kernel unchanged.
    coef : ndarray of shape (n_machines, n_support)
    intercept : ndarray of shape (n_machines,)
    centre : ndarray of shape (d,)
    """

    kernel: SmoothKernel
    support: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    centre: np.ndarray

    @classmethod
    def gaussian(cls, points, coef, gamma, intercept=0.0, centre=None):
        """One machine of a Gaussian kernel; `points` have `centre` subtracted."""
        kernel = SmoothKernel("rbf", gamma)
        centre = np.zeros(points.shape[1]) if centre is None else centre
        return cls(kernel, points, coef[None], np.array([float(intercept)]), centre)

    def tiles(self, n):
        """Slices of `n` rows whose kernel values are held together."""
        step = max(1, min(_ROWS, _ENTRIES // max(1, len(self.support))))
        return [slice(start, min(start + step, n)) for start in range(0, n, step)]

    def block(self, X):
        """Kernel values k(x, s_i), or under the other kernels their inner argument."""
        products = X @ self.support.T
        if self.kernel.name != "rbf":
            return self.kernel.inner(products)
        products *= 2.0
        products -= np.einsum("ij,ij->i", X, X)[:, None]
        products -= np.einsum("ij,ij->i", self.support, self.support)
        np.minimum(products, 0.0, out=products)
        products *= self.kernel.gamma
        return np.exp(products, out=products)

    def values(self, X, n_jobs=None):
        """Evaluate every machine at every row, shape (n, n_machines)."""
        X = X - self.centre

        def tile_values(rows):
            block = self.block(X[rows])
            if self.kernel.name != "rbf":
                block = self.kernel.scalar(block, 0)
            return block @ self.coef.T

        return np.concatenate(_each(tile_values, self.tiles(len(X)), n_jobs)) + self.intercept

    def taylor(self, X, n_jobs=None):
        """Evaluate f and its gradient at every row (MetricTree Eqs. 8-10; s_i for x_i in Eq. 10).

        Returns
        -------
        values : ndarray of shape (n, n_machines)
        gradients : ndarray of shape (n, n_machines, d)
        """
        X = X - self.centre
        values = np.empty((len(X), len(self.coef)))
        gradients = np.empty((len(X), *self.coef.shape[:1], X.shape[1]))
        machines = [np.flatnonzero(row) for row in self.coef]

        def fill(rows):
            block, tile = self.block(X[rows]), X[rows]
            rbf = self.kernel.name == "rbf"
            slopes = block if rbf else self.kernel.scalar(block, 1)
            sums = (block if rbf else self.kernel.scalar(block, 0)) @ self.coef.T
            for m, terms in enumerate(machines):
                whole = len(terms) == self.coef.shape[1]
                part = slopes if whole else slopes[:, terms]
                support = self.support if whole else self.support[terms]
                pull = (part * self.coef[m, terms]) @ support
                if rbf:
                    pull = 2 * self.kernel.gamma * (pull - sums[:, m, None] * tile)
                else:
                    pull *= self.kernel.slope
                gradients[rows, m] = pull
            values[rows] = sums

        _each(fill, self.tiles(len(X)), n_jobs)
        return values + self.intercept, gradients

    def norms(self, n_jobs=None):
        """Norm of every machine's normal in the kernel's space, sqrt(a' K a)."""
        values = self.values(self.support + self.centre, n_jobs) - self.intercept
        return np.sqrt(np.maximum(np.einsum("mi,im->m", self.coef, values), 0.0))


def _each(function, tiles, n_jobs):
    if len(tiles) < 2:
        return [function(rows) for rows in tiles]
    return Parallel(n_jobs=n_jobs, prefer="threads")(delayed(function)(rows) for rows in tiles)


def _pairwise(svm, dual, n_classes):
    """Coefficients of scikit-learn's multiclass layout, one row per pair of classes (a < b)."""
    starts = np.concatenate([[0], np.cumsum(svm.n_support_)])
    pairs = list(combinations(range(n_classes), 2))
    coef = np.zeros((len(pairs), starts[-1]))
    for row, (a, b) in zip(coef, pairs, strict=True):
        row[starts[a] : starts[a + 1]] = -dual[b - 1, starts[a] : starts[a + 1]]
        row[starts[b] : starts[b + 1]] = -dual[a, starts[b] : starts[b + 1]]
    return coef, -np.asarray(svm.intercept_, dtype=float)


def _gamma(svm, X):
    """Return the gamma that the fitted SVM uses."""
    for name in ("gamma_", "gamma", "_gamma"):
        value = getattr(svm, name, None)
        if isinstance(value, (int, float, np.floating)):
            return float(value)
    if svm.gamma == "auto":
        return 1.0 / X.shape[1]
    return 1.0 / (X.shape[1] * X.var()) if X.var() > 0 else 1.0


def read_svm(svm, X) -> Expansion:
    """Read the expansion of a fitted SVM: scikit-learn's, or one of `hlsvm.subclass`.

    Parameters
    ----------
    svm : fitted classifier
        With ``support_vectors_``, ``dual_coef_``, ``intercept_``, ``classes_`` and ``kernel``.
    X : ndarray of shape (n, d)
        Rows on which the reading is compared with ``svm.decision_function`` (some of them).

    Raises
    ------
    TypeError
        It is not fitted, or not an SVM of a smooth kernel.
    ValueError
        What was read does not give the SVM's own decisions.
    """
    needed = ("support_vectors_", "dual_coef_", "intercept_", "classes_", "kernel")
    missing = [name for name in needed if not hasattr(svm, name)]
    if missing:
        raise TypeError(
            "MetricTreeSVC needs a kernel SVM for classification that is fitted: it must have "
            f"{', '.join(needed)}. Got {type(svm).__name__} without {', '.join(missing)}."
        )
    if svm.kernel not in KERNELS:
        raise TypeError(
            f"MetricTreeSVC needs an SVM whose kernel is one of {', '.join(map(repr, KERNELS))}. "
            f"Got {svm.kernel!r}."
        )
    support = np.ascontiguousarray(_dense(svm.support_vectors_), dtype=np.float64)
    n_classes = len(svm.classes_)
    coef = np.atleast_2d(np.asarray(_dense(svm.dual_coef_), dtype=float))
    intercept = np.asarray(svm.intercept_, dtype=float)
    if n_classes > 2 and len(coef) == n_classes - 1:
        coef, intercept = _pairwise(svm, coef, n_classes)
    kernel = SmoothKernel(
        svm.kernel,
        _gamma(svm, X),
        int(getattr(svm, "degree", 3)),
        float(getattr(svm, "coef0", 0.0)),
    )
    centre = support.mean(axis=0) if svm.kernel == "rbf" and len(support) else np.zeros(X.shape[1])
    expansion = Expansion(kernel, support - centre, coef, intercept, centre)
    _compare(svm, expansion, X[:: max(1, len(X) // 16)][:16])
    return expansion


def _dense(values):
    return values.toarray() if hasattr(values, "toarray") else values


def _compare(svm, expansion, X):
    ours = expansion.values(X)
    with warnings.catch_warnings():  # rows without names, to an SVM that may know names
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        theirs = np.asarray(svm.decision_function(X), dtype=float)
    n_classes = len(svm.classes_)
    if theirs.ndim == 1:
        ours = ours[:, 0]
    elif getattr(svm, "decision_function_shape", "ovr") == "ovr":
        tied = (np.abs(ours) < 1e-12).any(axis=1)  # a vote that rounding decides
        ours, theirs = pair_scores(ours, n_classes)[~tied], theirs[~tied]
    else:  # scikit-learn's pairs are positive for the first class
        ours = -ours
    scale = np.abs(expansion.coef).sum(axis=1).max() + 1.0
    gap = np.max(np.abs(ours - theirs), initial=0.0)
    if gap > min(1e-6 * scale, 0.1):
        raise ValueError(
            f"The decisions of the fitted {type(svm).__name__} must be those of its support "
            "vectors, coefficients, intercept and kernel parameters. They differ by up to "
            f"{gap:.2g}."
        )


def pair_scores(values, n_classes):
    """Votes of the pairs, plus a bounded confidence that settles ties, shape (n, n_classes)."""
    votes, trust = np.zeros((len(values), n_classes)), np.zeros((len(values), n_classes))
    rows = np.arange(len(values))
    for m, (a, b) in enumerate(combinations(range(n_classes), 2)):
        f = values[:, m]
        votes[rows, np.where(f > 0, b, a)] += 1
        trust[:, a] -= f
        trust[:, b] += f
    return votes + trust / (3.0 * (np.abs(trust) + 1.0))


def winners(svm, scores):
    """Find the class with the most votes; equal votes are settled as `svm` settles them.

    LIBSVM, and so `SVC` unless ``break_ties=True``, takes the first of the classes.

    Parameters
    ----------
    svm : fitted classifier
    scores : ndarray of shape (n, n_classes)
        Of `pair_scores`.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    return (scores if getattr(svm, "break_ties", True) else np.rint(scores)).argmax(axis=1)
