"""Tree alternating optimization: never a higher training loss, idle nodes gone, same bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hlsvm import ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees._certificates import CERTIFICATE
from hlsvm.trees._node_refit import NodeSplit, best_cuts, decide
from hlsvm.trees._refine import path_of_lam, refine
from hlsvm.trees._samples import SplitOptions

from .helpers import checkerboard, grown, random_tree, ring, samples_of, walk


def wrong(tree, X, y, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    return weight[tree.winner[tree.apply(X)] != y].sum()


@given(
    seed=st.integers(0, 10_000),
    n_classes=st.sampled_from([2, 3]),
    split=st.sampled_from(["svm", "axis", "best"]),
    solver=st.sampled_from(["dual", "pegasos"]),
)
@settings(max_examples=30, deadline=None)
def test_training_loss_never_rises(seed, n_classes, split, solver):
    """Neither from the majorities' loss nor from one pass to the next; counts are those reached."""
    rng = np.random.default_rng(seed)
    X, y = checkerboard(250, seed, n_classes)
    weight = rng.integers(1, 4, len(X)).astype(float)
    samples = samples_of(X, y, weight)
    tree = grown(X, y, weight=weight, min_fraction=0.1, options=SplitOptions(1e-4, split=split))
    options = SplitOptions(1e-3, split=split, solver=solver)
    better, certificates, history = refine(
        samples, options, np.arange(len(X)), tree, no_proofs(tree), 4, seed
    )
    assert_allclose(history["loss"][0], wrong(tree, X, y, weight))
    assert (np.diff(history["loss"]) <= 0).all()
    assert_allclose(history["loss"][-1], wrong(better, X, y, weight))
    assert better.n_leaves <= tree.n_leaves
    assert len(certificates) == len(better.weights)
    reached = np.zeros_like(better.counts)
    np.add.at(reached, (better.apply(X), y), weight)
    outer = ~better.is_inner
    assert_allclose(reached[outer], better.counts[outer])
    assert_allclose(history["n_operations"][-1], mean_operations(better, X, weight))


def mean_operations(tree, X, weight):
    return np.average(tree.n_operations_met[tree.apply(X)], weights=weight)


def no_proofs(tree):
    return np.zeros(len(tree.weights), CERTIFICATE)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_random_tree_is_repaired(share):
    """Nodes that know nothing find their place; those without samples or use go."""
    X, y = ring(500)
    tree = random_tree(np.random.default_rng(3), 2, 4, axis_share=share)
    options = SplitOptions(1e-3, split="axis" if share else "best")
    better, _, history = refine(
        samples_of(X, y), options, np.arange(500), tree, no_proofs(tree), 6, 0
    )
    assert history["loss"][-1] < 0.7 * history["loss"][0]
    assert better.n_leaves < tree.n_leaves
    assert (better.counts.sum(axis=1) > 0).all()
    assert not better.agreeing().any()
    assert_array_equal([walk(better, x) for x in X[:50]], better.apply(X[:50]))


def test_cuts_err_least():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 9, (3, 40)).astype(float)
    signed_weight = rng.normal(size=40)
    column, loss, low, high = best_cuts(values, values.argsort(axis=1), signed_weight)
    losses = {
        (j, t): np.abs(signed_weight[(values[j] > t) != (signed_weight > 0)]).sum()
        for j in range(3)
        for t in np.unique(values[j])[:-1]
    }
    assert_allclose(loss, min(losses.values()))
    assert_allclose(losses[column, low], loss)
    assert np.any(values[column] == high)


def test_idle_node_sends_all_one_way():
    X, y = ring(20)
    samples = samples_of(X, y)
    rows = np.arange(20)
    choice = decide(samples, SplitOptions(1.0), 1.0, rows, np.ones(20), NodeSplit(3.0, 2), False, 0)
    assert choice.goes_right is True
    assert choice.loss == 0
    # Nobody's fate is decided: the heavier side stays.
    nobody = rows[:0], np.empty(0)
    for heavier in (True, False):
        choice = decide(samples, SplitOptions(1.0), 1.0, *nobody, NodeSplit(0.0, 2), heavier, 0)
        assert choice.goes_right is heavier


def test_nothing_better_is_found_for_a_perfect_node():
    X = np.linspace(-1, 1, 20)[:, None]
    signed_weight = np.where(X[:, 0] > 0.1, 1.0, -1.0)
    args = (
        samples_of(X, (signed_weight > 0).astype(int)),
        SplitOptions(1e-3, split="best"),
        1e-3,
        np.arange(20),
    )
    assert decide(*args, signed_weight, NodeSplit(0.0, 1), True, 0) is None
    cheaper = decide(*args, signed_weight, NodeSplit(0.0, 2), True, 0)
    assert cheaper.cost == 1


def test_lam_falls():
    assert_allclose(path_of_lam(1e-4, 1), [1e-4])
    path = path_of_lam(1e-4, 5)
    assert (np.diff(path) < 0).all()
    assert_allclose(path[[0, -1]], [1e-4, 5e-6])


@pytest.mark.parametrize("options", [{}, {"multiclass": "ovo"}, {"prune_fraction": 0.2}])
def test_estimator(options):
    X, y = checkerboard(700, 2, 3)
    plain = ObliqueTreeClassifier(1e-4, min_fraction=0.03, random_state=0, **options).fit(X, y)
    model = ObliqueTreeClassifier(1e-4, min_fraction=0.03, refine=4, random_state=0, **options)
    model.fit(X, y)
    again = ObliqueTreeClassifier(**model.get_params()).set_params(n_jobs=2).fit(X, y)
    assert model.score(X, y) >= plain.score(X, y) - (0.03 if options else 0)
    for one, other in zip(model.trees_, again.trees_, strict=True):
        assert_array_equal(one.weights, other.weights)
        assert_array_equal(one.offsets, other.offsets)
    assert len(model.certificates_) == sum(len(tree.weights) for tree in model.trees_)
    assert len(model.refinements_) == len(model.trees_)
    assert_array_equal([model.predict_one(x) for x in X[:40]], model.predict(X[:40]))


def test_sample_weights_and_zero_weights():
    X, y = ring(400)
    times = np.random.default_rng(1).integers(0, 3, len(X))
    model = ObliqueTreeClassifier(1e-3, split="axis", min_fraction=0.05, refine=3)
    weighted = model.fit(X, y, sample_weight=times).tree_
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_
    assert_allclose(weighted.counts, repeated.counts)


@pytest.mark.parametrize("value", [-1, 1.5, "yes"])
def test_refine_is_checked(value):
    with pytest.raises((ValueError, TypeError), match="refine"):
        ObliqueTreeClassifier(1e-5, refine=value).fit([[0.0], [1.0]], [0, 1])


def test_several_trees_are_averaged():
    X, y = checkerboard(500, 5, 3)
    model = ObliqueForestClassifier(3, lam=1e-4, min_fraction=0.05, refine=2, random_state=0)
    model.fit(X, y)
    again = ObliqueForestClassifier(**model.get_params()).set_params(n_jobs=2).fit(X, y)
    shares = np.mean([tree.shares[tree.apply(X)] for tree in model.trees_], axis=0)
    assert_allclose(model.predict_proba(X), shares)
    assert_array_equal(model.predict(X), shares.argmax(axis=1))
    assert_array_equal([model.predict_one(x) for x in X[:60]], model.predict(X[:60]))
    assert_array_equal(model.predict(X), again.predict(X))
    met = [tree.n_operations_met[tree.apply(X)] for tree in model.trees_]
    assert_array_equal(model.n_operations(X), sum(met))
    assert len({len(tree.offsets) for tree in model.trees_}) > 1
    assert_array_equal(model.decision_function(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="n_trees"):
        model.set_params(n_trees=0).fit(X, y)
