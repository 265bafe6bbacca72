"""The DTSVM protocol over all sets: one row a set, mode and method, gaps as gaps."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from hlsvm.chapters._problems import missing
from hlsvm.chapters.dtsvm import contest, rivals
from hlsvm.chapters.dtsvm.problems import Parts, Problem, problems, six_parts

CODE = (
    "hlsvm.regions._leaf_smo",
    "hlsvm.regions._region_svm",
    "hlsvm.regions._search",
    "hlsvm.regions._lasvm",
)
MEDIUM = ("CART", "DTSVM", "RDSVM", "Bagging", "CBD", "LIBSVM", "LASVM")
LARGE = ("CART", "DTSVM", "RDSVM", "LIBLINEAR")
_NO_MODE = "CART"


@dataclass(frozen=True)
class Limits:
    """How many rows and seconds the rivals are given; DTSVM is given all rows.

    Attributes
    ----------
    rdsvm, cbd : int
        Random training rows that RDSVM and CBD see at most.
    reduced : int
        Rows that CBD keeps at most.
    bag_val : int
        Validation rows that bagging is judged on at most.
    start, lasvm_start : int
        First subsets that the searches of LIBSVM and LASVM are timed on.
    budget, lasvm_budget, fit_budget : float
        Seconds that the next of these searches, and the training of the pair that is found (a
        quarter of it with LASVM), may be expected to take.
    """

    rdsvm: int = 3000
    cbd: int = 3000
    reduced: int = 1000
    bag_val: int = 1000
    start: int = 250
    lasvm_start: int = 60
    budget: float = 60.0
    lasvm_budget: float = 2.0
    fit_budget: float = 60.0


QUICK = Limits(start=60, lasvm_start=40, budget=0.5, lasvm_budget=0.5, fit_budget=0.5)
# The limits that each method is under.
_UNDER = {
    "RDSVM": ("rdsvm",),
    "CBD": ("cbd", "reduced"),
    "Bagging": ("bag_val",),
    "LIBSVM": ("start", "budget", "fit_budget"),
    "LASVM": ("lasvm_start", "lasvm_budget", "fit_budget"),
}
PAPER = Limits()


def measure(method: str, parts: Parts, mode: str, problem: Problem, limits: Limits, seed: int):
    """Measure one method on one set; see `contest` and `rivals`."""
    sigma = problem.ceiling_size
    if method in rivals.MODELS:
        start = limits.start if method == "LIBSVM" else limits.lasvm_start
        fit_budget = limits.fit_budget if method == "LIBSVM" else limits.fit_budget / 4
        return rivals.searched(
            method,
            parts,
            mode,
            start=start,
            budget=limits.budget if method == "LIBSVM" else limits.lasvm_budget,
            fit_budget=fit_budget,
            seed=seed,
        )
    if method == "CBD":
        return rivals.cbd(parts, mode, cap=limits.cbd, most=limits.reduced, seed=seed)
    if method == "RDSVM":
        return contest.rdsvm(parts.subset(limits.rdsvm, seed), mode, sigma=sigma, seed=seed)
    if method == "Bagging":
        held = min(limits.bag_val, len(parts.y_val))
        seen = Parts(parts.X, parts.y, parts.X_val[:held], parts.y_val[:held], *parts_test(parts))
        return contest.bagging(seen, mode, sigma=sigma, seed=seed)
    if method == "DTSVM":
        return contest.dtsvm(parts, mode, sigma=sigma, seed=seed)
    return (contest.cart if method == "CART" else contest.linear)(parts, mode, seed=seed)


def parts_test(parts: Parts):
    """Return the test part."""
    return parts.X_test, parts.y_test


def training_rows(data) -> int:
    """Count the rows of four of six parts."""
    given = [y for y in (data.y_train, data.y_test) if y is not None]
    sixths = np.array_split(np.arange(sum(len(y) for y in given)), 6)
    return sum(len(part) for part in sixths[:4])


def run_one(record, problem: Problem, method: str, mode: str, limits: Limits, seed: int) -> dict:
    """Measure one method on one set, kept as a step."""

    def work():
        contest.warm_up()
        return measure(method, six_parts(problem.load(), seed), mode, problem, limits, seed)

    under = {name: getattr(limits, name) for name in _UNDER.get(method, ())}
    what = {"problem": asdict(problem), "method": method, "mode": mode, "limits": under}
    found = record.step("chapter9-contest", what, work, code=CODE)
    if found.get("extrapolated"):
        n = training_rows(problem.load())
        seconds, exponent = rivals.extrapolate(found["grown_n"], found["grown_s"], n)
        found = {**found, "train_s": seconds, "exponent": exponent}
    return {"dataset": problem.name, "method": method, "mode": mode, **found}


def run_all(record, scale: str, seed: int, methods=None, names=None, hours=()) -> pd.DataFrame:
    """Run every method in both modes on every set; one row each.

    Parameters
    ----------
    record : Recorder
    scale : {"quick", "paper"}
    seed : int
    methods, names : collection of str, optional
        The methods and sets to run; by default all.
    hours : collection of str
        What is left out as a gap "not run: hours", as "Poker LASVM 1AO" or "Poker LASVM".

    Returns
    -------
    DataFrame
        ``dataset``, ``method``, ``mode``, ``large``, ``status`` and what `contest` and `rivals`
        measure. Sets of two classes are the same in both modes and run once.
    """
    limits = QUICK if scale == "quick" else PAPER
    rows = []
    for problem in record.progress(problems(scale), "sets"):
        if names is not None and problem.name not in names:
            continue
        gap = missing(problem)
        binary = not gap and len(np.unique(record.uses(problem.load()).y_train)) == 2
        for method in LARGE if problem.large else MEDIUM:
            if methods is not None and method not in methods:
                continue
            for mode in contest.MODES:
                head = {"dataset": problem.name, "method": method, "mode": mode}
                entry = f"{problem.name} {method}"
                if gap:
                    rows.append({**head, "status": f"not run: data ({gap})"})
                elif scale != "quick" and (entry in hours or f"{entry} {mode}" in hours):
                    rows.append({**head, "status": "not run: hours"})
                elif mode == "1AO" and (binary or method == _NO_MODE):
                    rows.append({**rows[-1], "mode": mode})
                else:
                    rows.append(run_one(record, problem, method, mode, limits, seed))
                rows[-1]["large"] = problem.large
    return pd.DataFrame(rows).assign(status=lambda t: t.get("status", pd.Series(dtype=object)))
