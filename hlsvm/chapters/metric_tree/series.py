"""MetricTree Tables 1 and 2 over all problems; what the options of the tree change."""

from __future__ import annotations

import time
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from hlsvm.chapters._problems import missing
from hlsvm.chapters.metric_tree.contest import (
    contest,
    fit_svm,
    grow,
    race_predictions,
    reduced_set,
    warm_up,
)
from hlsvm.chapters.metric_tree.problems import REDUCED, Problem, dense, problem, problems
from hlsvm.reproduce import published
from hlsvm.reproduce.timing import race

CODE = (
    *(f"hlsvm.regions.{name}" for name in ("_metric_kernels", "_metric_router", "_metric_base")),
    *(f"hlsvm.regions.{name}" for name in ("_metric_tree", "_metric_grow", "_metric_prune")),
    *(f"hlsvm.regions.{name}" for name in ("_farthest", "_expansion", "_remainder", "preimage")),
    "hlsvm.chapters.metric_tree.contest",
)
_TUNED_ON = 5_000  # training rows that the settings of Table 2 are chosen on
_COSTS, _GAMMAS = (1.0, 4.0, 16.0), (0.03125, 0.125, 0.5, 2.0)
OPTIONS = {
    "as in the source": {},
    "median cut": {"split": "median"},
    "linear-time pair": {"pair": "heuristic"},
    "leaves of 8": {"leaf_size": 8},
    "at most 10 cuts": {"max_depth": 10},
    "pruned at 0.5": {"prune": 0.5},
    "median cut, pruned at 0.5": {"split": "median", "prune": 0.5},
}


def run_problem(record, entry: Problem, seed: int) -> pd.DataFrame:
    """One row a division: what `contest` measures."""
    data = record.uses(entry.load())
    rows = []
    for part, division in enumerate(entry.parts(data, seed)):
        rows.append(
            record.step(
                "chapter10-contest",
                {"problem": asdict(entry), "part": part, "seed": seed},
                lambda division=division: asdict(contest(entry, division)),
                code=CODE,
            )
        )
    return pd.DataFrame(rows).assign(d=data.n_features)


def table1(record, scale: str, seed: int, skip=()) -> pd.DataFrame:
    """MetricTree Table 1: means over the divisions, deviations as ``*_sd``, gaps as gaps.

    Problems named in `skip` are left out as "not run: hours".

    Returns
    -------
    DataFrame
        One row a data set, columns as published and the fields of `contest.Measured`.
    """
    names = [] if scale == "quick" else list(published("MetricTree.Tab1").dataset)
    full = {name.split(" ")[0]: name for name in names}
    rows = []
    for entry in record.progress(problems(scale), "problems"):
        name = full.get(entry.name, entry.name)
        gap = missing(entry)
        if gap or entry.name in skip:
            status = f"data ({gap})" if gap else "hours"
            rows.append({"dataset": name, "status": f"not run: {status}"})
            continue
        parts = run_problem(record, entry, seed)
        row = {"dataset": name, "n_parts": len(parts), **parts.mean().to_dict()}
        if len(parts) > 1:
            for column in ("svm_accuracy_pct", "tree_accuracy_pct", "abs_accuracy_diff"):
                row[column.removesuffix("_pct") + "_sd"] = float(parts[column].std())
        rows.append(row)
    return pd.DataFrame(rows)


def with_published(table: pd.DataFrame) -> pd.DataFrame:
    """Add the published gains to the rows of the same data sets."""
    printed = published("MetricTree.Tab1").set_index("dataset").speed_gain_factor
    return table.assign(published_gain=table.dataset.map(printed).astype(float))


def short(table: pd.DataFrame, columns: dict[str, str], digits: int) -> pd.DataFrame:
    """Pick, rename and round columns of the rows that ran."""
    ran = table[table[next(iter(columns))].notna()]
    return ran.set_index("dataset")[list(columns)].rename(columns=columns).round(digits)


def answers(table: pd.DataFrame, reduced: pd.DataFrame, *, n_support, most, depth) -> pd.DataFrame:
    """Return the numbers of the running text that this run answers.

    Parameters
    ----------
    table, reduced : DataFrame
        Of `table1` and `table2`.
    n_support, most, depth : int
        Support vectors of Fig. 2, its largest number of dot products, the depth of its cells.
    """
    gains = table.speed_gain_factor.dropna()
    over = reduced.speed_gain_factor.dropna()
    values = {
        "MetricTree.text001": str(int(np.log10(gains.max()))),
        "MetricTree.text005": str(n_support),
        "MetricTree.text006": str(most),
        "MetricTree.text007": str(depth),
        "MetricTree.text010": f"{over.min():.0f}|{over.max():.0f}",
        "MetricTree.text011": f"{gains.min():.0f}|{gains.max():.0f}",
    }
    return pd.DataFrame({"id": list(values), "value": list(values.values())})


def tune(entry: Problem, data, seed: int) -> Problem:
    """Choose C and gamma by 3-fold cross-validation on (some of) the training part."""
    X, y, _, _ = dense(data)
    some = np.random.default_rng(seed).permutation(len(X))[:_TUNED_ON]
    grid = {"C": _COSTS, "gamma": _GAMMAS}
    found = GridSearchCV(SVC(cache_size=500), grid, cv=3, refit=False).fit(X[some], y[some])
    return replace(entry, C=found.best_params_["C"], gamma=found.best_params_["gamma"])


def _reduced_row(entry: Problem, data, n_vectors: int, seed: int) -> dict:
    warm_up()
    entry = tune(entry, data, seed)
    X, _, X_test, y_test = dense(data)
    svm, _ = fit_svm(entry, data)
    tree, _ = grow(svm, X)
    short = reduced_set(svm, X, X_test, y_test, n_vectors)
    timed = race({"tree": lambda: tree.predict(X_test)}, repeats=3)
    seconds = race_predictions(svm, tree, X_test)
    exact = tree.svm_decision(X_test) > 0
    truth = y_test == tree.classes_[1]
    return {
        "dataset": entry.name,
        "C": entry.C,
        "gamma": entry.gamma,
        "svm_n_sv": len(svm.support_),
        "svm_accuracy_pct": 100 * float(np.mean(exact == truth)),
        "preimages": short["n_vectors"],
        "preimage_accuracy_pct": short["accuracy_pct"],
        "preimage_test_s": short["test_s"],
        "preimage_search_s": short["reduce_s"],
        "avg_depth": float(tree.n_hyperplanes(X_test).mean()),
        "tree_accuracy_pct": 100 * float(np.mean(tree.predict(X_test) == y_test)),
        "tree_test_s": float(timed.cpu_s[0]),
        "speed_gain_factor": short["test_s"] / float(timed.cpu_s[0]),
        "gain_over_libsvm": seconds["svm"] / seconds["tree"],
        "certain_pct": 100 * float(tree.is_certain(X_test).mean()),
    }


def table2(record, scale: str, seed: int) -> pd.DataFrame:
    """MetricTree Table 2: an SVM, its reduced set by pre-images, and its tree.

    The four reduced-set methods of the source are other people's; the reduced set here is that of
    Schoelkopf et al. (`PreimageSVC`), with as many vectors as theirs. ``speed_gain_factor`` is its
    time over that of the tree.
    """
    names = REDUCED if scale == "paper" else {"Breast cancer": 20, "Digits, 3 vs rest": 20}
    rows = []
    for name, n_vectors in record.progress(names.items(), "reduced sets", total=len(names)):
        entry = problem(name, scale)
        gap = missing(entry)
        if gap:
            rows.append({"dataset": name, "status": f"not run: data ({gap})"})
            continue
        data = record.uses(entry.load())
        division = next(entry.parts(data, seed))
        rows.append(
            record.step(
                "chapter10-reduced",
                {"problem": asdict(entry), "n_vectors": n_vectors, "seed": seed},
                lambda e=entry, d=division, n=n_vectors: _reduced_row(e, d, n, seed),
                code=CODE,
            )
        )
    return pd.DataFrame(rows)


def _option_rows(entry: Problem, division) -> list[dict]:
    warm_up()
    X, _, X_test, _ = dense(division)
    svm, _ = fit_svm(entry, division)
    exact = None
    rows = []
    for name, options in OPTIONS.items():
        tree, build_s = grow(svm, X, **options)
        if exact is None:
            exact = tree.svm_decision(X_test) > 0
        start = time.process_time()
        certain = tree.is_certain(X_test)
        certify_s = time.process_time() - start
        said = tree.predict(X_test) == tree.classes_[1]
        seconds = race_predictions(svm, tree, X_test)
        rows.append(
            {
                "dataset": entry.name,
                "tree": name,
                "leaves": tree.get_n_leaves(),
                "max_depth": tree.get_depth(),
                "avg_depth": float(tree.n_hyperplanes(X_test).mean()),
                "agreement_pct": 100 * float(np.mean(said == exact)),
                "certain_pct": 100 * float(certain.mean()),
                "build_s": build_s,
                "microseconds": 1e6 * seconds["tree"],
                "certify_microseconds": 1e6 * certify_s / len(X_test),
                "gain_over_libsvm": seconds["svm"] / seconds["tree"],
            }
        )
    return rows


def options(record, scale: str, seed: int) -> pd.DataFrame:
    """Measure what cut, pair, leaf size and depth limit change: one row a data set and tree."""
    names = ("svmguide1", "mushrooms", "a1a") if scale == "paper" else ("Digits, 3 vs rest",)
    rows = []
    for name in names:
        entry = problem(name, scale)
        if missing(entry):
            rows.append({"dataset": name, "status": f"not run: data ({missing(entry)})"})
            continue
        data = record.uses(entry.load())
        division = next(entry.parts(data, seed))
        rows += record.step(
            "chapter10-options",
            {"problem": asdict(entry), "options": OPTIONS, "seed": seed},
            lambda e=entry, d=division: _option_rows(e, d),
            code=CODE,
        )
    return pd.DataFrame(rows)
