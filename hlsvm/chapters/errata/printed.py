"""Published tables that contradict each other, or themselves: read from ``data/published``."""

import numpy as np
import pandas as pd

from hlsvm.reproduce import published


def exchanged_p_values() -> pd.DataFrame:
    """E16: rows of Table 3.5 whose p value says the contrary of their errors."""
    table = published("Thesis.Tab3.5")
    exchanged = (table.qpfs_error_pct < table.mrmr_error_pct) != (table.p_value < 0.5)
    columns = ["dataset", "n_features", "mrmr_error_pct", "qpfs_error_pct", "p_value"]
    return table.loc[exchanged, columns].reset_index(drop=True)


def two_tables() -> pd.DataFrame:
    """E17: errors that Tables 3.5 and 3.6 print differently for the same cell."""
    second = published("Thesis.Tab3.6")
    rows = []
    for row in published("Thesis.Tab3.5").itertuples():
        cell = second[(second.dataset == row.dataset) & (second.n_features == row.n_features)]
        for method, name, value in (
            ("mRMR", "MID", row.mrmr_error_pct),
            ("QPFS", "QPFS", row.qpfs_error_pct),
        ):
            others = cell[cell.method.str.startswith(name)].error_pct.to_numpy()
            apart = np.abs(others - value)
            if len(others) and apart.min() > 1e-9:
                rows.append((row.dataset, row.n_features, method, value, others[apart.argmin()]))
    names = ["dataset", "n_features", "method", "Table 3.5", "Table 3.6"]
    return pd.DataFrame(rows, columns=names)


def tree_errors() -> pd.DataFrame:
    """E18: errors of H-LSVM in Tables 5.6 and 5.4."""
    first, second = published("Thesis.Tab5.6"), published("Thesis.Tab5.4")
    second = second[second.method == "H-LSVM"]
    again = second.set_index(second.dataset.str.upper()).error_pct
    again = again.reindex(first.dataset.str.upper()).to_numpy()
    table = first[["dataset", "hlsvm_error_pct"]].assign(**{"Table 5.4": again})
    return table.rename(columns={"hlsvm_error_pct": "Table 5.6"})


def usps_cost() -> pd.DataFrame:
    """E19: relative complexity on USPS with 1 hyperplane as its origin, as printed, and 45."""
    table = published("Thesis.Tab5.7").query("dataset == 'USPS'").set_index("method")
    kernel = table.n_sv["Non-linear SVM"]
    shown = table.loc[["SVM Trees", "H-LSVM"], ["hyp_mean", "RC"]]
    shown = shown.set_axis(["hyperplanes", "printed"], axis=1)
    for origin in (1, 45):
        shown[f"origin {origin}"] = (shown.hyperplanes - origin) / (kernel - origin)
    return shown.reset_index()


def rates() -> pd.DataFrame:
    """E20: the printed rates of Figure 5.4 as samples of two possible sets."""
    positive, negative = np.array([8000, 10_000]), 1000
    total = positive + negative
    return pd.DataFrame(
        {
            "points": [f"{n} + {negative}" for n in positive],
            "all positive errs on": negative / total,
            "1/11 is samples": total / 11,
            "5/11 is samples": 5 * total / 11,
        }
    )


def banana() -> pd.DataFrame:
    """E21: the same experiment in the Thesis and in HLSVM."""
    rows = {}
    for name, id in (("Thesis", "Thesis.Text5"), ("HLSVM", "HLSVM.Text")):
        table = published(id)
        tree = (table.dataset == "banana") & table.method.str.startswith("H-LSVM rho")
        rows[name] = table[tree].set_index("quantity").value
    return pd.DataFrame(rows)


def bound_terms() -> pd.DataFrame:
    """E13: T1 of DTSVM Table 13 over R of Table 14, beside logarithms of the training size."""
    terms, sums = published("DTSVM.Tab13"), published("DTSVM.Tab14")
    sizes = published("DTSVM.Tab1").set_index("dataset").n_samples
    n = 4 * terms.dataset.map(sizes) / 6
    logarithms = {
        "T1 / R": terms.T1 / sums.R_dtsvm,
        "log2 n": np.log2(n),
        "(ln n)^2": np.log(n) ** 2,
    }
    return terms[["dataset", "mode"]].assign(**logarithms).dropna()


def stages() -> pd.DataFrame:
    """E22: seconds of the stages of SRS-SVM, added up, beside Table 4; shares, recomputed."""
    table, whole = published("SRS.Tab5").set_index("dataset"), published("SRS.Tab4")
    total = table[["subclass_s", "level1_s", "level2_s"]].sum(axis=1)
    whole = whole[whole.method.str.startswith("Proposed")].set_index("dataset").train_s
    return pd.DataFrame(
        {
            "sum of Table 5": total,
            "Table 4": whole.reindex(table.index),
            "level 1, printed %": table.level1_pct,
            "level 1, computed %": (100 * table.level1_s / total).round(1),
        }
    )


def implied_recall() -> pd.DataFrame:
    """E22: recall of the final support vectors, printed, and implied by size and precision."""
    table = published("SRS.Tab6").set_index("dataset")
    implied = table.n_T_rSV * table.rsv_precision / table.n_T_SV
    return pd.DataFrame({"printed": table.rsv_recall, "implied": implied.round(4)})


def candidate_precision() -> pd.Series:
    """E36: share of the candidates of SRS-SVM that are support vectors; "the majority" in text."""
    return 100 * published("SRS.Tab6").set_index("dataset").mrrs_precision


def covtype_relative_error() -> pd.Series:
    """E31: RE of H-LSVM on Covtype from the printed errors, and the cost ratios in the text."""
    table = published("Thesis.Tab5.4")
    values = {}
    for name in ("M3Vom8", "Covtype"):
        rows = table[table.dataset.str.upper() == name.upper()]
        linear, kernel, tree = (row for _, row in rows.iterrows())
        gap = linear.error_pct - kernel.error_pct
        values[f"RE, {name}"] = (linear.error_pct - tree.error_pct) / gap
        values[f"RE as printed, {name}"] = tree.RE
        values[f"support vectors over hyperplanes, {name}"] = kernel.n_sv / tree.hyp_mean
    return pd.Series(values)


def relative_time() -> pd.DataFrame:
    """E31: RCT of the linear SVM in Table 6.3 from the printed seconds."""
    table = published("Thesis.Tab6.3")
    full = table[table.n_features == 784].set_index("method").test_s_per_pattern
    rows = table[(table.method == "Linear SVM") & (table.n_features != 784)]
    again = (rows.test_s_per_pattern - full["Linear SVM"]) / (
        full["Nonlinear SVM"] - full["Linear SVM"]
    )
    shown = rows[["n_features"]].assign(printed=rows.RCT, computed=again)
    return shown.reset_index(drop=True)


def few_features() -> pd.DataFrame:
    """E35: errors of Table 6.2 with few features beside the share of digit 3."""
    wide = published("Thesis.Tab6.2").pivot_table(
        index="n_features", columns="method", values="error_pct", sort=False
    )
    return wide.assign(share_of_3=100 * 6131 / 60_000).round(2)
