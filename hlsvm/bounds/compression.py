r"""Bounds for classifiers that a part of their rows determines: stable sample compression.

A compression c maps a sample D to a part of it. It is *stable* (it has the property of preference)
if every sample V between, :math:`c(D) \subseteq V \subseteq D`, has c(V) = c(D): a row that was
left out may go. Then the size of c(D) alone says how likely a further row is to change it, without
the :math:`\ln \binom{n}{k}` nats of a free choice of rows: see `compression_upper`.
"""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp

from hlsvm._data import check_data, check_labels
from hlsvm._params import check_like, check_number
from hlsvm.bounds.result import Bound

__all__ = ["compression_upper", "margin_bound"]

_NEEDED = ("decision_function", "dual_coef_", "support_", "classes_", "C", "gamma", "tol")
_SOLVED = 2.0  # rows up to so many tolerances outside the margin count as rows on it


def compression_upper(size: int, n: int, log_delta: float) -> float:
    r"""Bound the chance that a further row changes a stable compression of `size` of n rows.

    The value is the root :math:`\varepsilon` of (Campi and Garatti 2023)

    .. math:: \frac{\delta}{n} \sum_{m=k}^{n-1} \binom{m}{k} \binom{n}{k}^{-1}
              (1 - \varepsilon_k)^{-(n-m)} = 1, \qquad \varepsilon_n = 1 .

    Where a row that is classified wrongly always changes the compression, it bounds the error.

    Parameters
    ----------
    size : int
        Rows k that the compression keeps.
    n : int
        Rows of the sample; those that were fixed before it was seen do not count.
    log_delta : float
        :math:`\ln \delta \le 0`.

    Returns
    -------
    float
        Holds with confidence 1 - delta, whatever the size turns out to be.

    Notes
    -----
    *Conditions.* Rows are independent draws from one distribution; c does not depend on the order
    of the rows (ties are broken by marks drawn at random) and is stable.

    *Proof.* For m rows let :math:`p_{k,m}` be the probability that c keeps the first k, and that
    the chance :math:`\phi` that one more row changes them is above :math:`\varepsilon_k`. What c
    keeps has one size, so :math:`\sum_k \binom{m}{k} p_{k,m} \le 1` for each m. If n rows are
    compressed to the first k, so are, by stability, the first m, and none of the other n - m rows
    changes this by itself; given the first k, these are independent events of chance
    :math:`1 - \phi`. So :math:`p_{k,n} \le (1 - \varepsilon_k)^{n-m} p_{k,m}`. The probability of
    failure is :math:`\sum_k \binom{n}{k} p_{k,n}`; write its k-th term as
    :math:`\frac{\delta}{n} \sum_m \binom{m}{k} (1-\varepsilon_k)^{-(n-m)} p_{k,n}`, which the
    definition of :math:`\varepsilon_k` allows, and it is at most
    :math:`\frac{\delta}{n} \sum_{m<n} \sum_k \binom{m}{k} p_{k,m} \le \delta`.

    References
    ----------
    M. C. Campi, S. Garatti. Compression, generalization and learning. JMLR 24, 2023.

    Examples
    --------
    >>> round(compression_upper(10, 1000, math.log(0.05)), 4)
    0.0217
    """
    owner = "compression_upper"
    check_number(owner, "n", n, kind=Integral, low=1, high=100_000_000)
    check_number(owner, "size", size, kind=Integral, low=0, high=n)
    check_number(owner, "log_delta", log_delta, high=0, closed="right")
    if size == n:
        return 1.0
    m = np.arange(size, n, dtype=float)
    choices = gammaln(m + 1) - gammaln(m - size + 1)
    choices -= float(gammaln(n + 1) - gammaln(n - size + 1))
    share = log_delta - math.log(n)

    def excess(u: float) -> float:  # at 1 - exp(-u)
        return float(logsumexp(choices + (n - m) * u)) + share

    # No term is above 1 at u = 0; the last one alone is enough at the other end.
    high = max(-share - choices[-1], 0.0) + 1e-9
    return -math.expm1(-brentq(excess, 0.0, high, xtol=1e-16, rtol=1e-13))


def margin_bound(svm, X, y, *, delta: float = 0.05) -> Bound:
    r"""Bound the error of a kernel SVM by how many of its rows lie on the margin or inside.

    The rows with :math:`y f(x) \le 1` are a stable compression: without the others the conditions
    of the optimum stay as they are, and a new row with :math:`y f(x) \le 1` would be one of them.
    So `compression_upper` bounds the chance of :math:`y f(x) \le 1`, and every error is such a row.
    See Campi and Garatti (2021); which rows they are costs nothing.

    Parameters
    ----------
    svm : fitted classifier of two classes
        `KernelSVC` of this package or scikit-learn's `SVC`: C (per row), kernel and gamma fixed
        before the rows were seen, no weights.
    X, y : array-like
        The rows it was fitted on.
    delta : float in (0, 1)

    Returns
    -------
    Bound

    Raises
    ------
    ValueError
        More than two classes, a setting that was read off the rows (``gamma="scale"``,
        ``class_weight``), no multiplier strictly between 0 and C (b is not unique then), an SVM
        that did not converge, other rows than it was fitted on, or bad input.

    Notes
    -----
    It takes the solver at its word: rows up to two tolerances outside the margin count as rows on
    it. `C`, `gamma` from m settings: give delta/m.

    References
    ----------
    M. C. Campi, S. Garatti. A theory of the risk for optimization with relaxation and its
    application to support vector machines. JMLR 22, 2021.

    Examples
    --------
    >>> from hlsvm.subclass import KernelSVC
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> svm = KernelSVC(C=100, gamma=3.0).fit(X, y)
    >>> margin_bound(svm, X, y).value < 0.1
    True
    """
    owner = "margin_bound"
    check_like(owner, "svm", svm, _NEEDED, "a fitted kernel SVM")
    check_number(owner, "delta", delta, low=0, high=1, closed="neither")
    X = check_data(owner, X)
    y = check_labels(owner, "y", y, X.shape[0])
    _check_given(svm)
    _check_rows(svm, X)
    sign = np.where(y == svm.classes_[1], 1.0, -1.0)
    margins = sign * np.asarray(svm.decision_function(X)).ravel()
    on = margins <= 1 + _SOLVED * svm.tol
    on[svm.support_] = True
    size, n = int(on.sum()), len(y)
    terms = {
        "rows": n,
        "rows on the margin or inside": size,
        "support vectors": len(svm.support_),
        "training errors": int((margins <= 0).sum()),
        "delta": delta,
    }
    value = compression_upper(size, n, math.log(delta))
    assumption = "rows are i.i.d.; C, kernel and gamma were fixed before; the optimum is exact"
    return Bound("stable compression, margin", value, 1 - delta, terms, assumption, "the SVM")


def _check_given(svm) -> None:
    """Refuse settings that other rows than those on the margin had a part in."""
    if len(svm.classes_) != 2:
        raise ValueError(
            f"margin_bound needs an SVM of two classes. Got one of {len(svm.classes_)}."
        )
    kernel = getattr(svm, "kernel", "rbf")
    if kernel != "linear" and svm.gamma == "scale":
        raise ValueError(
            "margin_bound needs a 'gamma' fixed before the rows were seen. Got 'scale', which is "
            "their variance."
        )
    if getattr(svm, "class_weight", None) == "balanced":
        raise ValueError(
            "margin_bound needs weights fixed before the rows were seen. Got class_weight="
            "'balanced'."
        )
    if getattr(svm, "class_weight", None) is not None:
        raise ValueError(
            f"margin_bound needs one C for all rows. Got class_weight={svm.class_weight!r}."
        )


def _check_rows(svm, X) -> None:
    """Refuse other rows than those of the fit, and an SVM that is not their only optimum."""
    support = np.asarray(svm.support_)
    same = len(X) > support.max() and X.shape[1] == svm.support_vectors_.shape[1]
    if not (same and np.array_equal(X[support].astype(float), svm.support_vectors_.astype(float))):
        raise ValueError("margin_bound needs as X the rows that the SVM was fitted on, in order.")
    converged = getattr(svm, "fit_status_", 0) == 0
    if not (converged and all(c.converged for c in getattr(svm, "certificates_", ()))):
        raise ValueError(
            "margin_bound needs an SVM that converged to its 'tol': raise max_iter or lower C."
        )
    alpha = np.abs(np.asarray(svm.dual_coef_)).ravel()
    if not (alpha < svm.C * (1 - 1e-9)).any():
        raise ValueError(
            "margin_bound needs a multiplier of the 'svm' between 0 and C: b is not unique."
        )
