"""Binomial tails and their inversion: the arithmetic under every bound with known constants.

With n independent trials of unknown chance p and k successes, "p is at most the largest value that
still leaves k or fewer a probability of delta" holds with confidence 1 - delta (Langford 2005).
The relative-entropy (Chernoff) form ``n kl(k/n || p) <= ln(1/delta)`` is implied by it.
"""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, gammaln, xlog1py, xlogy

from hlsvm._data import check_labels
from hlsvm._params import check_number
from hlsvm.bounds.result import Bound

__all__ = [
    "binomial_lower",
    "binomial_upper",
    "failure_test",
    "holdout_bound",
    "kl_binary",
    "kl_lower",
    "kl_upper",
    "log_binomial_tail",
]

_TINY = 1e-300
_ROOT = {"xtol": 1e-15, "rtol": 1e-13}


def kl_binary(q: float, p: float) -> float:
    """Relative entropy of two coins, in nats: q ln(q/p) + (1-q) ln((1-q)/(1-p)).

    Examples
    --------
    >>> kl_binary(0.5, 0.5), round(kl_binary(0.0, 0.5), 6)
    (0.0, 0.693147)
    """
    check_number("kl_binary", "q", q, low=0, high=1)
    check_number("kl_binary", "p", p, low=0, high=1)
    if (p == 0 and q > 0) or (p == 1 and q < 1):
        return math.inf
    value = xlogy(q, q) - xlogy(q, p) + xlog1py(1 - q, -q) - xlog1py(1 - q, -p)
    return max(float(value), 0.0)


def kl_upper(q: float, budget: float) -> float:
    """Largest p with ``kl_binary(q, p) <= budget``.

    Examples
    --------
    >>> round(kl_upper(0.0, math.log(20) / 100), 4)
    0.0295
    """
    check_number("kl_upper", "q", q, low=0, high=1)
    check_number("kl_upper", "budget", budget, low=0)
    top = math.nextafter(1.0, 0.0)
    if q >= top or kl_binary(q, top) <= budget:
        return 1.0
    if q == 0:
        return -math.expm1(-budget)
    return float(brentq(lambda p: kl_binary(q, p) - budget, q, top, **_ROOT))


def kl_lower(q: float, budget: float) -> float:
    """Smallest p with ``kl_binary(q, p) <= budget``.

    Examples
    --------
    >>> kl_lower(0.0, 1.0), kl_lower(0.5, 0.0)
    (0.0, 0.5)
    """
    check_number("kl_lower", "q", q, low=0, high=1)
    return 1.0 - kl_upper(1.0 - q, budget)


def log_binomial_tail(errors: int, n: int, p: float) -> float:
    """Logarithm of P[Binomial(n, p) <= errors], also where that is too small for a float.

    Examples
    --------
    >>> round(log_binomial_tail(0, 10, 0.5) / math.log(0.5), 9)
    10.0
    """
    check_number("log_binomial_tail", "n", n, kind=Integral, low=0)
    check_number("log_binomial_tail", "errors", errors, kind=Integral, low=0, high=n)
    check_number("log_binomial_tail", "p", p, low=0, high=1)
    return _log_tail(int(errors), int(n), float(p))


def _log_tail(k: int, n: int, p: float) -> float:
    if k >= n or p <= 0:
        return 0.0
    if p >= 1:
        return -math.inf
    direct = betainc(n - k, k + 1, 1 - p)
    if direct > _TINY:
        return math.log(direct)
    # Far in the tail: the last term, times the sum of the ratios of the terms before it.
    last = float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p))
    last += float(xlog1py(n - k, -p))
    j = np.arange(k, 0, -1, dtype=float)
    ratio = np.log(j) + math.log1p(-p) - np.log(n - j + 1) - math.log(p)
    return last + float(np.logaddexp.reduce(np.concatenate([[0.0], np.cumsum(ratio)])))


def _check_counts(owner: str, errors: int, n: int, log_delta: float) -> None:
    check_number(owner, "n", n, kind=Integral, low=1, closed="left")
    check_number(owner, "errors", errors, kind=Integral, low=0, high=n)
    check_number(owner, "log_delta", log_delta, high=0, closed="right")


def binomial_upper(errors: int, n: int, log_delta: float) -> float:
    """Largest chance p that leaves `errors` or fewer in `n` trials a probability of delta.

    Parameters
    ----------
    errors, n : int
        Successes and trials.
    log_delta : float
        ln delta <= 0; with a code of c nats, ``ln(delta) - c``.

    Returns
    -------
    float
        p is at most this with confidence 1 - delta.

    Examples
    --------
    >>> round(binomial_upper(0, 100, math.log(0.05)), 5)
    0.02951
    """
    _check_counts("binomial_upper", errors, n, log_delta)
    if errors == n:
        return 1.0
    if errors == 0:
        return -math.expm1(log_delta / n)
    # The Chernoff form lies above: a bracket.
    high = min(kl_upper(errors / n, -log_delta / n), math.nextafter(1.0, 0.0))
    low = errors / n
    if _log_tail(errors, n, low) <= log_delta:
        low = 0.0
    if _log_tail(errors, n, high) >= log_delta:
        return high
    return float(brentq(lambda p: _log_tail(errors, n, p) - log_delta, low, high, **_ROOT))


def binomial_lower(errors: int, n: int, log_delta: float) -> float:
    """Smallest chance that leaves `errors` or more in `n` trials a probability of delta.

    Examples
    --------
    >>> binomial_lower(0, 10, math.log(0.05))
    0.0
    """
    _check_counts("binomial_lower", errors, n, log_delta)
    return 1.0 - binomial_upper(n - errors, n, log_delta)


def holdout_bound(y_true, y_pred, *, delta: float = 0.05) -> Bound:
    """Bound on the error from rows that had no part in training: the honest yardstick.

    Inversion of the binomial tail (Langford 2005, Theorem 3.3): exact, no constant. The Chernoff
    form is given among the terms.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of held-out rows, and what the classifier says.
    delta : float in (0, 1)
        The bound holds with confidence 1 - delta.

    Returns
    -------
    Bound

    Raises
    ------
    ValueError
        The lengths differ, there is no row, or delta is out of range.

    Examples
    --------
    >>> holdout_bound([1] * 100, [1] * 99 + [0]).value < 0.05
    True
    """
    check_number("holdout_bound", "delta", delta, low=0, high=1, closed="neither")
    y_true = check_labels("holdout_bound", "y_true", y_true)
    y_pred = check_labels("holdout_bound", "y_pred", y_pred)
    if y_true.shape != y_pred.shape:
        raise ValueError(
            "holdout_bound needs y_true and y_pred of one length, at least 1. "
            f"Got shapes {y_true.shape} and {y_pred.shape}."
        )
    n, errors = len(y_true), int(np.count_nonzero(y_true != y_pred))
    value = binomial_upper(errors, n, math.log(delta))
    terms = {
        "held-out rows": n,
        "held-out errors": errors,
        "held-out error rate": errors / n,
        "delta": delta,
        "Chernoff form": kl_upper(errors / n, math.log(1 / delta) / n),
    }
    assumption = "held-out rows are i.i.d. and had no part in training or in any choice"
    return Bound("hold-out", value, 1 - delta, terms, assumption, "the tree")


def failure_test(failures: int, draws: int, delta: float) -> float:
    """One-sided p-value of "a bound fails in no more than a share delta of all samples".

    Parameters
    ----------
    failures, draws : int
        In how many of the independent draws the true error was above the bound.
    delta : float
        The share that is allowed.

    Returns
    -------
    float
        P[Binomial(draws, delta) >= failures]; small where the bound fails too often.

    Examples
    --------
    >>> failure_test(0, 1000, 0.05), failure_test(100, 1000, 0.05) < 1e-6
    (1.0, True)
    """
    check_number("failure_test", "draws", draws, kind=Integral, low=1, closed="left")
    check_number("failure_test", "failures", failures, kind=Integral, low=0, high=draws)
    check_number("failure_test", "delta", delta, low=0, high=1, closed="neither")
    if failures == 0:
        return 1.0
    return float(betainc(failures, draws - failures + 1, delta))
