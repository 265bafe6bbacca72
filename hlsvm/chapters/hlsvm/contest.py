"""One division of the data, three classifiers: error, cost and time in one run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from hlsvm.chapters.given_trees import given_tree
from hlsvm.chapters.hlsvm.problems import Problem
from hlsvm.datasets import Dataset
from hlsvm.reproduce.timing import median_time, timed
from hlsvm.trees import HLSVMClassifier, ObliqueTreeClassifier

LINEAR, RBF, HLSVM = "Linear SVM", "Non-linear SVM", "H-LSVM"
AT_PRICE = "H-LSVM, at the published cost"
AS_PRINTED = "H-LSVM, settings of Table 5.3"
# The names of the same three in the tables of times (Thesis Table 5.5).
TIMED_AS = {
    LINEAR: "LIBLINEAR (linear SVM)",
    RBF: "LIBSVM (nonlinear SVM)",
    HLSVM: "H-LSVM",
    AT_PRICE: AT_PRICE,
    AS_PRINTED: AS_PRINTED,
}
_FOLDS = 3  # of the cross-validation
_ONE_ROW = 200  # single decisions timed
_ENOUGH_S = 0.5  # a fit shorter than this is timed three times


@dataclass(frozen=True)
class Result:
    """What one classifier did on one division, named as the published columns."""

    method: str
    error_pct: float
    train_s: float
    test_s_per_pattern: float
    one_decision_s: float
    hyp_mean: float = np.nan
    hyp_max: float = np.nan
    n_sv: float = np.nan

    @property
    def cost(self) -> float:
        """Dot products of one decision: hyperplanes met, or support vectors."""
        return self.n_sv if np.isnan(self.hyp_mean) else self.hyp_mean


def linear_svm(problem: Problem, seed: int = 0) -> LinearSVC:
    """Return LIBLINEAR with the cost of the problem."""
    return LinearSVC(C=problem.C_linear, random_state=seed)


def rbf_svm(problem: Problem) -> SVC:
    """Return LIBSVM with the cost and width of the problem."""
    return SVC(C=problem.C, gamma=problem.gamma, cache_size=2000)


def h_lsvm(problem: Problem, seed: int = 0) -> HLSVMClassifier:
    """Return H-LSVM with the regularization and pruning share of the problem."""
    return HLSVMClassifier(
        problem.lam,
        prune_fraction=problem.rho,
        min_fraction=problem.min_fraction,
        random_state=seed,
    )


def shrunk(problem: Problem, seed: int = 0) -> ObliqueTreeClassifier:
    """Return H-LSVM with moved bias and the settings of the problem, leaves shrunk with them."""
    return given_tree(
        lam=problem.lam,
        prune_fraction=problem.rho,
        shrinkage=problem.shrinkage,
        min_fraction=problem.min_fraction,
        random_state=seed,
    )


def _error_and_cost(model, X, y) -> dict:
    return {"score": model.score(X, y), "hyperplanes": float(model.n_hyperplanes(X).mean())}


def tune(
    problem: Problem, data: Dataset, *, lams, rhos, shrinkages, min_fractions=(None,), seed: int
) -> list[dict]:
    """Choose the settings of H-LSVM by cross-validation on the training part.

    Leaves are pruned with a held-out share rho, or drawn to their ancestors by `shrinkage`: one
    or the other, over all `lams` and `min_fractions`.

    Returns
    -------
    list of dict
        The settings of least error, and those of least error among the ones that cost no more
        than `problem.price` hyperplanes (the cheapest, if none does): ``method``, ``lam``,
        ``rho``, ``shrinkage``, ``min_fraction``, ``cv_error_pct``, ``cv_hyp_mean``.
    """
    common = {"lam": lams, "min_fraction": min_fractions}
    grid = [
        {**common, "prune_fraction": rhos, "shrinkage": [0.0]},
        {**common, "prune_fraction": [0.0], "shrinkage": shrinkages},
    ]
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(
        shrunk(problem, seed), grid, cv=folds, scoring=_error_and_cost, refit=False
    ).fit(data.X_train, data.y_train)
    tried = search.cv_results_
    score, price = tried["mean_test_score"], tried["mean_test_hyperplanes"]
    ceiling = price.min() if np.isnan(problem.price) else max(problem.price, price.min())
    best = {HLSVM: int(np.argmax(score))}
    if not np.isnan(problem.price):
        best[AT_PRICE] = int(np.argmax(np.where(price <= ceiling, score, -np.inf)))
    return [
        {
            "method": method,
            "lam": float(tried["params"][k]["lam"]),
            "rho": float(tried["params"][k]["prune_fraction"]),
            "shrinkage": float(tried["params"][k]["shrinkage"]),
            "min_fraction": tried["params"][k]["min_fraction"],
            "cv_error_pct": 100 * (1 - float(score[k])),
            "cv_hyp_mean": float(price[k]),
        }
        for method, k in best.items()
    ]


def _timed_fit(model, data: Dataset):
    fitted, seconds = timed(lambda: clone(model).fit(data.X_train, data.y_train))
    if seconds < _ENOUGH_S:
        again = [timed(lambda: clone(model).fit(data.X_train, data.y_train))[1] for _ in range(2)]
        seconds = float(np.median([seconds, *again]))
    return fitted, seconds


def _one_decision(model, X) -> float:
    """Median seconds of one decision through the public call."""
    rows = [np.ascontiguousarray(x) for x in X[:_ONE_ROW]]
    if hasattr(model, "predict_one"):
        decide = model.predict_one
        return median_time(lambda: [decide(x) for x in rows]) / len(rows)
    rows = [x[None] for x in rows[:20]]
    return median_time(lambda: [model.predict(x) for x in rows], repeats=3) / len(rows)


def measure(method: str, model, data: Dataset) -> Result:
    """Fit on the training part, time the fit and the decisions, and err on the test part once."""
    fitted, train_s = _timed_fit(model, data)
    labels, seconds = timed(lambda: fitted.predict(data.X_test))
    if seconds < _ENOUGH_S:
        seconds = median_time(lambda: fitted.predict(data.X_test), repeats=3)
    cost = {}
    if hasattr(fitted, "n_hyperplanes"):
        met = fitted.n_hyperplanes(data.X_test)
        cost = {"hyp_mean": float(met.mean()), "hyp_max": float(met.max())}
    elif isinstance(fitted, SVC):
        cost = {"n_sv": float(fitted.n_support_.sum())}
    else:
        cost = {"hyp_mean": 1.0}
    return Result(
        method,
        error_pct=100 * float(np.mean(labels != data.y_test)),
        train_s=train_s,
        test_s_per_pattern=seconds / len(data.y_test),
        one_decision_s=_one_decision(fitted, data.X_test),
        **cost,
    )


def contest(
    problem: Problem,
    tuned: dict[str, Problem],
    data: Dataset,
    *,
    seed: int = 0,
    with_svm: bool = True,
) -> list:
    """Measure the linear SVM, H-LSVM and (where asked) the RBF SVM on one division.

    Parameters
    ----------
    problem : Problem
        With the settings printed in the documents.
    tuned : dict of Problem
        With the settings chosen for H-LSVM here, by name of the row.
    data : Dataset
    seed : int
    with_svm : bool
        Train the RBF SVM as well.

    Returns
    -------
    list of Result
    """
    warm = np.r_[np.flatnonzero(data.y_train == 1)[:50], np.flatnonzero(data.y_train != 1)[:50]]
    h_lsvm(problem, seed).fit(data.X_train[warm], data.y_train[warm]).predict(data.X_test[:2])
    rivals = {LINEAR: linear_svm(problem, seed)}
    if with_svm:
        rivals[RBF] = rbf_svm(problem)
    rivals |= {name: shrunk(entry, seed) for name, entry in tuned.items()}
    rivals[AS_PRINTED] = h_lsvm(problem, seed)
    return [measure(name, model, data) for name, model in rivals.items()]


def relative_error(results: dict[str, float]) -> dict[str, float]:
    """RE of Thesis Eq. 5.8: 0 at the error of the linear SVM, 1 at that of the RBF SVM."""
    low, high = results.get(LINEAR, np.nan), results.get(RBF, np.nan)
    gain = low - high
    return {name: (low - error) / gain if gain else np.nan for name, error in results.items()}


def relative_cost(costs: dict[str, float]) -> dict[str, float]:
    """RC of Thesis Eq. 5.9: 0 at the cost of the linear SVM, 1 at that of the RBF SVM."""
    low, high = costs.get(LINEAR, np.nan), costs.get(RBF, np.nan)
    return {name: (cost - low) / (high - low) for name, cost in costs.items()}
