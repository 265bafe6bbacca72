"""The protocols of Thesis 5.3 over all problems: one row a data set and method, gaps as gaps."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from hlsvm.chapters._problems import missing
from hlsvm.chapters.hlsvm.contest import (
    HLSVM,
    LINEAR,
    RBF,
    TIMED_AS,
    contest,
    relative_cost,
    relative_error,
    tune,
)
from hlsvm.chapters.hlsvm.problems import Problem, problems

CODE = ("hlsvm.trees", "hlsvm.linear", "hlsvm.chapters.hlsvm.contest")
_MEASURED = (
    "error_pct",
    "hyp_mean",
    "hyp_max",
    "n_sv",
    "train_s",
    "test_s_per_pattern",
    "one_decision_s",
)


def settled(problem: Problem, chosen: pd.DataFrame) -> dict[str, Problem]:
    """Return a problem with the settings that `tune_problems` chose for it, by name of the row."""
    rows = chosen[(chosen.dataset == problem.name) & chosen.hlsvm_lambda.notna()]
    tuned = {
        row.method: replace(
            problem,
            lam=float(row.hlsvm_lambda),
            rho=float(row.hlsvm_rho),
            shrinkage=float(row.shrinkage),
            min_fraction=None if pd.isna(row.min_fraction) else float(row.min_fraction),
        )
        for row in rows.itertuples()
    }
    return tuned or {HLSVM: problem}


def measure_parts(
    record, problem: Problem, tuned: dict[str, Problem], *, seed: int
) -> pd.DataFrame:
    """Measure the classifiers on every division of a problem.

    Returns
    -------
    DataFrame
        One row a division and method: ``part``, ``method``, errors, costs, seconds.
    """
    data = record.uses(problem.load())
    settings = {name: asdict(entry) for name, entry in tuned.items()}
    rows = []
    for part, division in enumerate(problem.parts(data, seed)):
        with_svm = part < problem.n_svm
        found = record.step(
            "chapter5-contest",
            {"problem": asdict(problem), "tuned": settings, "part": part},
            lambda division=division, with_svm=with_svm: [
                asdict(result)
                for result in contest(problem, tuned, division, seed=seed, with_svm=with_svm)
            ],
            code=CODE,
        )
        rows += [{"part": part, **row} for row in found]
    return pd.DataFrame(rows)


def summarise(problem: Problem, parts: pd.DataFrame) -> pd.DataFrame:
    """Mean and deviation over the divisions, RE and RC: rows as in Thesis Tables 5.4 and 5.5."""
    mean = parts.groupby("method", sort=False)[list(_MEASURED)].mean()
    rows = mean.copy()
    if parts.part.nunique() > 1:
        spread = parts.groupby("method", sort=False)[list(_MEASURED)].std()
        rows = rows.join(spread.rename(columns=_spread_name))
    cost = mean.hyp_mean.fillna(mean.n_sv)
    rows["RE"] = pd.Series(relative_error(mean.error_pct.to_dict()))
    rows["RC"] = pd.Series(relative_cost(cost.to_dict()))
    rows["n_parts"] = parts.groupby("method").part.nunique()
    return rows.reset_index().assign(dataset=problem.name)


def _spread_name(column: str) -> str:
    return column.replace("_pct", "") + "_sd"


def run_problems(record, scale: str, seed: int, chosen: pd.DataFrame) -> pd.DataFrame:
    """Run every problem with the settings chosen for it; what cannot run is a row that says why.

    Returns
    -------
    DataFrame
        Rows of `summarise`, with ``status`` for what did not run.
    """
    tables = []
    for problem in record.progress(problems(scale, **record.params), "problems"):
        gap = missing(problem)
        if gap:
            rows = [
                {"dataset": problem.name, "method": name, "status": f"not run: data ({gap})"}
                for name in (LINEAR, RBF, HLSVM)
            ]
            tables.append(pd.DataFrame(rows))
            continue
        tuned = settled(problem, chosen)
        table = summarise(problem, measure_parts(record, problem, tuned, seed=seed))
        if RBF not in set(table.method):
            late = {"dataset": problem.name, "method": RBF, "status": "not run: hours"}
            table = pd.concat([table, pd.DataFrame([late])])
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def errors_and_costs(results: pd.DataFrame) -> pd.DataFrame:
    """Columns of Thesis Table 5.4 (HLSVM Table 4)."""
    columns = [
        "dataset",
        "method",
        "error_pct",
        "error_sd",
        "hyp_mean",
        "hyp_mean_sd",
        "hyp_max",
        "hyp_max_sd",
        "n_sv",
        "n_sv_sd",
        "RE",
        "RC",
        "n_parts",
        "status",
    ]
    return results.reindex(columns=columns)


def times(results: pd.DataFrame) -> pd.DataFrame:
    """Columns of Thesis Table 5.5 (HLSVM Table 6), and the ratios to H-LSVM in the same run."""
    columns = [
        "dataset",
        "method",
        "train_s",
        "train_s_sd",
        "test_s_per_pattern",
        "test_s_per_pattern_sd",
        "one_decision_s",
        "status",
    ]
    table = results.reindex(columns=columns).assign(method=results.method.map(TIMED_AS))
    ours = results[results.method == HLSVM].set_index("dataset")
    for column in ("train_s", "test_s_per_pattern", "one_decision_s"):
        reference = results.dataset.map(ours[column]) if column in ours else np.nan
        table[f"{column.removesuffix('_s')}_ratio"] = results.get(column) / reference
    return table


def tune_problems(
    record, scale: str, seed: int, *, factors, rhos, shrinkages, min_fractions=(None,)
) -> pd.DataFrame:
    """Choose the settings of H-LSVM on the training part of each problem's first division.

    The lambdas tried are `factors` times the printed one.

    Returns
    -------
    DataFrame
        Columns as in Thesis Table 5.3: ``dataset``, ``hlsvm_lambda``, ``hlsvm_rho``; besides
        ``method``, ``shrinkage``, ``min_fraction``, error and cost of the validation. Two rows a
        problem: least error, and least error at no more than the published cost.
    """
    rows = []
    for problem in record.progress(problems(scale, **record.params), "tuning"):
        gap = missing(problem)
        if gap or problem.deformed:
            status = f"not run: data ({gap})" if gap else "not run: hours"
            rows.append({"dataset": problem.name, "status": status})
            continue
        data = record.uses(problem.load())
        division = next(iter(problem.parts(data, seed)))
        lams = [float(f"{factor * problem.lam:.3g}") for factor in factors]
        grid = {
            "lams": lams,
            "rhos": list(rhos),
            "shrinkages": list(shrinkages),
            "min_fractions": list(min_fractions),
        }
        found = record.step(
            "chapter5-tune",
            {"problem": asdict(problem), "grid": grid},
            lambda problem=problem, division=division, grid=grid: tune(
                problem, division, **grid, seed=seed
            ),
            code=CODE,
        )
        names = {"lam": "hlsvm_lambda", "rho": "hlsvm_rho"}
        rows += [
            {"dataset": problem.name, **{names.get(key, key): row[key] for key in row}}
            for row in found
        ]
    return pd.DataFrame(rows)


def named_settings(chosen: pd.DataFrame) -> pd.DataFrame:
    """Columns of Thesis Table 5.3; a second choice for a problem is a row of its own name."""
    second = chosen.method.notna() & (chosen.method != HLSVM)
    name = chosen.dataset.where(~second, chosen.dataset + chosen.method.str.removeprefix(HLSVM))
    return chosen.assign(dataset=name).drop(columns="method")


def sizes(record, scale: str) -> pd.DataFrame:
    """Sizes of the problems as they are here: columns of Thesis Table 5.2 (HLSVM Table 2)."""
    rows = []
    for problem in problems(scale, **record.params):
        gap = missing(problem)
        if gap:
            rows.append({"dataset": problem.name, "status": f"not run: data ({gap})"})
            continue
        data = record.uses(problem.load())
        part = next(iter(problem.parts(data, 0)))
        rows.append(
            {
                "dataset": problem.name,
                "n_train": len(part.y_train),
                "n_test": len(part.y_test),
                "n_features": part.X_train.shape[1],
                "note": data.note,
            }
        )
    return pd.DataFrame(rows)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Round a table of errors and costs to what every machine agrees on, gaps left empty."""
    columns = ["dataset", "method", "error_pct", "hyp_mean", "n_sv"]
    rounded = table[[*columns, "status"]].copy()
    rounded["error_pct"] = rounded.error_pct.round(0)
    rounded["hyp_mean"] = rounded.hyp_mean.round(0)
    rounded["n_sv"] = (rounded.n_sv / 10).round(0) * 10
    return rounded.dropna(axis=1, how="all").fillna("")


def spsvm_rows(results: pd.DataFrame) -> pd.DataFrame:
    """Columns of Thesis Table 5.6: our error and the order of our cost, where the set was run."""
    ours = results[results.method == HLSVM].set_index("dataset")
    rows = []
    for name in ("IJCNN", "Shuttle", "M3VO", "Vehicle"):
        if name not in ours.index or np.isnan(ours.error_pct.get(name, np.nan)):
            status = ours.status.get(name, "") if name in ours.index else "not run: paper scale"
            rows.append({"dataset": name, "status": status})
            continue
        order = int(np.floor(np.log10(ours.hyp_mean[name])))
        rows.append(
            {
                "dataset": name,
                "hlsvm_error_pct": ours.error_pct[name],
                "classification_cost_order": f"1e{order}",
            }
        )
    columns = ["dataset", "hlsvm_error_pct", "classification_cost_order", "status"]
    return pd.DataFrame(rows).reindex(columns=columns)
