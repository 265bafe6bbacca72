"""Do the bounds fail in no more than their stated share of samples."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from hlsvm.bounds import fit_with_bound
from hlsvm.chapters.bounds import validity

QUESTION = (
    "In how many of 1,000 samples of a known distribution (a lattice, noisy labels; true errors "
    "are sums) is the true error above each bound? delta = 0.05 with 300 rows and delta = 0.5 with "
    "150; p_value of 'no more often than delta' by the binomial test"
)
DRAWS = 1000
PLAN = ((0.05, 300), (0.5, 150))
SHARES = {"fit_with_bound, 80 %": (0.8,), "fit_with_bound, 50 and 90 %": (0.5, 0.9)}


def _by_share(n, delta):
    """Bounds from rows that a small tree has not seen, in as many samples."""
    lattice, rows = validity.Lattice(), []
    for number in range(DRAWS):
        X, y = lattice.draw(n, np.random.default_rng([2, number]))
        for name, shares in SHARES.items():
            model = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)
            how = {"shares": shares, "delta": delta, "random_state": number}
            model, bound = fit_with_bound(model, X, y, **how)
            error = lattice.error(model.predict(lattice.points))
            row = {"draw": number, "method": name, "bound": bound.value, "true_error": error}
            rows.append(row | {"failed": error > bound.value})
    return pd.DataFrame(rows)


def run():
    """Return one row a bound and delta."""
    tables = []
    for delta, n in PLAN:
        table = validity.draws(range(DRAWS), n=n, delta=delta, seed=1)
        table = pd.concat([table, _by_share(n, delta)])
        tables.append(validity.summary(table, delta).assign(rows=n))
    return pd.concat(tables, ignore_index=True)
