"""A vertex of the dual's optimal face: the same hyperplane from as few samples as it allows."""

import numpy as np
import pytest
from sklearn.svm import SVC

from hlsvm.linear.kernels import move_to_vertex, solve_dual, solve_free_bias, squared_norms


def binary_rows(n, d, seed):
    """Rows of zeros and ones of which the first tells the classes apart, but for a few."""
    rng = np.random.default_rng(seed)
    X = (rng.uniform(size=(n, d)) < 0.3).astype(float)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X[:, 0] = y > 0
    X[: n // 50, 0] = rng.uniform(size=n // 50) < 0.5
    return X, y


def solve(X, y, caps, free_bias, tol=1e-10):
    alpha = np.zeros(len(y))
    problem = X, np.arange(len(y)), y, caps, squared_norms(X)
    if free_bias:
        w, b, *_ = solve_free_bias(*problem, tol, 20_000, 0, alpha)
    else:
        w, b, *_ = solve_dual(*problem, 1.0, tol, 20_000, 0, alpha)
    return w, b, alpha


def vertex(X, y, caps, alpha):
    moved = alpha.copy()
    move_to_vertex(X, np.arange(len(y)), y, caps, moved)
    return moved


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("free_bias", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_vertex_is_the_same_hyperplane(seed, free_bias, dtype):
    X, y = binary_rows(400, 12, seed)
    X = np.ascontiguousarray(X - X.mean(axis=0), dtype=dtype)
    caps = np.random.default_rng(seed).uniform(0.2, 2.0, len(y))
    w, _, alpha = solve(X, y, caps, free_bias)
    moved = vertex(X, y, caps, alpha)
    ones = np.column_stack([X, np.ones(len(X))]).astype(float)
    np.testing.assert_allclose((moved * y) @ ones, (alpha * y) @ ones, atol=1e-8)
    np.testing.assert_allclose((moved * y) @ X, w, atol=1e-6)
    assert ((moved >= 0) & (moved <= caps)).all()
    free = (moved > 0) & (moved < caps)
    assert np.linalg.matrix_rank(ones[free]) == free.sum() <= 13
    assert free.sum() < ((alpha > 0) & (alpha < caps)).sum()
    # The objective sum alpha - |w|^2/2 is that of the solution: the face is one of optima.
    assert moved.sum() == pytest.approx(alpha.sum(), rel=1e-6)
    assert np.array_equal(vertex(X, y, caps, moved), moved)


def test_one_feature_that_decides_needs_few_samples():
    """LIBSVM has a few support vectors where the descent has most of the samples."""
    X, y = binary_rows(1000, 6, 0)
    X[:, 0] = y > 0
    caps = np.full(1000, 10.0)
    w, _, alpha = solve(X, y, caps, True)
    moved = vertex(X, y, caps, alpha)
    theirs = SVC(kernel="linear", C=10.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(w, theirs.coef_[0], atol=1e-5)
    assert np.count_nonzero(alpha) > 500
    assert np.count_nonzero(moved) <= 7  # d + 1
    assert len(theirs.support_) <= 7


def test_a_unique_solution_stays_and_repeated_rows_become_one():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.where(np.arange(60) % 2 == 0, 1.0, -1.0)
    caps = np.full(60, 0.7)
    _, _, alpha = solve(X, y, caps, True)
    alpha[alpha < 1e-7] = 0.0
    moved = vertex(X, y, caps, alpha)
    np.testing.assert_allclose(moved, alpha, atol=1e-6)
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    halves = np.repeat(alpha / 2, 2)
    joined = vertex(twice, labels, np.full(120, 0.7), halves)
    free = (joined > 0) & (joined < 0.7)
    assert np.linalg.matrix_rank(twice[free]) + 1 >= free.sum()
    assert np.bincount(np.flatnonzero(free) // 2, minlength=60).max() == 1


def test_no_free_multiplier_and_no_feature():
    X, y = np.zeros((4, 1)), np.array([1.0, -1.0, 1.0, -1.0])
    bound = np.ones(4)
    assert vertex(X, y, bound, bound).tolist() == [1, 1, 1, 1]
    moved = vertex(X, y, bound, np.full(4, 0.5))
    assert (moved * y).sum() == 0
    assert np.count_nonzero((moved > 0) & (moved < 1)) <= 1
