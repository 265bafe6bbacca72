"""Statistics with which recorded tables decide claims."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from hlsvm.reproduce import canonical

# Rows of H-LSVM that are the source's method, best first: the sources' settings before our own.
_SOURCE = ("H-LSVM, as printed", "H-LSVM, settings of Table 5.3", "H-LSVM, settings of Table 6.1")


def by_method(table: pd.DataFrame, column: str, keys="dataset") -> pd.DataFrame:
    """Return what `pivoted` does, methods by their one name ("H-LSVM": as in the source)."""
    rows = table[table[column].notna()]
    wide = rows.pivot_table(index=keys, columns="method", values=column, sort=False)
    wide.columns = [canonical(name, strict=False) for name in wide.columns]
    for name in reversed(_SOURCE):
        if name in wide:
            wide["H-LSVM"] = wide[name].fillna(wide.get("H-LSVM"))
    return wide


def pivoted(table: pd.DataFrame, column: str, keys="dataset", of="method") -> pd.DataFrame:
    """Return a column of a table with one column a method, rows without a number left out."""
    return table[table[column].notna()].pivot(index=keys, columns=of, values=column)


def answers(texts: pd.DataFrame) -> pd.Series:
    """Return the recorded numbers in running text by their ids."""
    return texts.set_index("id").value.astype(float)


def binomial_error(pct, rows):
    """Return the standard error of a percentage of test rows, in points."""
    share = np.asarray(pct) / 100
    return 100 * np.sqrt(share * (1 - share) / rows)


def p_lower(first, second, se_first, se_second) -> float:
    """Return the one-sided p that `first` is not below `second`, the two taken as independent."""
    scale = np.hypot(se_first, se_second)
    return float(stats.norm.cdf((first - second) / scale)) if scale > 0 else float(first >= second)


def corrected_error(sd, folds: int, test_share: float):
    """Return the standard error of a mean over resampled test parts (Nadeau and Bengio)."""
    return sd * np.sqrt(1 / folds + test_share / (1 - test_share))


def holm(p: Mapping[str, float], level: float = 0.05) -> list[str]:
    """Return the names whose p value stays significant among all (Holm)."""
    kept = []
    for rank, name in enumerate(sorted(p, key=p.get)):
        if p[name] > level / (len(p) - rank):
            break
        kept.append(name)
    return kept


def slope(x, y) -> float:
    """Return the slope of log y over log x, by least squares."""
    return float(np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)[0])


def resampled_t(gaps, test_share: float) -> tuple[float, float, float]:
    """Test differences over the folds of repeated cross-validation (Nadeau and Bengio).

    `test_share` is the share of the rows in a test part: its error counts, because training parts
    overlap. Returned are the mean difference, its corrected standard error, and the p value of "the
    mean is not positive", which is 0.5 without any difference.
    """
    gaps = np.asarray(gaps, dtype=float)
    mean = float(gaps.mean())
    error = float(corrected_error(gaps.std(ddof=1), len(gaps), test_share))
    if error == 0:
        return mean, error, 0.5 if mean == 0 else float(mean < 0)
    return mean, error, float(stats.t.sf(mean / error, len(gaps) - 1))


def paired_interval(gaps, test_share: float = 0.0) -> tuple[float, float]:
    """Return the mean difference of two methods and the half width of its 95 % interval.

    Parameters
    ----------
    gaps : array of shape (turns,)
        Difference of the two methods in every turn.
    test_share : float, default=0.0
        0 where the turns are drawn independently of each other. For divisions of one data set, the
        share of the rows in a test part: the interval is then that of the corrected resampled t
        test (Nadeau and Bengio), because training parts overlap.

    Examples
    --------
    >>> mean, half = paired_interval([2.0, 1.0, 3.0, 2.0], 0.25)
    >>> round(mean, 1), round(half, 2)
    (2.0, 1.98)
    """
    mean, error, _ = resampled_t(gaps, test_share)
    return mean, float(stats.t.ppf(0.975, len(gaps) - 1) * error)
