"""LASVM against LIBSVM: its objective, its conditions, its answers."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hlsvm.regions import LASVMClassifier
from hlsvm.regions._lasvm import solve_online


@parametrize_with_checks([LASVMClassifier(C=10), LASVMClassifier(multiclass="ovr", n_epochs=2)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (1200, 2))
    y = np.where(np.sin(4 * X[:, 0]) > X[:, 1], 1.0, -1.0)
    y[rng.random(1200) < 0.05] *= -1
    return X, y


def objective(X, y, gamma, beta):
    kernel = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    return y @ beta - 0.5 * beta @ kernel @ beta


def of_libsvm(X, y, C, gamma):
    svc = SVC(C=C, gamma=gamma).fit(X, y)
    beta = np.zeros(len(y))
    beta[svc.support_] = svc.dual_coef_[0]
    return beta


@pytest.mark.parametrize(("C", "gamma"), [(1, 1), (10, 3), (100, 3), (0.1, 10)])
def test_reaches_the_objective_of_libsvm_to_one_percent(waves, C, gamma):
    X, y = waves
    rng = np.random.default_rng(0)
    order = np.concatenate([rng.permutation(len(y)) for _ in range(2)])
    beta, _, _, violation = solve_online(X, y, float(C), float(gamma), order, 5, 1e-3, 10**7)
    assert violation <= 1e-3
    assert abs(beta.sum()) < 1e-9
    assert ((y * beta >= 0) & (y * beta <= C)).all()
    best = objective(X, y, gamma, of_libsvm(X, y, C, gamma))
    result = objective(X, y, gamma, beta)
    assert 0.99 * best <= result <= best * (1 + 1e-4)


def test_another_pass_comes_nearer(waves):
    X, y = waves
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(y)) for _ in range(3)]
    best = objective(X, y, 3, of_libsvm(X, y, 10, 3))
    gaps = [
        1 - objective(X, y, 3, solve_online(X, y, 10.0, 3.0, order, 5, 1e-3, 10**7)[0]) / best
        for order in (orders[0], np.concatenate(orders))
    ]
    assert gaps[1] < 0.5 * gaps[0] < 0.01


def test_certificates_are_of_all_rows(waves):
    X, y = waves
    model = LASVMClassifier(C=10, gamma=3, random_state=0).fit(X, y)
    (proof,) = model.certificates_
    vectors, beta = model.machines_[0].vectors, model.machines_[0].coef[:, 0]
    kernel = np.exp(-3 * ((vectors[:, None] - vectors) ** 2).sum(axis=2))
    square = beta @ kernel @ beta
    hinge = np.maximum(0, 1 - y * model.decision_function(X)).sum()
    assert proof.objective == pytest.approx(0.5 * square + 10 * hinge, rel=1e-9)
    assert proof.dual_objective == pytest.approx(np.abs(beta).sum() - 0.5 * square, rel=1e-9)
    best = objective(X, y, 3, of_libsvm(X, y, 10, 3))
    assert proof.dual_objective <= best * (1 + 1e-4) <= proof.objective * (1 + 2e-4)
    assert proof.gap > 0
    assert proof.converged
    assert proof.n_iter == model.n_iter_


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_several_classes_agree_with_libsvm(multiclass):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    ours = LASVMClassifier(C=10, gamma=0.3, multiclass=multiclass, random_state=0)
    ours.fit(X[:900], y[:900])
    libsvm = SVC(C=10, gamma=0.3).fit(X[:900], y[:900])
    assert np.mean(ours.predict(X[900:]) == libsvm.predict(X[900:])) > 0.97
    assert ours.n_support_evaluated(X[:5]).tolist() == [ours.n_support_total_] * 5


def test_same_seed_same_bits_whatever_n_jobs():
    X, y = load_digits(return_X_y=True)
    scores = [
        LASVMClassifier(C=10, gamma=0.01, n_jobs=n_jobs, random_state=2, multiclass="ovr")
        .fit(X[:300] / 16, y[:300])
        .decision_function(X[300:400] / 16)
        for n_jobs in (None, 2, 3)
    ]
    assert np.array_equal(scores[0], scores[1])
    assert np.array_equal(scores[0], scores[2])


def test_without_finishing_and_stopped_early(waves):
    X, y = waves
    quick = LASVMClassifier(C=10, gamma=3, finish=False)
    orders = [clone(quick).set_params(random_state=seed).fit(X, y) for seed in range(12)]
    assert np.mean([model.score(X, y) for model in orders]) > 0.85
    assert {model.certificates_[0].reason for model in orders} == {"passes"}
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        LASVMClassifier(C=10, gamma=3, max_iter=1, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", 0),
        ("gamma", -1),
        ("n_epochs", 0),
        ("tol", 0),
        ("max_iter", 1.5),
        ("multiclass", "all"),
        ("finish", "no"),
        ("n_jobs", 0),
    ],
)
def test_bad_parameters_are_named(waves, name, value):
    with pytest.raises((ValueError, TypeError), match=name):
        LASVMClassifier(**{name: value}).fit(*waves)
