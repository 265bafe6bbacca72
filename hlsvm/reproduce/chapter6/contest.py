"""Bounds of known constants on one division of the data: value, test error, leaves, time."""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from hlsvm.bounds import holdout_bound, prune_by_bound, support_vector_bound
from hlsvm.datasets import Dataset
from hlsvm.reproduce import recorded
from hlsvm.reproduce.chapter5.problems import Problem, problems
from hlsvm.reproduce.chapter5.series import missing
from hlsvm.reproduce.chapter6.complexity import key_of
from hlsvm.trees import HLSVMClassifier

CODE = ("hlsvm.linear", "hlsvm.bounds", "hlsvm.reproduce.chapter6.contest")
WHOLE, COST_COMPLEXITY, HOLD_OUT = "not pruned", "cost-complexity", "hold-out"
OCCAM, OCCAM_MOVED = "Occam, subtree", "Occam, hyperplanes moved"
GIBBS, GIBBS_MOVED = "PAC-Bayes, subtree", "PAC-Bayes, hyperplanes moved"
INFORMED, COMPRESSION = "PAC-Bayes, prior a tree", "sample compression"
_WAYS = {
    OCCAM: {"kind": "occam", "refined": False},
    GIBBS: {"kind": "gibbs", "refined": False},
    OCCAM_MOVED: {"kind": "occam"},
    GIBBS_MOVED: {"kind": "gibbs"},
    INFORMED: {"kind": "gibbs", "prior": "tree"},
}
METHODS = (WHOLE, COST_COMPLEXITY, HOLD_OUT, *_WAYS, COMPRESSION)
PRUNED_BY_BOUND = tuple(_WAYS)
_HELD = 0.1  # share held out, to prune or to bound
# Training values beyond which hyperplanes are moved by one way only and in few steps: an hour else.
_LARGE = 20_000_000
_LARGE_STEPS = 15


@dataclass(frozen=True)
class Outcome:
    """One way to a tree on one division. `bound` is NaN where the way gives none."""

    method: str
    bound: float
    test_error: float
    tree_error: float
    leaves: int
    hyp_mean: float
    seconds: float


def _grow(problem: Problem, X, y, seed: int, rho: float = 0.0) -> HLSVMClassifier:
    model = HLSVMClassifier(lam=problem.lam, prune_fraction=rho, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def _plain(method, problem, part, seed) -> Outcome:
    """Ways that end in a grown or a cost-complexity pruned tree."""
    start = time.process_time()
    rho = 0.0 if method in (WHOLE, COMPRESSION) else problem.rho or _HELD
    X, y, bound = part.X_train, part.y_train, np.nan
    if method == HOLD_OUT:
        X, X_held, y, y_held = train_test_split(
            X, y, test_size=_HELD, stratify=y, random_state=seed
        )
    model = _grow(problem, X, y, seed, rho)
    if method == HOLD_OUT:
        bound = holdout_bound(y_held, model.predict(X_held)).value
    if method == COMPRESSION:
        bound = support_vector_bound(model, X, y).value
    spent = time.process_time() - start
    error = float(np.mean(model.predict(part.X_test) != part.y_test))
    met = float(model.n_hyperplanes(part.X_test).mean())
    return Outcome(method, bound, error, error, model.get_n_leaves(), met, spent)


def _large(part: Dataset) -> bool:
    return part.X_train.size > _LARGE


def _by_bound(method, problem, part, seed) -> Outcome:
    options = dict(_WAYS[method])
    if _large(part):
        options["max_iter"] = _LARGE_STEPS
    start = time.process_time()
    model = _grow(problem, part.X_train, part.y_train, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = prune_by_bound(model, part.X_train, part.y_train, random_state=seed, **options)
    spent = time.process_time() - start
    tree_error = float(np.mean(found.predict(part.X_test) != part.y_test))
    error = tree_error
    if found.posterior is not None and found.bound.subject == "the Gibbs tree":
        error = float(np.mean(found.predict_gibbs(part.X_test) != part.y_test))
    met = float(found.n_hyperplanes(part.X_test).mean())
    value = found.bound.value
    return Outcome(method, value, error, tree_error, found.tree.n_leaves, met, spent)


def measure(method: str, problem: Problem, part: Dataset, seed: int = 0) -> Outcome:
    """Go one way to a tree on the training part, bound it, err on the test part once.

    Parameters
    ----------
    method : str
        One of `METHODS`. Test errors are those of what the bound speaks of: the Gibbs tree for
        PAC-Bayes; `tree_error` is always that of the tree itself.
    """
    way = _by_bound if method in _WAYS else _plain
    return way(method, problem, part, seed)


def side_by_side(record, scale: str, seed: int, *, methods=METHODS) -> pd.DataFrame:
    """Measure every way on the first division of every problem of chapter 5.

    Returns
    -------
    DataFrame
        Fields of `Outcome` with ``dataset``; what did not run has a ``status``.
    """
    rows = []
    for entry in record.progress(problems(scale), "bounds"):
        gap = missing(entry)
        if gap or entry.deformed:
            status = f"not run: data ({gap})" if gap else "not run: hours"
            rows.append({"dataset": entry.name, "status": status})
            continue
        data = record.uses(entry.load())
        part = next(iter(entry.parts(data, seed)))
        for method in methods:
            row = {"dataset": entry.name, "method": method}
            if _large(part) and method in (OCCAM_MOVED, GIBBS_MOVED):
                rows.append({**row, "status": "not run: hours"})
                continue
            found = record.step(
                "chapter6-bounds",
                {"problem": key_of(entry), "method": method},
                lambda entry=entry, part=part, method=method: asdict(
                    measure(method, entry, part, seed)
                ),
                code=CODE,
            )
            rows.append({**row, **found})
    return pd.DataFrame(rows)


def recorded_rows(id: str = "HLSVM.method.SampleCompression") -> pd.DataFrame:
    """Return the recorded rows of `side_by_side`; empty where nothing is recorded yet."""
    table = recorded(id)
    if table is None:
        return pd.DataFrame(columns=["dataset", "method", "bound", "test_error", "tree_error"])
    texts = ("dataset", "method", "status")
    return table.apply(lambda own: own if own.name in texts else pd.to_numeric(own))


def ran(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows that were measured."""
    return rows[rows.test_error.notna()]


def wide(rows: pd.DataFrame) -> pd.DataFrame:
    """Lay out the bounds with a row a way and a column a data set, test errors beside them."""
    shown = ran(rows).melt(["dataset", "method"], ["bound", "test_error"], var_name="what")
    table = shown.pivot(index="method", columns=["dataset", "what"], values="value")
    names = [name for name in METHODS if name in table.index]
    return table.reindex(names).sort_index(axis=1)


def verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """Which bound is tightest on every set, whether it says anything, and its distance.

    Returns
    -------
    DataFrame
        ``dataset``, ``tightest`` (without hold-out), ``bound``, ``test_error``, ``distance``,
        ``hold_out``, ``below_half`` (how many of how many), ``violated``.
    """
    columns = ["dataset", "tightest", "bound", "test_error", "distance"]
    found: list[dict] = []
    for name, own in ran(rows).dropna(subset="bound").groupby("dataset", sort=False):
        free = own[own.method != HOLD_OUT]
        best = free.loc[free.bound.idxmin()]
        held = own[own.method == HOLD_OUT].bound
        found.append(
            {
                "dataset": name,
                "tightest": best.method,
                "bound": best.bound,
                "test_error": best.test_error,
                "distance": best.bound - best.test_error,
                "hold_out": float(held.iloc[0]) if len(held) else np.nan,
                "below_half": f"{int((free.bound < 0.5).sum())} of {len(free)}",
                "violated": int((own.bound < own.test_error).sum()),
            }
        )
    return pd.DataFrame(found, columns=None if found else columns)


def pruning(rows: pd.DataFrame) -> pd.DataFrame:
    """Test error of the tree pruned by bound beside cost-complexity pruning, in per cent.

    The way is chosen by its bound, not by its error.

    Returns
    -------
    DataFrame
        ``dataset``, ``by_bound``, ``error_pct``, ``leaves``, ``cost_complexity_pct``,
        ``cost_complexity_leaves``, ``difference`` (points).
    """
    columns = ["dataset", "by_bound", "error_pct", "leaves", "cost_complexity_pct"]
    found: list[dict] = []
    for name, own in ran(rows).groupby("dataset", sort=False):
        ours = own[own.method.isin(PRUNED_BY_BOUND)]
        theirs = own[own.method == COST_COMPLEXITY]
        if ours.empty or theirs.empty:
            continue
        best, theirs = ours.loc[ours.bound.idxmin()], theirs.iloc[0]
        found.append(
            {
                "dataset": name,
                "by_bound": best.method,
                "error_pct": 100 * best.tree_error,
                "leaves": best.leaves,
                "cost_complexity_pct": 100 * theirs.tree_error,
                "cost_complexity_leaves": theirs.leaves,
                "difference": 100 * (best.tree_error - theirs.tree_error),
            }
        )
    return pd.DataFrame(found, columns=None if found else columns)
