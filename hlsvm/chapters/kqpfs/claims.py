"""Which claims about KQPFS and KFDA the records bear out."""

from __future__ import annotations

import numpy as np

from hlsvm.chapters._evidence import names
from hlsvm.reproduce import decides
from hlsvm.reproduce.claim_verdicts import span


def angle(gap: float) -> str:
    """Return the angle of two directions whose cosine is below 1 by `gap`, which is small."""
    return f"{np.sqrt(2 * gap):.0e} radians"


@decides("KQPFS.01")
def same_direction(sets, algebra):
    gap = max(sets.worst_gap_3_4.max(), algebra.gap_kfda_kqpfs.max())
    factor = (algebra["kfda_over_kqpfs"] / algebra["predicted_(1+t)/2c"] - 1).abs().max()
    apart = angle(sets.worst_gap_3_4.max())
    because = f"With the ridge mu I, solved separately, the directions are at most {apart} apart. "
    because += "The rule also asks for recorded runs with other regularisers; there are none."
    return False, gap < 1e-10 and factor < 1e-8, because


@decides("KQPFS.02")
def proposition_as_printed(algebra):
    parallel, factor = algebra.gap_program_kqpfs.max() < 1e-8, algebra.program_over_kqpfs
    because = f"parallel, longer by a factor of {span(factor)}"
    return parallel and (factor - 1).abs().max() < 1e-8, parallel, because


@decides("KQPFS.03")
def cosine_of_one(sets):
    gap = sets.set_index("dataset").worst_gap_3_4
    because = (
        f"On {len(gap)} sets with {sets.partitions.sum():,.0f} training parts the directions, "
    )
    because += f"solved separately, are at most {angle(gap.max())} apart (largest on the set "
    because += f"{gap.idxmax()})."
    return gap.max() <= 1e-6 and len(gap) == 13, False, because


@decides("KQPFS.04")
def faster_when_unbalanced(times):
    ratio = (times.kfda_s / times.kqpfs_s).groupby([times.n, times.prior]).first().unstack()
    ends = ratio[[0.05, 0.95]]
    because = "With a share of 0.05 or 0.95 in one class KFDA takes "
    because += f"{span(ends.stack(), '{:.2f}')} times the time of KQPFS. Each was timed once, so "
    because += "chance is not excluded."
    without = [f"{n:,}" for n in ends.index[ends.isna().any(axis=1)]]
    because += f" There is no such time for N = {names(without)}." if without else ""
    return None, None, because


@decides("KQPFS.05")
def time_and_prior(times):
    several = times.groupby("n").filter(lambda rows: len(rows) > 2).groupby("n")
    varies = several.kqpfs_s.agg(lambda s: (s.max() - s.min()) / s.mean()).max()
    middle = times[times.prior.between(0.1, 0.9)]
    faster = (middle.kfda_s < middle.kqpfs_s).all()
    because = f"KQPFS varies by {varies:.0%} over the prior, KFDA "
    because += ("faster" if faster else "not faster") + " in the middle at every N"
    return faster and varies < 0.05, faster and varies <= 0.1, because
