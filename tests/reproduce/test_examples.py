"""The examples in the docstrings of the room are run and right."""

import doctest
from importlib import import_module
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

ROOM = Path(__file__).resolve().parents[2] / "hlsvm" / "reproduce"
SHOWN = sorted(path.stem for path in ROOM.glob("*.py") if ">>> " in path.read_text("utf-8"))


@pytest.mark.parametrize("name", SHOWN)
def test_examples(name):
    with mpl.rc_context():
        failed, _ = doctest.testmod(
            import_module(f"hlsvm.reproduce.{name}".replace(".__init__", ""))
        )
    plt.close("all")
    assert failed == 0
