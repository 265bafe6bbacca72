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
from hlsvm.chapters.bounds.complexity import key_of
from hlsvm.chapters.given_trees import given_tree
from hlsvm.chapters.hlsvm.problems import Problem, problems
from hlsvm.chapters.hlsvm.series import missing
from hlsvm.datasets import Dataset
from hlsvm.trees import ObliqueTreeClassifier

CODE = (
    "hlsvm.trees.tree",
    "hlsvm.linear",
    "hlsvm.bounds",
    "hlsvm.chapters.bounds.contest",
)
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
# Training values beyond which moving the hyperplanes to the end takes hours: few steps of one way.
_LARGE = 20_000_000
_FEW = {"max_iter": 6, "max_leaves": 30}


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


def _grow(problem: Problem, X, y, seed: int, rho: float = 0.0, **more) -> ObliqueTreeClassifier:
    model = given_tree(lam=problem.lam, prune_fraction=rho, random_state=seed, **more)
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
    # A tree is determined by its support vectors only with the b of its SVMs.
    more = {"bias": "svm"} if method == COMPRESSION else {}
    model = _grow(problem, X, y, seed, rho, **more)
    if method == HOLD_OUT:
        bound = holdout_bound(y_held, model.predict(X_held)).value
    if method == COMPRESSION:
        bound = support_vector_bound(model, X, y).value
    spent = time.process_time() - start
    error = float(np.mean(model.predict(part.X_test) != part.y_test))
    met = float(model.n_hyperplanes(part.X_test).mean())
    return Outcome(method, bound, error, error, model.get_n_leaves(), met, spent)


def _by_bound(method, problem, part, seed) -> Outcome:
    few = _FEW if part.X_train.size > _LARGE else {}
    start = time.process_time()
    model = _grow(problem, part.X_train, part.y_train, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = prune_by_bound(
            model,
            part.X_train,
            part.y_train,
            random_state=seed,
            **_WAYS[method],
            **(few if method == INFORMED else {}),
        )
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
        Fields of `Outcome` with ``dataset`` and ``test_rows``; what did not run has a ``status``.
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
            row = {"dataset": entry.name, "method": method, "test_rows": len(part.y_test)}
            if part.X_train.size > _LARGE and method in (OCCAM_MOVED, GIBBS_MOVED):
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
