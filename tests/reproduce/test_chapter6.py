"""Chapter 6's experiments on small data: protocol, gaps, claims that can fail."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hlsvm import HLSVMClassifier, datasets
from hlsvm.chapters.bounds import complexity, contest, judged, pictures, regions, shape, validity
from hlsvm.chapters.hlsvm.problems import problem
from hlsvm.datasets import Dataset
from hlsvm.regions import DTSVMClassifier
from hlsvm.reproduce import Recorder


@pytest.fixture(scope="module")
def entry():
    return problem("Banana-like", "quick")


@pytest.fixture(scope="module")
def part():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (900, 2))
    y = np.where(X.prod(axis=1) > 0, 1, -1)
    y = np.where(random.uniform(size=900) < 0.05, -y, y)
    return Dataset(
        X_train=X[:600], y_train=y[:600], X_test=X[600:], y_test=y[600:], name="quarters"
    )


@pytest.fixture(scope="module")
def walks(entry, part):
    rows = [
        {"dataset": "quarters", "protocol": "made", "seed": k, **row}
        for k in range(2)
        for row in complexity.walk(entry, part, k, grid=(0.3, 0.1, 0.02))
    ]
    return pd.DataFrame([*rows, {"dataset": "gone", "protocol": "made", "status": "not run: data"}])


def test_trees_along_delta_are_nested(walks):
    ran = walks[walks.delta.notna()]
    assert ran.nested.astype(bool).all()
    assert ran[ran.seed == 0].leaves.is_monotonic_increasing
    np.testing.assert_allclose(ran.gap, ran.test_error - ran.training_error)


def test_a_tree_is_nested_only_in_its_own_growth(part):
    trees = [
        HLSVMClassifier(lam=lam, min_fraction=delta, random_state=0)
        .fit(part.X_train, part.y_train)
        .tree_
        for lam, delta in ((1e-5, 0.1), (1e-5, 0.02), (1e-1, 0.02))
    ]
    assert complexity.nested(trees[0], trees[1])
    assert not complexity.nested(trees[1], trees[0])
    assert not complexity.nested(trees[0], trees[2])


def test_correlation_of_lines_and_of_noise(walks):
    made = walks[walks.delta.notna()].assign(gap=lambda rows: 0.1 * rows.T_comp + 0.3)
    row = complexity.correlation(made).iloc[0]
    assert row.correlation == pytest.approx(1.0)
    assert row.low == pytest.approx(1.0)
    assert row.seeds == 2
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        flat = complexity.correlation(made.assign(gap=0.2)).iloc[0]
    assert np.isnan(flat.correlation)
    turned = complexity.correlation(made.assign(gap=-made.T_comp)).iloc[0]
    assert turned.correlation == pytest.approx(-1.0)


def test_gaps_in_the_data_are_rows(walks):
    found = complexity.correlation(walks)
    assert found.dataset.tolist() == ["quarters"]
    answers = complexity.answers(found).set_index("id")
    assert answers.status.eq("not run: data").all()
    ijcnn = found.assign(dataset="IJCNN", protocol="division that comes with the data")
    answers = complexity.answers(ijcnn).set_index("id")
    assert answers.value["Thesis.text080"] == answers.value["HLSVM.text031"]
    assert answers.status["Thesis.text081"] == "not run: data"
    assert complexity.drawn(walks).delta.notna().all()


def test_shape_says_what_else_is_linear(walks):
    row = shape.rivals(walks).iloc[0]
    ran = walks[walks.delta.notna()]
    assert row.least_c == pytest.approx((ran.gap / ran.T_comp).max())
    assert 0 < row.effective_share <= 1 + 1e-9


def test_redivided_keeps_the_rows(entry, part):
    fixed = replace(entry, test_size=None)
    again = complexity.redivided(fixed, part, 3)
    assert len(again.y_train) == 600
    whole = [np.sort(np.concatenate([d.X_train, d.X_test]), axis=0) for d in (part, again)]
    np.testing.assert_array_equal(*whole)
    assert not np.array_equal(again.X_train, part.X_train)


def test_growth_at_quick_scale(tmp_path):
    table = complexity.along_size(Recorder(out_dir=tmp_path), "quick", 0)
    assert (table.nodes == table.leaves - 1).all()
    assert table.n.is_monotonic_increasing


def test_consistent_trees_are(entry):
    table = complexity.consistent_trees((60, 200), 0, n_test=500)
    assert (table.complexity > table.test_error).all()


@pytest.mark.parametrize("method", contest.METHODS)
def test_every_way_is_measured(entry, part, method):
    found = contest.measure(method, entry, part)
    assert 0 <= found.test_error < 0.5
    assert found.leaves >= 2
    if method in (contest.WHOLE, contest.COST_COMPLEXITY):
        assert np.isnan(found.bound)
    else:
        assert found.test_error < found.bound <= 1.0


def _rows(**change):
    base = {"dataset": "a", "tree_error": 0.1, "test_error": 0.1, "leaves": 4, "test_rows": 1000}
    rows = [
        {**base, "method": contest.COST_COMPLEXITY, "bound": np.nan},
        {**base, "method": contest.HOLD_OUT, "bound": 0.12},
        {**base, "method": contest.OCCAM, "bound": 0.6, "tree_error": 0.05},
        {**base, "method": contest.INFORMED, "bound": 0.2, "tree_error": 0.13} | change,
        {"dataset": "b", "status": "not run: data"},
    ]
    return pd.DataFrame(rows)


def test_verdicts_and_pruning_by_hand():
    row = judged.verdicts(_rows()).iloc[0]
    assert row.tightest == contest.INFORMED
    assert row.distance == pytest.approx(0.1)
    assert (row.below_half, row.violated, row.hold_out) == ("1 of 2", 0, 0.12)
    # Chosen by its bound, not by its error.
    pruned = judged.pruning(_rows()).iloc[0]
    assert pruned.by_bound == contest.INFORMED
    assert pruned.difference == pytest.approx(3.0)


def test_a_violated_bound_is_counted():
    assert judged.verdicts(_rows(test_error=0.3)).violated.iloc[0] == 1
    # 0.21 on a thousand rows does not show that the error is above 0.2.
    assert judged.verdicts(_rows(test_error=0.21)).violated.iloc[0] == 0
    assert not judged.verdicts(_rows()).hold_out_broken.iloc[0]


def test_draws_are_the_same_whatever_the_workers():
    one = validity.draws(2, n=60, seed=1, n_jobs=1)
    two = validity.draws(2, n=60, seed=1, n_jobs=2)
    pd.testing.assert_frame_equal(one, two)


def test_true_errors_of_the_lattice_are_sums():
    lattice = validity.Lattice(0.1)
    assert lattice.error(lattice.truth) == pytest.approx(0.1)
    assert lattice.error(-lattice.truth) == pytest.approx(0.9)
    X, y = lattice.draw(20_000, np.random.default_rng(0))
    assert np.mean(y != np.where(X.prod(axis=1) > 0, 1, -1)) == pytest.approx(0.1, abs=0.01)


def test_chunks_count_on(tmp_path):
    record = Recorder(out_dir=tmp_path)
    table = validity.in_chunks(record, 3, chunk=2, n=60, delta=0.5)
    assert sorted(table.draw.unique()) == [0, 1, 2]
    fig, shown = pictures.draw_validity(table)
    assert len(fig.axes) >= len(validity.METHODS)
    assert len(shown) == len(table)


def test_dtsvm_terms_of_one_leaf_are_those_of_one_svm():
    random = np.random.default_rng(0)
    X = random.uniform(size=(240, 3))
    y = (X[:, 0] * 3).astype(int)
    found = regions.measure(X[:160], y[:160], X[160:], y[160:], "1A1", ceiling=200, seed=0)
    assert found["n"] == 160
    assert found["L"] == 1
    assert found["R_dtsvm"] == pytest.approx(found["S_global"])
    assert found["T1"] == pytest.approx(found["R_dtsvm"] * np.log2(160))
    split = regions.measure(X[:160], y[:160], X[160:], y[160:], "1AO", ceiling=50, seed=0)
    assert split["L"] > 1
    assert split["R_over_L"] == pytest.approx(split["R_dtsvm"] / split["L"])


def test_mean_ratio_divides_by_the_two_class_problems():
    random = np.random.default_rng(1)
    X = random.normal(size=(90, 2))
    y = np.repeat([0, 1, 2], 30)
    model = DTSVMClassifier(C=1.0, gamma=1.0, climb=False, ceiling_size=100).fit(X, y)
    total = sum(
        float(np.sum(m.squared_norm) + np.sum(m.squared_slack)) for m in model.machines_ if m
    )
    assert regions.mean_ratio(model, "1A1") == pytest.approx(total / 3)
    assert regions.n_classifiers(2, "1A1") == regions.n_classifiers(2, "1AO") == 1
    assert regions.n_classifiers(10, "1A1") == 45
    assert regions.n_classifiers(10, "1AO") == 10


def test_pictures_draw_what_ran(walks):
    found = complexity.correlation(walks)
    assert len(pictures.draw_walks(walks, found).axes) == 1
    fig = pictures.draw_bounds(_rows())
    assert [text.get_text() for text in fig.axes[0].get_xticklabels()] == ["a"]


def test_what_a_way_finds_does_not_depend_on_the_others():
    some = [validity.COMPRESSION, "Occam, hyperplanes moved"]
    every = validity.draws(2, n=60, seed=1)
    alone = validity.draws(2, n=60, seed=1, methods=some)
    kept = every[every.method.isin(some)].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone)
    assert set(every.method) == set(validity.METHODS) >= set(contest.PRUNED_BY_BOUND)


def test_parts_may_keep_some_training_rows_of_every_class():
    data = datasets.load("digits", scale="minmax")
    whole, fewer = regions.parts(data, 0), regions.parts(data, 0, 100)
    assert (len(whole[1]), len(fewer[1])) == (1198, 100)
    assert np.bincount(fewer[1]).min() >= 9
    np.testing.assert_array_equal(fewer[3], whole[3])


def test_a_part_of_a_set_stands_under_its_own_name(tmp_path, monkeypatch):
    sets = {"quick": {"Digits": ("digits", 60, 80), "gone": ("no such set", 60, None)}}
    monkeypatch.setattr(regions, "_SETS", sets)
    monkeypatch.setattr(regions, "load", _digits_or_nothing)
    monkeypatch.setattr(regions, "measure", lambda X, y, *rest, **how: {"n": len(y)})
    table = regions.bound_terms(Recorder(out_dir=tmp_path), "quick", 0)
    status = dict(zip(table.dataset, table.status.fillna(""), strict=True))
    assert status == {
        "Digits": "not run: hours",
        "Digits, 80 rows": "",
        "gone": "not run: data (no such set)",
    }
    assert (table[table.dataset == "Digits, 80 rows"].n == 80).all()
    assert len(table) == 6


def _digits_or_nothing(name, **options):
    if name != "digits":
        raise datasets.DataUnavailable(name)
    return datasets.load(name, **options)
