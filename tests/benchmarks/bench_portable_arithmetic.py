"""What the same bits on every processor cost: kernels as they are, and with re-ordered sums."""

import inspect
import time

import numpy as np
import pandas as pd
from numba import njit

from hlsvm.linear import _dual
from hlsvm.subclass import _smo

QUESTION = (
    "How much slower are the linear and the kernel SVM's solvers for taking their sums in an order "
    "that no processor changes (processor time, medians, interleaved, one process) than the same "
    "code compiled with re-ordered sums and contraction, at as many epochs or steps"
)
REPEATS = 15
ROWS = {2: 20_000, 8: 20_000, 22: 15_000, 54: 8_000, 300: 2_500, 784: 1_500}
EPOCHS = 60
BLOCKS = (300, 1_500, 4_000)


def _sum(a, b, zero):
    total = zero
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


def reordered(module, entry, helpers, flags):
    """Compile `entry` of `module`, and the functions it calls, with fastmath `flags`.

    `helpers` names those of the functions that the flags apply to besides.
    """
    scope = dict(vars(module))
    kernels = {name: value for name, value in scope.items() if hasattr(value, "py_func")}
    scope["dot"] = njit(nogil=True, fastmath=flags)(_sum)
    for name, kernel in kernels.items():
        exec(inspect.getsource(kernel.py_func).split("\n", 1)[1], scope)  # without its decorator
        scope[name] = njit(nogil=True, fastmath=flags if name in helpers else False)(scope[name])
    return scope[entry]


def ratios(variants, repeats=REPEATS):
    """Median processor times of the calls, interleaved after a first round that compiles."""
    times = {name: [] for name in variants}
    for turn in range(repeats + 1):
        for name, call in variants.items():
            begin = time.process_time()
            call()
            if turn:
                times[name].append(time.process_time() - begin)
    return {name: float(np.median(seen)) for name, seen in times.items()}


def descent(kernel, d, dtype):
    """Return a call that runs some epochs of dual coordinate descent."""
    rng = np.random.default_rng(d)
    n = ROWS[d]
    X = rng.normal(size=(n, d)).astype(dtype)
    y = np.where(X @ rng.normal(size=d) + np.sqrt(d) * rng.normal(size=n) > 0, 1.0, -1.0)
    norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    upper = np.full(n, 1.0 / d)
    rows = np.arange(n)
    return lambda: kernel(X, rows, y, upper, norms, 1.0, 0.0, EPOCHS, 0, np.zeros(n))


def block(kernel, n):
    """Return a call that solves one kernel SVM."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 10))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    square = (X * X).sum(axis=1)
    gram = np.exp(-0.1 * (square[:, None] + square - 2 * X @ X.T)).astype(np.float32)
    hi = np.where(y > 0, 10.0, 0.0)
    steps = 600_000 // n

    def call():
        for _ in range(max(6_000 // n, 1)):
            kernel(gram, -y, np.zeros(n), hi - 10.0, hi, 1e-5, 20 * steps)

    return call


def run():
    rows = []
    flags = {"reassoc", "contract", "nsz"}
    free = reordered(_dual, "solve_dual", ("_add", "squared_norms"), flags)
    for d in ROWS:
        for dtype in ("float32", "float64"):
            both = {"here": descent(_dual.solve_dual, d, dtype), "old": descent(free, d, dtype)}
            rows.append({"solver": "dual coordinate descent", "size": d, "X": dtype} | ratios(both))
    flags = {"contract", "nsz", "nnan"}
    free = reordered(_smo, "solve_block", ("_move", "_gains"), flags)
    for n in BLOCKS:
        both = {"here": block(_smo.solve_block, n), "old": block(free, n)}
        rows.append({"solver": "SMO", "size": n, "X": ""} | ratios(both))
    table = pd.DataFrame(rows)
    table["ratio"] = table["here"] / table["old"]
    return table.rename(columns={"here": "as it is [s]", "old": "re-ordered [s]"})
