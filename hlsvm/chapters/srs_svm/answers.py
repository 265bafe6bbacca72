"""The numbers in the running text of the SRS-SVM paper, answered from the tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hlsvm.chapters.srs_svm.contest import DCSVM, LIBSVM, SRS
from hlsvm.chapters.srs_svm.grid import HS
from hlsvm.reproduce import published

_TIMED = {*(f"{k:03d}" for k in range(8, 26)), "046", "047"}  # of generated sets, of all h
_LFW = "not run: data (the features of the face experiment are not public)"


def lookup(table: pd.DataFrame, column: str, **where) -> float:
    """Value of the one row that has these values; nan where there is none."""
    rows = table
    for name, value in where.items():
        if name not in rows:
            return float("nan")
        rows = rows[rows[name] == value]
    if len(rows) == 0 or column not in rows:
        return float("nan")
    return float(rows[column].iloc[0])


def of_the_steps(kept: dict[str, int], growth: pd.DataFrame) -> dict[str, float]:
    """Answers of section 7.1: candidates and times of Figures 9 and 10."""
    found = {
        "006": kept["XOR"],
        "007": 100 * (1 - kept["XOR"] / 800),
        "011": kept["SR"],
    }
    places = {"008": ("XOR", 800, 0), "009": ("XOR", 800, 2)}
    places |= {"013": ("SR", 4500, 0), "014": ("SR", 4500, 5)}
    for number, (name, n, h) in places.items():
        found[number] = lookup(growth, "train_s", dataset=name, n=n, h=h)
    return found


def of_the_growth(growth: pd.DataFrame) -> dict[str, float]:
    """Answers of section 7.2: Figures 12 and 13, grid search included."""
    at = {"dataset": "SR", "n": 9000}
    exact = lookup(growth, "train_s", h=0, **at)
    found = {
        "015": lookup(growth, "train_s", dataset="2CC", n=10_000, h=5),
        "016": lookup(growth, "train_s", dataset="2CC", n=10_000, h=0),
        "018": exact,
    }
    for k, h in enumerate((5, 15, 20)):
        seconds = lookup(growth, "train_s", h=h, **at)
        found |= {f"{19 + k:03d}": seconds, f"{22 + k:03d}": exact / seconds}
    largest = growth[growth.n == growth.groupby("dataset").n.transform("max")]
    return {**found, "025": largest.accuracy_pct.min()}


def of_the_contest(contest: pd.DataFrame, tests: pd.DataFrame) -> dict[str, float]:
    """Answers of section 8.1: speed-ups and McNemar's test (exact form)."""
    names = ("adult", "ijcnn1", "covertype.binary", "cifar-10.binary", "LSL-FD")
    found = {}
    for k, name in enumerate(names):
        ours = lookup(contest, "train_s", dataset=name, method=SRS)
        for offset, rival in enumerate((LIBSVM, DCSVM)):
            theirs = lookup(contest, "train_s", dataset=name, method=rival)
            found[f"{26 + 2 * k + offset:03d}"] = theirs / ours
    for number, name in (("036", "adult"), ("037", "ijcnn1"), ("038", "cifar-10.binary")):
        found[number] = lookup(tests, "p_exact", dataset=name, method=SRS)
    found["059"] = np.nanmin([found[f"{26 + 2 * k:03d}"] for k in range(5)] + [np.inf])
    return found


def of_the_sets(stages: pd.DataFrame, quality: pd.DataFrame) -> dict[str, float]:
    """Answers of sections 8.2 and 8.3: the largest and smallest shares over the real sets."""
    return {
        "040": stages.subclass_pct.max(),
        "041": stages.level1_pct.max(),
        "042": stages.level2_pct.min(),
        "043": 100 * quality.mrrs_recall.min(),
    }


def of_the_grid(adult: pd.DataFrame, ijcnn1: pd.DataFrame) -> dict[str, float]:
    """Answers of section 8.4: h of the least time; h from which adult is as good as it gets.

    They need all values of h.
    """
    if not set(HS) <= set(adult.h) & set(ijcnn1.h):
        return {"046": float("nan"), "047": float("nan")}
    fastest = [t.h[t.train_s.idxmin()] for t in (adult, ijcnn1)]
    plain = adult[adult.mu_rule == "h^2"]
    enough = plain.accuracy_pct >= plain.accuracy_pct.max() - 0.3
    return {"046": float(np.mean(fastest)), "047": float(plain.h[enough].min())}


def answers(*parts: dict[str, float]) -> pd.DataFrame:
    """Join the answers to rows ``id``, ``quantity``, ``value``, ``status``."""
    found = {number: value for part in parts for number, value in part.items()}
    printed = published("SRS.Text").astype(str)
    rows = []
    for row in printed.itertuples():
        number = row.id.removeprefix("SRS.text")
        value = found.get(number, np.nan)
        status = ""
        if not np.isfinite(value):
            value = np.nan
            if number in found:
                status = "not run: hours" if number in _TIMED else "not run: data"
            elif 51 <= int(number) <= 58:
                status = _LFW
            else:
                continue
        rows.append({"id": row.id, "quantity": row.quantity, "value": value, "status": status})
    return pd.DataFrame(rows)
