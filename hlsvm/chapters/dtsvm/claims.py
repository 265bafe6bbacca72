"""Which claims about DTSVM the records bear out."""

import numpy as np
import pandas as pd
from scipy.stats import gmean, linregress, t, wilcoxon

from hlsvm.chapters.evidence import binomial_error, p_lower, paired_interval, pivoted
from hlsvm.reproduce.claim_verdicts import NotTold, each, span

_MODES = ("1A1", "1AO")
_CELL = ["dataset", "mode"]
_TEST_SHARE = 1 / 6  # share of the rows that test
_LETTER_TEST = 3333  # rows of the test part of Letter


def _pairs(first, second, column) -> pd.DataFrame:
    """Return a column of two figures (1A1, 1AO): set and mode down, methods across."""
    wide = {m: pivoted(f, column) for m, f in zip(_MODES, (first, second), strict=True)}
    return pd.concat(wide, names=["mode"]).swaplevel()


def _at(values, *sets):
    return values[values.index.isin(sets, level="dataset")]


def _measured(wide, searches):
    """Return the sets and modes in which LIBSVM's search was run whole."""
    libsvm = searches[(searches.method == "LIBSVM") & searches.tnsv.notna()].set_index(_CELL)
    extrapolated = libsvm.extrapolated.astype(str).str.lower().isin(["true", "1", "1.0"])
    rows = wide[wide.index.isin(libsvm.index[~extrapolated])]
    if rows.empty:
        raise NotTold("missing: LIBSVM's whole search; it is extrapolated from a part of the rows")
    return rows


def dtsvm_01_speed_up(first, second, searches):
    gain = _measured(_pairs(first, second, "speed_up"), searches)["DTSVM"]
    least = {mode: gain.xs(mode, level="mode").min() for mode in _MODES}
    holds = least["1A1"] >= 4 and least["1AO"] >= 29 and gain.max() >= 1000
    return holds, gain.min() > 1 and gain.max() >= 100, gain


def dtsvm_02_accuracy(first, second, searches):
    both = _measured(_pairs(first, second, "accuracy_pct"), searches)
    gap = both["DTSVM"] - both["LIBSVM"]
    in_part = (gap > -0.5).mean() > 0.5 or gap.min() > -1.5
    several = "minus_libsvm_half" in first
    low = gap - _pairs(first, second, "minus_libsvm_half")["DTSVM"] if several else gap
    return several and (low > -0.5).all(), in_part, several, low


def dtsvm_05_stored_vectors(searches):
    wide = _measured(pivoted(searches, "tnsv", _CELL), searches)
    ratio = wide["DTSVM"] / wide["LIBSVM"]
    near = ratio.between(0.8, 1.25)
    return near.all(), ratio.between(0.5, 2).all() or near.mean() > 0.5, ratio


def dtsvm_06_test_seconds(times, searches):
    wide = _measured(pivoted(times[times["mode"].isin(_MODES)], "test_s", _CELL), searches)
    ratio = wide["LIBSVM"] / wide["DTSVM"]
    return ratio.min() > 1, (ratio > 1).mean() >= 2 / 3, ratio


def dtsvm_07_share_of_the_tree(times, ceilings):
    several = ceilings[(ceilings.sigma_opt < ceilings.rows) & (ceilings.method == "DTSVM")]
    rows = times[(times.method == "DTSVM") & times.test_s.notna()].set_index(_CELL)
    rows = rows[rows.index.isin(several.set_index(_CELL).index)]
    cart = times[times.method == "CART"].set_index("dataset").test_s
    share = 100 * rows.test_s_tree / rows.test_s
    slower = (rows.test_s_tree.rdiv(cart, level="dataset") > 1).all()
    return False, slower and (share <= 10).mean() > 0.5, span(share, "{:.1f}"), slower


def dtsvm_08_cart(first, second):
    wide = _pairs(first, second, "accuracy_pct")
    gap = wide["CART"] - wide.drop(columns="CART").max(axis=1)
    matches = _at(gap, "Shuttle", "KDD-10%")
    good = (matches >= -0.2).all()
    others = gap[~gap.index.isin(matches.index)]
    return good and (others <= -2).all(), good, gap.xs("1A1", level="mode", drop_level=False)


def dtsvm_14_large_sets(first, second, ceilings):
    wide = _pairs(first, second, "accuracy_pct")
    gap = wide.drop(columns="DTSVM").rsub(wide["DTSVM"], axis=0)
    sizes = ceilings[ceilings.rows.notna()].groupby("method").rows.max()
    equal = sizes.get("RDSVM", 0) == sizes.get("DTSVM", 0)
    good = gap["CART"].min() >= -0.5
    above = {name: gap[name].min() > 1 for name in ("LIBLINEAR", "RDSVM")}
    values = gap["LIBLINEAR"].min(), gap["CART"].min(), equal
    return good and equal and all(above.values()), good and above["LIBLINEAR"], *values


def dtsvm_16_first_ceiling(curve):
    width = curve.groupby("dataset").test_accuracy_pct.agg(np.ptp)
    return width.max() <= 0.5, (width > 0.5).sum() <= 2, width


def dtsvm_17_carried_pairs(curve):
    width = curve.groupby("dataset").test_accuracy_pct.agg(np.ptp)
    first = width.drop("Letter").max() <= 0.5
    letter = curve[curve.dataset == "Letter"].set_index("k").test_accuracy_pct
    best = letter[[5, 7]].max()
    errors = 100 - letter[1], 100 - best
    p = p_lower(errors[1], errors[0], *(binomial_error(e, _LETTER_TEST) for e in errors))
    return first and p < 0.05 and best >= letter[9], first, width, letter[1], best


def dtsvm_19_homogeneous_leaves(table, strict=1):
    share = table.set_index("dataset").homogeneous_leaf_train_pct[["Shuttle", "KDD-10%"]]
    return False, (share > 100 - 10 / strict).any(), share


def dtsvm_20_cheap_search(ceilings, libsvm):
    letter = ceilings[(ceilings.dataset == "Letter") & ceilings.train_s.notna()]
    total = letter.groupby("mode").train_s.sum()
    share = letter[letter.sigma == 1500].set_index("mode").train_s / total
    least = libsvm[(libsvm.dataset == "Letter") & libsvm.n.notna()].groupby("mode").train_s.max()
    faster = (least > total).all()
    ways = {"1A1": "one against one", "1AO": "one against the others"}
    share, least = share.rename(ways), (least / total).rename(ways)
    most = (share > 0.5).all()
    return most and faster, most or faster, share, least


def dtsvm_21_ceiling_pays(table):
    rows = table[(table.dataset == "Letter") & table.test_accuracy_pct.notna()]
    error = 100 - rows.pivot(index="mode", columns="sigma", values="test_accuracy_pct")
    last, worse = error.columns[-1], {}
    for sigma in error.columns[:-1]:
        pairs = error[[last, sigma]].to_numpy()
        worse[sigma] = all(p_lower(*p, *binomial_error(p, _LETTER_TEST)) < 0.05 for p in pairs)
    lost = error.sub(error[last], axis=0).max()
    values = lost[:-1], [str(sigma) for sigma in worse if worse[sigma]]
    return all(worse.values()) and lost.iloc[0] >= 1, any(worse.values()), *values


def dtsvm_28_first_term_exceeds(table):
    rows = table[table.T1.notna()]
    ratio = pd.concat([rows.T1 / rows.T2, rows.T1_as_defined / rows.T2_as_defined])
    return ratio.min() >= 10, ratio.min() > 1, ratio.min(), ratio.max()


def dtsvm_29_slack_to_margin(table, strict=1):
    rows = table[table.S_global.notna()].set_index(["dataset", "mode"])
    ratio, local = rows.R_dtsvm / rows.S_global, rows.R_over_L < rows.S_global
    scaled = ratio**strict
    between = scaled.between(0.1, 10)
    holds = scaled.between(0.1, 3).all() and local.all()
    values = span(ratio), between.sum(), len(ratio), local.sum()
    return holds, between.all() or (between.mean() > 0.5 and local.all()), *values


_WHAT = {"train_s": "training times", "nesv": "support vectors met", "speed_up": "speed-ups"}
_WHAT |= {"accuracy_pct": "accuracies", "nesv_ratio": "ratios of support vectors met"}


def _by_set(first, second, column, *methods):
    """Return `_pairs` of what is recorded on all rows, where all these methods were run whole."""
    whole = [f[f.reindex(columns=["basis"]).basis.eq("all rows")] for f in (first, second)]
    wide = _pairs(*whole, column)
    rows = wide.reindex(columns=[*dict.fromkeys([*wide, *methods])]).dropna(subset=list(methods))
    if rows.empty:
        all_of = ", ".join(methods)
        raise NotTold(f"missing: {_WHAT[column]} on all rows of one set for all of {all_of}")
    return rows


def _columns(figures, rival, *columns):
    """Return `_by_set` of each column; its two figures (1A1, 1AO) stand at its place."""
    modes = zip(figures[::2], figures[1::2], columns, strict=True)
    return [_by_set(*both, column, "DTSVM", rival) for *both, column in modes]


def dtsvm_03_only_cart_is_faster(first, second):
    seconds = _by_set(first, second, "train_s", "CART", "DTSVM", "LIBSVM", "RDSVM")
    rivals = seconds.drop(columns=["CART", "DTSVM", "LIBLINEAR"], errors="ignore").min(axis=1)
    good = (seconds.CART < seconds.DTSVM) & (rivals > seconds.DTSVM)
    return good.all(), good.mean() >= 2 / 3, good.sum(), len(good), rivals / seconds.DTSVM


def dtsvm_04_fewest_encountered(first, second):
    nesv = _by_set(first, second, "nesv", "DTSVM", "LIBSVM")
    least = 1.1 * nesv.drop(columns="DTSVM").min(axis=1) >= nesv.DTSVM
    ratio = nesv.LIBSVM / nesv.DTSVM
    named, few = _at(ratio, "Shuttle", "Poker", "CI", "KDD-10%"), _at(nesv.DTSVM, "Shuttle")
    holds = least.all() and (named >= 5).all() and len(few) and few.max() < 1
    return bool(holds), least.mean() >= 2 / 3, least.sum(), len(least), ratio


def dtsvm_09_random_partition(*figures):
    accuracy, seconds, nesv = _columns(figures, "RDSVM", "accuracy_pct", "train_s", "nesv")
    gap = (accuracy.RDSVM - accuracy.DTSVM).abs()
    slower, more = (wide.RDSVM / wide.DTSVM for wide in (seconds, nesv))
    three = ("Shuttle", "Poker", "KDD-10%")
    cost = [_at(slower, *three), _at(more, *three, "CI")]
    dearer = all(len(ratio) and ratio.min() > 1 for ratio in cost)
    return gap.max() <= 0.5 and dearer, gap.max() <= 0.5 or dearer, gap, *cost


def dtsvm_10_boundary_detection(*figures):
    accuracy, gain, ratio = _columns(figures, "CBD", "accuracy_pct", "speed_up", "nesv_ratio")
    lost = _at(accuracy.DTSVM - accuracy.CBD, "Letter")
    parts = (
        (gain.CBD > 1).mean() > 0.5 and (ratio.CBD > 1).mean() > 0.5,
        all(gmean(w.DTSVM[w.DTSVM > 0]) > gmean(w.CBD[w.CBD > 0]) for w in (gain, ratio)),
        bool(len(lost)) and lost.min() > 0,
    )
    return all(parts), sum(parts) == 2, gain.CBD, ratio.CBD, lost


def dtsvm_11_bagging(*figures):
    accuracy, gain, ratio = _columns(figures, "Bagging", "accuracy_pct", "speed_up", "nesv_ratio")
    lost = _at(accuracy.DTSVM - accuracy.Bagging, "Letter")
    slow, more = (
        wide.Bagging[wide.Bagging < 1].index.unique("dataset").size for wide in (gain, ratio)
    )
    deficit = bool(len(lost)) and lost.min() > 2 * binomial_error(50, _LETTER_TEST)
    parts = (slow >= 2, more >= 2, deficit)
    return all(parts), sum(parts) == 2, _sets(slow), _sets(more), lost


def _sets(count):
    return f"{count} set" + "s" * (count != 1)


def dtsvm_12_online_svm(*figures):
    gain, ratio = _columns(figures, "LASVM", "speed_up", "nesv_ratio")
    median = gain[["LASVM", "DTSVM"]].median()
    fast = 1 <= median.LASVM <= 3 and median.LASVM < median.DTSVM / 10
    few = (ratio.LASVM > 1).mean() > 0.5 and (ratio.LASVM < ratio.DTSVM).mean() > 0.5
    return fast and few, fast or few, median.LASVM, median.DTSVM, ratio.LASVM


def dtsvm_15_support_vectors_on_large_sets(first, second, medium, medium_others):
    large = _by_set(first, second, "nesv", "DTSVM", "RDSVM")
    kdd = _at(_by_set(medium, medium_others, "nesv", "DTSVM", "RDSVM"), "KDD-10%")
    if kdd.empty:
        raise NotTold("missing: DTSVM and RDSVM on all rows of KDD-10%")
    both = pd.concat([large, kdd])
    ratio = both.RDSVM / both.DTSVM
    return ratio.min() >= 2, ratio.min() > 1, ratio


def dtsvm_18_smallest_ceiling(medium, large):
    table = pd.concat([medium, large])
    wide, rows = (
        pivoted(table[table.sigma_opt.notna()], name, _CELL) for name in ("sigma_opt", "rows")
    )
    first = (wide.DTSVM[~wide.index.isin(["Letter"], level="dataset")] <= 1500).all()
    higher = _at(wide.RDSVM[rows.RDSVM == rows.DTSVM], "CI", "Poker", "Forest sample")
    good = (higher > 1500).all()
    rival = f"at {each(higher, '{:.0f}')}" if len(higher) else "was run on fewer rows"
    return first and good if len(higher) else None, first or good, wide.DTSVM, rival


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
    letter = {
        name: paired_interval((wide[False, name] - one)["Letter"], _TEST_SHARE) for name in many
    }
    below = all(mean + half * strict < 0 for mean, half in letter.values())
    gains = wide[True][many].sub(one, axis=0).groupby("dataset").mean()
    small = bool((gains <= 0.5 / strict).all().all())
    behind = each({name: mean for name, (mean, _) in letter.items()}, "{:+.1f}")
    return below and small, below or small, behind, each(gains.max(axis=1), "{:+.1f}")
