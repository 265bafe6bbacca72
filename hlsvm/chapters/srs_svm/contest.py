"""One problem, all methods: accuracy, time, sets (SRS-SVM Tables 4-6)."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from hlsvm.chapters.srs_svm.foreign import FOREIGN, rival
from hlsvm.chapters.srs_svm.problems import Problem, processor_time
from hlsvm.datasets import Dataset
from hlsvm.subclass import (
    DCSVC,
    SRSSVC,
    KernelSVC,
    explicit_feature_svc,
    mcnemar,
    set_quality,
)

LIBSVM, LLSVM, FASTFOOD, DCSVM = "LibSVM", "LLSVM", "FastFood", "DCSVM"
SRS, EXACT = "Proposed (mu=h^2)", "Proposed, exact"
FAST = "Proposed, fast"  # the default of SRSSVC: another level 1 than that of Algorithm 1
WHOLE, EARLY = "KernelSVC", "DCSVM, early"
METHODS = (LIBSVM, *FOREIGN, LLSVM, FASTFOOD, EARLY, DCSVM, SRS, FAST, EXACT, WHOLE)
_CACHE_MB = 3000


def model_for(method: str, problem: Problem, seed: int):
    """Return the unfitted classifier of a method, with the problem's settings."""
    kernel = {"C": problem.C, "gamma": problem.gamma}
    own = {**kernel, "cache_size": _CACHE_MB, "random_state": seed}
    makers = {
        LIBSVM: lambda: SVC(**kernel, cache_size=_CACHE_MB),
        LLSVM: lambda: explicit_feature_svc(
            "nystroem", problem.pieces, **kernel, random_state=seed
        ),
        FASTFOOD: lambda: explicit_feature_svc(
            "fastfood", 2 * problem.pieces, **kernel, random_state=seed
        ),
        EARLY: lambda: DCSVC(2, early=True, **own),
        DCSVM: lambda: DCSVC(2, **own),
        SRS: lambda: SRSSVC(problem.h, faithful=True, **own),
        FAST: lambda: SRSSVC(problem.h, **own),
        EXACT: lambda: SRSSVC(problem.h, exact=True, **own),
        WHOLE: lambda: KernelSVC(**own),
    }
    return makers[method]()


def warm_up(problem: Problem, data: Dataset, seed: int) -> None:
    """Compile and load what the methods need, on a few rows."""
    rows = np.random.default_rng(seed).permutation(len(data.y_train))[:1500]
    small = {"C": problem.C, "gamma": problem.gamma, "random_state": seed}
    SRSSVC(3, exact=True, **small).fit(data.X_train[rows], data.y_train[rows])
    few = rows[:200]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        explicit_feature_svc("fastfood", 16, **small).fit(data.X_train[few], data.y_train[few])


def measure(method: str, problem: Problem, data: Dataset, seed: int) -> dict:
    """Fit one method, time it in processor seconds of one thread, predict the test part.

    Returns
    -------
    dict
        ``train_s``, ``accuracy_pct``, ``predicted`` (test part), ``converged``; for kernel SVMs
        ``support`` (rows), ``objective``, ``violation``; for SRS-SVM ``candidates``, ``reduced``
        and ``stages`` (seconds).
        Only ``status`` where the method is not installed.
    """
    if method in FOREIGN:
        return _foreign(method, problem, data)
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ConvergenceWarning)
        model, train_s = processor_time(
            lambda: model_for(method, problem, seed).fit(data.X_train, data.y_train)
        )
        predicted = model.predict(data.X_test)
    found = {
        "train_s": train_s,
        "accuracy_pct": 100 * float(np.mean(predicted == data.y_test)),
        "predicted": np.asarray(predicted, dtype=np.int8),
        "converged": not any(issubclass(w.category, ConvergenceWarning) for w in said),
    }
    if hasattr(model, "support_"):
        found["support"] = np.asarray(model.support_)
    if isinstance(model, SVC):
        found["objective"] = _libsvm_objective(model)
    if hasattr(model, "certificate_"):
        found["objective"] = model.certificate_[0].objective
        found["violation"] = model.certificate_[0].violation
    if isinstance(model, SRSSVC):
        wall = sum(model.stage_times_.values())
        found["stages"] = {k: train_s * s / wall for k, s in model.stage_times_.items()}
        found["candidates"] = model.candidates_
        found["reduced"] = model.reduced_set_
    return found


def _libsvm_objective(model: SVC) -> float:
    """1/2 beta'K beta - sum |beta| of a fitted binary SVC."""
    beta = model.dual_coef_[0]
    f = model.decision_function(model.support_vectors_) - model.intercept_[0]
    return float(0.5 * beta @ f - np.abs(beta).sum())


def _foreign(method: str, problem: Problem, data: Dataset) -> dict:
    found, predicted = rival(
        method, data.X_train, data.y_train, data.X_test, C=problem.C, gamma=problem.gamma
    )
    if predicted is None:
        return found
    right = 100 * float(np.mean(predicted == data.y_test))
    return {**found, "accuracy_pct": right, "predicted": predicted.astype(np.int8)}


def contest_table(results: dict[str, dict[str, dict]]) -> pd.DataFrame:
    """Accuracy and time of every method on every problem (SRS-SVM Table 4).

    ``speedup`` is LIBSVM's time over the method's.
    """
    rows = []
    for dataset, methods in results.items():
        libsvm = methods.get(LIBSVM, {}).get("train_s", np.nan)
        for method, found in methods.items():
            row = {"dataset": dataset, "method": method}
            if "status" in found:
                rows.append({**row, "status": found["status"]})
                continue
            n_sv = len(found["support"]) if "support" in found else found.get("n_sv", np.nan)
            rows.append(
                {
                    **row,
                    "accuracy_pct": found["accuracy_pct"],
                    "train_s": found["train_s"],
                    "speedup": libsvm / found["train_s"],
                    "n_sv": n_sv,
                    "objective": found.get("objective", np.nan),
                    "converged": found.get("converged", ""),
                }
            )
    return pd.DataFrame(rows)


def stage_table(results: dict[str, dict[str, dict]]) -> pd.DataFrame:
    """Seconds and shares of clustering, level 1 and level 2 (SRS-SVM Table 5)."""
    rows = []
    for dataset, methods in results.items():
        stages = methods[SRS]["stages"]
        total = sum(stages.values())
        row = {"dataset": dataset}
        names = {"subclass": ("subclasses",), "level1": ("linear",), "level2": ("nodes", "kernel")}
        for name, parts in names.items():
            seconds = sum(stages[part] for part in parts)
            row[f"{name}_s"], row[f"{name}_pct"] = seconds, 100 * seconds / total
        rows.append(row)
    return pd.DataFrame(rows)


def quality_table(results: dict[str, dict[str, dict]]) -> pd.DataFrame:
    """Precision and recall of the candidates and of the final support vectors (SRS-SVM Table 6).

    Against LIBSVM's support vectors, or those of the exact solution where LIBSVM did not run.
    ``exact_recall`` is that of the set behind the exact answer. The default options of `SRSSVC`
    have a row of their own beside the method as printed, "<dataset>, fast".
    """
    rows = []
    for dataset, methods in results.items():
        truth = methods[LIBSVM] if "support" in methods.get(LIBSVM, {}) else methods[WHOLE]
        true = truth["support"]
        for method, name in ((SRS, dataset), (FAST, f"{dataset}, fast")):
            if "candidates" not in methods.get(method, {}):
                continue
            kept = set_quality(methods[method]["candidates"], true)
            final = set_quality(methods[method]["support"], true)
            rows.append({"dataset": name, **_sizes(kept, final)})
            rows[-1]["exact_recall"] = set_quality(methods[EXACT]["reduced"], true).recall
    return pd.DataFrame(rows)


def _sizes(kept, final) -> dict:
    return {
        "n_T_SV": kept.n_true,
        "n_T_MRRS_hat": kept.n_found,
        "mrrs_precision": kept.precision,
        "mrrs_recall": kept.recall,
        "n_T_rSV": final.n_found,
        "rsv_precision": final.precision,
        "rsv_recall": final.recall,
    }


def mcnemar_table(results: dict[str, dict[str, dict]], truths: dict) -> pd.DataFrame:
    """McNemar's test of every method against LIBSVM on the test part, all three forms."""
    rows = []
    for dataset, methods in results.items():
        reference = methods.get(LIBSVM, {})
        for method in (SRS, EXACT, DCSVM):
            if "predicted" not in reference or "predicted" not in methods.get(method, {}):
                continue
            test = mcnemar(truths[dataset], reference["predicted"], methods[method]["predicted"])
            rows.append({"dataset": dataset, "method": method, **vars(test)})
    return pd.DataFrame(rows)
