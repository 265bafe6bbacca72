"""The tree trained as a whole: slopes, hardening, what is left, bits."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import check_estimator

from hlsvm import HLSVMClassifier
from hlsvm.trees import AnnealedTreeClassifier, IntegerTrees, load_arrays, save_arrays
from hlsvm.trees._anneal import Annealing, Scaled, SoftTree, without_idle
from hlsvm.trees._anneal_kernels import batch_slopes, climb, sigmoids, softmax

from .helpers import checkerboard, random_tree, ring, samples_of, walk


def likelihood(Z, codes, weight, shares, beta):
    """Weighted log-likelihood of a soft tree in double precision, leaf by leaf."""
    n_inner = Z.shape[1]
    right = 1 / (1 + np.exp(-beta * Z))
    total = np.zeros(len(Z))
    for leaf in range(n_inner, 2 * n_inner + 1):
        reach, node = np.ones(len(Z)), leaf
        while node > 0:
            above = (node - 1) // 2
            reach *= right[:, above] if node == 2 * above + 2 else 1 - right[:, above]
            node = above
        total += reach * shares[codes, leaf - n_inner]
    return float(weight @ np.log(total))


def problem(seed=0, n=40, n_features=6, depth=3, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    X[:, :2] *= rng.random((n, 2)) < 0.3  # two sparse columns
    samples = samples_of(X, np.arange(n) % n_classes, rng.uniform(0.5, 2, n))
    soft = SoftTree(n_features, n_classes, depth, rng)
    soft.offsets += rng.normal(size=soft.offsets.shape).astype(np.float32)
    soft.scores += rng.normal(size=soft.scores.shape).astype(np.float32)
    return samples, soft


@pytest.mark.parametrize("each", [True, False])
def test_scaled_rows_have_mean_zero_and_variance_one(each):
    samples, _ = problem()
    rows = np.arange(3, 40)
    data = Scaled.of(samples, rows, each)
    X = data.rows.toarray() - data.lacking
    expected = (samples.X[rows] - data.mean) / data.scale
    np.testing.assert_allclose(X, expected, atol=1e-5)
    weight = samples.weight[rows]
    variance = np.average(X**2, axis=0, weights=weight)
    np.testing.assert_allclose(np.average(X, axis=0, weights=weight), 0, atol=1e-5)
    np.testing.assert_allclose(variance if each else variance.mean(), 1, atol=1e-4)
    assert (data.lacking != 0).sum() == 2
    assert data.rows.nnz < X.size


def test_a_constant_feature_counts_nothing():
    X = np.column_stack([np.full(50, 1e9), np.linspace(0, 1, 50)])
    data = Scaled.of(samples_of(X, np.arange(50) % 2), np.arange(50), True)
    assert set(data.rows.indices) == {1}
    assert data.lacking[0] == 0


@pytest.mark.parametrize("beta", [1.0, 4.0])
def test_slopes_are_those_of_the_likelihood(beta):
    samples, soft = problem(1)
    data = Scaled.of(samples, np.arange(40), True)
    X = data.rows.toarray().astype(float) - data.lacking
    batch, codes = np.arange(5, 30), samples.codes
    weight = samples.weight.astype(np.float32)
    slopes = [np.empty_like(part) for part in (soft.planes, soft.offsets, soft.scores)]
    shares = np.empty_like(soft.scores)
    softmax(soft.scores, shares)
    rows = (data.rows.data, data.rows.indices, data.rows.indptr)
    batch_slopes(
        *rows, batch, codes, weight, soft.planes, soft.offsets, data.lacking, np.float32(beta),
        shares, *slopes,
    )  # fmt: skip
    slopes[2] -= shares * slopes[2].sum(axis=0)
    values = [part.astype(float) for part in (soft.planes, soft.offsets, soft.scores)]

    def value():
        raised = np.exp(values[2])
        Z = X[batch] @ values[0] + values[1]
        return likelihood(Z, codes[batch], weight[batch].astype(float),
                          raised / raised.sum(axis=0), beta)  # fmt: skip

    for part, slope in zip(values, slopes, strict=True):
        for place in np.ndindex(part.shape):
            at = part[place]
            part[place] = at + 1e-5
            above = value()
            part[place] = at - 1e-5
            expected = (above - value()) / 2e-5
            part[place] = at
            assert slope[place] == pytest.approx(expected, abs=2e-3, rel=1e-3)


def test_sigmoids_and_shares():
    z = np.linspace(-30, 30, 2001).astype(np.float32)
    expected = 1 / (1 + np.exp(-1.5 * z.astype(float)))
    sigmoids(z, np.float32(1.5))
    np.testing.assert_allclose(z, expected, rtol=2e-6, atol=1e-17)
    z = np.array([-1e30, 1e30], np.float32)
    sigmoids(z, np.float32(1))
    assert 0 <= z[0] < 1e-16
    assert z[1] == 1
    scores = np.array([[0, 700], [1, -700]], np.float32)
    shares = np.empty_like(scores)
    softmax(scores, shares)
    np.testing.assert_allclose(shares, [[0.26894142, 1], [0.73105858, 0]], rtol=1e-6)


def test_a_step_is_adam_s():
    rng = np.random.default_rng(0)
    values, slope = rng.normal(size=(2, 9)).astype(np.float32)
    first, second = np.zeros((2, 9), np.float32)
    before = values.copy()
    one = np.float32(1)
    climb(values, slope, first, second, np.float32(0.1), one / (one - np.float32(0.9)),
          one / (one - np.float32(0.99)), np.float32(0.5))  # fmt: skip
    np.testing.assert_allclose(values, before / 2 + 0.1 * np.sign(slope), rtol=1e-4)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_hard_tree_is_the_soft_one_s(depth):
    samples, soft = problem(2, depth=depth)
    data = Scaled.of(samples, np.arange(40), True)
    tree = soft.hardened(data, 3.0, np.float64)
    Z = 3.0 * ((samples.X - data.mean) / data.scale @ soft.planes.astype(float) + soft.offsets)
    numbers = {}  # of every leaf from the left, in preorder

    def number(node):
        if tree.left[node] < 0:
            numbers[node] = len(numbers)
        else:
            number(tree.left[node])
            number(tree.right[node])

    number(0)
    leaf, margin = tree.route(samples.X)
    for i, z in enumerate(Z):
        node, least = 0, np.inf
        while node < len(z):
            least = min(least, abs(z[node]))
            node = 2 * node + 1 + (z[node] > 0)
        assert numbers[leaf[i]] == node - len(z)
        assert margin[i] == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_without_idle_nodes_the_samples_answers_stay(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 3, 6)
    X = rng.normal(size=(25, 3))
    counts = np.zeros_like(tree.counts)
    for x in X:
        counts[tree.way(walk(tree, x)), 0] += 1
    tree.counts = counts
    small = without_idle(tree)
    assert small.n_nodes < tree.n_nodes
    assert (small.counts.sum(axis=1) > 0).all()
    assert small.n_leaves == len(np.unique(tree.apply(X)))
    assert (small.counts[small.apply(X)] == tree.counts[tree.apply(X)]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_leaf_has_samples_and_every_split_an_effect(dtype):
    X, y = ring(500)
    X = X.astype(dtype)
    model = AnnealedTreeClassifier(5, max_iter=30, random_state=0).fit(X, y)
    tree = model.tree_
    assert tree.weights.dtype == dtype
    assert tree.max_depth <= 5
    outer = ~tree.is_inner
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (tree.apply(X), y), 1)
    assert (counts[outer] == tree.counts[outer]).all()
    assert (tree.counts[outer].sum(axis=1) > 0).all()
    assert not tree.agreeing().any()


def test_a_weight_of_zero_is_no_row():
    X, y = ring(300)
    weight = np.ones(300)
    weight[::3] = 0
    how = {"max_depth": 3, "max_iter": 10, "random_state": 0}
    some = AnnealedTreeClassifier(**how).fit(X, y, weight).tree_
    kept = AnnealedTreeClassifier(**how).fit(X[weight > 0], y[weight > 0]).tree_
    assert (some.weights == kept.weights).all()
    assert (some.counts == kept.counts).all()


def test_heavy_classes_are_answered_more():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + rng.normal(size=400) > 1.5).astype(int)
    how = {"max_depth": 2, "max_iter": 40, "random_state": 0}
    plain = AnnealedTreeClassifier(**how).fit(X, y).predict(X).mean()
    even = AnnealedTreeClassifier(class_weight="balanced", **how).fit(X, y).predict(X).mean()
    assert even > plain + 0.05


def test_beats_growth_at_the_same_height():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = AnnealedTreeClassifier(6, standardize=False, max_iter=60, random_state=0)
    grown = HLSVMClassifier(1e-3, max_depth=6, random_state=0)
    error, rival = (1 - m.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) for m in (model, grown))
    assert error < 0.06
    assert error < 0.7 * rival


def test_all_that_takes_trees_takes_it(tmp_path):
    X, y = load_digits(return_X_y=True)
    model = AnnealedTreeClassifier(5, max_iter=20, random_state=0).fit(X, y)
    answer = model.predict(X)
    assert [model.predict_one(x) for x in X[:50]] == answer[:50].tolist()
    save_arrays(model, tmp_path / "tree.npz")
    assert (load_arrays(tmp_path / "tree.npz").predict(X) == answer).all()
    small = IntegerTrees(model)
    sure = small.certain(X)
    assert sure.mean() > 0.95
    assert (small.predict(X) == answer)[sure].all()
    assert model.n_operations(X).max() <= 5 * 64
    assert model.n_iter_ == 1


def test_same_seed_same_bits():
    X, y = checkerboard(200)
    first, second, other = (
        AnnealedTreeClassifier(3, max_iter=15, random_state=seed).fit(X, y).tree_.weights
        for seed in (1, 1, 2)
    )
    assert (first == second).all()
    assert first.shape != other.shape or (first != other).any()


def test_passes():
    how = Annealing(3, None, 100, 0.1, 0.0, 2.0, True)
    assert how.passes(100) == 1000
    assert how.passes(10**6) == 40


def test_check_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AnnealedTreeClassifier(3, max_iter=200)
        results = check_estimator(model, on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("max_depth", 0, ValueError),
        ("max_depth", 15, ValueError),
        ("max_depth", None, TypeError),
        ("max_iter", 0, ValueError),
        ("batch_size", 1.5, TypeError),
        ("learning_rate", 0.0, ValueError),
        ("weight_decay", -1, ValueError),
        ("weight_decay", 101, ValueError),
        ("sharpness", 0.5, ValueError),
        ("standardize", None, ValueError),
        ("verbose", 2, ValueError),
        ("class_weight", "even", ValueError),
    ],
)
def test_bad_parameters(name, value, error):
    X, y = checkerboard(20)
    with pytest.raises(error, match=name):
        AnnealedTreeClassifier(**{name: value}).fit(X, y)
