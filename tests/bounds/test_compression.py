"""Stable compression: the equation, its validity without chance, SVMs by the rows on the margin."""

import math

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.svm import SVC

from hlsvm.bounds import binomial_upper, compression_upper, margin_bound
from hlsvm.chapters.bounds.validity import Lattice
from hlsvm.subclass import KernelSVC


@pytest.mark.parametrize(("size", "n"), [(0, 1), (0, 30), (3, 30), (29, 30), (17, 60)])
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_it_solves_the_equation(size, n, delta):
    epsilon = compression_upper(size, n, math.log(delta))
    total = sum(
        math.comb(m, size) / math.comb(n, size) * (1 - epsilon) ** (m - n) for m in range(size, n)
    )
    assert delta / n * total == pytest.approx(1, rel=1e-8)


def test_it_grows_with_the_size_and_is_never_below_the_binomial_tail():
    values = [compression_upper(k, 200, math.log(0.05)) for k in range(201)]
    assert (np.diff(values) > 0).all()
    assert values[-1] == 1
    assert all(v >= binomial_upper(k, 200, math.log(0.05)) for k, v in enumerate(values))


def test_large_samples():
    assert compression_upper(3153, 49_990, math.log(0.05)) == pytest.approx(0.066973, abs=1e-6)


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("n", [10, 60])
def test_the_errors_of_a_fixed_classifier_as_a_compression(n, delta):
    """The errors themselves are stable, phi is the error: the failures are a binomial sum."""
    upper = np.array([compression_upper(k, n, math.log(delta)) for k in range(n + 1)])
    chances = np.linspace(0.001, 0.999, 400)
    failing = [binom.pmf(np.flatnonzero(p > upper), n, p).sum() for p in chances]
    assert 0.05 * delta < max(failing) <= delta


@pytest.mark.parametrize("size", [1, 4])
def test_the_largest_points_as_a_compression(size):
    """c keeps the `size` largest of n uniform points; phi is the chance of a larger one."""
    n, delta, random = 40, 0.5, np.random.default_rng(size)
    kth = np.sort(random.uniform(size=(1000, n)), axis=1)[:, -size]
    assert np.mean(1 - kth > compression_upper(size, n, math.log(delta))) <= delta


def fitted(n=300, seed=0, kind=KernelSVC, **options):
    X, y = Lattice(0.05).draw(n, np.random.default_rng(seed))
    return kind(**{"C": 3.0, "gamma": 2.0, "tol": 1e-5} | options).fit(X, y), X, y


def test_rows_outside_the_margin_may_go():
    svm, X, y = fitted()
    bound = margin_bound(svm, X, y)
    on = y * svm.decision_function(X) <= 1 + 2e-5
    assert bound.terms["rows on the margin or inside"] == on.sum() < len(y)
    keep = on | (np.random.default_rng(1).uniform(size=len(y)) < 0.3)
    again = KernelSVC(C=3.0, gamma=2.0, tol=1e-5).fit(X[keep], y[keep])
    few = margin_bound(again, X[keep], y[keep])
    assert few.terms["rows on the margin or inside"] == on.sum()
    assert np.abs(again.decision_function(X) - svm.decision_function(X)).max() < 1e-3


def test_every_error_is_counted_and_scikit_learn_is_served():
    svm, X, y = fitted()
    bound = margin_bound(svm, X, y)
    assert bound.terms["training errors"] == np.sum(svm.predict(X) != y)
    peer, X, y = fitted(kind=SVC)
    assert margin_bound(peer, X, y).value == bound.value


def test_the_chance_of_the_margin_is_bounded():
    lattice = Lattice(0.05)
    for seed in range(60):
        svm, X, y = fitted(n=100, seed=seed)
        f = svm.decision_function(lattice.points) * lattice.truth
        chance = np.mean((f <= 1) * 0.95 + (f >= -1) * 0.05)
        assert chance <= margin_bound(svm, X, y).value  # at 95 % it never failed in 1,000 draws


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gamma": "scale"}, "'gamma' fixed before"),
        ({"class_weight": "balanced"}, "weights fixed before"),
        ({"class_weight": {1: 2.0}}, "one C for all rows"),
    ],
)
def test_what_other_rows_had_a_part_in_is_refused(options, words):
    svm, X, y = fitted(**options)
    with pytest.raises(ValueError, match=words):
        margin_bound(svm, X, y)


def test_a_bias_that_is_not_unique_is_refused():
    _, X, y = fitted()
    even = np.concatenate([np.flatnonzero(y == label)[:100] for label in (-1, 1)])
    svm = KernelSVC(C=1e-4, gamma=2.0).fit(X[even], y[even])  # all multipliers are C
    with pytest.raises(ValueError, match="b is not unique"):
        margin_bound(svm, X[even], y[even])


@pytest.mark.filterwarnings("ignore:Solver terminated early")
def test_other_rows_and_three_classes_are_refused():
    svm, X, y = fitted()
    far = y * svm.decision_function(X) > 1.1
    with pytest.raises(ValueError, match="rows that the SVM was fitted on"):
        margin_bound(svm, X[far], y[far])
    with pytest.raises(ValueError, match="converged"):
        margin_bound(SVC(C=3.0, gamma=2.0, max_iter=5).fit(X, y), X, y)
    three = KernelSVC(C=1.0, gamma=1.0).fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="two classes"):
        margin_bound(three, X, np.arange(len(y)) % 3)
    with pytest.raises(TypeError, match="'svm' parameter of margin_bound"):
        margin_bound("svm", X, y)


@pytest.mark.parametrize(("size", "n"), [(-1, 5), (6, 5), (0, 0), (1.5, 5)])
def test_sizes_that_are_refused(size, n):
    with pytest.raises((TypeError, ValueError), match="parameter of compression_upper"):
        compression_upper(size, n, -1.0)
