"""All classifiers at all numbers of features: Thesis Tables 6.1 to 6.3 and the running text."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from hlsvm.chapters.global_view import contest
from hlsvm.chapters.global_view.contest import CODE, HLSVM, LINEAR, RBF
from hlsvm.chapters.global_view.digits import STAND_IN, Digits, Settings, rank

PRINTED = "H-LSVM, settings of Table 6.1"


def ranking(record, digits: Digits, settings: Settings) -> dict:
    """Rank the pixels: a step that is kept."""
    return record.step(
        "chapter7-rank",
        {**digits.describe(), "p": settings.p},
        lambda: rank(digits, settings),
        code=["hlsvm.select", "hlsvm.chapters.global_view.digits"],
    )


def tuned(record, digits: Digits, settings: Settings, order, *, factors, shrinkages) -> dict:
    """Choose the settings of H-LSVM with all features, as the documents do: kept."""
    asked = {"factors": list(factors), "shrinkages": list(shrinkages)}
    return record.step(
        "chapter7-choose",
        {**digits.describe(), **asdict(settings), **asked, "all": len(order)},
        lambda: contest.choose(digits, settings, order, factors=factors, shrinkages=shrinkages),
        code=CODE[HLSVM],
    )


def run(record, digits: Digits, settings: Settings, chosen: dict, order) -> pd.DataFrame:
    """Measure every classifier at every number of features, each a step that is kept.

    Returns
    -------
    DataFrame
        ``n_features``, ``method``, errors, costs, seconds, and RE, RCC, RTT, RCT of Thesis 6.2.
    """
    own = replace(settings, **{name: chosen[name] for name in ("lam", "rho", "shrinkage")})
    rivals = {
        LINEAR: (contest.linear, settings),
        RBF: (contest.kernel, settings),
        HLSVM: (contest.tree, own),
        PRINTED: (contest.tree, settings),
    }
    rows = []
    for count in record.progress(digits.counts, "features"):
        for method, (measure, given) in rivals.items():
            found = record.step(
                "chapter7-contest",
                {
                    **digits.describe(),
                    **asdict(given),
                    "method": method,
                    "features": np.asarray(order[:count]),
                },
                lambda measure=measure, given=given, count=count: measure(
                    digits, given, order[:count]
                ),
                code=CODE.get(method, CODE[HLSVM]),
            )
            rows.append({"n_features": int(count), "method": method, **found})
    return relate(pd.DataFrame(rows))


def relate(rows: pd.DataFrame) -> pd.DataFrame:
    """Add operations and RE, RCC, RTT, RCT: 0 the linear, 1 the RBF SVM with all features.

    The seconds of the RBF SVM are carried to the whole training part by the middle one of the
    exponents seen at the numbers of features.
    """
    rows = rows.copy()
    kernel = rows.method == RBF
    growth = rows.factor[kernel] ** rows.exponent[kernel].median()
    rows.loc[kernel, "train_s"] = rows.subset_s[kernel] * growth
    rows["operations"] = rows.n_features * rows.hyp_mean.fillna(rows.n_sv)
    whole = rows[rows.n_features == rows.n_features.max()].set_index("method")
    measures = {
        "RE": "error_pct",
        "RCC": "operations",
        "RTT": "train_s",
        "RCT": "test_s_per_pattern",
    }
    for name, quantity in measures.items():
        low, high = whole.loc[LINEAR, quantity], whole.loc[RBF, quantity]
        rows[name] = (rows[quantity] - low) / (high - low) if high != low else np.nan
    return rows


def settings_table(found: dict, chosen: dict, settings: Settings) -> pd.DataFrame:
    """Rows of Thesis Table 6.1 with what was used here."""
    values = {
        ("QPFS", "alpha_hat"): found["alpha"],
        ("QPFS", "nystrom_p"): settings.p,
        ("LIBLINEAR", "C"): settings.C_linear,
        ("LIBSVM", "C"): settings.C,
        ("LIBSVM", "gamma"): settings.gamma,
        ("H-LSVM", "lambda"): chosen["lam"],
        ("H-LSVM", "rho"): chosen["rho"],
    }
    rows = [{"algorithm": a, "parameter": b, "value": v} for (a, b), v in values.items()]
    return pd.DataFrame(rows).assign(status=STAND_IN)


def errors_and_costs(rows: pd.DataFrame) -> pd.DataFrame:
    """Columns of Thesis Table 6.2."""
    names = ["n_features", "method", "error_pct", "hyp_mean", "hyp_max", "n_sv", "RE", "RCC"]
    more = ["operations", "called_3_pct"]
    return rows[names + more].assign(status=STAND_IN)


def times(rows: pd.DataFrame) -> pd.DataFrame:
    """Columns of Thesis Table 6.3; the RBF SVM's training time is carried to all rows."""
    names = ["n_features", "method", "train_s", "test_s_per_pattern", "RTT", "RCT"]
    more = [name for name in ("subset_s", "trained_on", "exponent") if name in rows]
    return rows[names + more].assign(status=STAND_IN)


def answers(rows: pd.DataFrame, found: dict, digits: Digits) -> pd.DataFrame:
    """Answer the numbers in the text of chapter 6: rows ``id`` and ``value``."""
    table = rows.set_index(["method", "n_features"])
    full = max(digits.counts)

    def saved(method, count, quantity):
        return 100 * (
            1 - table.loc[(method, count), quantity] / table.loc[(method, full), quantity]
        )

    def ratio(quantity, against):
        return table.loc[(RBF, against), quantity] / table.loc[(HLSVM, 500), quantity]

    error, second = table.error_pct, "test_s_per_pattern"
    cuts = {LINEAR: 400, RBF: 400, HLSVM: 500}
    values = {
        "083": digits.n_train,
        "084": digits.n_test,
        "085": full,
        "087": found["seconds"],
        **{f"{88 + k:03d}": saved(name, n, second) for k, (name, n) in enumerate(cuts.items())},
        **{f"{91 + k:03d}": saved(name, n, "train_s") for k, (name, n) in enumerate(cuts.items())},
        "094": error[HLSVM, full] - error[RBF, full],
        "095": table.loc[(RBF, full), second] / table.loc[(HLSVM, full), second],
        "096": error[LINEAR, full] - error[HLSVM, full],
        "097": 1e3 * table.loc[(HLSVM, full), "one_decision_s"],
        "098": error[HLSVM, 500] - error[RBF, full],
        "099": ratio(second, full),
        "100": ratio("operations", full),
        "101": ratio("operations", 400),
        "102": ratio(second, 400),
    }
    ids = [f"Thesis.text{number}" for number in values]
    frame = pd.DataFrame({"id": ids, "value": [float(v) for v in values.values()]})
    return frame.assign(status=STAND_IN)


def billion(rows: pd.DataFrame, n: float = 1e9) -> pd.DataFrame:
    """Return what `n` decisions would take, from the measured time of one.

    Returns
    -------
    DataFrame
        ``method``, ``n_features``, ``hours`` of one core, ``input_TB`` as float32.
    """
    some = rows[rows.method.isin([LINEAR, RBF, HLSVM])]
    return pd.DataFrame(
        {
            "method": some.method,
            "n_features": some.n_features,
            "hours": some.test_s_per_pattern * n / 3600,
            "input_TB": 4 * some.n_features * n / 1e12,
        }
    ).reset_index(drop=True)
