"""Weakest links against the definition: every subtree that minimises risk + alpha * leaves."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hlsvm.trees.pruning import choose, count_passing, weakest_links
from hlsvm.trees.tree import HyperplaneTree

from .helpers import checkerboard, grown, random_tree

TREES = st.builds(
    lambda seed, depth, k: random_tree(np.random.default_rng(seed), 2, depth, n_classes=k),
    st.integers(0, 10_000),
    st.integers(0, 4),
    st.sampled_from([2, 3]),
)


def risk(tree, nodes):
    """Training errors of leaves `nodes`."""
    return sum(tree.counts[t].sum() - tree.counts[t].max() for t in nodes)


def leaves_below(tree, node, leaves):
    return [t for t in leaves if node in path(tree, t)]


def path(tree, node):
    while node >= 0:
        yield node
        node = tree.parent[node]


def all_subtrees(tree, node=0):
    """Sets of leaves of all subtrees with this root."""
    yield (node,)
    if tree.left[node] >= 0:
        for a, b in itertools.product(
            all_subtrees(tree, tree.left[node]), all_subtrees(tree, tree.right[node])
        ):
            yield a + b


def leaves_of(path_, k):
    """Leaves of T_k by their number in the whole tree."""
    tree = path_.tree
    inner = tree.is_inner & (path_.step > k)
    return [
        t
        for t in range(tree.n_nodes)
        if not inner[t] and (t == 0 or all(inner[a] for a in list(path(tree, t))[1:]))
    ]


@given(tree=TREES)
@settings(max_examples=60, deadline=None)
def test_each_step_minimises_cost_complexity(tree):
    steps = weakest_links(tree)
    subtrees = list(all_subtrees(tree)) if tree.n_leaves <= 7 else []
    for k, alpha in enumerate(steps.alphas):
        mine = leaves_of(steps, k)
        assert len(mine) == steps.n_leaves[k] == steps.subtree(k).n_leaves
        assert_allclose(risk(tree, mine) / tree.counts[0].sum(), steps.risks[k])
        unit = alpha * tree.counts[0].sum()
        ends = [unit]
        if k + 1 < len(steps):
            ends.append(steps.alphas[k + 1] * tree.counts[0].sum())
        for at in ends:
            for other in subtrees:
                cost = risk(tree, other) + at * len(other)
                assert risk(tree, mine) + at * len(mine) <= cost + 1e-9
        for other in subtrees:
            if len(other) < len(mine):
                assert (
                    risk(tree, other) + unit * len(other)
                    > risk(tree, mine) + unit * len(mine) - 1e-9
                )


@given(tree=TREES)
@settings(max_examples=60, deadline=None)
def test_nested_and_complete(tree):
    steps = weakest_links(tree)
    assert steps.alphas[0] == 0
    assert (np.diff(steps.alphas) > 0).all()
    assert (np.diff(steps.n_leaves) < 0).all()
    assert (np.diff(steps.risks) > 0).all()
    assert steps.n_leaves[-1] == 1
    for k in range(len(steps) - 1):
        bigger, smaller = leaves_of(steps, k), leaves_of(steps, k + 1)
        assert all(any(t in path(tree, leaf) for t in smaller) for leaf in bigger)


@given(tree=TREES)
@settings(max_examples=60, deadline=None)
def test_proposition_2_2(tree):
    """In T_0 every inner node errs more than the leaves below it; in `tree` no less."""
    steps = weakest_links(tree)
    assert_allclose(risk(tree, leaves_of(steps, 0)), risk(tree, np.flatnonzero(~tree.is_inner)))
    first = leaves_of(steps, 0)
    for node in np.flatnonzero(tree.is_inner):
        below = risk(tree, leaves_below(tree, node, np.flatnonzero(~tree.is_inner)))
        assert risk(tree, [node]) >= below
        if steps.step[node] > 0:
            assert risk(tree, [node]) > risk(tree, leaves_below(tree, node, first))


@given(tree=TREES, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_held_out_errors_and_choice(tree, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2))
    codes = rng.integers(0, tree.counts.shape[1], 80)
    weight = rng.integers(1, 4, 80).astype(float)
    steps = weakest_links(tree)
    best, errors = choose(steps, X, codes, weight)
    for k in range(len(steps)):
        small = steps.subtree(k)
        wrong = weight[small.winner[small.apply(X)] != codes].sum()
        assert errors[k] == wrong
    assert errors[best] == errors.min()
    assert (errors[best + 1 :] > errors[best]).all()
    assert_array_equal(
        count_passing(tree, X, codes, weight)[0],
        np.bincount(codes, weights=weight, minlength=tree.counts.shape[1]),
    )


def test_ties_fall_together():
    """Two links of equal strength, in different branches, go in one step."""
    tree = HyperplaneTree.from_arrays(
        weights=np.eye(3),
        offsets=np.zeros(7),
        plane=[0, 1, -1, -1, 2, -1, -1],
        left=[1, 2, -1, -1, 5, -1, -1],
        right=[4, 3, -1, -1, 6, -1, -1],
        counts=[[40, 40], [30, 4], [28, 0], [2, 4], [10, 36], [8, 0], [2, 36]],
    )
    # g of node 1: (4 - 2) / 1; of node 4: (10 - 2) / 1; of the root: (40 - 4) / 3.
    steps = weakest_links(tree)
    assert_allclose(steps.alphas * 80, [0, 2, 8, 26])
    tree.counts[[0, 4, 5]] = [[34, 40], [4, 36], [2, 0]]
    steps = weakest_links(HyperplaneTree.from_arrays(**tree.to_arrays()))
    assert_allclose(steps.alphas * 74, [0, 2, 26])
    assert_array_equal(steps.n_leaves, [4, 2, 1])


def test_useless_split_is_gone_in_t0():
    """Both children answer the same class: the smallest subtree that errs as little lacks it."""
    tree = HyperplaneTree.from_arrays(
        [[1.0]], [0, 0, 0], [0, -1, -1], [1, -1, -1], [2, -1, -1], [[9, 3], [5, 1], [4, 2]]
    )
    steps = weakest_links(tree)
    assert_array_equal(steps.n_leaves, [1])
    assert steps.subtree(0).n_nodes == 1


@pytest.mark.parametrize("seed", range(3))
def test_pruning_never_lengthens_a_path(seed):
    X, y = checkerboard(400, seed, 3)
    tree = grown(X, y, 1e-3)
    steps = weakest_links(tree)
    before = tree.n_planes_met[tree.apply(X)]
    for k in range(len(steps)):
        small = steps.subtree(k)
        after = small.n_planes_met[small.apply(X)]
        assert (after <= before).all()
        before = after
