"""DTSVM: its search, its leaves, its answers, and what it says about itself."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hlsvm.regions import DTSVMClassifier, RandomDecompositionSVC

SMALL = {"C": [1.0, 100.0], "gamma": [0.1, 1.0], "ceiling_size": 40}
MODELS = (DTSVMClassifier, RandomDecompositionSVC)


@parametrize_with_checks(
    [
        DTSVMClassifier(**SMALL),
        RandomDecompositionSVC(**SMALL),
        DTSVMClassifier(C=10, gamma=0.5, ceiling_size=40, climb=False, multiclass="ovr"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    return X[:700], y[:700], X[700:1000], y[700:1000]


@pytest.fixture(scope="module")
def moons():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (900, 2))
    y = np.where(np.sin(4 * X[:, 0]) > X[:, 1], "up", "down")
    flip = rng.random(900) < 0.05
    y[flip] = np.where(y[flip] == "up", "down", "up")
    return X, y


@pytest.mark.parametrize("model", MODELS)
def test_one_part_is_libsvm_with_several_classes(digits, model):
    X, y, X_new, _ = digits
    ours = model(C=5, gamma=0.3, ceiling_size=5000, climb=False, tol=1e-4).fit(X, y)
    libsvm = SVC(C=5, gamma=0.3, tol=1e-4).fit(X, y)
    assert np.mean(ours.predict(X_new) == libsvm.predict(X_new)) > 0.997
    assert len(ours.machines_) == 1
    counted = np.count_nonzero(libsvm.dual_coef_)
    assert ours.n_support_total_ == pytest.approx(counted, rel=0.01)
    assert (ours.n_support_evaluated(X_new) == ours.n_support_total_).all()


def test_one_leaf_is_libsvm_to_the_decision(moons):
    X, y = moons
    for C, gamma in ((0.1, 3.0), (10.0, 1.0), (1e4, 10.0)):
        ours = DTSVMClassifier(C=C, gamma=gamma, ceiling_size=5000, climb=False, tol=1e-6)
        ours.fit(X, y)
        libsvm = SVC(C=C, gamma=gamma, tol=1e-6).fit(X, y)
        result, wanted = ours.decision_function(X), libsvm.decision_function(X)
        assert np.abs(result - wanted).max() < 2e-3 * max(1.0, np.abs(wanted).max())


def test_one_against_others_takes_the_largest_decision(digits):
    X, y, X_new, _ = digits
    ours = DTSVMClassifier(
        C=5, gamma=0.3, ceiling_size=5000, climb=False, multiclass="ovr", tol=1e-5
    ).fit(X, y)
    wanted = np.stack(
        [SVC(C=5, gamma=0.3, tol=1e-5).fit(X, y == c).decision_function(X_new) for c in range(10)],
        axis=1,
    )
    assert np.abs(ours.decision_function(X_new) - wanted).max() < 1e-2
    assert np.mean(ours.predict(X_new) == wanted.argmax(axis=1)) > 0.997


def test_every_leaf_is_an_svm_on_the_rows_of_the_leaf(moons):
    X, y = moons
    model = DTSVMClassifier(C=10, gamma=2, ceiling_size=200, climb=False, tol=1e-5).fit(X, y)
    tree, leaf = model.tree_, model.tree_.apply(X)
    assert len(tree.leaves) > 3
    for node in tree.leaves:
        inside = leaf == node
        assert set(np.flatnonzero(inside)) == set(tree.rows_of(node))
        if len(set(y[inside])) > 1:
            libsvm = SVC(C=10, gamma=2, tol=1e-5).fit(X[inside], y[inside])
            wanted = libsvm.decision_function(X[inside])
            assert np.abs(model.decision_function(X[inside]) - wanted).max() < 5e-2
        else:
            assert (model.predict(X[inside]) == y[inside][0]).all()


def accuracies(X, y, X_val, y_val, how, ceiling, grid):
    """The section 2.2 search's v(sigma, theta), each from a classifier of its own."""
    result = {}
    for C in grid["C"]:
        for gamma in grid["gamma"]:
            one = DTSVMClassifier(C=C, gamma=gamma, ceiling_size=ceiling, climb=False, **how)
            result[C, gamma] = one.fit(X, y).score(X_val, y_val)
    return result


def by_the_book(X, y, X_val, y_val, how, sigma_0, grid, k, gain):
    """Choose sigma, C and gamma exactly as section 2.2 says."""
    known = {sigma_0: accuracies(X, y, X_val, y_val, how, sigma_0, grid)}
    ranked = sorted(known[sigma_0], key=lambda p: (-known[sigma_0][p], p))[:k]
    ends = {}
    for theta in ranked:
        sigma = sigma_0
        while sigma < len(y):
            if 4 * sigma not in known:
                known[4 * sigma] = accuracies(X, y, X_val, y_val, how, 4 * sigma, grid)
            if known[4 * sigma][theta] - known[sigma][theta] < gain - 1e-12:
                break
            sigma *= 4
        ends[theta] = (known[sigma][theta], sigma)
    best = min(ranked, key=lambda p: (-ends[p][0], p))
    return ends[best][1], best, ends[best][0]


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_search_is_that_of_section_2_2(digits, multiclass):
    X, y, X_val, y_val = digits
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.3]}
    how = {"multiclass": multiclass, "tol": 1e-5}
    model = DTSVMClassifier(**grid, ceiling_size=80, n_best=3, min_gain=0.005, **how)
    model.fit(X, y, validation=(X_val, y_val))
    sigma, (C, gamma), accuracy = by_the_book(X, y, X_val, y_val, how, 80, grid, 3, 0.005)
    assert (model.ceiling_size_, model.C_, model.gamma_) == (sigma, C, gamma)
    assert model.validation_accuracy_ == pytest.approx(accuracy)
    assert model.score(X_val, y_val) == pytest.approx(accuracy)


def test_pairs_given_up_early_are_never_better_than_said(digits):
    X, y, X_val, y_val = digits
    grid = {"C": [0.1, 10.0], "gamma": [1e-4, 0.1, 1.0, 10.0]}
    model = DTSVMClassifier(**grid, ceiling_size=120, n_best=2, climb=False)
    model.fit(X, y, validation=(X_val, y_val))
    search = model.search_
    assert not search["exact"].all()
    truth = accuracies(X, y, X_val, y_val, {}, 120, grid)
    for C, gamma, accuracy, exact in zip(
        search["C"], search["gamma"], search["accuracy"], search["exact"], strict=True
    ):
        if exact:
            assert abs(accuracy - truth[C, gamma]) < 0.006
        else:
            assert accuracy > truth[C, gamma] - 0.006
    best = search["accuracy"][search["exact"]].max()
    assert best >= max(truth.values()) - 0.006


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_same_seed_same_bits_whatever_n_jobs(digits, model, multiclass):
    X, y, X_new, _ = digits
    made = [
        model(**SMALL, multiclass=multiclass, n_jobs=n_jobs, random_state=3).fit(X[:400], y[:400])
        for n_jobs in (None, 2, 4)
    ]
    scores = [m.decision_function(X_new) for m in made]
    assert all(np.array_equal(scores[0], other) for other in scores[1:])
    assert len({(m.ceiling_size_, m.C_, m.gamma_) for m in made}) == 1


def test_alone_as_among_others(digits):
    X, y, X_new, _ = digits
    for model in (m(C=10, gamma=1, ceiling_size=200, climb=False, random_state=0) for m in MODELS):
        model.fit(X, y)
        together = model.predict(X_new[:20])
        assert [model.predict(row[None])[0] for row in X_new[:20]] == together.tolist()


def test_homogeneous_leaves_cost_no_support_vector():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (600, 3))
    y = (X[:, 1] > 0.5).astype(int)
    model = DTSVMClassifier(C=1, gamma=1, ceiling_size=50, climb=False).fit(X, y)
    assert model.homogeneous_share_ == 1.0
    assert model.n_support_total_ == 0
    assert (model.n_support_evaluated(X) == 0).all()
    assert model.score(X, y) == 1.0
    assert set(np.unique(model.decision_function(X))) == {-1.0, 1.0}


def test_a_class_of_the_validation_rows_alone_is_never_right(moons):
    X, y = moons
    strange = np.where(np.arange(100) < 50, y[:100], "elsewhere")
    model = DTSVMClassifier(**SMALL).fit(X, y, validation=(X[:100], strange))
    assert 0.3 < model.validation_accuracy_ <= 0.5
    assert set(model.predict(X)) <= {"up", "down"}


def test_a_class_with_one_row(digits):
    X, y, X_new, _ = digits
    y = y.copy()
    y[0] = 77
    model = DTSVMClassifier(**SMALL, random_state=0).fit(X, y)
    assert 77 in model.classes_
    assert model.decision_function(X_new).shape == (len(X_new), 11)


@pytest.mark.parametrize("model", MODELS)
def test_equal_rows_and_constant_features(model):
    X = np.zeros((120, 3))
    y = np.arange(120) % 2
    fitted = model(**SMALL, random_state=0).fit(X, y)
    assert set(fitted.predict(X)) <= {0, 1}
    X[:, 1] = y
    fitted = model(C=10, gamma=1, ceiling_size=40, random_state=0).fit(X, y)
    assert fitted.score(X, y) == 1.0


def test_balanced_cut_where_nothing_gains():
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 30)
    y = (X[:, 0] != X[:, 1]).astype(int)
    stop = DTSVMClassifier(C=10, gamma=1, ceiling_size=50, climb=False).fit(X, y)
    cut = clone(stop).set_params(zero_gain="balance").fit(X, y)
    assert len(stop.tree_.leaves) == 1
    assert len(cut.tree_.leaves) == 4
    assert stop.score(X, y) == cut.score(X, y) == 1.0


def test_refit_uses_every_row(moons):
    X, y = moons
    model = DTSVMClassifier(**SMALL, random_state=0).fit(X, y)
    again = clone(model).set_params(refit=True).fit(X, y)
    assert sum(len(part) for part in model.division_.parts) == 720
    assert sum(len(part) for part in again.division_.parts) == 900
    outside = clone(again).fit(X[:700], y[:700], validation=(X[700:], y[700:]))
    assert sum(len(part) for part in outside.division_.parts) == 900


def test_more_rows_than_the_cache_holds_go_to_libsvm(moons):
    X, y = moons
    options = {"C": [1.0, 10.0], "gamma": [1.0], "ceiling_size": 2000, "climb": False}
    cached = DTSVMClassifier(**options, random_state=0).fit(X, y)
    by_libsvm = DTSVMClassifier(**options, random_state=0, cache_size=1).fit(X, y)
    assert cached.C_ == by_libsvm.C_
    assert np.abs(cached.decision_function(X) - by_libsvm.decision_function(X)).max() < 2e-2


def test_terms_of_the_bound_are_those_of_the_definition(moons):
    X, y = moons
    model = DTSVMClassifier(C=10, gamma=2, ceiling_size=5000, climb=False, tol=1e-6).fit(X, y)
    machine = model.machines_[0]
    libsvm = SVC(C=10, gamma=2, tol=1e-6).fit(X, y)
    sv, beta = libsvm.support_vectors_, libsvm.dual_coef_[0]
    kernel = np.exp(-2 * ((sv[:, None] - sv[None]) ** 2).sum(axis=2))
    margin = libsvm.decision_function(X) * np.where(y == "up", 1, -1)
    slack = np.maximum(0, 1 - margin)
    assert machine.squared_norm[0] == pytest.approx(beta @ kernel @ beta, rel=1e-3)
    assert machine.squared_slack[0] == pytest.approx((slack**2).sum(), rel=1e-3)
    (proof,) = model.certificates_
    primal = 0.5 * beta @ kernel @ beta + 10 * slack.sum()
    assert proof.objective == pytest.approx(primal, rel=1e-5)
    assert proof.dual_objective <= primal * (1 + 1e-5)
    assert proof.gap <= 1e-4 * primal
    assert (proof.converged, proof.reason) == (True, "tolerance")


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_every_svm_of_a_leaf_has_its_certificate(multiclass):
    X, y = load_digits(return_X_y=True)
    options = {"ceiling_size": 200, "climb": False, "tol": 1e-5, "multiclass": multiclass}
    model = DTSVMClassifier(C=10, gamma=0.5, **options)
    model.fit(X[:400] / 16, y[:400])
    svms = [len(m.bias) for m in model.machines_ if m is not None]
    assert len(model.certificates_) == sum(svms) > 10
    assert sum(proof.n_iter for proof in model.certificates_) == model.n_iter_
    for proof in model.certificates_:
        assert 0 < proof.dual_objective <= proof.objective <= 1.01 * proof.dual_objective


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", -1.0),
        ("C", []),
        ("C", "auto"),
        ("gamma", 0.0),
        ("gamma", [1.0, np.nan]),
        ("ceiling_size", 1),
        ("ceiling_size", 10.5),
        ("n_best", 0),
        ("min_gain", -0.1),
        ("multiclass", "1a1"),
        ("validation_size", 1.0),
        ("tol", 0.0),
        ("max_iter", 0),
        ("cache_size", 0),
        ("climb", "yes"),
        ("refit", 2.5),
        ("n_jobs", 0),
        ("n_jobs", "two"),
    ],
)
@pytest.mark.parametrize("model", MODELS)
def test_bad_parameters_are_named(model, name, value, moons):
    with pytest.raises((ValueError, TypeError), match=name):
        model(**{name: value}).fit(*moons)


def test_bad_data_is_named(moons):
    X, y = moons
    model = DTSVMClassifier(**SMALL)
    with pytest.raises(ValueError, match="zero_gain"):
        DTSVMClassifier(zero_gain="no").fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="validation"):
        model.fit(X, y, validation=X)
    with pytest.raises(ValueError, match="validation"):
        model.fit(X, y, validation=(X[:, :1], y))
    with pytest.raises(ValueError, match="labels of the training rows"):
        model.fit(X, y, validation=(X, np.arange(len(X))))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 0.99, np.nan, X), y)


@pytest.mark.filterwarnings("error")
def test_a_tolerance_that_every_svm_meets_at_once_leaves_no_support_vector(moons):
    model = DTSVMClassifier(C=1, gamma=1, ceiling_size=5000, climb=False, tol=5).fit(*moons)
    assert model.n_support_total_ == 0
    assert np.isfinite(model.decision_function(moons[0])).all()


def test_stopped_early_is_said(moons):
    model = DTSVMClassifier(C=10, gamma=1, ceiling_size=5000, climb=False, max_iter=3)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model.fit(*moons)
    assert [proof.reason for proof in model.certificates_] == ["max_iter"]


def test_several_randomised_trees_vote(moons):
    """DTSVM section 1: many decompositions, the class of most votes."""
    X, y = moons
    one = DTSVMClassifier(C=10, gamma=1, ceiling_size=60, climb=False, splitter="random")
    trees = BaggingClassifier(one, n_estimators=7, bootstrap=False, random_state=0).fit(X, y)
    votes = sum(tree.predict(X) for tree in trees.estimators_)  # of the class "up", number 1
    assert len({tree.tree_.threshold[0] for tree in trees.estimators_}) > 1
    np.testing.assert_array_equal(trees.predict(X), np.where(votes > 3, "up", "down"))
    assert trees.score(X, y) > 0.9
