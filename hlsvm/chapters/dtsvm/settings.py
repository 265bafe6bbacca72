"""How k, sigma_0 and the ceiling act on the accuracy: DTSVM Figs. 2 and 3, Tables 9 and 10."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hlsvm.chapters._problems import missing
from hlsvm.chapters.dtsvm import contest
from hlsvm.chapters.dtsvm.problems import Parts, problems, six_parts
from hlsvm.chapters.dtsvm.series import CODE
from hlsvm.regions import DTSVMClassifier

KS = (1, 3, 5, 7, 9)
_GAIN = 0.005


def carried(search: dict, k: int) -> tuple[int, float, float]:
    """Choose ceiling, C and gamma as a search with the `k` best pairs would have.

    Parameters
    ----------
    search : dict of arrays
        `DTSVMClassifier.search_` of a search with at least as many pairs.
    k : int

    Returns
    -------
    ceiling_size, C, gamma
    """
    table = pd.DataFrame(search)
    ceilings = sorted(table.ceiling_size.unique())
    start = table[(table.ceiling_size == ceilings[0]) & table.exact]
    order = ["accuracy", "C", "gamma"]
    ranked = start.sort_values(order, ascending=[False, True, True]).head(k)
    ends = []
    for pair in ranked.itertuples():
        path = table[(table.C == pair.C) & (table.gamma == pair.gamma) & table.exact]
        path = path.set_index("ceiling_size").accuracy
        sigma = ceilings[0]
        for larger in ceilings[1:]:
            if larger not in path or path[larger] - path[sigma] < _GAIN - 1e-12:
                break
            sigma = larger
        ends.append((-path[sigma], pair.C, pair.gamma, sigma))
    _, C, gamma, sigma = min(ends)
    return int(sigma), float(C), float(gamma)


def _score(parts: Parts, mode: str, sigma: int, C: float, gamma: float) -> float:
    model = DTSVMClassifier(
        C, gamma, ceiling_size=sigma, climb=False, multiclass=contest.MODES[mode]
    )
    return 100 * model.fit(parts.X, parts.y).score(parts.X_test, parts.y_test)


def by_k(parts: Parts, sigma: int, seed: int, ks=KS) -> list[dict]:
    """Test accuracy for every k, from one search with the largest."""
    model = DTSVMClassifier(ceiling_size=sigma, n_best=max(ks), random_state=seed)
    model.fit(parts.X, parts.y, validation=(parts.X_val, parts.y_val))
    known, rows = {}, []
    for k in ks:
        choice = carried(model.search_, k)
        if choice not in known:
            known[choice] = _score(parts, "1A1", *choice)
        rows.append({"k": k, "sigma_opt": choice[0], "test_accuracy_pct": known[choice]})
    return rows


def by_start(parts: Parts, sigmas, seed: int) -> list[dict]:
    """Test accuracy for every sigma_0."""
    rows = []
    for sigma in sigmas:
        found = contest.dtsvm(parts, "1A1", sigma=int(sigma), seed=seed)
        rows.append(
            {
                "sigma_0": int(sigma),
                "sigma_opt": found["sigma_opt"],
                "test_accuracy_pct": found["accuracy_pct"],
            }
        )
    return rows


def sweep(
    record, scale: str, seed: int, *, names, cap: int, sigmas
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Vary k and sigma_0 on the sets of these `names`, on `cap` random training rows each.

    Returns
    -------
    by_k, by_start : DataFrame
    """
    ks, starts = [], []
    for problem in record.progress(problems(scale), "k and sigma_0"):
        if problem.name not in names or missing(problem):
            continue

        def work(problem=problem):
            contest.warm_up()
            parts = six_parts(problem.load(), seed).subset(cap, seed)
            return {
                "k": by_k(parts, problem.ceiling_size, seed),
                "start": by_start(parts, sigmas, seed),
            }

        found = record.step(
            "chapter9-settings",
            {"problem": problem.name, "cap": cap, "sigmas": [int(s) for s in sigmas]},
            work,
            code=CODE,
        )
        ks += [{"dataset": problem.name, **row} for row in found["k"]]
        starts += [{"dataset": problem.name, **row} for row in found["start"]]
    return pd.DataFrame(ks), pd.DataFrame(starts)


def ceilings(record, results: pd.DataFrame, scale: str, seed: int, names) -> pd.DataFrame:
    """Seconds of the search and test accuracy at every ceiling: DTSVM Tables 9 and 10.

    At each ceiling the pair with the best validation accuracy there is trained and tested.
    """
    known = {problem.name: problem for problem in problems(scale)}
    rows = []
    ran = results[(results.method == "DTSVM") & results.dataset.isin(names)]
    for row in ran.itertuples():
        if not isinstance(row.search, dict):
            rows += [
                {"dataset": row.dataset, "mode": row.mode, "sigma": s, "status": row.status}
                for s in (1500, 6000, 24000)
            ]
            continue

        def work(row=row):
            parts = six_parts(known[row.dataset].load(), seed)
            table = pd.DataFrame(row.search)
            table = table[table.exact]
            best = table.sort_values(["accuracy", "C", "gamma"], ascending=[False, True, True])
            best = best.groupby("ceiling_size").first()
            return [
                _score(parts, row.mode, int(sigma), float(pair.C), float(pair.gamma))
                for sigma, pair in best.sort_index().iterrows()
            ]

        scores = record.step(
            "chapter9-ceilings", {"dataset": row.dataset, "mode": row.mode}, work, code=CODE
        )
        for sigma, seconds, score in zip(row.ceilings, row.ceiling_s, scores, strict=True):
            rows.append(
                {
                    "dataset": row.dataset,
                    "mode": row.mode,
                    "sigma": int(sigma),
                    "train_s": seconds,
                    "test_accuracy_pct": score,
                }
            )
    return pd.DataFrame(rows)


def starts(scale: str) -> np.ndarray:
    """Return the values of sigma_0 in Fig. 3."""
    return np.arange(200, 601, 200) if scale == "quick" else np.arange(500, 3001, 500)
