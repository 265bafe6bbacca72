"""Pick-To-Learn: a classifier that trains on the rows it gets wrong, and the bound this gives."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, clone

from hlsvm._params import check_like, check_number
from hlsvm.bounds.binomial import binomial_upper
from hlsvm.bounds.compression import compression_upper
from hlsvm.bounds.held_out import in_random_order
from hlsvm.bounds.result import Bound

__all__ = ["pick_to_learn"]


def pick_to_learn(
    model,
    X,
    y,
    *,
    share: float = 0.2,
    growth: float = 0.05,
    rounds: int = 30,
    delta: float = 0.05,
    random_state: int = 0,
) -> tuple[BaseEstimator, Bound]:
    r"""Train on a first share, then again and again with some errors among the other rows.

    A row may be used to learn at the price of counting as an error. After r rounds the rows that
    were picked, with those that are still wrong, are a stable compression of the n rows after the
    first share: any sample between leads to the same picks. `compression_upper` of their number
    bounds the error of the classifier of that round. All rounds are bounded at once (delta is
    divided by ``rounds + 1``), and the one of the least bound is returned. Round 0 picks nothing;
    its bound is that of a hold-out.

    Parameters
    ----------
    model : classifier
        Its clones are trained.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    share : float in (0, 1)
        Share of the rows to start from; it must hold all classes that are to be told apart.
    growth : float in (0, 1]
        A round picks at most this times the number of rows trained on, and at least one.
    rounds : int
        Most rounds.
    delta : float in (0, 1)
        The bound holds with confidence 1 - delta.
    random_state : int
        Seed of a random order: its first rows are the share, and errors are picked as they come.

    Returns
    -------
    model : classifier
        Fitted.
    bound : Bound
        On its error; 1 if every row was picked.

    Raises
    ------
    ValueError
        The share leaves a part without a row, or bad input.

    Notes
    -----
    Paccagnan et al. pick the worst error, one at a time. Of several at a time, the worst resemble
    each other: picked as they come they taught more on ijcnn1.

    References
    ----------
    D. Paccagnan, M. C. Campi, S. Garatti. The Pick-to-Learn algorithm: empowering compression for
    tight generalization bounds and improved post-training performance. NeurIPS 2023.

    Examples
    --------
    >>> from hlsvm.subclass import KernelSVC
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> svm, bound = pick_to_learn(KernelSVC(C=1000, gamma=3.0), X, y, share=0.02)
    >>> bound.value < 0.06, bound.terms["rows trained on"] < 200
    (True, True)
    """
    owner = "pick_to_learn"
    check_like(owner, "model", model, ("fit", "get_params", "predict"), "a classifier")
    check_number(owner, "share", share, low=0, high=1, closed="neither")
    check_number(owner, "growth", growth, low=0, high=1, closed="right")
    check_number(owner, "rounds", rounds, kind=Integral, low=0, high=100_000)
    X, y, order = in_random_order(owner, X, y, delta, random_state)
    first = round(share * len(y))
    if not 0 < first < len(y):
        raise ValueError(f"pick_to_learn needs rows in and after its share. Got {first}.")
    # The place of a row in the order is its mark: a mark drawn at random does not depend on a row.
    start, rest = order[:first], order[first:]
    log_delta = math.log(delta) - math.log(rounds + 1)
    best = None
    for number, (now, picked, wrong) in enumerate(_picking(model, X, y, start, rest, growth)):
        upper = compression_upper if number else binomial_upper
        value = upper(len(picked) + len(wrong), len(rest), log_delta)
        if best is None or value < best[0]:
            best = value, now, number, len(picked), len(wrong)
        if number == rounds:
            break
    value, model, number, n_picked, errors = best
    terms = {
        "rows": len(y),
        "rows of the first share": first,
        "rows that count": len(y) - first,
        "rounds": number,
        "rows picked": n_picked,
        "rows trained on": first + n_picked,
        "errors on the others": errors,
        "delta": delta,
    }
    assumption = "rows are i.i.d.; settings were fixed before they were seen"
    name = "stable compression, picked rows"
    return model, Bound(name, value, 1 - delta, terms, assumption, "the classifier")


def _picking(model, X, y, start, rest, growth: float):
    """After every round: the classifier, the rows picked so far, the others that are wrong.

    What it gives does not change if rows that are neither picked nor wrong are taken out of `rest`.
    """
    picked = np.zeros(0, np.int64)
    while True:
        trained = np.concatenate([start, picked])
        now = clone(model).fit(X[trained], y[trained])
        wrong = rest[np.asarray(now.predict(X[rest]) != y[rest])]
        yield now, picked, wrong
        if not len(wrong):
            return
        more = wrong[: max(1, int(growth * len(trained)))]
        picked = np.concatenate([picked, more])
        rest = rest[~np.isin(rest, more)]
