"""Flat arrays and routing: every kernel against a plain walk, and what `from_arrays` refuses."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hlsvm import ObliqueTreeClassifier
from hlsvm.trees._forest import Forest
from hlsvm.trees.tree import HyperplaneTree

from .helpers import random_tree, walk


@given(
    seed=st.integers(0, 10_000),
    d=st.sampled_from([1, 2, 7, 8, 22, 33]),
    depth=st.integers(0, 6),
    single=st.booleans(),
    axis_share=st.sampled_from([0.0, 0.5, 1.0]),
)
@settings(max_examples=60, deadline=None)
def test_kernels_follow_the_walk(seed, d, depth, single, axis_share):
    rng = np.random.default_rng(seed)
    dtype = np.float32 if single else np.float64
    tree = random_tree(rng, d, depth, dtype, axis_share)
    X = rng.normal(size=(40, d)).astype(dtype)
    leaves = tree.apply(X)
    assert_array_equal(leaves, [walk(tree, x) for x in X])
    one = Forest("one", np.arange(2), [tree]).bind()
    assert [one(x) for x in X] == tree.winner[leaves].tolist()
    assert not tree.is_inner[leaves].any()
    assert_array_equal(
        Forest("one", np.arange(2), [tree]).n_hyperplanes(X), tree.n_planes_met[leaves]
    )


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(3)
    tree = random_tree(rng, 5, 5)
    X = rng.normal(size=(5000, 5))
    whole = tree.apply(X)
    assert_array_equal(whole, np.concatenate([tree.apply(X[i : i + 7]) for i in range(0, 5000, 7)]))
    assert_array_equal(whole, [walk(tree, x) for x in X])


@pytest.mark.parametrize("change", [np.asfortranarray, lambda X: X[:, ::-1][:, ::-1]])
def test_any_layout_and_precision(change):
    rng = np.random.default_rng(0)
    tree = random_tree(rng, 6, 4, np.float32)
    X = rng.normal(size=(70_000, 6)).astype(np.float32)
    expected = tree.apply(X)
    assert_array_equal(tree.apply(change(X)), expected)
    assert_array_equal(tree.apply(X.astype(np.float64)), expected)
    assert tree.apply(X[:0]).shape == (0,)


def test_zero_goes_left_in_every_kernel():
    tree = HyperplaneTree.from_arrays(
        [[1.0, -1.0]], [0, 0, 0], [0, -1, -1], [1, -1, -1], [2, -1, -1], [[1, 1], [1, 0], [0, 1]]
    )
    x = np.array([3.0, 3.0])
    assert tree.apply(x[None])[0] == 1
    assert Forest("one", np.arange(2), [tree]).bind()(x) == 0


def test_vote_of_one_row_is_that_of_many():
    rng = np.random.default_rng(5)
    trees = [random_tree(rng, 4, 4, axis_share=0.3) for _ in range(6)]
    model = Forest("pairs", np.array(list("abcd")), trees)
    X = rng.normal(size=(300, 4))
    one = model.bind()
    assert [one(x) for x in X] == [list("abcd")[k] for k in model.predict(X)]
    assert_array_equal(model.n_hyperplanes(X), sum(t.n_planes_met[t.apply(X)] for t in trees))
    assert_array_equal(model.shares(X).argmax(axis=1), model.predict(X))


def test_shrunk_shares_by_hand():
    counts = [[60, 40], [58, 2], [2, 38], [2, 6], [0, 32]]
    tree = HyperplaneTree.from_arrays(
        np.eye(2), [0] * 5, [0, -1, 1, -1, -1], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], counts
    )
    assert_array_equal(tree.shares[:, 0], [0.6, 58 / 60, 0.05, 0.25, 0])
    shrunk = tree.shrink(100.0)
    right = 0.6 + (0.05 - 0.6) / (1 + 100 / 100)
    expected = [0.6, 0.6 + (58 / 60 - 0.6) / 2, right, right + 0.2 / (1 + 100 / 40), 0]
    expected[4] = right - 0.05 / (1 + 100 / 40)
    assert_allclose(shrunk.shares[:, 0], expected)
    assert_allclose(shrunk.shares.sum(axis=1), 1)
    assert_array_equal(shrunk.agreeing(), [False, False, True, False, False])
    assert_array_equal(tree.agreeing(), shrunk.agreeing())
    small = shrunk.collapse(shrunk.agreeing())
    assert small.n_nodes == 3
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert_array_equal(small.winner[small.apply(X)], shrunk.winner[shrunk.apply(X)])


def test_overflowing_rows_go_where_predict_sends_them():
    tree = random_tree(np.random.default_rng(1), 3, 4, np.float32)
    x = np.array([3e38, -3e38, 3e38], np.float32)
    tree.weights *= 10
    one = Forest("one", np.arange(2), [tree]).bind()
    assert one(x) == tree.winner[tree.apply(x[None])[0]]


def test_arrays_come_back():
    tree = random_tree(np.random.default_rng(2), 4, 5, np.float32, axis_share=0.3)
    arrays = tree.to_arrays()
    again = HyperplaneTree.from_arrays(**arrays)
    other = pickle.loads(pickle.dumps(tree))
    for name, array in arrays.items():
        for copy in (again, other):
            assert_array_equal(getattr(copy, name), array)
            assert np.asarray(getattr(copy, name)).dtype == array.dtype
    assert tree.nbytes == sum(arrays[name].nbytes for name in tree.ARRAYS)


def test_depth_parent_and_cost():
    tree = random_tree(np.random.default_rng(4), 3, 6, axis_share=0.5)
    for node in range(1, tree.n_nodes):
        above = tree.parent[node]
        assert node in (tree.left[above], tree.right[above])
        assert tree.depth[node] == tree.depth[above] + 1
        step = tree.n_planes_met[node] - tree.n_planes_met[above]
        assert step == (tree.plane[above] >= 0)
    assert tree.n_leaves == np.count_nonzero(tree.is_inner) + 1
    assert tree.max_depth == tree.depth.max()


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_collapse_keeps_the_rest(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 3, 5, axis_share=0.3)
    nodes = rng.random(tree.n_nodes) < 0.2
    small = tree.collapse(nodes)
    HyperplaneTree.from_arrays(**small.to_arrays())
    X = rng.normal(size=(50, 3))
    for x, leaf in zip(X, small.apply(X), strict=True):
        node = 0
        while tree.left[node] >= 0 and not nodes[node]:
            value = (
                tree.weights[tree.plane[node]] @ x
                if tree.plane[node] >= 0
                else x[tree.feature[node]]
            )
            node = tree.right[node] if value + tree.offsets[node] > 0 else tree.left[node]
        assert_array_equal(small.counts[leaf], tree.counts[node])
        assert small.depth[leaf] == tree.depth[node]


GOOD = {
    "weights": [[1.0, 0.0], [0.0, 1.0]],
    "offsets": [0.0] * 5,
    "plane": [0, 1, -1, -1, -1],
    "left": [1, 2, -1, -1, -1],
    "right": [4, 3, -1, -1, -1],
    "counts": [[3, 3], [2, 2], [1, 1], [1, 1], [1, 1]],
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("plane", [0, 2, -1, -1, -1]),
        ("plane", [0, 1, -2, -1, -1]),
        ("offsets", [0.0] * 4),
        ("left", [2, 1, -1, -1, -1]),
        ("left", [1, 2, 3, -1, -1]),
        ("right", [3, 4, -1, -1, -1]),
        ("right", [0, 3, -1, -1, -1]),
        ("right", [4, 3, 1, -1, -1]),
        ("right", [4, 3, -1, -1, 7]),
        ("counts", [[1, 1]] * 6),
        ("feature", [-1, -1, 2, -1, -1]),
        ("feature", [0, -1, -1, -1, -1]),  # a plane and a feature: kernels would disagree
        ("feature", [-1.0, -1, -1, -1, -1]),
        ("plane", [0 + 2**32, 1, -1, -1, -1]),
        ("offsets", [[0.0]] * 5),
        ("offsets", [np.nan] * 5),
        ("weights", [[1.0, np.inf], [0.0, 1.0]]),
        ("weights", [["a", "b"], ["c", "d"]]),
        ("counts", [[1e308, 1e308]] * 5),
        ("counts", [[-1, 1]] * 5),
        ("shrinkage", np.nan),
    ],
)
def test_arrays_that_are_no_tree(name, value):
    assert HyperplaneTree.from_arrays(**GOOD).n_leaves == 3
    with pytest.raises(ValueError, match=f"'{name}'"):
        HyperplaneTree.from_arrays(**(GOOD | {name: value}))


def test_no_nodes_is_no_tree():
    with pytest.raises(ValueError, match="at least 1"):
        HyperplaneTree.from_arrays(np.zeros((0, 2)), [], [], [], [], np.zeros((0, 2)))


def test_shares_stay_at_or_above_zero_when_the_counts_are_huge():
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = (X[:, 0] * X[:, 1] > 0) * 1 + (X[:, 2] > 1)
    arrays = ObliqueTreeClassifier(random_state=0).fit(X, y).tree_.to_arrays()
    arrays |= {"counts": arrays["counts"] * 1e200, "shrinkage": 5.0, "power": 1.5}
    shares = HyperplaneTree.from_arrays(**arrays).shares
    assert np.isfinite(shares).all()
    assert (shares >= 0).all()
