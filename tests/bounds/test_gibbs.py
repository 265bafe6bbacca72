"""The Gibbs tree: its risk against simulation, its gradient, its bound by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from hlsvm.bounds import GaussianTree, kl_upper
from hlsvm.bounds._standardize import Standardizer, split_rows
from hlsvm.bounds._tree_shape import TreeShape, to_tree
from hlsvm.bounds.descent_on_bound import (
    descend,
    descend_and_prune,
    exchange_rate,
    initial_posterior,
    prune,
)
from hlsvm.bounds.prefix_codes import structure_nats

from .helpers import quarters, stump, three_leaves

PLAIN = Standardizer(np.zeros(2), np.ones(2))


def gibbs(tree, kappa=3.0, standardizer=PLAIN):
    from hlsvm.bounds._trees import planes_of

    units = standardizer.to_standard(planes_of(tree))
    labels = tree.counts.argmax(axis=1).astype(np.int64)
    return GaussianTree.scaled(TreeShape.of(tree), labels, units, kappa, standardizer, 2)


def test_one_node_by_hand():
    posterior = gibbs(stump())
    Z = PLAIN.rows(np.array([[0.5, -1.0], [-2.0, 0.3]]))
    total, mass, _, _ = posterior.errors(Z, np.array([0, 1]), cutoff=0.0)
    mean, spread = posterior.mean[0], np.exp(posterior.log_var[0])
    right = [stats.norm.cdf(z @ mean / math.sqrt(spread @ z**2)) for z in Z]
    # Right of the hyperplane answers 1: the first row errs there, the second on the left.
    assert total == pytest.approx(right[0] + 1 - right[1], abs=1e-12)
    np.testing.assert_allclose(mass[2], [right[0], right[1]], atol=1e-12)
    np.testing.assert_allclose(mass[0], [1, 1])


def test_risk_is_the_frequency_of_errors():
    posterior = gibbs(three_leaves(), kappa=2.0)
    X, y = quarters(40, 0)
    Z = PLAIN.rows(X)
    expected = posterior.errors(Z, y)[0] / len(y)
    drawn = np.mean([np.mean(posterior.draw(Z, seed) != y) for seed in range(800)])
    assert drawn == pytest.approx(expected, abs=4 * math.sqrt(0.25 / (40 * 800)))


def test_cutting_off_never_helps():
    posterior = gibbs(three_leaves(), kappa=2.0)
    X, y = quarters(50, 1)
    Z = PLAIN.rows(X)
    exact, coarse = (posterior.errors(Z, y, cutoff=c)[0] for c in (0.0, 0.05))
    assert exact < coarse < exact + 0.1 * len(y)


def test_gradient_is_that_of_differences():
    posterior = gibbs(three_leaves(), kappa=2.0)
    X, y = quarters(30, 2)
    Z = PLAIN.rows(X)
    _, _, by_mean, by_variance = posterior.errors(Z, y, cutoff=0.0, gradient=True)
    from dataclasses import replace

    for node, column in ((0, 0), (1, 1), (1, 2)):
        step = np.zeros_like(posterior.mean)
        step[node, column] = 1e-5
        ends = [
            replace(posterior, mean=posterior.mean + s * step).errors(Z, y, cutoff=0.0)[0]
            for s in (1, -1)
        ]
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(by_mean[node, column], abs=1e-5)
        variance = np.exp(posterior.log_var)
        ends = [
            replace(posterior, log_var=np.log(variance + s * step)).errors(Z, y, cutoff=0.0)[0]
            for s in (1, -1)
        ]
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(by_variance[node, column], abs=1e-5)


def test_divergence_of_gaussians_by_hand():
    posterior = gibbs(stump())
    variance = np.exp(posterior.log_var[0])
    by_hand = 0.5 * np.sum(posterior.mean[0] ** 2 + variance - 1 - np.log(variance))
    np.testing.assert_allclose(posterior.kl_of_nodes(), [by_hand])
    assert posterior.kl == pytest.approx(by_hand + structure_nats(1, 2))


def test_bound_is_its_formula_and_falls_with_rows():
    posterior = gibbs(three_leaves(), kappa=8.0)
    values = []
    for n in (100, 1000, 10_000):
        X, y = quarters(n, 3)
        bound = posterior.bound(PLAIN.rows(X), y, delta=0.1)
        terms = bound.terms
        nats = (posterior.kl + math.log(2 * math.sqrt(n) / 0.1)) / n
        assert bound.value == pytest.approx(kl_upper(terms["Gibbs risk on them"], nats))
        assert bound.confidence == pytest.approx(0.9)
        values.append(bound.value - terms["Gibbs risk on them"])
    assert values == sorted(values, reverse=True)
    several = posterior.bound(PLAIN.rows(X), y, delta=0.1, choices=3)
    assert several.value > bound.value


def test_sharp_posterior_is_the_tree():
    posterior = gibbs(three_leaves(), kappa=1e6)
    X, y = quarters(200, 4)
    Z = PLAIN.rows(X)
    wrong = np.count_nonzero(three_leaves().winner[three_leaves().apply(X)] != y)
    assert posterior.errors(Z, y)[0] == pytest.approx(wrong, abs=1e-3)
    np.testing.assert_array_equal(
        posterior.draw(Z, 0), three_leaves().winner[three_leaves().apply(X)]
    )


def test_frame_there_and_back():
    X, _ = quarters(100, 5)
    X = X * [3.0, 0.01] + [5.0, -1.0]
    standardizer = Standardizer.of(X)
    planes = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 0.1]])
    inside = standardizer.to_standard(planes)
    np.testing.assert_allclose(np.linalg.norm(inside, axis=1), 1.0)
    there = standardizer.rows(X) @ inside.T
    back = X @ standardizer.to_raw(inside)[:, :-1].T + standardizer.to_raw(inside)[:, -1]
    np.testing.assert_allclose(there, back, atol=1e-10)
    raw = X @ planes[:, :-1].T + planes[:, -1]
    np.testing.assert_array_equal(np.sign(there), np.sign(raw))


def test_constant_feature_does_not_blow_up():
    standardizer = Standardizer.of(np.column_stack([np.arange(5.0), np.ones(5)]))
    assert standardizer.scale[1] > 0
    assert np.isfinite(Standardizer.of(np.ones((3, 2))).rows(np.ones((3, 2)))).all()


@pytest.mark.parametrize("n", [2, 10, 1001])
def test_rows_are_divided_by_the_seed_alone(n):
    first, rest = split_rows(n, 0.02, 7)
    again, _ = split_rows(n, 0.02, 7)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(np.sort(np.concatenate([first, rest])), np.arange(n))
    assert len(first) >= 1 <= len(rest)


def test_collapse_keeps_what_is_not_below_the_cut():
    tree_shape = TreeShape.of(three_leaves())
    smaller, keep = tree_shape.collapse(np.array([False, False, True, False, False]))
    assert keep.tolist() == [True, True, True, False, False]
    assert smaller.n_inner == 1
    tree = to_tree(smaller, np.array([[1.0, 0.0, 0.0]]), three_leaves().counts[keep])
    assert tree.n_leaves == 2
    root, _ = tree_shape.collapse(np.array([True, False, False, False, False]))
    assert root.n_nodes == 1


def test_exchange_rate_is_the_trade_along_the_bound():
    n, risk, nats = 500, 0.1, 20.0
    value = kl_upper(risk, nats / n)
    rate, _ = exchange_rate(risk, value, n)
    more = kl_upper(risk + 1e-4 / n, nats / n)
    dearer = kl_upper(risk, (nats + 1e-4 * rate) / n)
    assert more - value == pytest.approx(dearer - value, rel=1e-3)


def test_descent_lowers_the_bound_and_pruning_does_not_raise_it_much():
    X, y = quarters(800, 6, noise=0.05)
    Z = PLAIN.rows(X)
    tree = three_leaves()
    posterior = initial_posterior(
        TreeShape.of(tree), np.array([0, 0, 1, 1, 0]), gibbs(tree).mean, PLAIN, 2, Z, y,
        temperature=1.0, delta=0.05,
    )  # fmt: skip
    before = posterior.bound(Z, y).value
    after = descend(posterior, Z, y, max_iter=20)
    assert after.bound(Z, y).value < before
    final = descend_and_prune(posterior, Z, y, max_iter=20, rounds=2)
    assert final.bound(Z, y).value <= after.bound(Z, y).value + 0.01


def test_a_useless_node_is_cut():
    X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    y = np.zeros(300, np.int64)
    y[:3] = 1
    posterior = gibbs(stump())
    assert prune(posterior, PLAIN.rows(X), y).tree_shape.n_inner == 0
