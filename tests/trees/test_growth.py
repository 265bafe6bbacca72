"""Growth: stop rules, thresholds, nestedness, weights, and what a tree may never do."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hlsvm._certificate import Certificate
from hlsvm.trees._grow import default_fraction
from hlsvm.trees._impurity import best_threshold, entropy_mass
from hlsvm.trees._samples import SplitOptions
from hlsvm.trees._seeds import child_seed
from hlsvm.trees._split import place
from hlsvm.trees._superclasses import superclasses

from .helpers import checkerboard, grown, ring, samples_of

FORMS = [
    SplitOptions(1e-4),
    SplitOptions(1e-2, loss_scale="sum", bias="svm"),
    SplitOptions(1e-4, bias="gain"),
]
PROBLEMS = st.builds(
    lambda seed, n, k: checkerboard(n, seed, k),
    st.integers(0, 10_000),
    st.integers(20, 150),
    st.sampled_from([2, 3]),
)


def entropy_of(counts):
    share = counts[counts > 0] / counts.sum()
    return -np.sum(share * np.log2(share))


def errors_by_depth(tree, X, y):
    """Training errors of the tree cut at every depth."""
    cuts = [tree.collapse(tree.depth >= depth) for depth in range(tree.max_depth + 1)]
    return [np.sum(cut.winner[cut.apply(X)] != y) for cut in cuts]


@given(data=PROBLEMS, options=st.sampled_from(FORMS), single=st.booleans())
@settings(max_examples=40, deadline=None)
def test_counts_and_entropy(data, options, single):
    X, y = data
    X = X.astype(np.float32) if single else X
    tree = grown(X, y, options=options)
    leaves = tree.apply(X)
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (leaves, y), 1.0)
    outer = ~tree.is_inner
    assert_array_equal(counts[outer], tree.counts[outer])
    assert tree.counts[outer].sum() == len(X)
    assert tree.weights.dtype == X.dtype
    for node in np.flatnonzero(tree.is_inner):
        left, right = tree.counts[tree.left[node]], tree.counts[tree.right[node]]
        assert_array_equal(left + right, tree.counts[node])
        parts = left.sum() * entropy_of(left) + right.sum() * entropy_of(right)
        assert parts < tree.counts[node].sum() * entropy_of(tree.counts[node])


@given(data=PROBLEMS, options=st.sampled_from(FORMS))
@settings(max_examples=25, deadline=None)
def test_training_error_never_rises_with_growth(data, options):
    X, y = data
    errors = errors_by_depth(grown(X, y, options=options), X, y)
    assert (np.diff(errors) <= 0).all()


@given(data=PROBLEMS, cuts=st.lists(st.floats(0, 0.5), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None)
def test_trees_are_nested_in_delta(data, cuts):
    """The tree of the larger delta is the other, cut (Thesis 5.3.3)."""
    X, y = data
    small, large = (grown(X, y, min_fraction=cut, seed=5) for cut in sorted(cuts))
    light = small.counts.sum(axis=1) <= max(cuts) * len(X)
    for name, array in small.collapse(light).to_arrays().items():
        assert_array_equal(array, getattr(large, name))


def test_nothing_lighter_than_delta_is_split():
    X, y = ring(300)
    tree = grown(X, y, min_fraction=0.1)
    assert (tree.counts[tree.is_inner].sum(axis=1) > 30).all()
    assert default_fraction(9_999) == 1e-3
    assert default_fraction(10_000) == 1e-4
    assert default_fraction(0.5) == 1


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_max_depth(depth):
    X, y = checkerboard(200, 1, 3)
    assert grown(X, y, max_depth=depth).max_depth == depth


def assert_cut_alike(first, second, one=0, other=0):
    """Two trees cut alike from two nodes on, up to thresholds of one and the same entropy."""
    assert_array_equal(first.counts[one], second.counts[other])
    assert first.is_inner[one] == second.is_inner[other]
    if not first.is_inner[one]:
        return
    planes = first.weights[first.plane[one]], second.weights[second.plane[other]]
    assert_allclose(*planes, rtol=1e-3, atol=1e-4)
    left, right = ((first.left[one], second.left[other]), (first.right[one], second.right[other]))
    masses = [
        sum(tree.counts[node].sum() * entropy_of(tree.counts[node]) for node in nodes)
        for tree, nodes in zip((first, second), zip(left, right, strict=True), strict=True)
    ]
    assert_allclose(*masses, rtol=1e-12)
    if (first.counts[left[0]] == second.counts[left[1]]).all():
        assert_cut_alike(first, second, *left)
        assert_cut_alike(first, second, *right)


@given(data=PROBLEMS, seed=st.integers(0, 100))
@settings(max_examples=20, deadline=None)
@example(data=checkerboard(99, 256, 2), seed=100)  # two thresholds leave the same entropy
def test_repeated_rows_are_weights(data, seed):
    """Where every split is solved closely, twice the row is twice the weight."""
    X, y = data
    times = np.random.default_rng(seed).integers(1, 4, len(X))
    options = SplitOptions(1e-1, tol=1e-9, max_iter=100_000, loss_scale="sum")
    options = {"options": options, "max_depth": 2, "min_fraction": 0.2}
    weighted = grown(X, y, weight=times, **options)
    repeated = grown(np.repeat(X, times, axis=0), np.repeat(y, times), **options)
    assert_cut_alike(weighted, repeated)


def test_rows_left_out_have_no_say():
    X, y = ring(300)
    rows = np.flatnonzero(np.arange(300) % 3 > 0)
    subset, alone = grown(X, y, rows=rows), grown(X[rows], y[rows])
    for name, array in subset.to_arrays().items():
        assert_array_equal(array, getattr(alone, name))


@pytest.mark.parametrize(
    "X",
    [np.zeros((20, 3)), np.full((20, 1), 7.0), np.tile([[1.0, 2.0]], (20, 1))],
    ids=["zeros", "constant", "duplicates"],
)
def test_nothing_to_split_by(X):
    tree = grown(X, np.arange(20) % 2)
    assert tree.n_nodes == 1
    assert tree.apply(X).max() == 0


def test_one_sample_a_class():
    tree = grown(np.array([[-1.0], [1.0]]), np.array([0, 1]), min_fraction=0.0)
    assert tree.n_leaves == 2
    assert_array_equal(tree.winner[tree.apply(np.array([[-1.0], [1.0]]))], [0, 1])


def test_constant_feature_gets_no_weight():
    X, y = checkerboard(200)
    tree = grown(np.column_stack([X, np.zeros(200)]), y)
    assert_array_equal(tree.weights[:, 2], 0)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 40), k=st.sampled_from([2, 3]))
@example(seed=2, n=24, k=2)  # two cuts gain the same
@settings(max_examples=60, deadline=None)
def test_best_threshold_by_trying_all(seed, n, k):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 12, n).astype(np.float32) / 3
    codes = rng.integers(0, k, n).astype(np.int32)
    weight = rng.integers(1, 4, n).astype(float)
    counts = np.bincount(codes, weights=weight, minlength=k)
    rows = np.arange(n)
    mass, low, high = best_threshold(np.argsort(values), values, rows, codes, weight, counts)
    tried = {}
    for cut in np.unique(values)[:-1]:
        left = np.bincount(codes, weights=weight * (values <= cut), minlength=k)
        tried[float(cut)] = entropy_mass(left) + entropy_mass(counts - left)
    if not tried:
        assert mass == np.inf
        return
    assert_allclose(mass, min(tried.values()), atol=1e-9)
    assert_allclose(tried[low], mass, atol=1e-9)
    assert high == values[values > np.float32(low)].min()
    samples = samples_of(values[:, None], codes, weight)
    samples.n_classes = k
    offset = place(samples, rows, values, counts)
    right = values + offset > 0  # of equally good cuts it may be another
    assert values[~right].max() < values[right].min()
    left = np.bincount(codes, weights=weight * ~right, minlength=k)
    assert_allclose(entropy_mass(left) + entropy_mass(counts - left), mass, atol=1e-9)


def test_auto_bias_gains_a_fair_part():
    """Where b of the SVM gains next to nothing, the best threshold along w takes its place."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) + 5
    y = (X.sum(axis=1) + rng.normal(size=300) > 10).astype(int)
    stuck, free, best = (
        grown(X, y, options=SplitOptions(1.0, bias=bias), max_depth=1)
        for bias in ("svm", "auto", "gain")
    )
    assert stuck.n_nodes == 1
    assert_array_equal(free.counts, best.counts)
    assert free.counts[1:].max(axis=1).sum() > 0.75 * 300
    svm, auto = (
        grown(X - 5, y, options=SplitOptions(1e-3, bias=bias), max_depth=1)
        for bias in ("svm", "auto")
    )
    assert svm.n_nodes == 3
    assert_array_equal(svm.offsets, auto.offsets)


def test_superclasses_part_what_lies_apart():
    """Six classes in two clouds: the clouds are the superclasses."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(6), 30)
    centres = np.array([[9, 0], [-9, 1], [9, 2], [-9, 3], [10, 4], [-10, 5]])
    samples = samples_of(centres[codes] + rng.normal(size=(180, 2)), codes)
    rows = np.arange(180)
    arguments = (samples.X, rows, samples.codes, samples.weight)
    sign = superclasses(*arguments, samples.count(rows))
    assert_array_equal(np.abs(sign), 1)
    assert len(set(sign[::2])) == len(set(sign[1::2])) == 1
    assert sign[0] != sign[1]
    few = rows[codes < 2]
    pair = superclasses(samples.X, few, samples.codes, samples.weight, samples.count(few))
    assert_array_equal(pair, [-1, 1, 0, 0, 0, 0])


def test_equal_means_are_parted_all_the_same():
    codes = np.tile(np.arange(3), 10)
    samples = samples_of(np.ones((30, 2)), codes)
    rows = np.arange(30)
    sign = superclasses(samples.X, rows, samples.codes, samples.weight, samples.count(rows))
    assert set(sign) == {-1.0, 1.0}


def test_gains_far_below_a_bit_count():
    """Thesis Alg. 6 stops where the entropy does not fall, however little it falls."""
    X = np.repeat([[-1.0], [1.0]], [49, 24], axis=0)
    y = np.repeat([0, 1, 0, 1], [43, 6, 21, 3])
    assert grown(X, y, options=SplitOptions(1e-4, split="axis"), min_fraction=0.0).n_leaves == 2


def test_exactly_proportional_splits_end_the_growth(monkeypatch):
    """With the b of the SVM a split that does not lower the entropy is not moved elsewhere."""
    X = np.array([-2.0, *[-1.0] * 5, *[1.0] * 5, 2.0])[:, None]
    y = np.array([1, *[0] * 10, 1])
    half = np.array([5.0, 1.0])
    assert entropy_mass(2 * half) < 2 * entropy_mass(half)  # by rounding

    def line(*args):
        return np.ones(1), 0.0, Certificate(1.0, 1.0, 1, True, "tolerance")

    monkeypatch.setattr("hlsvm.trees._split.train", line)
    leaves = {b: grown(X, y, options=SplitOptions(1e-4, bias=b)).n_leaves for b in ("svm", "gain")}
    assert leaves["svm"] == 1
    assert leaves["gain"] > 1


def test_seeds_of_paths_differ():
    level = seen = [17]
    for _ in range(10):
        level = [child_seed(seed, side) for seed in level for side in (0, 1)]
        seen = seen + level
    assert len(set(seen)) == len(seen) == 2**11 - 1
    assert all(0 <= seed < 2**63 for seed in seen)
