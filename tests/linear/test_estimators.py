"""The two classifiers: scikit-learn's checks, certificates, weights, classes, bad input."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import hlsvm
from hlsvm.linear import Certificate, WeightedLinearSVC, WeightedPegasos
from hlsvm.linear.weights import balanced_weights, check_sample_weight

from .problems import blobs, primal

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
BOTH = [WeightedPegasos(random_state=0), WeightedLinearSVC(random_state=0)]
both = pytest.mark.parametrize("estimator", BOTH, ids=lambda e: type(e).__name__)


@parametrize_with_checks(
    [
        WeightedLinearSVC(),
        WeightedLinearSVC(bias_feature=None),
        WeightedPegasos(),
    ]
)
def test_scikit_learn_compatible(estimator, check):
    check(estimator)


def test_public_names():
    assert hlsvm.WeightedPegasos is WeightedPegasos


@both
@pytest.mark.parametrize("loss_scale", ["mean", "sum"])
def test_certificate_states_the_objective(estimator, loss_scale):
    X, y = blobs(n=80)
    lam = 1e-2
    model = clone(estimator).set_params(lam=lam, loss_scale=loss_scale).fit(X, y)
    (proof,) = model.certificates_
    upper = balanced_weights(y) / (lam * (80 if loss_scale == "mean" else 1))
    s = 1.0 if isinstance(model, WeightedLinearSVC) else np.inf
    value = lam * primal(X, y, upper, model.coef_[0], model.intercept_[0], s)
    assert_allclose(proof.objective, value)
    assert proof.converged
    assert 0 <= proof.relative_gap < 0.1
    assert proof.gap == pytest.approx(proof.objective - proof.dual_objective)
    assert model.n_iter_ == proof.n_iter
    assert f"tol={model.tol:g}" in proof.reason


def test_pegasos_and_dual_bound_each_other():
    X, y = blobs(n=80)
    for lam in (1e-4, 1e-2, 1.0):
        exact = WeightedLinearSVC(lam, bias_feature=None, random_state=0).fit(X, y)
        walk = WeightedPegasos(lam, bias_scale=1.0, random_state=0).fit(X, y)
        best, result = exact.certificates_[0], walk.certificates_[0]
        assert result.dual_objective <= best.objective * (1 + 1e-9)
        assert best.dual_objective <= result.objective * (1 + 1e-9)
        assert result.objective <= best.objective * 1.05


@both
def test_unmet_tolerance_warns_with_numbers_and_advice(estimator):
    X, y = blobs(n=3000, d=30)
    model = clone(estimator).set_params(lam=1e-8, max_iter=3, tol=1e-6)
    with pytest.warns(ConvergenceWarning, match=r"after 3 .*max_iter=3.*Increase max_iter"):
        model.fit(X, y)
    proof = model.certificates_[0]
    assert not proof.converged
    assert proof.gap > 0


def test_small_problems_are_solved_to_machine_precision():
    X, y = blobs(n=100)
    for bias_feature in (None, 1.0):
        svc = WeightedLinearSVC(1e-5, bias_feature=bias_feature, random_state=0).fit(X, y)
        assert svc.certificates_[0].relative_gap < 1e-11


def test_agrees_with_liblinear_on_its_own_terms():
    X, y = blobs(n=100)
    svc = WeightedLinearSVC(1e-2, loss_scale="sum", class_weight=None, random_state=0).fit(X, y)
    peer = LinearSVC(loss="hinge", C=1.0, tol=1e-9, max_iter=10**6, random_state=0)
    peer.fit(X, y, sample_weight=np.full(100, 1 / (1e-2 * 100)))
    assert_allclose(svc.coef_, peer.coef_, rtol=1e-5)
    assert_array_equal(svc.predict(X), peer.predict(X))


@both
def test_weights_of_two_equal_rows_twice(estimator):
    X, y = blobs(n=60)
    weight = np.where(np.arange(60) % 3 == 0, 2.0, np.where(np.arange(60) % 7 == 0, 0.0, 1.0))
    rows = np.repeat(np.arange(60), weight.astype(int))
    for class_weight in ("balanced", None, {-1.0: 3.0}):
        model = clone(estimator).set_params(class_weight=class_weight)
        weighted = clone(model).fit(X, y, sample_weight=weight)
        repeated = clone(model).fit(X[rows], y[rows])
        assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)
        assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-7)


@both
def test_class_weight_moves_the_plane(estimator):
    X, y = blobs(n=300, share=0.1)
    result = []
    for class_weight in ({1.0: 0.1}, None, "balanced"):
        model = clone(estimator).set_params(lam=1e-4, class_weight=class_weight).fit(X, y)
        result.append((model.predict(X) > 0).mean())
    assert result[0] <= result[1] < result[2]


@both
def test_many_classes_are_one_against_the_rest(estimator):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = clone(estimator).set_params(lam=1e-5).fit(X, names)
    assert model.coef_.shape == (3, 4)
    assert len(model.certificates_) == 3
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, names) > 0.75
    if isinstance(model, WeightedLinearSVC):
        one = clone(estimator).set_params(lam=1e-5).fit(X, names == "virginica")
        assert_allclose(model.coef_[2], one.coef_[0], atol=1e-6)


@both
def test_float32_stays_and_agrees(estimator):
    X, y = blobs(n=80)
    X = X.astype(np.float32)
    single = clone(estimator).fit(X, y)
    double = clone(estimator).fit(X.astype(np.float64), y)
    assert_allclose(single.coef_, double.coef_, rtol=1e-6)
    assert_array_equal(single.predict(X), double.predict(X))
    assert single.decision_function(X).dtype == np.float64


@both
def test_same_seed_same_bits(estimator):
    X, y = blobs(n=2500)
    first, again = (clone(estimator).set_params(lam=1e-6, tol=0.05).fit(X, y) for _ in range(2))
    assert_array_equal(first.coef_, again.coef_)
    assert_array_equal(first.intercept_, again.intercept_)


@both
def test_works_in_a_grid_a_pipeline_and_with_frames(estimator):
    X, y = blobs(n=90)
    frame = pd.DataFrame(X, columns=list("abcd"))
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), clone(estimator)),
        {f"{type(estimator).__name__.lower()}__lam": [1e-4, 1e-1]},
        cv=3,
    ).fit(frame, y)
    assert grid.score(frame, y) > 0.8
    fitted = clone(estimator).fit(frame, y)
    assert list(fitted.feature_names_in_) == list("abcd")


BAD_PARAMETERS = [
    ({"lam": 0}, ValueError, r"'lam' parameter of \w+ must be a number in \[1e-300, .*Got 0"),
    ({"lam": "1"}, TypeError, "'lam'"),
    ({"lam": 1e-300}, ValueError, "'lam' parameter .* boxes"),
    ({"tol": -1.0}, ValueError, "'tol'"),
    ({"tol": np.nan}, ValueError, "'tol'"),
    ({"max_iter": 0}, ValueError, "'max_iter'"),
    ({"max_iter": 1.5}, TypeError, "'max_iter'"),
    ({"loss_scale": "total"}, ValueError, "'loss_scale' .* 'mean', 'sum'. Got 'total'"),
    ({"class_weight": "even"}, ValueError, "'class_weight'"),
    ({"class_weight": {1.0: -1}}, ValueError, "'class_weight'"),
    ({"class_weight": {5: 1.0}}, ValueError, "not in y: 5"),
]


@both
@pytest.mark.parametrize(("params", "error", "message"), BAD_PARAMETERS)
def test_bad_parameters_are_named(estimator, params, error, message):
    X, y = blobs(n=20)
    with pytest.raises(error, match=message):
        clone(estimator).set_params(**params).fit(X, y)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (WeightedPegasos(batch_size=0), ValueError, "'batch_size'"),
        (WeightedPegasos(bias_scale=-0.1), ValueError, "'bias_scale'"),
        (WeightedPegasos(faithful="yes"), ValueError, "'faithful'"),
        (WeightedLinearSVC(bias_feature=-1.0), ValueError, r"'bias_feature' .* or None"),
        (WeightedLinearSVC(bias_feature="big"), TypeError, "'bias_feature'"),
    ],
)
def test_bad_parameters_of_one_are_named(model, error, message):
    X, y = blobs(n=20)
    with pytest.raises(error, match=message):
        model.fit(X, y)


@both
def test_bad_data_is_refused(estimator):
    X, y = blobs(n=20)
    holes = X.copy()
    holes[3, 1] = np.nan
    for data, labels, error, message in [
        (holes, y, ValueError, "NaN"),
        (np.where(np.isnan(holes), np.inf, X), y, ValueError, "infinity"),
        (X[:0], y[:0], ValueError, "sample"),
        (X, y[:-1], ValueError, "inconsistent"),
        (X, np.ones(20), ValueError, "at least two classes"),
        (X, np.linspace(0, 1, 20), ValueError, "Unknown label type"),
        (np.full((20, 2), "a"), y, ValueError, "could not convert"),
        (X * 1e40, y, ValueError, "scale the features"),
    ]:
        with pytest.raises(error, match=message):
            clone(estimator).fit(data, labels)
    with pytest.raises(ValueError, match="features"):
        clone(estimator).fit(X, y).predict(X[:, :2])


@both
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(20), "sample_weight .* must be >= 0"),
        (np.zeros(20), "sample_weight .* above zero somewhere"),
        (np.ones(19), r"sample_weight .* \(20,\)"),
        (np.full(20, np.nan), "sample_weight.* with NaN"),
        (np.r_[np.ones(6), np.zeros(14)], "two classes"),
    ],
)
def test_bad_weights_are_named(estimator, weight, message):
    X, y = blobs(n=20)
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y, sample_weight=weight)


@both
def test_constant_and_repeated_features_are_harmless(estimator):
    X, y = blobs(n=60)
    odd = np.column_stack([X, X[:, 0], np.zeros(60), np.full(60, 5.0)])
    assert clone(estimator).set_params(lam=1e-3).fit(odd, y).score(odd, y) > 0.7
    flat = clone(estimator).fit(np.zeros((60, 2)), y)
    assert np.isfinite(flat.decision_function(np.zeros((1, 2)))).all()


def test_weights_of_eq_5_3():
    y = np.array([1.0, 1.0, 1.0, -1.0])
    assert_allclose(balanced_weights(y), [1 / 6, 1 / 6, 1 / 6, 1 / 2])
    weighted = balanced_weights(y, np.array([1.0, 2.0, 1.0, 7.0]))
    assert_allclose(weighted, [1 / 8, 1 / 4, 1 / 8, 1 / 2])
    assert_array_equal(check_sample_weight("SVC", 2.0, 3), [2, 2, 2])


def test_certificate_of_a_zero_objective():
    assert Certificate(0.0, 0.0, 1, True, "").relative_gap == 0.0
    assert Certificate(1.0, 1.0 + 1e-15, 1, True, "").gap == 0.0
