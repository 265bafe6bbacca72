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
REPEATS = 41  # a call takes a hundredth of a second
ROWS = {2: 20_000, 8: 20_000, 22: 15_000, 54: 8_000, 300: 2_500, 784: 1_500}
EPOCHS = 60
BLOCKS = (300, 1_500, 4_000)


def _sum(a, b, zero):
    total = zero
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


def _row_sum(X, i, w):
    return _sum(X[i], w, 0.0)


def _add_row(X, i, step, w):
    for j in range(X.shape[1]):
        w[j] += step * X[i, j]


def reordered(module, entry, helpers, flags):
    """Compile `entry` of `module`, and the functions it calls, with fastmath `flags`.

    `helpers` names those of the functions that the flags apply to besides inner products and rows.
    """
    scope = dict(vars(module))
    kernels = {name: value for name, value in scope.items() if hasattr(value, "py_func")}
    free = njit(nogil=True, fastmath=flags)
    scope["_sum"] = free(_sum)
    exec(inspect.getsource(_row_sum) + inspect.getsource(_add_row), scope)
    scope |= {"dot": scope["_sum"], "n_columns": njit(lambda X: X.shape[1])}
    scope |= {"row_dot": free(scope["_row_sum"]), "add_row": free(scope["_add_row"])}
    for name, kernel in kernels.items():
        exec(inspect.getsource(kernel.py_func).split("\n", 1)[1], scope)  # without its decorator
        scope[name] = njit(nogil=True, fastmath=flags if name in helpers else False)(scope[name])
    return scope[entry]


def ratios(portable, old, repeats=REPEATS):
    """Median processor times of both calls, and the median of their ratios turn by turn.

    A first turn compiles. Within a turn the calls stand side by side, the first one by turns, so
    that a machine which is slow for a while is slow for both.
    """
    calls, times = (portable, old), np.empty((repeats + 1, 2))
    for turn in range(repeats + 1):
        for k in (turn % 2, 1 - turn % 2):
            begin = time.process_time()
            calls[k]()
            times[turn, k] = time.process_time() - begin
    seen = times[1:]
    names = "as it is [s]", "re-ordered [s]", "ratio"
    return dict(
        zip(names, [*np.median(seen, axis=0), np.median(seen[:, 0] / seen[:, 1])], strict=True)
    )


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
    free = reordered(_dual, "solve_dual", (), flags)
    for d in ROWS:
        for dtype in ("float32", "float64"):
            both = descent(_dual.solve_dual, d, dtype), descent(free, d, dtype)
            row = {"solver": "dual coordinate descent", "size": d, "X": dtype}
            rows.append(row | ratios(*both))
    flags = {"contract", "nsz", "nnan"}
    free = reordered(_smo, "solve_block", ("_move", "_gains"), flags)
    for n in BLOCKS:
        both = block(_smo.solve_block, n), block(free, n)
        rows.append({"solver": "SMO", "size": n, "X": ""} | ratios(*both))
    return pd.DataFrame(rows)
