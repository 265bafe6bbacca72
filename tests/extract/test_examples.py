"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import hlsvm.extract

MODULES = [info.name for info in pkgutil.iter_modules(hlsvm.extract.__path__, "hlsvm.extract.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0


def test_estimators_have_examples():
    finder = doctest.DocTestFinder(recurse=False)
    for estimator in (hlsvm.extract.KernelFisher, hlsvm.extract.KQPFS):
        assert finder.find(estimator)[0].examples
