"""Drawings that several lessons share."""

from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
import pytest

from hlsvm import HLSVMClassifier
from hlsvm.chapters.lessons import draw_tree, number_cuts, sliders
from hlsvm.chapters.scoreboard import draw_claims, draw_tiles, take_home
from hlsvm.reproduce import claim_counts, claims

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (300, 2))
TREE = HLSVMClassifier(lam=1e-3, random_state=0).fit(X, X.prod(axis=1) > 0).tree_


def test_cuts_have_the_same_numbers_in_the_plane_and_in_the_tree():
    fig, (plane, nodes) = plt.subplots(1, 2)
    number_cuts(plane, TREE, X)
    draw_tree(nodes, TREE, numbered=True)
    cuts = sorted(int(text.get_text()) for text in plane.texts)
    boxes = [text.get_text() for text in nodes.texts]
    assert cuts == list(range(1, TREE.n_leaves))
    assert sum("mathbf" in text for text in boxes) == len(cuts)
    for number, text in zip(cuts, plane.texts, strict=True):
        node = next(k for k in range(TREE.n_nodes) if f"mathbf{{{number}}}" in boxes_of(TREE)[k])
        weights = TREE.weights[TREE.plane[node]]
        value = np.dot(text.get_position(), weights) + TREE.offsets[node]
        assert abs(value) < 0.1 * np.linalg.norm(weights)
    plt.close(fig)


def boxes_of(tree):
    """Return the text of every node as `draw_tree` numbers it."""
    inner = [k for k in range(tree.n_nodes) if tree.left[k] >= 0]
    inner.sort(key=lambda k: (tree.depth[k], k))
    numbers = {node: f"mathbf{{{number}}}" for number, node in enumerate(inner, 1)}
    return [numbers.get(k, "") for k in range(tree.n_nodes)]


def test_every_claim_is_in_the_picture():
    counts = claim_counts("topic", headline=True)
    (axes,) = draw_claims(counts).axes
    shown = sum(int(text.get_text()) for text in axes.texts if text.get_text().isdigit())
    assert shown == counts.loc["all"].sum()


def test_every_headline_claim_is_a_tile_of_its_colour():
    verdicts = claims(headline=True).verdict
    (axes,) = draw_tiles(verdicts).axes
    words = {text.get_gid(): text for text in axes.texts}
    assert set(words) == set(verdicts.index)
    assert all(lines_of(text) <= 4 for text in words.values())
    colours = {id: axes.patches[k].get_facecolor() for k, id in enumerate(words)}
    shades = {
        verdict: {colours[id] for id in verdicts.index[verdicts == verdict]}
        for verdict in set(verdicts)
    }
    assert all(len(one) == 1 for one in shades.values())
    assert len(set.union(*shades.values())) == len(shades)


def lines_of(text):
    """Return how many lines a text of a figure has."""
    return len(text.get_text().splitlines())


def test_a_slider_redraws_its_picture():
    widgets = pytest.importorskip("ipywidgets")

    def draw(height):
        fig, axes = plt.subplots(figsize=(4.8, 3))
        axes.plot([0, height])
        return fig

    box = sliders(draw, height=widgets.FloatSlider(1.0))
    controls, image = box.children
    before = image.value
    controls.children[0].value = -1.0
    assert image.value != before
    assert plt.imread(BytesIO(image.value)).shape[1] == 960
    assert image.width == "480"


def test_a_line_to_take_home_follows_the_verdicts():
    verdicts = claims().verdict
    fine = verdicts.map(lambda _: "holds")
    poor = verdicts.map(lambda _: "does not hold")
    unknown = verdicts.map(lambda _: "cannot be told")
    texts = [take_home(one).splitlines()[2:] for one in (fine, poor, unknown)]
    assert all(a != b != c for a, b, c in zip(*texts, strict=True))
    assert all("still open" in line for line in texts[2])
