"""What a search goes over, costs, widths and folds, and the table of what it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.model_selection import check_cv

from hlsvm._data import check_numbers
from hlsvm._params import check_scale, refusal

_WIDTHS = (0.25, 1.0, 4.0)  # of 1 / (n_features * variance), where no gammas are given
_HUGE = 1e15  # gamma |x|^2 is below it, as `KernelSVC` wants it
_SPLITS = "None, an integer in [2, 2**63 - 1], a splitter, or a list of (train, test) indices"


def factors(search, name, values):
    """Return the values of a parameter, each above zero, as an array."""
    values = check_numbers(search, name, values, ndim=1)
    for value in values.tolist():
        check_scale(search, name, value)
    return values


def widths(search, X):
    """Return the widths; X must leave gamma |x|^2 within bounds."""
    if search.gammas is None:
        spread = X.var()
        gammas = np.array(_WIDTHS) / (X.shape[1] * (spread if spread > 0.0 else 1.0))
    else:
        gammas = factors(search, "gammas", search.gammas)
    with np.errstate(over="ignore", invalid="ignore"):
        largest = gammas.max() * np.square(X - X.mean(axis=0)).sum(axis=1).max()
    if not largest < _HUGE:
        raise ValueError(
            f"X of {type(search).__name__} must keep gamma |x|^2 below {_HUGE:.0e}: scale the "
            f"features or lower 'gammas'. Got {largest:.2e}."
        )
    return gammas


def divisions(search, X, labels, y, groups):
    """Return training weights and held-out rows of every fold."""
    try:
        splitter = check_cv(5 if search.cv is None else search.cv, y, classifier=True)
        splits = [
            (np.bincount(np.arange(len(X))[train], minlength=len(X)), np.arange(len(X))[test])
            for train, test in splitter.split(X, y, groups)
        ]
    except Exception as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{refusal(search, 'cv', _SPLITS, search.cv)} {error}") from error
    for train, test in splits:
        if len(test) == 0 or len(np.unique(labels[train > 0])) < 2:
            accepted = "folds with rows held out and at least two classes to train on"
            raise ValueError(refusal(search, "cv", accepted, search.cv))
    if not splits:
        raise ValueError(refusal(search, "cv", "at least one fold", search.cv))
    return splits


def row_weights(class_weight, classes, labels, counts):
    """Weight of every row's cost in training; 0 for those that are not trained on."""
    if class_weight is None:
        return counts.astype(np.float64)
    if isinstance(class_weight, str):
        sizes = np.bincount(labels, counts, len(classes))
        balanced = sizes.sum() / (np.count_nonzero(sizes) * np.maximum(sizes, 1.0))
        return balanced[labels] * counts
    return np.array([class_weight.get(c, 1.0) for c in classes.tolist()])[labels] * counts


def results_of(marks, costs, gammas):
    """Return the table of all candidates, C slowest, and their proofs: by candidate and fold."""
    place = np.argsort(np.argsort(costs, kind="stable"), kind="stable")
    cells = [(place[c], g) for c in range(len(costs)) for g in range(len(gammas))]
    params = [{"C": float(C), "gamma": float(gamma)} for C in costs for gamma in gammas]
    times = np.array([[each.seconds[c] for each in marks[g]] for c, g in cells])
    scores = np.array([[each.scores[c] for each in marks[g]] for c, g in cells])
    proofs = [[each.proofs[c] for each in marks[g]] for c, g in cells]
    results: dict[str, Any] = {
        "mean_fit_time": times.mean(axis=1),
        "std_fit_time": times.std(axis=1),
        "mean_score_time": np.zeros(len(cells)),
        "std_score_time": np.zeros(len(cells)),
    }
    for name in ("C", "gamma"):
        results[f"param_{name}"] = np.ma.array([each[name] for each in params])
    results["params"] = params
    for k in range(scores.shape[1]):
        results[f"split{k}_test_score"] = scores[:, k]
    for k in range(scores.shape[1]):
        gaps = [max(proof.relative_gap for proof in each[k]) for each in proofs]
        results[f"split{k}_gap"] = np.array(gaps)
    results["mean_test_score"] = mean = scores.mean(axis=1)
    results["std_test_score"] = scores.std(axis=1)
    results["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return results, proofs
