"""LIBSVM, LASVM and CBD: searches over 63 pairs that do not always finish, and what they cost.

Where the search over all training rows is out of reach it is timed on growing random subsets, and
its cost on all rows follows from the power law through the last subsets. The pair it finds on the
largest subset is then trained on more and more rows, all of them if its budget allows.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from hlsvm.chapters.dtsvm.contest import MODES, clock
from hlsvm.chapters.dtsvm.problems import Parts
from hlsvm.regions import DTSVMClassifier, LASVMClassifier, boundary_rows
from hlsvm.regions.kernels import COSTS, GAMMAS

PAIRS = tuple(itertools.product(COSTS, GAMMAS))
_LAST = 3  # subsets the power law goes through
_STEPS = 2_000  # of finishing of LASVM in its search
_NEIGHBOURS = 100


class _Quiet(LASVMClassifier):
    """LASVM that does not warn: its search stops finishing after `_STEPS` steps on purpose."""

    def fit(self, X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return super().fit(X, y)


def libsvm_model(C, gamma, mode, seed=0):
    """Return LIBSVM as a user would set it up."""
    one = SVC(C=C, gamma=gamma, cache_size=1000)
    return one if mode == "1A1" else OneVsRestClassifier(one)


def lasvm_model(C, gamma, mode, seed=0, steps=_STEPS):
    """Return LASVM, one pass with finishing."""
    return _Quiet(C, gamma, multiclass=MODES[mode], max_iter=steps, random_state=seed)


MODELS = {"LIBSVM": libsvm_model, "LASVM": lasvm_model}


def full_search(parts: Parts, make, mode: str) -> tuple[float, float]:
    """Train all 63 pairs, and return the one that is best on the validation part."""
    known = {}
    for C, gamma in PAIRS:
        known[C, gamma] = make(C, gamma, mode).fit(parts.X, parts.y).score(
            parts.X_val, parts.y_val
        )  # fmt: skip
    return min(known, key=lambda pair: (-known[pair], pair))


def growth(parts: Parts, make, mode: str, *, start: int, budget: float, seed: int = 0) -> dict:
    """Time the search on `start` rows, on twice as many, and so on.

    It goes on while four times the seconds of the last search are in the budget, but twice at
    least.

    Returns
    -------
    dict
        ``n``, ``seconds`` : lists; ``C``, ``gamma`` of the last search.
    """
    done = {"n": [], "seconds": []}
    n = start
    while True:
        part = parts.subset(n, seed)
        pair, seconds = clock(lambda part=part: full_search(part, make, mode))
        done["n"].append(len(part.y))
        done["seconds"].append(seconds)
        done["C"], done["gamma"] = pair
        if n >= len(parts.y) or (len(done["n"]) > 1 and 4 * seconds > budget):
            return done
        n *= 2


def extrapolate(n, seconds, to) -> tuple[float, float]:
    """Return the seconds at `to` rows by a power law from the last point, and its exponent.

    The exponent is that of the last three points, and at least 1: what is seen on few rows is the
    cost of starting, and no search grows slower than its rows.

    Examples
    --------
    >>> extrapolate([100, 200, 400], [1.0, 4.0, 16.0], 800)
    (64.0, 2.0)
    """
    x, y = np.log(n[-_LAST:]), np.log(np.maximum(seconds[-_LAST:], 1e-6))
    slope = max(1.0, float(np.polyfit(x, y, 1)[0])) if len(x) > 1 else 1.0
    return round(float(seconds[-1] * (to / n[-1]) ** slope), 6), round(slope, 6)


def _support(model) -> int:
    """Support vectors of all binary SVMs: one for every nonzero coefficient."""
    if isinstance(model, LASVMClassifier):
        return model.n_support_total_
    machines = getattr(model, "estimators_", [model])
    return int(sum(np.count_nonzero(machine.dual_coef_) for machine in machines))


def largest_fit(parts: Parts, make, pair, mode: str, *, start: int, budget: float, seed: int = 0):
    """Train one pair on twice the rows again and again, while four times the seconds are in budget.

    Returns
    -------
    model, seconds, rows
    """
    n, seconds = start, 0.0
    while True:
        part = parts.subset(n, seed)
        model, seconds = clock(lambda part=part: make(*pair, mode).fit(part.X, part.y))
        if n >= len(parts.y) or 4 * seconds > budget:
            return model, seconds, len(part.y)
        n *= 2


def searched(
    name: str,
    parts: Parts,
    mode: str,
    *,
    start: int,
    budget: float,
    fit_budget: float,
    seed: int = 0,
) -> dict:
    """Measure LIBSVM or LASVM: its search (timed or extrapolated), and the pair it finds.

    Parameters
    ----------
    name : {"LIBSVM", "LASVM"}
    parts : Parts
    mode : {"1A1", "1AO"}
    start : int
        Rows of the first subset.
    budget, fit_budget : float
        Seconds that a search, and the training of the pair it finds, may be expected to take.
    seed : int
    """
    make = MODELS[name]
    grown = growth(parts, make, mode, start=start, budget=budget, seed=seed)
    whole = grown["n"][-1] >= len(parts.y)
    seconds, exponent = grown["seconds"][-1], float("nan")
    if not whole:
        seconds, exponent = extrapolate(grown["n"], grown["seconds"], len(parts.y))
    pair = grown["C"], grown["gamma"]
    model, fit_s, rows = largest_fit(
        parts, make, pair, mode, start=grown["n"][-1], budget=fit_budget, seed=seed
    )
    labels, test = clock(lambda: model.predict(parts.X_test))
    support = _support(model)
    return {
        "train_s": seconds,
        "fit_s": fit_s,
        "test_s": test,
        "accuracy_pct": 100 * float(np.mean(labels == parts.y_test)),
        "nesv": float(support),
        "tnsv": support,
        "C": pair[0],
        "gamma": pair[1],
        "rows": rows,
        "extrapolated": not whole,
        "exponent": exponent,
        "grown_n": grown["n"],
        "grown_s": grown["seconds"],
    }


def cbd(parts: Parts, mode: str, *, cap: int, most: int, seed: int = 0) -> dict:
    """Measure CBD: rows near a boundary, and one SVM on them with the search over 63 pairs.

    `cap` rows at most are looked at, `most` of the reduced set are kept.
    """
    part = parts.subset(cap, seed)

    def train():
        rows = boundary_rows(part.X, part.y, _NEIGHBOURS)
        if len(rows) > most:
            rows = np.sort(np.random.default_rng(seed).permutation(rows)[:most])
        model = DTSVMClassifier(
            ceiling_size=len(rows) + 1, climb=False, multiclass=MODES[mode], random_state=seed
        )
        return model.fit(part.X[rows], part.y[rows], validation=(part.X_val, part.y_val))

    model, seconds = clock(train)
    labels, test = clock(lambda: model.predict(parts.X_test))
    return {
        "train_s": seconds,
        "test_s": test,
        "accuracy_pct": 100 * float(np.mean(labels == parts.y_test)),
        "nesv": float(model.n_support_total_),
        "tnsv": model.n_support_total_,
        "C": model.C_,
        "gamma": model.gamma_,
        "reduced": sum(len(part) for part in model.division_.parts),
        "rows": len(part.y),
    }
