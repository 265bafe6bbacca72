"""Drawings that several lessons share."""

import html
import re
from io import BytesIO

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from hlsvm import HLSVMClassifier
from hlsvm.chapters.lessons import (
    contrast,
    draw_changes,
    draw_questions,
    draw_tree,
    number_cuts,
    plane_sides,
    sliders,
)
from hlsvm.chapters.scoreboard import (
    draw_counts,
    draw_tiles,
    measured,
    sensitivity,
)
from hlsvm.chapters.scoreboard_words import choices
from hlsvm.reproduce import claim_counts, claims, repository_root
from hlsvm.reproduce.claim_verdicts import statements

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (300, 2))
TREE = HLSVMClassifier(lam=1e-3, random_state=0).fit(X, X.prod(axis=1) > 0).tree_


def test_a_sweep_is_compared_with_its_first_setting_division_by_division():
    rows = [
        {"C": C, "lam": lam, "division": k, "error": 5 + k + (lam == 2) * (C + k / 10)}
        for lam in (1, 2)
        for C in (3, 4)
        for k in range(4)
    ]
    table = pd.DataFrame(rows)
    found = contrast(table, "lam", "error", 0.25)
    assert found.index.names == ["C", "lam"]
    assert found.change.tolist() == ["reference", "+3.15 ± 0.31 *", "reference", "+4.15 ± 0.31 *"]
    assert found.gap.tolist() == pytest.approx([0, 3.15, 0, 4.15])
    other = contrast(table, "C", "error", 0.25, among=["lam", "C"])
    assert other.index.names == ["lam", "C"]
    assert other.decided.tolist() == [False] * 3 + [True]
    once = contrast(table[table.division == 0], "lam", "error", 0.25, digits=1)
    assert once.change.tolist() == ["reference", "+3.0", "reference", "+4.0"]
    assert not once.decided.any()
    _, axes = plt.subplots()
    draw_changes(axes, found, "lam")
    names = [text.split(" ")[0] for text in axes.get_legend_handles_labels()[1]]
    assert sorted(names) == ["C", "C", "no"]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2"]
    plt.close("all")


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


def test_a_tree_can_be_drawn_as_its_plane_is_read():
    sides = plane_sides(TREE)
    for node, children in sides.items():
        weights = TREE.weights[TREE.plane[node]]
        for child, word in children.items():
            way = {"above": (0, 1), "below": (0, -1), "left": (-1, 0), "right": (1, 0)}[word]
            assert (np.dot(weights, way) > 0) == (child == TREE.right[node])
        assert [*children.values()] in (["above", "below"], ["left", "right"])
    fig, (plane, nodes) = plt.subplots(1, 2)
    number_cuts(plane, TREE, X, sides=sides)
    draw_tree(nodes, TREE, numbered=True, sides=sides, text=dict.fromkeys(range(99), "a text"))
    places = {
        int(text.get_text().split("{")[1].split("}")[0]): text.get_position()
        for text in nodes.texts
        if "mathbf" in text.get_text()
    }
    assert sorted(places) == sorted(int(text.get_text()) for text in plane.texts)
    assert sorted(places, key=lambda k: (-places[k][1], places[k][0])) == sorted(places)
    assert sum(text.get_text() == "a text" for text in nodes.texts) == TREE.n_leaves
    plt.close(fig)


def boxes_of(tree):
    """Return the text of every node as `draw_tree` numbers it."""
    inner = [k for k in range(tree.n_nodes) if tree.left[k] >= 0]
    inner.sort(key=lambda k: (tree.depth[k], k))
    numbers = {node: f"mathbf{{{number}}}" for number, node in enumerate(inner, 1)}
    return [numbers.get(k, "") for k in range(tree.n_nodes)]


def test_a_drawn_tree_asks_what_the_tree_asks():
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, X[:, 0] > X[:, 1])
    draw_questions(model, ("no", "yes"))
    texts = [text.get_text() for text in plt.gca().texts]
    inner = model.tree_.feature >= 0
    asked = [text for text in texts if text.endswith("?")]
    features = model.tree_.feature[inner]
    assert all(f"x_{{{k + 1}}}" in text for k, text in zip(features, asked, strict=True))
    sizes = [int(text.split("\n")[1].split()[0]) for text in texts if "samples" in text]
    assert sorted(sizes) == sorted(model.tree_.n_node_samples[~inner])
    plt.close("all")


def test_every_count_is_in_the_bars():
    counts = claim_counts(headline=True)
    (axes,) = draw_counts({"claims": counts}).axes
    shown = sum(int(text.get_text()) for text in axes.texts if text.get_text().isdigit())
    assert shown == counts.to_numpy().sum()
    widths = [[bar.get_width() for bar in bars] for bars in axes.containers]
    np.testing.assert_allclose(np.sum(widths, axis=0), 1)


def test_every_headline_claim_is_a_tile_of_its_colour():
    states = claims(headline=True).verdict
    fig = draw_tiles(states)
    (axes,) = fig.axes
    words = {text.get_gid(): text for text in axes.texts if text.get_gid()}
    assert set(words) == set(states.index)
    shown = [" ".join(text.get_text().split()) for text in axes.texts if not text.get_gid()]
    assert sorted(shown) == sorted(measured())
    fig.canvas.draw()
    for tile, claim, number in zip(axes.patches, axes.texts[::2], axes.texts[1::2], strict=True):
        boxes = [part.get_window_extent() for part in (tile, claim, number)]
        for box in boxes[1:]:
            assert boxes[0].x0 <= box.x0 <= box.x1 <= boxes[0].x1, claim.get_text()
        lower, upper = boxes[2], boxes[1]
        assert boxes[0].y0 <= lower.y0 <= lower.y1 <= upper.y0 <= upper.y1 <= boxes[0].y1
    patches = zip(words, axes.patches, strict=True)
    looks = {id: (patch.get_facecolor(), patch.get_hatch()) for id, patch in patches}
    of = {state: {looks[id] for id in states.index[states == state]} for state in set(states)}
    assert all(len(one) == 1 for one in of.values())
    assert len(set.union(*of.values())) == len(of)


def test_every_claim_is_in_the_tables_with_its_rule_and_what_was_measured():
    path = repository_root() / "notebooks/experiments/12_scoreboard.ipynb"
    outputs = [o for cell in nbformat.read(path, 4).cells for o in cell.get("outputs", [])]
    tables = [o.get("data", {}).get("text/html", "") for o in outputs]
    cells = {html.unescape(c) for t in tables for c in re.findall("<t[dh]>(.*?)</t[dh]>", t)}
    written = statements()
    for id, claim in claims().iterrows():
        parts = claim.claim, claim.because, written.decided_by[id], written.changed[id]
        assert {id, *parts} <= cells


def test_the_verdicts_as_written_are_those_shown():
    headlines = claims(headline=True)
    judged = sensitivity(headlines)
    assert judged["as written"].equals(headlines.verdict[judged.index].rename("as written"))


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


# What notebook 12 counts in its picture and hands to the texts.
COUNTS = {"sets": 6, "ten": (4, "none"), "own": (3, "none")}
COUNTS |= {"times": (4.7, 1.2), "price": (6.2, 9.0), "least": 2.1}


def test_a_method_is_proposed_only_where_its_claims_hold():
    verdicts = claims(headline=True).verdict
    assert "](10_metric_tree.ipynb)" in choices(
        verdicts.where(verdicts.index != "QPFS.01", "holds"), **COUNTS
    )
    failed = choices(verdicts.where(verdicts.index != "METRIC.01", "does not hold"), **COUNTS)
    assert "](10_metric_tree.ipynb)" not in failed
    assert "see METRIC.01, METRIC.02" in failed
