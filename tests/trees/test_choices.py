"""Settings chosen on held-out rows: by construction no worse than majority and hyperplane."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC, LinearSVC

from hlsvm import ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.linear.kernels import read_only
from hlsvm.trees import export_c, load_arrays, save_arrays
from hlsvm.trees._calibrate import best_power, sharpened
from hlsvm.trees._drawn_features import split_on_drawn
from hlsvm.trees._folds import deal, keys_of
from hlsvm.trees._forms import Form, finish, fit_form
from hlsvm.trees._grow_on import grow_on
from hlsvm.trees._samples import SplitOptions
from hlsvm.trees._standardize import folded, standardized
from hlsvm.trees.tree import HyperplaneTree

from .helpers import checkerboard, grown, ring, samples_of


def test_noise_is_answered_with_the_majority():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(1200, 5)), (random.random(1200) < 0.3).astype(int)
    model = ObliqueTreeClassifier(random_state=0).fit(X[:800], y[:800])
    assert model.score(X[800:], y[800:]) >= np.mean(y[800:] == 0) - 0.02


def test_a_linear_problem_is_solved_as_by_a_hyperplane():
    random = np.random.default_rng(1)
    X = random.normal(size=(1500, 20))
    y = (X @ random.normal(size=20) + random.normal(size=1500) > 0).astype(int)
    model = ObliqueTreeClassifier(random_state=0).fit(X[:1000], y[:1000])
    line = LinearSVC().fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) >= line.score(X[1000:], y[1000:]) - 0.03


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_as_they_are_go_every_way_out(kind, dtype, tmp_path):
    """Scaling stands in the hyperplanes: predictions, one decision and files need none of it."""
    X, y = ring(500)
    X = (X * [1e-3, 1e4] + [5.0, -2e4]).astype(dtype)
    model = kind(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.93
    assert_array_equal([model.predict_one(x) for x in X[:80]], model.predict(X[:80]))
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert_array_equal(saved.predict_proba(X), model.predict_proba(X))
    assert "_predict(const" in export_c(model)


def test_folding_changes_no_decision():
    X, y = checkerboard(400, 3)
    X = X * [3.0, 0.01] + [7.0, 1.0]
    samples = samples_of(X, y)
    scaled, mean, scale = standardized(samples, np.arange(400))
    assert_allclose(scaled.X.mean(axis=0), 0, atol=1e-12)
    assert_allclose(scaled.X.std(axis=0), 1)
    tree = grown(scaled.X, y, options=SplitOptions(1e-4, split="best"))
    assert_array_equal(folded(tree, mean, scale).apply(X), tree.apply(scaled.X))


def test_growing_on_keeps_the_top_and_counts_all_rows():
    X, y = checkerboard(600, 5, 3)
    samples, rows = samples_of(X, y), np.arange(600)
    top = fit_form(samples, rows, SplitOptions(1.0), Form("best"), 0, max_depth=2)
    options = SplitOptions(1e-3, split="axis")
    tree, proven, _ = grow_on(samples, options, rows, top.tree, top.certificates, 0.01, 0)
    assert tree.n_leaves > top.tree.n_leaves
    assert len(proven) == len(tree.weights)
    assert tree.offsets[0] == top.tree.offsets[0]
    assert_array_equal(tree.counts[0], np.bincount(y))
    assert_array_equal(np.bincount(tree.apply(X), minlength=tree.n_nodes)[~tree.is_inner],
                       tree.counts[~tree.is_inner].sum(axis=1))  # fmt: skip


def test_equal_rows_are_held_out_together_in_any_order():
    X, y = checkerboard(200, 1)
    twice = np.repeat(np.arange(200), 2)
    order = np.random.default_rng(0).permutation(400)
    samples = samples_of(X[twice], y[twice])
    fold = deal(samples, np.arange(400), 5, keys_of(samples, 3))
    assert_array_equal(fold[::2], fold[1::2])
    samples = samples_of(X[twice][order], y[twice][order])
    again = deal(samples, np.arange(400), 5, keys_of(samples, 3))
    assert_array_equal(again, fold[order])
    assert np.bincount(fold).max() <= 90


def test_what_is_given_is_not_chosen():
    X, y = checkerboard(300, 2)
    model = ObliqueTreeClassifier(split="axis", shrinkage=3.0, prune_fraction=0.0, random_state=0)
    (choice,) = model.fit(X, y).choices_
    assert choice.form.split == "axis"
    assert choice.shrinkage == model.tree_.shrinkage == 3.0
    assert choice.saving is None
    assert (model.tree_.plane < 0).all()
    alone = ObliqueTreeClassifier(1e-3, random_state=0).fit(X, y)
    assert not hasattr(alone, "choices_")


@pytest.mark.parametrize("multiclass", ["native", pytest.param("ovo", marks=pytest.mark.thorough)])
def test_threads_and_repetition_change_no_bit(multiclass):
    X, y = checkerboard(300, 4, 3)
    model = ObliqueTreeClassifier(multiclass=multiclass, random_state=0).fit(X, y)
    other = ObliqueTreeClassifier(multiclass=multiclass, random_state=0, n_jobs=2).fit(X, y)
    assert model.choices_ == other.choices_
    assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    assert model.score(X, y) > 0.8


def test_probabilities_are_as_sharp_as_held_out_rows_say():
    random = np.random.default_rng(0)
    true = random.uniform(0.05, 0.95, 20_000)
    codes = (random.random(20_000) < true).astype(int)
    p = np.column_stack([1 - true, true])
    weight = np.full(20_000, 1 / 20_000)
    for power in (0.5, 2.0):
        dull = sharpened(p, power)
        assert_array_equal(dull.argmax(axis=1), p.argmax(axis=1))
        estimate = best_power(lambda q, dull=dull: sharpened(dull, q), codes, weight)
        assert_allclose(estimate, 1 / power, rtol=0.05)


def test_a_power_changes_no_answer_and_goes_with_the_tree():
    X, y = checkerboard(300, 2, 3)
    tree = grown(X, y, min_fraction=0.1)
    sharp = tree.shrink(5.0, 2.0)
    assert_allclose(sharp.shares, sharpened(tree.shrink(5.0).shares, 2.0))
    assert_array_equal(sharp.winner, tree.shrink(5.0).winner)
    cut = np.arange(tree.n_nodes) == 1
    assert sharp.collapse(cut & tree.is_inner).power == 2.0
    assert HyperplaneTree.from_arrays(**sharp.to_arrays()).power == 2.0
    for power in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="power"):
            HyperplaneTree.from_arrays(**(sharp.to_arrays() | {"power": power}))


def test_a_line_is_a_linear_svm_of_the_weights_as_they_are():
    X, y = ring(400)
    samples = samples_of(X, (y > 0) & (X[:, 0] > 0))
    form = Form("svm", 1e-2, line=True, max_depth=1)
    fitted = fit_form(samples, np.arange(400), SplitOptions(1.0, tol=1e-6), form, 0)
    lam = 1e-2 * np.mean(samples.norms)
    line = SVC(kernel="linear", C=1 / (400 * lam), tol=1e-6).fit(X, samples.codes)
    assert_allclose(fitted.tree.weights[0], line.coef_[0], atol=2e-3)
    one = Form("svm", 1e-2, line=True)
    assert fit_form(samples, np.arange(400), SplitOptions(1.0), one, 0).tree.n_leaves > 2


def test_some_features_only():
    X = np.random.default_rng(0).normal(size=(200, 10))
    samples = samples_of(X, (X.sum(axis=1) > 0).astype(int))
    options = SplitOptions(1e-3, split="svm")
    counts = samples.count(np.arange(200))
    split, _ = split_on_drawn(0.3, samples, options, np.arange(200), counts, 200.0, 0.0, 5)
    assert np.count_nonzero(split.w) == 3
    assert_array_equal(split.values, samples.project(np.arange(200), split.w))


def test_all_for_the_majority():
    X, y = ring(200)
    samples = samples_of(X, y)
    fitted = fit_form(samples, np.arange(200), SplitOptions(1.0), Form("axis"), 0)
    assert finish(fitted, np.inf, 1.0).tree.n_nodes == 1
    assert read_only(X).flags.writeable is False
