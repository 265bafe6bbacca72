"""Chapter 8: the propositions, rivals in another Python, and the drawings."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from hlsvm import datasets
from hlsvm.chapters.srs_svm import drawings, foreign, theory
from hlsvm.reproduce import Problem, draw, published

PROBLEM = Problem("banana", "banana_like", settings={"C": 10.0, "gamma": 1.0})


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_propositions_1_and_3_fail_as_shown():
    table = theory.proposition_1().set_index("samples")
    assert table.represents.tolist() == [True, True, True, False]
    table = theory.proposition_3().set_index("problem")
    assert "3" in table.support["all"]
    assert not table.support.drop("all").str.contains("3").any()
    assert table.loc["all", ["w1", "w2", "b"]].tolist() == pytest.approx(
        [8 / 9, 2 / 9, 7 / 9], abs=1e-5
    )


@pytest.fixture
def python(tmp_path, monkeypatch):
    """Return a Python in which every rival is installed, and in which nothing runs."""
    path = tmp_path / "python"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    monkeypatch.setenv("HLSVM_RIVALS_PYTHON", str(path))
    return path


def test_a_rival_that_is_not_installed_is_a_gap(python):
    assert all(isinstance(rival, foreign.Rival) for rival, _ in foreign.rivals().values())
    python.write_text("#!/bin/sh\nexit 1\n")
    for name, (gap, fits) in foreign.rivals().items():
        assert str(gap) == f"not run: {name} is not installed (HLSVM_RIVALS_PYTHON)"
        assert fits == 1


def test_a_rival_gets_data_and_settings_and_gives_labels(monkeypatch):
    child = (
        "import json, sys, numpy as np\n"
        "name, parts, C, gamma, out = sys.argv[1:]\n"
        "z = np.load(parts)\n"
        "np.save(out, np.sign(z['T'][:, 0]) * (len(z['y']) == len(z['X'])))\n"
        "print(json.dumps({'train_s': float(C) + float(gamma)}))\n"
    )
    monkeypatch.setattr(foreign, "_CHILD", child)
    rival = foreign.Rival("scikit-learn-intelex", sys.executable)
    data = datasets.load("banana_like").split(0.5)
    model = rival(PROBLEM, 0).fit(data.X_train, data.y_train)
    assert np.array_equal(model.predict(data.X_test), np.sign(data.X_test[:, 0]))
    assert model.train_s_ == 11.0
    monkeypatch.setattr(foreign, "_CHILD", "raise OSError('no memory')")
    with pytest.raises(RuntimeError, match="scikit-learn-intelex failed: OSError: no memory"):
        model.predict(data.X_test)


def steps():
    points = pd.DataFrame({"x1": [0, 1, 0, 1], "x2": [0, 1, 1, 0], "y": [1, 1, -1, -1]})
    points = points.assign(subclass=[0, 1, 0, 1], kept=[1, 1, 1, 0])
    lines = pd.DataFrame({"w1": [1.0, 0.0], "w2": [0.0, 1.0], "b": [-0.5, -0.25]})
    bent = {"x1": [0.0, 0.5, 1.0], "x2": [0.5, 0.4, 0.5], "piece": 0}
    pieces = [pd.DataFrame({**bent, "method": method}) for method in ("SRS-SVM", "LibSVM")]
    row = {"n": 4, "h": 2, "candidates": 3, "srs_accuracy_pct": 98.5, "libsvm_accuracy_pct": 99.9}
    numbers = pd.DataFrame([row])
    return {"points": points, "lines": lines, "boundaries": pd.concat(pieces), "numbers": numbers}


@pytest.mark.parametrize("id", ["SRS.Fig9", "SRS.Fig10"])
def test_steps_are_drawn_from_their_tables(id):
    fig = draw(steps(), id)
    titles = [axes.get_title() for axes in fig.axes]
    assert titles[0] == "(a) 4 samples"
    assert titles[1:3] == ["(b) subclasses and 2 lines, h = 2", "(c) 3 candidates"]
    assert titles[3] == "(d) 98.50 % right, LIBSVM 99.90 %"
    upright, level = fig.axes[1].lines
    assert upright.get_xy1()[0] == upright.get_xy2()[0] == 0.5
    assert level.get_xy1()[1] == level.get_xy2()[1] == 0.25
    assert sum(len(marks.get_offsets()) for marks in fig.axes[2].collections) == 3


def test_the_idea_rings_what_is_kept():
    _, right = draw(steps(), "SRS.Fig2").axes
    assert right.get_title() == "3 of 4 samples kept"
    assert len(right.collections[-1].get_offsets()) == 3


def test_a_curve_has_the_printed_seconds_beside_it():
    rows = [("SR", 9000, 0, 40.0), ("SR", 9000, 5, 20.0), ("SR", 4500, 0, 10.0)]
    table = pd.DataFrame(rows, columns=["dataset", "n", "h", "train_s"])
    (axes,) = draw(table, "SRS.Fig13").axes
    hollow = [curve for curve in axes.lines if curve.get_markerfacecolor() == "none"]
    printed = {(x, y) for curve in hollow for x, y in zip(*curve.get_data(), strict=True)}
    assert {(9000, 430.7), (9000, 176.6), (4500, 93)} <= printed
    names = [text.get_text() for text in axes.figure.legends[0].texts]
    assert {"LIBSVM", "SRS-SVM, h = 5", "printed (hollow)", "printed, h = 15"} <= set(names)
    three = draw(table.assign(dataset=["2CC", "3CC", "XOR"]), "SRS.Fig12").axes
    assert len({axes.get_ylim() for axes in three}) == 1


def test_a_heat_map_has_every_cell_printed_and_ours():
    cells = published("SRS.Tab7")[["h", "mu_rule"]]
    cells = cells.assign(train_s=3.5, accuracy_pct=84.25)
    cells.loc[0, ["train_s", "accuracy_pct"]] = np.nan
    printed, ours, seconds = drawings.heat_maps(cells, "SRS.Tab7").axes
    assert printed.texts[0].get_text() == "68.5"
    assert printed.images[0].get_clim() == ours.images[0].get_clim()
    assert len(ours.texts) == len(seconds.texts) == len(cells) - 1
    assert {text.get_text() for text in seconds.texts} == {"3.5"}


def test_a_sample_of_a_large_set_is_named_one():
    rows = {"x1": [0.0, 1], "x2": [0.0, 1], "y": [-1, 1]}
    sets = [pd.DataFrame({**rows, "set": f"h = {n}", "n": n}) for n in (2, 4000)]
    names = [axes.get_title() for axes in draw(pd.concat(sets), "SRS.FigA.15").axes]
    assert names == ["h = 2, n = 2", "h = 4000, n = 4000, 2 drawn"]
