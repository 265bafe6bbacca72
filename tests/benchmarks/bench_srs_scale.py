"""Half a million rows in twenty dimensions: SRS-SVM and its exact answer."""

import time

import numpy as np
import pandas as pd
from sklearn.svm import SVC

from hlsvm import SRSSVC, datasets
from hlsvm.reproduce import processor_time

QUESTION = (
    "Do SRS-SVM and its exact answer complete on 500,000 rows (shooting range, 18 columns of "
    "noise, 5 % of the labels turned over, C = 1, gamma = 4) within 24 GB and an hour on two "
    "cores? LIBSVM's time is extrapolated from 20,000, 50,000 and 100,000 rows by a power law"
)
SIZES, FULL, TEST = (20_000, 50_000, 100_000), 500_000, 10_000
KERNEL = {"C": 1.0, "gamma": 4.0}


def _rows(n):
    data = datasets.load("shooting_range", n=n, seed=0, n_noise_features=18, label_noise=0.05)
    return np.hstack([data.X[:, :2], 0.05 * data.X[:, 2:]]), data.y


def run():
    """Return one row per method and size."""
    X, y = _rows(FULL + TEST)
    rows = []
    for name, exact in (("SRS-SVM", False), ("SRS-SVM, exact", True)):
        model = SRSSVC(exact=exact, cache_size=8000, n_jobs=2, random_state=0, **KERNEL)
        start = time.perf_counter()
        _, cpu = processor_time(lambda m=model: m.fit(X[:FULL], y[:FULL]))
        row = {"method": name, "n": FULL, "cpu_s": cpu, "wall_s": time.perf_counter() - start}
        row |= {"n_sv": len(model.support_), "candidates": len(model.candidates_)}
        row["accuracy_pct"] = 100 * model.score(X[FULL:], y[FULL:])
        rows.append({**row, "violation": model.certificates_[0].violation})
    model = SVC(cache_size=1000, **KERNEL)
    spent = [processor_time(lambda n=n: model.fit(X[:n], y[:n]))[1] for n in SIZES]
    power, offset = np.polyfit(np.log(SIZES), np.log(spent), 1)
    rows += [{"method": "LIBSVM", "n": n, "cpu_s": s} for n, s in zip(SIZES, spent, strict=True)]
    late = float(np.exp(offset) * FULL**power)
    return pd.DataFrame([*rows, {"method": "LIBSVM, extrapolated", "n": FULL, "cpu_s": late}])
