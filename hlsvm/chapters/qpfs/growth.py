"""Time of the methods against N, M and p, and the order of growth (Thesis 3.3.2, Figure 3.13)."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd
from scipy.stats import t as student
from sklearn.exceptions import ConvergenceWarning

from hlsvm.select import (
    CFS,
    MRMR,
    QPFS,
    RFESVM,
    MaxRel,
    ReliefF,
    StreamwiseSelector,
    alpha_hat,
    greedy_order,
    nystrom,
    sample_rows,
    similarity_of,
    simplex_qp,
    subspace_qp,
)

CODE = ["hlsvm.select", "hlsvm.chapters.qpfs.growth"]


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


# Figure 3.13: rates of the curves, M of panel (a), M of panel (b), rates of panel (c), runs.
GRIDS = {
    "quick": ((0.3, 0.6), 13, (4, 7, 10, 13), (0.3, 0.6, 1.0), 2),
    "paper": (
        (0.01, 0.1, 0.5),
        140,
        (140, 280, 560, 1120, 1700, 2308),
        (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
        5,
    ),
}


def figure(X, y, scale: str) -> dict[str, pd.DataFrame]:
    """Return the times of Figure 3.13 against N (the rows copied up to four times), M and p.

    Parameters
    ----------
    X, y : arrays
    scale : {"quick", "paper"}

    Returns
    -------
    dict of str to DataFrame
        "N", "M", "p" -> rows of `against`.
    """
    shares, most, sizes, grid, repeats = GRIDS.get(scale, GRIDS["paper"])
    found = methods(shares)
    copies = np.tile(np.arange(len(X)), 4)
    by_n = {len(X) * k: (copies[: len(X) * k], slice(0, most)) for k in (1, 2, 3, 4)}
    by_m = {size: (slice(None), slice(0, size)) for size in sizes}
    whole = {X.shape[1]: (slice(None), slice(None))}
    by_p = [
        against(X, y, {"QPFS+N": QPFS(nystrom=p, random_state=0)}, whole, repeats).assign(size=p)
        for p in grid
    ]
    return {
        "N": against(X, y, found, by_n, repeats),
        "M": against(X, y, found, by_m, repeats),
        "p": pd.concat(by_p, ignore_index=True),
    }


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


# Table 3.1: the rival, its sizes of N at M fixed and of M at N fixed, what one fit costs here.
RIVALS = {
    "MaxRel": (MaxRel(), "N*M"),
    "CFS": (CFS(), "N*M*S, S features visited"),
    "SFS": (StreamwiseSelector(wealth=1.0, payout=1.0), "N*M*S, S features chosen"),
    "mRMR": (MRMR(), "N*M^2"),
    "ReliefF": (ReliefF(), "N^2*M"),
    "RFE-SVM": (RFESVM(tol=0.1, random_state=0), "(1 + 1/2 + 1/4 + ...) linear SVMs"),
    "RFE-SVM, one by one": (RFESVM(step=1, tol=0.1, random_state=0), "M linear SVMs"),
}
_CONDITIONS = {
    "RFE-SVM": "Features removed by a factor of 2",
    "RFE-SVM, one by one": "Features removed one by one",
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
    rows = []
    for name, (selector, cost) in RIVALS.items():
        less = 8 if "one by one" in name else 1  # as many SVMs as features: smaller sizes do
        by_n = {k // less: (slice(0, k // less), slice(0, m // less)) for k in n_grid}
        by_m = {k // less: (slice(0, n // less), slice(0, k // less)) for k in m_grid}
        one = {name: selector}
        first, second = (against(X, y, one, cuts, repeats) for cuts in (by_n, by_m))
        rows.append(
            {
                "method": name.partition(",")[0],
                "condition": _CONDITIONS.get(name, ""),
                "complexity": cost,
                "exponent_N": exponent(first["size"], first.seconds),
                "exponent_M": exponent(second["size"], second.seconds),
            }
        )
    return pd.DataFrame(rows)


# Table 3.2: the regime, what it means, N and M at both scales; p is 0.1.
REGIMES = {
    "M large": ("N << p*M", {"quick": (40, 600), "paper": (60, 4000)}),
    "M medium": ("N >> p*M", {"quick": (1000, 300), "paper": (5000, 2000)}),
    "M small": ("N >> M", {"quick": (4000, 60), "paper": (50_000, 100)}),
}
# What the phases cost here: S columns of Q enter the support.
_COSTS = {
    "mRMR": ("O(N*M^2)", "O(M^2)"),
    "QPFS": ("O(N*M^2)", "O(S*M + S^3)"),
    "QPFS+Nystrom": ("O(N*p*M^2)", "O(p^2*M^3)"),
}


def _phases(X, y, share=0.1):
    """Return method -> functions of its similarity phase and of its ranking phase."""
    read = similarity_of(X)
    F = np.asarray(read.relevance(y), dtype=float)
    Q = read.matrix()
    alpha = alpha_hat(read.mean(), F.mean())
    sample = sample_rows(
        read, max(2, round(share * X.shape[1])), "uniform", np.random.RandomState(0)
    )
    block = read.rows(sample)
    return {
        "mRMR": (lambda: similarity_of(X).matrix(), lambda: greedy_order(Q, F, False)),
        "QPFS": (
            lambda: similarity_of(X).mean(),
            lambda: simplex_qp(Q, alpha * F, weight=1 - alpha),
        ),
        "QPFS+Nystrom": (
            lambda: similarity_of(X).rows(sample),
            lambda: subspace_qp(nystrom(block, sample), alpha * F, weight=1 - alpha),
        ),
    }


def phases(scale: str, repeats: int = 3, seed: int = 0) -> pd.DataFrame:
    """Return Table 3.2: what both phases cost here, and which of them takes longer.

    Parameters
    ----------
    scale : {"quick", "paper"}
    repeats : int
    seed : int
    """
    rng = np.random.default_rng(seed)
    rows = []
    for regime, (condition, sizes) in REGIMES.items():
        N, M = sizes[scale if scale in sizes else "paper"]
        y = np.arange(N) % 3
        X = rng.normal(size=(N, M)) + 0.5 * rng.normal(size=(3, M))[y] + rng.normal(size=(N, 1))
        for method, functions in _phases(X, y).items():
            spent = [seconds(function, repeats) for function in functions]
            for phase, cost, time_s in zip(
                ("Similarity", "Rank"), _COSTS[method], spent, strict=True
            ):
                row = {"regime": regime, "condition": condition, "N": N, "M": M}
                row |= {"method": method, "phase": phase, "complexity": cost}
                rows.append({**row, "here_s": time_s, "dominant": time_s == max(spent)})
    return pd.DataFrame(rows)
