"""DTSVM's experiments on small data: subsets, searches that are cut off, bagging, drawings."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from hlsvm.chapters.dtsvm import claims, drawings, rivals
from hlsvm.chapters.dtsvm.parts import Parts
from hlsvm.datasets import load
from hlsvm.regions import LASVMClassifier
from hlsvm.reproduce import draw
from hlsvm.reproduce.claim_verdicts import NotTold


@pytest.fixture(scope="module")
def parts():
    data = load("banana_like", n=600)
    X, X_rest, y, y_rest = train_test_split(data.X, data.y, train_size=400, random_state=0)
    X_val, X_test, y_val, y_test = train_test_split(X_rest, y_rest, test_size=0.5, random_state=0)
    return Parts(X, y, X_val, y_val, X_test, y_test)


def small_svc(C, gamma):
    return SVC(C=min(C, 100), gamma=gamma)


def test_a_subset_keeps_every_class_and_its_share_to_validate(parts):
    small = parts.subset(40, 0)
    assert len(small.y) == 40
    assert len(small.y_val) == 10
    assert set(small.y) == set(parts.y)
    assert small.X_test is parts.X_test
    assert parts.subset(10**6, 0) is parts


def test_a_search_takes_the_best_pair_and_of_equal_ones_the_smallest(parts):
    model, pair = rivals.search(small_svc, parts)
    scores = {
        pair: small_svc(*pair).fit(parts.X, parts.y).score(parts.X_val, parts.y_val)
        for pair in rivals.PAIRS
    }
    assert pair == min(scores, key=lambda pair: (-scores[pair], pair))
    assert model.score(parts.X_val, parts.y_val) == scores[pair]


def test_a_search_out_of_reach_doubles_and_is_extrapolated(parts):
    limits = {"start": 30, "budget": 1e-9, "fit_budget": 1e-9}
    model, report = rivals.grown_search(small_svc, parts, whole=False, **limits)
    assert report["grown_n"] == [30, 60]
    assert report["basis"] == "extrapolated"
    assert report["rows"] == 60
    assert model.shape_fit_[0] == 60
    expected = rivals.extrapolate(report["grown_n"], report["grown_s"], len(parts.y))
    assert (report["train_s"], report["exponent"]) == expected


def test_the_pair_of_a_search_cut_off_is_trained_on_more_rows(parts):
    limits = {"start": 30, "budget": 1e-9, "fit_budget": 1e9}
    model, report = rivals.grown_search(small_svc, parts, whole=False, **limits)
    assert report["basis"] == "extrapolated"
    assert report["rows"] == len(parts.y) == model.shape_fit_[0]
    assert (model.C, model.gamma) == (min(report["C"], 100), report["gamma"])


def test_a_whole_search_goes_to_all_rows_and_checks_the_power_law(parts):
    limits = {"start": 30, "budget": 1e-9, "fit_budget": 1e-9}
    model, report = rivals.grown_search(small_svc, parts, whole=True, **limits)
    assert report["grown_n"] == [30, 60, 400]
    assert report["basis"] == "all rows"
    assert report["train_s"] == report["grown_s"][-1]
    law = rivals.extrapolate(report["grown_n"][:2], report["grown_s"][:2], 400)
    assert (report["power_law_s"], report["exponent"]) == law
    assert model.shape_fit_[0] == 400


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_lasvm_is_searched_in_the_same_way(parts):
    def make(C, gamma):
        return LASVMClassifier(min(C, 10), gamma, max_iter=200, random_state=0)

    small = parts.subset(100, 0)
    limits = {"start": 100, "budget": 1e9, "fit_budget": 1e9}
    model, report = rivals.grown_search(make, small, whole=False, **limits)
    assert report["basis"] == "all rows"
    assert model.score(parts.X_test, parts.y_test) > 0.8


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_bagging_votes(multiclass):
    data = load("wine")
    X, X_val, y, y_val = train_test_split(data.X, data.y, train_size=120, random_state=0)
    low, high = X.min(axis=0), X.max(axis=0)
    X, X_val = (X - low) / (high - low), (X_val - low) / (high - low)
    model = rivals.GridBagging(multiclass, size=60, most=3, random_state=0)
    model.fit(X, y, validation=(X_val, y_val))
    assert 1 <= len(model.machines_) <= 3
    assert model.n_support_total_ == sum(machine.n_support for machine in model.machines_)
    assert (model.predict(X_val) == y_val).mean() > 0.9
    again = rivals.GridBagging(multiclass, size=60, most=3, random_state=0)
    again.fit(X, y, validation=(X_val, y_val))
    assert np.array_equal(again.predict(X), model.predict(X))


def table(**columns):
    rows = [("a", "LIBSVM"), ("a", "DTSVM"), ("a", "CART"), ("b", "DTSVM"), ("b", "CART")]
    return pd.DataFrame(rows, columns=["dataset", "method"]).assign(**columns)


def fills(fig):
    """Return the fill of every dot that is drawn."""
    lines = [line for line in fig.axes[0].lines if line.get_marker() in "^vDs"]
    return [line.get_markerfacecolor() for line in lines if len(line.get_xdata())]


def test_what_is_not_of_all_rows_is_hollow():
    basis = ["extrapolated", "all rows", "all rows", "all rows", "sample"]
    fig = draw(table(train_s=[9.0, 1.0, 2.0, 3.0, 4.0], basis=basis), "DTSVM.Fig4")
    assert sum(fill == "white" for fill in fills(fig)) == 2
    assert len(fills(fig)) == 5


def test_ratios_leave_out_what_the_paper_leaves_out():
    numbers = [1.0, 5.0, np.nan, 7.0, np.nan]
    assert len(fills(draw(table(nesv_ratio=numbers), "DTSVM.Fig8"))) == 2
    numbers = [1.0, 5.0, 9.0, 7.0, np.nan]
    assert len(fills(draw(table(speed_up=numbers), "DTSVM.Fig10"))) == 3


def test_a_set_without_numbers_is_named_and_takes_no_place():
    fig = draw(table(accuracy_pct=[99.0, 98.0, 97.0, np.nan, np.nan]), "DTSVM.Fig6")
    assert [text.get_text() for text in fig.axes[0].get_yticklabels()] == ["a"]
    assert fig._supxlabel.get_text() == "not run: b"
    both = {"accuracy_pct": table(accuracy_pct=[99.0, 98.0, 97.0, np.nan, np.nan])}
    both["train_s"] = table(train_s=[9.0, 1.0, 2.0, np.nan, np.nan])
    assert len(drawings.overview(both).axes) == 2


def test_accuracies_are_drawn_as_points_above_the_reference():
    rows = pd.DataFrame({"dataset": "a", "k": [1, 5, 9], "test_accuracy_pct": [98.0, 99.0, 99.5]})
    heights = draw(rows, "DTSVM.Fig2").axes[0].containers[0].lines[0].get_ydata()
    assert heights.tolist() == [-1.0, 0.0, 0.5]


def _figures(**columns):
    """Return the figures of both modes for one quantity on the sets of the claims."""
    sets = ["Letter", "Shuttle", "Poker", "CI", "KDD-10%", "Forest sample"]
    rows = [
        {"dataset": name, "method": method, "value": value, "basis": "all rows"}
        for name in sets
        for method, value in columns.items()
    ]
    return [pd.DataFrame(rows)] * 2


def _of(quantity, **columns):
    return [frame.rename(columns={"value": quantity}) for frame in _figures(**columns)]


def test_claims_about_rivals_are_decided_by_whole_runs_only():
    seconds = _of("train_s", CART=1, DTSVM=2, RDSVM=30, LIBSVM=90)
    assert claims.dtsvm_03_only_cart_is_faster(*seconds)[0]
    slow = _of("train_s", CART=1, DTSVM=50, RDSVM=30, LIBSVM=90)
    assert claims.dtsvm_03_only_cart_is_faster(*slow)[:2] == (False, False)
    nesv = _of("nesv", DTSVM=0.5, RDSVM=20, LIBSVM=40)
    assert claims.dtsvm_04_fewest_encountered(*nesv)[0]
    assert claims.dtsvm_15_support_vectors_on_large_sets(*nesv, *nesv)[0]
    same = _of("accuracy_pct", DTSVM=95, RDSVM=94.8, CBD=92, Bagging=80)
    assert claims.dtsvm_09_random_partition(*same, *seconds, *nesv)[0]
    gain = _of("speed_up", DTSVM=100, CBD=5, Bagging=0.2, LASVM=2)
    ratio = _of("nesv_ratio", DTSVM=80, CBD=4, Bagging=0.5, LASVM=3)
    assert claims.dtsvm_10_boundary_detection(*same, *gain, *ratio)[0]
    assert claims.dtsvm_11_bagging(*same, *gain, *ratio)[0]
    assert claims.dtsvm_12_online_svm(*gain, *ratio)[0]
    parts = [frame.assign(basis="sample") for frame in seconds]
    with pytest.raises(NotTold, match=r"training times on all rows .* CART, DTSVM, LIBSVM, RDSVM"):
        claims.dtsvm_03_only_cart_is_faster(*parts)


@pytest.mark.parametrize(("first", "second", "answer"), [(1500, 6000, True), (6000, 1500, False)])
def test_the_claim_about_ceilings_needs_both_methods(first, second, answer):
    table = pd.DataFrame(
        [
            {"dataset": name, "mode": "1A1", "method": method, "sigma_opt": sigma, "rows": 9000}
            for name in ("CI", "Poker", "Forest sample")
            for method, sigma in (("DTSVM", first), ("RDSVM", second))
        ]
    )
    assert claims.dtsvm_18_smallest_ceiling(table, table[:0])[0] == answer
