"""The drawings and counts of chapter 5."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from hlsvm.chapters.hlsvm import schemes
from hlsvm.datasets import load


@pytest.mark.parametrize("draw", [schemes.decision_cost, schemes.cascades, schemes.oblique_tree])
def test_every_arrow_joins_two_boxes(draw):
    fig, drawn = draw()
    plt.close(fig)
    panels = drawn.groupby("panel") if "panel" in drawn else [("", drawn)]
    for _, panel in panels:
        boxes = set(panel["from"][panel["to"] == ""])
        arrows = panel[panel["to"] != ""]
        assert len(arrows) > 2
        assert set(arrows["from"]) | set(arrows["to"]) <= boxes


def test_a_tree_splits_every_node_in_two_and_ends_in_leaves():
    fig, drawn = schemes.oblique_tree()
    plt.close(fig)
    sides = drawn[drawn["to"] != ""].groupby("from").size()
    leaves = drawn[drawn.text == "leaf"]
    assert set(sides) == {2}
    assert len(leaves) == len(sides) + 1


def test_weighted_hinge_losses_are_convex_and_end_at_the_margin():
    table = schemes.hinge_losses()
    for nu, one in table.groupby("nu"):
        assert (one.loss[one.margin >= 1] == 0).all()
        assert (np.diff(one.loss, n=2) > -1e-12).all()
        assert one.loss.max() == pytest.approx(3 * nu)
    fig = schemes.draw_hinge_losses(table)
    assert len(fig.axes[0].lines) == table.nu.nunique()
    plt.close(fig)


def test_operations_are_counted_at_the_largest_size():
    data = load("banana_like", n=300)
    found = schemes.operations(data.X, data.y, (100, 300), repeats=1).set_index("algorithm")
    assert found.per_decision["Linear SVM"] == 1
    assert 10 < found.per_decision["SMO-SVM"] <= 300
    assert 1 < found.per_decision["H-LSVM"] < 20
    assert np.isfinite(found.exponent_N).all()
