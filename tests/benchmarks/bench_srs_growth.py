"""Training time on generated sets as they grow: SRS-SVM over LIBSVM."""

import pandas as pd
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from hlsvm import SRSSVC, datasets
from hlsvm.reproduce import processor_time

QUESTION = (
    "How many times faster than LIBSVM is SRS-SVM on two and three circles, XOR and the shooting "
    "range as they grow, grid search included? Processor seconds of one thread (asked: the ratio "
    "grows with n; >= 6.7 x on the shooting range at 9,000 points)"
)
SIZES = (1000, 3000, 9000)
HS = {"two_circles": (5,), "three_circles": (5,), "xor": (5,), "shooting_range": (5, 15, 20)}
GRID = {"C": [2.0**-5, 1.0, 2.0**5, 2.0**10], "gamma": [2.0**-7, 2.0**-3, 2.0, 2.0**5]}


def _searched(model, data):
    search = GridSearchCV(model, GRID, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    return processor_time(lambda: search.fit(data.X, data.y))[1]


def run():
    """Return LIBSVM's time over that of SRS-SVM, one row per set and h, one column per size."""
    rows = []
    for name, hs in HS.items():
        for n in SIZES:
            data = datasets.load(name, n=n, seed=0)
            libsvm = _searched(SVC(cache_size=1000), data)
            rows += [(name, h, n, libsvm / _searched(SRSSVC(h, random_state=0), data)) for h in hs]
    table = pd.DataFrame(rows, columns=["set", "h", "n", "ratio"])
    return table.pivot(index=["set", "h"], columns="n", values="ratio").reset_index()
