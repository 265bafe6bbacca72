"""The least-squares SVM of MetricTree Fig. 2."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data


class LeastSquaresSVC(ClassifierMixin, BaseEstimator):
    """Least-squares SVM with a Gaussian kernel: every point is a support vector.

    Solves ``[[0, 1'], [1, K + I/C]] [b; alpha] = [0; y]`` (Suykens and Vandewalle 1999, with the
    labels -1 and +1 taken into alpha).
    """

    kernel = "rbf"

    def __init__(self, C=10.0, gamma=4.0):
        self.C = C
        self.gamma = gamma

    def fit(self, X, y):
        """Solve the linear system of the labels."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_ = np.unique(y)
        n = len(X)
        system = np.ones((n + 1, n + 1))
        system[0, 0] = 0
        system[1:, 1:] = self._gram(X, X) + np.eye(n) / self.C
        signs = np.where(y == self.classes_[-1], 1.0, -1.0)
        solution = np.linalg.solve(system, np.concatenate([[0.0], signs]))
        self.support_vectors_, self.dual_coef_ = X, solution[None, 1:]
        self.intercept_ = solution[:1]
        return self

    def _gram(self, A, B):
        return np.exp(-self.gamma * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    def decision_function(self, X):
        """Evaluate the expansion."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._gram(X, self.support_vectors_) @ self.dual_coef_[0] + self.intercept_[0]

    def predict(self, X):
        """Classify by the sign."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]
