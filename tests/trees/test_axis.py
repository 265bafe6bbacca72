"""Comparisons of one feature: the best threshold, trees of them, mixed trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from hlsvm import ObliqueTreeClassifier
from hlsvm.linear._base import read_only
from hlsvm.trees._axis import best_axis, by_sorting
from hlsvm.trees._impurity import entropy_mass

from .helpers import ring, walk

SEEDS = st.integers(0, 10_000)


def messy(seed, n=900, n_classes=2):
    """Columns of every kind: smooth, few values, one value, heavy tails, a far outlier."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)).astype(np.float32)
    X[:, 1] = rng.integers(0, 4, n)
    X[:, 2] = 1.5
    X[:, 3] = rng.standard_cauchy(n)
    X[0, 4] = 1e6
    signal = X[:, rng.integers(0, 6)] + 0.5 * X[:, 0] + rng.normal(size=n)
    codes = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    weight = rng.integers(1, 4, n).astype(float)
    counts = np.bincount(codes, weights=weight, minlength=n_classes)
    return read_only(X), np.arange(n), codes.astype(np.int32), weight, counts


@given(seed=SEEDS, n_classes=st.sampled_from([2, 3, 9]))
@settings(max_examples=40, deadline=None)
def test_bins_find_what_sorting_finds(seed, n_classes):
    case = messy(seed, n_classes=n_classes)
    feature, low, high, mass = best_axis(*case)
    expected = by_sorting(*case)
    assert_allclose(mass, expected[3], rtol=1e-12)
    X, _, codes, weight, counts = case
    assert low < high
    left = np.bincount(codes[X[:, feature] <= low], weights=weight[X[:, feature] <= low])
    left = np.pad(left, (0, len(counts) - len(left)))
    assert_allclose(entropy_mass(left) + entropy_mass(counts - left), mass, rtol=1e-12)
    assert not np.any((X[:, feature] > low) & (X[:, feature] < high))


def test_constant_features_have_no_threshold():
    X = np.ones((700, 3))
    rows, codes = np.arange(700), (np.arange(700) % 2).astype(np.int32)
    for n in (700, 20):
        feature, _, _, mass = best_axis(X, rows[:n], codes, np.ones(700), np.array([n / 2, n / 2]))
        assert feature == -1
        assert mass == np.inf


def entropy_below(tree, node):
    """Entropy of the children of a node of scikit-learn's tree, times their weights."""
    children = tree.children_left[node], tree.children_right[node]
    return sum(tree.weighted_n_node_samples[c] * tree.impurity[c] for c in children)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("depth", [1, 3, None])
def test_equals_cart_of_scikit_learn(load, depth):
    """Node by node: same feature, same threshold; or another that gains exactly as much."""
    X, y = load(return_X_y=True)
    X = X.astype(np.float32)
    ours = (
        ObliqueTreeClassifier(1e-5, split="axis", min_fraction=0, max_depth=depth).fit(X, y).tree_
    )
    theirs = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0)
    theirs = theirs.fit(X, y).tree_
    assert len(ours.weights) == 0
    todo, same, ties = [(0, 0)], 0, 0
    while todo:
        a, b = todo.pop()
        assert_allclose(ours.counts[a].sum(), theirs.weighted_n_node_samples[b])
        assert ours.is_inner[a] == (theirs.children_left[b] >= 0)
        if not ours.is_inner[a]:
            continue
        if ours.feature[a] == theirs.feature[b]:
            assert_allclose(-ours.offsets[a], theirs.threshold[b], rtol=1e-6)
            same += 1
            todo.append((ours.left[a], theirs.children_left[b]))
            todo.append((ours.right[a], theirs.children_right[b]))
        else:
            children = ours.counts[[ours.left[a], ours.right[a]]]
            mass = sum(entropy_mass(child) for child in children)
            assert_allclose(mass, entropy_below(theirs, b), atol=1e-6)
            ties += 1
    assert same >= (0 if load is load_iris else 1)
    assert same + ties >= 1


def test_weights_are_repeated_rows():
    X, y = ring(300)
    times = np.random.default_rng(1).integers(0, 4, len(X))
    model = ObliqueTreeClassifier(1e-5, split="axis", min_fraction=0.02)
    weighted = model.fit(X, y, sample_weight=times).tree_
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_
    for name, array in weighted.to_arrays().items():
        assert_array_equal(array, getattr(repeated, name))


def test_best_takes_the_cheaper_of_equals():
    """Where one feature parts the classes, no hyperplane does better: it is never paid for."""
    X = np.random.default_rng(0).normal(size=(200, 5))
    model = ObliqueTreeClassifier(1e-5, split="best").fit(X, X[:, 3] > 0.2)
    assert model.tree_.feature[0] == 3
    assert model.n_hyperplanes(X).max() == 0
    assert_array_equal(model.n_operations(X), 1)


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_mixed_trees(multiclass):
    X = np.random.default_rng(0).uniform(-1, 1, (900, 3))
    y = np.where(X[:, 0] > 0.4, 2, (X.sum(axis=1) > 0) ^ (X[:, 2] > 0.6))
    model = ObliqueTreeClassifier(1e-4, split="best", multiclass=multiclass, prune_fraction=0.2)
    model.set_params(random_state=0).fit(X, y)
    kinds = [(tree.plane >= 0).sum() for tree in model.trees_]
    axes = [(tree.feature >= 0).sum() for tree in model.trees_]
    assert sum(kinds) > 0
    assert sum(axes) > 0
    operations = np.zeros(len(X), int)
    for tree in model.trees_:
        leaves = np.array([walk(tree, x) for x in X])
        assert_array_equal(leaves, tree.apply(X))
        met = tree.n_planes_met[leaves]
        operations += 3 * met + tree.depth[leaves] - met
    assert_array_equal(model.n_operations(X), operations)
    assert_array_equal([model.predict_one(x) for x in X], model.predict(X))
    assert len(model.certificates_) == sum(kinds)


def test_option_is_checked():
    with pytest.raises(ValueError, match=r"split.*axis.*'oblique'"):
        ObliqueTreeClassifier(1e-5, split="oblique").fit([[0.0], [1.0]], [0, 1])
