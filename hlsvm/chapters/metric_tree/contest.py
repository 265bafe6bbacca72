"""One division of the data: the SVM, the tree and what a decision costs either, in one run."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC

from hlsvm.chapters.metric_tree.problems import Problem, dense
from hlsvm.datasets import Dataset
from hlsvm.regions import MetricTreeSVC, PreimageSVC
from hlsvm.reproduce.timing import race

ROWS = 2_000  # test rows that LIBSVM is timed on
_CACHE = 1_500  # megabytes for LIBSVM's kernel rows


@dataclass(frozen=True)
class Measured:
    """What SVM and tree did on one division, named as the published columns.

    Attributes
    ----------
    n_sv, svm_accuracy_pct, svm_test_s
        The SVM; seconds for the whole test part, from at most `ROWS` rows.
    avg_depth
        Mean number of dot products of a decision: cuts and leaf, as the source counts.
    tree_accuracy_pct, tree_test_s, abs_accuracy_diff, speed_gain_factor
        The tree, through ``predict``.
    kernel_gain_factor
        Gain without what Python adds to a call: rows and labels as arrays.
    agreement_pct
        Test rows on which both say the same.
    certain_pct, certain_curvature_pct
        Test rows whose class is certain, by both bounds and by the curvature alone.
    damped_accuracy_pct, damped_agreement_pct
        The tree with damped leaves.
    fallback_agreement_pct
        The tree that asks the SVM where it is not certain.
    max_depth, build_s, train_s
        Most cuts above a leaf; processor seconds of tree and leaves, and of LIBSVM's training.
    """

    n_train: int
    n_test: int
    n_sv: int
    svm_accuracy_pct: float
    svm_test_s: float
    avg_depth: float
    tree_accuracy_pct: float
    tree_test_s: float
    abs_accuracy_diff: float
    speed_gain_factor: float
    kernel_gain_factor: float
    agreement_pct: float
    certain_pct: float
    certain_curvature_pct: float
    damped_accuracy_pct: float
    damped_agreement_pct: float
    fallback_agreement_pct: float
    max_depth: int
    build_s: float
    train_s: float


def fit_svm(problem: Problem, data: Dataset) -> tuple[SVC, float]:
    """Train LIBSVM; also the processor seconds."""
    X, y, _, _ = dense(data)
    start = time.process_time()
    svm = SVC(C=problem.C, gamma=problem.width(data), cache_size=_CACHE).fit(X, y)
    return svm, time.process_time() - start


def race_predictions(svm, tree, X_test, repeats: int = 3) -> dict[str, float]:
    """Processor seconds a row of LIBSVM, of the tree, and of the tree on bare arrays."""
    few = X_test[:ROWS]
    table = race(
        {
            "svm": lambda: svm.predict(few),
            "tree": lambda: tree.predict(X_test),
            "arrays": lambda: tree.classes_.take(tree._router.sides(X_test)),
        },
        repeats=repeats,
        at_least=0.02,
    ).set_index("method")
    return {
        "svm": float(table.cpu_s["svm"]) / len(few),
        "tree": float(table.cpu_s["tree"]) / len(X_test),
        "arrays": float(table.cpu_s["arrays"]) / len(X_test),
    }


def grow(svm, X, **options) -> tuple[MetricTreeSVC, float]:
    """Grow the tree of a fitted SVM; also the processor seconds."""
    start = time.process_time()
    tree = MetricTreeSVC.from_fitted(svm, X, **options)
    return tree, time.process_time() - start


def warm_up() -> None:
    """Compile what is timed, on a few rows."""
    X = np.random.default_rng(0).normal(size=(600, 3))
    tree = MetricTreeSVC(SVC()).fit(X, X[:, 0] > 0)
    tree.predict(X)
    tree.is_certain(X)


def contest(problem: Problem, data: Dataset, **options) -> Measured:
    """Train LIBSVM on one division, grow its tree, and compare their test predictions.

    Parameters
    ----------
    problem : Problem
    data : Dataset
        With a test part.
    **options
        For `MetricTreeSVC`.
    """
    warm_up()
    X, _, X_test, y_test = dense(data)
    svm, train_s = fit_svm(problem, data)
    tree, build_s = grow(svm, X, **options)
    exact = (tree.svm_decision(X_test) > 0).astype(int)
    taylor = np.searchsorted(tree.classes_, tree.predict(X_test))
    truth = np.searchsorted(tree.classes_, y_test)
    certain = tree.is_certain(X_test)
    curved = MetricTreeSVC.is_certain(tree.set_params(bound="curvature"), X_test)
    tree.set_params(bound="best", expansion="damped")
    soft = (tree.decision_function(X_test) > 0).astype(int)
    tree.set_params(expansion="taylor")
    seconds = race_predictions(svm, tree, X_test)
    accuracy = {
        "svm": 100 * float(np.mean(exact == truth)),
        "tree": 100 * float(np.mean(taylor == truth)),
    }
    return Measured(
        n_train=len(X),
        n_test=len(X_test),
        n_sv=len(svm.support_),
        svm_accuracy_pct=accuracy["svm"],
        svm_test_s=seconds["svm"] * len(X_test),
        avg_depth=float(tree.n_hyperplanes(X_test).mean()),
        tree_accuracy_pct=accuracy["tree"],
        tree_test_s=seconds["tree"] * len(X_test),
        abs_accuracy_diff=abs(accuracy["svm"] - accuracy["tree"]),
        speed_gain_factor=seconds["svm"] / seconds["tree"],
        kernel_gain_factor=seconds["svm"] / seconds["arrays"],
        agreement_pct=100 * float(np.mean(taylor == exact)),
        certain_pct=100 * float(certain.mean()),
        certain_curvature_pct=100 * float(curved.mean()),
        damped_accuracy_pct=100 * float(np.mean(soft == truth)),
        damped_agreement_pct=100 * float(np.mean(soft == exact)),
        fallback_agreement_pct=100 * float(np.mean(np.where(certain, taylor, exact) == exact)),
        max_depth=tree.get_depth(),
        build_s=build_s,
        train_s=train_s,
    )


def reduced_set(svm, X, X_test, y_test, n_vectors: int) -> dict[str, float]:
    """Accuracy and processor seconds of the SVM on a few pre-images, and of finding them."""
    start = time.process_time()
    short = PreimageSVC(FrozenEstimator(svm), n_vectors=n_vectors).fit(X)
    found = time.process_time() - start
    table = race({"short": lambda: short.predict(X_test)}, repeats=3)
    return {
        "n_vectors": len(short.vectors_[0]),
        "accuracy_pct": 100 * float(np.mean(short.predict(X_test) == y_test)),
        "test_s": float(table.cpu_s[0]),
        "reduce_s": found,
        "rest": float(short.rest_[0]),
    }
