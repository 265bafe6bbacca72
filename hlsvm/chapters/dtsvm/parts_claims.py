"""Which claims about the parts of DTSVM, and about several trees, its experiments bear out."""

import numpy as np
import pandas as pd
from scipy.stats import linregress, t, wilcoxon

from hlsvm.chapters._evidence import interval
from hlsvm.reproduce.claim_verdicts import each

_TEST = 1 / 6  # share of the rows that test


def dtsvm_24_training_time_grows_linearly(table, strict=1):
    mean = table.groupby(["dataset", "n"])[["local_s", "global_s"]].mean()
    slopes, halves = {}, {}
    for column in mean:
        for dataset, seconds in mean[column].groupby(level="dataset"):
            rows = seconds.index.get_level_values("n")
            line = linregress(np.log(rows), np.log(seconds))
            slopes[column, dataset] = line.slope
            halves[column, dataset] = t.ppf(0.975, len(rows) - 2) * line.stderr
    slopes, halves = pd.Series(slopes), pd.Series(halves)
    local, whole = slopes["local_s"], slopes["global_s"]
    linear = ((local - 1).abs() <= 0.2 / strict).all()
    below = (whole - local >= 0.3 * strict).all()
    values = [each(slopes[name], "{:.2f}") for name in ("local_s", "global_s")]
    return linear and (whole >= 1.6 * strict).all(), below, *values, halves.max()


def dtsvm_31_trees_suit_svms(table):
    keys = ["dataset", "division"]
    R = table.pivot(index=keys, columns="partition", values="R")
    missed = table.pivot_table(index="dataset", columns="partition", values="train_error_pct")
    mean = R.groupby("dataset").mean()
    smaller = mean.tree < mean.random
    p = wilcoxon(R.tree, R.random, alternative="less").pvalue
    values = each(mean.tree, "{:.3g}"), each(mean.random, "{:.3g}"), smaller.sum(), len(smaller), p
    return smaller.all(), smaller.mean() > 0.5 and p < 0.05, *values, missed.tree - missed.random


def dtsvm_23_one_tree_with_search(table, strict=1):
    table = table.assign(search=table.search.astype(str).str.lower().isin(["true", "1", "1.0"]))
    wide = table.pivot(index=["dataset", "division"], columns=["search", "trees"]).accuracy_pct
    one = wide[True, "one tree"]
    many = [name for name in wide[True] if name != "one tree"]
    letter = {name: interval((wide[False, name] - one)["Letter"], _TEST) for name in many}
    below = all(mean + half * strict < 0 for mean, half in letter.values())
    gains = wide[True][many].sub(one, axis=0).groupby("dataset").mean()
    small = bool((gains <= 0.5 / strict).all().all())
    behind = each({name: mean for name, (mean, _) in letter.items()}, "{:+.1f}")
    return below and small, below or small, behind, each(gains.max(axis=1), "{:+.1f}")
