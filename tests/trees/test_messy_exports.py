"""Rows with gaps and categories, as given, are answered alike by C, ONNX and files."""

import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hlsvm import ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees import (
    IntegerTrees,
    explain,
    export_c,
    export_onnx,
    export_text,
    load_arrays,
    plot_tree,
    save_arrays,
)

GIVEN = {"lam": 1e-3, "shrinkage": 3.0, "min_fraction": 0.01, "random_state": 0}
FORMS = {
    "svm": {"split": "svm"},
    "axis": {"split": "axis"},
    "best": {"split": "best"},
    "several": {"split": "best", "n_trees": 3},
    "ovo": {"split": "best", "multiclass": "ovo"},
}
TOWNS = ["Aarau", "Bern", "Chur", "Zug"]


def rows(n=600, seed=0):
    """Two numbers with gaps that tell, two columns of categories (text and whole numbers)."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    X.insert(1, "town", rng.choice(TOWNS, n))
    X["kind"] = rng.choice([3, 7, 11], n)
    y = (X["a"] + X["town"].isin(["Bern", "Zug"]) > 0.5).astype(int) + (X["kind"] == 7)
    X.loc[(y == 1) & (rng.random(n) < 0.5), "b"] = np.nan
    X.loc[rng.random(n) < 0.2, "c"] = np.nan
    for name in ("town", "kind"):
        X[name] = X[name].astype("category")
    return X, y.to_numpy()


def messy():
    """Rows to answer: as given, and as codes; unknown and missing categories among them."""
    X, _ = rows(400, 1)
    X = X.astype({"town": object, "kind": object})
    codes = X.copy()
    codes["town"] = [TOWNS.index(town) for town in X["town"]]
    codes["kind"] = [[3, 7, 11].index(kind) for kind in X["kind"]]
    X.loc[:50, "town"], codes.loc[:50, "town"] = "Genf", 4
    X.loc[30:70, "kind"], codes.loc[30:70, "kind"] = None, np.nan
    X.loc[70:80, "kind"], codes.loc[70:80, "kind"] = 8, -1
    return X, codes.to_numpy(dtype=np.float64)


def fitted(form):
    kind = ObliqueForestClassifier if "n_trees" in FORMS[form] else ObliqueTreeClassifier
    return kind(**GIVEN, **FORMS[form]).fit(*rows())


def gaps_only(form, dtype):
    kind = ObliqueForestClassifier if "n_trees" in FORMS[form] else ObliqueTreeClassifier
    X, y = rows()
    X = X[["a", "b", "c"]].to_numpy(dtype)
    return kind(**GIVEN, **FORMS[form]).fit(X, y), X


def run_c(model, X, folder):
    """Labels and probabilities of a header compiled with checks, in a process of its own."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc")
    export_c(model, folder / "tree.h", name="tree")
    real = "float" if X.dtype == np.float32 else "double"
    (folder / "main.c").write_text(
        '#include <stdio.h>\n#include "tree.h"\nint main(void)\n{\n'
        f"    {real} x[TREE_FEATURES];\n    double p[TREE_CLASSES];\n"
        "    while (fread(x, sizeof x, 1, stdin) == 1) {\n        int c = tree_predict(x), k;\n"
        '        tree_proba(x, p);\n        printf("%lld", tree_classes[c]);\n'
        '        for (k = 0; k < TREE_CLASSES; ++k)\n            printf(" %.17g", p[k]);\n'
        '        printf("\\n");\n    }\n    return 0;\n}\n'
    )
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([compiler, *flags, "main.c", "-o", "main"], cwd=folder, check=True)
    command = [folder / "main"]
    said = subprocess.run(command, input=X.tobytes(), capture_output=True, check=True).stdout
    table = np.loadtxt(said.decode().splitlines(), ndmin=2)
    return table[:, 0], table[:, 1:]


def run_onnx(model, X):
    runtime = pytest.importorskip("onnxruntime")
    graph = export_onnx(model).SerializeToString()
    return runtime.InferenceSession(graph, providers=["CPUExecutionProvider"]).run(None, {"X": X})


@pytest.mark.parametrize("form", FORMS)
def test_rows_with_gaps_and_categories_are_answered_alike(form, tmp_path):
    model = fitted(form)
    assert len(model._encoder.telling) == 1
    X, codes = messy()
    label, share = model.predict(X), model.predict_proba(X)
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    again = load_arrays(save_arrays(saved, tmp_path / "again.npz"))
    for one in (saved, again):
        assert_array_equal(one.predict(X), label)
        assert_array_equal(one.predict_proba(X), share)
        assert_array_equal(one.predict(X.to_numpy()), label)
        assert [one.predict_one(x) for x in X.to_numpy().tolist()] == label.tolist()
    for one in (model, saved):
        found, p = run_c(one, codes, tmp_path)
        assert_array_equal(found, label)
        assert_array_equal(p, share)
        found, p = run_onnx(one, codes)
        assert_array_equal(found, label)
        assert_allclose(p, share, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gaps_in_both_precisions(form, dtype, tmp_path):
    model, X = gaps_only(form, dtype)
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert saved.n_features_in_ == 3
    assert_array_equal(saved.predict_proba(X), model.predict_proba(X))
    assert_array_equal([saved.predict_one(x) for x in X], model.predict(X))
    found, p = run_c(model, X, tmp_path)
    assert_array_equal(found, model.predict(X))
    assert_array_equal(p, model.predict_proba(X))
    found, p = run_onnx(model, X)
    assert_array_equal(found, model.predict(X))
    assert_allclose(p, model.predict_proba(X), atol=1e-12)


def test_codes_are_listed():
    model = fitted("best")
    assert " *   x[1] town: 0 Aarau, 1 Bern, 2 Chur, 3 Zug\n" in export_c(model)
    assert " *   x[4] kind: 0 3, 1 7, 2 11 */\n" in export_c(model)
    pytest.importorskip("onnx")
    codes = json.loads(export_onnx(model).doc_string)["codes"]
    assert codes == {
        "town": dict(zip(TOWNS, range(4), strict=True)),
        "kind": {"3": 0, "7": 1, "11": 2},
    }


def test_integers_list_what_stands_for_gaps_and_categories():
    """Rows made of the listed integers alone are those of the encoded rows."""
    model = fitted("best")
    header, small = export_c(model, integers=16), IntegerTrees(model)
    X, _ = messy()
    codes = small.inputs(model.encode(X))
    for j, name in enumerate(X):
        gap = int(re.search(rf"x\[{j}\] of a gap: (-?\d+)", header)[1])
        known = X[name].isin([*TOWNS, 3, 7, 11]) if name in ("town", "kind") else X[name].notna()
        assert (codes[~known.to_numpy(), j] == gap).all()
    towns = re.search(r"x\[1\] of categories \(others are gaps\): (.*)\n", header)[1]
    for text in towns.split(", "):
        town, code = text.split()
        assert (codes[(X["town"] == town).to_numpy(), 1] == int(code)).all()
    lacks, held = re.search(r"x\[5\]: (-?\d+) where feature 2 is a gap, (-?\d+)", header).groups()
    assert_array_equal(codes[:, 5], np.where(X["b"].isna(), int(lacks), int(held)))


def test_what_cannot_be_carried_is_refused(tmp_path):
    _, X = gaps_only("axis", np.float64)
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    piped = make_pipeline(StandardScaler(), ObliqueTreeClassifier(**GIVEN)).fit(X, y)
    with pytest.raises(TypeError, match="fitted on gaps or categories"):
        export_c(piped)
    mixed = np.array([["a", 1][k % 2] for k in range(len(y))], dtype=object)[:, None]
    model = ObliqueTreeClassifier(categorical_features=[0], **GIVEN).fit(mixed, y)
    with pytest.raises(TypeError, match="all text or all numbers"):
        save_arrays(model, tmp_path / "model.npz")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("filling", np.full(5, np.nan)),
        ("filling", np.zeros(4)),
        ("telling", np.array([9])),
        ("categorical", np.array([-1, 1])),
        ("ranks_1", np.zeros(3)),
        ("ranks_1", np.full(4, np.inf)),
        ("categories_1", np.array(["a", "a", "b", "c"])),
    ],
)
def test_tampered_tables_are_refused(name, value, tmp_path):
    path = save_arrays(fitted("axis"), tmp_path / "model.npz")
    arrays = dict(np.load(path)) | {name: value}
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="does not hold whole trees"):
        load_arrays(path)


def test_categories_are_read_by_their_names():
    model = ObliqueTreeClassifier(**GIVEN, split="axis").fit(*rows())
    text = export_text(model)
    sides = re.findall(r"(town|kind) in \{(.*)\}", text)
    assert sides
    assert not re.search(r"(town|kind) <=", text)
    for name, full in (("town", {*TOWNS, "missing"}), ("kind", {"3", "7", "11", "missing"})):
        found = [set(side.split(", ")) for which, side in sides if which == name]
        assert found
        assert all(side <= full and full - side in found for side in found)
    X, _ = messy()
    for k in (100, 200):
        why = explain(model, model.encode(X.iloc[[k]])[0])
        names = [term.name for step in why.steps for term in step.terms]
        asked = [name for name in names if name.startswith("town")]
        assert all(name == f"town = {X['town'][k]}" for name in asked)


def test_a_picture_names_categories():
    plt = pytest.importorskip("matplotlib.pyplot")
    model = ObliqueTreeClassifier(**GIVEN, split="axis").fit(*rows())
    figure, ax = plt.subplots()
    texts = [box.get_text() for box in plot_tree(model, ax=ax)]
    plt.close(figure)
    assert any(text.startswith(("town in {", "kind in {")) for text in texts)
    assert not any(text.startswith(("town <=", "kind <=")) for text in texts)
