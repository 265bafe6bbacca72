"""RFE-SVM and a ranking by chance: the embedded method of Thesis 2.2.3, and the floor of it all."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.svm import LinearSVC

from hlsvm._certificate import Certificate
from hlsvm._params import (
    check_number,
    check_option,
    check_random_state,
    check_scale,
    check_tolerance,
)
from hlsvm.select._base import RankingSelector, order_by

_MAX_ITER = 20_000  # passes over the rows; LIBLINEAR's 1,000 do not reach a small tolerance


class RFESVM(RankingSelector):
    """Recursive feature elimination by a linear SVM (Guyon et al.; Thesis Alg. 1).

    The features that the separating hyperplane needs least are removed, round after round; what
    survives longest comes first. The SVM is that of Thesis Eq. 2.26 with the hinge loss, by
    scikit-learn's `LinearSVC(loss="hinge")`.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to keep, or which share of them; None: half.
    C : float, default=1.0
        Cost of the SVM.
    step : int or float in (0, 1), default=0.5
        How many features, or which share of those left, go in each round; 1 is the algorithm as
        printed, 0.5 removes them "by a factor of 2" (Table 3.1).
    scale : bool, default=True
        Scale features to [0, 1] first; otherwise weights depend on units.
    tol : float, default=1e-2
        Tolerance of the SVM.
    random_state : int, RandomState instance or None, default=None
        Order of the coordinates in the SVM's solver.

    Attributes
    ----------
    ranking_ : int array of shape (n_features,)
        Features, best first.
    scores_ : array of shape (n_features,)
        Round that removed the feature, plus its share in [0, 1) of the largest squared weight of
        that round.
    certificates_ : tuple of Certificate
        One for each round, of its SVM: the objective of Eq. 2.26 that LIBLINEAR minimises, bias
        included in the norm and summed over the hyperplanes. LIBLINEAR tells no dual value.

    Notes
    -----
    `sklearn.feature_selection.RFE` stops at a wanted number, says of the others only the round
    they left in, and takes a share of all features, not of those left, in each round. Here
    features of one round are ordered too, by their squared weights, summed over the hyperplanes
    where there are more than two classes.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> RFESVM(random_state=0).fit(X, y).ranking_[:3]
    array([ 9,  6, 12])
    """

    def __init__(
        self,
        n_features_to_select=None,
        *,
        C=1.0,
        step=0.5,
        scale=True,
        tol=1e-2,
        random_state=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.step = step
        self.scale = scale
        self.tol = tol
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        check_scale(self, "C", self.C)
        if isinstance(self.step, Integral):
            check_number(self, "step", self.step, kind=Integral, low=1)
        else:
            check_number(self, "step", self.step, low=0, high=1, closed="neither")
        check_option(self, "scale", self.scale, (False, True))
        check_tolerance(self, "tol", self.tol)

    def _rank(self, X, codes):
        X = X.astype(np.float64, copy=False)
        if self.scale:
            X = _scaled_sparse(X) if issparse(X) else _scaled(X, X.min(axis=0), X.max(axis=0))
        rng = check_random_state(self, self.random_state)
        left = np.arange(X.shape[1])
        self.scores_ = np.empty(len(left))
        certificates = []
        while len(left):
            svm = LinearSVC(
                loss="hinge", C=self.C, tol=self.tol, max_iter=_MAX_ITER, random_state=rng
            )
            weight = np.square(svm.fit(X[:, left], codes).coef_).sum(axis=0)
            certificates.append(_certify(svm, X[:, left], codes))
            gone = np.sort(np.argsort(weight, kind="stable")[: self._pace(len(left))])
            share = weight[gone] / max(weight.max(), 1e-300)
            self.scores_[left[gone]] = len(certificates) - 1 + share * (1.0 - 1e-9)
            left = np.delete(left, gone)
        self.certificates_ = tuple(certificates)
        return order_by(self.scores_)

    def _pace(self, n_left):
        step = self.step if isinstance(self.step, Integral) else int(self.step * n_left)
        return min(max(step, 1), n_left)


def _scaled(values, low, high):
    return (values - low) / np.where(high > low, high - low, 1.0)


def _scaled_sparse(X):
    """Scale the columns of a sparse matrix to [0, 1] where that keeps its zeros."""
    low, high = (extreme(axis=0).toarray().ravel() for extreme in (X.min, X.max))
    stored = np.diff(X.indptr)
    moved = np.flatnonzero((low != 0) & (stored < X.shape[0]))
    if len(moved):
        raise ValueError(
            f"X of RFESVM is sparse and its column {moved[0]} has negative values: scaling it to "
            "[0, 1] would turn its zeros into other numbers. Take scale=False (after "
            "sklearn.preprocessing.MaxAbsScaler, if units differ), or a dense X."
        )
    data = _scaled(X.data, np.repeat(low, stored), np.repeat(high, stored))
    return type(X)((data, X.indices, X.indptr), shape=X.shape)


def _certify(svm, X, codes):
    """Certificate of a `LinearSVC` with the hinge loss."""
    scores = csr_array(X) @ svm.coef_.T + svm.intercept_  # by no BLAS: the same on any processor
    positive = codes[:, None] == (svm.classes_ if scores.shape[1] > 1 else svm.classes_[1:])
    slack = np.maximum(1.0 - np.where(positive, scores, -scores), 0.0).sum()
    size = np.square(svm.coef_).sum() + np.square(svm.intercept_).sum()
    n_iter = int(np.max(svm.n_iter_))
    converged = n_iter < svm.max_iter
    reason = f"tol={svm.tol} {'met' if converged else 'not met'} after {n_iter} passes"
    return Certificate(float(0.5 * size + svm.C * slack), np.nan, n_iter, converged, reason)


class RandomSelector(RankingSelector):
    """Features in an order drawn by chance: what every selector has to beat (Thesis Fig. 3.6).

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to keep, or which share of them; None: half.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    ranking_ : int array of shape (n_features,)
    scores_ : array of shape (n_features,)
        Uniform in [0, 1).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> RandomSelector(3, random_state=0).fit(X, y).ranking_[:3]
    array([ 8,  7, 10])
    """

    def __init__(self, n_features_to_select=None, *, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _rank(self, X, codes):
        self.scores_ = check_random_state(self, self.random_state).uniform(size=X.shape[1])
        return order_by(self.scores_)
