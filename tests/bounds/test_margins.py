"""R, S, T1, T2 of DTSVM: by hand, against scikit-learn, against the printed table."""

import itertools
import math

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from hlsvm import DTSVMClassifier, HLSVMClassifier
from hlsvm.bounds import (
    LocalSVM,
    dtsvm_terms,
    log_shatter_bound,
    machines_of,
    slack_to_margin,
    theorem_7,
    theorem_10,
    tree_complexity,
)
from hlsvm.reproduce import published


def test_machine_by_hand():
    # w = 1 in one dimension, b = 0, points 1, -1 and one inside the margin.
    machine = LocalSVM.from_arrays([1.0], [[1.0]], [1.0, -1.0, 0.25], [1, -1, 1])
    assert machine.norm == 1.0
    assert machine.slack_norm == pytest.approx(0.75)
    assert slack_to_margin([machine], rho=2.0) == pytest.approx(4 + 0.75**2)
    assert slack_to_margin([LocalSVM(3.0, 4.0, margin=5.0)]) == pytest.approx(1.0)
    assert slack_to_margin([]) == 0.0


def test_machine_of_scikit_learn():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=60) > 0, 1, -1)
    svc = SVC(C=2.0, gamma=0.5).fit(X, y)
    kernel = rbf_kernel(svc.support_vectors_, gamma=0.5)
    f = svc.decision_function(X)
    machine = LocalSVM.from_arrays(svc.dual_coef_, kernel, f, y)
    slack = np.maximum(0, 1 - y * f)
    assert machine.slack_norm**2 == pytest.approx(np.sum(slack**2))
    # Strong duality: |w|^2/2 + C sum xi = sum alpha - |w|^2/2.
    primal = 0.5 * machine.norm**2 + 2.0 * slack.sum()
    assert primal == pytest.approx(np.abs(svc.dual_coef_).sum() - 0.5 * machine.norm**2, rel=1e-2)


def test_machines_of_a_fitted_dtsvm():
    X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    y = X @ [1.0, 0.7] + 0.3 * np.sin(9 * X[:, 0]) > 0
    model = DTSVMClassifier(ceiling_size=60, C=10.0, gamma=1.0, random_state=0).fit(X, y)
    machines, n_leaves = machines_of(model)
    assert len(machines) == sum(machine is not None for machine in model.machines_) > 1
    assert n_leaves == len(np.unique(model.tree_.apply(X))) >= len(machines)
    # One leaf: the machine is the SVM of all rows.
    options = {"C": 10.0, "gamma": 1.0, "refit": True}
    whole = DTSVMClassifier(ceiling_size=1000, random_state=0, **options).fit(X, y)
    (one,), _ = machines_of(whole)
    svm = SVC(C=10.0, gamma=1.0, tol=1e-6).fit(X, y)
    dual, kernel = svm.dual_coef_, rbf_kernel(svm.support_vectors_, gamma=1.0)
    same = LocalSVM.from_arrays(dual, kernel, svm.decision_function(X), np.where(y, 1, -1))
    assert one.norm == pytest.approx(same.norm, rel=1e-2)
    assert one.slack_norm == pytest.approx(same.slack_norm, rel=1e-2)
    with pytest.raises(TypeError, match="whose leaves hold machines"):
        tree_complexity(model, X, y)
    with pytest.raises(TypeError, match="model must be a fitted DTSVMClassifier"):
        machines_of(HLSVMClassifier())


def test_terms_as_defined_and_as_printed():
    ours = dtsvm_terms(10.0, 3, 1000, 5)
    assert ours["T1"] == pytest.approx(10 * math.log(1000) ** 2)
    assert ours["T2"] == pytest.approx(3 * math.log(5 * 1000 * 9))
    printed = dtsvm_terms(10.0, 3, 1000, 5, faithful=True)
    assert printed["T1"] == pytest.approx(10 * math.log2(1000))
    assert printed["T2"] == pytest.approx(3 * math.log10(5 * 1000 * 9))


def test_printed_tables_are_log2_and_log10():
    """Erratum E13: Table 13 follows from Table 14, but not by the formula of the text."""
    t13 = published("DTSVM.Tab13").set_index(["dataset", "mode"])
    t14 = published("DTSVM.Tab14").set_index(["dataset", "mode"])
    sizes = {"PHW": (10992, 16), "Shuttle": (58000, 9), "CI": (45222, 14), "Poker": (25010, 10)}
    for (name, mode), row in t14.iterrows():
        if name not in sizes:
            continue
        rows, d = sizes[name]
        R, n = float(row.R_dtsvm), rows * 4 // 6
        L = round(R / float(row.R_over_L))
        printed = dtsvm_terms(R, L, n, d, faithful=True)
        assert printed["T1"] == pytest.approx(float(t13.T1[name, mode]), rel=0.01)
        assert printed["T2"] == pytest.approx(float(t13.T2[name, mode]), abs=1.0)
        assert dtsvm_terms(R, L, n, d)["T1"] > 5 * float(t13.T1[name, mode])


def test_shatter_bound_is_of_the_logarithm():
    """DTSVM Lemma 6: partitions of a tree, counted; the printed form is broken by them."""
    points = np.random.default_rng(0).normal(size=(7, 2))
    cuts = []
    for j in range(2):
        for cut in np.sort(points[:, j])[1:]:
            cuts.append(points[:, j] < cut)
    two = {tuple(side) for side in cuts}
    three = set()
    for first, second in itertools.product(cuts, cuts):
        for side in (first, ~first):
            inner = side & second
            if inner.any() and (side & ~second).any():
                three.add(tuple(np.where(inner, 2, np.where(side, 1, 0))))
    for result, L in ((two, 2), (three, 3)):
        assert math.log(len(result)) <= log_shatter_bound(L, 7, 2)
    assert len(three) > log_shatter_bound(3, 7, 2)


def test_theorem_10_is_its_formula():
    machines = [LocalSVM(1.0, 1.0), LocalSVM(2.0, 0.0)]
    bound = theorem_10(machines, 500, 4, n_leaves=3, delta=0.1, c=2.0)
    inside = 6 * math.log(500) ** 2 + 3 * math.log(4 * 500 * 9) + math.log(10)
    assert bound.value == pytest.approx(2 * inside / 500)
    assert bound.confidence is None
    assert theorem_10(machines, 1000, 4, 3).value < theorem_10(machines, 500, 4, 3).value
    assert theorem_10(machines, 500, 4, 9).value > bound.value / 2


@pytest.mark.parametrize("n_classes", [2, 10])
def test_l_is_the_number_of_leaves_not_of_machines(n_classes):
    """Leaves of one class have no machine, leaves of several classes have one per pair."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (400, 2))
    y = np.digitize(X[:, 0] + 0.1 * random.normal(size=400), np.linspace(-0.9, 0.9, n_classes - 1))
    model = DTSVMClassifier(ceiling_size=100, C=1.0, gamma=1.0, climb=False).fit(X, y)
    machines, n_leaves = machines_of(model)
    leaves = len(np.unique(model.tree_.apply(X)))
    assert n_leaves == leaves != len(machines)
    bound = theorem_10(machines, 400, 2, n_leaves)
    assert bound.terms["L"] == leaves
    assert bound.terms["T2"] == pytest.approx(leaves * math.log(2 * 400 * leaves**2))


def test_theorem_7_wants_no_slack():
    assert theorem_7([LocalSVM(2.0, 0.0)], 100, 2, 1).value == pytest.approx(
        theorem_10([LocalSVM(2.0, 0.0)], 100, 2, 1).value
    )
    with pytest.raises(ValueError, match="without slack"):
        theorem_7([LocalSVM(2.0, 0.1)], 100, 2, 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LocalSVM(-1.0, 0.0), "'norm'"),
        (lambda: LocalSVM(1.0, 0.0, margin=0.0), "'margin'"),
        (lambda: LocalSVM.from_arrays([1.0], np.eye(2), [1.0], [1]), "'kernel'"),
        (lambda: LocalSVM.from_arrays([1.0], [[1.0]], [1.0], [0]), "-1 and"),
        (lambda: slack_to_margin([], rho=0), "'rho'"),
        (lambda: log_shatter_bound(0, 10, 2), "'n_leaves'"),
        (lambda: dtsvm_terms(-1.0, 1, 10, 2), "'R'"),
        (lambda: theorem_10([LocalSVM(1, 0)], 10, 2, n_leaves=0), "'n_leaves'"),
        (lambda: theorem_10([LocalSVM(1, 0)], 10, 2, 1, c=0), "'c'"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
