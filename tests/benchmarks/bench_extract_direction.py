"""Time and memory of the Kernel Fisher direction against the algorithms as printed."""

import gc
import time
import tracemalloc

import numpy as np
import pandas as pd

from hlsvm.extract import KernelFisher, reference
from hlsvm.extract.kernels import Gram, Kernel, PackedMatrix, class_matrix, fisher, solve_exact

QUESTION = (
    "How long do Thesis Algorithms 3 and 4 as printed and KernelFisher take for one direction "
    "from K, and what memory does KernelFisher take from X? All 19 priors of the source at "
    "N = 2,500 (0 and 1 leave a class empty); at N = 10,000 the dearest of Algorithm 3 (0.05), the "
    "cheapest (0.5) and one between: it costs the same at p and 1 - p, and Algorithm 4 the same at "
    "all (processor time; asked: >= 3 x faster than the faster of the two at N = 10,000, memory "
    "<= 1.5 x K)"
)
MU = 1.0
GRID = (
    (2500, tuple(np.round(np.arange(0.05, 0.96, 0.05), 2).tolist())),
    (10_000, (0.05, 0.25, 0.5)),
)


def data(n):
    """Return n rows like cadata's: 8 correlated features, and a target to rank by."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8)) @ rng.normal(size=(8, 8)) / 3
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)


def labels(target, prior):
    """Return +1 for the first `prior` share in the order of the target, as in Thesis 4.4.2."""
    y = np.full(len(target), -1.0)
    y[np.argsort(target, kind="stable")[: round(prior * len(target))]] = 1.0
    return y


def ours(K, y):
    """Return alpha of `KernelFisher` from K, without the checks of the estimator."""
    V, counts = class_matrix((y > 0).astype(int), 2)
    store = PackedMatrix(Gram(Kernel("precomputed"), K))
    system, _ = solve_exact(store, V, counts, MU, "identity")
    return system.coef @ fisher(system)[:, 0]


def cpu(function):
    """Return the result of one call and its processor time."""
    gc.collect()
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def cosine(a, b):
    return abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)


def memory(X, y):
    """Return the most memory that KernelFisher.fit takes from X, over that of K."""
    tracemalloc.start()
    KernelFisher(gamma=0.1, mu=MU).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8.0 * len(X) ** 2)


def run():
    """Measure each size and prior, the three in turn."""
    rows = []
    for n, priors in GRID:
        X, target = data(n)
        K = Kernel("rbf", {"gamma": 0.1}).block(X, X)
        K = (K + K.T) / 2
        ours(K[:500, :500], labels(target[:500], 0.5))
        taken = memory(X, labels(target, 0.5))  # the prior changes no array's shape
        for prior in priors:
            y = labels(target, prior)
            a, t_ours = cpu(lambda K=K, y=y: ours(K, y))
            third, t_third = cpu(lambda K=K, y=y: reference.algorithm_3(K, y, MU))
            fourth, t_fourth = cpu(lambda K=K, y=y: reference.algorithm_4(K, y, MU))
            rows.append(
                {
                    "N": n,
                    "prior": prior,
                    "algorithm_3_s": t_third,
                    "algorithm_4_s": t_fourth,
                    "ours_s": t_ours,
                    "times_faster": min(t_third, t_fourth) / t_ours,
                    "1-cos(3, 4)": 1 - cosine(third, fourth),
                    "1-cos(3, ours)": 1 - cosine(third, a),
                    "memory_over_K": taken,
                }
            )
    return pd.DataFrame(rows)
