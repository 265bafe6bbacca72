"""Definitions 1-3 of SRS-SVM on solved problems, and what survives of its propositions."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.svm import SVC

from hlsvm import SRSSVC
from hlsvm.subclass import Kernel, KernelSVC, set_quality

from .problems import binary_rows, libsvm, solve, xor


def hyperplane(X, y, rows, C=1e3):
    """(w, b) of the linear SVM on some rows."""
    rows = np.asarray(rows)
    s = solve(X[rows], y[rows], C, Kernel("linear"), tol=1e-9)
    return np.append(s.beta @ X[rows], s.bias)


def representative(X, y, rows):
    """Definition 2: the same hyperplane as from all samples (with the bias, which it forgets)."""
    rows = list(rows)
    if len(set(y[rows])) < 2:
        return False
    return np.allclose(hyperplane(X, y, rows), hyperplane(X, y, np.arange(len(y))), atol=1e-6)


def smallest(X, y):
    """Definition 3 by trying all subsets: the minimal representative reduced sets."""
    for size in range(2, len(y) + 1):
        result = [set(s) for s in combinations(range(len(y)), size) if representative(X, y, s)]
        if result:
            return result
    raise AssertionError("the whole set represents itself")


SQUARE = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
SIDES = np.array([1.0, 1.0, 1.0, -1.0])


def test_support_vectors_are_a_representative_set():
    """What is true in Proposition 1: dropping samples without a multiplier changes nothing."""
    X, y = xor(60, spread=0.15)
    half = X[:, 0] * y > 0  # one corner against another: linearly separable
    X, y = X[half], y[half]
    s = solve(X, y, 1e3, Kernel("linear"), tol=1e-9)
    support = np.flatnonzero(s.beta)
    assert len(support) < len(y)
    assert representative(X, y, support)


def test_proposition_1_is_false():
    """Two representative sets share one sample, so neither holds 'all the support vectors'."""
    assert representative(SQUARE, SIDES, [0, 1, 3])
    assert representative(SQUARE, SIDES, [2, 3])
    assert not representative(SQUARE, SIDES, [0, 3])


def test_definition_3_and_the_bound_of_proposition_2():
    minimal = smallest(SQUARE, SIDES)
    assert minimal == [{2, 3}]
    for multipliers in ([0.25, 0.25, 0.0, 0.5], [0.0, 0.0, 0.5, 0.5]):
        beta = np.array(multipliers) * SIDES
        assert np.allclose(beta @ SQUARE, [1.0, 0.0])  # both are dual solutions
        assert len(minimal[0]) <= np.count_nonzero(beta)  # |MRRS| <= |T_SV|: true
    # 'contains only support vectors' depends on the dual solution: sample 2 is none of the first.


def test_proposition_3_is_false_for_a_linear_solution():
    X = np.array([[1.0, -3], [1, -2], [-1, -4], [-3, 4], [-2, -1]])
    y = np.array([1.0, 1, -1, -1, -1])
    s = solve(X, y, 1e3, Kernel("linear"), tol=1e-9)
    w = s.beta @ X
    assert np.allclose(w, [8 / 9, 2 / 9], atol=1e-6)
    assert s.bias == pytest.approx(7 / 9, abs=1e-6)
    assert np.flatnonzero(s.beta).tolist() == [0, 2, 3]
    union = set()
    for plus in ([0], [1]):
        for minus in ([2], [3, 4]):
            rows = np.array(plus + minus)
            pair = solve(X[rows], y[rows], 1e3, Kernel("linear"), tol=1e-9)
            union |= set(rows[np.flatnonzero(pair.beta)].tolist())
    assert 3 not in union  # a support vector of the whole, of no pair


def test_proposition_3_is_false_for_a_kernel():
    X = np.array([[-2.0, 0], [-1, 0], [-1.5, 1], [1, 0], [2, 0], [1.5, 1]])
    y = np.array([1.0, 1, 1, -1, -1, -1])
    whole = solve(X, y, 10.0, Kernel("rbf", 10.0))
    pair = solve(X, y, 10.0, Kernel("linear"))
    assert np.flatnonzero(whole.beta).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.flatnonzero(pair.beta).tolist() == [1, 3]


@pytest.mark.parametrize("gamma", [1.0, 10.0])
def test_recall_falls_as_the_kernel_becomes_local_and_exact_mends_it(gamma):
    X, y = xor(800, spread=0.3)
    truth = np.flatnonzero(libsvm(X, y, np.full(800, 1.0), gamma=gamma)[0])
    options = {"C": 1.0, "gamma": gamma, "random_state": 0, "tol": 1e-6, "faithful": True}
    srs = SRSSVC(2, **options).fit(X, y)
    exact = SRSSVC(2, exact=True, **options).fit(X, y)
    assert set_quality(srs.candidates_, truth).recall < 0.9
    assert set_quality(exact.reduced_set_, truth).recall == 1.0


def test_every_sample_a_subclass_keeps_every_sample():
    """The degenerate end of Table 2: h = n / 2 makes all samples candidates."""
    X, y = xor(40)
    assert len(SRSSVC(20, C=10, gamma=1.0, random_state=0).fit(X, y).reduced_set_) == 40


def pair_support(model, X, y, C):
    """Support vectors of LIBSVM's linear machine on every pair of subclasses (Algorithm 1)."""
    sets = []
    for i in range(model.n_subclasses_[0]):
        for j in range(model.n_subclasses_[1]):
            minus, plus = (y < 0) & (model.subclasses_ == i), (y > 0) & (model.subclasses_ == j)
            rows = np.flatnonzero(minus | plus)
            pair = SVC(C=C, kernel="linear", tol=1e-9).fit(X[rows], y[rows])
            sets.append(rows[pair.support_])
    return sets


@pytest.mark.parametrize("seed", range(3))
def test_candidates_are_the_support_vectors_of_the_pairs(seed):
    """Algorithm 1 where the dual solutions are unique: LIBSVM's support vectors, row by row."""
    X, y = xor(200, seed, spread=0.4)
    options = {"linear_tol": 1e-11, "linear_max_iter": 50_000, "random_state": 0}
    model = SRSSVC(2, C=1.0, gamma=1.0, faithful=True, **options).fit(X, y)
    expected = np.unique(np.concatenate(pair_support(model, X, y, 1.0)))
    assert model.candidates_.tolist() == expected.tolist()


def test_candidates_of_binary_rows_are_as_few_as_those_of_libsvm():
    """Where many rows lie on the margin the dual solution is not unique; LIBSVM's has few."""
    X, y = binary_rows(1500, 10, 0)
    options = {"C": 1.0, "gamma": 0.5, "random_state": 0}
    model = SRSSVC(3, faithful=True, **options).fit(X, y)
    fast = SRSSVC(3, **options).fit(X, y)
    libsvm_size = len(np.unique(np.concatenate(pair_support(model, X, y, 1.0))))
    assert 0.7 * libsvm_size < len(model.candidates_) < 1.05 * libsvm_size
    assert len(fast.candidates_) > 1.5 * libsvm_size


@pytest.mark.mirror
def test_most_support_vectors_of_adult_are_candidates(mirror):
    from hlsvm.datasets import load

    data = load("a9a")
    X, y = data.X_train[:6000].astype(float), data.y_train[:6000]
    truth = KernelSVC(C=1.0, gamma=2**-5).fit(X, y).support_
    model = SRSSVC(7, C=1.0, gamma=2**-5, random_state=0).fit(X, y)
    assert set_quality(model.candidates_, truth).recall > 0.8


@pytest.mark.mirror
def test_candidates_of_adult_are_those_of_table_6(mirror):
    """13,698 candidates, precision .722, recall .851 of 11,614 support vectors."""
    from hlsvm.datasets import load

    data = load("a9a")
    y = data.y_train
    model = SRSSVC(15, C=1.0, gamma=2**-5, faithful=True, random_state=0).fit(data.X_train, y)
    truth = KernelSVC(C=1.0, gamma=2**-5).fit(data.X_train, y).support_
    quality = set_quality(model.candidates_, truth)
    assert quality.n_reduced == pytest.approx(13_698, rel=0.05)
    assert quality.precision == pytest.approx(0.722, abs=0.03)
    assert quality.recall == pytest.approx(0.851, abs=0.03)
