"""The tables of the DTSVM paper, with its columns, from the rows of `series.run_all`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hlsvm.chapters._problems import missing
from hlsvm.chapters.dtsvm.problems import problems, six_parts

TABLES = (*(f"DTSVM.Tab{number}" for number in range(1, 15)), "DTSVM.Text")


def sizes(record, scale: str, *, large: bool) -> pd.DataFrame:
    """Count labels, samples and features: Tables 1 and 2."""
    rows = []
    for problem in problems(scale):
        if problem.large != large:
            continue
        gap = missing(problem)
        if gap:
            rows.append({"dataset": problem.name, "status": f"not run: data ({gap})"})
            continue
        data = record.uses(problem.load())
        parts = six_parts(data, 0)
        rows.append(
            {
                "dataset": problem.name,
                "n_labels": len(np.unique(np.concatenate([parts.y, parts.y_val, parts.y_test]))),
                "n_samples": len(parts.y) + len(parts.y_val) + len(parts.y_test),
                "n_features": parts.X.shape[1],
                "note": data.note,
            }
        )
    return pd.DataFrame(rows)


def _pick(results: pd.DataFrame, methods, columns, *, large: bool, key=("mode", "method")):
    rows = results[(results.large == large) & results.method.isin(methods)]
    found = rows.reindex(columns=[*key, "dataset", *columns, "status", "rows", "extrapolated"])
    empty = [name for name in ("rows", "extrapolated") if found[name].isna().all()]
    return found.drop(columns=empty).reset_index(drop=True)


def support_vectors(results: pd.DataFrame, *, large: bool) -> pd.DataFrame:
    """List total support vectors: Tables 3 and 5."""
    methods = ("DTSVM",) if large else ("DTSVM", "LIBSVM")
    return _pick(results, methods, ["tnsv"], large=large)


def test_seconds(results: pd.DataFrame, *, large: bool) -> pd.DataFrame:
    """List processor seconds for the test part: Tables 4 and 6."""
    methods = ("CART", "DTSVM") if large else ("CART", "DTSVM", "LIBSVM")
    columns = ["test_s", "test_s_tree", "test_s_local_svms"]
    rows = _pick(results, methods, columns, large=large)
    cart = rows.method == "CART"
    rows.loc[cart, "mode"] = ""
    return rows[~(cart & rows.duplicated(["mode", "method", "dataset"]))].reset_index(drop=True)


def optimal_ceilings(results: pd.DataFrame, *, large: bool) -> pd.DataFrame:
    """List the chosen ceiling and the share of rows in homogeneous leaves, 1A1: Tables 7 and 11."""
    rows = results[results["mode"] == "1A1"]
    columns = ["sigma_opt", "homogeneous_leaf_train_pct"]
    return _pick(rows, ("DTSVM",), columns, large=large, key=())


def ceilings_of_both(results: pd.DataFrame, *, large: bool) -> pd.DataFrame:
    """List the chosen ceilings of DTSVM and RDSVM: Tables 8 and 12."""
    return _pick(results, ("DTSVM", "RDSVM"), ["sigma_opt"], large=large)


def against_libsvm(results: pd.DataFrame) -> pd.DataFrame:
    """Add the speed-up and the NESV ratio over LIBSVM, both of the same set and mode.

    A method that saw only some of the rows has no speed-up.
    """
    columns = ["rows", "train_s", "nesv", "tnsv", "search", "grown_n", "extrapolated"]
    results = results.reindex(columns=results.columns.union(columns, sort=False))
    base = results[results.method == "LIBSVM"].set_index(["dataset", "mode"])
    key = pd.MultiIndex.from_frame(results[["dataset", "mode"]])
    libsvm = base.reindex(key)
    nesv = results.nesv.where(results.nesv > 0)
    known = results.rows.where(results.extrapolated.ne(True), np.inf)
    whole = known >= results.groupby("dataset").rows.transform("max")
    return results.assign(
        speed_up=(libsvm.train_s.to_numpy() / results.train_s).where(whole),
        nesv_ratio=libsvm.nesv.to_numpy() / nesv.to_numpy(),
    )


def drawn(results: pd.DataFrame, mode: str, quantity: str, *, large: bool) -> pd.DataFrame:
    """Return the rows of one bar chart (Figs. 4-19)."""
    rows = results[(results["mode"] == mode) & (results.large == large)]
    return rows[["dataset", "method", quantity, "status"]].reset_index(drop=True)


def growth(results: pd.DataFrame) -> pd.DataFrame:
    """List the seconds of the timed searches on subsets, and the exponent of the fit."""
    rows = []
    ran = results[results.method.isin(["LIBSVM", "LASVM"]) & results.train_s.notna()]
    for row in ran.drop_duplicates(["dataset", "method", "train_s"]).itertuples():
        head = {"dataset": row.dataset, "method": row.method, "mode": row.mode}
        for n, seconds in zip(row.grown_n, row.grown_s, strict=True):
            rows.append({**head, "n": n, "train_s": seconds, "exponent": row.exponent})
        if row.extrapolated is True:
            rows.append({**head, "n": np.nan, "train_s": row.train_s, "exponent": row.exponent})
    return pd.DataFrame(rows)


def shown(results: pd.DataFrame) -> pd.DataFrame:
    """Return accuracies in a grid, rounded to what every machine agrees on."""
    table = results.pivot_table(
        index=["dataset", "method"], columns="mode", values="accuracy_pct", sort=False
    )
    return (table / 2).round(0).mul(2)


def answers(results: pd.DataFrame, terms: pd.DataFrame) -> pd.DataFrame:
    """Answer numbers that stand in the running text: rows ``id`` and ``value``."""
    both = against_libsvm(results)
    dtsvm = both[(both.method == "DTSVM") & ~both.large]
    rows = []
    for mode, first in (("1A1", 1), ("1AO", 3)):
        ratio = dtsvm[dtsvm["mode"] == mode].speed_up
        rows.append((f"DTSVM.text{first:03d}", ratio.min()))
        rows.append((f"DTSVM.text{first + 1:03d}", ratio.max()))
    one = dtsvm[dtsvm["mode"] == "1A1"].set_index("dataset")
    other = both[(both["mode"] == "1AO") & (both.method == "LASVM")].set_index("dataset")
    rows.append(("DTSVM.text006", one.homogeneous_leaf_train_pct.max()))
    rows.append(("DTSVM.text027", other.nesv_ratio.get("KDD-10%", np.nan)))
    rows.append(("DTSVM.text028", one.nesv.get("Shuttle", np.nan)))
    small = terms[(terms.dataset == "PHW") & (terms["mode"] == "1A1")].R_dtsvm
    rows.append(("DTSVM.text029", small.iloc[0] if len(small) else np.nan))
    settings = {11: 1500, 12: 5, 13: 4, 14: 0.5, 21: 63, 22: 1500, 23: 0.5, 24: 100}
    rows += [(f"DTSVM.text{number:03d}", value) for number, value in settings.items()]
    found = pd.DataFrame(rows, columns=["id", "value"])
    return found[found.value.notna()].reset_index(drop=True)
