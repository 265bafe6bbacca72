"""What differs by rounding alone is a tie: the index decides, not the processor."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hlsvm.select import CFS, MRMR, MaxRel
from hlsvm.select._base import order_by
from hlsvm.select._greedy import first_of_order, greedy_order
from hlsvm.select._nystrom import truncated


def test_keys_within_rounding_are_ties():
    nearly = np.array([0.3, 0.1 + 0.2, 0.3, 0.7])
    assert nearly[1] > nearly[0]
    assert_array_equal(order_by(nearly), [3, 0, 1, 2])
    assert_array_equal(order_by(nearly, [0.0, 0.0, 1.0, 0.0]), [3, 2, 0, 1])
    assert_array_equal(order_by([np.inf, 1.0, np.inf, -np.inf]), [0, 2, 1, 3])
    assert_array_equal(order_by(np.zeros(3)), [0, 1, 2])


@pytest.mark.parametrize("quotient", [False, True])
def test_greedy_orders_do_not_see_the_last_bits(quotient):
    rng = np.random.default_rng(0)
    half = rng.random((6, 6))
    Q = np.kron((half + half.T).astype(np.float32), np.ones((2, 2), np.float32))
    relevance = np.repeat(rng.random(6), 2)
    expected = greedy_order(Q, relevance, quotient)[0]
    shaken = relevance * (1.0 + 2e-16 * rng.integers(-2, 3, 12))
    assert_array_equal(greedy_order(Q, shaken, quotient)[0], expected)
    got = first_of_order(lambda rows: Q[rows].astype(np.float64), shaken, quotient, 12)[0]
    assert_array_equal(got, expected)


def test_an_eigenvalue_that_is_the_floor_is_dropped():
    Q = np.corrcoef(np.random.default_rng(0).normal(size=(9, 40)))
    for values in (np.linalg.eigvalsh(Q), np.linalg.eigvals(Q).real, np.linalg.svd(Q)[1]):
        floor = np.median(values)
        for nearly in (np.nextafter(floor, 0), floor, np.nextafter(floor, 1)):
            assert len(truncated(Q, nearly).values) == 4


@pytest.mark.parametrize(
    "selector",
    [CFS(), MaxRel(similarity="pearson"), MRMR(similarity="pearson")],
    ids=lambda selector: type(selector).__name__,
)
def test_equal_columns_are_ranked_by_their_index(selector):
    """Multiples of a column have its correlations, each with other last bits."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 50)
    columns = rng.normal(size=(100, 5)) + y[:, None] * [1.0, 0.7, 0.5, 0.3, 0.1]
    X = np.hstack([columns * factor for factor in (1.0, 1 / 3, 0.1, 7.0, 1e-3)])
    place = np.argsort(selector.fit(X, y).ranking_).reshape(5, 5)  # (factor, column)
    assert (np.diff(place, axis=0) > 0).all()
