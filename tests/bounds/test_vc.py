"""Dichotomies and the bound of Thesis 2.1: both sides, by brute force."""

import math

import numpy as np
import pytest

from hlsvm.bounds import (
    count_dichotomies,
    separate,
    shattered_labellings,
    vc_bound,
    vc_confidence,
    vc_dimension_hyperplane,
)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_m_plus_1_points_are_shattered_and_m_plus_2_are_not(m):
    random = np.random.default_rng(m)
    h = vc_dimension_hyperplane(m)
    assert len(shattered_labellings(random.normal(size=(h, m)))) == 2**h
    assert len(shattered_labellings(random.normal(size=(h + 1, m)))) < 2 ** (h + 1)


@pytest.mark.parametrize(("n", "m"), [(4, 2), (5, 2), (6, 3)])
def test_count_is_what_linear_programming_finds(n, m):
    points = np.random.default_rng(0).normal(size=(n, m))
    assert len(shattered_labellings(points)) == count_dichotomies(n, m)


def test_collinear_points_are_not_shattered():
    assert len(shattered_labellings([[0, 0], [1, 1], [2, 2]])) == 6


def test_hyperplanes_found_do_separate():
    points = np.random.default_rng(1).normal(size=(3, 2))
    for labels, w, b in shattered_labellings(points):
        assert (np.array(labels) * (points @ w + b) >= 1 - 1e-9).all()
    assert separate([[0.0], [1.0], [2.0]], [1, -1, 1]) is None


def test_confidence_by_hand():
    value = math.sqrt((5 * (math.log(2 * 100 / 5) + 1) - math.log(0.05 / 4)) / 100)
    assert vc_confidence(5, 100, 0.05) == pytest.approx(value)


def test_more_data_is_better_and_a_larger_class_worse():
    sizes = [vc_confidence(5, n) for n in (10, 100, 1000)]
    classes = [vc_confidence(h, 1000) for h in (1, 10, 100, 900)]
    assert sizes == sorted(sizes, reverse=True)
    assert classes == sorted(classes)
    assert vc_bound(0.9, 5, 10).value == 1.0


def test_bound_holds_for_the_worst_hyperplane_of_a_sample():
    # Points of a line, labels by coin: the best threshold looks good and is worth 1/2.
    random = np.random.default_rng(0)
    n, delta, broken = 200, 0.05, 0
    for _ in range(300):
        order = random.choice([-1, 1], size=n)
        right = np.concatenate([[0], np.cumsum(order)])
        least = (n - np.abs(2 * right - right[-1]).max()) / 2 / n
        broken += vc_bound(least, 2, n, delta=delta).value < 0.5
    assert broken <= 300 * delta


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: vc_confidence(10, 10), "'n'"),
        (lambda: vc_confidence(0, 10), "'vc_dimension'"),
        (lambda: vc_bound(1.5, 3, 10), "'train_error'"),
        (lambda: vc_dimension_hyperplane(-1), "'n_features'"),
        (lambda: count_dichotomies(0, 2), "'n'"),
        (lambda: separate([[0.0], [np.nan]], [1, -1]), "finite"),
        (lambda: separate([[0.0], [1.0]], [1, 2]), "'labels'"),
        (lambda: shattered_labellings(np.zeros((17, 1))), "16"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
