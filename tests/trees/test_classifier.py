"""The classifiers grown by hyperplanes: contracts, certificates, multiclass, bad input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from hlsvm import HLSVMClassifier, ObliqueForestClassifier, ObliqueTreeClassifier

from .helpers import checkerboard, ring

BAGGED = dict.fromkeys(
    [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")],
    "a tree sees four fifths of the rows, each of which counts once however much it weighs (as in "
    "scikit-learn's forests)",
)


def digits(*wanted):
    X, y = load_digits(return_X_y=True)
    chosen = np.isin(y, wanted) if wanted else slice(None)
    return np.ascontiguousarray(X[chosen] / 16, dtype=np.float32), y[chosen]


@pytest.mark.parametrize(
    "model",
    [
        HLSVMClassifier(),
        HLSVMClassifier(multiclass="ovo"),
        HLSVMClassifier(solver="pegasos", max_iter=300),
        pytest.param(ObliqueTreeClassifier(), marks=pytest.mark.thorough),
        ObliqueTreeClassifier(1e-5, refine=2),
        ObliqueTreeClassifier(1e-5, multiclass="ovo", bias="gain"),
        ObliqueForestClassifier(3, lam=1e-5),
    ],
    ids=["default", "ovo", "pegasos", "oblique", "given", "oblique ovo", "forest"],
)
def test_check_estimator(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            model,
            on_fail=None,
            on_skip=None,
            expected_failed_checks=BAGGED if isinstance(model, ObliqueForestClassifier) else {},
        )
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


def test_one_node_is_the_linear_svm():
    """The split of a one-node tree is LIBLINEAR's, weighted half and half (Thesis Eq. 5.3)."""
    X, y = digits(3, 8)
    X = X.astype(float)
    lam = 1e-3
    options = {"loss_scale": "sum", "bias": "svm", "tol": 1e-8, "max_iter": 10_000}
    model = ObliqueTreeClassifier(lam, split="svm", max_depth=1, **options).fit(X, y)
    peer = LinearSVC(loss="hinge", C=1.0, tol=1e-9, max_iter=1_000_000, random_state=0)
    nu = np.where(y == 8, 0.5 / np.sum(y == 8), 0.5 / np.sum(y == 3))
    peer.fit(X, y, sample_weight=nu / lam)
    assert_allclose(model.tree_.weights[0], peer.coef_[0], rtol=1e-3, atol=1e-4)
    assert_allclose(model.tree_.offsets[0], peer.intercept_[0], rtol=1e-3)
    assert_array_equal(model.predict(X), peer.predict(X))
    assert_array_equal(model.n_hyperplanes(X), 1)
    proof = model.certificates_[0]
    objective = lam / 2 * (peer.coef_[0] @ peer.coef_[0] + peer.intercept_[0] ** 2)
    signs = np.where(y == 8, 1, -1)
    objective += nu @ np.maximum(0, 1 - signs * peer.decision_function(X))
    assert_allclose(proof.objective, objective, rtol=1e-6)
    assert proof.dual_objective <= proof.objective


def test_a_node_of_the_sources_does_not_regularize_its_bias():
    """One node is LIBSVM's linear SVM with the weights of Eq. 5.3: Eq. 5.4 to the letter."""
    X, y = digits(3, 8)
    X = X.astype(float) + 2.0
    lam = 1e-5
    model = HLSVMClassifier(lam, max_depth=1, tol=1e-8, max_iter=100_000).fit(X, y)
    nu = np.where(y == 8, 0.5 / np.sum(y == 8), 0.5 / np.sum(y == 3))
    peer = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y, sample_weight=nu / (lam * len(y)))
    assert_allclose(model.tree_.weights[0], peer.coef_[0], rtol=1e-3, atol=1e-3)
    assert_allclose(model.tree_.offsets[0], peer.intercept_[0], rtol=1e-3)
    (proof,) = model.certificates_
    assert proof.gap == proof.objective - proof.dual_objective
    assert proof.converged
    assert proof.reason == "tolerance"


def test_the_sources_method_has_no_more_than_fifteen_parameters():
    assert len(HLSVMClassifier().get_params()) <= 15


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_function_ranks_as_predict_answers(multiclass, n_classes):
    X, y = checkerboard(300, 1, n_classes)
    model = HLSVMClassifier(1e-4, multiclass=multiclass, random_state=0).fit(X, y)
    score = model.decision_function(X)
    code = score.argmax(axis=1) if score.ndim == 2 else (score > 0).astype(int)
    assert_array_equal(model.classes_[code], model.predict(X))
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-15)


def test_no_split_is_the_majority():
    X, y = ring()
    model = HLSVMClassifier(max_depth=0).fit(X, y)
    assert_array_equal(model.predict(X), np.bincount(y).argmax())
    assert model.get_depth() == 0
    assert model.get_n_leaves() == 1
    assert model.n_hyperplanes(X).max() == 0
    assert model.predict_one(X[0]) == np.bincount(y).argmax()


@pytest.mark.parametrize(("solver", "least"), [("dual", 0.93), ("pegasos", 0.75)])
@pytest.mark.parametrize("data", [checkerboard(400), ring(400)], ids=["xor", "ring"])
def test_what_no_line_can(data, solver, least):
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = HLSVMClassifier(1e-4, solver=solver, random_state=0).fit(X, y)
    assert model.score(X, y) > least
    assert LinearSVC().fit(X, y).score(X, y) < 0.7


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_many_classes(multiclass):
    X, y = digits()
    names = np.array([f"digit {k}" for k in range(10)])[y]
    model = HLSVMClassifier(1e-3, multiclass=multiclass, random_state=0).fit(X[:1200], names[:1200])
    assert model.score(X[1200:], names[1200:]) > {"native": 0.8, "ovo": 0.88}[multiclass]
    assert len(model.trees_) == {"native": 1, "ovo": 45}[multiclass]
    assert len(model.certificates_) == sum(len(tree.weights) for tree in model.trees_)
    share = model.predict_proba(X)
    assert_allclose(share.sum(axis=1), 1)
    assert_array_equal(model.classes_[share.argmax(axis=1)], model.predict(X))
    paths = sum(t.n_planes_met[t.apply(X)].astype(int) for t in model.trees_)
    assert_array_equal(model.n_hyperplanes(X), paths)
    assert [model.predict_one(x) for x in X[:50]] == model.predict(X[:50]).tolist()


def test_native_tree_parts_classes_early():
    """Ten classes in one tree: paths far shorter than one tree a class would need."""
    X, y = digits()
    model = HLSVMClassifier(1e-3, random_state=0).fit(X, y)
    assert model.n_hyperplanes(X).mean() < 7
    assert model.score(X, y) > 0.97


@pytest.mark.parametrize("options", [{}, {"multiclass": "ovo"}, {"lam": "auto"}])
def test_n_jobs_changes_no_bit(options):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    options = {"prune_fraction": 0.2, "random_state": 3} | options
    first, *others = (HLSVMClassifier(n_jobs=n, **options).fit(X, y) for n in (1, 2, 5))
    for other in others:
        for a, b in zip(first.trees_, other.trees_, strict=True):
            for name, array in a.to_arrays().items():
                assert_array_equal(array, getattr(b, name))
        assert first.lam_ == other.lam_


@given(seed=st.integers(0, 1000), rho=st.sampled_from([0.1, 0.3]))
@settings(max_examples=10, deadline=None)
def test_pruning_shortens(seed, rho):
    X, y = checkerboard(300, seed, 3)
    flip = np.random.default_rng(seed).random(300) < 0.1
    y = np.where(flip, (y + 1) % 3, y)
    model = HLSVMClassifier(1e-4, prune_fraction=rho, random_state=seed).fit(X, y)
    path, errors = model.pruning_paths_[0]
    assert model.get_n_leaves() in path.n_leaves
    assert errors[list(path.n_leaves).index(model.get_n_leaves())] == errors.min()
    whole = path.tree
    assert (model.n_hyperplanes(X) <= whole.n_planes_met[whole.apply(X)]).all()
    assert len(model.certificates_) == len(model.tree_.weights)
    assert whole.counts[0].sum() + round_counts(y, rho) == 300


def round_counts(y, rho):
    return sum(round(rho * n) for n in np.bincount(y))


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_shrinkage_answers_with_the_neighbours(multiclass):
    X, y = checkerboard(600, 0, 3)
    flip = np.random.default_rng(0).random(600) < 0.15
    noisy = np.where(flip, (y + 1) % 3, y)
    plain, shrunk = (
        ObliqueTreeClassifier(1e-4, shrinkage=s, multiclass=multiclass, random_state=0).fit(
            X, noisy
        )
        for s in (0.0, 50.0)
    )
    assert shrunk.score(X, y) > plain.score(X, y)
    assert (shrunk.n_hyperplanes(X) <= plain.n_hyperplanes(X)).all()
    assert shrunk.n_hyperplanes(X).mean() < plain.n_hyperplanes(X).mean()
    assert not any(tree.agreeing().any() for tree in shrunk.trees_)
    share = shrunk.predict_proba(X)
    assert_array_equal(shrunk.classes_[share.argmax(axis=1)], shrunk.predict(X))
    sizes = np.concatenate([tree.counts[tree.is_inner].sum(axis=1) for tree in shrunk.trees_])
    assert_array_equal([proof.n_samples for proof in shrunk.certificates_], sizes)
    assert [shrunk.predict_one(x) for x in X[:30]] == shrunk.predict(X[:30]).tolist()


def test_lam_auto():
    X, y = ring(300)
    model = HLSVMClassifier("auto", random_state=0).fit(X, y)
    tried = model.tuning_
    assert model.lam_ in tried["lam"]
    assert tried["error"][list(tried["lam"]).index(model.lam_)] == tried["error"].min()
    assert (np.diff(tried["lam"]) > 0).all()
    again = HLSVMClassifier(model.lam_, random_state=0).fit(X, y)
    assert_array_equal(again.tree_.weights, model.tree_.weights)
    assert not hasattr(again, "tuning_")
    assert not hasattr(model.fit(X, y).set_params(lam=1e-3).fit(X, y), "tuning_")


def test_class_weight_moves_the_leaves():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), (rng.random(400) < 0.2).astype(int)
    even = [
        HLSVMClassifier(min_fraction=0.2, class_weight=w).fit(X, y).predict(X).mean()
        for w in (None, "balanced", {1: 100.0})
    ]
    assert even[0] < even[1] < even[2]


def test_light_weights_are_scaled_up():
    X, y = checkerboard(200)
    plain = HLSVMClassifier(1e-4, random_state=0).fit(X, y)
    light = HLSVMClassifier(1e-4, random_state=0).fit(X, y, sample_weight=np.full(200, 2.0**-20))
    assert_array_equal(plain.tree_.plane, light.tree_.plane)
    assert_allclose(plain.tree_.weights, light.tree_.weights)


def test_classes_without_weight_are_not_there():
    X, y = load_wine(return_X_y=True)
    model = HLSVMClassifier().fit(X / X.max(axis=0), y, sample_weight=(y != 1).astype(float))
    assert_array_equal(model.classes_, [0, 2])
    with pytest.raises(ValueError, match="one class"):
        HLSVMClassifier().fit(X, y, sample_weight=(y == 1).astype(float))


def test_float32_stays():
    X, y = digits(1, 7)
    model = HLSVMClassifier().fit(X, y)
    assert model.tree_.weights.dtype == np.float32
    assert_array_equal(model.predict(X), model.predict(X.astype(float)))
    assert HLSVMClassifier().fit(X.astype(float), y).tree_.weights.dtype == np.float64


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_predict_one_takes_any_row(multiclass):
    X, y = digits(0, 1, 2)
    model = HLSVMClassifier(multiclass=multiclass).fit(X, y)
    expected = model.predict(X[:20]).tolist()
    wide = np.zeros((20, 128), np.float32)
    wide[:, ::2] = X[:20]
    frozen = X[:20].copy()
    frozen.flags.writeable = False
    for rows in (X, X.astype(float), X.tolist(), wide[:, ::2], frozen, list(map(tuple, X))):
        assert [model.predict_one(row) for row in rows[:20]] == expected
    assert type(model.predict_one(X[0])) is type(model.predict(X[:1])[0])
    for again in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        assert [again.predict_one(row) for row in X[:20]] == expected
    other = clone(model).fit(X, 2 - y)
    assert model.fit(X, 2 - y).predict_one(X[0]) == other.predict_one(X[0]) != expected[0]


@pytest.mark.parametrize(
    ("row", "match"),
    [
        (np.zeros(3, np.float32), r"one row of 64 numbers.*shape \(3,\)"),
        (np.zeros((1, 64), np.float32), r"shape \(1, 64\)"),
        (np.zeros((8, 8), np.float32), r"shape \(8, 8\)"),
        ([0.0] * 65, r"shape \(65,\)"),
        (7.0, r"shape \(\)"),
        ("text", "Got str"),
        (["a"] * 64, "Got list"),
        ([10**400] * 64, "Got list"),
        (None, "Got NoneType|shape"),
        (np.full(64, np.nan, np.float32), "NaN"),
        ([np.inf] * 64, "infinity"),
    ],
)
def test_predict_one_refuses(row, match):
    X, y = digits(0, 1)
    model = HLSVMClassifier().fit(X, y)
    with pytest.raises(ValueError, match=match):
        model.predict_one(row)


def test_before_fit():
    model = HLSVMClassifier()
    for call in (model.predict_one, model.predict, model.n_hyperplanes):
        with pytest.raises(NotFittedError):
            call(np.zeros((1, 2)))
    with pytest.raises(NotFittedError):
        model.get_depth()
    with pytest.raises(AttributeError, match="not fitted"):
        _ = model.tree_
    X, y = load_wine(return_X_y=True)
    with pytest.raises(AttributeError, match="vote of 3 trees"):
        _ = HLSVMClassifier(multiclass="ovo").fit(X / X.max(axis=0), y).tree_


def test_pipelines_frames_and_searches():
    X, y = load_wine(return_X_y=True, as_frame=True)
    pipe = make_pipeline(StandardScaler().set_output(transform="pandas"), HLSVMClassifier())
    search = GridSearchCV(pipe, {"hlsvmclassifier__lam": [1e-4, 1e-2]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    assert list(search.best_estimator_[-1].feature_names_in_) == list(X.columns)
    with pytest.raises(ValueError, match="feature names"):
        search.predict(X[X.columns[::-1]])
    assert isinstance(X, pd.DataFrame)


def test_unmet_tolerance_is_said():
    X, y = ring()
    with pytest.warns(ConvergenceWarning, match=r"hyperplanes did not reach.*max_iter"):
        model = HLSVMClassifier(1e-6, tol=1e-12, max_iter=1, max_depth=1).fit(X, y)
    assert not all(proof.converged for proof in model.certificates_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HLSVMClassifier(1e-3).fit(X, y)


def test_verbose_shows_progress(capsys):
    X, y = load_wine(return_X_y=True)
    X = X / X.max(axis=0)
    for options in ({}, {"multiclass": "ovo"}, {"lam": "auto"}):
        ObliqueTreeClassifier(**({"lam": 1e-5} | options), verbose=True).fit(X, y)
        assert "ObliqueTreeClassifier" in capsys.readouterr().err
    ObliqueTreeClassifier(1e-5).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("lam", 0, ValueError),
        ("lam", "best", TypeError),
        ("lam", np.nan, ValueError),
        ("prune_fraction", 1.0, ValueError),
        ("prune_fraction", "half", TypeError),
        ("min_fraction", 1.5, ValueError),
        ("max_depth", -1, ValueError),
        ("max_depth", 2.5, TypeError),
        ("solver", "smo", ValueError),
        ("loss_scale", "max", ValueError),
        ("tol", -1, ValueError),
        ("max_iter", 0, ValueError),
        ("batch_size", 0, ValueError),
        ("bias_scale", -0.1, ValueError),
        ("faithful", "yes", ValueError),
        ("multiclass", "ovr", ValueError),
        ("bias", "none", ValueError),
        ("shrinkage", -1, ValueError),
        ("verbose", "loud", ValueError),
        ("split", "oblique", ValueError),
        ("n_trees", 0, ValueError),
        ("class_weight", "even", ValueError),
        ("class_weight", {9: 1.0}, ValueError),
        ("n_jobs", "all", TypeError),
    ],
)
def test_bad_parameters(name, value, error):
    X, y = checkerboard(20)
    for kind in (HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier):
        if name in kind().get_params():
            with pytest.raises(error, match=name):
                kind(**{name: value}).fit(X, y)


X2, Y2 = checkerboard(20)


@pytest.mark.parametrize(
    ("X", "y", "weight", "match"),
    [
        (np.full((20, 2), np.nan), Y2, None, "NaN"),
        (np.full((20, 2), np.inf), Y2, None, "infinity"),
        (X2 * 1e200, Y2, None, "scale the features"),
        (X2[:0], Y2[:0], None, "0 sample"),
        (X2, np.zeros(20), None, "two classes"),
        (X2, Y2[:19], None, "inconsistent numbers of samples"),
        (X2, Y2 + 0.5, None, "continuous"),
        (X2, Y2, -np.ones(20), "sample_weight"),
        (X2, Y2, np.ones(3), "sample_weight"),
        (X2, Y2, np.zeros(20), "sample_weight"),
        ([["a", "b"]] * 20, Y2, None, "could not convert"),
    ],
)
def test_bad_data(X, y, weight, match):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        with pytest.raises(ValueError, match=match):
            HLSVMClassifier().fit(X, y, sample_weight=weight)
