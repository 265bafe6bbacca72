"""The bounds of the metric tree: never wrong, and as good as can be."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from hlsvm.regions import MetricTreeSVC

RNG = np.random.default_rng(0)
X2 = RNG.uniform(-1, 1, (400, 2))
Y2 = (np.sin(4 * X2[:, 0]) > 2 * X2[:, 1]).astype(int)


def _exact(model, X):
    values = model._expansion.values(X)
    return values[:, 0] if values.shape[1] == 1 else values


def test_the_certain_share_is_never_wrong_on_a_million_points():
    svm = SVC(C=10, gamma=2).fit(X2, Y2)
    model = MetricTreeSVC.from_fitted(svm, X2)
    asked = np.random.default_rng(1).uniform(-1.3, 1.3, (1_000_000, 2))
    exact, (low, high) = _exact(model, asked), model.bounds(asked)
    assert ((low <= exact) & (exact <= high)).all()
    certain, label = model.is_certain(asked), model.predict(asked)
    np.testing.assert_array_equal(label[certain], (exact > 0)[certain])
    assert 0.5 < certain.mean() < 1
    assert np.mean(label != (exact > 0)) > 0  # the tree does err; the certificate says where


class _Gaussians(ClassifierMixin, BaseEstimator):
    """A fitted SVM given by its parts, evaluated by differences: as exact far from the origin."""

    kernel, gamma, classes_ = "rbf", 2.0, np.array([0, 1])

    def __init__(self, support_vectors_, dual_coef_, intercept_):
        self.support_vectors_, self.dual_coef_ = support_vectors_, dual_coef_
        self.intercept_ = intercept_

    def decision_function(self, X):
        squares = ((X[:, None] - self.support_vectors_) ** 2).sum(axis=2)
        return np.exp(-self.gamma * squares) @ self.dual_coef_[0] + self.intercept_[0]


def _on_the_boundary(f, below, above):
    """Bisect between rows of f < 0 and of f > 0 until the two are neighbouring numbers."""
    for _ in range(80):
        middle = (below + above) / 2
        positive = f(middle) > 0
        below = np.where(positive[:, None], below, middle)
        above = np.where(positive[:, None], middle, above)
    return np.concatenate([below, above])


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 3e6])
def test_no_certificate_is_wrong_far_from_the_origin(offset):
    near = SVC(C=10, gamma=2).fit(X2, Y2)
    support = near.support_vectors_ + offset
    svm = _Gaussians(support, near.dual_coef_, near.intercept_)
    X = X2[:160] + offset
    sign = svm.decision_function(X) > 0
    n = min(sign.sum(), (~sign).sum())
    points = _on_the_boundary(svm.decision_function, X[~sign][:n], X[sign][:n])
    model = MetricTreeSVC.from_fitted(svm, points)
    asked = np.concatenate([points, points[::-1] + 1e-3, X])
    exact, (low, high) = svm.decision_function(asked), model.bounds(asked)
    assert ((low <= exact) & (exact <= high)).all()
    certain = model.is_certain(asked)
    np.testing.assert_array_equal(model.predict(asked)[certain], (exact > 0)[certain])
    assert certain.mean() > 0.3
    known = MetricTreeSVC.from_fitted(svm, points, fallback="exact")
    clear = np.abs(exact) > 1e-11
    np.testing.assert_array_equal(known.predict(asked)[clear], (exact > 0)[clear])


@pytest.mark.parametrize("bound", ["norm", "curvature", "best"])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "linear"])
def test_bounds_enclose_the_svm_near_and_far(kernel, bound):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    svm = SVC(C=5, kernel=kernel, gamma=0.05, coef0=0.2).fit(X[::4], y[::4])
    model = MetricTreeSVC.from_fitted(svm, X[::4], bound=bound)
    rng = np.random.default_rng(2)
    for scale in (0, 1e-6, 1e-2, 1, 30):
        asked = X[1::8] + scale * rng.normal(size=X[1::8].shape)
        exact, (low, high) = _exact(model, asked), model.bounds(asked)
        assert ((low <= exact) & (exact <= high)).all()


def test_the_norm_bound_is_the_length_of_what_is_not_known():
    """1 - exp(-2t)(1 + 2t) is what k(x, .) keeps outside the span of k(x0, .) and its slope."""
    gamma, distance = 0.8, 0.6
    near = np.array([[-1e-3], [1e-3], [distance]])  # the span of the first two, in the limit
    gram = np.exp(-gamma * (near - near.T) ** 2)
    outside = gram[2, 2] - gram[2, :2] @ np.linalg.solve(gram[:2, :2], gram[:2, 2])
    t = gamma * distance**2
    assert outside == pytest.approx(1 - np.exp(-2 * t) * (1 + 2 * t), rel=1e-3)


def test_norm_bound_beats_the_sum_of_coefficients():
    X, y = load_digits(return_X_y=True)
    X, y = X / 16, y > 4
    svm = SVC(C=10, gamma=0.05).fit(X[::2], y[::2])
    share = {
        bound: MetricTreeSVC.from_fitted(svm, X[::2], bound=bound).is_certain(X[1::2]).mean()
        for bound in ("curvature", "norm", "best")
    }
    assert share["curvature"] < share["norm"] <= share["best"]


def test_the_damped_form_is_nearer():
    X, y = load_digits(return_X_y=True)
    X, y = X / 16, y > 4
    svm = SVC(C=10, gamma=0.05).fit(X[::2], y[::2])
    exact = svm.decision_function(X[1::2])
    error = {}
    for expansion in ("taylor", "damped"):
        model = MetricTreeSVC.from_fitted(svm, X[::2], expansion=expansion)
        np.testing.assert_allclose(
            model.decision_function(X[::2]), svm.decision_function(X[::2]), atol=1e-9
        )
        error[expansion] = np.median(np.abs(model.decision_function(X[1::2]) - exact))
    assert error["damped"] < 0.8 * error["taylor"]
    far = np.full((1, 64), 100.0)  # where the SVM is its intercept, and Taylor is anything
    model = MetricTreeSVC.from_fitted(svm, X[::2], expansion="damped")
    np.testing.assert_allclose(model.decision_function(far), svm.intercept_, atol=1e-9)


def test_fallback_gives_the_svm_itself():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    for labels in (y > 4, y):
        svm = SVC(gamma=0.05, break_ties=len(set(labels)) > 2).fit(X[::2], labels[::2])
        model = MetricTreeSVC.from_fitted(svm, X[::2], fallback="exact")
        np.testing.assert_array_equal(model.predict(X[1::2]), svm.predict(X[1::2]))
        asked = model.n_support_evaluated(X[1::2])
        assert 0 < np.mean(asked > 0) < 1
        x = X[1::2][asked > 0][0]
        assert model.predict_one(x) == svm.predict(x[None])[0]


@pytest.mark.parametrize("break_ties", [False, True])
def test_equal_votes_are_settled_as_by_the_svm(break_ties):
    X, y = load_digits(return_X_y=True)
    svm = SVC(gamma=0.01, break_ties=break_ties).fit(X[::4], y[::4])
    model = MetricTreeSVC.from_fitted(svm, X[::4], fallback="exact")
    asked = np.random.default_rng(0).uniform(0, 16, (500, 64))
    np.testing.assert_array_equal(model.predict(asked), svm.predict(asked))
