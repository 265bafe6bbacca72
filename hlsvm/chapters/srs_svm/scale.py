"""Half a million generated rows: SRS-SVM and its exact answer, LIBSVM extrapolated."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.svm import SVC

from hlsvm import datasets
from hlsvm.chapters.srs_svm.problems import processor_time
from hlsvm.subclass import SRSSVC

CHOSEN = {"C": 1.0, "gamma": 4.0}
_SPREAD = 0.05  # of the 18 columns of noise
_LABEL_NOISE = 0.05


def rows_in_twenty_dimensions(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Shooting range with 18 columns of noise and 5 % of the labels turned over."""
    data = datasets.load(
        "shooting_range", n=n, seed=seed, n_noise_features=18, label_noise=_LABEL_NOISE
    )
    X = data.X.copy()
    X[:, 2:] *= _SPREAD
    return X, data.y


def peak_megabytes() -> float:
    """Most memory this process has held so far."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def power_law(n: list[int], seconds: list[float]) -> tuple[float, float]:
    """Fit seconds = factor * n^power by least squares of the logarithms: (power, factor)."""
    power, offset = np.polyfit(np.log(n), np.log(seconds), 1)
    return float(power), float(np.exp(offset))


def libsvm_times(X, y, sizes: tuple[int, ...]) -> pd.DataFrame:
    """Processor seconds of LIBSVM on the first rows, extrapolated to all by a power law.

    Returns
    -------
    DataFrame
        ``method``, ``n``, ``cpu_s``, ``fitted_s`` (by the law), ``power``; all rows come last.
    """
    spent = [
        processor_time(lambda n=n: SVC(cache_size=1000, **CHOSEN).fit(X[:n], y[:n]))[1]
        for n in sizes
    ]
    power, factor = power_law(list(sizes), spent)
    rows = [
        {"method": "LibSVM", "n": n, "cpu_s": s, "fitted_s": factor * n**power, "power": power}
        for n, s in zip(sizes, spent, strict=True)
    ]
    late = factor * len(y) ** power
    rows.append({"method": "LibSVM, extrapolated", "n": len(y), "cpu_s": late, "fitted_s": late})
    return pd.DataFrame(rows)


def fit_once(make: Callable[[], SRSSVC], X, y, X_test, y_test) -> dict:
    """Fit a machine once: seconds (processor and wall), size, accuracy, certificate, memory."""
    start = time.perf_counter()
    model, seconds = processor_time(lambda: make().fit(X, y))
    wall = time.perf_counter() - start
    found = model.certificate_[0]
    return {
        "n": len(y),
        "cpu_s": seconds,
        "wall_s": wall,
        "n_sv": len(model.support_),
        "candidates": len(model.candidates_),
        "accuracy_pct": 100 * model.score(X_test, y_test),
        "violation": found.violation,
        "peak_mb": peak_megabytes(),
    }


def large(sizes: tuple[int, ...], full: int, seed: int, n_jobs: int, cache_size: float):
    """SRS-SVM and its exact answer on all rows, LIBSVM on growing parts of them.

    Parameters
    ----------
    sizes : tuple of int
        Rows for LIBSVM.
    full : int
        Rows; a fiftieth as many more are drawn to test.
    seed, n_jobs : int
    cache_size : float
        Megabytes for kernel rows.

    Returns
    -------
    DataFrame
        Rows of `libsvm_times` and `fit_once`, ``times_libsvm`` against the extrapolation.
    """
    n_test = max(full // 50, 100)
    X, y = rows_in_twenty_dimensions(full + n_test, seed)
    parts = X[:full], y[:full], X[full:], y[full:]
    options = {"cache_size": cache_size, "n_jobs": n_jobs, "random_state": seed, **CHOSEN}
    SRSSVC(2, exact=True, **options).fit(X[:300], y[:300])  # compiles and loads
    rows = [
        {"method": name, **fit_once(lambda exact=exact: SRSSVC(exact=exact, **options), *parts)}
        for name, exact in (("SRS-SVM", False), ("SRS-SVM, exact", True))
    ]
    libsvm = libsvm_times(*parts[:2], sizes)
    table = pd.concat([pd.DataFrame(rows), libsvm], ignore_index=True)
    late = libsvm.cpu_s.iloc[-1]
    return table.assign(times_libsvm=np.where(table.n == full, late / table.cpu_s, np.nan))
