"""The examples of the room run and say what they print."""

import doctest
import importlib

import pytest

NAMES = ["_free_bias", "pegasos", "svc", "weights"]


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(f"hlsvm.linear.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
