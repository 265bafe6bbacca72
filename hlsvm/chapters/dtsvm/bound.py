"""The two leading terms of DTSVM Theorem 10, for the trees and for one SVM: Tables 13 and 14."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hlsvm.bounds.margins import LocalSVM, dtsvm_terms, slack_to_margin
from hlsvm.chapters.dtsvm import contest
from hlsvm.chapters.dtsvm.problems import Parts, problems, six_parts
from hlsvm.chapters.dtsvm.series import CODE
from hlsvm.regions import DTSVMClassifier


def _machines(machine, multiclass_mean: bool):
    """Return the mean of a leaf's SVMs as one: squared norms and slacks averaged."""
    norm, slack = machine.squared_norm, machine.squared_slack
    if multiclass_mean:
        norm, slack = norm.mean(), slack.mean()
    return LocalSVM(float(np.sqrt(norm)), float(np.sqrt(slack)))


def terms(parts: Parts, mode: str, sigma: int, C: float, gamma: float) -> dict:
    """R of a DTSVM at `sigma`, S of one SVM on all rows, and the terms T1 and T2.

    Several classes: the mean over the binary SVMs, as in the paper.
    """
    how = {"climb": False, "multiclass": contest.MODES[mode]}
    tree = DTSVMClassifier(C, gamma, ceiling_size=sigma, **how).fit(parts.X, parts.y)
    one = DTSVMClassifier(C, gamma, ceiling_size=len(parts.y) + 1, **how).fit(parts.X, parts.y)
    leaves = [_machines(m, True) for m in tree.machines_ if m is not None]
    R = slack_to_margin(leaves)
    S = slack_to_margin([_machines(one.machines_[0], True)])
    n_leaves, (n, d) = len(tree.machines_), parts.X.shape
    printed = dtsvm_terms(R, n_leaves, n, d, faithful=True)
    defined = dtsvm_terms(R, n_leaves, n, d)
    return {
        "T1": printed["T1"],
        "T2": printed["T2"],
        "T1_as_defined": defined["T1"],
        "T2_as_defined": defined["T2"],
        "S_global": S,
        "R_dtsvm": R,
        "R_over_L": R / n_leaves,
        "leaves": n_leaves,
        "rows": n,
        "C": C,
        "gamma": gamma,
    }


def table(record, results: pd.DataFrame, scale: str, seed: int, *, names, cap: int) -> pd.DataFrame:
    """Compute the terms on `cap` random training rows, with the pair that LIBSVM's search found."""
    known = {problem.name: problem for problem in problems(scale)}
    rows = []
    for row in results[(results.method == "LIBSVM") & results.dataset.isin(names)].itertuples():
        if np.isnan(row.C):
            rows.append({"dataset": row.dataset, "mode": row.mode, "status": row.status})
            continue

        def work(row=row):
            parts = six_parts(known[row.dataset].load(), seed).subset(cap, seed)
            sigma = known[row.dataset].ceiling_size
            return terms(parts, row.mode, sigma, float(row.C), float(row.gamma))

        found = record.step(
            "chapter9-bound",
            {
                "dataset": row.dataset,
                "mode": row.mode,
                "cap": cap,
                "C": float(row.C),
                "gamma": float(row.gamma),
            },
            work,
            code=CODE,
        )
        rows.append({"dataset": row.dataset, "mode": row.mode, **found})
    return pd.DataFrame(rows)
