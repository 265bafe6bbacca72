"""QPFS before three classifiers: the drawings of what is recorded, and of new tables."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from hlsvm.chapters.global_view import claims
from hlsvm.reproduce import draw, recorded, repository_root

METHODS = ("Linear SVM", "Nonlinear SVM", "H-LSVM", "H-LSVM, all rows")


@pytest.fixture(scope="module")
def table():
    """Return rows of four methods at three numbers of pixels, and published ones."""
    rows = [(n, name, 1.0 + k / n) for k, name in enumerate(METHODS) for n in (50, 400, 784)]
    frame = pd.DataFrame(rows, columns=["n_features", "method", "error_pct"])
    tree = frame.method.str.startswith("H-LSVM")
    frame["operations"] = frame.n_features * 7.0
    frame["hyp_max"] = np.where(tree, 9.0, np.nan)
    frame["operations_max"] = frame.n_features * frame.hyp_max
    for name in ("RE", "RCC", "RTT", "RCT", "RCC_max"):
        frame[name] = np.linspace(-0.1, 1, len(frame))
    frame["train_s"] = frame["test_s_per_pattern"] = frame.error_pct / 100
    printed = frame[frame.method != "H-LSVM, all rows"]
    return pd.concat([frame.assign(source="here"), printed.assign(source="published")])


def curves(axes):
    """Return the drawn curves by what the legend calls them."""
    named = [one for one in axes.get_lines() if not one.get_label().startswith("_")]
    return {one.get_label(): one for one in named}


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6])
def test_published_points_are_hollow_and_ours_are_not(table, number):
    fig = draw(table, f"Thesis.Fig6.{number}")
    for axes in fig.axes:
        drawn = curves(axes)
        assert {"H-LSVM", "H-LSVM, all rows", "RBF SVM, published"} <= set(drawn)
        assert drawn["H-LSVM, published"].get_markerfacecolor() == "none"
        assert drawn["H-LSVM"].get_markerfacecolor() != "none"
    plt.close(fig)


def test_the_levels_are_the_svms_with_all_pixels(table):
    fig = draw(table, "Thesis.Fig6.2")
    levels = {one.get_ydata()[0] for one in fig.axes[0].get_lines() if one.get_xdata()[-1] == 1}
    assert levels == {1.0, 1.0 + 1 / 784}
    most = curves(fig.axes[1])["H-LSVM, at most"]
    assert most.get_ydata().tolist() == [450.0, 3600.0, 7056.0]
    plt.close(fig)


def test_a_measure_that_is_missing_is_not_drawn(table):
    no_re = table.assign(RE=table.RE.where(table.method != "H-LSVM, all rows"))
    fig = draw(no_re, "Thesis.Fig6.3")
    assert "H-LSVM, all rows" not in curves(fig.axes[0])
    assert "H-LSVM, all rows" in curves(fig.axes[1])
    plt.close(fig)


def test_every_system_stands_at_its_operations_and_error(table):
    fig = draw(table, "Thesis.Fig6.6")
    tree = curves(fig.axes[0])["H-LSVM"]
    rows = table[(table.method == "H-LSVM") & (table.source == "here")]
    assert np.array_equal(tree.get_xydata(), rows[["operations", "error_pct"]])
    plt.close(fig)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_what_is_recorded_can_be_drawn(number):
    path = repository_root() / "figures" / f"thesis-fig6.{number}.csv"
    fig = draw(pd.read_csv(path), f"Thesis.Fig6.{number}")
    fig.canvas.draw()
    plt.close(fig)


@pytest.mark.parametrize(("error", "holds", "in_part"), [(1, True, True), (4, False, False)])
def test_a_claim_stands_and_falls_with_its_numbers(error, holds, in_part):
    table = recorded("Thesis.Tab6.2")
    changed = table.error_pct.where(table.method.isin(["Linear SVM", "Nonlinear SVM"]), error)
    verdict = claims.global_05_half_the_linear_error(table.assign(error_pct=changed))
    assert verdict[:2] == (holds, in_part)
