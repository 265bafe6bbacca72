"""A tree that can be read: what it says of itself is what it does."""

import builtins
import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from hlsvm import HLSVMClassifier, ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees import (
    HyperplaneTree,
    explain,
    export_text,
    load_arrays,
    plot_tree,
    save_arrays,
)
from hlsvm.trees._columns import Columns
from hlsvm.trees._forest import Forest

mpl.use("Agg")

FORMS = {
    "sources": lambda: HLSVMClassifier(1e-4, random_state=0),
    "default": lambda: ObliqueTreeClassifier(random_state=0),
    "best": lambda: ObliqueTreeClassifier(1e-3, split="best", shrinkage=20, random_state=0),
    "axis": lambda: ObliqueTreeClassifier(1e-3, split="axis", random_state=0),
    "forest": lambda: ObliqueForestClassifier(3, random_state=0),
    "pairs": lambda: ObliqueTreeClassifier(1e-3, multiclass="ovo", random_state=0),
    "leaf": lambda: HLSVMClassifier(1e-4, max_depth=0),
}


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module", params=FORMS)
def model(request, iris):
    return FORMS[request.param]().fit(*iris)


def test_steps_sum_to_the_score(model, iris):
    X = iris[0].to_numpy()
    shares, labels = model.predict_proba(iris[0]), model.predict(iris[0])
    for row in range(0, len(X), 7):
        for code, label in enumerate(model.classes_):
            why = explain(model, X[row], label=label)
            assert why.score == shares[row, code]
            total = why.start + sum(step.change for step in why.steps) + why.ties
            assert abs(total - why.score) < 1e-9
            if len(model.trees_) in (1, 10):
                assert why.ties == 0
        assert explain(model, X[row]).label == labels[row]


def test_contributions_sum_to_the_margin_and_the_turn_turns(model, iris):
    X = iris[0].to_numpy()
    for row in range(0, len(X), 11):
        for step in explain(model, X[row], n_terms=4).steps:
            terms = [term.contribution for term in step.terms]
            assert terms == sorted(terms, key=abs, reverse=True)
            assert step.rest == 0  # of four features all are named
            assert abs(math.fsum([step.base, *terms]) - step.margin) < 1e-9
            assert step.goes_right == (step.margin > 0)
            tree = model.trees_[step.tree]
            for term in step.terms:
                x = X[row].copy()
                x[term.feature] = term.turns_at
                w, b = np.zeros(4), tree.offsets[step.node]
                if tree.plane[step.node] >= 0:
                    w = tree.weights[tree.plane[step.node]]
                else:
                    w[tree.feature[step.node]] = 1
                assert abs(w @ x + b) < 1e-9 * (1 + np.abs(w * x).sum())
            few = explain(model, X[row], n_terms=1).steps[0]
            shown = [term.contribution for term in few.terms]
            assert abs(math.fsum([few.base, *shown, few.rest]) - few.margin) < 1e-9


def test_the_way_is_that_of_the_row(model, iris):
    X = iris[0].to_numpy()
    path = model.decision_path(iris[0])
    columns = path if len(model.trees_) == 1 else path[0]
    first = [0] if len(model.trees_) == 1 else path[1]
    leaves = model.apply(iris[0]).reshape(len(X), -1)
    for row in range(0, len(X), 13):
        steps = explain(model, X[row]).steps
        met = [first[step.tree] + step.node for step in steps]
        met += [first[k] + leaf for k, leaf in enumerate(leaves[row])]
        assert_array_equal(np.flatnonzero(columns[[row]].toarray()[0]), sorted(met))
    if len(model.trees_) == 1:
        assert_allclose(model.tree_.shares[model.apply(iris[0])], model.predict_proba(iris[0]))


def test_scores_agree_with_each_other(model, iris):
    shares = model.predict_proba(iris[0])
    assert_allclose(model.decision_function(iris[0]), shares)
    with np.errstate(divide="ignore"):
        assert_array_equal(model.predict_log_proba(iris[0]), np.log(shares))


def test_importances(model):
    parts = model.feature_importances_
    assert parts.shape == (4,)
    assert (parts >= 0).all()
    assert abs(parts.sum() - (model.get_depth() > 0)) < 1e-12


def test_importances_by_hand():
    """One comparison that removes all entropy of half the rows, one hyperplane 3 to 1 for x1."""
    tree = HyperplaneTree.from_arrays(
        weights=[[1.0, 1.0, 0.0]], offsets=[0, 0, 0, 0, 0], plane=[-1, -1, 0, -1, -1],
        feature=[2, -1, -1, -1, -1], left=[1, -1, 3, -1, -1], right=[2, -1, 4, -1, -1],
        counts=[[6, 2], [4, 0], [2, 2], [2, 0], [0, 2]],
    )  # fmt: skip
    columns = Columns(*np.zeros((3, 3)), np.array([1.0, 3.0, 5.0]))
    forest = Forest("one", np.array([0, 1]), [tree], columns)
    root = 8 * (-(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25))) - 4
    expected = np.array([1.0, 3.0, root]) / (root + 4)
    assert_allclose(forest.importances(), expected)


def test_importances_do_not_depend_on_units(iris):
    X, y = iris[0].to_numpy(), iris[1]
    scale = np.array([1024.0, 1.0, 1 / 64, 1.0])
    kind = ObliqueTreeClassifier(1e-3, standardize=True, random_state=0)
    parts = [kind.fit(rows, y).feature_importances_ for rows in (X, X * scale)]
    assert_allclose(*parts, rtol=1e-9)


def test_columns_in_pieces(monkeypatch):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(3, 2, (100, 3)), rng.uniform(0, 2, 100)
    X[rng.random((100, 3)) < 0.1] = np.nan
    X[:, 2] = np.nan
    rows = np.flatnonzero(weight > 0.5)
    whole = Columns.of(X, weight, rows)
    monkeypatch.setattr("hlsvm.trees._columns._CHUNK", 30)
    parts = Columns.of(X, weight, rows)
    assert_allclose(parts.to_array(), whole.to_array())
    for j in range(2):
        known = rows[~np.isnan(X[rows, j])]
        mean = np.average(X[known, j], weights=weight[known])
        square = np.average((X[known, j] - mean) ** 2, weights=weight[known])
        expected = [X[known, j].min(), X[known, j].max(), mean, np.sqrt(square)]
        assert_allclose(whole.to_array()[:, j], expected)
    assert_array_equal(whole.to_array()[:, 2], 0)


def test_text(model, iris):
    text = export_text(model, decimals=3)
    n_inner = sum(int(tree.is_inner.sum()) for tree in model.trees_)
    heads = len(model.trees_) if len(model.trees_) > 1 else 0
    assert len(text.split("\n")) == model.get_n_leaves() + 2 * n_inner + heads
    assert text.count("class:") == model.get_n_leaves()
    if model.get_depth() > 0:
        assert "(cm)" in text  # names of the data frame
        assert "truncated" in export_text(model, max_depth=0)
    assert "weights: [" in export_text(model, show_weights=True)


def test_text_of_comparisons_is_the_tree(iris):
    """Read back and followed, the text answers as the model."""
    model = FORMS["axis"]().fit(*iris)
    lines = export_text(model, max_depth=100, decimals=12).split("\n")

    def follow(row):
        level, at = 0, 0
        while "class:" not in lines[at]:
            mark = "|   " * level + "|--- "
            name, sign, number = lines[at].removeprefix(mark).rsplit(None, 2)
            if (row[name] <= float(number)) == (sign == "<="):
                level, at = level + 1, at + 1
            else:
                at = next(k for k in range(at + 1, len(lines)) if lines[k].startswith(mark))
        return lines[at].split("class: ")[1].split(" (")[0]

    rows = iris[0].iloc[::3]
    assert [follow(row) for _, row in rows.iterrows()] == model.predict(rows).tolist()


def test_picture(model):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(12, 8))
    boxes = plot_tree(model, ax=ax, tree=len(model.trees_) - 1)
    tree = model.trees_[-1]
    assert len(boxes) == tree.n_nodes
    assert sum("<=" in box.get_text() for box in boxes) == tree.is_inner.sum()
    if tree.max_depth > 1:
        few = plot_tree(model, ax=ax, tree=len(model.trees_) - 1, max_depth=1, filled=False)
        assert len(few) == 3
    figure.canvas.draw()
    plt.close(figure)


def test_lines_are_drawn_below_the_boxes(iris):
    boxes = plot_tree(FORMS["best"]().fit(*iris))
    lines = [one for one in boxes[0].axes.texts if one.arrow_patch is not None]
    assert len(lines) == len(boxes) - 1 > 1
    assert max(one.zorder for one in lines) < min(box.zorder for box in boxes)


def test_picture_without_matplotlib(iris, monkeypatch):
    real = builtins.__import__

    def absent(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    model = FORMS["leaf"]().fit(*iris)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"pip install 'hlsvm\[notebooks\]'"):
        plot_tree(model)


def test_a_saved_tree_is_read_alike(model, iris, tmp_path):
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    x = iris[0].to_numpy()[77]
    assert explain(saved, x) == explain(model, x)
    assert str(explain(saved, x)) == str(explain(model, x))
    assert export_text(saved) == export_text(model)
    assert_array_equal(saved.feature_importances_, model.feature_importances_)
    assert_array_equal(saved.apply(iris[0].to_numpy()), model.apply(iris[0]))
    assert saved.get_depth() == model.get_depth()


def test_names_and_refusals(iris):
    model = FORMS["best"]().fit(iris[0].to_numpy(), iris[1])
    assert "x3" in export_text(model)
    assert "width" in export_text(model, feature_names=["a", "b", "c", "width"])
    assert "class: A" in export_text(model, class_names=["A", "B", "C"])
    assert isinstance(explain(model, np.zeros(4)).label, str)
    for bad in (["a"], [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="feature_names"):
            export_text(model, feature_names=bad)
    with pytest.raises(ValueError, match="class_names"):
        plot_tree(model, class_names=["A"])
    for label in ("rose", [], [0, 1]):
        with pytest.raises(ValueError, match="label"):
            explain(model, np.zeros(4), label=label)
    with pytest.raises(ValueError, match="explain takes one row of 4"):
        explain(model, np.zeros(3))
    with pytest.raises(ValueError, match="'tree'"):
        plot_tree(model, tree=1)
    with pytest.raises(TypeError, match="n_terms"):
        explain(model, np.zeros(4), n_terms="all")


def test_single_precision_and_frames():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 30)).astype(np.float32)
    model = FORMS["default"]().fit(pd.DataFrame(X).add_prefix("f"), X[:, 0] + X[:, 1] > 0)
    why = explain(model, X[0])
    assert abs(why.start + sum(step.change for step in why.steps) - why.score) < 1e-9
    assert why.steps[0].terms[0].name.startswith("f")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("columns", lambda a: a[:3]),
        ("columns", lambda a: a * np.nan),
        ("columns", lambda a: -a),
        ("names", lambda a: a[:2]),
    ],
)
def test_columns_that_do_not_fit_are_refused(name, change, iris, tmp_path):
    path = save_arrays(FORMS["best"]().fit(*iris), tmp_path / "model.npz")
    arrays = dict(np.load(path))
    np.savez(path, **(arrays | {name: change(arrays[name])}))
    with pytest.raises(ValueError, match=f"model.npz.*{name}"):
        load_arrays(path)
