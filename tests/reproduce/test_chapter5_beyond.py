"""Chapter 5's comparisons beyond its source: fronts, costs counted, thresholds, the fraud case."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification

from hlsvm.chapters.hlsvm import fraud, pareto
from hlsvm.chapters.hlsvm.practice import Settings, rivals
from hlsvm.reproduce import Recorder


@pytest.fixture
def record(tmp_path):
    return Recorder(scale="quick", seed=0, out_dir=tmp_path)


def test_front_is_what_no_point_beats():
    rng = np.random.default_rng(0)
    error, price = rng.integers(0, 6, 40).astype(float), rng.integers(0, 6, 40).astype(float)
    error[3] = np.nan
    found = pareto.front(error, price)
    for k in range(40):
        beaten = any(
            error[j] <= error[k]
            and price[j] <= price[k]
            and (error[j] < error[k] or price[j] < price[k])
            for j in range(40)
        )
        assert found[k] == (not beaten and not np.isnan(error[k]))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_costs_are_counted():
    X, y = make_classification(300, 7, n_classes=3, n_informative=5, random_state=0)
    settings = Settings(1.0, 1.0, 0.1, {"ours": {"lam": 1e-3, "min_fraction": 0.1}}, forest=3)
    found = {r.name: r.cost(r.make(0).fit(X, y), X) for r in rivals(settings, few=True, passes=3)}
    assert found["LIBLINEAR"] == 3 * 7
    assert found["MLP 8"] == 7 * 8 + 8 * 3
    assert found["LIBSVM"] % 7 == 0
    assert found["ours"] % 7 != 1 or found["ours"] >= 7
    assert 1 <= found["CART"] <= 20
    assert found["Forest"] > 2 * found["CART"] / 3
    slow = {r.name: r for r in rivals(settings, passes=3)}
    assert slow["Nystroem 30"].cost(slow["Nystroem 30"].make(0).fit(X, y), X) == 30 * (7 + 30 + 3)
    assert slow["AdaBoost"].cost(slow["AdaBoost"].make(0).fit(X, y), X) <= 200


def test_what_is_not_installed_says_so():
    extras = [r for r in rivals(Settings(1.0, 1.0, 0.1, {})) if r.package]
    assert {r.package for r in extras} == {"lightgbm", "stree", "obliquetree"}
    for rival in extras:
        assert rival.missing in ("", f"{rival.package} is not installed")


def test_quick_pareto(record):
    table = pareto.run(record, "quick", 0)
    assert set(table.dataset) == {case.name for case in pareto.cases("quick")}
    assert (table.status == "").all()
    assert table.groupby("dataset").front_operations.any().all()
    ours = table[table.look == "H-LSVM"]
    assert (ours.operations < table[table.method == "LIBSVM"].operations.min()).all()
    for price in pareto.PRICES:
        fig = pareto.draw(table, price)
        drawn = sum(len(line.get_xdata()) for axes in fig.axes for line in axes.lines)
        assert drawn >= table[price].notna().sum()
        plt.close(fig)
    assert pareto.summary(table).datasets.max() == 3


def test_a_picture_tells_the_forms_apart_and_names_only_what_it_shows():
    methods = [*pareto.cases("quick")[0].settings.trees, "CART", "STree"]
    table = pd.DataFrame(
        {
            "dataset": "IJCNN",
            "method": methods,
            "look": ["H-LSVM"] * 5 + ["CART", "SVM-Trees"],
            "error_pct": [3.0, 2.5, 2.0, 4.0, 1.5, 5.0, 6.0],
            "operations": [90.0, 80.0, 50.0, 9.0, 300.0, 8.0, np.nan],
            "front_operations": False,
        }
    )
    fig = pareto.draw(table, "operations")
    letters = {text.get_text(): text.xy for text in fig.axes[0].texts}
    assert letters == {"g": (90, 3), "r": (80, 2.5), "b": (50, 2), "a": (9, 4), "3": (300, 1.5)}
    named = [text.get_text() for text in fig.legends[0].get_texts()]
    assert "CART" in named
    assert "STree" not in named
    plt.close(fig)


def test_paper_cases_name_every_form():
    for case in pareto.cases("paper"):
        assert list(case.settings.trees) == list(pareto.cases("quick")[0].settings.trees)


def test_threshold_keeps_the_rate():
    rng = np.random.default_rng(0)
    for scores in (rng.random(1000), rng.integers(0, 5, 1000) / 4):
        for rate in (0.01, 0.3, 1.0):
            cut = fraud.threshold(scores, rate)
            assert (scores >= cut).mean() <= rate
            lower = scores[scores < cut]
            if len(lower):
                assert (scores >= lower.max()).mean() > rate


def test_thinned_share():
    y = np.r_[np.zeros(1000), np.ones(500)]
    X, thinned = fraud.thin(np.arange(1500.0)[:, None], y, 1, 0.005, 0)
    assert thinned.sum() == 5
    assert (thinned == 0).sum() == 1000
    assert_array_equal(thinned, y[X[:, 0].astype(int)])


def test_quick_fraud(record):
    table = fraud.run(record, "quick", 0)
    ran = table[table.status == ""]
    assert {"Python"} <= set(ran.through)
    assert (ran.p50_us <= ran.p99_us).all()
    assert (ran.p99_us <= ran.p999_us).all()
    assert ran.recall_pct.between(0, 100).all()
    assert ran.alerts_pct.max() < 5
    plt.close(fraud.draw(table))
    assert_allclose(fraud.spread(np.full(9, 20_000.0))["late_per_million"], 1e6)
    plt.close(fraud.draw(pd.DataFrame([{"method": "CART", "status": "not run: data"}])))
