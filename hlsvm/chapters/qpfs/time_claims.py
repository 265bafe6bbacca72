"""Which claims about the time that QPFS takes the records bear out."""

import numpy as np
import pandas as pd

from hlsvm.chapters._evidence import slope
from hlsvm.reproduce.claim_verdicts import span


def _seconds(regimes):
    return regimes.groupby(["regime", "method"]).here_s.sum().unstack()


def _powers(curves: pd.DataFrame, part: str) -> dict[str, float]:
    """Return the power of the size by which the upper half of each curve grows."""
    rows = curves[curves.part == part]
    late = rows[rows["size"] >= rows["size"].median()]
    return {n: slope(r["size"], r.seconds) for n, r in late.groupby("label", sort=False)}


def qpfs_02_faster_than_mrmr(regimes, curves):
    total = _seconds(regimes)
    ratio = dict(total["mRMR"] / total["QPFS+Nystrom"])
    last = curves[curves.part == "features M"]
    last = last[last["size"] == last["size"].max()].set_index("label").seconds
    for label in last.index[last.index.str.startswith("QPFS+N")]:
        ratio[f"SRBCT {label.partition(' ')[2]}"] = last["mRMR"] / last[label]
    above = sum(value > 1 for value in ratio.values())
    values = span(ratio.values(), "{:.2g}"), above, len(ratio)
    return above == len(ratio), above > len(ratio) / 2, *values


def qpfs_31_cost_of_selection(regimes, curves):
    total = _seconds(regimes)
    power = _powers(curves, "features M")
    right = abs(power["mRMR"] - 2) <= 0.2 and abs(power["QPFS"] - 3) <= 0.2
    dearer = (total["QPFS"] >= total["mRMR"]).all()
    cheaper = (total["QPFS+Nystrom"] < total["mRMR"]).all()
    values = power["mRMR"], power["QPFS"], span(total["QPFS"] / total["mRMR"], "{:.2g}")
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
    power["sampling rate"] = _powers(curves, "sampling rate p")["QPFS+N"]
    wanted = {"mRMR": 2, "QPFS": 3, "QPFS+N p = 0.1": 2, "sampling rate": 2}
    right = [abs(power[name] - value) <= 0.3 for name, value in wanted.items()]
    return all(right), sum(right) >= 2, power
