"""The experiments of the DTSVM chapter on small data: parts, searches, gaps, claims."""

import numpy as np
import pandas as pd
import pytest

from hlsvm.chapters.dtsvm import bound, contest, problems, rivals, series, settings, tables
from hlsvm.datasets import load
from hlsvm.regions import DTSVMClassifier


@pytest.fixture(scope="module")
def parts():
    return problems.six_parts(load("banana_like", n=600), 0)


def test_six_parts_hold_every_row_once():
    data = load("wine")
    parts = problems.six_parts(data, 3)
    assert [len(parts.y), len(parts.y_val), len(parts.y_test)] == [120, 29, 29]
    assert parts.X.min() == 0.0
    assert parts.X.max() == 1.0
    labels = np.concatenate([parts.y, parts.y_val, parts.y_test])
    assert np.array_equal(np.bincount(labels), np.bincount(data.y_train))


def test_a_subset_keeps_every_class_and_its_share_to_validate(parts):
    small = parts.subset(40, 0)
    assert len(small.y) == 40
    assert len(small.y_val) == 10
    assert set(small.y) == set(parts.y)
    assert parts.subset(10**6, 0) is parts


def test_search_on_subsets_doubles_and_is_extrapolated(parts):
    found = rivals.searched("LIBSVM", parts, "1A1", start=30, budget=1e-9, fit_budget=1e-9)
    assert found["grown_n"] == [30, 60]
    assert found["extrapolated"]
    assert found["rows"] == 60
    expected, slope = rivals.extrapolate(found["grown_n"], found["grown_s"], len(parts.y))
    assert (found["train_s"], found["exponent"]) == (expected, slope)
    whole = rivals.searched("LASVM", parts, "1A1", start=400, budget=1e9, fit_budget=1e9)
    assert not whole["extrapolated"]
    assert whole["rows"] == 400
    assert whole["accuracy_pct"] > 80


def test_k_is_derived_from_one_search(parts):
    how = {"ceiling_size": 50, "C": [1, 10, 100], "gamma": [1, 10, 100]}
    wide = DTSVMClassifier(n_best=5, **how)
    wide.fit(parts.X, parts.y, validation=(parts.X_val, parts.y_val))
    for k in (1, 3, 5):
        own = DTSVMClassifier(n_best=k, **how)
        own.fit(parts.X, parts.y, validation=(parts.X_val, parts.y_val))
        chosen = settings.carried(wide.search_, k)
        assert chosen == (own.ceiling_size_, own.C_, own.gamma_)


@pytest.mark.parametrize("mode", contest.MODES)
def test_every_method_answers(mode):
    parts = problems.six_parts(load("wine"), 0)
    problem = problems.Problem("wine", "wine", ceiling_size=40)
    for method in ("CART", "DTSVM", "RDSVM", "Bagging", "CBD", "LIBLINEAR"):
        found = series.measure(method, parts, mode, problem, series.QUICK, 0)
        assert found["accuracy_pct"] > 75, method
        assert found["train_s"] >= 0


def test_terms_of_the_bound(parts):
    found = bound.terms(parts, "1A1", 100, 10.0, 10.0)
    assert found["R_over_L"] == pytest.approx(found["R_dtsvm"] / found["leaves"])
    assert found["T1"] == pytest.approx(found["R_dtsvm"] * np.log2(400))
    assert found["T1_as_defined"] == pytest.approx(found["R_dtsvm"] * np.log(400) ** 2)
    alone = bound.terms(parts, "1A1", 10**6, 10.0, 10.0)
    assert alone["R_dtsvm"] == pytest.approx(alone["S_global"])


class Recorder:
    def uses(self, data):
        return data


def test_a_gap_is_a_row():
    rows = tables.sizes(Recorder(), "paper", large=True)
    gaps = rows[rows.dataset.isin(["PPI", "KDD-full", "Webspam"])]
    assert gaps.status.str.startswith("not run: data").all()


def test_speed_up_and_ratio_are_over_libsvm():
    results = pd.DataFrame(
        [
            {"dataset": "a", "mode": "1A1", "method": "LIBSVM", "train_s": 8.0, "nesv": 10.0},
            {"dataset": "a", "mode": "1A1", "method": "DTSVM", "train_s": 2.0, "nesv": 0.0},
            {"dataset": "b", "mode": "1A1", "method": "DTSVM", "train_s": 2.0, "nesv": 4.0},
        ]
    )
    both = tables.against_libsvm(results.assign(rows=[5, 9, 9], extrapolated=[True, None, None]))
    assert both.speed_up.tolist()[:2] == [1.0, 4.0]
    assert both[["speed_up", "nesv_ratio"]].isna().sum().tolist() == [1, 2]
