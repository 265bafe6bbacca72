"""Do the bounds fail in no more than their stated share of samples."""

import pandas as pd

from hlsvm.chapters.bounds import validity

QUESTION = (
    "In how many of 1,000 samples of a known distribution (a lattice, noisy labels; true errors "
    "are sums) is the true error above each bound? delta = 0.05 with 300 rows and delta = 0.5 with "
    "150; p_value of 'no more often than delta' by the binomial test"
)
DRAWS = 1000
PLAN = ((0.05, 300), (0.5, 150))


def run():
    """Return one row a bound and delta."""
    tables = []
    for delta, n in PLAN:
        table = validity.draws(range(DRAWS), n=n, delta=delta, seed=1)
        tables.append(validity.summary(table, delta).assign(rows=n))
    return pd.concat(tables, ignore_index=True)
