"""Chapter 8's experiments on made data: protocol, gaps, claims, pictures."""

import sys
from dataclasses import replace
from math import ceil

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from hlsvm import SRSSVC, datasets
from hlsvm.chapters.srs_svm import (
    answers,
    beside,
    contest,
    drawings,
    foreign,
    grid,
    growth,
    pictures,
    problems,
    recorded,
    scale,
    series,
    theory,
)
from hlsvm.datasets import Dataset, DataUnavailable
from hlsvm.reproduce import Recorder
from hlsvm.subclass import set_quality

PROBLEM = problems.Problem("rings", "two_circles", 10.0, 1.0, 3, pieces=20, choose=(2, 3))


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(500) % 2 == 0, 1, -1)
    radius, angle = (
        np.where(y > 0, 1.0, 1.7) + 0.3 * rng.standard_normal(500),
        rng.uniform(0, 7, 500),
    )
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return Dataset(X[:300], y[:300], X[300:], y[300:], name="rings")


@pytest.fixture(scope="module")
def results(data):
    methods = (contest.LIBSVM, contest.LLSVM, contest.SRS, contest.FAST, contest.EXACT)
    return {"rings": {m: contest.measure(m, PROBLEM, data, 0) for m in methods}}


def test_a_method_is_measured_with_the_settings_of_the_problem(data, results):
    reference = SVC(C=10.0, gamma=1.0).fit(data.X_train, data.y_train)
    found = results["rings"][contest.LIBSVM]
    assert found["accuracy_pct"] == 100 * reference.score(data.X_test, data.y_test)
    assert np.array_equal(found["support"], reference.support_)
    exact = results["rings"][contest.EXACT]
    assert exact["objective"] == pytest.approx(found["objective"], rel=1e-3)
    assert exact["violation"] <= 1e-3
    assert results["rings"][contest.SRS]["train_s"] > 0


def test_tables_say_what_was_measured(data, results):
    table = contest.contest_table(results).set_index("method")
    assert table.speedup[contest.LIBSVM] == 1.0
    seconds = results["rings"][contest.SRS]["train_s"]
    assert table.speedup[contest.SRS] == table.train_s[contest.LIBSVM] / seconds
    stages = contest.stage_table(results).iloc[0]
    assert stages.subclass_pct + stages.level1_pct + stages.level2_pct == pytest.approx(100)
    quality, fast = (row for _, row in contest.quality_table(results).iterrows())
    truth = results["rings"][contest.LIBSVM]["support"]
    found = set_quality(results["rings"][contest.SRS]["candidates"], truth)
    assert (quality.mrrs_recall, quality.mrrs_precision) == (found.recall, found.precision)
    assert quality.rsv_recall <= quality.mrrs_recall
    assert (quality.dataset, fast.dataset) == ("rings", "rings, fast")
    assert fast.n_T_MRRS_hat > quality.n_T_MRRS_hat
    assert quality.exact_recall == 1.0
    tests = contest.mcnemar_table(results, {"rings": data.y_test})
    assert set(tests.method) == {contest.SRS, contest.EXACT}
    shown = series.rounded(contest.contest_table(results))
    assert shown.loc[contest.SRS, "rings"] == round(table.accuracy_pct[contest.SRS])
    assert series.speedups(contest.contest_table(results)).loc[contest.LIBSVM, "rings"] == 1.0


def test_a_gap_is_a_row_for_every_published_row(results):
    missing = pd.DataFrame([{"dataset": "LSL-FD", "status": "not run: data (lsl_fd)"}])
    table = series.with_gaps(contest.contest_table(results), missing, "SRS.Tab4")
    gaps = table[table.dataset == "LSL-FD"]
    assert len(gaps) == 5
    assert set(gaps.status) == {"not run: data (lsl_fd)"}
    stages = series.with_gaps(contest.stage_table(results), missing, "SRS.Tab5")
    assert list(stages.dataset) == ["rings", "LSL-FD"]


@pytest.mark.parametrize("method", foreign.FOREIGN)
def test_a_rival_that_is_not_installed_says_so(monkeypatch, data, method):
    monkeypatch.setenv("HLSVM_RIVALS_PYTHON", sys.executable)
    monkeypatch.setattr(foreign, "_CHILD", "import sys; sys.exit(77)")
    found, predicted = foreign.rival(method, data.X, data.y, data.X_test, C=1.0, gamma=1.0)
    assert predicted is None
    assert found["status"] == f"not run: {method} is not installed (HLSVM_RIVALS_PYTHON)"
    monkeypatch.setattr(foreign, "_CHILD", "raise OSError('no memory')")
    found, _ = foreign.rival(method, data.X, data.y, data.X_test, C=1.0, gamma=1.0)
    assert found["status"] == f"not run: {method} failed (OSError: no memory)"


def test_a_rival_gets_the_data_and_gives_labels(monkeypatch, data):
    child = (
        "import json, sys, numpy as np\n"
        "method, parts, C, gamma, out = sys.argv[1:]\n"
        "z = np.load(parts)\n"
        "np.save(out, np.sign(z['T'][:, 0]))\n"
        "print(json.dumps({'train_s': float(C) + float(gamma), 'n_sv': len(z['y'])}))\n"
    )
    monkeypatch.setenv("HLSVM_RIVALS_PYTHON", sys.executable)
    monkeypatch.setattr(foreign, "_CHILD", child)
    found = contest.measure(foreign.INTELEX, PROBLEM, data, 0)
    assert (found["train_s"], found["n_sv"]) == (11.0, 300)
    assert np.array_equal(found["predicted"], np.sign(data.X_test[:, 0]))
    row = contest.contest_table({"rings": {foreign.INTELEX: found}}).iloc[0]
    assert row.n_sv == 300


def test_h_is_chosen_on_the_training_part_alone(data):
    table = problems.choose_h(PROBLEM, data, [2, 3, 6], seed=0)
    assert table.chosen.sum() == 1
    best = table.held_out_pct.max()
    slack = np.sqrt(best * (100 - best) / 60)
    assert table.h[table.chosen].item() == table.h[table.held_out_pct >= best - slack].min()
    turned = replace(data, y_test=-data.y_test)
    assert problems.choose_h(PROBLEM, turned, [2, 3, 6], seed=0).equals(table)


def test_fewer_rows_get_fewer_subclasses():
    sample = next(p for p in problems.PAPER if p.dataset == problems.SAMPLE)
    assert problems.subclasses_for(sample, 74_369) == 80 == ceil(500 * 74_369 / 464_810)
    assert problems.subclasses_for(PROBLEM, 10) == 3


def test_what_is_not_at_hand_is_missing_and_nothing_stands_in(monkeypatch):
    asked = []

    def load(name, sample=True):
        asked.append((name, sample))
        raise DataUnavailable(name)

    monkeypatch.setattr(datasets, "load", load)
    found, missing = problems.gather("paper", 0)
    assert found == []
    assert list(missing.dataset) == [p.dataset for p in problems.PAPER]
    assert set(missing.status) == {f"not run: data ({p.load})" for p in problems.PAPER}
    assert {sample for _, sample in asked} == {False}


def test_quick_problems_are_divided_and_described():
    found, missing = problems.gather("quick", 0)
    table = problems.parameters(found, missing)
    assert list(table.dataset) == ["digits", "banana"]
    for problem, part in found:
        assert len(part.y_test) == pytest.approx(
            0.3 * (len(part.y_test) + len(part.y_train)), abs=1
        )
        assert set(np.unique(part.y_test)) == set(np.unique(part.y_train))
        assert table.h[table.dataset == problem.dataset].item() == problem.h


def test_the_contest_of_all_problems(tmp_path, monkeypatch, data):
    monkeypatch.setattr(series, "METHODS", (contest.LIBSVM, foreign.INTELEX, contest.SRS))
    record = Recorder(scale="quick", out_dir=tmp_path)
    settled, tried = series.choose(record, [(replace(PROBLEM, h=7), data)], 0)
    assert set(tried.dataset) == {"rings"}
    assert settled[0][0].h in (2, 3)
    found = series.run_contest(record, "quick", settled, [(replace(PROBLEM, h=7), data)], 0)
    assert list(found["rings"]) == [contest.LIBSVM, contest.SRS, "Proposed, h = 7"]
    late = series.run_contest(record, "quick", settled, settled, 0, most_rows=100)["rings"]
    assert late[contest.LIBSVM] == {"status": "not run: hours (300 rows)"}
    assert "accuracy_pct" in late[contest.SRS]
    monkeypatch.setattr(series, "_LONG", 100)
    beyond = (contest.EXACT,)
    late = series.too_long(contest.LIBSVM, data, 60_000, beyond)
    assert late["status"].startswith("not run: hours")
    assert series.too_long(contest.EXACT, data, 100, beyond) == {}


def test_cells_that_were_left_out_are_not_run_for_hours(results):
    table = pd.DataFrame([{"h": 15, "mu_rule": "h^2", "train_s": 1.0}])
    whole = series.with_unrun(table, "SRS.Tab7")
    assert len(whole) == 78
    assert (whole.status == "not run: hours").sum() == 77
    assert not whole.duplicated(["h", "mu_rule"]).any()
    sizes = series.with_unrun(pd.DataFrame({"n_instances": [20, 200]}), "SRS.Tab1")
    assert sizes.n_instances.tolist() == [20, 200, 2000, 20_000]


def test_table_6_needs_the_exact_support_vectors(results):
    assert set(series.with_truth(results)) == {"rings"}
    methods = {**results["rings"], contest.LIBSVM: {"status": "not run: hours"}}
    assert series.with_truth({"rings": methods}) == {}


def test_cells_of_h_and_mu(tmp_path, data):
    assert len(grid.cells()) == 13 * 6
    assert (4, 8, 2) in grid.cells()
    assert (50, 32, 79) in grid.cells()
    assert sum(mu < 2 for *_, mu in grid.cells()) == 4 + 2  # as many as the paper prints n/a
    record = Recorder(scale="quick", out_dir=tmp_path)
    table = series.run_grid(record, PROBLEM, data, (2, 3), (1, 4), 0)
    assert table.status.notna().sum() == 1
    assert table.status.dropna().iloc[0].startswith("not run: mu = 1")
    assert grid.square(table, "levels").loc[3].tolist() == [2.0, 3.0]


def test_growth_counts_the_search_and_gives_ratios(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "GRID", {"C": [1.0, 10.0], "gamma": [1.0]})
    record = Recorder(scale="quick", out_dir=tmp_path)
    table = series.run_growth(record, {"2CC": (60, 90)}, {"2CC": (2, 3)}, 0)
    assert list(table.method) == ["LibSVM", "SRS-SVM", "SRS-SVM"] * 2
    assert table.accuracy_pct.min() > 90
    ratios = growth.ratios(table)
    first = table.train_s
    assert ratios.loc[("2CC", 2), 60] == first[0] / first[1]
    assert ratios.loc[("2CC", 3), 90] == first[3] / first[5]
    fig = pictures.draw_growth(table, ("2CC",))
    assert [text.get_text() for text in fig.axes[0].get_legend().texts][1] == "SRS-SVM, h = 2"


def test_candidates_fall_with_h():
    table = growth.candidates_by_h(120, 0)
    assert table.candidates.iloc[0] == 120
    assert table.candidates.is_monotonic_decreasing
    assert table.n_subclasses.iloc[-1] == 2
    rows = growth.many_subclasses((4,), 20, 0)
    assert rows.n.item() == 160
    assert rows.srs_accuracy_pct.item() > 95


def test_large_sets_extrapolate_libsvm_by_a_power_of_n():
    assert scale.power_law([10, 20, 40], [3.0, 12.0, 48.0]) == pytest.approx((2.0, 0.03))
    table = scale.large((100, 200, 400), 500, 0, 1, 100.0).set_index("method")
    late = table.cpu_s["LibSVM, extrapolated"]
    assert table.times_libsvm["SRS-SVM, exact"] == late / table.cpu_s["SRS-SVM, exact"]
    power, first = table.power["LibSVM"].iloc[0], table[table.n == 100].fitted_s.iloc[0]
    assert late == pytest.approx(first * 5.0**power)
    assert table.violation.dropna().max() <= 1e-3
    assert table.peak_mb["SRS-SVM"] > 50


def test_propositions_1_and_3_fail_as_shown():
    table = theory.proposition_1().set_index("samples")
    assert table.represents.tolist() == [True, True, True, False]
    table = theory.proposition_3().set_index("problem")
    assert "3" in table.support["all"]
    assert not table.support.drop("all").str.contains("3").any()
    assert table.loc["all", ["w1", "w2", "b"]].tolist() == pytest.approx(
        [8 / 9, 2 / 9, 7 / 9], abs=1e-5
    )
    survives = theory.what_survives(200, (1.0, 10.0), 1.0, 0)
    assert survives.recall.max() < 1.0
    assert survives.recall_exact.tolist() == [1.0, 1.0]
    assert survives.objective_gap.max() < 1e-6


@pytest.mark.parametrize(("h", "mu"), [(4, 2), (5, 3), (3, 9), (2, 7)])
def test_hierarchy_has_the_nodes_of_the_paper(h, mu):
    nodes = drawings.hierarchy(h, mu)
    counts = nodes.groupby("level").size().tolist()
    assert counts == [ceil(h * h / mu**level) for level in range(len(counts))]
    assert counts[-1] == 1
    for level, part in nodes[nodes.parent >= 0].groupby("level"):
        assert part.parent.max() == counts[level] - 1
        assert part.groupby("parent").size().max() <= mu
    assert len(drawings.draw_hierarchy(nodes, mu).axes) == 1


@pytest.mark.parametrize("name", ["FAMILIES", "STAGES", "ESTIMATE"])
def test_boxes_do_not_overlap(name):
    boxes = getattr(drawings, name)
    arrows = {"FAMILIES": drawings.FAMILY_ARROWS, "STAGES": drawings.STAGE_ARROWS}.get(
        name, drawings.ESTIMATE_ARROWS
    )
    fig = drawings.draw_boxes(boxes, arrows)
    fig.canvas.draw()
    drawn = [patch for patch in fig.axes[0].patches if hasattr(patch, "get_boxstyle")]
    frames = [patch.get_window_extent() for patch in drawn]
    texts = [text.get_window_extent() for text in fig.axes[0].texts]
    assert len(frames) == len(boxes)
    for k, frame in enumerate(frames):
        assert not any(frame.overlaps(other) for other in frames[:k])
        assert frame.x0 < texts[k].x0 < texts[k].x1 < frame.x1


def test_lines_of_pairs_separate_their_subclasses():
    data = datasets.load("xor", n=200, seed=0)
    model = SRSSVC(2, random_state=0, **growth.CHOSEN).fit(data.X, data.y)
    lines = pictures.pair_lines(model, data.X, data.y)
    assert len(lines) == 4
    for row in lines.itertuples():
        f = data.X @ [row.w1, row.w2] + row.b
        minus = (data.y == -1) & (model.subclasses_ == row.minus)
        plus = (data.y == 1) & (model.subclasses_ == row.plus)
        assert np.mean(f[minus] < 0) > 0.95
        assert np.mean(f[plus] > 0) > 0.95


def test_pictures_give_the_numbers_they_draw():
    fig, drawn, model = pictures.draw_steps("XOR", 200, 2, 0)
    assert len(drawn["candidates"]) == len(model.candidates_)
    assert {"lines", "SRS-SVM", "LibSVM"} <= set(drawn)
    assert len(fig.axes) == 4
    fig, drawn = pictures.draw_sets({"2CC": 60, "3CC": 60, "SR": 60, "XOR": 60}, 0)
    assert [len(part) for part in drawn.values()] == [60] * 4
    _, drawn, alike = pictures.draw_boundaries(("2CC",), 150, 5, 0)
    assert alike.decided_alike_pct.item() > 90
    _, drawn = pictures.draw_idea(80, 2, 0)
    assert 0 < len(drawn["candidates"]) <= 80
    _, drawn = pictures.draw_subclasses((2, 4), 10, 0)
    assert len(drawn["h=4"]) == 80


def test_running_text_is_answered_and_gaps_say_why():
    times = pd.DataFrame(
        [("SR", 9000, 0, 90.0, 100.0), ("SR", 9000, 5, 30.0, 99.5), ("SR", 9000, 15, 9.0, 99.0)],
        columns=["dataset", "n", "h", "train_s", "accuracy_pct"],
    )
    found = answers.of_the_growth(times)
    assert (found["022"], found["023"], found["025"]) == (3.0, 10.0, 99.0)
    assert np.isnan(found["024"])
    table = answers.answers(found, answers.of_the_steps({"XOR": 26, "SR": 3609}, times))
    table = table.set_index("id")
    assert table.value["SRS.text007"] == pytest.approx(96.75)
    assert table.status["SRS.text024"] == "not run: hours"
    assert table.status["SRS.text053"].startswith("not run: data (the features")
    assert "SRS.text003" not in table.index  # a setting


def test_answers_of_contest_and_grid():
    rows = [("adult", "LibSVM", 40.0), ("adult", "DCSVM", 20.0), ("adult", contest.SRS, 5.0)]
    table = pd.DataFrame(rows, columns=["dataset", "method", "train_s"])
    tests = pd.DataFrame([("adult", contest.SRS, 0.02)], columns=["dataset", "method", "p_exact"])
    found = answers.of_the_contest(table, tests)
    assert (found["026"], found["027"], found["036"], found["059"]) == (8.0, 4.0, 0.02, 8.0)
    assert np.isnan(found["030"])
    cells = pd.DataFrame(
        [(2, "h^2", 9.0, 80.0), (15, "h^2", 3.0, 84.5), (20, "h^2", 4.0, 84.6)],
        columns=["h", "mu_rule", "train_s", "accuracy_pct"],
    )
    assert np.isnan(list(answers.of_the_grid(cells, cells).values())).all()  # too few h
    rest = [(h, "h^2", 5.0, 83.0) for h in grid.HS if h not in (2, 15, 20)]
    cells = pd.concat([cells, pd.DataFrame(rest, columns=cells.columns)], ignore_index=True)
    assert answers.of_the_grid(cells, cells) == {"046": 15.0, "047": 15.0}


def test_records_are_shown_as_recorded(repository):
    assert recorded.growth().empty
    assert recorded.contest().empty
    assert recorded.seconds("SRS.Tab7").empty
    assert recorded.accuracies("SRS.Tab7").loc[15, "h^2"] == "84.1 | —"
    record = Recorder(scale="paper", out_dir="record")
    rows = [
        {
            "dataset": "adult",
            "method": "LibSVM",
            "accuracy_pct": 85.0,
            "train_s": 9.0,
            "speedup": 1,
        },
        {"dataset": "adult", "method": "LLSVM", "status": "not run: hours"},
    ]
    record.table(pd.DataFrame(rows), "SRS.Tab4")
    assert recorded.contest().loc["LibSVM", "adult"] == "85.00 %, 9.0 s, 1.0 x"
    cell = {"h": 15, "mu_rule": "h^2", "train_s": 3.21, "accuracy_pct": 84.0}
    record.table(pd.DataFrame([cell]), "SRS.Tab7")
    assert recorded.seconds("SRS.Tab7").loc[15, "h^2"] == "3.2"
    assert recorded.accuracies("SRS.Tab7").loc[15, "h^2"] == "84.1 | 84.0"


def test_a_benchmark_stands_beside_libsvm(monkeypatch, data):
    monkeypatch.setattr(beside, "divided", lambda problem, seed: data)
    table = beside.beside_libsvm("ijcnn1", methods=(contest.LIBSVM, contest.SRS, contest.EXACT))
    table = table.set_index("method")
    assert (table.data == "ijcnn1").all()
    ratio = table.cpu_s[contest.LIBSVM] / table.cpu_s[contest.SRS]
    assert table.times_libsvm[contest.SRS] == ratio
    assert abs(table.objective_off[contest.EXACT]) < 1e-3
    assert table.recall[contest.EXACT] == 1.0
    assert table.recall[contest.SRS] <= 1.0
    few = beside.beside_libsvm("adult", methods=(contest.SRS,), n_rows=120)
    assert (few.n.item(), few.h.item()) == (120, 6)  # 15 in proportion


def test_a_benchmark_without_its_data_takes_the_quick_problem(monkeypatch, data):
    def divided(problem, seed):
        if problem in problems.PAPER:
            raise DataUnavailable(problem.load)
        return data

    monkeypatch.setattr(beside, "divided", divided)
    problem, _ = beside.problem_named("adult", 0)
    assert problem.dataset == "banana"


def test_a_sweep_gives_the_cells_of_the_table(repository):
    problem = problems.Problem("adult", "a9a", 1.0, 0.5, 2)
    assert recorded.swept("srs_svm-adult", problem, 0) is None
    folder = repository / "data" / "results" / "sweeps"
    folder.mkdir(parents=True)
    rows = {"C": 1.0, "gamma": 0.5, "seed": 0, "h": [2, 2], "q": [1, 4], "mu": [4, 1]}
    found = {"valid": [True, False], "train_s": [3.5, None], "accuracy_pct": [84.5, None]}
    found |= {"levels": [2, None], "candidates": [70, None]}
    pd.DataFrame(rows | found).to_csv(folder / "srs_svm-adult.csv", index=False)
    table = recorded.swept("srs_svm-adult", problem, 0)
    assert table.mu_rule.tolist() == ["h^2", "h^2/4"]
    assert table.loc[0, ["h", "mu", "train_s", "n_candidates"]].tolist() == [2, 4, 3.5, 70]
    assert table.status.tolist() == ["", "not run: mu = 1 (the levels never shrink)"]
    Recorder(scale="paper", out_dir="record").table(table, "SRS.Tab7")
    assert recorded.seconds("SRS.Tab7").loc[2, "h^2"] == "3.5"
    with pytest.raises(ValueError, match=r"srs_svm-adult.csv must be swept .* \['seed'\] differ"):
        recorded.swept("srs_svm-adult", problem, 1)
