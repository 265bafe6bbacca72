"""A Pipeline of scalers before trees is exported as trees of the rows it takes."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from hlsvm import ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees import explain, export_c, export_text, load_arrays, save_arrays
from hlsvm.trees._pipeline import forest_of

SCALERS = {
    "standard": lambda: [StandardScaler()],
    "no mean": lambda: [StandardScaler(with_mean=False)],
    "no scale": lambda: [StandardScaler(with_std=False)],
    "min max": lambda: [MinMaxScaler((-1, 2))],
    "largest": lambda: [MaxAbsScaler()],
    "robust": lambda: [RobustScaler()],
    "several": lambda: [MinMaxScaler(), "passthrough", SelectKBest(k=4), StandardScaler()],
    "none": lambda: [],
}
FORMS = {
    "axis": lambda: ObliqueTreeClassifier(1e-3, split="axis", random_state=0),
    "best": lambda: ObliqueTreeClassifier(1e-3, split="best", random_state=0),
    "forest": lambda: ObliqueForestClassifier(3, lam=1e-3, split="best", random_state=0),
    "pairs": lambda: ObliqueTreeClassifier(1e-3, multiclass="ovo", random_state=0),
}


def rows(dtype, n=600):
    """Six features of quite different places and scales; three classes."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, 6))
    X = Z * [1, 1e-3, 1e4, 2, 1, 5] + [0, 5e-3, -1e4, 30, 0, 1]
    return X.astype(dtype), (Z[:, 0] * Z[:, 1] > 0).astype(int) + (Z[:, 2] > 0.8)


def is_clear(trees, X):
    """Whether a row stays beyond the rounding of every dot product on its way, weights' included.

    The scaler rounds too: a dot product of scaled rows is at most as exact as that of its parts.
    """
    clear = np.ones(len(X), bool)
    for tree in trees:
        nodes = np.flatnonzero(tree.plane >= 0)
        w = tree.weights[tree.plane[nodes]].astype(float)
        value = X @ w.T + tree.offsets[nodes]
        size = np.abs(X) @ np.abs(w).T + np.abs(tree.offsets[nodes])
        doubt = np.abs(value) <= 10 * np.finfo(tree.weights.dtype).eps * size
        met = tree.ancestry()[tree.apply(X)].toarray()[:, nodes]
        clear &= ~(doubt & met).any(axis=1)
    return clear


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scalers", SCALERS)
def test_folded_trees_decide_alike(scalers, form, dtype, tmp_path):
    X, y = rows(dtype)
    model = make_pipeline(*SCALERS[scalers](), FORMS[form]()).fit(X, y)
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert saved.n_features_in_ == 6
    inner = model[-1]
    scaled = np.asarray(model[:-1].transform(X), order="C") if len(model) > 1 else X
    clear = is_clear(inner.trees_, scaled) & is_clear(saved.trees_, X)
    if form == "axis":
        clear[:] = True
    assert clear.mean() > 0.9
    assert_array_equal(saved.predict(X)[clear], model.predict(X)[clear])
    atol = {np.float64: 1e-9, np.float32: 1e-3}[dtype]
    assert_allclose(saved.predict_proba(X)[clear], model.predict_proba(X)[clear], atol=atol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scalers", SCALERS)
def test_comparisons_are_folded_to_the_bit(scalers, dtype):
    """Rows on every threshold and on both its neighbours, in the features as given."""
    X, y = rows(dtype)
    model = make_pipeline(*SCALERS[scalers](), FORMS["axis"]()).fit(X, y)
    tree = forest_of(model).trees[0]
    held = np.flatnonzero(tree.feature >= 0)
    assert len(held) > 3
    expected, winners = [], []
    for node in held:
        cut = -tree.offsets[node]
        for value in (cut, np.nextafter(cut, dtype(-np.inf)), np.nextafter(cut, dtype(np.inf))):
            near = X[:40].copy()
            near[:, tree.feature[node]] = value
            expected.append(model.predict(near))
            leaf = tree.apply(near)
            winners.append(model.classes_[tree.winner[leaf]])
    assert_array_equal(winners, expected)
    side = X[:, tree.feature[held[0]]] > -tree.offsets[held[0]]
    assert 0 < side.sum() < len(X)


def test_a_tree_is_read_in_the_units_of_the_rows():
    X, y = rows(np.float64)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d", "e", "f"])
    model = make_pipeline(StandardScaler(), SelectKBest(k=4), FORMS["best"]()).fit(frame, y)
    why = explain(model, X[3])
    values = dict(zip(frame.columns, X[3], strict=True))
    for step in why.steps:
        for term in step.terms:
            assert term.value == values[term.name]
            assert_allclose(term.typical, frame[term.name].mean(), rtol=1e-9)
    assert abs(why.start + sum(step.change for step in why.steps) - why.score) < 1e-9
    assert "|--- c <= " in export_text(model)
    forest = forest_of(model)
    kept = model[1].get_support()
    for name in ("low", "high", "mean", "spread"):
        given = {"low": X.min(0), "high": X.max(0), "mean": X.mean(0), "spread": X.std(0)}[name]
        assert_allclose(getattr(forest.columns, name)[kept], given[kept], rtol=1e-9)


def test_other_steps_are_refused():
    X, y = rows(np.float64, 100)
    for step in (PCA(3), MinMaxScaler(clip=True)):
        model = make_pipeline(step, FORMS["axis"]()).fit(X, y)
        with pytest.raises(TypeError, match="cannot be folded"):
            export_c(model)
    with pytest.raises(TypeError, match=r"classifier of hlsvm\.trees"):
        export_c(make_pipeline(StandardScaler()))
