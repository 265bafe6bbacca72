"""Exports at the ends: 26 classes, one leaf, labels of 64 bits, rows on hyperplanes, sanitizers."""

import shutil
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hlsvm.chapters.given_trees import given_tree
from hlsvm.trees import export_c, export_onnx, load_arrays, save_arrays

FORMS = {
    "depth 0": {"max_depth": 0},
    "one": {},
    "best": {"split": "best"},
    "mean": {"split": "best", "n_trees": 3},
    "ovo": {"multiclass": "ovo"},
}
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
STRICT += ["-fsanitize=address,undefined"]
MAIN = """
#include <stdio.h>
#include "tree.h"
int main(void)
{
    %s x[TREE_FEATURES];
    double p[TREE_CLASSES];
    int c;
    while (fread(x, sizeof x, 1, stdin) == 1) {
        tree_proba(x, p);
        printf("%%d", tree_predict(x));
        for (c = 0; c < TREE_CLASSES; ++c)
            printf(" %%.17g", p[c]);
        printf(" ");
    }
    return 0;
}
"""


def letters(dtype, n_classes=26, n_features=9):
    """Clusters that overlap, one or two a class."""
    rng = np.random.default_rng(0)
    centres = 3 * rng.normal(size=(2 * n_classes, n_features))
    which = rng.integers(0, len(centres), 1040)
    X = (centres[which] + rng.normal(size=(len(which), n_features))).astype(dtype)
    return X, which % n_classes


def on_hyperplanes(model, rows, per_plane):
    """Rows moved onto the hyperplanes: their decision values are rounding errors alone."""
    moved = [np.zeros((1, rows.shape[1]))]
    for tree in model.trees_:
        for node in np.flatnonzero(tree.plane >= 0)[:40]:
            w, x = tree.weights[tree.plane[node]].astype(np.float64), rows[:per_plane]
            moved.append(x - ((x @ w + tree.offsets[node]) / max(w @ w, 1e-300))[:, None] * w)
        for node in np.flatnonzero(tree.feature >= 0)[:40]:
            x = rows[:per_plane].astype(np.float64)
            x[:, tree.feature[node]] = -tree.offsets[node]
            moved.append(x)
    return np.concatenate(moved).astype(rows.dtype)


@pytest.fixture(scope="module")
def run_c(tmp_path_factory):
    """Compile with every warning an error and every sanitizer on; feed rows to the programme."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    flags = [*STRICT, "-O1", "-fno-sanitize-recover=all"]

    def run(model, X):
        folder = tmp_path_factory.mktemp("c")
        export_c(model, folder / "tree.h", name="tree")
        real = "float" if X.dtype == np.float32 else "double"
        (folder / "main.c").write_text(MAIN % real)
        command = ["gcc", *flags, "main.c", "-o", "main"]
        subprocess.run(command, cwd=folder, check=True)
        answer = subprocess.run(
            [folder / "main"], input=np.ascontiguousarray(X).tobytes(), capture_output=True,
            check=True,
        )  # fmt: skip
        assert answer.stderr == b""
        numbers = np.array(answer.stdout.split(), dtype=float).reshape(len(X), -1)
        return numbers[:, 0].astype(int), numbers[:, 1:]

    return run


def run_onnx(model, X):
    runtime = pytest.importorskip("onnxruntime")
    graph = export_onnx(model).SerializeToString()
    session = runtime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run(None, {"X": X})


@pytest.mark.parametrize(
    ("form", "dtype"),
    [(form, dtype) for form in FORMS if form != "ovo" for dtype in (np.float64, np.float32)]
    + [("ovo", np.float32), pytest.param("ovo", np.float64, marks=pytest.mark.thorough)],
)
def test_26_classes(form, dtype, run_c, tmp_path):
    X, y = letters(dtype)
    model = given_tree(lam=1e-2, min_fraction=0.02, random_state=0, **FORMS[form]).fit(X, y)
    assert len(model.classes_) == 26
    rows = np.concatenate([X, on_hyperplanes(model, X, 4)])
    expected, shares = model.predict(rows), model.predict_proba(rows)
    labels, written = run_c(model, rows)
    assert_array_equal(model.classes_[labels], expected)
    assert_allclose(written, shares, rtol=1e-13)
    assert_array_equal([model.predict_one(x) for x in rows[-600:]], expected[-600:])
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert_array_equal(saved.predict(rows), expected)
    answers, probabilities = run_onnx(model, rows)
    same = answers == expected
    assert_array_equal(answers[: len(X)], expected[: len(X)])
    assert_allclose(probabilities[: len(X)], shares[: len(X)], rtol=1e-12)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    # ONNX Runtime sums in an order of its own: only rows within rounding of a plane may differ.
    margin = np.min([tree.route(rows)[1] for tree in model.trees_], axis=0)
    assert (margin[~same] <= 1e3 * np.finfo(dtype).eps).all()


LABELS = {
    "uint64": np.array([0, 2**63, 2**64 - 1], np.uint64),
    "int64": np.array([-(2**63), -(2**63) + 1, 2**63 - 1], np.int64),
    "int8": np.array([-128, 0, 127], np.int8),
    "uint8": np.array([0, 7, 255], np.uint8),
    "float": np.array([-(2.0**52), 0.0, 3.0]),
    "text": np.array(["", "a\0b", "ü?"]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_arrive_unchanged(kind, tmp_path):
    labels = np.unique(LABELS[kind])
    X = np.repeat(np.arange(3.0)[:, None], 20, axis=0)
    model = given_tree(lam=1e-3, random_state=0).fit(X, np.repeat(labels, 20))
    expected = model.predict(X)
    assert len(np.unique(expected)) == 3
    answers = run_onnx(model, X)[0]
    assert answers.tolist() == expected.tolist()
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert_array_equal(saved.predict(X), expected)
    if shutil.which("gcc") is None:
        return
    kinds = {"f": ("double", "%.17g"), "i": ("long long", "%lld"), "u": ("long long", "%lld")}
    real, form = kinds.get(labels.dtype.kind, ("char *", "%s"))
    if labels.dtype == np.uint64:
        real, form = "unsigned long long", "%llu"
    export_c(model, tmp_path / "tree.h", name="tree")
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "tree.h"\nint main(void)\n{\n    int k;\n'
        '    double x[1] = {0};\n    (void)tree_predict(x);\n'
        f"    for (k = 0; k < 3; ++k) {{\n        const {real} label = tree_classes[k];\n"
        f'        printf("{form}|", label);\n    }}\n    return 0;\n}}\n'
    )  # fmt: skip
    subprocess.run(["gcc", *STRICT, "main.c", "-o", "main"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "main"], capture_output=True, check=True).stdout.decode()
    texts = printed.split("|")[:3]
    if labels.dtype.kind == "U":
        assert texts == [label.partition("\0")[0] for label in labels.tolist()]
    else:
        assert [type(labels.tolist()[0])(text) for text in texts] == labels.tolist()
