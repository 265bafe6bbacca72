"""Which claims about the points and the kernels of a metric tree its experiments bear out."""

import pandas as pd

from hlsvm.chapters._evidence import interval
from hlsvm.reproduce.claim_verdicts import each


def _lost(wide: pd.DataFrame, keys) -> pd.DataFrame:
    """Return mean and half of a 95 % interval of a loss over the draws, by `keys`."""
    ends = wide.groupby(keys).lost.apply(interval)
    return pd.DataFrame(ends.tolist(), ends.index, ["mean", "half"])


def metric_14_points_need_no_labels(table, strict=1):
    wide = table.pivot(index=["dataset", "draw"], columns="points", values="tree_accuracy_pct")
    lost = _lost(wide.assign(lost=wide["training rows"] - wide["other rows"]), "dataset")
    within = lost["mean"].abs() + lost.half <= 0.5 / strict
    values = each(lost["mean"], "{:+.2f}"), each(lost.half, "{:.2f}")
    return within.all(), within.mean() > 0.5, *values


def metric_15_other_kernels(table, strict=1):
    table = table.assign(lost=table.svm_accuracy_pct - table.tree_accuracy_pct)
    lost = _lost(table, ["dataset", "kernel"])
    sure, small = lost["mean"] + lost.half <= 1 / strict, lost["mean"] <= 1 / strict
    ratio = (table.n_sv / table.avg_depth).groupby(table.kernel).mean()
    worst = lost["mean"].nlargest(3)
    values = (lost["mean"] <= 1).sum(), len(lost), each(worst, "{:+.1f}"), each(ratio, "{:.0f}")
    return sure.all(), small.mean() > 0.5, *values
