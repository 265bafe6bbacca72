"""The search answers as scikit-learn's with its SVC, whatever computes it."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, PredefinedSplit, ShuffleSplit
from sklearn.preprocessing import scale
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hlsvm import KernelSVCSearch

CS, GAMMAS = [10.0, 0.1, 1.0], [0.1, 0.01]


def data(load):
    X, y = load(return_X_y=True)
    return scale(X), y


def both(X, y, **options):
    grid = {"C": CS, "gamma": GAMMAS}
    weight = options.pop("class_weight", None)
    svc = SVC(tol=1e-6, class_weight=weight, break_ties=True)
    theirs = GridSearchCV(svc, grid, **options).fit(X, y)
    ours = KernelSVCSearch(CS, GAMMAS, tol=1e-7, class_weight=weight, **options).fit(X, y)
    return theirs, ours


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize(
    "options",
    [
        {"cv": 5},
        {"cv": None, "class_weight": "balanced"},
        {"cv": 3, "class_weight": {0: 2.0}},
        {"cv": ShuffleSplit(2, test_size=0.2, train_size=0.5, random_state=0)},
    ],
)
def test_answers_as_grid_search_with_svc(load, options):
    X, y = data(load)
    theirs, ours = both(X, y, **options)
    for name, column in theirs.cv_results_.items():
        if name.endswith("_score") or name.startswith("param"):
            assert np.array_equal(ours.cv_results_[name], column), name
        assert name in ours.cv_results_
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert ours.n_splits_ == theirs.n_splits_
    values, wanted = ours.decision_function(X), theirs.decision_function(X)
    assert np.abs(values - wanted).max() < 5e-3
    clear = np.abs(wanted) > 5e-3 if wanted.ndim == 1 else np.ones(len(X), bool)
    assert (ours.predict(X) == theirs.predict(X))[clear].all()
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1.5 / len(X))


def test_every_fit_has_its_gap():
    X, y = data(load_wine)
    search = KernelSVCSearch(CS, GAMMAS, cv=4, tol=1e-4).fit(X, y)
    assert len(search.certificates_) == 6 * 4 * 3  # candidates, folds, pairs
    assert all(proof.converged for proof in search.certificates_)
    gaps = np.array([proof.relative_gap for proof in search.certificates_]).reshape(6, 4, 3)
    assert 0.0 <= gaps.min() <= gaps.max() <= 1e-4
    for k in range(4):
        assert np.array_equal(search.cv_results_[f"split{k}_gap"], gaps[:, k].max(axis=1))
    assert search.n_iter_ == sum(proof.n_iter for proof in search.certificates_)


def test_the_answer_is_that_of_one_worker_with_memory_for_all():
    X, y = data(load_breast_cancer)
    X, y = np.concatenate([X, X + 0.01]), np.concatenate([y, y])  # more than a block
    one = KernelSVCSearch(CS, GAMMAS, cv=3, refit=False).fit(X, y)

    def same(other):
        mean = other.cv_results_["mean_test_score"]
        assert np.array_equal(mean, one.cv_results_["mean_test_score"])
        assert other.certificates_ == one.certificates_

    again = clone(one)
    same(again.fit(X, y))
    same(again.set_params(n_jobs=2).fit(X, y))
    same(again.set_params(cache_size=0.5).fit(X, y))


def test_sparse_rows_and_zeros_and_ones():
    X = (data(load_breast_cancer)[0] > 0.0).astype(float)
    y = load_breast_cancer().target
    dense = KernelSVCSearch(CS, GAMMAS, cv=3, tol=1e-6).fit(X, y)
    thin = KernelSVCSearch(CS, GAMMAS, cv=3, tol=1e-6).fit(csr_matrix(X), y)
    assert thin.certificates_ == dense.certificates_
    assert np.array_equal(thin.predict(csr_matrix(X)), dense.predict(X))
    counted = dense.cv_results_["mean_test_score"]
    measured = KernelSVCSearch(CS, np.array(GAMMAS) / 9.0, cv=3, tol=1e-6).fit(3.0 * X, y)
    assert np.array_equal(measured.cv_results_["mean_test_score"], counted)


def test_costs_in_any_order_and_twice():
    X, y = data(load_wine)
    up = KernelSVCSearch([0.1, 1.0, 10.0], [0.01], cv=3, refit=False).fit(X, y)
    mixed = KernelSVCSearch([10.0, 1.0, 0.1, 1.0], [0.01], cv=3, refit=False).fit(X, y)
    score = up.cv_results_["mean_test_score"]
    assert np.array_equal(mixed.cv_results_["mean_test_score"], score[[2, 1, 0, 1]])
    assert mixed.cv_results_["param_C"].tolist() == [10.0, 1.0, 0.1, 1.0]


def test_groups_and_a_class_that_a_fold_lacks():
    X, y = data(load_wine)
    groups = np.arange(len(y)) % 4
    folds = KernelSVCSearch([1.0], [0.1], GroupKFold(4), refit=False).fit(X, y, groups)
    rows = np.arange(len(y))
    listed = [(rows[groups != k], rows[groups == k]) for k in range(4)]
    given = KernelSVCSearch([1.0], [0.1], listed, refit=False).fit(X, y)
    assert given.best_score_ == pytest.approx(folds.best_score_)
    lacking = PredefinedSplit(np.where(y == 2, 0, np.where(rows % 2, 1, -1)))
    theirs, ours = both(X, y, cv=lacking)
    for name in ("split0_test_score", "split1_test_score"):
        assert np.array_equal(ours.cv_results_[name], theirs.cv_results_[name])
    assert (ours.cv_results_["split0_test_score"] == 0.0).all()


def test_default_widths_stand_around_scale():
    X, y = data(load_wine)
    search = KernelSVCSearch([1.0], cv=3, refit=False).fit(X, y)
    middle = 1.0 / (X.shape[1] * X.var())
    wanted = [0.25 * middle, middle, 4.0 * middle]
    assert search.cv_results_["param_gamma"].tolist() == pytest.approx(wanted)


def test_without_refit_nothing_is_predicted():
    X, y = data(load_wine)
    search = KernelSVCSearch([1.0], [0.1], cv=3, refit=False).fit(X, y)
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(NotFittedError, match="'refit'"):
        search.predict(X)
    with pytest.raises(NotFittedError):
        KernelSVCSearch().predict(X)


def test_a_tolerance_not_met_is_told():
    X, y = data(load_breast_cancer)
    search = KernelSVCSearch([10.0], [0.1], cv=3, max_iter=2, refit=False)
    with pytest.warns(ConvergenceWarning, match=r"3 of 3 fits.*max_iter"):
        search.fit(X, y)
    assert not any(proof.converged for proof in search.certificates_)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"Cs": []}, ValueError, "'Cs'"),
        ({"Cs": [1.0, -1.0]}, ValueError, "'Cs'.*-1.0"),
        ({"Cs": 1.0}, ValueError, "'Cs'"),
        ({"Cs": ["a"]}, ValueError, "'Cs'"),
        ({"gammas": [0.0]}, ValueError, "'gammas'"),
        ({"gammas": "scale"}, ValueError, "'gammas'"),
        ({"gammas": [1e200]}, ValueError, "'gammas'"),
        ({"cv": 1}, ValueError, "'cv'"),
        ({"cv": True}, TypeError, "'cv'"),
        ({"cv": "five"}, TypeError, "'cv'"),
        ({"cv": 200}, ValueError, "'cv'"),
        ({"cv": []}, ValueError, "'cv'"),
        ({"cv": [([0, 1, 2], [999])]}, ValueError, "'cv'"),
        ({"cv": [([0, 1, 2], [3])]}, ValueError, "'cv'.*two classes"),
        ({"tol": 0.0}, ValueError, "'tol'"),
        ({"tol": 1.0}, ValueError, "'tol'"),
        ({"class_weight": {7: 1.0}}, ValueError, "'class_weight'"),
        ({"refit": "accuracy"}, ValueError, "'refit'"),
        ({"cache_size": 1e-3}, ValueError, "'cache_size'.*two rows"),
        ({"max_iter": 0}, ValueError, "'max_iter'"),
        ({"n_jobs": 0}, ValueError, "'n_jobs'"),
    ],
)
def test_refused(options, error, words):
    X, y = data(load_wine)
    search = KernelSVCSearch(**options)
    with pytest.raises(error, match=words):
        search.fit(X, y)


@parametrize_with_checks([KernelSVCSearch(cv=2)])
def test_check_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)
