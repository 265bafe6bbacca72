"""Sums and exponentials of `hlsvm._arithmetic`: their order is part of every fitted model."""

import numpy as np
import pytest
from numba import njit

from hlsvm._arithmetic import dot, exp


@njit
def _double(a, b):
    return dot(a, b, 0.0)


@njit
def _single(a, b):
    return dot(a, b, np.float32(0))


def in_eight_lanes(a, b, kind):
    """Return what `dot` promises, one rounding at a time."""
    a, b = a.astype(kind), b.astype(kind)
    whole = len(a) // 8 * 8
    lanes = np.zeros(8, kind)
    for at in range(0, whole, 8):
        lanes += a[at : at + 8] * b[at : at + 8]
    rest = kind(0)
    for at in range(whole, len(a)):
        rest += a[at] * b[at]
    s = lanes
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])) + rest


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 22, 54, 300, 784])
def test_sums_are_taken_in_eight_lanes_then_the_rest(n):
    a, b = np.random.default_rng(n).normal(size=(2, n))
    single = a.astype(np.float32)
    assert _double(a, b) == in_eight_lanes(a, b, np.float64)
    assert _double(single, b) == in_eight_lanes(single, b, np.float64)
    got = _single(single, b.astype(np.float32))
    assert got == in_eight_lanes(single, b.astype(np.float32), np.float32)


def test_a_shorter_first_array_ends_the_sum():
    assert _double(np.ones(3), np.ones(20)) == 3.0


def test_exponentials_are_right_to_two_units_of_the_last_place():
    x = np.concatenate([np.linspace(-708, 709, 20_001), -np.logspace(-20, 2.8, 5_000)])
    right = np.exp(x)
    assert np.max(np.abs([exp(value) for value in x] - right) / np.spacing(right)) <= 2
    assert exp(0.0) == 1.0
    assert exp(-np.inf) == 0.0
    assert exp(np.inf) == np.inf
    assert np.isnan(exp(np.nan))
