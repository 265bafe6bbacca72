"""Binomial tails and their inversions against scipy's distribution, and their limits."""

import math

import numpy as np
import pytest
from scipy import stats

from hlsvm.bounds import (
    binomial_lower,
    binomial_upper,
    failure_test,
    holdout_bound,
    kl_binary,
    kl_lower,
    kl_upper,
    log_binomial_tail,
)


@pytest.mark.parametrize(("k", "n", "p"), [(0, 1, 0.3), (3, 10, 0.5), (40, 100, 0.7), (9, 10, 0.2)])
def test_tail_is_that_of_the_distribution(k, n, p):
    assert log_binomial_tail(k, n, p) == pytest.approx(stats.binom.logcdf(k, n, p), rel=1e-9)


def test_tail_beyond_what_a_float_holds():
    # P[Bin(5000, 1/2) <= 3] = sum of four terms, far below the least float.
    exact = math.log(sum(math.comb(5000, k) for k in range(4))) - 5000 * math.log(2)
    assert exact < -3000
    assert log_binomial_tail(3, 5000, 0.5) == pytest.approx(exact, rel=1e-12)


def test_tail_at_its_ends():
    assert log_binomial_tail(5, 5, 0.9) == 0.0
    assert log_binomial_tail(2, 5, 0.0) == 0.0
    assert log_binomial_tail(2, 5, 1.0) == -math.inf


@pytest.mark.parametrize(("k", "n"), [(0, 20), (1, 20), (19, 20), (37, 1000)])
@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_upper_is_where_the_tail_has_delta_left(k, n, delta):
    p = binomial_upper(k, n, math.log(delta))
    assert stats.binom.cdf(k, n, p) == pytest.approx(delta, rel=1e-6)
    assert p == pytest.approx(stats.beta.ppf(1 - delta, k + 1, n - k), rel=1e-6)


def test_lower_mirrors_upper():
    p = binomial_lower(30, 100, math.log(0.05))
    assert stats.binom.sf(29, 100, p) == pytest.approx(0.05, rel=1e-6)
    assert binomial_lower(0, 5, math.log(0.05)) == 0.0


def test_limits_of_the_upper_end():
    assert binomial_upper(1, 1, math.log(0.05)) == 1.0
    assert binomial_upper(0, 1, math.log(0.05)) == pytest.approx(0.95)
    assert binomial_upper(0, 10, 0.0) == 0.0


def test_upper_falls_with_rows_and_rises_with_errors_and_nats():
    rows = [binomial_upper(n // 10, n, -3.0) for n in (10, 100, 1000, 10_000)]
    errors = [binomial_upper(k, 200, -3.0) for k in range(0, 201, 20)]
    nats = [binomial_upper(20, 200, -c) for c in (1.0, 10.0, 100.0, 1000.0)]
    assert rows == sorted(rows, reverse=True)
    assert errors == sorted(errors)
    assert nats == sorted(nats)


@pytest.mark.parametrize("q", [0.0, 0.01, 0.3, 0.99, 1.0])
@pytest.mark.parametrize("budget", [0.0, 1e-3, 0.5, 50.0])
def test_kl_upper_and_lower_spend_their_budget(q, budget):
    high, low = kl_upper(q, budget), kl_lower(q, budget)
    assert low - 1e-12 <= q <= high + 1e-12
    for end in (low, high):
        if 1e-12 < end < 1 - 1e-12:
            assert kl_binary(q, end) == pytest.approx(budget, abs=1e-9)
        else:
            assert kl_binary(q, min(max(end, 1e-15), 1 - 1e-15)) <= budget + 1e-9


def test_kl_by_hand():
    assert kl_binary(0.25, 0.5) == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5))
    assert kl_binary(0.5, 0.0) == math.inf
    assert kl_binary(0.0, 0.0) == kl_binary(1.0, 1.0) == 0.0


def test_chernoff_form_lies_above_the_inversion():
    for k in (0, 5, 50):
        assert binomial_upper(k, 100, -4.0) <= kl_upper(k / 100, 0.04) + 1e-12


def test_holdout_by_hand():
    bound = holdout_bound([0, 1, 1, 0], [0, 1, 0, 0], delta=0.1)
    assert bound.terms["held-out errors"] == 1
    p = bound.value
    assert (1 - p) ** 4 + 4 * p * (1 - p) ** 3 == pytest.approx(0.1)
    assert bound.confidence == pytest.approx(0.9)


def test_holdout_fails_no_more_than_its_share_and_nearly_that_often():
    random = np.random.default_rng(0)
    truth, n, delta = 0.2, 200, 0.1
    errors = random.binomial(n, truth, size=2000)
    failures = sum(binomial_upper(int(k), n, math.log(delta)) < truth for k in errors)
    assert failure_test(failures, 2000, delta) > 1e-3
    assert failures > 0.5 * delta * 2000  # it is not loose


def test_failure_test_is_a_binomial_tail():
    assert failure_test(60, 1000, 0.05) == pytest.approx(stats.binom.sf(59, 1000, 0.05))
    assert failure_test(0, 7, 0.5) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kl_binary(1.2, 0.5), "'q'"),
        (lambda: kl_upper(0.5, -1.0), "'budget'"),
        (lambda: binomial_upper(3, 2, -1.0), "'errors'"),
        (lambda: binomial_upper(0, 0, -1.0), "'n'"),
        (lambda: binomial_upper(0, 5, 1.0), "'log_delta'"),
        (lambda: log_binomial_tail(1, 5, np.nan), "'p'"),
        (lambda: holdout_bound([1, 0], [1]), "one length"),
        (lambda: holdout_bound([], []), "at least 1"),
        (lambda: holdout_bound([1], [1], delta=0.0), "'delta'"),
        (lambda: failure_test(5, 4, 0.1), "'failures'"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
