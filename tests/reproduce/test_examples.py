"""The examples in the docstrings of the room are run and right."""

import doctest
from importlib import import_module

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

ROOM = (
    *("paths", "ids", "printed", "provenance", "records", "recorder", "columns", "quantities"),
    *("judge", "verdicts", "methods", "style", "planes", "timing", "checkpoints", "board"),
    *("gallery_page", "hygiene"),
)


@pytest.mark.parametrize("name", ROOM)
def test_examples(name):
    with mpl.rc_context():
        failed, _ = doctest.testmod(import_module(f"hlsvm.reproduce.{name}"))
    plt.close("all")
    assert failed == 0
