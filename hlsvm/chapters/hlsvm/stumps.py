"""AdaBoost's stump for data of at most 256 values per feature: a histogram in place of a sort."""

import numpy as np
from numba import njit
from sklearn.base import BaseEstimator, ClassifierMixin


@njit(cache=True)
def _best_cut(X, y, weight):
    """Return feature, code and purity of the cut with the least Gini impurity: classes 0 and 1.

    A row of codes (uint8) goes to the left if its code is at most that of the cut.
    """
    n, d = X.shape
    sums = np.zeros((d, 256, 2))
    for i in range(n):
        for j in range(d):
            sums[j, X[i, j], y[i]] += weight[i]
    feature, code, best = -1, 0, -np.inf
    for j in range(d):
        right = np.zeros(2)
        for c in range(256):
            right += sums[j, c]
        left = np.zeros(2)
        for c in range(255):
            left += sums[j, c]
            right -= sums[j, c]
            low, high = left.sum(), right.sum()
            if low <= 1e-12 or high <= 1e-12:
                continue
            purity = (left**2).sum() / low + (right**2).sum() / high
            if purity > best + 1e-12:
                feature, code, best = j, c, purity
    return feature, code, best


class HistogramStump(ClassifierMixin, BaseEstimator):
    """A tree of depth 1 by Gini impurity on rows of codes (uint8), two classes.

    On such rows it makes the cuts of ``DecisionTreeClassifier(max_depth=1)``, ties between
    features apart (here: the first), without sorting.
    """

    def fit(self, X, y, sample_weight=None):
        """Find the cut for weighted rows; `X` holds codes of dtype uint8."""
        if X.dtype != np.uint8:
            raise TypeError(f"X must hold codes of dtype uint8. Got {X.dtype}.")
        self.classes_, codes = np.unique(y, return_inverse=True)
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
        self.feature_, self.code_, _ = _best_cut(X, codes.astype(np.int64), weight)
        right = X[:, self.feature_] > self.code_ if self.feature_ >= 0 else np.zeros(len(X), bool)
        total = [np.bincount(codes[side], weight[side], 2) for side in (~right, right)]
        self.winners_ = np.array([side.argmax() for side in total])
        return self

    def predict(self, X):
        """Return the class of the side on which each row lies."""
        if self.feature_ < 0:  # no cut: every row is alike
            return np.full(len(X), self.classes_[self.winners_[0]])
        return self.classes_[self.winners_[(X[:, self.feature_] > self.code_).astype(int)]]


def as_codes(X) -> np.ndarray | None:
    """Return grey levels in [0, 1] as codes, or None where they are not multiples of 1/255."""
    codes = np.asarray(X) * 255
    whole = np.round(codes)
    if whole.min() < 0 or whole.max() > 255 or np.abs(codes - whole).max() > 1e-3:
        return None
    return whole.astype(np.uint8)
