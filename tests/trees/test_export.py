"""Saved and exported trees answer as `predict`: random rows, extremes, ties at zero."""

import ctypes
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hlsvm import HLSVMClassifier, ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees import SVMTreesClassifier, export_c, export_onnx, load_arrays, save_arrays

FORMS = {
    "svm": {},
    "axis": {"split": "axis"},
    "best": {"split": "best", "refine": 2},
    "stump": {"max_depth": 0},
    "several": {"split": "best", "n_trees": 3},
    "ovo": {"multiclass": "ovo", "split": "best"},
    "ovo axis": {"multiclass": "ovo", "split": "axis"},
}
N_FEATURES = 11


def problem(dtype, labels="numbers"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, N_FEATURES))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + 2 * (X[:, 2] > 0.8)
    names = np.array(['r"o\\t', "grün", "b?", "x y"]) if labels == "text" else np.arange(4) * 3 - 2
    return X.astype(dtype), names[y]


def fitted(form, dtype=np.float64, labels="numbers"):
    options = {"lam": 1e-3, "min_fraction": 0.02, "random_state": 0} | FORMS[form]
    kind = ObliqueForestClassifier if "n_trees" in options else ObliqueTreeClassifier
    return kind(**options).fit(*problem(dtype, labels))


def extremes(model):
    """Zeros, huge and tiny numbers, and rows that lie on every threshold and its neighbours."""
    dtype = model.trees_[0].weights.dtype
    info = np.finfo(dtype)
    rows = [np.zeros(N_FEATURES), np.full(N_FEATURES, info.tiny), np.full(N_FEATURES, -info.tiny)]
    rows += [np.full(N_FEATURES, s * 10.0**15) for s in (1, -1)]
    for tree in model.trees_:
        for node in np.flatnonzero(tree.feature >= 0):
            for side in (-np.inf, 0, np.inf):
                row = np.zeros(N_FEATURES, dtype)
                value = -tree.offsets[node]
                row[tree.feature[node]] = np.nextafter(value, dtype.type(side)) if side else value
                rows.append(row)
    return np.array(rows, dtype)


def random_rows(n, dtype):
    return (2 * np.random.default_rng(1).standard_normal((n, N_FEATURES))).astype(dtype)


@pytest.fixture(scope="session")
def compile_c(tmp_path_factory):
    """Compile a header into a function from rows to class numbers."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")

    def build(model):
        folder = tmp_path_factory.mktemp("c")
        export_c(model, folder / "tree.h", name="tree")
        real = "float" if model.trees_[0].weights.dtype == np.float32 else "double"
        (folder / "tree.c").write_text(
            '#include "tree.h"\n'
            f"void batch(const {real} *x, long n, int *out)\n"
            "{ for (long i = 0; i < n; ++i) out[i] = tree_predict(x + i * TREE_FEATURES); }\n"
            "const void *labels(void) { return tree_classes; }\n"
        )
        flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
        command = [compiler, *flags, "tree.c", "-o", "tree.so"]
        subprocess.run(command, cwd=folder, check=True)
        library = ctypes.CDLL(str(folder / "tree.so"))

        def predict(X):
            out = np.empty(len(X), np.intc)
            X = np.ascontiguousarray(X)
            library.batch(
                X.ctypes.data_as(ctypes.c_void_p),
                ctypes.c_long(len(X)),
                out.ctypes.data_as(ctypes.c_void_p),
            )
            return out

        predict.library = library
        return predict

    return build


def onnx_of(model):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(
        export_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return lambda X: session.run(None, {"X": X})[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_onnx_answers_alike(form, dtype):
    model = fitted(form, dtype)
    run = onnx_of(model)
    for X in (random_rows(20_000, dtype), extremes(model)):
        assert_array_equal(run(X), model.predict(X))


@pytest.mark.parametrize("form", FORMS)
def test_c_answers_alike(form, compile_c):
    model = fitted(form)
    run = compile_c(model)
    for X in (random_rows(20_000, np.float64), extremes(model)):
        assert_array_equal(model.classes_[run(X)], model.predict(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", ["svm", "best", "several", "ovo"])
def test_rows_on_hyperplanes_meet_the_same_side_everywhere(form, dtype, compile_c):
    """Their decision values are rounding errors alone: only the same sum has the same sign."""
    model = fitted(form, dtype)
    rows = []
    for tree in model.trees_:
        for node in np.flatnonzero(tree.plane >= 0):
            w, x = tree.weights[tree.plane[node]].astype(np.float64), random_rows(200, np.float64)
            rows.append(x - ((x @ w + tree.offsets[node]) / (w @ w))[:, None] * w)
    X = np.concatenate(rows).astype(dtype)
    expected = model.predict(X)
    assert_array_equal(model.classes_[compile_c(model)(X)], expected)
    assert_array_equal([model.predict_one(x) for x in X], expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_million_rows(dtype, compile_c):
    """All equal in double precision; in single, all but rows within rounding of a hyperplane."""
    model = fitted("best", dtype)
    X = random_rows(1_000_000, dtype)
    expected = model.predict(X)
    limit = 0.0 if dtype == np.float64 else 1e-5
    for answers in (onnx_of(model)(X), model.classes_[compile_c(model)(X)]):
        other = answers != expected
        assert other.sum() <= (0 if dtype == np.float64 else 20)
        assert (model.tree_.route(X[other])[1] <= limit).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ties_at_zero_go_left(dtype, compile_c):
    """Whole numbers: every dot product is exact, and many are zero."""
    rng = np.random.default_rng(0)
    corners = rng.integers(-2, 3, (4000, N_FEATURES)).astype(dtype)
    model = fitted("svm", dtype)
    tree = model.tree_
    tree.weights[:] = rng.integers(-2, 3, tree.weights.shape)
    tree.offsets[tree.is_inner] = rng.integers(-1, 2, tree.is_inner.sum())
    assert (tree.route(corners)[1] == 0).mean() > 0.1
    expected = model.predict(corners)
    assert_array_equal(onnx_of(model)(corners), expected)
    assert_array_equal(model.classes_[compile_c(model)(corners)], expected)
    assert_array_equal([model.predict_one(x) for x in corners[:500]], expected[:500])


def test_labels_of_text(compile_c, tmp_path):
    model = fitted("best", labels="text")
    X = random_rows(500, np.float64)
    assert_array_equal(onnx_of(model)(X).astype(str), model.predict(X))
    run = compile_c(model)
    run.library.labels.restype = ctypes.POINTER(ctypes.c_char_p)
    labels = [run.library.labels()[k].decode() for k in range(len(model.classes_))]
    assert labels == model.classes_.tolist()
    assert load_arrays(save_arrays(model, tmp_path / "m.npz")).predict(X[:3]).dtype.kind == "U"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_saved_arrays_come_back(form, dtype, tmp_path):
    model = fitted(form, dtype)
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    X = random_rows(2_000, dtype)
    assert_array_equal(saved.predict(X), model.predict(X))
    assert_array_equal(saved.predict_proba(X), model.predict_proba(X))
    assert_array_equal(saved.n_operations(X), model.n_operations(X))
    assert_array_equal(saved.n_hyperplanes(X), model.n_hyperplanes(X))
    assert saved.predict_one(X[0]) == model.predict_one(X[0])
    assert export_c(saved) == export_c(model)
    for tree, other in zip(saved.trees_, model.trees_, strict=True):
        for name, array in other.to_arrays().items():
            assert_array_equal(getattr(tree, name), array)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.npz"]


def test_cascade_is_saved_too(tmp_path):
    X, y = problem(np.float64)
    model = SVMTreesClassifier(1e-3, random_state=0).fit(X, y > 2)
    saved = load_arrays(save_arrays(model, tmp_path / "model.npz"))
    assert_array_equal(saved.predict(X), model.predict(X))


def test_a_new_process_predicts_the_same_bits(tmp_path):
    model = fitted("several", np.float32)
    X = random_rows(1_000, np.float32)
    save_arrays(model, tmp_path / "model.npz")
    np.save(tmp_path / "X.npy", X)
    code = (
        "import numpy as np; from hlsvm.trees import load_arrays\n"
        "np.save('p.npy', load_arrays('model.npz').predict_proba(np.load('X.npy')))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert_array_equal(np.load(tmp_path / "p.npy"), model.predict_proba(X))


def test_skops_comes_back(tmp_path):
    io = pytest.importorskip("skops.io")
    model = fitted("best")
    io.dump(model, tmp_path / "model.skops")
    types = io.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(name.startswith("hlsvm.trees.") for name in types)
    X = random_rows(500, np.float64)
    assert_array_equal(
        io.load(tmp_path / "model.skops", trusted=types).predict(X), model.predict(X)
    )


class Trap:
    def __reduce__(self):
        return print, ("executed",)


@pytest.mark.parametrize("what", ["text", "pickle", "array", "other", "torn", "cyclic"])
def test_foreign_files_are_refused(what, tmp_path, capsys):
    path = save_arrays(fitted("best"), tmp_path / "model.npz")
    arrays = dict(np.load(path))
    if what == "text":
        path.write_text("hello")
    elif what == "pickle":
        path.write_bytes(pickle.dumps(Trap()))
    elif what == "array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    elif what == "other":
        np.savez(path, a=np.zeros(3))
    elif what == "torn":
        path.write_bytes(path.read_bytes()[:200])
    else:
        arrays["right"][0] = 0
        np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"model\.npz"):
        load_arrays(path)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("format", lambda a: np.array([1, 1])),
        ("format", lambda a: np.array("x")),
        ("kind", lambda a: np.array("one")),
        ("classes", lambda a: a[:, None]),
        ("classes", lambda a: a[:3]),
        ("n_nodes", lambda a: a.astype(float)),
        ("counts", lambda a: np.hstack([a, a, a + 1])),
        ("counts", lambda a: -a),
        ("weights", lambda a: a * np.nan),
        ("offsets", lambda a: a + np.inf),
        ("shrinkage", lambda a: a * np.nan),
    ],
)
def test_trees_that_do_not_fit_together_are_refused(name, change, tmp_path):
    """Compiled code would read beyond its arrays, or every row would get one label."""
    path = save_arrays(fitted("ovo"), tmp_path / "model.npz")
    arrays = dict(np.load(path))
    np.savez(path, **(arrays | {name: change(arrays[name])}))
    with pytest.raises(ValueError, match=r"model\.npz"):
        load_arrays(path)


def test_a_saved_file_is_as_readable_as_any_other(tmp_path):
    (tmp_path / "other").touch()
    path = save_arrays(fitted("stump"), tmp_path / "model.npz")
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_bad_models_and_names():
    with pytest.raises(TypeError, match=r"classifier of hlsvm\.trees"):
        export_c(object())
    with pytest.raises(Exception, match="not fitted"):
        export_onnx(HLSVMClassifier())
    for name in ("2nd", "a-b", "", None):
        with pytest.raises(ValueError, match="identifier"):
            export_c(fitted("stump"), name=name)


@pytest.mark.mirror
@pytest.mark.parametrize("form", [{"split": "best"}, {"n_trees": 3}])
def test_real_rows(form, compile_c, tmp_path):
    """All 91,701 test rows of ijcnn1: refined trees, two forms, every way out; 60 kB at most."""
    from hlsvm import datasets

    data = datasets.load("ijcnn1")
    X, X_test = (part.astype(np.float32) for part in (data.X_train, data.X_test))
    options = {
        "lam": 2e-5,
        "min_fraction": 6e-3,
        "refine": 4,
        "tol": 1e-4,
        "random_state": 0,
    } | form
    kind = ObliqueForestClassifier if "n_trees" in form else ObliqueTreeClassifier
    model = kind(**options)
    expected = model.fit(X, data.y_train).predict(X_test)
    assert np.mean(expected != data.y_test) < 0.022
    for answers in (onnx_of(model)(X_test), model.classes_[compile_c(model)(X_test)]):
        assert np.count_nonzero(answers != expected) <= 2  # rows within rounding of a hyperplane
    path = save_arrays(model, tmp_path / "model.npz")
    assert path.stat().st_size <= 60_000
    assert_array_equal(load_arrays(path).predict(X_test), expected)
