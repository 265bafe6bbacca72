"""How good a reduced set is, and whether two classifiers differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest, chi2

from hlsvm._data import check_labels, check_numbers


@dataclass(frozen=True)
class SetQuality:
    """Sizes, precision and recall of a set of rows against the support vectors of the exact SVM.

    precision = |reduced & true| / |reduced|, recall = |reduced & true| / |true|
    (SRS-SVM section 8.3).
    """

    n_true: int
    n_reduced: int
    precision: float
    recall: float


def set_quality(reduced: ArrayLike, true: ArrayLike) -> SetQuality:
    """Compare a reduced set with the support vectors of the exact solution (SRS-SVM Table 6).

    Parameters
    ----------
    reduced, true : array-like of int
        Row numbers; `true` not empty. Doubles count once.

    Returns
    -------
    SetQuality
        Precision is nan for an empty `reduced`.

    Examples
    --------
    >>> from hlsvm.subclass import set_quality
    >>> set_quality([1, 2, 3, 4], [2, 3, 9])
    SetQuality(n_true=3, n_reduced=4, precision=0.5, recall=0.6666666666666666)
    """
    reduced = np.unique(check_numbers("set_quality", "reduced", reduced, ndim=1, least=0))
    true = np.unique(check_numbers("set_quality", "true", true, ndim=1))
    both = len(np.intersect1d(reduced, true, assume_unique=True))
    precision = both / len(reduced) if len(reduced) else float("nan")
    return SetQuality(len(true), len(reduced), precision, both / len(true))


@dataclass(frozen=True)
class McNemar:
    """McNemar's test: counts of disagreement and the p-values of its three forms."""

    only_first: int
    only_second: int
    p_exact: float
    p_chi2: float
    p_corrected: float


def mcnemar(y: ArrayLike, first: ArrayLike, second: ArrayLike) -> McNemar:
    """Test whether two classifiers make equally many errors on the same samples.

    The papers do not say which form they used, so all three are given: exact binomial,
    chi-squared, and chi-squared with continuity correction.

    Parameters
    ----------
    y, first, second : array-like of shape (n,)
        True classes and two predictions.

    Returns
    -------
    McNemar
        All p-values are 1 where the two never disagree in being right.

    Examples
    --------
    >>> from hlsvm.subclass import mcnemar
    >>> test = mcnemar([0] * 12, [0] * 10 + [1] * 2, [1] * 9 + [0] * 3)
    >>> test.only_first, test.only_second, round(test.p_exact, 4)
    (9, 2, 0.0654)
    """
    y = check_labels("mcnemar", "y", y)
    first = check_labels("mcnemar", "first", first, len(y))
    second = check_labels("mcnemar", "second", second, len(y))
    b = int(np.sum((first == y) & (second != y)))
    c = int(np.sum((first != y) & (second == y)))
    if b + c == 0:
        return McNemar(0, 0, 1.0, 1.0, 1.0)
    plain = (b - c) ** 2 / (b + c)
    corrected = max(abs(b - c) - 1, 0) ** 2 / (b + c)
    return McNemar(
        b,
        c,
        float(binomtest(b, b + c).pvalue),
        float(chi2.sf(plain, 1)),
        float(chi2.sf(corrected, 1)),
    )
