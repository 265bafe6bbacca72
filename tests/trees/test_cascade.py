"""The cascade: a chain, pure leaves, one hyperplane a step."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import check_estimator

from hlsvm import HLSVMClassifier, SVMTreesClassifier
from hlsvm.trees.cascade import _peel

from .helpers import checkerboard, ring


def test_check_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(SVMTreesClassifier(), on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_is_a_chain_of_pure_leaves(seed, dtype):
    X, y = ring(400, seed)
    X = X.astype(dtype)
    tree = SVMTreesClassifier(random_state=0).fit(X, y).tree_
    inner = np.flatnonzero(tree.is_inner)
    assert len(inner) >= 2
    assert tree.max_depth == len(inner)
    for node in inner[:-1]:
        children = [tree.left[node], tree.right[node]]
        leaves = [t for t in children if not tree.is_inner[t]]
        assert len(leaves) == 1
        assert np.count_nonzero(tree.counts[leaves[0]]) == 1
        assert tree.counts[leaves[0]].sum() >= 400 * 10.0**-2
    leaves = tree.apply(X)
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (leaves, y), 1)
    outer = ~tree.is_inner
    assert (counts[outer] == tree.counts[outer]).all()


def test_beats_a_line_and_not_the_tree():
    X, y = ring(600)
    cascade = SVMTreesClassifier(random_state=0).fit(X, y)
    tree = HLSVMClassifier(1e-4, random_state=0).fit(X, y)
    line = HLSVMClassifier(1e-4, max_depth=1, random_state=0).fit(X, y)
    assert line.score(X, y) < cascade.score(X, y) <= tree.score(X, y)


def test_votes():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = SVMTreesClassifier(random_state=0, n_jobs=2).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9
    assert len(model.trees_) == 45
    assert model.n_hyperplanes(X).min() >= 45
    assert [model.predict_one(x) for x in X[:30]] == model.predict(X[:30]).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hard_right", [True, False])
def test_threshold_keeps_the_hard_class_whole(dtype, hard_right):
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = (rng.integers(0, 8, 12) / 3).astype(dtype)
        hard = rng.random(12) < 0.5
        if hard.all() or not hard.any():
            continue
        offset = _peel(values, hard, hard_right)
        free = values[~hard]
        can = free.min() < values[hard].min() if hard_right else free.max() > values[hard].max()
        assert (offset is not None) == can
        if can:
            right = values + offset > 0
            assert (right[hard] == hard_right).all()
            beyond = free < values[hard].min() if hard_right else free > values[hard].max()
            assert ((right[~hard] != hard_right) == beyond).all()


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("lam", "auto", TypeError),
        ("hardness", 0.5, ValueError),
        ("min_fraction", -1, ValueError),
        ("max_depth", 1.5, TypeError),
        ("loss_scale", "none", ValueError),
        ("tol", None, TypeError),
        ("max_iter", 0, ValueError),
        ("n_jobs", 1.5, TypeError),
    ],
)
def test_bad_parameters(name, value, error):
    X, y = checkerboard(20)
    with pytest.raises(error, match=name):
        SVMTreesClassifier(**{name: value}).fit(X, y)
