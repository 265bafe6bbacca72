import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.svm import SVC

from hlsvm import datasets
from hlsvm.chapters.qpfs import curves, digits, drawings, growth, pictures, problems, tables
from hlsvm.reproduce import Recorder

WINE = problems.Problem("Wine", "wine", counts=(2, 13, 400), repeats=1)


def _rows(series, **more):
    X, y = load_wine(return_X_y=True)
    return curves.measure(X, y, series, WINE.counts, repeats=1, folds=3, **more)


def test_curves_share_partitions_and_rank_in_the_training_part():
    seen = []

    def rank(X, y, seed):
        seen.append((len(X), seed))
        return np.arange(13), {"alpha": 0.5}

    rows = _rows(curves.Series("QPFS", "mine", rank), seed=5)
    assert seen == [(118, 5), (119, 6), (119, 7)]
    assert rows.n_features.tolist() == [2, 13] * 3
    first = list(problems.divisions(178, 1, 0))
    longer = list(problems.divisions(178, 3, 0))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, longer, strict=False))


@pytest.mark.parametrize("series", [*curves.table_series(WINE), *curves.other_series(WINE)])
def test_every_selector_of_the_curves_beats_guessing(series):
    rows = _rows(series)
    everything = rows[rows.n_features == 13].error_pct
    assert everything.mean() < 5  # all features: the same for all
    assert rows.error_pct.mean() < 45


def test_paired_test_is_one_tailed():
    low, high = np.array([1.0, 2.0, 1.5, 2.5]), np.array([3.0, 3.5, 3.0, 5.0])
    assert curves.paired_test(high, low) < 0.01
    assert curves.paired_test(low, high) > 0.99
    assert curves.paired_test(low, low) == 0.5
    assert curves.paired_test(low + 1, low) == 0.0


def test_tables_hold_the_rows_that_could_not_be_run(tmp_path):
    record = Recorder(scale="quick", seed=0, out_dir=tmp_path)
    data, missing = problems.at_hand(record, [WINE])
    groups = {"table": curves.table_series(WINE)}
    rows = curves.run(record, WINE, data["Wine"], groups, folds=3)
    assert missing == {}
    frames = {
        "Thesis.Tab3.4": tables.alphas([WINE], data, correlation=["Wine"]),
        "Thesis.Tab3.5": tables.versus(rows),
        "Thesis.Tab3.6": tables.selectors(rows),
        "Thesis.Tab3.7": tables.streamwise(data, folds=3),
    }
    for id, frame in frames.items():
        full = tables.with_not_run(frame, id, missing)
        record.table(full, id)
        assert full[full.dataset == "GCM"].status.str.startswith("not run: data").all()
        assert (full[full.dataset == "Wine"].status == "").all()
    assert len(tables.with_not_run(frames["Thesis.Tab3.5"], "Thesis.Tab3.5", {})) == 2 + 5 * 3


def test_tables_of_alpha_and_eigenvalues():
    X, y = load_wine(return_X_y=True)
    found = tables.spans(X, y, "Wine", [(3, 6.0), (5, 6.0)])
    assert found.alpha.between(0.3, 0.5).all()
    eigen = tables.indefinite([WINE], {"Wine": (X, y)})
    assert (eigen["their smallest eigenvalue"] >= eigen["smallest eigenvalue"] - 1e-6).all()
    assert eigen["smallest eigenvalue"].min() < 0


def test_votes_of_pairs_agree_with_libsvm():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    ours = digits.one_against_one(X[:900], y[:900], X[900:], y[900:])
    theirs = SVC(kernel="linear").fit(X[:900], y[:900]).score(X[900:], y[900:])
    assert ours == pytest.approx(100 * (1 - theirs), abs=1.0)


def test_growth_finds_the_order():
    x = np.linspace(1, 20, 12)
    noise = 1e-3 * np.random.default_rng(0).normal(size=12)
    for degree in (1, 2, 3):
        assert growth.polynomial_order(x, (x / 20) ** degree + noise) == degree
        assert growth.exponent(x, 3 * x**degree) == pytest.approx(degree)
    frame = growth.phases("quick", repeats=1)
    assert frame.groupby(["regime", "method"]).dominant.sum().eq(1).all()


def test_drawings_and_curves_draw_what_they_return(tmp_path):
    record = Recorder(scale="quick", seed=0, out_dir=tmp_path)
    for id, draw in (
        ("Thesis.Fig3.1", drawings.draw_families),
        ("Thesis.Fig3.3", drawings.draw_flows),
        ("Thesis.Fig3.4", drawings.draw_segments),
    ):
        fig, data = draw()
        record.figure(fig, id, data=data)
    frame = pd.DataFrame({"n_features": [1, 2], "error_pct": [3.0, 2.0], "error_pm": 0.1})
    frame = frame.assign(label="QPFS", method="QPFS")
    record.figure(pictures.draw_curves({"one": frame}), "Thesis.Fig3.8", data=frame)
    assert len(list(tmp_path.rglob("*.png"))) == 4


def test_no_two_curves_of_a_figure_look_alike():
    problem = problems.PAPER[2]
    some = curves.table_series(problem) + curves.alpha_series(problem, "mi")
    some += curves.nystrom_series(problem, (0.05, 0.1, 0.2, 0.5))
    own = "QPFS alpha = 0.3"
    look = pictures.looks([one.label for one in some], [one.method for one in some], [own])
    plain = look["QPFS"]
    assert {(look[name]["color"], look[name]["marker"]) for name in (own, "QPFS alpha^")} == {
        (plain["color"], plain["marker"])
    }
    rest = [look[one.label] for one in some if one.label not in (own, "QPFS alpha^")]
    assert len({one["color"] for one in rest}) == len(rest)
    assert len({(one["marker"], str(one["linestyle"])) for one in rest}) == len(rest)


def test_the_alpha_of_all_pixels_is_not_compared():
    X, y = load_digits(return_X_y=True)
    row = tables.all_pixels(X, y).iloc[0]
    assert row.status.startswith("not comparable: ")
    assert row.alpha_hat == pytest.approx(row.q_bar / (row.q_bar + row.f_bar))


def test_the_plan_names_every_curve_once():
    for first, second, sets in (
        ("ARR", "SRBCT", problems.PAPER),
        ("Breast cancer", "Wine", problems.QUICK),
    ):
        groups = curves.plan({problem.name: problem for problem in sets}, first, second)
        assert set(groups) == {problem.name for problem in sets}
        assert "nystrom" in groups[second]
        for some in groups.values():
            for series in some.values():
                labels = [one.label for one in series]
                assert len(labels) == len(set(labels))


@pytest.mark.mirror
def test_intensities_are_those_of_the_logarithms(mirror):
    plain, power = (p for p in problems.PAPER if p.data == "srbct")
    data = datasets.load("srbct")
    X, y = plain.arrays(data)
    assert X.shape == (83, 2308)
    np.testing.assert_allclose(np.log(power.arrays(data)[0]), X)
    assert len(y) == 83
