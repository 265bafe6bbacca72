"""Gaps, categories and sparse rows in oblique trees and forests."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.impute import SimpleImputer

from hlsvm import ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees import load_arrays, save_arrays
from hlsvm.trees._encoding import learn

from .helpers import checkerboard

GIVEN = {"lam": 1e-4, "split": "best", "shrinkage": 3.0, "random_state": 0}


def with_gaps(X, seed=0, share=0.2):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
def test_gaps_at_random_count_as_the_mean(kind):
    """Gaps that tell nothing change no answer of a tree on rows filled with means."""
    X, y = checkerboard(500, 1)
    X = with_gaps(X)
    model = kind(**GIVEN).fit(X, y)
    filled = SimpleImputer().fit(X)
    assert len(model._encoder.telling) == 0
    plain = kind(**GIVEN).fit(filled.transform(X), y)
    assert np.mean(model.predict(X) == plain.predict(filled.transform(X))) > 0.99
    assert_array_equal([model.predict_one(x) for x in X[:30]], model.predict(X[:30]))


@pytest.mark.parametrize("split", ["svm", "axis", "best"])
def test_gaps_that_tell_are_used_by_every_kind_of_split(split):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 3)), random.integers(0, 3, 400)
    X[(y == 1) & (random.random(400) < 0.9), 0] = np.nan
    X[(y == 2) & (random.random(400) < 0.9), 2] = np.nan
    model = ObliqueTreeClassifier(**(GIVEN | {"split": split, "max_depth": 3})).fit(X, y)
    assert model._encoder.telling.tolist() == [0, 2]
    assert model.score(X, y) > 0.85
    assert model.encode(X).shape == (400, 5)


def test_defaults_take_gaps_and_so_do_files(tmp_path):
    X, y = checkerboard(300, 2)
    X[y == 1, 0] = np.where(np.arange((y == 1).sum()) % 3, X[y == 1, 0], np.nan)
    model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert_array_equal(saved.predict_proba(X), model.predict_proba(X))


def test_what_was_complete_refuses_gaps():
    X, y = checkerboard(100, 1)
    model = ObliqueTreeClassifier(**GIVEN).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(with_gaps(X))
    with pytest.raises(ValueError, match="infinity"):
        ObliqueTreeClassifier(**GIVEN).fit(np.where(X > 0.9, np.inf, X), y)


def frame(n=400, seed=0):
    random = np.random.default_rng(seed)
    town = random.choice(["Bern", "Aarau", "Zug", "Chur"], n)
    size = random.normal(size=n)
    y = np.where(np.isin(town, ["Bern", "Zug"]), size > 0.5, size > -0.5)
    return pd.DataFrame({"size": size, "town": pd.Categorical(town)}), y


@pytest.mark.parametrize("split", ["svm", "axis", "best"])
def test_categories_are_ranked_by_the_class(split):
    X, y = frame()
    model = ObliqueTreeClassifier(**(GIVEN | {"split": split})).fit(X, y)
    assert model.score(X, y) > 0.9
    rank = model.encode(X)[:, 1]
    ranks = {town: rank[X["town"] == town][0] for town in X["town"].unique()}
    assert max(ranks["Bern"], ranks["Zug"]) < min(ranks["Aarau"], ranks["Chur"])
    order = X.assign(town=X["town"].cat.reorder_categories(["Zug", "Chur", "Bern", "Aarau"]))
    assert_array_equal(model.predict(order), model.predict(X))
    assert model.predict_one(X.iloc[3].tolist()) == model.predict(X.iloc[[3]])[0]


def test_unknown_categories_count_as_lacking():
    X, y = frame()
    model = ObliqueTreeClassifier(**GIVEN).fit(X, y)
    other, none = X.copy(), X.copy()
    other["town"], none["town"] = "Genf", None
    assert_array_equal(model.predict_proba(other), model.predict_proba(none))


@pytest.mark.parametrize("given", [[1], ["town"], [False, True]])
def test_columns_can_be_named(given):
    X, y = frame()
    plain = X.assign(town=X["town"].astype(object))
    model = ObliqueTreeClassifier(categorical_features=given, **GIVEN).fit(plain, y)
    assert_array_equal(model.predict(plain), ObliqueTreeClassifier(**GIVEN).fit(X, y).predict(X))


def test_bad_names_of_columns():
    X, y = frame()
    for given in (["village"], [7], [1.5], [True], [1, [0, 1]], 10**5000, {"town"}):
        with pytest.raises(ValueError, match="categorical_features"):
            ObliqueTreeClassifier(categorical_features=given, **GIVEN).fit(X, y)


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueForestClassifier])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_are_answered_as_dense_ones(kind, dtype):
    X = np.random.default_rng(0).normal(size=(300, 6)).astype(dtype)
    X[np.abs(X) < 1] = 0
    y = (X[:, 0] + X[:, 1] ** 2 > 0.3).astype(int)
    dense = kind(**GIVEN).fit(X, y)
    sparse = kind(**GIVEN).fit(csr_array(X), y)
    assert_array_equal(sparse.predict_proba(csr_array(X)), dense.predict_proba(X))
    assert_array_equal(sparse.predict(X), dense.predict(csr_array(X)))


def test_a_row_of_weight_two_is_learned_as_two_rows():
    X, y = frame(200)
    numbers = np.column_stack([with_gaps(X[["size"]].to_numpy()), X["town"].cat.codes])
    weight = np.random.default_rng(0).integers(1, 4, 200)
    once = learn(numbers, y.astype(int), weight.astype(float), 2, {1: 4})
    rows = np.repeat(np.arange(200), weight)
    many = learn(numbers[rows], y[rows].astype(int), np.ones(len(rows)), 2, {1: 4})
    assert_array_equal(once.ranks[1], many.ranks[1])
    assert_array_equal(once.filling.round(12), many.filling.round(12))
    assert_array_equal(once.telling, many.telling)
