"""MNIST (Thesis Figures 3.11, 3.12 and its rows of Table 3.6): one division, one linear SVM."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from hlsvm.select import MRMR, QPFS, MaxRel, ReliefF

CODE = ["hlsvm.select", "hlsvm.chapters.qpfs.digits"]
COUNTS = (10, 20, 40, 50, 100, 200, 400)
ALPHA = 0.469  # Thesis Table 3.4


def selectors(alpha: float = ALPHA, shares=(0.1, 0.2, 0.5), neighbors=10, seed=0) -> dict:
    """Return label -> (method, selector) of Figure 3.11."""
    found = {
        "MaxRel": ("MaxRel", MaxRel()),
        "mRMR MID": ("mRMR MID", MRMR()),
        "mRMR MIQ": ("mRMR MIQ", MRMR(scheme="MIQ")),
        "ReliefF": ("ReliefF", ReliefF(n_neighbors=neighbors)),
        "QPFS alpha = 0.3": ("QPFS", QPFS(alpha=0.3)),
        f"QPFS alpha = {alpha:g}": ("QPFS", QPFS(alpha=alpha)),
    }
    for share in shares:
        selector = QPFS(alpha=alpha, nystrom=share, random_state=seed)
        found[f"QPFS+N p = {share:g}"] = ("QPFS+Nystrom", selector)
    return found


def one_against_one(X, y, X_test, y_test, *, C=1.0, n_jobs=None) -> float:
    """Return the error in percent of the linear SVM of all pairs of classes, by vote.

    LIBLINEAR (hinge loss) takes the place of LIBSVM, which needs an hour for 60,000 rows; ties go
    to the first class, as in LIBSVM.
    """
    classes = np.unique(y)
    pairs = [(i, j) for i in range(len(classes)) for j in range(i + 1, len(classes))]

    def winners(i, j):
        some = (y == classes[i]) | (y == classes[j])
        svm = LinearSVC(C=C, loss="hinge", tol=1e-2, max_iter=20_000, random_state=0)
        svm.fit(X[some], y[some] == classes[j])
        return np.where(svm.predict(X_test), j, i)

    found = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(winners)(i, j) for i, j in pairs)
    votes = np.zeros((len(X_test), len(classes)), dtype=int)
    for winner in found:
        votes[np.arange(len(votes)), winner] += 1
    return 100.0 * float(np.mean(classes[np.argmax(votes, axis=1)] != y_test))


def rankings(record, data, found: dict | None = None) -> dict[str, np.ndarray]:
    """Return label -> order of the pixels, each a step that is kept."""
    orders = {}
    for label, (_, selector) in (found or selectors(seed=record.seed)).items():
        orders[label] = record.step(
            "select-mnist-ranking",
            {"label": label, "data": data.X_train[::50]},
            lambda selector=selector: selector.fit(data.X_train, data.y_train).ranking_,
            code=["hlsvm.select"],
        )
    return orders


def errors(record, data, orders, *, counts=COUNTS, n_jobs=None, also: Callable | None = None):
    """Return the test error of every ranking at every number of pixels.

    Parameters
    ----------
    record : hlsvm.reproduce.Recorder
    data : Dataset
        With a test part.
    orders : dict of str to int array
    counts : sequence of int
    n_jobs : int or None
    also : callable, optional
        ``also(label)`` returns other numbers of features for a curve.

    Returns
    -------
    DataFrame
        ``label, n_features, error_pct``.
    """
    scaler = MinMaxScaler().fit(data.X_train)
    A, B = scaler.transform(data.X_train), scaler.transform(data.X_test)
    rows = []
    for label, order in record.progress(orders.items(), "MNIST"):
        for count in counts if also is None else also(label):
            some = np.asarray(order[:count])
            error = record.step(
                "select-mnist-error",
                {"pixels": some, "data": data.X_train[::50]},
                lambda some=some: one_against_one(
                    A[:, some], data.y_train, B[:, some], data.y_test, n_jobs=n_jobs
                ),
                code=["hlsvm.chapters.qpfs.digits"],
            )
            rows.append({"label": label, "n_features": count, "error_pct": error})
    return pd.DataFrame(rows)


def table(curves: pd.DataFrame, label: str = "QPFS+N p = 0.2") -> pd.DataFrame:
    """Return the MNIST rows of Table 3.6."""
    names = {
        "MaxRel": ("MaxRel", ""),
        "mRMR MID": ("MID", ""),
        "mRMR MIQ": ("MIQ", ""),
        "ReliefF": ("reliefF", ""),
        label: ("QPFS+Nystrom", "0.2"),
    }
    rows = curves[curves.label.isin(names)].copy()
    rows["dataset"] = "MNIST"
    rows["method"] = [names[label][0] for label in rows.label]
    rows["nystrom_p"] = [names[label][1] for label in rows.label]
    return rows[["dataset", "method", "nystrom_p", "n_features", "error_pct"]]
