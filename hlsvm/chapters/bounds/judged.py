"""What the bounds of `contest` say: which is tightest, whether it holds, the trees they choose."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from hlsvm.bounds import binomial_lower
from hlsvm.chapters.bounds.contest import COST_COMPLEXITY, HOLD_OUT, METHODS, PRUNED_BY_BOUND
from hlsvm.reproduce import recorded

_SURE = math.log(0.05)
_JUDGED = ["bound", "test_error", "test_rows"]


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


def broken(bound: float, test_error: float, test_rows: float) -> bool:
    """Whether the test rows show, with confidence 95 %, that the error is above the bound."""
    n = int(test_rows)
    return binomial_lower(round(test_error * n), n, _SURE) > bound


def verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """Which bound is tightest on every set, whether it says anything, and its distance.

    Returns
    -------
    DataFrame
        ``dataset``, ``tightest`` (without hold-out), ``bound``, ``test_error``, ``distance``,
        ``hold_out``, ``below_half`` (how many of how many), ``violated`` and ``hold_out_broken``
        by `broken`.
    """
    columns = ["dataset", "tightest", "bound", "test_error", "distance"]
    found: list[dict] = []
    for name, own in ran(rows).dropna(subset="bound").groupby("dataset", sort=False):
        free = own[own.method != HOLD_OUT]
        best = free.loc[free.bound.idxmin()]
        kept = own[own.method == HOLD_OUT]
        found.append(
            {
                "dataset": name,
                "tightest": best.method,
                "bound": best.bound,
                "test_error": best.test_error,
                "distance": best.bound - best.test_error,
                "hold_out": float(kept.bound.iloc[0]) if len(kept) else np.nan,
                "below_half": f"{int((free.bound < 0.5).sum())} of {len(free)}",
                "violated": int(sum(broken(*row) for row in free[_JUDGED].to_numpy())),
                "hold_out_broken": any(broken(*row) for row in kept[_JUDGED].to_numpy()),
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
