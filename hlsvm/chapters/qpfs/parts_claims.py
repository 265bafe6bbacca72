"""Which claims about redundancy, low rank, the parts of QPFS and its time the records bear out."""

from itertools import permutations

import numpy as np
import pandas as pd
from scipy import stats

from hlsvm.chapters.evidence import slope
from hlsvm.reproduce.claim_verdicts import span

_SMALL = ("SRBCT", "NCI9")  # sets of small alpha
_RATE = 0.1  # sampling rate of Table 3.2


def _falling(x, y) -> tuple[float, float]:
    """Return Spearman's coefficient and the share of permutations with one as low."""
    x, y = stats.rankdata(x) - (len(x) + 1) / 2, stats.rankdata(y) - (len(y) + 1) / 2
    if len(y) <= 7:
        others = np.array(list(permutations(y)))
    else:
        rng = np.random.default_rng(0)
        others = np.array([y, *(rng.permutation(y) for _ in range(1999))])
    return float(np.corrcoef(x, y)[0, 1]), float(np.mean(others @ x <= y @ x + 1e-9))


def qpfs_05_redundancy_favours_qpfs(copies, cells, balance):
    wide = copies.pivot_table(index=["draw", "copies"], columns="method", values="error_pct")
    gap = (wide["mRMR MID"] - wide["QPFS"]).unstack()
    share = gap.columns.to_numpy(float) - gap.columns.to_numpy(float).mean()
    rng = np.random.default_rng(0)
    values = gap.to_numpy()
    rise = values @ share / (share @ share)
    others = [(rng.permuted(values, axis=1) @ share).mean() for _ in range(1999)]
    p = (1 + np.sum(np.asarray(others) >= (values @ share).mean() - 1e-12)) / 2000
    sets = cells[cells.p_value.notna()].groupby("dataset")[["mrmr_error_pct", "qpfs_error_pct"]]
    sets = sets.mean().join(balance[balance.similarity == "MI"].set_index("dataset"))
    sets = sets.drop(index="SRBCT logarithms", errors="ignore").dropna(subset="q_bar")
    lead = sets.mrmr_error_pct - sets.qpfs_error_pct
    across = [stats.spearmanr(lead, q)[0] for q in (sets.q_bar, sets.q_bar / sets.f_bar)]
    sure = p < 0.05 and rise.mean() > 0
    better = stats.ttest_1samp(gap.iloc[:, -1], 0, alternative="greater").pvalue < 0.05
    holds = sure and better and min(across) > 0
    in_part = rise.mean() > 0 and (sure or better)
    return holds, in_part, gap.mean().round(1), rise.mean(), p, *across


def qpfs_11_mrmr_ignores_redundancy(chosen):
    wide = chosen.pivot_table(index=["dataset", "n_features"], columns="method")
    q = wide.redundancy
    late = q[q.index.get_level_values("n_features") >= 10]
    greedy = (late.mRMR - late.MaxRel).abs() < (late.mRMR - late.QPFS).abs()
    lower = late.mRMR > late.QPFS
    as_said = (greedy & lower).groupby("dataset").mean() > 0.5
    less = lower.groupby("dataset").mean()
    small = as_said[[name for name in _SMALL if name in as_said]]
    holds = small.all() and not as_said.drop(small.index).any()
    names = [str(name) for name in as_said.index[as_said]]
    return bool(holds), bool((less > 0.5).all()), 100 * less, names or ["none"]


def qpfs_16_objective_of_nystrom(errors):
    violated = (errors.error > errors.bound) | (errors.frobenius > errors.frobenius_bound)
    falls = {
        name: stats.spearmanr(rows.rows, rows.error)[0] for name, rows in errors.groupby("dataset")
    }
    useful = errors.bound < errors.range
    falling = max(falls.values()) <= -0.9
    clean = not violated.any() and falling
    ratio = (errors.bound / errors.range).min()
    far = errors.set_index(["dataset", "p"]).error.unstack("dataset").iloc[[0, -1]]
    return (
        bool(clean and useful.any()),
        bool(clean),
        int(violated.sum()),
        len(errors),
        far.iloc[0],
        far.iloc[1],
        ratio,
    )


def qpfs_17_redundancy_lowers_rank(table, strict=1):
    real = table[table.dataset != "copies"]
    made = table[table.dataset == "copies"]
    real = real[real.dataset != "SRBCT logarithms"]
    tests = [
        _falling(part.q_off, part[column])
        for part in (real, made)
        for column in ("share", "nystrom_error")
    ]
    fall = [r < 0 and p < 0.05 for r, p in tests]
    low = real.share < 0.3 / strict
    holds = low.all() and all(fall)
    in_part = all(fall[2:]) or bool(low.any() and any(fall))
    shares = 100 * real.set_index("dataset").share
    return bool(holds), in_part, shares, *(r for r, _ in tests), *(p for _, p in tests[:2])


def qpfs_32_program_is_not_the_time(times):
    wide = times.pivot_table(index=["n_features", "p"], columns="part", values="seconds")
    solvers = wide[["subspace_qp", "simplex_qp"]]
    share = solvers.div(solvers.add(wide.diagonalisation, axis=0))
    exact = share.index.get_level_values("p") == 1
    below = {"exact": (share[exact] < 0.5).all().all(), "N": (share[~exact] < 0.5).all().all()}
    whole = solvers[exact].droplevel("p")
    power = {name: slope(whole.index, whole[name]) for name in whole}
    holds = all(below.values()) and max(power.values()) < 3
    middle = [100 * share[part].median() for part in (exact, ~exact)]
    return holds, any(below.values()), *middle, power


def _seconds(regimes):
    return regimes.groupby(["regime", "method"]).here_s.sum().unstack()


def _powers(curves: pd.DataFrame, part: str) -> dict[str, float]:
    """Return the power of the size by which the upper half of each curve grows."""
    rows = curves[curves.part == part]
    late = rows[rows["size"] >= rows["size"].median()]
    return {n: slope(r["size"], r.seconds) for n, r in late.groupby("label", sort=False)}


def qpfs_02_faster_than_mrmr(regimes, curves):
    total = _seconds(regimes)
    n, m = regimes.groupby("regime")[["N", "M"]].first().T.to_numpy()
    pairs = [*zip(n / (_RATE**2 * m), total["mRMR"] / total["QPFS+Nystrom"], strict=True)]
    wide = curves.pivot_table(index=["part", "size"], columns="label", values="seconds")
    last, n = wide.loc["features M"].iloc[-1], wide.loc["samples N"].index[0]
    for label, seconds in last.filter(like="QPFS+N p").items():
        size = n / (float(label.partition("= ")[2]) ** 2 * last.name)
        pairs.append((size, last["mRMR"] / seconds))
    faster, slower = ([size for size, r in pairs if (r > 1) == sign] for sign in (True, False))
    ends = min(faster, default=np.inf), max(slower, default=0)
    values = span([r for _, r in pairs], "{:.2g}"), len(faster), len(pairs), *ends
    return not slower, ends[0] > ends[1] and len(slower) <= len(faster), *values


def qpfs_31_cost_of_selection(regimes, curves):
    total = _seconds(regimes)
    power = _powers(curves, "features M")
    right = abs(power["mRMR"] - 2) <= 0.2 and abs(power["QPFS"] - 3) <= 0.2
    by_size = curves.pivot_table(index=["part", "size"], columns="label", values="seconds")
    both = pd.concat([frame[["QPFS", "mRMR"]].dropna() for frame in (total, by_size)])
    dearer = (both["QPFS"] >= both["mRMR"]).all()
    cheaper = (total["QPFS+Nystrom"] < total["mRMR"]).all()
    values = power["mRMR"], power["QPFS"], span(both["QPFS"] / both["mRMR"], "{:.2g}")
    return right and dearer and cheaper, right and (dearer or cheaper), *values


def qpfs_33_linear_in_samples(curves):
    rows = curves[curves.part == "samples N"]
    wide = rows.pivot(index="size", columns="label", values="seconds")
    rates = sorted(wide.filter(like="QPFS+N"), key=lambda name: float(name.split("= ")[1]))
    rise = {name: 1e6 * np.polyfit(wide.index, wide[name], 1)[0] for name in wide}
    ordered = all(np.diff([rise[name] for name in rates]) > 0)
    below = max(rise[name] for name in rates) < rise["mRMR"]
    fastest = wide[rates].lt(wide["mRMR"], axis=0).all().all()
    values = rise, wide[rates].lt(wide["mRMR"], axis=0).sum().sum(), wide[rates].size
    return ordered and below and fastest, ordered and below, *values


def qpfs_34_growth_of_time(curves):
    power = _powers(curves, "features M")
    power["sampling rate"] = _powers(curves, "sampling rate p")["QPFS+Nystrom"]
    wanted = {"mRMR": 2, "QPFS": 3, "QPFS+N p = 0.1": 2, "sampling rate": 2}
    right = [abs(power[name] - value) <= 0.3 for name, value in wanted.items()]
    return all(right), sum(right) >= 2, power
