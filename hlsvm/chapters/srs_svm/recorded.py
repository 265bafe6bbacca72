"""What is recorded at paper scale, arranged to be read: the same on every machine."""

from __future__ import annotations

import pandas as pd

from hlsvm.chapters.srs_svm.grid import rule
from hlsvm.chapters.srs_svm.growth import ratios
from hlsvm.chapters.srs_svm.problems import Problem
from hlsvm.reproduce import compare, recorded
from hlsvm.reproduce.paths import repository_root, stem


def growth() -> pd.DataFrame:
    """LIBSVM's time over that of SRS-SVM by set, h and n, from the records of Figures 12 and 13."""
    paths = [repository_root() / "figures" / f"{stem(f'SRS.Fig{k}')}.csv" for k in (12, 13)]
    frames = [pd.read_csv(path) for path in paths if path.exists()]
    if not frames:
        return pd.DataFrame(columns=["dataset", "h"])
    table = ratios(pd.concat(frames, ignore_index=True)).round(2)
    return table.astype(object).where(table.notna(), "")


def contest() -> pd.DataFrame:
    """Accuracy, seconds and speed-up over LIBSVM of every method that ran, sets across."""
    table = recorded("SRS.Tab4")
    if table is None or "speedup" not in table:
        return pd.DataFrame(columns=["method"])
    ran = table[table.train_s != ""]
    cell = [
        f"{float(row.accuracy_pct):.2f} %, {float(row.train_s):.1f} s"
        + (f", {float(row.speedup):.1f} x" if row.speedup else "")
        for row in ran.itertuples()
    ]
    wide = ran.assign(cell=cell).pivot(index="method", columns="dataset", values="cell")
    return wide.reindex(list(dict.fromkeys(ran.method))).fillna("")


def swept(name: str, problem: Problem, seed: int) -> pd.DataFrame | None:
    """Return a recorded sweep over h and q as a table of h and mu (SRS-SVM Tables 7 and 8).

    Parameters
    ----------
    name : str
        Of the grid in ``notebooks/sweeps``; its table stands in ``data/results/sweeps``.
    problem : Problem
        Whose C and gamma the sweep must have been made with.
    seed : int

    Returns
    -------
    DataFrame or None
        None where no such sweep is recorded.

    Raises
    ------
    ValueError
        The sweep was made with other settings.
    """
    path = repository_root() / "data" / "results" / "sweeps" / f"{name}.csv"
    if not path.exists():
        return None
    rows = pd.read_csv(path)
    wanted = {"C": problem.C, "gamma": problem.gamma, "seed": seed}
    if other := [key for key, value in wanted.items() if (rows[key] != value).any()]:
        raise ValueError(f"{path.name} must be swept with {wanted}. Its {other} differ.")
    table = pd.DataFrame({"h": rows.h, "mu_rule": rows.q.map(rule), "mu": rows.mu})
    table = table.assign(mu=table.mu.where(rows.valid))
    measured = ["train_s", "accuracy_pct", "levels"]
    table = table.join(rows[measured]).assign(n_candidates=rows.candidates)
    late = "not run: mu = 1 (the levels never shrink)"
    return table.assign(status=rows.valid.map({True: "", False: late}))


def accuracies(id: str) -> pd.DataFrame:
    """Accuracy published | ours for every h (down) and mu (across): SRS-SVM Tables 7 and 8."""
    table = compare(id, quantities="accuracy_pct")
    cell = table.published + " | " + table.ours.where(table.ours != "", "—")
    return _square(table.assign(cell=cell), "cell")


def seconds(id: str) -> pd.DataFrame:
    """Our seconds for every h and mu, as recorded."""
    table = recorded(id)
    if table is None:
        return pd.DataFrame(columns=["h"])
    cell = [f"{float(value):.1f}" if value else "" for value in table.train_s]
    return _square(table.assign(cell=cell), "cell")


def _square(table, quantity):
    wide = table.pivot(index="h", columns="mu_rule", values=quantity).fillna("")
    wide.index = pd.to_numeric(wide.index)
    return wide.sort_index()[list(dict.fromkeys(table.mu_rule))]
