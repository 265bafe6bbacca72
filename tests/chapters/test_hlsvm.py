"""Chapter 5: prices of a decision, Pareto fronts, thresholds, problems, drawings of old and new."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm import HLSVMClassifier, datasets
from hlsvm.chapters.hlsvm import prices
from hlsvm.chapters.hlsvm.problems import Problem
from hlsvm.chapters.hlsvm.stumps import HistogramStump, as_codes
from hlsvm.reproduce import NotRun, drawings, published
from hlsvm.reproduce.repository import repository_root


def test_front_is_what_no_point_beats():
    rng = np.random.default_rng(0)
    error, price = rng.integers(0, 6, 40).astype(float), rng.integers(0, 6, 40).astype(float)
    error[3] = np.nan
    best = prices.front(error, price)
    for k in range(40):
        beaten = any(
            error[j] <= error[k]
            and price[j] <= price[k]
            and (error[j] < error[k] or price[j] < price[k])
            for j in range(40)
        )
        assert best[k] == (not beaten and not np.isnan(error[k]))


def test_every_data_set_has_a_front_of_its_own():
    table = pd.DataFrame(
        {"dataset": list("aabb"), "error_pct": [1.0, 2, 5, 4], "operations": [1.0, 2, 1, 2]}
    )
    fronts = prices.with_fronts(table, "operations").front_operations
    assert fronts.tolist() == [True, False, True, True]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_operations_are_counted():
    X, y = make_classification(300, 7, n_classes=3, n_informative=5, random_state=0)

    def cost(model):
        return prices.operations(model.fit(X, y), X)

    assert cost(LinearSVC()) == 3 * 7
    assert cost(make_pipeline(StandardScaler(), LinearSVC())) == 3 * 7
    assert cost(MLPClassifier((8,), max_iter=3)) == 7 * 8 + 8 * 3
    assert cost(SVC()) % 7 == 0
    assert cost(make_pipeline(Nystroem(n_components=30), LinearSVC())) == 30 * (7 + 30 + 3)
    one = cost(DecisionTreeClassifier(random_state=0))
    assert 1 <= one <= 20
    assert cost(RandomForestClassifier(3, random_state=0)) > 2 * one / 3
    stumps = AdaBoostClassifier(n_estimators=20, random_state=0)
    assert cost(stumps) == 2 * len(stumps.estimators_)
    tree = HLSVMClassifier(1e-3, min_fraction=0.1)
    assert cost(tree) == pytest.approx(7 * tree.n_hyperplanes(X).mean())


def test_threshold_keeps_the_rate():
    rng = np.random.default_rng(0)
    for scores in (rng.random(1000), rng.integers(0, 5, 1000) / 4):
        for rate in (0.01, 0.3, 1.0):
            cut = prices.threshold(scores, rate)
            assert (scores >= cut).mean() <= rate
            lower = scores[scores < cut]
            if len(lower):
                assert (scores >= lower.max()).mean() > rate


def test_calls_are_timed_one_by_one():
    seen = []
    spent = prices.call_times(seen.append, [1, 2, 3])
    assert seen == [1, 1, 2, 3]
    assert len(spent) == 3
    assert_allclose(prices.percentiles(np.full(9, 20.0))["p99_us"], 20)


def test_the_exported_c_is_timed_once_per_row():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = HLSVMClassifier(1e-3).fit(X, X[:, 0] > 0)
    spent = prices.c_times(model, X)
    assert isinstance(spent, NotRun) or (len(spent) == 60 and (spent >= 0).all())


@pytest.fixture
def sets():
    """Return the data sets that the notebook names at a scale."""
    cells = json.loads((repository_root() / "notebooks/experiments/05_hlsvm.ipynb").read_text())
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells["cells"]}

    def of(scale):
        names = {"np": np, "Problem": Problem, "published": published, "n_deformed": 1000}
        names["quick"] = scale == "quick"
        for id in ("divisions", "sets"):
            exec(sources[id], names)
        return names["sets"]

    return of


def test_problems_say_what_is_missing_without_loading(sets):
    assert all(entry.gap() is None for entry in sets("quick"))
    known = {entry.name: entry for entry in sets("paper")}
    gap = known["M3Vom8"].gap()
    assert str(gap) == "not run: data (mnist8m; the deformed digits stand in)"
    for entry in known.values():  # a stand-in has a name of its own
        if entry.data and not entry.deformed:
            assert (entry.gap() is None) == bool(datasets.available(entry.data, sample=False))
    assert known["IJCNN"].lam == 1e-5
    assert known["IJCNN"].price == 7.28


ERRORS = pd.DataFrame(
    {
        "dataset": ["IJCNN"] * 3,
        "method": ["Linear SVM", "H-LSVM", "Non-linear SVM"],
        "cost": [1.0, 7.0, 3000.0],
        "error_pct": [8.0, 2.9, 1.0],
    }
)


def test_published_points_are_hollow():
    both = pd.concat([ERRORS.assign(source="here"), ERRORS.assign(source="published")])
    fig = drawings.draw(both, "Thesis.Fig5.6")
    marks = [line.get_markerfacecolor() for line in fig.axes[0].lines]
    assert marks.count("none") == 3
    assert len(marks) == 6
    fig = drawings.draw(ERRORS, "Thesis.Fig5.6")  # as recorded before
    assert len(fig.axes[0].lines) == 3
    plt.close("all")


def test_forms_of_h_lsvm_have_marks_of_their_own_and_no_error_is_shown_at_the_edge():
    table = pd.DataFrame(
        {
            "dataset": "IJCNN",
            "method": ["H-LSVM", "H-LSVM, best", "CART", "MLP 8", "MLP 32"],
            "look": ["H-LSVM", "H-LSVM", "CART", "MLP", "MLP"],
            "error_pct": [3.0, 4.0, 5.0, 6.0, 0.0],
            "operations": [90.0, 9.0, 9.0, 200.0, 300.0],
        }
    )
    fig = drawings.draw(prices.with_fronts(table, "operations"), "Beyond.Fig1")
    marks = {line.get_label(): line for line in fig.axes[0].lines}
    assert {"H-LSVM", "H-LSVM, best", "decision tree", "MLP"} <= set(marks)
    assert marks["H-LSVM"].get_marker() != marks["H-LSVM, best"].get_marker()
    assert marks["H-LSVM"].get_markeredgecolor() == "black"
    assert min(line.get_ydata().min() for line in fig.axes[0].lines) == 1.5
    plt.close(fig)


def test_adaboost_with_stumps_by_histogram_is_adaboost_with_trees_of_depth_1():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (500, 12)).astype(np.uint8)
    y = np.where(X[:, 0].astype(int) + X[:, 1] + rng.normal(0, 60, 500) > 250, 1, -1)
    tree = DecisionTreeClassifier(max_depth=1)
    ours, theirs = (
        AdaBoostClassifier(one, n_estimators=30, random_state=0).fit(X, y)
        for one in (HistogramStump(), tree)
    )
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_)


def test_only_grey_levels_are_codes():
    assert as_codes(np.array([[0.0, 1.0], [0.2, 17 / 255]])).tolist() == [[0, 255], [51, 17]]
    assert as_codes(np.array([[0.001]])) is None
    assert as_codes(np.array([[-1.0]])) is None
    with pytest.raises(TypeError, match="uint8"):
        HistogramStump().fit(np.zeros((2, 1)), [0, 1])


def test_a_stump_of_equal_rows_answers_the_larger_class():
    X = np.zeros((3, 2), np.uint8)
    assert HistogramStump().fit(X, [0, 1, 1]).predict(X).tolist() == [1, 1, 1]
