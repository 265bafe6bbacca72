"""Do the bounds fail in no more than their stated share of samples."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from hlsvm.bounds import fit_best_with_bound, fit_with_bound, margin_bound, pick_to_learn
from hlsvm.chapters.bounds import validity
from hlsvm.subclass import KernelSVC

QUESTION = (
    "In how many of 1,000 samples of a known distribution (a lattice, noisy labels; true errors "
    "are sums) is the true error above each bound? delta = 0.05 with 300 rows and delta = 0.5 with "
    "150; p_value of 'no more often than delta' by the binomial test"
)
DRAWS = 1000
PLAN = ((0.05, 300), (0.5, 150))
TREES = [DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0) for leaves in (8, 4)]


def _by_share(*shares):
    def fit(X, y, **how):
        return fit_with_bound(TREES[0], X, y, shares=shares, **how)

    return fit


def _best(X, y, **how):
    return fit_best_with_bound(TREES, X, y, **how)


def _picked(X, y, **how):
    return pick_to_learn(TREES[0], X, y, share=0.3, growth=0.2, rounds=4, **how)


def _picked_only(X, y, **how):
    """As many rounds as it takes: what counts is picked, nearly nothing is held out."""
    tree = DecisionTreeClassifier(random_state=0)
    return pick_to_learn(tree, X, y, share=0.1, growth=1.0, rounds=6, **how)


def _margin(X, y, *, delta, random_state):
    svm = KernelSVC(C=1.0, gamma=2.0, tol=1e-4).fit(X, y)
    return svm, margin_bound(svm, X, y, delta=delta)


WAYS = {
    "fit_with_bound, 80 %": _by_share(0.8),
    "fit_with_bound, 50 and 90 %": _by_share(0.5, 0.9),
    "fit_best_with_bound, 2 models x 5": _best,
    "pick_to_learn from 30 %": _picked,
    "pick_to_learn from 10 %": _picked_only,
    "margin_bound": _margin,
}


def by_rows(n, delta, draws=DRAWS, ways=WAYS):
    """Bounds of small classifiers by rows that they have not seen or need not have seen."""
    lattice, rows = validity.Lattice(), []
    for number in range(draws):
        X, y = lattice.draw(n, np.random.default_rng([2, number]))
        for name, way in ways.items():
            model, bound = way(X, y, delta=delta, random_state=number)
            said = model.predict(lattice.points)
            row = {"draw": number, "method": name, "bound": bound.value}
            row["true_error"] = lattice.error(said)
            rows.append(row | {"failed": row["true_error"] > bound.value})
            if name == "margin_bound":
                # What it bounds in truth: that a row lies on the margin or inside.
                chance = _inside(lattice, model)
                row = {"draw": number, "method": "margin_bound, of the margin"}
                row |= {"bound": bound.value, "true_error": chance}
                rows.append(row | {"failed": chance > bound.value})
    return pd.DataFrame(rows)


def _inside(lattice, svm):
    """Probability that y f(x) <= 1."""
    f = svm.decision_function(lattice.points) * lattice.truth
    return float(np.mean((f <= 1) * (1 - lattice.noise) + (f >= -1) * lattice.noise))


def run():
    """Return one row a bound and delta."""
    tables = []
    for delta, n in PLAN:
        table = validity.draws(range(DRAWS), n=n, delta=delta, seed=1)
        table = pd.concat([table, by_rows(n, delta)])
        tables.append(validity.summary(table, delta).assign(rows=n))
    return pd.concat(tables, ignore_index=True)
