"""Time of the methods against N, M and p, and the order of growth (Thesis 3.3.2, Figure 3.13)."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd
from scipy.stats import t as student
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from hlsvm.select import CFS, MRMR, QPFS, MaxRel, ReliefF, StreamwiseSelector

CODE = ["hlsvm.select", "hlsvm.reproduce.chapter3.growth"]


def seconds(function, repeats: int) -> float:
    """Return the median processor time of one call."""
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        spent.append(time.process_time() - start)
    return float(np.median(spent))


def methods(shares=(0.01, 0.1, 0.5)) -> dict:
    """Return label -> selector of Figure 3.13."""
    found = {"mRMR": MRMR(), "QPFS": QPFS()}
    for share in shares:
        found[f"QPFS+N p = {share:g}"] = QPFS(nystrom=share, random_state=0)
    return found


def against(X, y, found: dict, cuts: dict, repeats: int) -> pd.DataFrame:
    """Return the times of selectors on several cuts of the data.

    Parameters
    ----------
    X, y : arrays
    found : dict of str to selector
    cuts : dict of number to (rows, columns)
        The size that is varied -> rows of `X` and `y`, and columns of `X`.
    repeats : int

    Returns
    -------
    DataFrame
        ``label, size, seconds``.
    """
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # p so small that no w >= 0 is found
        for label, selector in found.items():
            for size, (some, columns) in cuts.items():
                part, classes = np.ascontiguousarray(X[some][:, columns]), y[some]
                selector.fit(part, classes)
                spent = seconds(lambda s=selector, A=part, c=classes: s.fit(A, c), repeats)
                rows.append({"label": label, "size": size, "seconds": spent})
    return pd.DataFrame(rows)


def polynomial_order(x, y, highest: int = 3, level: float = 0.05) -> int:
    """Return the largest degree whose leading coefficient is significant (t test, Thesis 3.3.2).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(1.0, 11.0)
    >>> noise = np.array([1, -1, 1, 1, -1, -1, 1, -1, 1, -1])
    >>> polynomial_order(x, 3 * x**2 + 0.1 * noise), polynomial_order(x, x + 0.1 * noise)
    (2, 1)
    """
    x = np.asarray(x, dtype=float) / np.max(x)
    for degree in range(min(highest, len(x) - 2), 0, -1):
        design = np.vander(x, degree + 1)
        inverse = np.linalg.inv(design.T @ design)
        coefficient = inverse @ design.T @ y
        left = y - design @ coefficient
        freedom = len(x) - degree - 1
        error = np.sqrt(max(left @ left, 1e-300) / freedom * inverse[0, 0])
        if coefficient[0] > 0 and 2 * student.sf(coefficient[0] / error, freedom) < level:
            return degree
    return 0


def exponent(x, y) -> float:
    """Return the slope of log y over log x: time grows with this power of the size."""
    return float(np.polyfit(np.log(x), np.log(np.maximum(y, 1e-9)), 1)[0])


def orders(frame: pd.DataFrame) -> pd.DataFrame:
    """Return for every curve its exponent and the order of its polynomial."""
    rows = []
    for label, part in frame.groupby("label", sort=False):
        size, spent = part["size"].to_numpy(float), part.seconds.to_numpy()
        row = {"label": label, "exponent": exponent(size, spent)}
        rows.append({**row, "polynomial order": polynomial_order(size, spent)})
    return pd.DataFrame(rows)


def _rfe(step):
    svm = LinearSVC(dual=False, tol=1e-1, max_iter=50)
    return RFE(svm, n_features_to_select=1, step=step)


# Table 3.1: the rival, its sizes of N at M fixed and of M at N fixed, what one fit costs here.
RIVALS = {
    "MaxRel": (MaxRel(), "N*M"),
    "CFS": (CFS(), "N*M*S, S features visited"),
    "SFS": (StreamwiseSelector(wealth=1.0, payout=1.0), "N*M*S, S features chosen"),
    "mRMR": (MRMR(), "N*M^2"),
    "ReliefF": (ReliefF(), "N^2*M"),
    "RFE-SVM": (_rfe(0.5), "halving: a geometric series of linear SVMs"),
}


def rivals(n_grid, m_grid, *, n=2000, m=200, repeats=3, seed=0) -> pd.DataFrame:
    """Return Table 3.1: exponents of N and M, fitted to measured times.

    Parameters
    ----------
    n_grid, m_grid : sequences of int
        Sizes; the other one is `m` or `n`.
    """
    rng = np.random.default_rng(seed)
    N, M = max(*n_grid, n), max(*m_grid, m)
    y = rng.integers(0, 2, N)
    X = rng.normal(size=(N, M)) + 0.3 * y[:, None] * (np.arange(M) % 5 == 0)
    by_n = {size: (slice(0, size), slice(0, m)) for size in n_grid}
    by_m = {size: (slice(0, n), slice(0, size)) for size in m_grid}
    rows = []
    for name, (selector, cost) in RIVALS.items():
        one = {name: selector}
        first, second = (against(X, y, one, cuts, repeats) for cuts in (by_n, by_m))
        rows.append(
            {
                "method": name,
                "condition": "Features removed by a factor of 2" if name == "RFE-SVM" else "",
                "exponent_N": exponent(first["size"], first.seconds),
                "exponent_M": exponent(second["size"], second.seconds),
                "here": cost,
            }
        )
    return pd.DataFrame(rows)
