"""Chapter 10's experiments on made data: protocol, gaps, claims."""

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from hlsvm.chapters._problems import missing
from hlsvm.chapters.metric_tree import contest, pictures, problems, series
from hlsvm.datasets import load
from hlsvm.reproduce import Recorder, compare, published


@pytest.fixture(scope="module")
def square():
    return load("square512", seed=0)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return Recorder(scale="quick", seed=0, out_dir=tmp_path_factory.mktemp("records"))


def test_every_set_of_the_paper_has_a_problem():
    names = {name.split(" ")[0] for name in published("MetricTree.Tab1").dataset}
    known = {entry.name for entry in problems.problems("paper")}
    assert names <= known
    assert known - names == {"covtype sample", "w8a, halves of the training file"}
    with pytest.raises(ValueError, match="name must be one of"):
        problems.problem("ijcnn2")
    assert missing(problems.problem("pedestrian")).startswith("HOG")


def test_divisions_are_those_of_the_source(square):
    entry = problems.problem("Square", "quick")
    first = [part.X_train for part in entry.parts(square, 0)]
    again = [part.X_train for part in entry.parts(square, 0)]
    assert [part.shape for part in first] == [(256, 2)]
    np.testing.assert_array_equal(first[0], again[0])
    given = problems.Problem("given", "square512")
    assert next(given.parts(square, 0)) is square
    assert given.width(square) == 0.5


def test_contest_says_what_svm_and_tree_do(square):
    entry = problems.problem("Square", "quick")
    part = next(entry.parts(square, 0))
    found = contest.contest(entry, part)
    svm = SVC(C=entry.C, gamma=entry.gamma).fit(part.X_train, part.y_train)
    assert found.n_sv == len(svm.support_)
    assert found.svm_accuracy_pct == pytest.approx(100 * svm.score(part.X_test, part.y_test))
    assert found.abs_accuracy_diff == abs(found.svm_accuracy_pct - found.tree_accuracy_pct)
    assert found.fallback_agreement_pct == 100
    assert found.certain_curvature_pct <= found.certain_pct <= 100
    assert 1 < found.avg_depth <= found.max_depth + 1
    assert found.speed_gain_factor == pytest.approx(found.svm_test_s / found.tree_test_s)


def test_tables_have_the_published_columns_and_the_gaps(record, monkeypatch):
    entries = [problems.problem("Square", "quick"), problems.problem("pedestrian")]
    monkeypatch.setattr(series, "problems", lambda scale: entries)
    table = series.table1(record, "paper", 0)
    assert table.status[1] == "not run: data (HOG features of the INRIA persons)"
    named = ["n_sv", "svm_accuracy_pct", "svm_test_s", "avg_depth", "tree_accuracy_pct"]
    named += ["tree_test_s", "abs_accuracy_diff", "speed_gain_factor", "d", "n_train", "n_test"]
    assert set(named) < set(table.columns)
    assert table.loc[0, named].notna().all()
    verdict = compare("MetricTree.Tab1", table[table.dataset != "Square"])
    assert set(verdict[verdict.dataset.str.startswith("pedestrian")].verdict) == {"not run"}
    left = series.table1(record, "paper", 0, skip=["Square"])
    assert left.status[0] == "not run: hours"
    assert series.with_published(table).published_gain.tolist()[1] == 210


def test_reduced_sets_are_compared_on_one_svm(record):
    table = series.table2(record, "quick", 0)
    assert table.preimages.tolist() == [20, 20]
    assert (table.preimage_accuracy_pct > 90).all()
    assert (table.svm_n_sv > table.preimages).all()
    assert table.C.isin(series._COSTS).all()


def test_answers_are_numbers_of_the_running_text():
    table = pd.DataFrame({"speed_gain_factor": [40.0, 2000.0, np.nan]})
    reduced = pd.DataFrame({"speed_gain_factor": [5.0, 70.0]})
    found = series.answers(table, reduced, n_support=512, most=13, depth=6)
    verdicts = compare("MetricTree.Text", found).set_index("id").ours
    assert verdicts["MetricTree.text001"] == "3"
    assert verdicts["MetricTree.text006"] == "13"
    assert verdicts["MetricTree.text010"] == "5|70"


def test_options_change_the_tree(record):
    table = series.options(record, "quick", 0).set_index("tree")
    assert table.max_depth["at most 10 cuts"] == 10
    assert table.leaves["leaves of 8"] < table.leaves["as in the source"] / 2
    assert table.max_depth["median cut"] <= table.max_depth["as in the source"]
    assert (table.agreement_pct > 95).all()


def test_least_squares_svm_solves_its_system(square):
    X, y = square.X_train[:80], square.y_train[:80]
    svm = pictures.LeastSquaresSVC(C=5.0, gamma=3.0).fit(X, y)
    alpha = svm.dual_coef_[0]
    assert alpha.sum() == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(svm.decision_function(X) + alpha / 5.0, y, atol=1e-9)


def test_first_cut_is_between_the_farthest_pair(square):
    tree, points = pictures.first_cut(square.X_train[:40])
    ends = points[points.end == 1][["x1", "x2"]].to_numpy()
    assert ends.shape == (2, 2)
    gaps = square.X_train[:40, None] - square.X_train[None, :40]
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(np.linalg.norm(gaps, axis=2).max())
    assert set(points[points.end == 1].side) == {-1, 1}
    assert tree.get_n_leaves() == 2


def test_pictures_draw(square):
    svm, tree = pictures.square_models(square, C=10.0, gamma=4.0)
    fig, boundaries = pictures.draw_square(square, svm, tree)
    assert len(fig.axes) == 3
    assert set(boundaries.model) == {"LeastSquaresSVC", "MetricTreeSVC"}
    claims = pictures.square_claims(square, svm, tree)["value"]
    assert claims.iloc[0] == 512
    assert claims.iloc[3] > 99
