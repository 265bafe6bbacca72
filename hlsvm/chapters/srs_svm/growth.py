"""Training time against the number of samples (SRS-SVM Figs 12, 13, Tables 1, 2, A.10)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from hlsvm import datasets
from hlsvm.chapters.srs_svm.problems import processor_time
from hlsvm.subclass import SRSSVC

SETS = {"2CC": "two_circles", "3CC": "three_circles", "XOR": "xor", "SR": "shooting_range"}
# The paper does not print its grid: the corners and the middle of LIBSVM's own guide.
GRID = {"C": [2.0**-5, 2.0**0, 2.0**5, 2.0**10], "gamma": [2.0**-7, 2.0**-3, 2.0**1, 2.0**5]}
_FOLDS = 3
CHOSEN = {"C": 2.0**5, "gamma": 2.0**1}


def _search(model, X, y, seed):
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    return GridSearchCV(model, GRID, cv=folds).fit(X, y)


def searched(name: str, n: int, hs: tuple[int, ...], seed: int) -> pd.DataFrame:
    """Search C and gamma and fit, for LIBSVM and for SRS-SVM with every h, on one drawn set.

    Returns
    -------
    DataFrame
        ``dataset``, ``n``, ``method``, ``h``, ``train_s`` (grid search included), ``accuracy_pct``
        on as many new samples.
    """
    train = datasets.load(SETS[name], n=n, seed=seed)
    test = datasets.load(SETS[name], n=n, seed=seed + 1)
    SRSSVC(2, random_state=seed).fit(train.X[:50], train.y[:50])  # compiles and loads
    models = [("LibSVM", 0, SVC(cache_size=1000))]
    models += [("SRS-SVM", h, SRSSVC(h, random_state=seed)) for h in hs]
    rows = []
    for method, h, model in models:
        found, seconds = processor_time(lambda m=model: _search(m, train.X, train.y, seed))
        right = 100 * found.score(test.X, test.y)
        rows.append(
            {
                "dataset": name,
                "n": n,
                "method": method,
                "h": h,
                "train_s": seconds,
                "accuracy_pct": right,
            }
        )
    return pd.DataFrame(rows)


def ratios(table: pd.DataFrame) -> pd.DataFrame:
    """LIBSVM's time over that of SRS-SVM, one row a set and h, one column an n."""
    libsvm = table[table.method == "LibSVM"].set_index(["dataset", "n"]).train_s
    ours = table[table.method == "SRS-SVM"].set_index(["dataset", "n", "h"]).train_s
    joined = ours.reset_index(["h"]).join(libsvm.rename("libsvm_s"))
    joined["ratio"] = joined.libsvm_s / joined.train_s
    return joined.reset_index().pivot(index=["dataset", "h"], columns="n", values="ratio")


def libsvm_on_circles(sizes: tuple[int, ...], seed: int) -> pd.DataFrame:
    """LIBSVM's time on two circles, grid search included (SRS-SVM Table 1)."""
    rows = []
    for n in sizes:
        data = datasets.load("two_circles", n=n, seed=seed)
        _, seconds = processor_time(lambda d=data: _search(SVC(cache_size=1000), d.X, d.y, seed))
        rows.append({"n_instances": n, "libsvm_train_s": seconds})
    return pd.DataFrame(rows)


def candidates_by_h(n: int, seed: int) -> pd.DataFrame:
    """Candidates of SRS-SVM on XOR for h from n/2 down to the true 2 (SRS-SVM Table 2).

    Returns
    -------
    DataFrame
        ``h`` as printed, ``n_subclasses``, ``candidates``, ``estimated_mrrs_size`` (share of n).
    """
    data = datasets.load("xor", n=n, seed=seed)
    most = int(min(np.bincount((data.y > 0).astype(int))))
    hs = {"n/2": most, "n/2 - Delta": most - most // 10, "(decreasing)": most // 8}
    hs |= {"h* + Delta": 4, "h*": 2}
    rows = []
    for name, h in hs.items():
        model = SRSSVC(h, faithful=True, random_state=seed, **CHOSEN)
        kept = len(model.fit(data.X, data.y).candidates_)
        share = f"{kept / n:.3f} n"
        rows.append(
            {"h": name, "n_subclasses": h, "candidates": kept, "estimated_mrrs_size": share}
        )
    return pd.DataFrame(rows)


def many_subclasses(hs: tuple[int, ...], per_subclass: int, seed: int) -> pd.DataFrame:
    """Fit sets with many true subclasses a class (SRS-SVM Table A.10), C and gamma chosen here."""
    rows = []
    for h in hs:
        n = 2 * h * per_subclass
        train = datasets.load("subclasses", n=n, seed=seed, n_subclasses=h)
        test = datasets.load("subclasses", n=n, seed=seed + 1, n_subclasses=h)
        row = {"h": h, "n": n}
        makers = {"srs": SRSSVC(h, random_state=seed, **CHOSEN), "libsvm": SVC(**CHOSEN)}
        for name, model in makers.items():
            model, seconds = processor_time(lambda m=model, d=train: m.fit(d.X, d.y))
            row[f"{name}_train_s"] = seconds
            row[f"{name}_accuracy_pct"] = 100 * model.score(test.X, test.y)
        rows.append(row)
    return pd.DataFrame(rows)
