"""USPS in Thesis Table 5.5: the times of ten classes decided by pairs."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd
from sklearn.svm import SVC, LinearSVC

from hlsvm.chapters.hlsvm.contest import HLSVM, LINEAR, RBF, measure
from hlsvm.chapters.hlsvm.series import CODE
from hlsvm.datasets import Dataset, DataUnavailable, load
from hlsvm.trees import HLSVMClassifier

_SETTINGS = {"C_linear": 1.0, "C": 10.0, "gamma": 1e-2, "lam": 1e-5}  # Thesis 5.3.2


def voting(data: Dataset, settings: dict, seed: int = 0) -> list[dict]:
    """Measure linear SVM, RBF SVM and H-LSVM on several classes; the last two vote in pairs.

    Returns
    -------
    list of dict
        ``method`` and what `hlsvm.chapters.hlsvm.contest.measure` finds.
    """
    models = {
        LINEAR: LinearSVC(C=settings["C_linear"], random_state=seed),
        RBF: SVC(C=settings["C"], gamma=settings["gamma"], cache_size=1000),
        HLSVM: HLSVMClassifier(settings["lam"], multiclass="ovo", random_state=seed),
    }
    return [asdict(measure(name, model, data)) for name, model in models.items()]


def run(record, scale: str, seed: int) -> pd.DataFrame:
    """Run `voting` on USPS with the printed settings; at quick scale on the bundled digits.

    Returns
    -------
    DataFrame
        Rows to be added to those of `hlsvm.chapters.hlsvm.series.run_problems`.
    """
    try:
        name = "digits" if scale == "quick" else "usps"
        data = load(name, scale="minmax", sample=False)
    except DataUnavailable:
        rows = [{"method": method} for method in (LINEAR, RBF, HLSVM)]
        return pd.DataFrame(rows).assign(dataset="USPS", status="not run: data")
    data = record.uses(data if data.X_test is not None else data.split(0.25, seed=seed))
    rows = record.step(
        "chapter5-votes",
        {"settings": _SETTINGS, "data": name},
        lambda: voting(data, _SETTINGS, seed),
        code=[*CODE, "hlsvm.chapters.hlsvm.votes"],
    )
    return pd.DataFrame(rows).assign(dataset="Digits" if scale == "quick" else "USPS")
