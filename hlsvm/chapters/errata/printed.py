"""Published tables that contradict each other, or themselves: read from ``data/published``."""

import numpy as np
import pandas as pd

from hlsvm.reproduce import published
from hlsvm.reproduce.methods import canonical


def _number(column: pd.Series) -> pd.Series:
    return pd.to_numeric(column, errors="coerce")


def exchanged_p_values() -> pd.DataFrame:
    """E16: rows of Table 3.5 whose p value says the contrary of their errors."""
    table = published("Thesis.Tab3.5")
    better = _number(table.qpfs_error_pct) < _number(table.mrmr_error_pct)
    low = _number(table.p_value) < 0.5
    columns = ["dataset", "n_features", "mrmr_error_pct", "qpfs_error_pct", "p_value"]
    return table.loc[better != low, columns].reset_index(drop=True)


def two_tables() -> pd.DataFrame:
    """E17: errors that Tables 3.5 and 3.6 print differently for the same cell."""
    first, second = published("Thesis.Tab3.5"), published("Thesis.Tab3.6")
    rows = []
    for row in first.itertuples():
        for method, name, value in (
            ("mRMR", "MID", row.mrmr_error_pct),
            ("QPFS", "QPFS", row.qpfs_error_pct),
        ):
            some = second[
                (second.dataset == row.dataset)
                & (_number(second.n_features) == float(row.n_features))
                & second.method.str.startswith(name)
            ]
            others = _number(some.error_pct).to_numpy()
            if len(others) and np.abs(others - float(value)).min() > 1e-9:
                nearest = others[np.abs(others - float(value)).argmin()]
                rows.append((row.dataset, int(row.n_features), method, float(value), nearest))
    names = ["dataset", "n_features", "method", "Table 3.5", "Table 3.6"]
    return pd.DataFrame(rows, columns=names)


def tree_errors() -> pd.DataFrame:
    """E18: errors of H-LSVM in Tables 5.6 and 5.4."""
    own = published("Thesis.Tab5.4")
    own = own[own.method == "H-LSVM"]
    own = own.set_index(own.dataset.str.upper()).error_pct
    other = published("Thesis.Tab5.6")
    keys = other.dataset.str.upper()
    return pd.DataFrame(
        {
            "dataset": other.dataset,
            "Table 5.6": _number(other.hlsvm_error_pct),
            "Table 5.4": _number(own.reindex(keys)).to_numpy(),
        }
    )


def usps_cost() -> pd.DataFrame:
    """E19: relative complexity on USPS with 1 hyperplane as its origin, as printed, and 45."""
    table = published("Thesis.Tab5.7")
    table = table[table.dataset == "USPS"].set_index("method")
    kernel = float(table.n_sv["Non-linear SVM"])
    rows = []
    for method in ("SVM Trees", "H-LSVM"):
        cost = float(table.hyp_mean[method])
        printed = float(table.RC[method])
        rows.append((method, cost, printed, (cost - 1) / (kernel - 1), (cost - 45) / (kernel - 45)))
    return pd.DataFrame(rows, columns=["method", "hyperplanes", "printed", "origin 1", "origin 45"])


def rates() -> pd.DataFrame:
    """E20: the printed rates of Figure 5.4 as samples of two possible sets."""
    rows = []
    for positive, negative in ((8000, 1000), (10_000, 1000)):
        total = positive + negative
        rows.append(
            {
                "points": f"{positive} + {negative}",
                "all positive errs on": negative / total,
                "1/11 is samples": total / 11,
                "5/11 is samples": 5 * total / 11,
            }
        )
    return pd.DataFrame(rows)


def banana() -> pd.DataFrame:
    """E21: the same experiment in the Thesis and in HLSVM."""
    ours = published("Thesis.Text5")
    theirs = published("HLSVM.Text")
    rows = {}
    for name, table in (("Thesis", ours), ("HLSVM", theirs)):
        some = table[(table.dataset == "banana") & table.method.str.startswith("H-LSVM rho")]
        rows[name] = some.set_index("quantity").value
    return pd.DataFrame(rows)


def bound_terms() -> pd.DataFrame:
    """E13: T1 of DTSVM Table 13 over R of Table 14, beside logarithms of the training size."""
    terms, sums = published("DTSVM.Tab13"), published("DTSVM.Tab14")
    sizes = published("DTSVM.Tab1").set_index("dataset").n_samples.astype(float)
    rows = []
    for row, other in zip(terms.itertuples(), sums.itertuples(), strict=True):
        n = 4 * sizes.get(row.dataset, np.nan) / 6
        rows.append(
            {
                "dataset": row.dataset,
                "mode": row.mode,
                "T1 / R": float(row.T1) / float(other.R_dtsvm),
                "log2 n": np.log2(n),
                "(ln n)^2": np.log(n) ** 2,
            }
        )
    return pd.DataFrame(rows).dropna()


def stages() -> pd.DataFrame:
    """E22: seconds of the stages of SRS-SVM, added up, beside Table 4; shares, recomputed."""
    table = published("SRS.Tab5").set_index("dataset")
    names = ["subclass_s", "level1_s", "level2_s"]
    seconds = table[names].apply(_number)
    total = seconds.sum(axis=1)
    whole = published("SRS.Tab4")
    whole = whole[whole.method.str.startswith("Proposed")].set_index("dataset").train_s
    return pd.DataFrame(
        {
            "sum of Table 5": total,
            "Table 4": _number(whole.reindex(table.index)),
            "level 1, printed %": _number(table.level1_pct),
            "level 1, computed %": (100 * seconds.level1_s / total).round(1),
        }
    )


def implied_recall() -> pd.DataFrame:
    """E22: recall of the final support vectors, printed, and implied by size and precision."""
    table = published("SRS.Tab6").set_index("dataset").drop(columns="note", errors="ignore")
    table = table.apply(_number)
    implied = table.n_T_rSV * table.rsv_precision / table.n_T_SV
    return pd.DataFrame({"printed": table.rsv_recall, "implied": implied.round(4)})


def candidate_precision() -> pd.Series:
    """E36: share of the candidates of SRS-SVM that are support vectors; "the majority" in text."""
    table = published("SRS.Tab6").set_index("dataset")
    return 100 * _number(table.mrrs_precision)


def covtype_relative_error() -> pd.Series:
    """E31: RE of H-LSVM on Covtype from the printed errors, and the cost ratios in the text."""
    table = published("Thesis.Tab5.4")
    table = table.assign(method=table.method.map(lambda name: canonical(name, strict=False)))
    found = {}
    for name in ("M3Vom8", "Covtype"):
        some = table[table.dataset.str.upper() == name.upper()].set_index("method")
        linear, kernel, tree = (some.iloc[k] for k in range(3))
        gap = float(linear.error_pct) - float(kernel.error_pct)
        found[f"RE, {name}"] = (float(linear.error_pct) - float(tree.error_pct)) / gap
        found[f"RE as printed, {name}"] = float(tree.RE)
        found[f"support vectors over hyperplanes, {name}"] = float(kernel.n_sv) / float(
            tree.hyp_mean
        )
    return pd.Series(found)


def relative_time() -> pd.DataFrame:
    """E31: RCT of the linear SVM in Table 6.3 from the printed seconds."""
    table = published("Thesis.Tab6.3")
    seconds = _number(table.test_s_per_pattern)
    full = _number(table.n_features) == 784
    linear = seconds[full & (table.method == "Linear SVM")].iloc[0]
    kernel = seconds[full & (table.method == "Nonlinear SVM")].iloc[0]
    some = table[(table.method == "Linear SVM") & ~full]
    again = (seconds[some.index] - linear) / (kernel - linear)
    shown = some[["n_features"]].assign(printed=_number(some.RCT), computed=again)
    return shown.reset_index(drop=True)


def few_features() -> pd.DataFrame:
    """E35: errors of Table 6.2 with few features beside the share of digit 3."""
    table = published("Thesis.Tab6.2")
    wide = table.assign(error=_number(table.error_pct)).pivot_table(
        index="n_features", columns="method", values="error", sort=False
    )
    return wide.assign(share_of_3=100 * 6131 / 60_000).round(2)
