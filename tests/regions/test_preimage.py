"""Reduced sets by pre-images: they converge to the SVM, and each vector helps."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from hlsvm.regions import PreimageSVC
from hlsvm.regions._reduced_expansion import reduce
from hlsvm.regions.preimage import reduce_expansion

RNG = np.random.default_rng(0)
X2 = RNG.uniform(-1, 1, (300, 2))
Y2 = (np.sin(4 * X2[:, 0]) > 2 * X2[:, 1]).astype(int)


def test_every_check_of_scikit_learn():
    results = check_estimator(PreimageSVC(n_vectors=20), on_skip=None)
    assert {r["status"] for r in results} <= {"passed", "skipped"}


def test_one_gaussian_is_found_again():
    vectors, weights, proof = reduce_expansion(np.array([[0.3, -1.0]]), np.array([2.0]), 1.5, 5)
    np.testing.assert_allclose(vectors, [[0.3, -1.0]], atol=1e-6)
    np.testing.assert_allclose(weights, [2.0], atol=1e-6)
    assert proof.gap == proof.objective < 1e-9
    assert proof.converged


def test_the_rest_is_the_distance_in_the_kernel_space():
    coef = RNG.normal(size=300)
    vectors, weights, proof = reduce_expansion(X2, coef, 2.0, 12)
    points, signed = np.vstack([X2, vectors]), np.concatenate([coef, -weights])
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    gram = np.exp(-2.0 * squares)
    apart = signed @ gram @ signed
    assert proof.objective == pytest.approx(apart / (coef @ gram[:300, :300] @ coef), rel=1e-6)


def test_more_vectors_come_nearer():
    svm = SVC(C=10, gamma=2).fit(X2, Y2)
    models = [PreimageSVC(FrozenEstimator(svm), n_vectors=m).fit(X2) for m in (2, 8, 32)]
    rests = [model.certificates_[0].objective for model in models]
    assert rests[0] > rests[1] > rests[2]
    exact = svm.decision_function(X2)
    errors = [np.abs(model.decision_function(X2) - exact).max() for model in models]
    assert errors[2] < 0.1 < errors[1] < errors[0]


def test_looking_for_the_vectors_again_brings_them_nearer():
    svm = SVC(C=10, gamma=2).fit(X2, Y2)
    expansion = svm.support_vectors_, svm.dual_coef_[0], 2.0
    rests = [reduce(*expansion, 8, 50, passes, 1e-6)[2] for passes in range(4)]
    assert rests[0] > 2 * rests[1] > 2 * rests[2] > 2 * rests[3] > 0


def test_unmet_steps_are_said():
    model = PreimageSVC(SVC(C=10, gamma=2), n_vectors=5, n_steps=1).fit(X2, Y2)
    (proof,) = model.certificates_
    assert not proof.converged
    assert proof.reason.startswith("max_iter")


def test_several_classes_vote():
    X, y = load_digits(n_class=4, return_X_y=True)
    model = PreimageSVC(SVC(gamma=0.05), n_vectors=30).fit(X[::2] / 16, y[::2])
    assert len(model.vectors_) == 6
    assert model.score(X[1::2] / 16, y[1::2]) > 0.97


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="'n_vectors' parameter of PreimageSVC must be an integer"):
        PreimageSVC(n_vectors=0).fit(X2, Y2)
    with pytest.raises(TypeError, match=r"kernel is 'rbf'.* Got 'linear'"):
        PreimageSVC(SVC(kernel="linear")).fit(X2, Y2)
    with pytest.raises(TypeError, match="must be an SVM for classification"):
        PreimageSVC("svc").fit(X2, Y2)
    with pytest.raises(ValueError, match="one class"):
        PreimageSVC().fit(X2, np.ones(300))
