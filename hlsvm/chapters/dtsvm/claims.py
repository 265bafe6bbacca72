"""Which claims about DTSVM the records bear out."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import gmean

from hlsvm.chapters._evidence import binomial_error, each, names, p_lower, pivoted
from hlsvm.reproduce.claim_verdicts import NotTold, span

_MODES = ("1A1", "1AO")
_CELL = ["dataset", "mode"]
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


def _named(values, form="{:.3g}"):
    return each({" ".join(key): value for key, value in values.items()}, form)


def dtsvm_01_speed_up(first, second, searches):
    gain = _measured(_pairs(first, second, "speed_up"), searches)["DTSVM"]
    least = {mode: gain.xs(mode, level="mode").min() for mode in _MODES}
    holds = least["1A1"] >= 4 and least["1AO"] >= 29 and gain.max() >= 1000
    return holds, gain.min() > 1 and gain.max() >= 100, f"speed-up {_named(gain)}"


def dtsvm_02_accuracy(first, second, searches):
    both = _measured(_pairs(first, second, "accuracy_pct"), searches)
    gap = both["DTSVM"] - both["LIBSVM"]
    in_part = (gap > -0.5).mean() > 0.5 or gap.min() > -1.5
    if "minus_libsvm_half" not in first:
        return False, in_part, f"points above LIBSVM, one division: {_named(gap, '{:+.2f}')}"
    low = gap - _pairs(first, second, "minus_libsvm_half")["DTSVM"]
    because = f"points above LIBSVM, lower end of the 95 % interval: {_named(low, '{:+.2f}')}"
    return (low > -0.5).all(), in_part, because


def dtsvm_05_stored_vectors(searches):
    wide = _measured(pivoted(searches, "tnsv", _CELL), searches)
    ratio = wide["DTSVM"] / wide["LIBSVM"]
    near = ratio.between(0.8, 1.25)
    holds_in_part = ratio.between(0.5, 2).all() or near.mean() > 0.5
    return near.all(), holds_in_part, f"DTSVM over LIBSVM {_named(ratio)}"


def dtsvm_06_test_seconds(times, searches):
    wide = _measured(pivoted(times[times["mode"].isin(_MODES)], "test_s", _CELL), searches)
    ratio = wide["LIBSVM"] / wide["DTSVM"]
    return ratio.min() > 1, (ratio > 1).mean() >= 2 / 3, f"LIBSVM over DTSVM {_named(ratio)}"


def dtsvm_07_share_of_the_tree(times, ceilings):
    several = ceilings[(ceilings.sigma_opt < ceilings.rows) & (ceilings.method == "DTSVM")]
    rows = times[(times.method == "DTSVM") & times.test_s.notna()].set_index(_CELL)
    rows = rows[rows.index.isin(several.set_index(_CELL).index)]
    cart = times[times.method == "CART"].set_index("dataset").test_s
    share = 100 * rows.test_s_tree / rows.test_s
    slower = (rows.test_s_tree.rdiv(cart, level="dataset") > 1).all()
    because = f"tree's share {span(share, '{:.1f}')} %, CART slower than the tree "
    because += ("everywhere" if slower else "not everywhere") + "; depths are not recorded"
    return False, slower and (share <= 10).mean() > 0.5, because


def dtsvm_08_cart(first, second):
    wide = _pairs(first, second, "accuracy_pct")
    gap = wide["CART"] - wide.drop(columns="CART").max(axis=1)
    matches = _at(gap, "Shuttle", "KDD-10%")
    good = (matches >= -0.2).all()
    because = "points from the best: "
    because += f"{_named(gap.xs('1A1', level='mode', drop_level=False), '{:.2f}')}"
    return good and (gap[~gap.index.isin(matches.index)] <= -2).all(), good, because


def dtsvm_14_large_sets(first, second, ceilings):
    wide = _pairs(first, second, "accuracy_pct")
    gap = wide.drop(columns="DTSVM").rsub(wide["DTSVM"], axis=0)
    sizes = ceilings[ceilings.rows.notna()].groupby("method").rows.max()
    equal = sizes.get("RDSVM", 0) == sizes.get("DTSVM", 0)
    good = gap["CART"].min() >= -0.5
    because = f"points above LIBLINEAR {gap['LIBLINEAR'].min():.1f}, CART {gap['CART'].min():.1f}"
    because += "" if equal else "; RDSVM was run on fewer rows"
    above = {name: gap[name].min() > 1 for name in ("LIBLINEAR", "RDSVM")}
    return good and equal and all(above.values()), good and above["LIBLINEAR"], because


def _range(curve):
    return curve.groupby("dataset").test_accuracy_pct.agg(np.ptp)


def dtsvm_16_first_ceiling(curve):
    width = _range(curve)
    because = f"range of the accuracy, points: {each(width)}"
    return width.max() <= 0.5, (width > 0.5).sum() <= 2, because


def dtsvm_17_carried_pairs(curve):
    width = _range(curve)
    first = width.drop("Letter").max() <= 0.5
    letter = curve[curve.dataset == "Letter"].set_index("k").test_accuracy_pct
    best = letter[[5, 7]].max()
    errors = 100 - letter[1], 100 - best
    p = p_lower(errors[1], errors[0], *(binomial_error(e, _LETTER_TEST) for e in errors))
    because = f"range, points: {each(width)}; Letter {letter[1]:.1f} % at k = 1, {best:.1f} at 5 "
    because += "or 7"
    return first and p < 0.05 and best >= letter[9], first, because


def dtsvm_19_homogeneous_leaves(table, strict=1):
    share = table.set_index("dataset").homogeneous_leaf_train_pct[["Shuttle", "KDD-10%"]]
    because = f"{each(share, '{:.1f}')} % of the rows are in leaves of one class; missing: the "
    because += "random partition"
    return False, (share > 100 - 10 / strict).any(), because


def dtsvm_20_cheap_search(ceilings, libsvm):
    letter = ceilings[(ceilings.dataset == "Letter") & ceilings.train_s.notna()]
    total = letter.groupby("mode").train_s.sum()
    share = letter[letter.sigma == 1500].set_index("mode").train_s / total
    least = libsvm[(libsvm.dataset == "Letter") & libsvm.n.notna()].groupby("mode").train_s.max()
    faster = (least > total).all()
    ways = {"1A1": "one against one", "1AO": "one against the others"}
    share, least = share.rename(ways), (least / total).rename(ways)
    because = f"share of the time at the smallest ceiling: {each(share, '{:.0%}')}; LIBSVM takes "
    because += f"at least so many times as long: {each(least, '{:.1f}')}"
    most = (share > 0.5).all()
    return most and faster, most or faster, because


def dtsvm_21_ceiling_pays(table):
    rows = table[(table.dataset == "Letter") & table.test_accuracy_pct.notna()]
    error = 100 - rows.pivot(index="mode", columns="sigma", values="test_accuracy_pct")
    last, worse = error.columns[-1], {}
    for sigma in error.columns[:-1]:
        pairs = error[[last, sigma]].to_numpy()
        worse[sigma] = all(
            p_lower(*pair, *binomial_error(pair, _LETTER_TEST)) < 0.05 for pair in pairs
        )
    lost = error.sub(error[last], axis=0).max()
    because = f"points lost at the ceiling: {each(lost[:-1])}; significant at: "
    because += names(str(sigma) for sigma in worse if worse[sigma])
    return all(worse.values()) and lost.iloc[0] >= 1, any(worse.values()), because


def dtsvm_28_first_term_exceeds(table):
    rows = table[table.T1.notna()]
    ratio = pd.concat([rows.T1 / rows.T2, rows.T1_as_defined / rows.T2_as_defined])
    because = f"T1 / T2 from {ratio.min():.3g} to {ratio.max():.3g}"
    return ratio.min() >= 10, ratio.min() > 1, because


def dtsvm_29_slack_to_margin(table, strict=1):
    rows = table[table.S_global.notna()].set_index(["dataset", "mode"])
    ratio, local = rows.R_dtsvm / rows.S_global, rows.R_over_L < rows.S_global
    scaled = ratio**strict
    between = scaled.between(0.1, 10)
    because = f"R is {span(ratio)} times S ({between.sum()} of {len(ratio)} between "
    because += f"0.1 and 10 times); the mean term of a leaf is below S in {local.sum()}"
    holds = scaled.between(0.1, 3).all() and local.all()
    return holds, between.all() or (between.mean() > 0.5 and local.all()), because


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
    because = f"DTSVM second after CART in {good.sum()} of {len(good)} cells; fastest other over "
    because += f"DTSVM: {_named(rivals / seconds.DTSVM)}"
    return good.all(), good.mean() >= 2 / 3, because


def dtsvm_04_fewest_encountered(first, second):
    nesv = _by_set(first, second, "nesv", "DTSVM", "LIBSVM")
    least = 1.1 * nesv.drop(columns="DTSVM").min(axis=1) >= nesv.DTSVM
    ratio = nesv.LIBSVM / nesv.DTSVM
    named, few = _at(ratio, "Shuttle", "Poker", "CI", "KDD-10%"), _at(nesv.DTSVM, "Shuttle")
    because = f"smallest or within 10 % in {least.sum()} of {len(least)} cells; LIBSVM over DTSVM "
    because += _named(ratio)
    holds = least.all() and (named >= 5).all() and len(few) and few.max() < 1
    return bool(holds), least.mean() >= 2 / 3, because


def dtsvm_09_random_partition(*figures):
    accuracy, seconds, nesv = _columns(figures, "RDSVM", "accuracy_pct", "train_s", "nesv")
    gap = (accuracy.RDSVM - accuracy.DTSVM).abs()
    slower, more = (wide.RDSVM / wide.DTSVM for wide in (seconds, nesv))
    three = ("Shuttle", "Poker", "KDD-10%")
    cost = [_at(slower, *three), _at(more, *three, "CI")]
    dearer = all(len(ratio) and ratio.min() > 1 for ratio in cost)
    because = f"points apart {_named(gap, '{:.2f}')}; times as slow {_named(cost[0])}; "
    because += f"times the support vectors {_named(cost[1])}"
    return gap.max() <= 0.5 and dearer, gap.max() <= 0.5 or dearer, because


def dtsvm_10_boundary_detection(*figures):
    accuracy, gain, ratio = _columns(figures, "CBD", "accuracy_pct", "speed_up", "nesv_ratio")
    lost = _at(accuracy.DTSVM - accuracy.CBD, "Letter")
    parts = (
        (gain.CBD > 1).mean() > 0.5 and (ratio.CBD > 1).mean() > 0.5,
        all(gmean(w.DTSVM[w.DTSVM > 0]) > gmean(w.CBD[w.CBD > 0]) for w in (gain, ratio)),
        bool(len(lost)) and lost.min() > 0,
    )
    because = f"CBD's speed-up {_named(gain.CBD)}; its ratio of support vectors "
    because += f"{_named(ratio.CBD)}; points lost on Letter {_named(lost, '{:.2f}')}"
    return all(parts), sum(parts) == 2, because


def dtsvm_11_bagging(*figures):
    accuracy, gain, ratio = _columns(figures, "Bagging", "accuracy_pct", "speed_up", "nesv_ratio")
    lost = _at(accuracy.DTSVM - accuracy.Bagging, "Letter")
    slow, more = (
        wide.Bagging[wide.Bagging < 1].index.unique("dataset").size for wide in (gain, ratio)
    )
    deficit = bool(len(lost)) and lost.min() > 2 * binomial_error(50, _LETTER_TEST)
    because = f"slower than LIBSVM on {_sets(slow)}, more support vectors on "
    because += f"{_sets(more)}; points lost on Letter {_named(lost, '{:.2f}')}"
    parts = (slow >= 2, more >= 2, deficit)
    return all(parts), sum(parts) == 2, because


def _sets(count):
    return f"{count} set" + "s" * (count != 1)


def dtsvm_12_online_svm(*figures):
    gain, ratio = _columns(figures, "LASVM", "speed_up", "nesv_ratio")
    median = gain[["LASVM", "DTSVM"]].median()
    fast = 1 <= median.LASVM <= 3 and median.LASVM < median.DTSVM / 10
    few = (ratio.LASVM > 1).mean() > 0.5 and (ratio.LASVM < ratio.DTSVM).mean() > 0.5
    because = f"median speed-up {median.LASVM:.2g}, DTSVM's {median.DTSVM:.3g}; "
    because += f"ratio of support vectors {_named(ratio.LASVM)}"
    return fast and few, fast or few, because


def dtsvm_15_support_vectors_on_large_sets(first, second, medium, medium_others):
    large = _by_set(first, second, "nesv", "DTSVM", "RDSVM")
    kdd = _at(_by_set(medium, medium_others, "nesv", "DTSVM", "RDSVM"), "KDD-10%")
    if kdd.empty:
        raise NotTold("missing: DTSVM and RDSVM on all rows of KDD-10%")
    both = pd.concat([large, kdd])
    ratio = both.RDSVM / both.DTSVM
    return ratio.min() >= 2, ratio.min() > 1, f"RDSVM over DTSVM {_named(ratio)}"


def dtsvm_18_smallest_ceiling(medium, large):
    table = pd.concat([medium, large])
    wide, rows = (
        pivoted(table[table.sigma_opt.notna()], name, _CELL) for name in ("sigma_opt", "rows")
    )
    first = (wide.DTSVM[~wide.index.isin(["Letter"], level="dataset")] <= 1500).all()
    higher = _at(wide.RDSVM[rows.RDSVM == rows.DTSVM], "CI", "Poker", "Forest sample")
    because = f"DTSVM ends at {_named(wide.DTSVM, '{:.0f}')}; RDSVM "
    if higher.empty:
        raise NotTold(because + "was run on fewer rows")
    good = (higher > 1500).all()
    return first and good, first or good, because + f"at {_named(higher, '{:.0f}')}"
