"""H-LSVM beside what a user would pick: time to fit, to decide once, to decide in batch."""

import warnings

import pandas as pd
from shared import ijcnn1_or_made
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm import HLSVMClassifier
from hlsvm.chapters.given_trees import given_tree
from hlsvm.reproduce.timing import race

QUESTION = (
    "On ijcnn1, how long do a fit, one decision from Python and a row of a batch take, with LIBSVM "
    "(C=10, gamma=1), LIBLINEAR (C=10), CART and H-LSVM (one run, warmed up, interleaved, medians "
    "of processor time)? 'times' is LIBSVM's time over the method's"
)
REPEATS = 5
ROWS = 2_000  # of the batch that LIBSVM can be timed on


def measure(what, rivals, per=1):
    """Rows of the table: processor microseconds of one call over `per`."""
    table = race(rivals, repeats=REPEATS, at_least=0.05)
    base = float(table.cpu_s[0])
    return pd.DataFrame(
        {
            "what": what,
            "method": table.method,
            "microseconds": table.cpu_s / per * 1e6,
            "times": base / table.cpu_s,
        }
    )


def run():
    """Return one row a task and method."""
    name, X, y, X_test = ijcnn1_or_made()
    models = {
        "LIBSVM": SVC(C=10, gamma=1),
        "LIBLINEAR": LinearSVC(C=10, random_state=0),
        "CART": DecisionTreeClassifier(criterion="entropy", random_state=0),
        "H-LSVM": HLSVMClassifier(1e-5, random_state=0),
        "H-LSVM, shrunk": given_tree(lam=2e-5, shrinkage=30, random_state=0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        parts = [
            measure("fit", {key: lambda m=m: m.fit(X, y) for key, m in models.items()}),
            measure(
                "predict, one row",
                {key: lambda m=m: m.predict(X_test[:1]) for key, m in models.items()},
            ),
        ]
    one, shrunk = models["H-LSVM"], models["H-LSVM, shrunk"]
    rows = list(X_test[:ROWS])
    trees = {key: models[key].tree_ for key in ("H-LSVM", "H-LSVM, shrunk")}

    def each(model):
        decide = model.predict_one
        return lambda: [decide(row) for row in rows]

    parts += [
        measure(
            "decide once",
            {
                "LIBSVM, predict": lambda: [models["LIBSVM"].predict(r[None]) for r in rows[:200]],
            },
            200,
        ),
        measure(
            "decide once",
            {"H-LSVM, predict_one": each(one), "H-LSVM, shrunk, predict_one": each(shrunk)},
            ROWS,
        ),
        measure(
            "batch of 2,000",
            {k: lambda m=m: m.predict(X_test[:ROWS]) for k, m in models.items()},
            ROWS,
        ),
        measure(
            "batch, arrays only",
            {k: lambda t=t: t.apply(X_test) for k, t in trees.items()},
            len(X_test),
        ),
    ]
    table = pd.concat(parts, ignore_index=True)
    libsvm = {
        "decide once": float(parts[2].microseconds[0]),
        "batch, arrays only": float(parts[4].microseconds[0]),
    }
    for what, base in libsvm.items():
        timed = table.what == what
        table.loc[timed, "times"] = base / table.loc[timed, "microseconds"]
    table.insert(0, "data", name)
    return table
