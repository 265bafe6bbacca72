"""Which claims about H-LSVM's parts its experiments without a figure bear out."""

import pandas as pd

from hlsvm.chapters._evidence import holm, resampled_t
from hlsvm.reproduce.claim_verdicts import each

_PLAIN = 0.0  # test share of draws that are judged on one and the same test part
_BANANA = 0.25  # test share of the divisions of the banana


def _significant(gaps: pd.DataFrame, share: float = _PLAIN) -> list[str]:
    """Return the columns whose mean over the draws is above zero, by Holm's rule."""
    return holm({name: resampled_t(gaps[name], share)[2] for name in gaps})


def hlsvm_24_pruning_cures_the_banana(table):
    table = table.assign(gap_pct=table.error_pct - table.train_error_pct)
    wide = table.pivot(index="division", columns="rho")
    mean = wide.mean()
    falls = {
        name: wide[name][0.0] - wide[name][0.1] for name in ("gap_pct", "error_pct", "n_planes")
    }
    p = {name: resampled_t(fall, _BANANA)[2] for name, fall in falls.items()}
    values = [
        mean[name, rho] for name in ("error_pct", "gap_pct", "n_planes") for rho in (0.0, 0.1)
    ]
    smaller, worse = p["gap_pct"] < 0.05, p["error_pct"] > 0.95
    in_part = smaller and falls["n_planes"].mean() > 0 and not worse
    return smaller and p["error_pct"] < 0.05, in_part, *values, p["error_pct"]


def hlsvm_26_bias_is_essential(table):
    wide = table.pivot_table(index="draw", columns=["bias", "dataset", "scaling"]).error_pct
    gaps = wide["no bias"] - wide["in the hinge test"]
    gaps.columns = [f"{name}, {'scaled' if s == 'minmax' else 'shipped'}" for name, s in gaps]
    sure = _significant(gaps)
    return len(sure) > gaps.shape[1] / 2, bool(sure), gaps.mean(), len(sure), gaps.shape[1]


def hlsvm_17_both_children_and_weights(table):
    errors = table.pivot_table(index="draw", columns=["children", "weights", "dataset"]).error_pct
    cost = table.pivot_table(index="dataset", columns=["children", "weights"]).hyp_mean
    ours = errors["both", "balanced"]
    gains = {
        "both children": errors["one", "balanced"] - ours,
        "balanced weights": errors["both", "uniform"] - ours,
        "both together": errors["one", "uniform"] - ours,
    }
    sure = {name: _significant(gap) for name, gap in gains.items()}
    ratio = (cost["both", "balanced"] / cost["one", "balanced"]).max()
    most = {name: len(found) > ours.shape[1] / 2 for name, found in sure.items()}
    holds = most["both children"] and most["balanced weights"] and ratio <= 3.2
    return holds, any(most.values()), *sure.values(), ratio


def hlsvm_27_nodes_are_linear_svms(nodes, strict=1):
    near = (nodes.relative_gap < 0.01 / strict) & (nodes.angle < 5 / strict)
    weight = nodes.n.groupby([nodes.solver, nodes.dataset])
    share = (nodes.n * near).groupby([nodes.solver, nodes.dataset]).sum() / weight.sum()
    largest = weight.transform("max")
    large = nodes[(nodes.n >= 0.1 * largest) & (nodes.solver == "printed")]
    values = [each(100 * share[name], "{:.0f} %") for name in ("printed", "mended", "dual")]
    return bool((share["printed"] >= 0.95).all()), bool(near[large.index].all()), *values
