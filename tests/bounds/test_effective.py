"""Effective leaves and T_comp by hand (Thesis 5.2.2), their limits and their order."""

import math

import numpy as np
import pytest

from hlsvm import HLSVMClassifier, SVMTreesClassifier
from hlsvm.bounds import (
    complexity,
    correct_shares,
    effective_leaves,
    leaf_shares,
    lemma_5_2,
    lemma_5_3,
    tree_complexity,
)

from .helpers import leaf, quarters, stump, three_leaves

X4 = np.array([[-1.0, 0.0], [-2.0, 1.0], [1.0, -1.0], [1.0, 1.0]])


def test_shares_by_hand():
    np.testing.assert_allclose(leaf_shares(three_leaves(), X4), [0.5, 0.25, 0.25])
    # The second row is wrong: of the three right ones a third in each leaf.
    np.testing.assert_allclose(
        correct_shares(three_leaves(), X4, [0, 1, 1, 0]), [1 / 3, 1 / 3, 1 / 3]
    )


def test_correct_shares_are_the_formula_of_the_thesis():
    X, y = quarters(300, 0, noise=0.2)
    model = HLSVMClassifier(lam=1e-3, random_state=0).fit(X, y)
    leaf_of, right = model.tree_.apply(X), model.predict(X) == y
    leaves = np.flatnonzero(~model.tree_.is_inner)
    p = np.array([np.mean(leaf_of == k) for k in leaves])
    inside = np.array([right[leaf_of == k].mean() for k in leaves])
    np.testing.assert_allclose(correct_shares(model, X, y), p * inside / right.mean())


def test_effective_leaves_between_one_and_all():
    assert effective_leaves([1.0, 0.0]) == 1.0
    assert effective_leaves([1 / 7] * 7) == pytest.approx(7.0)
    p = np.random.default_rng(0).dirichlet(np.ones(5))
    by_definition = 5 * (1 - np.sum((p - 0.2) ** 2))
    assert effective_leaves(p) == pytest.approx(by_definition)


def test_effective_leaves_are_not_the_inverse_of_the_squares():
    p = [0.7, 0.1, 0.1, 0.1]
    assert effective_leaves(p) == pytest.approx(2.92)
    assert 1 / np.sum(np.square(p)) == pytest.approx(1.923, abs=1e-3)


def test_t_comp_by_hand():
    inside = 2.5 * 4 * math.log(1000) ** 2 * math.log(5) / 1000
    assert complexity(2.5, 3, 1000, 5) == pytest.approx(inside ** (1 / 3))
    assert complexity(2.5, 3, 1000, 5, power=0.5) == pytest.approx(inside**0.5)


def test_t_comp_rises_with_leaves_features_depth_and_falls_with_rows():
    assert complexity(3, 2, 1000, 4) < complexity(4, 2, 1000, 4)
    assert complexity(3, 2, 1000, 4) < complexity(3, 3, 1000, 4)
    assert complexity(3, 2, 1000, 4) < complexity(3, 2, 1000, 5)
    sizes = [complexity(3, 2, n, 4) for n in (10, 100, 1000, 10_000)]
    assert sizes == sorted(sizes, reverse=True)


def test_limits_one_leaf_one_row_depth_one():
    terms = tree_complexity(leaf(), [[0.0, 0.0]], [0])
    assert terms["effective leaves"] == terms["effective leaves, correct rows"] == 1.0
    assert terms["T_comp"] == 0.0  # log 1 = 0
    assert complexity(2, 2, 100, 1) == complexity(2, 2, 100, 2) > 0
    assert tree_complexity(leaf((1, 3)), [[0.0, 0.0]], [0])["training error"] == 1.0


def test_tree_complexity_names_everything():
    terms = tree_complexity(three_leaves(), X4, [0, 1, 1, 0])
    assert terms["training error"] == 0.25
    assert (terms["leaves"], terms["depth"], terms["VC dimension"]) == (3, 2, 3)
    assert terms["effective leaves, correct rows"] == pytest.approx(3.0)
    assert terms["T_comp"] == complexity(3.0, 2, 4, 2)


def test_lemma_5_3_is_training_error_plus_c_t_comp():
    bound = lemma_5_3(three_leaves(), X4, [0, 1, 1, 0], c=0.1)
    assert bound.value == pytest.approx(0.25 + 0.1 * complexity(3.0, 2, 4, 2))
    assert bound.confidence is None


def test_lemma_5_2_speaks_of_consistent_trees_only():
    bound = lemma_5_2(three_leaves(), X4, [0, 0, 1, 0], c=2.0)
    shares = [0.5, 0.25, 0.25]
    assert bound.value == pytest.approx(
        2 * complexity(effective_leaves(shares), 2, 4, 2, power=0.5)
    )
    with pytest.raises(ValueError, match=r"consistent.*0\.25"):
        lemma_5_2(three_leaves(), X4, [0, 1, 1, 0])


def test_any_tree_of_the_package_is_read():
    X, y = quarters(200, 1)
    for model in (
        HLSVMClassifier(random_state=0).fit(X, y),
        SVMTreesClassifier(random_state=0).fit(X, y),
    ):
        terms = tree_complexity(model, X, y)
        assert terms["leaves"] == model.get_n_leaves()
        assert terms["training error"] == pytest.approx(1 - model.score(X, y))


def test_labels_of_any_kind():
    X, y = quarters(200, 1)
    words = np.where(y > 0, "yes", "no")
    a = tree_complexity(HLSVMClassifier(random_state=0).fit(X, y), X, y)
    b = tree_complexity(HLSVMClassifier(random_state=0).fit(X, words), X, words)
    assert a == b


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: effective_leaves([]), "'shares'"),
        (lambda: effective_leaves([0.5, 0.6]), "sum to one"),
        (lambda: effective_leaves([1.5, -0.5]), "non-negative"),
        (lambda: complexity(0.5, 2, 10, 2), "'effective'"),
        (lambda: complexity(1, 2, 0, 2), "'n'"),
        (lambda: complexity(1, 2, 10, 2, power=0), "'power'"),
        (lambda: leaf_shares(stump(), [[0.0]]), "2 columns"),
        (lambda: leaf_shares(stump(), [[np.nan, 0.0]]), "NaN"),
        (lambda: leaf_shares(object(), X4), "HyperplaneTree"),
        (lambda: tree_complexity(stump(), X4, [0, 1]), "one label per row"),
        (lambda: tree_complexity(stump(), X4, [0, 1, 2, 0]), "classes of the tree"),
        (lambda: correct_shares(stump(), X4[:1], [1]), "classified correctly"),
        (lambda: lemma_5_3(stump(), X4, [0, 0, 1, 1], c=0), "'c'"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
