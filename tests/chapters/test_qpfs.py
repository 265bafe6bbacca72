"""Chapter 3: its drawings, and the protocol that stands in its experiments notebook."""

import contextlib
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from hlsvm.chapters.evidence import resampled_t
from hlsvm.chapters.qpfs import claims, drawings
from hlsvm.reproduce import Problem, draw
from hlsvm.select import MRMR, QPFS

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "experiments" / "03_qpfs.ipynb"


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    """Run the set-up cells: the data, the protocol, the recorder."""
    names = {"__name__": "notebook"}
    with contextlib.chdir(tmp_path_factory.mktemp("qpfs")):
        for cell in nbformat.read(NOTEBOOK, 4).cells:
            if any(line.startswith("## ") for line in cell.source.splitlines()):
                return names
            if cell.cell_type == "code":
                exec(compile(cell.source, NOTEBOOK.name, "exec"), names)
    raise AssertionError("no section")


def test_selectors_share_the_folds_and_rank_in_the_training_part(setup):
    seen = []

    class Spy(MRMR):
        def fit(self, X, y):
            seen.append(X.sum())
            return super().fit(X, y)

    X, _ = load_wine(return_X_y=True)
    wine = Problem("Wine", "wine", settings={"n_bins": 3, "span": 6.0})
    rows = pd.DataFrame(setup["over_folds"](wine, Spy()))
    setup["over_folds"](wine, (Spy(), 10.0))
    trains = [X[train].sum() for train, _ in setup["divisions"](X, 1)]
    assert np.allclose(seen, trains * 2)
    assert rows.n_features.max() == 13
    assert rows.groupby("n_features").size().eq(5).all()
    assert rows[rows.n_features == 13].error_pct.mean() < 5


def test_a_selector_reads_features_as_its_problem_says(setup):
    coarse = Problem("Wine", "wine", settings={"n_bins": 5, "span": 9.5})
    made = setup["for_problem"](QPFS(nystrom=0.5), coarse, fold=3)
    assert (made.n_bins, made.span, made.random_state) == (5, 9.5, 3)
    a, b = (setup["balance"](one, "mi")["alpha_hat"] for one in (coarse, setup["sets"]["Wine"]))
    assert a != b
    assert 0 < a < 1


def test_votes_of_pairs_agree_with_libsvm(setup):
    images = setup["images"]
    ours = setup["votes"](images, np.arange(64))
    X, y, X_test, y_test = setup["divided"](images)
    libsvm = make_pipeline(MinMaxScaler(), SVC(kernel="linear")).fit(X, y)
    theirs = 100 * (1 - libsvm.score(X_test, y_test))
    assert ours == pytest.approx(theirs, abs=1.0)


def test_gaps_are_the_published_rows_of_the_sets_nobody_has(setup):
    setup = dict(setup)
    frame = pd.DataFrame({"dataset": ["ARR"], "n_features": [10], "qpfs_error_pct": [20.0]})
    assert len(setup["with_gaps"](frame, "Thesis.Tab3.5")) == 1  # quick: none is asked for
    setup["with_gaps"].__globals__["paper"] = True
    try:
        full = setup["with_gaps"](frame, "Thesis.Tab3.5")
    finally:
        setup["with_gaps"].__globals__["paper"] = False
    assert len(full) == 1 + 5 * 3
    assert full.status[full.dataset == "GCM"].str.startswith("not run: data").all()


def test_the_resampled_test_is_one_sided_and_wider_than_the_plain_one():
    gaps = np.array([2.0, 1.5, 1.5, 2.5])
    mean, error, p = resampled_t(gaps, 0.1)
    assert mean == pytest.approx(gaps.mean())
    assert error > gaps.std(ddof=1) / 2
    assert p < 0.05 < resampled_t(-gaps, 0.1)[2]
    assert resampled_t(np.zeros(4), 0.1)[2] == 0.5
    assert resampled_t(np.ones(4), 0.1)[2] == 0.0


def test_no_two_curves_of_a_figure_look_alike():
    labels = ["MaxRel", "mRMR MID", "mRMR MIQ", "ReliefF", "QPFS", "random"]
    labels += [f"QPFS alpha = {a:g}" for a in (0, 0.1, 0.3, 0.5, 0.7, 0.9)]
    labels += [f"QPFS+N p = {p:g}" for p in (0.05, 0.1, 0.2, 0.5)]
    look = drawings.looks([*labels, "MaxRel, published"])
    looks = [look[name] for name in labels]
    assert len({str(one["color"]) for one in looks}) == len(looks)
    assert len({(one["marker"], str(one["linestyle"])) for one in looks}) == len(looks)
    hollow = look["MaxRel, published"]
    assert (hollow["color"], hollow["mfc"]) == (look["MaxRel"]["color"], "none")
    assert r"$\hat\alpha$" in drawings.looks(["QPFS alpha^"])["QPFS alpha^"]["label"]


def _curve(name, error=(9.0, 5.0), dataset="MNIST"):
    frame = pd.DataFrame({"n_features": [10, 20], "error_pct": error, "error_pm": 0.5})
    return frame.assign(label=name, dataset=dataset)


def test_panels_share_their_axis_and_published_points_are_hollow():
    curves = {
        "a": pd.concat([_curve("MaxRel"), _curve("MaxRel, published")]),
        "b": _curve("mRMR MID", (30.0, 20.0)),
    }
    fig = draw(curves, "Thesis.Fig3.8")
    left, right = fig.axes
    assert left.get_ylim() == right.get_ylim()
    assert [line.get_markerfacecolor() == "none" for line in left.lines] == [False, True]
    assert "hollow: published" in fig.legends[0].get_title().get_text()
    plt.close(fig)


def test_relieff_does_not_stretch_the_axis_of_the_digits():
    names = ["MaxRel", "QPFS alpha = 0.469", "QPFS+N p = 0.2"]
    table = pd.concat([_curve("ReliefF", (90.0, 80.0)), *map(_curve, names)])
    fig = draw(table, "Thesis.Fig3.11")
    assert fig.axes[0].get_ylim()[1] < 15
    assert fig.axes[0].get_title().startswith("MNIST")
    plt.close(fig)


def test_published_points_decide_no_claim():
    names = ["mRMR MID", "QPFS alpha = 0.3", "QPFS alpha = 0.469"]
    curves = pd.concat(map(_curve, names))
    more = pd.concat([curves, _curve("MaxRel, published", (80, 70))])
    *verdict, gap = claims.qpfs_25_mnist_selectors(curves)
    *same, other = claims.qpfs_25_mnist_selectors(more)
    assert verdict == same
    assert gap.equals(other)


def test_the_claims_take_the_reading_of_srbct_that_meets_the_printed_alpha():
    table = pd.DataFrame({"dataset": ["ARR", "SRBCT", "SRBCT logarithms", "Colon"]})
    assert claims._reading(table).dataset.tolist() == ["ARR", "SRBCT"]
