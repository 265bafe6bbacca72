"""The best of several hold-out bounds: candidates, shares and divisions chosen among at a price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, clone

from hlsvm._data import check_numbers
from hlsvm._params import check_like, check_number, refusal
from hlsvm.bounds.binomial import binomial_upper
from hlsvm.bounds.held_out import in_random_order
from hlsvm.bounds.result import Bound

__all__ = ["fit_best_with_bound"]


def fit_best_with_bound(
    models, X, y, *, shares=(0.8,), divisions: int = 5, delta: float = 0.05, random_state: int = 0
) -> tuple[BaseEstimator, Bound]:
    r"""Train candidates on several divisions of the rows; return the one of the least bound.

    Each of the J candidates (a model, a share of the rows that trains it, a division) gets a
    hold-out bound of confidence :math:`1 - \delta/J`, so that all hold at once with confidence
    :math:`1 - \delta` and the least may be taken: the Occam bound (Langford 2005, Theorem 4.1) with
    one prior for each division, which has not seen its own held-out rows. A single
    hold-out gives its one classifier :math:`1 - \delta`: the choice costs :math:`\ln J` nats and
    repays them where classifiers or held-out parts differ by more, so the candidates should be few.

    Parameters
    ----------
    models : classifier or sequence of classifiers
        Their clones are trained. They are fixed before the rows are seen.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    shares : sequence of float in (0, 1)
        Shares of the rows that train.
    divisions : int
        How often the rows are divided for each share: the held-out part moves on through a random
        order of the rows. The first is that of `fit_with_bound`.
    delta : float in (0, 1)
        The bound holds with confidence 1 - delta.
    random_state : int
        Seed of the order of the rows.

    Returns
    -------
    model : classifier
        One, fitted on its share of the rows.
    bound : Bound
        On its error. "first hold-out bound alone" among the terms is what the first candidate on
        its first division would have had by itself, with confidence 1 - delta.

    Raises
    ------
    ValueError
        There is no model, a share leaves a part without a row, or bad input.

    References
    ----------
    J. Langford. Tutorial on practical prediction theory for classification. JMLR 6, 2005.

    Examples
    --------
    >>> from hlsvm import HLSVMClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> tree, bound = fit_best_with_bound(HLSVMClassifier(lam=1e-5, random_state=0), X, y)
    >>> bound.value < 0.05, bound.terms["candidates"]
    (True, 5)
    """
    owner = "fit_best_with_bound"
    models = [*models] if isinstance(models, Sequence) else [models]
    if not models:
        raise ValueError(refusal(owner, "models", "one classifier or more", models))
    for model in models:
        check_like(owner, "models", model, ("fit", "get_params", "predict"), "classifiers")
    check_number(owner, "divisions", divisions, kind=Integral, low=1, high=10_000)
    X, y, order = in_random_order(owner, X, y, delta, random_state)
    sizes = _sizes(owner, shares, len(y))
    n_candidates = len(models) * len(sizes) * divisions
    log_delta = math.log(delta) - math.log(n_candidates)
    best, alone = None, None
    for size in sizes:
        for past, rest, division in _divided(order, size, divisions):
            for number, model in enumerate(models):
                now = clone(model).fit(X[past], y[past])
                wrong = int(np.sum(now.predict(X[rest]) != y[rest]))
                if alone is None:
                    alone = binomial_upper(wrong, len(rest), math.log(delta))
                value = binomial_upper(wrong, len(rest), log_delta)
                if best is None or value < best[0]:
                    best = value, now, number, division, wrong, len(rest)
    value, model, number, division, wrong, held_out = best
    terms = {
        "candidates": n_candidates,
        "model taken": number,
        "division taken": division,
        "rows": len(y),
        "held-out rows": held_out,
        "held-out errors": wrong,
        "first hold-out bound alone": alone,
        "delta": delta,
    }
    assumption = "rows are i.i.d.; the candidates were fixed before they were seen"
    name = "hold-out, best of several"
    return model, Bound(name, value, 1 - delta, terms, assumption, "the classifier")


def _sizes(owner: str, shares, n: int) -> list[int]:
    """Numbers of rows that train."""
    parts = check_numbers(owner, "shares", shares, ndim=1)
    sizes = [round(share * n) for share in parts.tolist()]
    if not sizes or not all(0 < size < n for size in sizes):
        raise ValueError(
            f"{refusal(owner, 'shares', 'numbers between 0 and 1', shares)} Every part needs at "
            f"least one of the {n} rows."
        )
    return sizes


def _divided(order, size: int, divisions: int):
    """Rows that train, rows held out, number of the division."""
    held_out = len(order) - size
    for number in range(divisions):
        turned = np.roll(order, number * held_out)
        yield np.sort(turned[:size]), turned[size:], number
