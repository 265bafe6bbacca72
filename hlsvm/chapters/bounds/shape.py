"""Is it T_comp that the gap follows, or anything that grows as delta falls."""

from __future__ import annotations

import numpy as np
import pandas as pd


def rivals(walks: pd.DataFrame) -> pd.DataFrame:
    """Correlate the gap with T_comp and with quantities that know less of the tree.

    Parameters
    ----------
    walks : DataFrame
        `complexity.along_delta`.

    Returns
    -------
    DataFrame
        One row a data set and protocol, mean curve over the seeds: correlation with ``T_comp``,
        the number of ``leaves``, ``delta^(-1/3)``; ``effective_share``, the mean of L'_eff/L; and
        ``least_c``, the constant of Lemma 5.3 below which a tree would break it.
    """
    rows = []
    ran = walks[walks.delta.notna()] if "delta" in walks else walks[:0]
    for (name, protocol), own in ran.groupby(["dataset", "protocol"], sort=False):
        columns = ["T_comp", "gap", "leaves", "effective_leaves_correct_rows"]
        mean = own.groupby("delta")[columns].mean()
        rows.append(
            {
                "dataset": name,
                "protocol": protocol,
                "T_comp": mean.T_comp.corr(mean.gap),
                "leaves": mean.leaves.corr(mean.gap),
                "delta^(-1/3)": float(
                    np.corrcoef(mean.index.to_numpy() ** (-1 / 3), mean.gap)[0, 1]
                ),
                "effective_share": float(np.mean(own.effective_leaves_correct_rows / own.leaves)),
                "least_c": (own.gap / own.T_comp).max(),
            }
        )
    return pd.DataFrame(rows)
