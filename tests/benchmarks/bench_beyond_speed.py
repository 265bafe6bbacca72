"""One decision, a batch, a saved model, a fit: the refined mixed tree beside other libraries."""

import ctypes
import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from shared import ijcnn1_or_made
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm.chapters.given_trees import given_tree
from hlsvm.reproduce.timing import race
from hlsvm.trees import export_c, export_onnx, save_arrays

QUESTION = (
    "On ijcnn1 (d = 22), how long do one decision (Python, ONNX, C), a row of a batch and a fit of "
    "the refined mixed tree take, and how large is the saved model (one run, interleaved, medians "
    "of processor time)? Rivals that are not installed are left out"
)
OURS = {"lam": 2e-5, "min_fraction": 6e-3, "refine": 8, "split": "best", "refine_lam": 6e-7}
ROWS = 2_000


def compiled(model, X):
    """Return a call that decides all rows of `X` in C, or None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    real = "float" if X.dtype == np.float32 else "double"
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        export_c(model, where / "tree.h", name="tree")
        (where / "tree.c").write_text(
            f'#include "tree.h"\nvoid batch(const {real} *x, long n, int *out)\n'
            "{ for (long i = 0; i < n; ++i) out[i] = tree_predict(x + i * TREE_FEATURES); }\n"
        )
        flags = ["-std=c99", "-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "tree.c", "-o", "tree.so"], cwd=where, check=True)
        library = ctypes.CDLL(str(where / "tree.so"))
    out = np.empty(len(X), np.intc)
    args = (X.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(len(X)))
    return lambda: library.batch(*args, out.ctypes.data_as(ctypes.c_void_p))


def session_of(model):
    """Return a call of onnxruntime for one row, or None where it is not installed."""
    if importlib.util.find_spec("onnxruntime") is None:
        return None
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    graph = export_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return lambda row: session.run(None, {"X": row})


def contest(what, rivals, per):
    """Rows of the table: processor microseconds of one call over `per`, and ratios to the first."""
    table = race(rivals, repeats=5, at_least=0.03)
    micro = table.cpu_s / per * 1e6
    result = {"what": what, "method": table.method, "microseconds": micro}
    return pd.DataFrame(result | {"times": micro / micro.iloc[0]})


def run():
    """Return one row a task and method."""
    name, X, y, X_test = ijcnn1_or_made()
    ours, cart = given_tree(random_state=0, **OURS), DecisionTreeClassifier(random_state=0)
    fits = {
        "H-LSVM, best, refined": lambda: ours.fit(X, y),
        "CART": lambda: cart.fit(X, y),
        "LIBSVM": lambda: SVC(C=10, gamma=1).fit(X, y),
    }
    parts = [contest("fit", fits, 1)]
    rows = [np.ascontiguousarray(x) for x in X_test[:ROWS]]
    few = [row[None] for row in rows[:200]]
    decide, session, batch = ours.predict_one, session_of(ours), compiled(ours, X_test)
    single = {"H-LSVM, predict_one": lambda: [decide(row) for row in rows]}
    parts.append(contest("one decision", single, ROWS))
    slow = {"CART, predict": lambda: [cart.predict(row) for row in few]}
    if session is not None:
        slow["H-LSVM, onnxruntime"] = lambda: [session(row) for row in few]
    parts.append(contest("one decision", slow, len(few)))
    many = {
        "H-LSVM, tree_.apply": lambda: ours.tree_.apply(X_test),
        "H-LSVM, predict": lambda: ours.predict(X_test),
        "CART, tree_.apply": lambda: cart.tree_.apply(X_test),
    }
    if batch is not None:
        many["H-LSVM, C"] = batch
    parts.append(contest("row of a batch", many, len(X_test)))
    table = pd.concat(parts, ignore_index=True)
    with tempfile.TemporaryDirectory() as folder:
        size = save_arrays(ours, Path(folder) / "model.npz").stat().st_size
    table.insert(0, "data", name)
    return table.assign(saved_bytes=size)
