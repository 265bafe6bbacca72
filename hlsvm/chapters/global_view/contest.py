"""One classifier at one number of features: error, cost and time."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC, LinearSVC

from hlsvm.chapters.given_trees import given_tree
from hlsvm.chapters.global_view.digits import Digits, Settings
from hlsvm.trees import ObliqueTreeClassifier

LINEAR, RBF, HLSVM = "Linear SVM", "Nonlinear SVM", "H-LSVM"
_OWN = ("hlsvm.datasets._deform", "hlsvm.chapters.global_view.contest")
CODE = {LINEAR: _OWN, RBF: _OWN, HLSVM: ("hlsvm.trees", "hlsvm.linear", *_OWN)}
_TOLERANCE = 0.1  # LIBLINEAR's own default for the dual


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return a value and the processor's seconds it took: whatever else runs does not count."""
    start = process_time()
    value = function()
    return value, process_time() - start


def h_lsvm(settings: Settings, seed: int, **more) -> ObliqueTreeClassifier:
    """Return H-LSVM with the settings of the combined system."""
    given = {
        "lam": settings.lam,
        "prune_fraction": settings.rho,
        "min_fraction": settings.min_fraction,
        "shrinkage": settings.shrinkage,
        "random_state": seed,
    }
    return given_tree(**{**given, **more})


def choose(digits: Digits, settings: Settings, features, *, factors, shrinkages, share=0.2) -> dict:
    """Choose lambda, and pruning or shrinkage, on a held-out share of the training part.

    Returns
    -------
    dict
        ``lam``, ``rho``, ``shrinkage``, ``error_pct`` on the held-out share, ``tried``.
    """
    X, y = digits.train(features)
    parts = train_test_split(X, y, test_size=share, random_state=digits.seed, stratify=y)
    del X
    tried = []
    for factor in factors:
        for rho, shrinkage in [(settings.rho, 0.0), *((0.0, value) for value in shrinkages)]:
            model = h_lsvm(
                settings,
                digits.seed,
                lam=settings.lam * factor,
                prune_fraction=rho,
                shrinkage=shrinkage,
            ).fit(parts[0], parts[2])
            error = 100 * (1 - float(model.score(parts[1], parts[3])))
            tried.append({"lam": model.lam, "rho": rho, "shrinkage": shrinkage, "error_pct": error})
    best = min(tried, key=lambda row: row["error_pct"])
    return {**best, "tried": len(tried)}


def _decide(model, X, y) -> dict:
    """Return error, share of digits called 3, and seconds a pattern, in one pass."""
    labels, seconds = timed(lambda: model.predict(X))
    return {
        "error_pct": 100 * float(np.mean(labels != y)),
        "called_3_pct": 100 * float(np.mean(labels == 1)),
        "test_s_per_pattern": seconds / len(y),
    }


def _fit_linear(digits: Digits, settings: Settings, features):
    X, y = digits.sparse_train(features), digits.data.y_train
    model = LinearSVC(C=settings.C_linear, tol=_TOLERANCE, random_state=digits.seed)
    return timed(lambda: model.fit(X, y))


def linear(digits: Digits, settings: Settings, features) -> dict:
    """Train and test LIBLINEAR, on sparse rows as its users do."""
    fitted, seconds = _fit_linear(digits, settings, features)
    return {"train_s": seconds, "hyp_mean": 1.0, **_decide(fitted, *digits.test(features))}


def _fit_tree(digits: Digits, settings: Settings, features):
    X, y = digits.train(features)
    h_lsvm(settings, digits.seed).fit(X[:300], y[:300])  # compiles
    return timed(lambda: h_lsvm(settings, digits.seed).fit(X, y))


def tree(digits: Digits, settings: Settings, features) -> dict:
    """Train and test H-LSVM."""
    fitted, seconds = _fit_tree(digits, settings, features)
    X, y = digits.test(features)
    fitted.predict(X[:10])
    met = fitted.n_hyperplanes(X)
    one = [np.ascontiguousarray(row) for row in X[:200]]
    fitted.predict_one(one[0])
    _, single = timed(lambda: [fitted.predict_one(row) for row in one])
    return {
        "train_s": seconds,
        "hyp_mean": float(met.mean()),
        "hyp_max": float(met.max()),
        "one_decision_s": single / len(one),
        "leaves": int(fitted.get_n_leaves()),
        **_decide(fitted, X, y),
    }


def kernel(digits: Digits, settings: Settings, features) -> dict:
    """Train LIBSVM on the first rows and on half of them; carry time and size to all rows.

    Growth from n/2 to n rows gives an ``exponent`` for seconds, with which `series.relate` carries
    them to the whole training part, and one for support vectors (``n_sv_all``); the rest is
    measured.
    """
    X, y = digits.columns(digits.data.X_train[: digits.n_svm], features), digits.data.y_train
    sizes = (digits.n_svm // 2, digits.n_svm)
    models, seconds = [], []
    for n in sizes:
        model = SVC(C=settings.C, gamma=settings.gamma, cache_size=1000)
        fitted, took = timed(lambda n=n, model=model: model.fit(X[:n], y[:n]))
        models.append(fitted)
        seconds.append(took)
    support = [int(model.n_support_.sum()) for model in models]
    times, growth = (np.log2(pair[1] / pair[0]) for pair in (seconds, support))
    factor = digits.n_train / digits.n_svm
    test = digits.columns(digits.data.X_test[: digits.n_svm_test], features)
    return {
        "trained_on": digits.n_svm,
        "subset_s": seconds[1],
        "factor": factor,
        "exponent": float(times),
        "n_sv": float(support[1]),
        "n_sv_all": support[1] * factor**growth,
        **_decide(models[1], test, digits.data.y_test[: digits.n_svm_test]),
    }
