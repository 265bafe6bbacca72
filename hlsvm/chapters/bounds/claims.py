"""Which claims about error bounds and pruning the records bear out."""

import numpy as np
from scipy import stats

from hlsvm.chapters.evidence import binomial_error, by_method, holm, slope
from hlsvm.reproduce.claim_verdicts import span

_PRINTED = {"IJCNN": 0.91, "CBCL faces": 0.97}  # Thesis.text080 and 081 (there: Faces)


def bound_01_ball_of_the_optimum(table):
    printed, corrected = table.printed_holds.mean(), table.holds.mean()
    return printed == 1, corrected == 1, printed, corrected


def bound_04_effective_leaves(tests, rivals):
    share = tests.effective_leaves / tests.leaves
    least = min(share.min(), rivals.effective_share.min())
    return least < 0.5, least <= 0.8, least


def _by_seed(path, of, method="pearson"):
    """Return the correlation of complexity and `of` over delta, one value a seed, by data set."""
    path = path[~((path.dataset == "IJCNN") & (path.protocol == "random divisions"))]
    pair = path.groupby(["dataset", "seed"])[["T_comp", of]]
    return pair.apply(lambda rows: rows.T_comp.corr(rows[of], method)).dropna()


def bound_05_gap_follows_complexity(path):
    seeds = _by_seed(path, "gap")
    median = seeds.groupby("dataset").median()
    inside = {
        name: np.percentile(seeds[name], 2.5) <= value <= np.percentile(seeds[name], 97.5)
        for name, value in _PRINTED.items()
        if name in median
    }
    good = [inside.get(name, False) or median[name] >= 0.9 for name in median.index]
    values = median, [k for k in inside if inside[k]]
    return all(good) and len(good) == 2, any(good) or (median >= 0.7).all(), *values


def bound_06_correlation_confirms_the_bound(path, rivals):
    ours, follows = rivals[rivals.protocol != "random divisions"], bound_05_gap_follows_complexity
    complexity, leaves = ours.T_comp.max(), ours.leaves.max()
    constants = rivals.least_c.max(), rivals.least_c.min()  # the largest serves every set
    first = follows(path)[0]
    return first and complexity > leaves, first, complexity, leaves, *constants


def bound_07_error_along_delta(path):
    ijcnn = path[(path.dataset == "IJCNN") & (path.protocol != "random divisions")]
    faces = path[path.dataset.str.contains("faces")]
    both = {"IJCNN": ijcnn, "CBCL": faces}
    error = {name: rows.groupby("delta").test_error.mean() for name, rows in both.items()}
    at = {name: values.idxmin() for name, values in error.items()}
    first = at["IJCNN"] <= error["IJCNN"].index[1]
    smallest = error["CBCL"].iloc[0]
    second = at["CBCL"] > error["CBCL"].index[0] and smallest > 1.02 * error["CBCL"].min()
    return first and second, first or second, at


def bound_08_pruning_is_necessary(trees):
    error = 100 * by_method(trees, "test_error")[["cost-complexity", "not pruned"]].dropna()
    rows = trees.groupby("dataset").test_rows.first()[error.index]
    change = error["cost-complexity"] - error["not pruned"]
    spread = np.hypot(*(binomial_error(error[name], rows) for name in error))
    sure = holm({name: 2 * stats.norm.sf(abs(change[name] / spread[name])) for name in error.index})
    lower = [name for name in sure if change[name] < 0]
    higher = [name for name in sure if change[name] > 0]
    faces = any("aces" in name for name in lower)
    holds = len(lower) > len(change) / 2 and faces if sure else None
    return holds, bool(lower) and not higher, change, lower, higher


def bound_02_convergence_with_weights(table):
    kept = (table.worst_gap <= table.bound).all()
    power = {name: -slope(rows["T"], rows.mean_gap) for name, rows in table.groupby("part")}
    return False, kept, kept, span(power.values(), "{:.2f}")


def bound_03_smaller_trees_generalise(path):
    ranks = [
        _by_seed(path, of, "spearman").groupby("dataset").median() for of in ("gap", "test_error")
    ]
    gap, error = ((values > 0).all() for values in ranks)
    return gap and error, gap, *ranks
