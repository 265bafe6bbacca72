"""Reduced sets by pre-images: a Gaussian SVM on few vectors, the rival of the metric tree."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from hlsvm._certificate import Certificate
from hlsvm._data import check_data
from hlsvm._params import check_number
from hlsvm.regions._expansion import Expansion, pair_scores, read_svm, winners
from hlsvm.regions._reduced_expansion import reduce
from hlsvm.regions._wrapped import fit_wrapped

__all__ = ["PreimageSVC"]

_PASSES = 5  # most times that all vectors are looked for again
_TOL = 1e-6  # of the fixed-point iteration


def reduce_expansion(points, coef, gamma, n_vectors, *, n_steps=50):
    """Approximate a Gaussian kernel expansion by a shorter one (Schoelkopf et al. 1999).

    One vector after another: where the part of the expansion that is not yet represented is
    largest, by fixed-point iteration from the expansion's own worst point; then all coefficients
    anew, by least squares in the kernel's space. In the end each vector is looked for again, from
    from where it is, with the others as they are; a few times, while that helps.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    coef : ndarray of shape (n,)
    gamma : float
    n_vectors : int
    n_steps : int
        Most steps of a fixed-point iteration.

    Returns
    -------
    vectors : ndarray of shape (m, d)
        m is `n_vectors`, or fewer where the rest vanished.
    weights : ndarray of shape (m,)
    certificate : Certificate
        The objective is the squared length of what is not represented, over that of the expansion.
        It is bounded by 0 alone: many local optima are in between.
    """
    most = min(n_vectors, len(points))
    vectors, weights, rest, steps, unmet = reduce(
        np.ascontiguousarray(points), coef, float(gamma), most, n_steps, _PASSES, _TOL
    )
    met = unmet == 0
    reason = "tolerance" if met else f"max_iter: {unmet} of {len(vectors)} vectors"
    return vectors, weights, Certificate(float(rest), 0.0, int(steps), met, reason)


class PreimageSVC(ClassifierMixin, BaseEstimator):
    """Approximate a Gaussian SVM by one of few vectors (reduced set by pre-images).

    The method of Schoelkopf et al. (1999) that MetricTree section 1 describes: vectors are found
    one at a time as approximate pre-images of what is not yet represented (see
    `reduce_expansion`). The intercept stays.

    Parameters
    ----------
    estimator : classifier or None, default=None
        SVM with an "rbf" kernel to fit and approximate; None is ``SVC()``. A fitted one is kept
        inside a `sklearn.frozen.FrozenEstimator`.
    n_vectors : int, default=100
        Vectors of every machine (pair of classes).
    n_steps : int, default=50
        Steps of a fixed-point iteration.

    Attributes
    ----------
    svm_ : the fitted SVM
    vectors_ : list of ndarray of shape (n_vectors, n_features)
        One for every machine.
    weights_ : list of ndarray of shape (n_vectors,)
    certificates_ : tuple of Certificate
        One for every machine; the objective is the share of the squared length of w that is not
        represented.
    n_iter_ : int
        Steps of all fixed-point iterations.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows. Around a frozen SVM it needs rows that the SVM was not fitted to.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from sklearn.svm import SVC
    >>> from hlsvm.regions import PreimageSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PreimageSVC(SVC(gamma=1), n_vectors=10).fit(minmax_scale(X), y)
    >>> len(model.vectors_[0]), model.certificates_[0].objective < 0.2
    (10, True)
    """

    def __init__(self, estimator=None, *, n_vectors=100, n_steps=50):
        self.estimator = estimator
        self.n_vectors = n_vectors
        self.n_steps = n_steps

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = not isinstance(self.estimator, FrozenEstimator)
        return tags

    def fit(self, X, y=None):
        """Fit the SVM and find the vectors of every machine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Labels; not needed where `estimator` is frozen.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter is out of range, X or y hold NaN or infinity, y holds one class, or
            `estimator` is no Gaussian SVM.
        """
        check_number(self, "n_vectors", self.n_vectors, kind=Integral, low=1)
        check_number(self, "n_steps", self.n_steps, kind=Integral, low=1, high=10**6)
        X, self.svm_ = fit_wrapped(self, X, y)
        expansion = read_svm(self.svm_, X)
        if expansion.kernel.name != "rbf":
            raise TypeError(
                "PreimageSVC needs an SVM whose kernel is 'rbf'. "
                f"Got {expansion.kernel.name!r} instead."
            )
        with threadpool_limits(1, user_api="blas"):
            self._reduce(expansion)
        return self

    def _reduce(self, expansion):
        gamma, centre = expansion.kernel.gamma, expansion.centre
        self.classes_ = np.asarray(self.svm_.classes_)
        self.vectors_, self.weights_, proofs, self._machines = [], [], [], []
        for coef, bias in zip(expansion.coef, expansion.intercept, strict=True):
            members = np.flatnonzero(coef)
            vectors, weights, proof = reduce_expansion(
                expansion.support[members],
                coef[members],
                gamma,
                int(self.n_vectors),
                n_steps=int(self.n_steps),
            )
            self.vectors_.append(vectors + centre)
            self.weights_.append(weights)
            proofs.append(proof)
            self._machines.append(Expansion.gaussian(vectors, weights, gamma, bias, centre))
        self.certificates_ = tuple(proofs)
        self.n_iter_ = max(1, sum(proof.n_iter for proof in proofs))

    def decision_function(self, X):
        """Evaluate the short expansions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for ``classes_[1]``. More: votes of the pairs, plus a bounded
            confidence that settles ties.
        """
        check_is_fitted(self)
        X = check_data(self, X, dtype=np.float64, order="C", reset=False)
        with threadpool_limits(1, user_api="blas"):
            values = np.hstack([machine.values(X) for machine in self._machines])
        return values[:, 0] if len(self.classes_) == 2 else pair_scores(values, len(self.classes_))

    def predict(self, X):
        """Classify rows by the short expansions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.intp)]
        return self.classes_[winners(self.svm_, scores)]
