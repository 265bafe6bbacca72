"""The protocols of the SRS-SVM paper over all problems, in steps that are kept; gaps as gaps."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from hlsvm.chapters.srs_svm import grid, growth
from hlsvm.chapters.srs_svm.contest import (
    EXACT,
    LIBSVM,
    METHODS,
    SRS,
    WHOLE,
    measure,
    warm_up,
)
from hlsvm.chapters.srs_svm.foreign import FOREIGN, INTELEX, LIQUID
from hlsvm.chapters.srs_svm.problems import choose_h
from hlsvm.datasets import Dataset
from hlsvm.reproduce import published

_HERE = "hlsvm.chapters.srs_svm."
_METHOD = ("hlsvm.subclass", "hlsvm.linear._dual", _HERE + "problems")
_LONG = 10_000_000  # values of a training part that are too many for LIBSVM, whatever its rows
BEYOND = (INTELEX, LIQUID, SRS, EXACT, WHOLE)  # what is run on more than LIBSVM is given


def choose(record, problems, seed: int):
    """Choose h on the training part of the problems that ask for it.

    Returns
    -------
    problems : list of (Problem, Dataset)
        With the chosen h.
    tried : DataFrame
        Rows of `choose_h` with ``dataset``.
    """
    settled, tables = [], []
    for problem, data in problems:
        if problem.choose:
            table = record.step(
                "chapter8-h",
                {"problem": asdict(problem)},
                lambda p=problem, d=data: choose_h(p, d, list(p.choose), seed),
                code=_METHOD,
            )
            tables.append(table.assign(dataset=problem.dataset))
            problem = replace(problem, h=int(table.h[table.chosen].iloc[0]))
        settled.append((problem, data))
    return settled, pd.concat(tables, ignore_index=True)


def run_contest(
    record, scale: str, problems, printed, seed: int, *, most_rows: int = 60_000, beyond=BEYOND
) -> dict[str, dict[str, dict]]:
    """Measure every method on every problem.

    Rivals in another Python run at paper scale only. Where h was chosen, the printed h is run too.

    Parameters
    ----------
    record : Recorder
    scale : str
    problems, printed : list of (Problem, Dataset)
        With the chosen and with the printed h.
    seed : int
    most_rows : int
        Training rows up to which all methods are run.
    beyond : sequence of str
        Methods that are run on more rows.

    Returns
    -------
    dict
        By data set and method, as `measure` returns it; ``status`` alone for what did not run.
    """
    results = {}
    for (problem, data), (before, _) in zip(problems, printed, strict=True):
        found = {}
        for method in METHODS:
            if scale == "quick" and method in FOREIGN:
                continue
            late = too_long(method, data, most_rows, beyond)
            found[method] = late or _kept(record, method, problem, data, seed)
        if before.h != problem.h:
            found[f"Proposed, h = {before.h}"] = _kept(record, SRS, before, data, seed)
        results[problem.dataset] = found
    return results


def too_long(method: str, data: Dataset, most_rows: int, beyond) -> dict:
    """Status of a method that would take hours on this data; empty for one that runs."""
    n = len(data.y_train)
    run = METHODS if n <= most_rows and data.X_train.size <= _LONG else beyond
    return {} if method in run else {"status": f"not run: hours ({n} rows)"}


def _kept(record, method, problem, data, seed):
    def once():
        warm_up(problem, data, seed)
        return measure(method, problem, data, seed)

    params = {"problem": asdict(problem), "method": method}
    code = [*_METHOD, _HERE + "contest"] if method not in FOREIGN else [_HERE + "foreign"]
    return record.step("chapter8-contest", params, once, code=code)


def with_truth(results: dict[str, dict[str, dict]]) -> dict[str, dict[str, dict]]:
    """Keep the problems whose exact support vectors are known: what Table 6 needs."""
    return {
        name: methods
        for name, methods in results.items()
        if "reduced" in methods[EXACT]
        and any("support" in methods.get(method, {}) for method in (LIBSVM, WHOLE))
    }


def with_gaps(table: pd.DataFrame, missing: pd.DataFrame, id: str) -> pd.DataFrame:
    """Append a row "not run" for every published row of a data set that is not at hand."""
    names = published(id)
    keys = [key for key in ("dataset", "method") if key in names.columns]
    rows = names[keys].merge(missing, on="dataset")
    return pd.concat([table, rows], ignore_index=True)


def run_grid(record, problem, data, hs, qs, seed: int) -> pd.DataFrame:
    """Time and accuracy of every cell (h, mu) (SRS-SVM Tables 7, 8)."""
    rows = []
    for h, q, mu in record.progress(grid.cells(hs, qs), problem.dataset):
        params = {"problem": asdict(problem), "h": h, "q": q}
        rows.append(
            record.step(
                "chapter8-grid",
                params,
                lambda h=h, q=q, mu=mu: grid.run_cell(problem, data, h, q, mu, seed),
                code=[*_METHOD, _HERE + "grid"],
            )
        )
    return pd.DataFrame(rows)


def with_unrun(table: pd.DataFrame, id: str) -> pd.DataFrame:
    """Append a row "not run: hours" for every printed cell (or size) that was left out."""
    names = published(id)
    keys = [key for key in ("h", "mu_rule", "n_instances") if key in names.columns]
    had = set(table[keys].astype(str).itertuples(index=False, name=None))
    rows = names[keys].astype(table[keys].dtypes.to_dict())
    left = [row not in had for row in rows.astype(str).itertuples(index=False, name=None)]
    late = rows[left].assign(status="not run: hours")
    return pd.concat([table, late], ignore_index=True)


def run_growth(record, sizes: dict[str, tuple], hs: dict[str, tuple], seed: int) -> pd.DataFrame:
    """Training times, grid search included, of every generated set and size."""
    tables = []
    for name, ns in sizes.items():
        for n in record.progress(ns, name):
            tables.append(
                record.step(
                    "chapter8-growth",
                    {"name": name, "n": n, "hs": list(hs[name])},
                    lambda name=name, n=n: growth.searched(name, n, hs[name], seed),
                    code=[*_METHOD, _HERE + "growth"],
                )
            )
    return pd.concat(tables, ignore_index=True)


def run_tables(record, scale: str, seed: int, most: int = 20_000) -> dict[str, pd.DataFrame]:
    """Run the small tables of generated sets: LIBSVM on circles, h on XOR, many subclasses.

    `most` is the largest set of circles.

    Returns
    -------
    dict
        ``SRS.Tab1``, ``SRS.Tab2``, ``SRS.TabA.10``.
    """
    quick = scale == "quick"
    sizes = tuple(n for n in (20, 200, 2000, 20_000) if n <= (200 if quick else most))
    n = 200 if quick else 800
    each = 20 if quick else 200
    makers = {
        "SRS.Tab1": (growth.libsvm_on_circles, (sizes, seed)),
        "SRS.Tab2": (growth.candidates_by_h, (n, seed)),
        "SRS.TabA.10": (growth.many_subclasses, ((10, 20, 100), each, seed)),
    }
    return {
        id: record.step(
            "chapter8-tables",
            {"id": id, "arguments": list(map(str, args))},
            lambda make=make, args=args: make(*args),
            code=[*_METHOD, _HERE + "growth"],
        )
        for id, (make, args) in makers.items()
    }


def order_of_h(table: pd.DataFrame) -> pd.Series:
    """Rank correlation of h with accuracy, time and candidates along mu = h^2."""
    plain = table[table.mu_rule == "h^2"][["h", "accuracy_pct", "train_s", "n_candidates"]]
    return plain.corr("spearman").h.drop("h")


def speedups(contest: pd.DataFrame) -> pd.DataFrame:
    """LIBSVM's time over that of every method, data sets across."""
    ran = contest[contest.train_s.notna()]
    return ran.pivot(index="method", columns="dataset", values="speedup").reindex(
        [m for m in dict.fromkeys(contest.method) if m in set(ran.method)]
    )


def rounded(contest: pd.DataFrame) -> pd.DataFrame:
    """Accuracies of a contest rounded to what every machine agrees on, data sets across."""
    ran = contest[contest.accuracy_pct.notna()]
    wide = ran.pivot(index="method", columns="dataset", values="accuracy_pct")
    return wide.reindex(list(dict.fromkeys(ran.method))).round(0).replace(np.nan, "")
