"""T1, T2, R and S of fitted DTSVMs (DTSVM Tables 13 and 14)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from hlsvm.bounds import dtsvm_terms, machines_of, slack_to_margin
from hlsvm.datasets import Dataset, DataUnavailable, load
from hlsvm.regions import DTSVMClassifier

CODE = ("hlsvm.regions", "hlsvm.bounds.margins", "hlsvm.chapters.bounds.regions")
MODES = {"1A1": "ovo", "1AO": "ovr"}
_CEILING = 1500  # sigma_0
_CHOSEN_ON = 3000  # training rows the pair (C, gamma) of the global SVM is chosen with
# Name in Table 13 -> data set, ceiling, and the training rows that one SVM is trained on where all
# of them would take too long (None: all).
_SETS = {
    "quick": {"Digits": ("digits", 200, None)},
    "paper": {
        "PHW": ("pendigits", _CEILING, None),
        "Shuttle": ("shuttle", _CEILING, None),
        "CI": ("census", _CEILING, None),
        "Poker": ("poker", _CEILING, 4_000),
        "KDD-10%": ("kdd_10pct", _CEILING, None),
    },
}


def parts(data: Dataset, seed: int, n_rows: int | None = None) -> tuple:
    """Divide all rows 4:1:1 into training, validation and test part (DTSVM section 3.1).

    Parameters
    ----------
    n_rows : int, optional
        Random rows of the training part, the share of every class kept; by default all.
    """
    X, y = data.X, data.y
    X, X_rest, y, y_rest = train_test_split(X, y, train_size=4 / 6, random_state=seed)
    X_val, _, y_val, _ = train_test_split(X_rest, y_rest, train_size=0.5, random_state=seed)
    if n_rows is not None and n_rows < len(y):
        X, _, y, _ = train_test_split(X, y, train_size=n_rows, stratify=y, random_state=seed)
    return X, y, X_val, y_val


def n_classifiers(n_classes: int, mode: str) -> int:
    """Two-class problems of a task: one of two classes, pairs (1A1) or classes (1AO) of more."""
    if n_classes == 2:
        return 1
    return n_classes * (n_classes - 1) // 2 if mode == "1A1" else n_classes


def mean_ratio(model: DTSVMClassifier, mode: str) -> float:
    """R, the sum over leaves of slack-to-margin ratios, averaged over the two-class problems."""
    return slack_to_margin(machines_of(model)[0]) / n_classifiers(len(model.classes_), mode)


def measure(X, y, X_val, y_val, mode: str, *, ceiling: int, seed: int) -> dict:
    """Compare S of one SVM with R of DTSVM at the pair (C, gamma) that is best for the SVM.

    Returns
    -------
    dict
        ``S_global``, ``R_dtsvm``, ``R_over_L``, ``L``, ``T1``, ``T2`` as defined,
        ``T1_as_printed``, ``T2_as_printed``, ``n``, ``d``, ``C``, ``gamma``.
    """
    multiclass = MODES[mode]
    some = np.random.default_rng(seed).permutation(len(y))[:_CHOSEN_ON]
    whole = DTSVMClassifier(
        ceiling_size=len(y) + 1, climb=False, multiclass=multiclass, random_state=seed
    )
    whole.fit(X[some], y[some], validation=(X_val[:_CHOSEN_ON], y_val[:_CHOSEN_ON]))
    pair = {"C": whole.C_, "gamma": whole.gamma_, "climb": False, "multiclass": multiclass}
    one = DTSVMClassifier(ceiling_size=len(y) + 1, random_state=seed, **pair).fit(X, y)
    many = DTSVMClassifier(ceiling_size=ceiling, random_state=seed, **pair).fit(X, y)
    R, leaves = mean_ratio(many, mode), len(many.machines_)
    n, d = X.shape
    terms = dtsvm_terms(R, leaves, n, d)
    printed = dtsvm_terms(R, leaves, n, d, faithful=True)
    return {
        "S_global": mean_ratio(one, mode),
        "R_dtsvm": R,
        "R_over_L": R / leaves,
        "L": leaves,
        "T1": printed["T1"],
        "T2": printed["T2"],
        "T1_as_defined": terms["T1"],
        "T2_as_defined": terms["T2"],
        "n": n,
        "d": d,
        "C": whole.C_,
        "gamma": whole.gamma_,
    }


def bound_terms(record, scale: str, seed: int) -> pd.DataFrame:
    """Run `measure` on every set of Table 13 and both ways with several classes.

    A set of which only some rows are used has rows under its name with their number, and rows
    "not run: hours" under its own, as the numbers of a part are not those of the whole.
    """
    rows = []
    for name, (source, ceiling, some) in record.progress(_SETS[scale].items(), "DTSVM terms"):
        try:
            data = record.uses(load(source, scale="minmax", sample=False))
        except DataUnavailable:
            status = f"not run: data ({source})"
            rows += [{"dataset": name, "mode": mode, "status": status} for mode in MODES]
            continue
        X, y, X_val, y_val = parts(data, seed, some)
        if some is not None:
            status = "not run: hours"
            rows += [{"dataset": name, "mode": mode, "status": status} for mode in MODES]
            name = f"{name}, {len(y):,} rows"
        for mode in MODES:
            if len(np.unique(y)) == 2 and mode != "1A1":  # one problem, whatever the mode
                rows.append({**rows[-1], "mode": mode})
                continue
            found = record.step(
                "chapter6-dtsvm",
                {"data": source, "mode": mode, "ceiling": ceiling, "rows": some},
                lambda mode=mode, ceiling=ceiling, rows=(X, y, X_val, y_val): measure(
                    *rows, mode, ceiling=ceiling, seed=seed
                ),
                code=CODE,
            )
            rows.append({"dataset": name, "mode": mode, **found})
    return pd.DataFrame(rows)


def leaves_as_printed(published: pd.DataFrame) -> pd.Series:
    """Return the numbers of leaves that R and R/L of the printed Table 14 imply."""
    return (published.R_dtsvm.astype(float) / published.R_over_L.astype(float)).round()
