"""Prefix codes: lengths by counting, Kraft's inequality, rounding."""

import math
from itertools import product

import numpy as np
import pytest

from hlsvm.bounds.prefix_codes import (
    integer_nats,
    label_nats,
    plane_nats,
    pulse_vectors,
    quantise,
    shape_nats,
    structure_nats,
)


def test_integers_share_out_a_probability_of_one():
    total = sum(math.exp(-integer_nats(k)) for k in range(100_000))
    assert 0.9999 < total <= 1.0


@pytest.mark.parametrize(("n", "trees"), [(0, 1), (1, 1), (2, 2), (3, 5), (4, 14)])
def test_shapes_are_counted_by_catalan(n, trees):
    assert math.exp(shape_nats(n) - integer_nats(n)) == pytest.approx(trees)


def test_structure_is_shape_and_labels():
    assert label_nats(4, 3) == pytest.approx(4 * math.log(3))
    assert structure_nats(3, 3) == pytest.approx(shape_nats(3) + label_nats(4, 3))


@pytest.mark.parametrize(("size", "pulses"), [(1, 3), (2, 3), (3, 4), (4, 2)])
def test_pulse_vectors_are_counted(size, pulses):
    values = range(-pulses, pulses + 1)
    count = sum(sum(map(abs, v)) == pulses for v in product(values, repeat=size))
    assert math.exp(pulse_vectors(size, pulses)) == pytest.approx(count)


def test_planes_satisfy_kraft():
    """Sum over all precisions of (vectors at it) exp(-nats): the probabilities of all messages."""
    total = sum(
        math.exp(pulse_vectors(3, pulses) - plane_nats(3, pulses)) for pulses in range(1, 2000)
    )
    assert 0.999 < total <= 1.0


def test_nats_rise_with_precision_and_features():
    assert plane_nats(5, 4) < plane_nats(5, 8) < plane_nats(6, 8)


def test_rounding_spends_its_pulses_and_comes_closer():
    plane = np.random.default_rng(0).normal(size=7)
    angles = []
    for pulses in (3, 12, 48, 192):
        rounded = quantise(plane, pulses)
        assert np.abs(rounded).sum() == pulses
        assert (rounded * plane >= 0).all()
        angles.append(rounded @ plane / np.linalg.norm(rounded) / np.linalg.norm(plane))
    assert angles == sorted(angles)
    assert angles[-1] > 0.999
    assert quantise([0.0, -2.0], 1).tolist() == [0, -1]
