"""The tree of DTSVM section 2.1: its splits, its stops, and moving up instead of growing again."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from hlsvm.regions import grow_region_tree


def entropy(y):
    share = np.bincount(y) / len(y)
    share = share[share > 0]
    return -(share * np.log2(share)).sum()


def gain(x, y, v):
    left = x < v
    if left.all() or not left.any():
        return 0.0
    parts = sum(side.mean() * entropy(y[side]) for side in (left, ~left))
    return entropy(y) - parts


def best_split(X, y):
    """All features, all mid-points, by the definition of IR."""
    best = (1e-9, -1, None)
    for f in range(X.shape[1]):
        values = np.unique(X[:, f])
        for v in (values[1:] + values[:-1]) / 2:
            result = gain(X[:, f], y, v)
            if result > best[0] + 1e-12:
                best = (result, f, v)
    return best


@pytest.fixture(scope="module")
def cloud():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(400, 4)), 1)
    y = (X[:, 0] + 0.5 * X[:, 2] > 0).astype(int) + (X[:, 1] > 1)
    y[::17] = 2
    return X, y


def same(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("feature", "threshold", "left", "right", "counts")
    )


def test_every_split_is_the_best_by_the_definition(cloud):
    X, y = cloud
    tree = grow_region_tree(X, y, 3, 60)
    for node in np.flatnonzero(tree.feature >= 0):
        rows = tree.rows_of(node)
        result, f, v = best_split(X[rows], y[rows])
        assert gain(X[rows, tree.feature[node]], y[rows], tree.threshold[node]) == pytest.approx(
            result, abs=1e-6
        )
        assert (tree.feature[node], tree.threshold[node]) == (f, pytest.approx(v))


@pytest.mark.parametrize("sigma", [2, 10, 60, 400, 401, 10_000])
def test_leaves_are_small_or_cannot_be_split(cloud, sigma):
    X, y = cloud
    tree = grow_region_tree(X, y, 3, sigma)
    for node in range(len(tree.feature)):
        rows = tree.rows_of(node)
        assert np.array_equal(np.bincount(y[rows], minlength=3), tree.counts[node])
        if tree.feature[node] >= 0:
            assert len(rows) >= sigma
        elif len(rows) >= sigma:
            assert best_split(X[rows], y[rows])[1] == -1


@pytest.mark.parametrize("factor", [1, 4, 16, 64])
def test_moving_up_equals_growing_at_the_larger_ceiling(cloud, factor):
    X, y = cloud
    fine = grow_region_tree(X, y, 3, 8)
    assert same(fine.at_ceiling(8 * factor), grow_region_tree(X, y, 3, 8 * factor))


def test_rows_reach_the_leaf_they_were_grown_into(cloud):
    X, y = cloud
    tree = grow_region_tree(X, y, 3, 30)
    place = tree.apply(X)
    for leaf in tree.leaves:
        assert set(np.flatnonzero(place == leaf)) == set(tree.rows_of(leaf))


def test_a_row_on_the_threshold_goes_right():
    tree = grow_region_tree(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, 2)
    assert tree.threshold[0] == 0.5
    assert tree.apply(np.array([[0.5], [np.nextafter(0.5, 0)]])).tolist() == [2, 1]


def test_neighbouring_floats_are_still_told_apart():
    low = 1.0
    X = np.array([[low], [np.nextafter(low, 2)]])
    tree = grow_region_tree(X, np.array([0, 1]), 2, 2)
    assert tree.apply(X).tolist() == [1, 2]


def test_as_pure_as_cart_when_grown_out(cloud):
    X, y = cloud
    tree = grow_region_tree(X, y, 3, 2)
    predicted = tree.counts[tree.apply(X)].argmax(axis=1)
    cart = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    assert (predicted == y).mean() >= cart.score(X, y) - 0.02


def checkerboard():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 10)
    return X, (X[:, 0] != X[:, 1]).astype(int)


def test_without_a_gain_a_node_stays_whole_or_is_cut_evenly():
    X, y = checkerboard()
    assert len(grow_region_tree(X, y, 2, 2).feature) == 1
    tree = grow_region_tree(X, y, 2, 2, balance=True)
    assert tree.n_train[tree.left[0]] == tree.n_train[tree.right[0]] == 20
    assert tree.is_homogeneous[tree.leaves].all()


def test_the_even_cut_is_the_evenest_of_all_features():
    # The labels are mixed alike for every value of either feature; the second cuts nearer to half.
    X = np.array([[0, 0]] * 2 + [[1, 0]] * 2 + [[1, 1]] * 4, dtype=float)
    tree = grow_region_tree(X, np.array([0, 1] * 4), 2, 8, balance=True)
    assert tree.feature[0] == 1


def test_identical_rows_of_two_labels_stay_together():
    X = np.ones((50, 3))
    for balance in (False, True):
        tree = grow_region_tree(X, np.arange(50) % 2, 2, 2, balance=balance)
        assert len(tree.feature) == 1


def test_constant_features_and_repeated_rows_do_not_matter(cloud):
    X, y = cloud
    padded = np.column_stack([np.full(len(X), 7.0), X])
    tree, other = grow_region_tree(X, y, 3, 50), grow_region_tree(padded, y, 3, 50)
    inner = tree.feature >= 0
    assert np.array_equal(tree.feature[inner] + 1, other.feature[inner])
    twice = grow_region_tree(np.repeat(X, 2, axis=0), np.repeat(y, 2), 3, 100)
    assert np.array_equal(twice.feature, tree.feature)
    assert np.array_equal(twice.threshold, tree.threshold)


def test_share_of_rows_in_leaves_of_one_label():
    X = np.arange(10.0)[:, None]
    tree = grow_region_tree(X, (X[:, 0] >= 7).astype(int), 2, 10)
    assert tree.homogeneous_share == 1.0
    assert grow_region_tree(X, (X[:, 0] >= 7).astype(int), 2, 11).homogeneous_share == 0.0


def test_a_random_cut_is_one_of_the_best_of_its_features(cloud):
    X, y = cloud
    trees = [grow_region_tree(X, y, 3, 60, random_seed=seed) for seed in range(8)]
    assert len({(tree.feature[0], tree.threshold[0]) for tree in trees}) > 1
    best_of = {
        f: max(gain(X[:, f], y, v) for v in (np.unique(X[:, f])[1:] + np.unique(X[:, f])[:-1]) / 2)
        for f in range(4)
    }
    for seed, tree in enumerate(trees):
        f = tree.feature[0]
        assert gain(X[:, f], y, tree.threshold[0]) == pytest.approx(best_of[f], abs=1e-6)
        again = grow_region_tree(X, y, 3, 120, random_seed=seed)
        assert same(tree.at_ceiling(120), again)
