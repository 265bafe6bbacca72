"""Every estimator that solves a problem says how well, with one face, and what it does not do."""

import math
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC

import hlsvm
from hlsvm._certificate import Certificate

# What these answer is counted or sorted: there is nothing to converge.
NOTHING_SOLVED = {"MaxRel", "MRMR", "JMI", "CMIM", "ReliefF", "CFS", "StreamwiseSelector"}
NOTHING_SOLVED |= {"RandomSelector", "StabilitySelector"}
SMALL = {
    "ObliqueTreeClassifier": {"lam": 1e-3},  # what is chosen may hold comparisons alone
    "ObliqueForestClassifier": {"lam": 1e-3, "n_trees": 2},
}
ESTIMATORS = [name for name in hlsvm.__all__ if hasattr(getattr(hlsvm, name), "fit")]


def problem(n_classes):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (150, 3))
    angle = np.arctan2(X[:, 0], X[:, 1]) / (2 * np.pi) + 0.5
    return X, (n_classes * angle).astype(int) % n_classes


def fitted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return getattr(hlsvm, name)(**SMALL.get(name, {})).fit(*problem(2))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_certificates(name):
    model = fitted(name)
    assert hasattr(model, "certificates_") == (name not in NOTHING_SOLVED)
    if name in NOTHING_SOLVED:
        return
    assert isinstance(model.certificates_, tuple)
    assert len(model.certificates_) > 0
    for proof in model.certificates_:
        assert isinstance(proof, Certificate)
        for value in (proof.objective, proof.dual_objective, proof.gap, proof.relative_gap):
            assert type(value) is float
        assert type(proof.n_iter) is int
        assert proof.n_iter >= 0
        assert type(proof.converged) is bool
        assert type(proof.reason) is str
        assert proof.reason
        if not math.isnan(proof.gap):
            assert proof.gap == max(proof.objective - proof.dual_objective, 0.0)
            assert proof.dual_objective <= proof.objective + 1e-9 * abs(proof.objective)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_without_probabilities_or_sparse_rows_it_says_how_to_go_on(name):
    kind, (X, y) = getattr(hlsvm, name), problem(2)
    if hasattr(kind, "predict") and not hasattr(kind, "predict_proba"):
        assert "For probabilities wrap" in kind.__doc__
    if not kind().__sklearn_tags__().input_tags.sparse:
        assert "`X` must be dense" in kind.__doc__
        with pytest.raises(TypeError, match=r"Sparse data was passed for X.*'\.toarray\(\)'"):
            kind().fit(csr_array(X), y)


def test_what_is_not_fitted_has_none():
    for name in ESTIMATORS:
        with pytest.raises((AttributeError, NotFittedError)):
            getattr(hlsvm, name)().certificates_  # noqa: B018


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_metric_tree_has_those_of_its_svm(n_classes):
    X, y = problem(n_classes)
    model = hlsvm.MetricTreeSVC(hlsvm.KernelSVC()).fit(X, y)
    assert model.certificates_ == model.svm_.certificates_
    peer = hlsvm.KernelSVC(C=1.0, gamma=0.5, tol=1e-8).fit(X, y).certificates_
    bounds = [
        p.dual_objective
        for p in hlsvm.MetricTreeSVC(SVC(gamma=0.5, tol=1e-8)).fit(X, y).certificates_
    ]
    np.testing.assert_allclose(bounds, [proof.dual_objective for proof in peer], rtol=1e-6)
    cut = hlsvm.MetricTreeSVC(SVC(gamma=0.5, max_iter=3))
    with pytest.warns(ConvergenceWarning):
        proofs = cut.fit(X, y).certificates_
    assert {(proof.reason, proof.converged) for proof in proofs} == {("max_iter", False)}
