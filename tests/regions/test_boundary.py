"""CBD: the scores by their definition, the rows that are kept, and the SVM they carry."""

import numpy as np
import pytest
from sklearn.svm import SVC

from hlsvm.regions import boundary_rows, boundary_scores


@pytest.fixture(scope="module")
def cloud():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (500, 2))
    return X, (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 0] > 0.8)


def test_scores_by_the_definition(cloud):
    X, y = cloud
    square = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    gifts, firsts = [[] for _ in y], []
    lists = [
        [z for z in np.argsort(square[x], kind="stable")[:10] if y[z] != y[x]] for x in range(500)
    ]
    firsts = [square[x, lists[x]].min() if lists[x] else None for x in range(500)]
    width = np.mean([first for first in firsts if first is not None])
    for x in range(500):
        for z in lists[x]:
            gifts[z].append(np.exp(-(square[x, z] - firsts[x]) / width))
    wanted = [np.mean(gift) if gift else 0.0 for gift in gifts]
    assert np.allclose(boundary_scores(X, y, 10), wanted)


def test_only_rows_near_a_boundary_are_kept(cloud):
    X, y = cloud
    rows = boundary_rows(X, y, 10)
    gap = np.minimum(abs(X.sum(axis=1) - 1), abs(X[:, 0] - 0.8))
    assert gap[rows].max() < 0.2
    assert 50 < len(rows) < 250
    assert set(y[rows]) == {0, 1, 2}
    assert len(boundary_rows(X, y, 10, keep=0.5)) < len(rows)


def test_svm_on_the_kept_rows_is_nearly_that_on_all(cloud):
    X, y = cloud
    rows = boundary_rows(X, y, 30)
    whole = SVC(C=100, gamma=2).fit(X, y)
    reduced = SVC(C=100, gamma=2).fit(X[rows], y[rows])
    assert np.mean(whole.predict(X) == reduced.predict(X)) > 0.97


def test_no_class_is_lost():
    X = np.concatenate([np.zeros((30, 1)), np.full((30, 1), 9.0)]) + np.arange(60)[:, None] / 100
    y = np.repeat([0, 1], 30)
    rows = boundary_rows(X, y, 3)
    assert set(y[rows]) == {0, 1}
    assert boundary_rows(np.zeros((40, 2)), np.arange(40) % 2).size > 0


@pytest.mark.parametrize(
    "bad", [{"n_neighbors": 0}, {"n_neighbors": 2.5}, {"keep": 0}, {"keep": 1.5}]
)
def test_bad_parameters_are_named(cloud, bad):
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        boundary_rows(*cloud, **bad)


def test_one_row_has_no_boundary():
    with pytest.raises(ValueError, match=r"at least two rows\. Got 1"):
        boundary_rows([[0.0]], [1])
