"""Sliders draw what they say, and moving one changes it."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from hlsvm.datasets import load
from hlsvm.datasets.synthetic import xor
from hlsvm.reproduce import sliders

mpl.use("agg")


def title(fig):
    text = fig.axes[0].get_title()
    plt.close(fig)
    return text


def test_the_tree_grows_when_delta_falls():
    part = load("banana_like").split(0.8, seed=0)
    coarse, fine = (
        title(sliders.draw_tree(part, lam=1e-5, delta=delta, rho=0.0)) for delta in (0.2, 5e-3)
    )
    leaves = [int(text.split()[-2]) for text in (coarse, fine)]
    assert leaves[0] < leaves[1]


def test_alpha_trades_redundancy_for_relevance():
    wine = load("wine")
    some, one = (sliders.weights_of(wine.X, wine.y, alpha) for alpha in (0.2, 1.0))
    assert some.weight.sum() == pytest.approx(1.0)
    assert (some.weight > 1e-9).sum() > (one.weight > 1e-9).sum()
    assert one.weight.idxmax() == one.relevance.idxmax()
    assert title(sliders.draw_weights(wine.X, wine.y, alpha=1.0)).startswith("alpha = 1.00: 1 ")


def test_subclasses_are_drawn_with_what_is_kept():
    X, y = xor(300, seed=0)
    assert title(sliders.draw_subclasses(X, y, h=2)).startswith("h = 2: ")


@pytest.mark.parametrize("name", ["tree", "weights", "subclasses"])
def test_moving_a_slider_redraws(name, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        sliders, f"draw_{name}", lambda *_, **more: drawn.append(more) or plt.figure()
    )
    given = (load("banana_like").split(0.5, seed=0),) if name == "tree" else xor(50, seed=0)
    panel = getattr(sliders, name)(*given)
    control, image = panel.children[0], panel.children[-1]
    assert len(drawn) == 1
    assert bytes(image.value).startswith(b"\x89PNG")
    control.value = 10.0**control.min if name == "tree" else control.min
    assert len(drawn) == 2
    assert drawn[0] != drawn[1]
    assert drawn[1][control.description] == pytest.approx(control.value)
