"""QPFS before three classifiers: sizes, measures and tables, on a few deformed digits."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from hlsvm.chapters.global_view import contest, pictures, series
from hlsvm.chapters.global_view.digits import Digits, Settings, overlap, rank
from hlsvm.reproduce import Recorder
from hlsvm.reproduce.published_numbers import check_table

mpl.use("agg")


@pytest.fixture(scope="module")
def digits():
    return Digits(400, 300, 150, 100, (50, 400, 784), "digits", seed=0)


@pytest.fixture(scope="module")
def settings():
    return Settings.printed()


@pytest.fixture(scope="module")
def ranked(digits, settings):
    return rank(digits, settings)


@pytest.fixture(scope="module")
def rows(digits, settings, ranked, tmp_path_factory):
    record = Recorder(scale="quick", out_dir=tmp_path_factory.mktemp("records"))
    chosen = {"lam": 1e-3, "rho": 0.0, "shrinkage": 30.0}
    return series.run(record, digits, settings, chosen, ranked["order"])


def test_settings_are_those_of_the_table(settings):
    assert (settings.p, settings.C, settings.gamma) == (0.5, 100.0, 0.01)
    assert (settings.lam, settings.rho) == (1e-5, 0.2)


def test_columns_are_the_chosen_pixels(digits):
    features = [400, 3, 401]
    X, y = digits.train(features)
    assert X.dtype == np.float32
    assert np.allclose(X * 255, digits.data.X_train[:, features], atol=1e-3)
    assert np.allclose(digits.sparse_train(features).toarray(), X)
    assert set(y) == {-1, 1}


def test_the_ranking_names_every_pixel_once(ranked):
    assert sorted(ranked["order"]) == list(range(784))
    shared = overlap(ranked, (50, 784)).shared_pct
    assert shared.iloc[1] == 100
    assert 0 < shared.iloc[0] <= 100


def test_the_choice_is_the_best_that_was_tried(digits, settings, ranked):
    found = contest.choose(
        digits, settings, ranked["order"][:60], factors=[1.0, 100.0], shrinkages=[30.0]
    )
    assert found["tried"] == 4
    assert found["lam"] in (1e-5, 1e-3)
    assert 0 <= found["error_pct"] < 15


def test_relative_measures_are_anchored_at_both_svms(rows):
    whole = rows[rows.n_features == 784].set_index("method")
    for name in ("RE", "RCC", "RTT", "RCT"):
        assert whole.loc[contest.LINEAR, name] == 0
        assert whole.loc[contest.RBF, name] == pytest.approx(1)
    few = rows[(rows.n_features == 50) & (rows.method == contest.LINEAR)].iloc[0]
    assert few.operations == 50
    assert few.RCC < 0


def test_tables_fit_the_published_ones(rows, ranked, settings):
    check_table(series.errors_and_costs(rows), "Thesis.Tab6.2", rows=True)
    check_table(series.times(rows), "Thesis.Tab6.3", rows=True)
    chosen = {"lam": 1e-3, "rho": 0.0}
    check_table(series.settings_table(ranked, chosen, settings), "Thesis.Tab6.1", rows=True)


def test_the_subset_is_carried_to_all_rows(rows, digits):
    kernel = rows[rows.method == contest.RBF]
    growth = (digits.n_train / digits.n_svm) ** kernel.exponent.median()
    assert np.allclose(kernel.train_s, kernel.subset_s * growth)
    assert (kernel.trained_on == digits.n_svm).all()


def test_a_billion_decisions_scale_with_one(rows):
    plan = series.billion(rows).iloc[0]
    one = rows.iloc[0].test_s_per_pattern
    assert plan.hours == pytest.approx(one * 1e9 / 3600)
    assert plan.input_TB == pytest.approx(0.2)


def test_the_text_is_answered_with_what_was_measured(rows, ranked, digits):
    again = rows.assign(n_features=rows.n_features.replace({50: 500}))
    found = series.answers(again, ranked, digits).set_index("id").value
    table = again.set_index(["method", "n_features"])
    assert len(found) == 19
    assert found["Thesis.text083"] == 400
    gain = table.error_pct[contest.LINEAR, 784] - table.error_pct[contest.HLSVM, 784]
    assert found["Thesis.text096"] == pytest.approx(gain)


def test_figures_draw_every_method(rows):
    drawn = [
        pictures.system(),
        pictures.error_and_operations(rows),
        pictures.relative(rows, ("RE", "RE"), ("RCC", "RCC")),
        pictures.seconds(rows),
        pictures.error_against_operations(rows),
    ]
    for fig, numbers in drawn:
        assert isinstance(numbers, pd.DataFrame)
        fig.canvas.draw()
    assert set(drawn[1][1].method) == {contest.LINEAR, contest.RBF, contest.HLSVM}
    assert len(drawn[-1][1]) == 6
    plt.close("all")
