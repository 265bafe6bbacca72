"""SRSSVC: the method, its hierarchy, the exact answer, and what it refuses."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits, load_wine
from sklearn.mixture import GaussianMixture
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hlsvm import SRSSVC
from hlsvm.subclass import (
    DCSVC,
    Fastfood,
    Kernel,
    KernelSVC,
    explicit_feature_svc,
    mcnemar,
    set_quality,
)

from .problems import gram, libsvm, noisy_rings, objective, xor


def beyond_tolerance(estimator):
    """Weights and repeated rows agree to `tol`, and where the parts are drawn in expectation."""
    drawn = isinstance(estimator, SRSSVC) and not estimator.exact
    drawn = drawn or (isinstance(estimator, DCSVC) and estimator.early)
    if isinstance(estimator, Fastfood) or not (drawn or estimator.tol > 1e-10):
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "agrees to tol, not to 1e-7"}


@parametrize_with_checks(
    [
        SRSSVC(),
        SRSSVC(n_children=2, exact=True, tol=1e-12),
        SRSSVC(solver="libsvm"),
        KernelSVC(),
        KernelSVC(tol=1e-12),
        DCSVC(n_levels=2, tol=1e-12),
        DCSVC(n_levels=1, early=True),
        Fastfood(n_components=10),
    ],
    expected_failed_checks=beyond_tolerance,
)
def test_estimator_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n_children", [None, 3])
@pytest.mark.parametrize("solver", ["smo", "libsvm"])
def test_exact_is_the_kernel_svm_on_all_samples(solver, n_children):
    X, y = noisy_rings(600)
    model = SRSSVC(
        2,
        C=10,
        gamma=1.0,
        exact=True,
        n_children=n_children,
        solver=solver,
        tol=1e-5,
        random_state=0,
    ).fit(X, y)
    beta, bias = libsvm(X, y, np.full(600, 10.0), kernel="rbf", gamma=1.0)
    K = gram(Kernel("rbf", 1.0), X)
    assert model.certificates_[0].violation <= 1.1e-5
    best = -objective(K, beta)
    assert model.certificates_[0].dual_objective == pytest.approx(best, rel=1e-6)
    assert np.allclose(model.decision_function(X), K @ beta + bias, atol=1e-3)
    assert set_quality(model.reduced_set_, np.flatnonzero(beta)).recall == 1.0
    assert np.isin(model.candidates_, model.reduced_set_).all()


def test_without_exact_the_answer_is_the_svm_on_the_reduced_set():
    X, y = xor()
    model = SRSSVC(2, C=10, gamma=1.0, random_state=0).fit(X, y)
    reduced = model.reduced_set_
    reference = SVC(C=10, gamma=1.0, tol=1e-6).fit(X[reduced], y[reduced])
    assert len(reduced) < 0.6 * len(X)
    assert np.allclose(model.decision_function(X), reference.decision_function(X), atol=5e-3)
    assert model.certificates_[0].violation <= 1e-3


@pytest.mark.parametrize("h", [2, 4])
def test_as_many_children_as_pairs_is_srs(h):
    X, y = noisy_rings()
    srs = SRSSVC(h, C=10, gamma=1.0, random_state=3).fit(X, y)
    for mu in (h * h, h * h + 5):
        hsrs = SRSSVC(h, n_children=mu, C=10, gamma=1.0, random_state=3).fit(X, y)
        assert np.array_equal(srs.reduced_set_, hsrs.reduced_set_)
        assert np.array_equal(srs.dual_coef_, hsrs.dual_coef_)
        assert len(hsrs.levels_[0]) == 1


@pytest.mark.parametrize(("h", "mu"), [(4, 2), (4, 3), (3, 2), (5, 6)])
def test_nodes_of_the_hierarchy(h, mu):
    X, y = noisy_rings(800)
    model = SRSSVC(h, n_children=mu, C=10, gamma=1.0, random_state=0).fit(X, y)
    nodes = [level["nodes"] for level in model.levels_[0]]
    power, wanted = 1, []
    while -(-(h * h) // power) > 1:  # ceil(h^2 / mu^(l - 1)), SRS-SVM section 5.2
        wanted.append(-(-(h * h) // power))
        power *= mu
    assert nodes == wanted
    for level in model.levels_[0]:
        assert len(level["certificates"]) == level["nodes"]
        assert all(proof.dual_objective <= proof.objective for proof in level["certificates"])
    kept = [level["samples"] for level in model.levels_[0]]
    assert kept == sorted(kept, reverse=True)
    assert len(model.reduced_set_) == kept[-1]


@pytest.mark.parametrize("options", [{}, {"n_children": 3}, {"exact": True}])
def test_same_bits_whatever_n_jobs(options):
    X, y = noisy_rings(900)
    y = np.where(X[:, 0] > 1, 2.0, y)
    models = [
        SRSSVC(5, C=10, gamma=1.0, random_state=1, n_jobs=jobs, **options).fit(X, y)
        for jobs in (1, 2)
    ]
    assert np.array_equal(models[0].reduced_set_, models[1].reduced_set_)
    assert np.array_equal(models[0].dual_coef_, models[1].dual_coef_)
    assert np.array_equal(models[0].intercept_, models[1].intercept_)


def test_many_classes_vote_as_libsvm_does():
    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16.0, y[:600]
    exact = SRSSVC(3, C=10, gamma=0.05, exact=True, tol=1e-5, random_state=0).fit(X, y)
    reference = SVC(C=10, gamma=0.05, tol=1e-5).fit(X, y)
    assert np.array_equal(exact.predict(X), reference.predict(X))
    assert np.array_equal(exact.support_, np.sort(reference.support_))
    assert exact.dual_coef_.shape[0] == 45
    assert np.allclose(exact.decision_function(X), reference.decision_function(X), atol=1e-3)


def test_subclasses_may_differ_by_class():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    model = SRSSVC({0: 1, 1: 4, 2: 2}, C=10, random_state=0).fit(X, y)
    assert model.n_subclasses_.tolist() == [1, 4, 2]
    assert [level[0]["nodes"] for level in model.levels_] == [4, 2, 8]
    assert np.bincount(model.subclasses_[y == 1]).size == 4


def test_other_clusterers():
    X, y = xor()

    def halves(X, n, seed):
        return (X[:, 0] > 0).astype(int)

    for clusterer in (AgglomerativeClustering(), GaussianMixture(), halves):
        model = SRSSVC(2, C=10, gamma=1.0, clusterer=clusterer, random_state=0).fit(X, y)
        assert model.n_subclasses_.tolist() == [2, 2]
        assert model.score(X, y) > 0.98
    with pytest.raises(ValueError, match="must give one label per row"):
        SRSSVC(2, clusterer=lambda X, n, seed: [0, 1]).fit(X, y)


def test_few_distinct_points():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]], 10, axis=0)
    y = np.repeat([0, 0, 1], 10)
    model = SRSSVC(4, C=10, gamma=2.0, random_state=0).fit(X, y)
    assert model.n_subclasses_.tolist() == [2, 1]
    assert model.score(X, y) == 1.0
    alone = SRSSVC(C=10).fit([[0.0], [1.0], [1.1]], ["a", "b", "b"])
    assert alone.predict([[-1.0], [2.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_subclasses": 0}, "'n_subclasses' parameter of SRSSVC"),
        ({"n_subclasses": 300}, "at most the size of a class. Got 300 for class"),
        ({"n_subclasses": {1.0: 2}}, "must name every class"),
        ({"n_children": 1}, "'n_children' parameter of SRSSVC must be an integer in .2"),
        ({"C": 0.0}, "'C' parameter of SRSSVC"),
        ({"gamma": -1.0}, "'gamma' parameter of SRSSVC"),
        ({"cache_size": 1e-3}, "'cache_size' parameter of SRSSVC must hold two rows"),
        ({"solver": "liblinear"}, "'solver' parameter of SRSSVC must be one of"),
        ({"n_jobs": 0}, "'n_jobs' parameter of SRSSVC"),
        ({"faithful": 2}, "'faithful' parameter of SRSSVC must be one of"),
        ({"linear_tol": -1.0}, "'linear_tol' parameter of SRSSVC"),
        ({"class_weight": {1.0: -2.0}}, "'class_weight' parameter of SRSSVC"),
    ],
)
def test_refuses(options, match):
    X, y = xor(200)
    with pytest.raises(ValueError, match=match):
        SRSSVC(**options).fit(X, y)


def test_a_share_of_the_memory_too_small_for_a_part_is_not_used():
    X, y = xor(200)
    rest = {"C": 10, "gamma": 1.0, "random_state": 0}
    for small, large in (
        (SRSSVC(4, n_children=4, cache_size=2e-3, **rest), SRSSVC(4, n_children=4, **rest)),
        (DCSVC(1, branching=2, cache_size=2e-3, **rest), DCSVC(1, branching=2, **rest)),
    ):
        small, large = small.fit(X, y), large.fit(X, y)
        assert np.allclose(small.decision_function(X), large.decision_function(X), atol=0.05)
    with pytest.raises(ValueError, match=r"DCSVC must hold two rows .* Got 0.001 instead"):
        DCSVC(cache_size=1e-3).fit(X, y)


def test_refuses_the_wrong_kind_and_scale():
    X, y = xor(200)
    with pytest.raises(TypeError, match="'n_children' parameter of SRSSVC"):
        SRSSVC(n_children=2.5).fit(X, y)
    with pytest.raises(TypeError, match="'clusterer' parameter of SRSSVC"):
        SRSSVC(clusterer=3).fit(X, y)
    with pytest.raises(ValueError, match=r"must give labels\. Got NaN"):
        SRSSVC(3, clusterer=lambda X, h, seed: np.full(len(X), np.nan)).fit(X, y)
    with pytest.raises(ValueError, match="scale the features"):
        KernelSVC(gamma=1.0).fit(X * 1e12, y)
    with pytest.raises(ValueError, match="at least two classes"):
        SRSSVC().fit(X, np.ones(200))


def test_class_weight_is_a_cost_for_every_class():
    X, y = noisy_rings()
    model = KernelSVC(C=2, gamma=1.0, class_weight={1.0: 5.0}, tol=1e-5).fit(X, y)
    reference = SVC(C=2, gamma=1.0, class_weight={1.0: 5.0}, tol=1e-6).fit(X, y)
    assert np.allclose(model.decision_function(X), reference.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize(
    "model",
    [
        KernelSVC(C=2, tol=1e-7),
        SRSSVC(2, C=2, exact=True, tol=1e-7, random_state=0),
        SRSSVC(2, C=2, exact=True, solver="libsvm", tol=1e-5, random_state=0),
        DCSVC(1, C=2, n_sample=100, tol=1e-7, random_state=0),
    ],
)
def test_a_weight_is_a_number_of_rows(model, class_weight):
    X, y = noisy_rings()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    model = clone(model).set_params(class_weight=class_weight)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.gamma_ == pytest.approx(repeated.gamma_, rel=1e-12)
    ours, theirs = weighted.decision_function(X), repeated.decision_function(X)
    assert np.allclose(ours, theirs, atol=1e-4)
    (proof,), (other,) = weighted.certificates_, repeated.certificates_
    assert proof.dual_objective == pytest.approx(other.dual_objective, rel=1e-6)
    assert (weight[weighted.support_] > 0).all()
    assert np.array_equal(X[weighted.support_], weighted.support_vectors_)


def test_the_certificate_covers_the_weights():
    X, y = noisy_rings()
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y))
    model = KernelSVC(C=2, gamma=1.0, tol=1e-6).fit(X, y, weight)
    slack = np.maximum(0, 1 - y * model.decision_function(X))
    beta = model.dual_coef_[0]
    square = beta @ gram(Kernel("rbf", 1.0), model.support_vectors_) @ beta
    (proof,) = model.certificates_
    primal = 0.5 * square + (2 * weight * slack).sum()
    assert proof.objective == pytest.approx(primal, rel=1e-6)
    assert proof.dual_objective == pytest.approx(np.abs(beta).sum() - 0.5 * square, rel=1e-6)
    assert proof.gap < 1e-4 * primal
    reference = SVC(C=2, gamma=1.0, tol=1e-7).fit(X, y, weight)
    assert np.allclose(model.decision_function(X), reference.decision_function(X), atol=1e-4)
    assert (np.abs(beta) <= 2 * weight[model.support_]).all()


@pytest.mark.parametrize("model", [SRSSVC(2, random_state=0), DCSVC(1, early=True, n_sample=50)])
def test_rows_of_no_weight_are_not_there(model):
    X, y = noisy_rings()
    weight = np.where(np.arange(400) % 3 == 0, 0.0, 1.0)
    left_out = clone(model).set_params(random_state=0).fit(X, y, weight)
    without = clone(model).set_params(random_state=0).fit(X[weight > 0], y[weight > 0])
    assert np.array_equal(left_out.decision_function(X), without.decision_function(X))
    rows = np.flatnonzero(weight)
    for name in left_out._row_names:
        assert np.array_equal(getattr(left_out, name), rows[getattr(without, name)])


def test_refuses_weights():
    X, y = noisy_rings()
    with pytest.raises(ValueError, match="sample_weight of KernelSVC must have shape"):
        KernelSVC().fit(X, y, np.ones(5))
    with pytest.raises(ValueError, match="sample_weight of KernelSVC must be >= 0"):
        KernelSVC().fit(X, y, -np.ones(400))
    with pytest.raises(ValueError, match="times the weight of a row"):
        KernelSVC(C=1e200).fit(X, y, np.full(400, 1e200))


def test_probabilities_by_calibration():
    X, y = noisy_rings()
    model = CalibratedClassifierCV(KernelSVC(C=2, gamma=1.0), ensemble=False)
    probability = model.fit(X, y, sample_weight=np.linspace(0.5, 2, 400)).predict_proba(X)
    assert np.allclose(probability.sum(axis=1), 1)
    assert np.mean((probability[:, 1] > 0.5) == (y > 0)) > 0.85


@pytest.mark.parametrize("levels", [1, 2])
def test_divide_and_conquer_ends_exact(levels):
    X, y = noisy_rings(600)
    model = DCSVC(levels, C=10, gamma=1.0, n_sample=100, tol=1e-5, random_state=0).fit(X, y)
    beta, bias = libsvm(X, y, np.full(600, 10.0), kernel="rbf", gamma=1.0)
    f = gram(Kernel("rbf", 1.0), X) @ beta + bias
    assert np.allclose(model.decision_function(X), f, atol=1e-3)
    assert model.n_warm_support_[0] > 0
    early = DCSVC(levels, C=10, gamma=1.0, n_sample=100, early=True, random_state=0).fit(X, y)
    assert abs(early.score(X, y) - np.mean(np.sign(f) == y)) < 0.05


@pytest.mark.parametrize("method", ["nystroem", "random", "fastfood"])
def test_explicit_features_come_near_the_kernel_svm(method):
    X, y = noisy_rings(600)
    exact = KernelSVC(C=1, gamma=1.0).fit(X, y).score(X, y)
    model = explicit_feature_svc(method, 256, C=1, gamma=1.0, random_state=0).fit(X, y)
    assert abs(model.score(X, y) - exact) < 0.04


def test_fastfood_is_unbiased_for_the_kernel():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 5)) / 2
    z = Fastfood(1 << 15, gamma=0.7, random_state=0).fit_transform(X)
    assert np.allclose(z @ z.T, gram(Kernel("rbf", 0.7), X), atol=0.03)


def test_mcnemar_forms():
    y = np.zeros(100)
    first, second = np.zeros(100), np.zeros(100)
    second[:10], first[10:12] = 1, 1
    test = mcnemar(y, first, second)
    assert (test.only_first, test.only_second) == (10, 2)
    assert test.p_exact == pytest.approx(2 * sum([1, 12, 66]) / 2**12)
    assert test.p_chi2 == pytest.approx(0.0209, abs=1e-4)
    assert test.p_corrected == pytest.approx(0.0433, abs=1e-4)
    assert mcnemar(y, first, first).p_exact == 1.0
    with pytest.raises(ValueError, match="one label per row"):
        mcnemar(y, first, second[:5])
