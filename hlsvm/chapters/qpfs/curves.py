"""Error against the number of selected features: the experiment of Thesis 3.3.1.

Features are ranked in the training part of every fold, a linear SVM (LIBSVM, C = 1, one against
one) is trained on the first of them and its error taken on the rest. Features are scaled to [0, 1]
by the training part for the SVM. The partitions are the same for all selectors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import ttest_rel
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from hlsvm.chapters.qpfs.problems import ALPHAS, FOLDS, Problem, divisions
from hlsvm.select import MRMR, QPFS, RFESVM, MaxRel, RandomSelector, ReliefF

CODE = ["hlsvm.select", "hlsvm.chapters.qpfs.curves"]


@dataclass(frozen=True)
class Series:
    """One curve.

    Attributes
    ----------
    method : str
        Name of the selector, as `hlsvm.reproduce.style` knows it.
    label : str
        What the curve is called; unique in its figure.
    rank : callable
        ``rank(X, y, seed)`` returns the order of the features and what is worth noting (a dict
        of numbers).
    C : float
        Cost of the SVM.
    tabled : bool
        Stands in a table: run on all repetitions, otherwise on a fifth of them.
    """

    method: str
    label: str
    rank: Callable
    C: float = 1.0
    tabled: bool = False


def _fitted(make: Callable) -> Callable:
    """Make `rank` of a function of the seed that makes a selector."""

    def rank(X, y, seed):
        with warnings.catch_warnings():  # |rho| is indefinite, see `tables.indefinite`
            warnings.filterwarnings("ignore", message="The similarity is not positive semidefinite")
            found = make(seed).fit(X, y)
        notes = {}
        if isinstance(found, QPFS):
            notes = {"alpha": found.alpha_, "support": float(np.count_nonzero(found.weights_))}
        return found.ranking_, notes

    return rank


def table_series(problem: Problem) -> list[Series]:
    """Return the five selectors of Thesis Table 3.6."""
    read = problem.reading
    first = {**read, "n_ranked": max(problem.counts)}  # no curve looks at later features
    made = {
        "MaxRel": lambda seed: MaxRel(**read),
        "mRMR MID": lambda seed: MRMR(**first),
        "mRMR MIQ": lambda seed: MRMR(scheme="MIQ", **first),
        "ReliefF": lambda seed: ReliefF(),
        "QPFS": lambda seed: QPFS(**read),
    }
    return [Series(name, name, _fitted(make), tabled=True) for name, make in made.items()]


def other_series(problem: Problem) -> list[Series]:
    """Return random selection and RFE-SVM: the floor, and an embedded method of Table 3.1."""
    return [
        Series(
            "Random selection", "random", _fitted(lambda seed: RandomSelector(random_state=seed))
        ),
        Series("RFE-SVM", "RFE-SVM", _fitted(lambda seed: RFESVM(random_state=seed))),
    ]


def alpha_series(problem: Problem, similarity: str, alphas=ALPHAS) -> list[Series]:
    """Return QPFS over the grid of alpha, and with the alpha of Eq. 3.7 (Figures 3.6, 3.7)."""
    read = {**problem.reading, "similarity": similarity}
    if similarity == "pearson":
        read = {"similarity": similarity}

    def series(alpha):
        name = "alpha^" if alpha == "auto" else f"alpha = {alpha:g}"
        rank = _fitted(lambda seed, alpha=alpha: QPFS(alpha=alpha, **read))
        return Series("QPFS", f"QPFS {name}", rank)

    return [series(alpha) for alpha in (*alphas, "auto")]


def nystrom_series(problem: Problem, shares, program="auto") -> list[Series]:
    """Return QPFS+Nystrom for several sampling rates (Figures 3.8-3.11)."""

    def series(share):
        rank = _fitted(
            lambda seed: QPFS(nystrom=share, program=program, random_state=seed, **problem.reading)
        )
        return Series("QPFS+Nystrom", f"QPFS+N p = {share:g}", rank)

    return [series(share) for share in shares]


def cost_series(problem: Problem, costs=(0.01, 1.0, 10.0)) -> list[Series]:
    """Return mRMR and QPFS with several costs of the SVM (Figure 3.5)."""
    read = problem.reading
    found = []
    for C in costs:
        for method, make in (("mRMR MID", MRMR), ("QPFS", QPFS)):
            rank = _fitted(lambda seed, make=make: make(**read))
            found.append(Series(method, f"{method} C = {C:g}", rank, C=C))
    return found


# Sampling rates that are drawn for a set (Figures 3.8 to 3.10).
_SHARES = {
    "SRBCT": (0.05, 0.1, 0.2, 0.5),
    "Wine": (0.3, 0.6),
    "Leukemia": (0.05,),
    "Colon": (0.1,),
}


def plan(problems, first: str, second: str, alphas=ALPHAS) -> dict[str, dict[str, list[Series]]]:
    """Return data set -> group -> curves of Figures 3.5 to 3.10.

    Parameters
    ----------
    problems : dict of str to Problem
    first : str
        Set with all curves (ARR in the Thesis).
    second : str
        Set on which Nystrom is studied (SRBCT in the Thesis).
    alphas : sequence of float
        Grid of Figures 3.6 and 3.7.
    """
    groups = {name: {"table": table_series(problem)} for name, problem in problems.items()}
    for name, problem in problems.items():
        if name in (first, second, "NCI9"):
            groups[name]["other"] = other_series(problem)
        if name in (first, "NCI9", "Wine"):
            groups[name]["cor"] = alpha_series(problem, "pearson", alphas)
            groups[name]["mi"] = alpha_series(problem, "mi", alphas)
        if name == first:
            groups[name]["C"] = cost_series(problem)
        if name == second:
            groups[name]["alpha"] = alpha_series(problem, "mi", alphas=(0.1,))
        if name in _SHARES:
            groups[name]["nystrom"] = nystrom_series(problem, _SHARES[name])
    return groups


def _one_fold(X, y, train, test, series, counts, seed):
    order, notes = series.rank(X[train], y[train], seed)
    scaler = MinMaxScaler().fit(X[train])
    A, B = scaler.transform(X[train]), scaler.transform(X[test])
    rows = []
    for count in counts:
        some = order[:count]
        svm = SVC(kernel="linear", C=series.C).fit(A[:, some], y[train])
        error = 100.0 * np.mean(svm.predict(B[:, some]) != y[test])
        rows.append({"n_features": count, "error_pct": error, **notes})
    return rows


def measure(X, y, series, counts, *, repeats, seed=0, n_jobs=None, folds=FOLDS) -> pd.DataFrame:
    """Return the error of one curve, fold by fold.

    Parameters
    ----------
    X : array of shape (n, M)
    y : array of shape (n,)
    series : Series
    counts : sequence of int
        Numbers of features; those above M are left out.
    repeats, folds : int
        Repetitions of cross-validation, and its folds.
    seed : int
        Seed of the partitions; fold i draws with seed + i.
    n_jobs : int or None

    Returns
    -------
    DataFrame
        ``label, method, fold, n_features, error_pct`` and what the selector notes.
    """
    counts = [count for count in counts if count <= X.shape[1]]
    parts = list(divisions(len(X), repeats, seed, folds))
    found = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_one_fold)(X, y, train, test, series, counts, seed + i)
        for i, (train, test) in enumerate(parts)
    )
    rows = [{"fold": i, **row} for i, fold in enumerate(found) for row in fold]
    frame = pd.DataFrame(rows)
    frame.insert(0, "method", series.method)
    frame.insert(0, "label", series.label)
    return frame


def run(record, problem: Problem, data, groups, *, folds=FOLDS, n_jobs=None) -> pd.DataFrame:
    """Measure several curves on one data set, each a step that is kept.

    Parameters
    ----------
    record : hlsvm.reproduce.Recorder
    problem : Problem
    data : tuple of arrays
        X and y.
    groups : dict of str to list of Series
        Group -> its curves; the group becomes a column.

    Returns
    -------
    DataFrame
        The rows of `measure`, with columns ``dataset`` and ``group``.
    """
    X, y = data
    frames = []
    todo = [(group, series) for group, some in groups.items() for series in some]
    for group, series in record.progress(todo, problem.name):
        repeats = problem.repeats if series.tabled else drawn_repeats(problem)
        part = record.step(
            f"select-{problem.name}".replace(" ", "-"),
            {
                "data": X,
                "group": group,
                "label": series.label,
                "repeats": repeats,
                "counts": list(problem.counts),
                "read": [problem.n_bins, problem.span],
                "folds": folds,
            },
            lambda series=series, repeats=repeats: measure(
                X,
                y,
                series,
                problem.counts,
                repeats=repeats,
                seed=record.seed,
                n_jobs=n_jobs,
                folds=folds,
            ),
            code=CODE,
        )
        frames.append(part.assign(dataset=problem.name, group=group))
    return pd.concat(frames, ignore_index=True)


def drawn_repeats(problem: Problem) -> int:
    """Return on how many of the repetitions the curves that are only drawn are run."""
    return max(1, problem.repeats // 5)


def means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard error over the folds, one row per curve and number of features."""
    keys = ["dataset", "group", "label", "method", "n_features"]
    grouped = rows.groupby(keys, sort=False).error_pct
    frame = grouped.agg(["mean", "sem", "size"]).reset_index()
    return frame.rename(columns={"mean": "error_pct", "sem": "error_pm", "size": "folds"})


def paired_test(theirs: np.ndarray, ours: np.ndarray) -> float:
    """Return p of the one-tailed paired t test, H0: `theirs` errs no more (Thesis Table 3.5).

    Without any difference p is 0.5: there is nothing to decide on.

    Examples
    --------
    >>> round(paired_test(np.array([5.0, 6.0, 7.0, 9.0]), np.array([4.0, 5.0, 7.0, 7.0])), 3)
    0.046
    """
    theirs, ours = np.asarray(theirs, dtype=float), np.asarray(ours, dtype=float)
    if np.ptp(theirs - ours) == 0:
        return 0.5 if theirs[0] == ours[0] else float(theirs[0] < ours[0])
    return float(ttest_rel(theirs, ours, alternative="greater").pvalue)
