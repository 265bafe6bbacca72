"""A classifier trained on most rows, and a bound on its error from those that come after."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, clone

from hlsvm._data import check_data, check_labels, check_numbers
from hlsvm._params import check_like, check_number, refusal
from hlsvm.bounds.binomial import binomial_lower, binomial_upper
from hlsvm.bounds.result import Bound

__all__ = ["fit_with_bound"]

_SHARES = "growing numbers between 0 and 1"


def fit_with_bound(
    model, X, y, *, shares=(0.8,), delta: float = 0.05, random_state: int = 0
) -> tuple[BaseEstimator, Bound]:
    r"""Train a classifier on a random share of the rows and bound its error by the others.

    With one share this is the hold-out bound: the binomial tail of the errors on the other rows,
    inverted. It holds for any classifier, any number of classes and anything that `fit` does with
    its rows, such as a search for settings.

    With several shares, :math:`h_1, ..., h_T` are trained on growing parts of the rows, and

    .. math:: L(h_T) = L(h_1) + \sum_{t=2}^{T} \big( L(h_t) - L(h_{t-1}) \big)

    is bounded term by term, each with confidence :math:`1 - \delta/T`, on all the rows that
    :math:`h_t` has not seen: the recursion of Wu et al. (2024) for single classifiers. The
    difference of two errors is the share of rows that only :math:`h_t` misses minus the share that
    only :math:`h_{t-1}` misses. Where the classifiers nearly agree it is known from few rows, so
    that the last one may learn from nearly all.

    Parameters
    ----------
    model : classifier
        Its clones are trained.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    shares : sequence of float in (0, 1), growing
        Shares of the rows that train h_1, ..., h_T.
    delta : float in (0, 1)
        The bound holds with confidence 1 - delta.
    random_state : int
        Seed of the order of the rows.

    Returns
    -------
    model : classifier
        h_T, fitted.
    bound : Bound
        On its error.

    Raises
    ------
    ValueError
        The shares do not grow or leave a part without a row, or bad input.

    References
    ----------
    Y.-S. Wu, Y. Zhang, B.-E. Chérief-Abdellatif, Y. Seldin. Recursive PAC-Bayes: a frequentist
    approach to sequential prior updates with no information loss. NeurIPS 2024.

    Examples
    --------
    >>> from hlsvm import HLSVMClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> tree, bound = fit_with_bound(HLSVMClassifier(lam=1e-5, random_state=0), X, y)
    >>> bound.value < 0.05, bound.terms["held-out rows"]
    (True, 400)
    """
    owner = "fit_with_bound"
    check_like(owner, "model", model, ("fit", "get_params", "predict"), "a classifier")
    X, y, order = in_random_order(owner, X, y, delta, random_state)
    sizes = _sizes(owner, shares, len(y))
    log_delta = math.log(delta / len(sizes))
    value, before, terms = 0.0, None, {}
    for size in sizes:
        past, rest = np.sort(order[:size]), order[size:]
        now = clone(model).fit(X[past], y[past])
        wrong = np.asarray(now.predict(X[rest]) != y[rest])
        if before is None:
            value = binomial_upper(int(wrong.sum()), len(rest), log_delta)
        else:
            value += _difference(wrong, before.predict(X[rest]) != y[rest], log_delta)
        before = now
        terms[f"bound after {size} rows"] = value
    terms |= {
        "rows": len(y),
        "held-out rows": len(rest),
        "held-out errors": int(wrong.sum()),
        "delta": delta,
    }
    assumption = "rows are i.i.d.; a part had no say in what was trained before it"
    name = "hold-out" if len(sizes) == 1 else "hold-out, recursive"
    bound = Bound(name, min(value, 1.0), 1 - delta, terms, assumption, "the classifier")
    return now, bound


def in_random_order(owner: str, X, y, delta, random_state):
    """Check what hold-outs are given; return the rows, their labels and a random order of them."""
    check_number(owner, "delta", delta, low=0, high=1, closed="neither")
    check_number(owner, "random_state", random_state, kind=Integral, low=0)
    X = check_data(owner, X, accept_sparse="csr", dtype=None, ensure_all_finite=False)
    y = check_labels(owner, "y", y, X.shape[0])
    return X, y, np.random.default_rng([random_state, len(y)]).permutation(len(y))


def _sizes(owner: str, shares, n: int) -> list[int]:
    """Numbers of rows that train the classifiers, each larger than the one before."""
    parts = check_numbers(owner, "shares", shares, ndim=1)
    sizes = [round(share * n) for share in parts.tolist()]
    if parts.min() <= 0 or parts.max() >= 1 or (np.diff([0, *sizes, n]) < 1).any():
        raise ValueError(
            f"{refusal(owner, 'shares', _SHARES, shares)} Every part needs at least one of the "
            f"{n} rows."
        )
    return sizes


def _difference(now, before, log_delta: float) -> float:
    """Upper bound on L(now) - L(before) from the errors of both on the same rows."""
    worse, better = int(np.sum(now & ~before)), int(np.sum(before & ~now))
    half = log_delta - math.log(2)
    return binomial_upper(worse, len(now), half) - binomial_lower(better, len(now), half)
