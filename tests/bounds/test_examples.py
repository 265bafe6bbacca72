"""The examples in the docstrings run, and every public name has one."""

import doctest
import importlib
import pkgutil

import pytest

import hlsvm.bounds

MODULES = [info.name for info in pkgutil.iter_modules(hlsvm.bounds.__path__, "hlsvm.bounds.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", hlsvm.bounds.__all__)
def test_every_public_name_has_an_example(name):
    assert ">>> " in getattr(hlsvm.bounds, name).__doc__
