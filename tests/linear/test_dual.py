"""The dual kernels against other solvers, and their certificates against the definitions."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel, delayed
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from hlsvm import datasets
from hlsvm.linear._dual import add_rows, decisions
from hlsvm.linear._rows import draw, read_only, squared_norms
from hlsvm.linear.weights import balanced_weights

from .problems import blobs, dual, primal, solve


def random_caps(n, seed=0, high=2.0):
    return np.random.default_rng(seed).uniform(0.01, high, n)


@pytest.mark.parametrize("s", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_agrees_with_liblinear(s, scale):
    X, y = blobs()
    upper = random_caps(len(y)) * scale
    w, b, objective, *_ = solve(X, y, upper, s)
    peer = LinearSVC(
        loss="hinge",
        C=1.0,
        tol=1e-9,
        max_iter=1_000_000,
        fit_intercept=s > 0,
        intercept_scaling=s or 1.0,
        random_state=0,
    ).fit(X, y, sample_weight=upper)
    other_b = peer.intercept_[0] if s else 0.0
    assert_allclose(w, peer.coef_[0], rtol=1e-5, atol=1e-7)
    assert_allclose(b, other_b, rtol=1e-5, atol=1e-7)
    assert objective <= primal(X, y, upper, peer.coef_[0], other_b, s) * (1 + 1e-12)


@pytest.mark.parametrize("s", [None, 0.0, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_cvxpy(s, seed):
    X, y = blobs(n=30, d=3, seed=seed)
    upper = random_caps(30, seed, high=1.0)
    w, b = cp.Variable(3), cp.Variable()
    loss = upper @ cp.pos(1 - cp.multiply(y, X @ w + b))
    ridge = cp.sum_squares(w) if s is None else cp.sum_squares(w) + cp.square(b / (s or 1.0))
    problem = cp.Problem(cp.Minimize(0.5 * ridge + loss), [b == 0] if s == 0 else [])
    problem.solve(solver=cp.CLARABEL)
    ours_w, ours_b, objective, *_ = solve(X, y, upper, s)
    assert_allclose(objective, problem.value, rtol=1e-7)
    assert_allclose(ours_w, w.value, atol=1e-4)
    assert_allclose(ours_b, b.value, atol=1e-4)


@st.composite
def problems(draw):
    """Degenerate on purpose: few distinct values, repeated rows, zero rows, any balance."""
    n, d = draw(st.integers(2, 25)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-2, 3, size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 7.0]))
    y = np.where(rng.random(n) < draw(st.sampled_from([0.1, 0.5, 1.0])), 1.0, -1.0)
    upper = rng.uniform(0.01, 1.0, n) * draw(st.sampled_from([1e-3, 1.0, 10.0]))
    if draw(st.booleans()):
        upper = balanced_weights(y) * draw(st.sampled_from([1e-3, 1.0, 10.0]))
    return X, y, upper, draw(st.sampled_from([None, 0.0, 0.3, 1.0]))


@settings(max_examples=150, deadline=None)
@given(problems())
def test_certificate_is_true_and_kkt_hold(problem):
    X, y, upper, s = problem
    tol = 1e-7
    w, b, objective, bound, _, converged, alpha = solve(X, y, upper, s, tol)
    rounding = 1e-12 * upper.sum()
    assert converged
    assert ((alpha >= 0) & (alpha <= upper)).all()
    assert_allclose(w, X.T @ (alpha * y), atol=1e-9 * (1 + abs(w).max()))
    if s is None:
        assert abs(alpha @ y) <= 1e-9 * upper.sum()
    else:
        assert_allclose(b, s * s * (alpha @ y), atol=1e-9 * (1 + abs(b)))
    value = primal(X, y, upper, w, b, np.inf if s is None else s)
    assert_allclose(objective, value, rtol=1e-9, atol=rounding)
    assert_allclose(bound, dual(X, y, alpha, s or 0.0), rtol=1e-9, atol=rounding)
    slope = y * (X @ w + b) - 1
    slack = alpha * np.maximum(0, slope) + (upper - alpha) * np.maximum(0, -slope)
    assert slack.sum() <= 2 * tol * objective + rounding


@settings(max_examples=50, deadline=None)
@given(problems(), st.integers(0, 5))
def test_no_point_lies_below_the_dual_bound(problem, epochs):
    """Weak duality holds however early the descent stops."""
    X, y, upper, s = problem
    w, b, objective, bound, *_ = solve(X, y, upper, s, tol=1e-12, max_epochs=epochs)
    rounding = 1e-12 * upper.sum()
    assert bound <= objective + rounding
    rng = np.random.default_rng(0)
    for size in (1e-3, 0.1, 1.0):
        near = w + size * rng.normal(size=w.shape)
        near_b = b + size * rng.normal() if s != 0 else 0.0
        assert primal(X, y, upper, near, near_b, s or np.inf) >= bound - rounding


def test_all_margins_violated_is_solved_without_an_epoch():
    """Small boxes: alpha = U is optimal and w is the difference of the means."""
    X, y = blobs(n=40, d=3)
    upper = balanced_weights(y) * 1e-3
    for s in (None, 1.0):
        w, _, objective, bound, epochs, converged, alpha = solve(X, y, upper, s)
        assert (epochs, converged) == (0, True)
        assert_array_equal(alpha, upper)
        assert_allclose(w, 5e-4 * (X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)))
        assert_allclose(objective, bound)


def test_free_bias_takes_the_middle_of_a_flat_optimum():
    X, y = np.array([[-3.0], [1.0], [2.0], [7.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    w, b, *_ = solve(X, y, np.full(4, 1e-3), None)
    left, right = 1 - 7 * w[0], -1 + 3 * w[0]
    assert_allclose(b, 0.5 * (left + right))


def test_warm_start_from_the_solution_needs_no_epoch():
    X, y = blobs()
    upper = random_caps(len(y))
    w, b, *_, alpha = solve(X, y, upper)
    again = solve(X, y, upper, tol=1e-9, alpha=alpha.copy())
    assert again[4] == 0
    assert_allclose(again[0], w)
    assert_allclose(again[1], b)


def test_rows_choose_the_samples():
    X, y = blobs()
    upper = random_caps(len(y))
    rows = np.random.default_rng(1).permutation(len(y))[:30]
    part = solve(X, y[rows], upper[rows], rows=rows)
    alone = solve(X[rows], y[rows], upper[rows])
    assert_allclose(part[0], alone[0], rtol=1e-12)
    assert part[2:6] == alone[2:6]


@pytest.mark.parametrize("s", [None, 1.0])
def test_repeated_rows_equal_doubled_boxes(s):
    X, y = blobs(n=40)
    upper = random_caps(40)
    twice = np.repeat(np.arange(40), 2)
    w, b, *_ = solve(X, y, 2 * upper, s)
    w2, b2, *_ = solve(X[twice], y[twice], upper[twice], s)
    assert_allclose(w, w2, atol=1e-8)
    assert_allclose(b, b2, atol=1e-8)


def test_flipped_labels_flip_the_plane():
    X, y = blobs()
    upper = random_caps(len(y))
    w, b, *_ = solve(X, y, upper, tol=1e-4)
    flipped_w, flipped_b, *_ = solve(X, -y, upper, tol=1e-4)
    assert_array_equal(w, -flipped_w)
    assert b == -flipped_b
    w, b, *_ = solve(X, y, upper, None)
    flipped_w, flipped_b, *_ = solve(X, -y, upper, None)
    assert_allclose(w, -flipped_w, atol=1e-8)
    assert_allclose(b, -flipped_b, atol=1e-8)


def test_a_free_bias_does_not_see_a_shift_of_the_data():
    X, y = blobs()
    upper = random_caps(len(y))
    w, b, objective, *_ = solve(X, y, upper, None)
    shift = np.array([3.0, -2.0, 1.0, 0.5])
    moved_w, moved_b, moved_objective, *_ = solve(X + shift, y, upper, None)
    assert_allclose(moved_objective, objective, rtol=1e-9)
    assert_allclose(moved_w, w, atol=1e-7)
    assert_allclose(moved_b, b - w @ shift, atol=1e-7)
    assert solve(X + shift, y, upper, 1.0)[2] > objective * (1 + 1e-3)


def test_a_large_bias_feature_approaches_the_free_bias():
    X, y = blobs()
    upper = random_caps(len(y))
    free = solve(X, y, upper, None)[2]
    below = [solve(X, y, upper, s, tol=1e-8)[2] for s in (0.1, 1.0, 10.0)]
    assert below[0] > below[1] > below[2] > free
    assert_allclose(below[2], free, rtol=1e-3)


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_needs_a_free_bias_only(label):
    X, _ = blobs(n=10)
    w, b, objective, bound, epochs, converged, alpha = solve(
        X, np.full(10, label), np.ones(10), None
    )
    assert (b, objective, bound, epochs, converged) == (label, 0.0, 0.0, 0, True)
    assert_array_equal(w, 0)
    assert_array_equal(alpha, 0)


def test_float32_agrees_with_float64():
    X, y = blobs(n=80, d=11)
    X = X.astype(np.float32)
    upper = random_caps(80)
    for s in (None, 1.0):
        single = solve(X, y, upper, s, tol=1e-9)
        double = solve(X.astype(np.float64), y, upper, s, tol=1e-9)
        assert single[0].dtype == np.float64
        assert_allclose(single[0], double[0], atol=1e-6)
        assert_allclose(single[2], double[2], rtol=1e-8)


def test_an_exhausted_budget_is_said_and_bounded():
    X, y = blobs(n=200, d=8)
    upper = np.full(200, 50.0)
    for s in (None, 1.0):
        *_, objective, bound, epochs, converged, _ = solve(X, y, upper, s, max_epochs=3)
        best = solve(X, y, upper, s, tol=1e-8)[2]
        assert not converged
        assert epochs <= 4
        assert bound < best * (1 + 1e-8)
        assert objective >= best * (1 - 1e-8)


def test_same_seed_same_bits_on_any_thread():
    X, y = blobs(n=300, d=6)
    upper = random_caps(300)

    def bits(s, seed):
        w, b, *_ = solve(X, y, upper, s, tol=1e-3, seed=seed)
        return w.tobytes() + np.float64(b).tobytes()

    work = [(s, seed) for s in (None, 1.0) for seed in range(4)]
    alone = [bits(*item) for item in work]
    together = Parallel(n_jobs=4, prefer="threads")(delayed(bits)(*item) for item in work)
    assert alone == together
    assert len(set(alone)) == len(work)


def testdraws_are_uniform():
    state = np.array([3], dtype=np.uint64)
    counts = np.bincount([draw(state, 7) for _ in range(7000)], minlength=7)
    assert counts.shape == (7,)
    assert ((counts - 1000) ** 2 / 1000).sum() < 22.5  # 99.9 % of chi squared, 6 degrees


def test_small_kernels_follow_their_formulas():
    X, y = blobs(n=33, d=5)
    upper = random_caps(33) * y
    w = np.linspace(-1, 1, 5)
    rows = np.arange(33)
    assert_allclose(squared_norms(read_only(X)), (X**2).sum(axis=1))
    assert_allclose(decisions(read_only(X), rows, w), X @ w)
    total = np.zeros(6)
    add_rows(read_only(X), rows, upper, 2.0, total)
    assert_allclose(total, np.append(X.T @ upper, 2 * upper.sum()))


@pytest.mark.mirror
@pytest.mark.parametrize(("lam", "epochs"), [(1e-5, 0), (1e-7, 6)])
def test_ijcnn1_in_the_mean_form_needs_a_handful_of_epochs(lam, epochs):
    """Nearly all multipliers are at their bounds: the start on the ray to them is the solution."""
    data = datasets.load("ijcnn1")
    X = np.ascontiguousarray(data.X_train, dtype=np.float32)
    y = np.where(data.y_train == 1, 1.0, -1.0)
    upper = balanced_weights(y) / (lam * len(y))
    w, b, objective, bound, used, converged, _ = solve(X, y, upper, tol=1e-3)
    assert converged
    assert used <= epochs
    peer = LinearSVC(loss="hinge", C=1.0, tol=0.01, random_state=0).fit(X, y, sample_weight=upper)
    value = primal(X, y, upper, peer.coef_[0].astype(float), float(peer.intercept_[0]), 1.0)
    assert bound <= value * (1 + 1e-12)
    assert objective <= value * (1 + 1e-3)
    assert_allclose(objective, primal(X, y, upper, w, b, 1.0))


@pytest.mark.parametrize("s", [None, 1.0])
def test_wide_boxes_in_few_dimensions_are_crossed(s):
    """Plain coordinate descent needs about U ||x||^2 epochs here and does not arrive."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = np.where(X.sum(axis=1) + rng.normal(size=1000) > 0, 1.0, -1.0)
    upper = np.full(1000, 1e4)
    *_, objective, bound, epochs, converged, _ = solve(X, y, upper, s, 1e-8, max_epochs=1000)
    assert converged
    assert bound >= objective * (1 - 1e-8)
    if s is not None:
        peer = LinearSVC(loss="hinge", C=1e4, tol=1e-9, max_iter=epochs, random_state=0)
        with pytest.warns(ConvergenceWarning):
            peer.fit(X, y)
        assert primal(X, y, upper, peer.coef_[0], peer.intercept_[0], s) > 1.05 * objective
