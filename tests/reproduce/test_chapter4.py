"""Chapter 4's experiments on made data: protocol, gaps, claims."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

from hlsvm.chapters.kqpfs import beyond, equivalence, prior, toy
from hlsvm.datasets import Dataset
from hlsvm.extract import KernelFisher


@pytest.fixture(scope="module")
def rings():
    X, y = toy.disc(150, seed=0)
    return Dataset(X, y, name="rings")


def test_cosine_gap_is_exact_where_one_minus_cosine_is_not():
    a = np.array([1.0, 0.0])
    assert toy.cosine_gap(a, a) == 0.0
    assert toy.cosine_gap(a, np.array([-3.0, 3e-12])) == pytest.approx(5e-25)
    assert toy.cosine_gap(a, np.array([1.0, 1.0])) == pytest.approx(1 - np.sqrt(0.5))


def test_cross_validation_by_eigenvectors_is_that_of_the_estimator(rings):
    X, y = rings.X_train, rings.y_train
    mus = (1e-2, 10.0)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=3).split(X, y))
    expected = [
        np.mean(
            np.concatenate(
                [
                    KernelFisher(gamma=0.5, mu=mu).fit(X[a], y[a]).predict(X[b]) != y[b]
                    for a, b in folds
                ]
            )
        )
        for mu in mus
    ]
    np.testing.assert_allclose(equivalence.cv_errors(X, y, 1.0, mus, 3), expected, atol=1e-12)


def test_a_set_is_measured_by_the_protocol(rings):
    found = equivalence.measure(rings, 2, 0, test_size=0.4)
    assert found["width"] in equivalence.WIDTHS or found["width"] > 0
    assert len(found["rows"]) == 2
    assert found["recorded"] == 0
    assert found["rows"].gap_3_4.max() < 1e-10
    row = equivalence.summary("rings", found)
    assert row["kfda_error_pct"] == row["kqpfs_error_pct"] < row["fda_error_pct"]
    assert equivalence.claims({"rings": found}).to_numpy()[:, 1:].all()
    assert equivalence.answers({"rings": found, "gone": {}}).value[0] == 1
    assert equivalence.summary("gone", {}) == {"dataset": "gone", "status": "not run: data"}


def test_claims_can_fail(rings):
    found = equivalence.measure(rings, 1, 0, test_size=0.4)
    found["rows"]["gap_3_4"] = 1e-3
    found["rows"]["kqpfs_error_pct"] += 1.0
    row = equivalence.claims({"rings": found}).loc["rings"]
    assert not row["cosine of 3 and 4 >= 1 - 1e-10"]
    assert not row["both predict alike"]


def test_prior_takes_the_first_in_rank():
    y = prior.by_rank(np.array([3.0, 1.0, 2.0, 0.0]), 0.5)
    np.testing.assert_array_equal(y, [-1, 1, -1, 1])


def test_race_gives_parallel_directions_and_times():
    X, target = prior.made_rows(120, 0)
    row = prior.race_once(X, target, 0.3, 0.1, 1.0)
    assert max(row["gap_3_4"], row["gap_3_ours"], row["gap_4_ours"]) < 1e-14
    assert row["times_faster"] > 0


def test_counts_say_what_the_erratum_says():
    counts = prior.operations(np.array([0.5, 0.8, 1.0])).set_index("prior")
    ratio = counts.kfda_corrected / counts.kqpfs
    np.testing.assert_allclose(ratio, [0.75, 0.84, 1.0])


def test_beyond_states_what_it_measures():
    X, target = prior.made_rows(200, 0)
    y = np.where(target > np.median(target), 1, -1)
    table = beyond.fit_all(X, y, 0.1, 1.0, [20, 100], 30, 0).set_index("solver")
    assert isinstance(table, pd.DataFrame)
    sparse = table.loc["exact, 30 terms"]
    assert sparse.projection_off_pct == pytest.approx(sparse.stated_off_pct, rel=1e-3)
    assert table.projection_off_pct["exact"] == 0
    assert table.projection_off_pct["100 landmarks"] < table.projection_off_pct["20 landmarks"]
