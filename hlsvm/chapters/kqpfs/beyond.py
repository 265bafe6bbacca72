"""Where the closed form has no memory: all of cadata, exactly and approximately, and sparsely."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from hlsvm.extract import KernelFisher

CODE = ("hlsvm.extract", "hlsvm.chapters.kqpfs.beyond")


def solvers(ranks: list[int]) -> dict[str, dict]:
    """Return the ways to fit by name, exact first."""
    ways: dict[str, dict] = {"exact": {}}
    ways |= {f"{rank} landmarks": {"solver": "nystroem", "rank": rank} for rank in ranks}
    ways[f"{ranks[-1]} random features"] = {"solver": "rff", "rank": ranks[-1]}
    ways["conjugate gradients"] = {"solver": "cg", "rank": ranks[0], "cache_size": 0}
    return ways


def fit_all(X, y, gamma: float, mu: float, ranks: list[int], n_kept: int, seed: int):
    """Fit every way, and the exact one with `n_kept` terms.

    Returns
    -------
    DataFrame
        Processor seconds, distance of the projections from the exact ones in percent of their
        spread, certificates and training error.
    """
    ways = solvers(ranks) | {f"exact, {n_kept} terms": {"n_reduced": n_kept}}
    rows, exact = [], None
    for name, params in ways.items():
        start = time.process_time()
        model = KernelFisher(gamma=gamma, mu=mu, random_state=seed, **params).fit(X, y)
        seconds = time.process_time() - start
        z = model.transform(X)[:, 0]
        exact = z if exact is None else exact
        reduced = model.reduced_
        rows.append(
            {
                "solver": name,
                "fit_s": seconds,
                "terms": len(model.dual_coef_),
                "projection_off_pct": 100 * np.linalg.norm(z - exact)
                / np.linalg.norm(exact - exact.mean()),
                "stated_off_pct": np.nan if reduced is None
                else 100 * float(reduced.projection_error[0]),
                "kernel_lost": np.nan if model.approximation_error_ is None
                else model.approximation_error_,
                "residual": model.certificates_[0].residual if model.certificates_ else np.nan,
                "train_error_pct": 100 * float(np.mean(model.predict(X) != y)),
            }
        )  # fmt: skip
    table = pd.DataFrame(rows)
    table["exact_over_this"] = table.fit_s[0] / table.fit_s
    return table
