"""Trees in integers: labels are the model's outside the bound, and C counts as Python does."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hlsvm.chapters.given_trees import given_tree
from hlsvm.trees import IntegerTrees, export_c, load_arrays, save_arrays

STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-function"]
SAFE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1"]
MAIN = """
#include <stdio.h>
#include "tree.h"
int main(void)
{
    %s x[TREE_FEATURES];
    while (fread(x, sizeof x, 1, stdin) == 1)
        printf("%%d %%d\\n", tree_predict(x), tree_certain(x));
    return 0;
}
"""
FORMS = {
    "depth 0": {"max_depth": 0},
    "one": {},
    "axis": {"split": "axis"},
    "best": {"split": "best"},
    "mean": {"split": "best", "n_trees": 3},
    "ovo": {"multiclass": "ovo", "split": "best"},
}
SIZE = "int f(const {code} *x);\nint f(const {code} *x) {{ return {calls}; }}\n"


def letters(dtype, n_classes=26, n_features=9):
    """Clusters that overlap, in features of quite different places and scales."""
    rng = np.random.default_rng(0)
    centres = 3 * rng.normal(size=(2 * n_classes, n_features))
    which = rng.integers(0, len(centres), 1040)
    X = centres[which] + rng.normal(size=(len(which), n_features))
    X = X * 10.0 ** np.arange(-4, 5) + 7.0 * 10.0 ** np.arange(-4, 5)
    return X.astype(dtype), which % n_classes


def near_decisions(model, X):
    """Rows moved onto hyperplanes and thresholds, and rows outside the ranges."""
    far = 3 * (X.max(axis=0) - X.min(axis=0))
    moved = [X[:20] + far, X[:20] - far]
    for tree in model.trees_:
        for node in np.flatnonzero(tree.is_inner)[:30]:
            x = X[:8].astype(np.float64)
            if tree.plane[node] >= 0:
                w = tree.weights[tree.plane[node]].astype(np.float64) * X.std(axis=0)
                x -= ((x / X.std(axis=0)) @ w + tree.offsets[node])[:, None] * w / (w @ w)
            else:
                x[:, tree.feature[node]] = -tree.offsets[node]
            moved.append(np.clip(x, X.min(axis=0), X.max(axis=0)))
    return np.concatenate(moved).astype(X.dtype)


def compiled(folder, text, bits, flags):
    (folder / "tree.h").write_text(text)
    (folder / "main.c").write_text(MAIN % f"int{bits}_t")
    subprocess.run(["gcc", *STRICT, *flags, "main.c", "-o", "main"], cwd=folder, check=True)

    def run(codes):
        done = subprocess.run(
            [folder / "main"], input=codes.tobytes(), capture_output=True, check=True
        )
        assert done.stderr == b""
        return np.array(done.stdout.split(), dtype=int).reshape(-1, 2).T

    return run


@pytest.mark.parametrize("bits", [16, 8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", FORMS)
def test_c_counts_as_python_and_differs_inside_the_bound_only(form, dtype, bits, tmp_path):
    X, y = letters(dtype)
    options = {"lam": 1e-3, "standardize": True, "min_fraction": 0.02, "random_state": 0}
    model = given_tree(**options | FORMS[form]).fit(X, y)
    rows = X if bits == 8 else None
    small = IntegerTrees(model, bits, rows)
    tried = np.concatenate([X, near_decisions(model, X)])
    expected, answers, certain = model.predict(tried), small.predict(tried), small.certain(tried)
    assert_array_equal(answers[certain], expected[certain])
    assert not certain[len(X) : len(X) + 40].any() or form == "depth 0"
    if bits == 16:
        assert (answers == expected)[: len(X)].mean() >= 0.997
        assert certain[: len(X)].mean() > 0.8 or form in ("mean", "ovo")
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    text = export_c(model, name="tree", integers=bits, rows=rows)
    assert "double" not in text
    assert "float" not in text.replace("floating", "")
    run = compiled(tmp_path, text, bits, SAFE)
    labels, sure = run(small.inputs(tried))
    assert_array_equal(model.classes_[labels], answers)
    assert_array_equal(sure.astype(bool), certain)
    any_codes = np.random.default_rng(1).integers(
        -small.top - 1, small.top + 1, (2000, X.shape[1]), dtype=small.inputs(X).dtype
    )
    run(any_codes)  # no input at all overflows


def test_the_bound_holds_for_every_decision():
    """Integer value and decision value of every node, for rows all over the ranges."""
    X, y = letters(np.float64)
    model = given_tree(lam=1e-3, standardize=True, random_state=0).fit(X, y)
    rng = np.random.default_rng(0)
    tried = rng.uniform(X.min(axis=0), X.max(axis=0), (5000, X.shape[1]))
    closest = np.inf
    for bits, rows in ((16, None), (8, X)):
        small = IntegerTrees(model, bits, rows)
        tree = small.forest.trees[0]
        value = tried @ tree.weights.T
        codes = small.inputs(tried).astype(np.int64)
        for node in np.flatnonzero(tree.is_inner):
            plane = tree.plane[node]
            part = small.nodes[0]
            whole = codes @ part.weights[plane] - part.cut[node] * 2**small.shift
            real = (value[:, plane] + tree.offsets[node]) * part.unit[node] * 2**small.shift
            most = part.doubt[node] * 2**small.shift
            assert np.abs(whole - real).max() <= most
            closest = min(closest, most / np.abs(whole - real).max())
        assert len(small.bounds) == 1
        assert (small.bounds[0][tree.is_inner] > 0).all()
    assert closest < 20  # the bound is of the size of what it bounds


def test_refitted_hyperplanes_go_astray_less_than_rounded_ones(monkeypatch):
    X = np.random.default_rng(0).normal(size=(3000, 12))
    model = given_tree(lam=1e-3, min_fraction=0.02, random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
    same = (IntegerTrees(model, 8, X).predict(X) == model.predict(X)).mean()
    monkeypatch.setattr("hlsvm.trees.integers.refit", lambda *arguments: None)
    assert same > (IntegerTrees(model, 8, X).predict(X) == model.predict(X)).mean()


def test_integers_that_fit_have_no_rounding_of_their_own():
    """Steps are powers of two, zeros multiples of them: whole numbers are codes as they are."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 17, (500, 5)).astype(float)
    model = given_tree(lam=1e-3, split="best", random_state=0).fit(X, X[:, 0] + X[:, 1] > 15)
    small = IntegerTrees(model)
    used = small.step > 0
    back = small.inputs(X) * small.step + small.zero
    assert_array_equal(back[:, used], X[:, used])
    assert_array_equal(small.predict(X), model.predict(X))


def test_saved_trees_and_pipelines_count_too(tmp_path):
    X, y = letters(np.float64)
    model = make_pipeline(StandardScaler(), given_tree(lam=1e-3, random_state=0)).fit(X, y)
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert export_c(saved, integers=16) == export_c(model, integers=16)
    small = IntegerTrees(model)
    certain = small.certain(X)
    assert certain.mean() > 0.8
    assert_array_equal(small.predict(X)[certain], model.predict(X)[certain])


def test_refusals(tmp_path):
    X, y = letters(np.float64)
    model = given_tree(lam=1e-3, standardize=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="needs rows with 8 bits"):
        export_c(model, integers=8)
    with pytest.raises(ValueError, match="'integers' parameter of export_c"):
        export_c(model, integers=12)
    with pytest.raises(ValueError, match="rows of export_c"):
        export_c(model, rows=X)
    with pytest.raises(ValueError, match="rows must have 9 columns"):
        IntegerTrees(model, rows=X[:, :3])
    with pytest.raises(ValueError, match="X must have 9 columns"):
        IntegerTrees(model).predict(X[:, :3])
    arrays = dict(np.load(save_arrays(model, tmp_path / "m.npz")))
    del arrays["columns"]
    np.savez(tmp_path / "old.npz", **arrays)
    with pytest.raises(ValueError, match="where no ranges are known"):
        IntegerTrees(load_arrays(tmp_path / "old.npz"))
    assert IntegerTrees(load_arrays(tmp_path / "old.npz"), rows=X).certain(X).mean() > 0.8


@pytest.mark.parametrize("bits", [16, 8])
@pytest.mark.parametrize("form", ["one", "mean", "ovo"])
def test_cortex_m0_needs_no_library(form, bits, tmp_path, capsys):
    """No symbol is left for a library to bring: no 64-bit product, no division."""
    compiler = shutil.which(os.environ.get("ARM_GCC", "arm-none-eabi-gcc"))
    if compiler is None:
        pytest.skip("no arm-none-eabi-gcc (Debian package gcc-arm-none-eabi, or ARM_GCC)")
    X, y = letters(np.float64, n_classes=4)
    options = {"lam": 1e-3, "standardize": True, "random_state": 0}
    model = given_tree(**options | FORMS[form]).fit(X, y)
    export_c(model, tmp_path / "tree.h", name="tree", integers=bits, rows=X)
    calls = "tree_certain(x) ? tree_predict(x) : -1"
    both = SIZE.format(code=f"int{bits}_t", calls=calls)
    (tmp_path / "tree.c").write_text('#include "tree.h"\n' + both)
    flags = [*STRICT, "-Os", "-ffreestanding", "-mcpu=cortex-m0", "-mthumb", "-c"]
    subprocess.run([compiler, *flags, "tree.c", "-o", "tree.o"], cwd=tmp_path, check=True)
    tool = compiler.removesuffix("gcc")
    left = subprocess.run([tool + "nm", "-u", tmp_path / "tree.o"], capture_output=True, check=True)
    assert left.stdout.split() == []
    size = subprocess.run([tool + "size", tmp_path / "tree.o"], capture_output=True, check=True)
    with capsys.disabled():
        sys.stdout.write(f"\n{form}, {bits} bits:\n{size.stdout.decode()}")


@pytest.mark.mirror
def test_real_rows(tmp_path):
    """ijcnn1: 99.7 % of the labels at least, no other outside the bound, 6 kB at most."""
    from hlsvm import datasets

    data = datasets.load("ijcnn1")
    X, X_test = (part.astype(np.float32) for part in (data.X_train, data.X_test))
    options = {"lam": 2e-5, "min_fraction": 6e-3, "refine": 4, "split": "best", "random_state": 0}
    model = given_tree(**options).fit(X, data.y_train)
    small, expected = IntegerTrees(model), model.predict(X_test)
    same, certain = small.predict(X_test) == expected, small.certain(X_test)
    assert same.mean() >= 0.997
    assert same[certain].all()
    assert certain.mean() > 0.97
    if shutil.which("gcc") is None or shutil.which("size") is None:
        pytest.skip("no gcc")
    export_c(model, tmp_path / "tree.h", name="tree", integers=16)
    (tmp_path / "tree.c").write_text(
        '#include "tree.h"\n' + SIZE.format(code="int16_t", calls="tree_predict(x)")
    )
    flags = [*STRICT, "-Os", "-fno-asynchronous-unwind-tables", "-c"]
    subprocess.run(["gcc", *flags, "tree.c", "-o", "tree.o"], cwd=tmp_path, check=True)
    sizes = subprocess.run(["size", tmp_path / "tree.o"], capture_output=True, check=True).stdout
    assert int(sizes.split()[-3]) <= 6000


@pytest.mark.parametrize("labels", [(0.5, 1.5), (-1.0, 1.0)])
def test_labels_have_no_floating_point_either(labels):
    X, y = letters(np.float64, n_classes=2)
    model = given_tree(lam=1e-3, standardize=True, random_state=0).fit(X, y)
    model.forest_.classes = np.array(labels)  # fractions come from files alone
    text = export_c(model, integers=16)
    assert "double" not in text
    shown = '{"0.5", "1.5"}' if labels[0] == 0.5 else "{-1LL, 1LL}"
    assert shown in text
