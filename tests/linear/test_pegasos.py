"""Weighted-Pegasos: the kernel against Alg. 5 written out, its draws, and what it converges to."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hlsvm.linear._pegasos import _violators, solve_pegasos
from hlsvm.linear._rows import read_only
from hlsvm.linear.weights import balanced_weights

from .problems import blobs, primal, solve

LAM = 1e-3


def pegasos(X, y, nu, *, lam=LAM, radius=None, k=10**6, steps=100, tol=-1.0, **options):
    """Call the kernel on all rows; `tol` below zero never stops it."""
    n = len(y)
    tau, faithful = options.get("tau", 0.01), options.get("faithful", False)
    radius = 1 / np.sqrt(n * lam) if radius is None else radius
    rows, seed = np.arange(n), options.get("seed", 0)
    return solve_pegasos(read_only(X), rows, y, nu, lam, radius, k, steps, tol, tau, faithful, seed)


def algorithm_5(X, y, nu, lam, radius, steps, tau, faithful):
    """Thesis Alg. 5 with A_t = S, line by line."""
    k = len(y)
    w, b = np.zeros(X.shape[1]), 0.0
    for t in range(1, steps + 1):
        hit = y * (X @ w + (0.0 if faithful else b)) < 1
        eta = 1 / (lam * t)
        half = (1 - eta * lam) * w + eta / k * (nu * y * hit) @ X
        w = min(1.0, radius / np.linalg.norm(half)) * half
        b = b + tau * eta / k * (nu * y * hit).sum()
    return w, b


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("lam", [1e-2, 1e-5])
@pytest.mark.parametrize("shrink", [1.0, 0.1])
def test_follows_algorithm_5(faithful, lam, shrink):
    X, y = blobs()
    nu = balanced_weights(y)
    radius = shrink / np.sqrt(len(y) * lam)
    w, b, steps, _ = pegasos(X, y, nu, lam=lam, radius=radius, steps=25, faithful=faithful)
    expected_w, expected_b = algorithm_5(X, y, nu, lam, radius, 25, 0.01, faithful)
    assert steps == 25
    assert_allclose(w, expected_w, rtol=1e-10)
    assert_allclose(b, expected_b, rtol=1e-10, atol=1e-15)
    assert np.linalg.norm(w) <= radius * (1 + 1e-12)


def test_batches_are_sets_and_every_sample_has_its_turn():
    n, size, draws = 12, 5, 4000
    X = read_only(np.eye(n))
    pool, state = np.arange(n), np.array([1], dtype=np.uint64)
    counts, pull = np.zeros(n), np.empty(n)
    for _ in range(draws):
        ones = np.ones(n)
        _violators(X, np.arange(n), ones, ones, np.zeros(n), 0.0, pool, size, state, pull)
        assert sorted(np.unique(pull)) == [0, 1]
        assert pull.sum() == size
        counts += pull
    expected = draws * size / n
    spread = draws * (size / n) * (1 - size / n) * n / (n - 1)
    assert ((counts - expected) ** 2).sum() / spread < 31.3  # 99.9 %, 11 degrees of freedom


@pytest.mark.parametrize("k", [1, 20, 200])
def test_approaches_the_optimum_of_the_dual_solver(k):
    X, y = blobs(n=200)
    nu = balanced_weights(y)
    upper = nu / (LAM * 200)
    best = solve(X, y, upper, None)[2]
    gaps = []
    for steps in (100, 10_000):
        w, b, *_ = pegasos(X, y, nu, k=k, steps=steps, tau=1.0)
        gaps.append(primal(X, y, upper, w, b) / best - 1)
    assert gaps[0] > gaps[1] >= -1e-12
    assert gaps[1] < 5e-3


def test_all_margins_violated_is_solved_in_one_step():
    X, y = blobs(n=50)
    nu = balanced_weights(y)
    w, *_ = pegasos(X, y, nu, lam=10.0, steps=1)
    assert_allclose(w, solve(X, y, nu / (10 * 50), None)[0], rtol=1e-9)


def test_printed_stop_rule_measures_the_step_and_not_the_optimality():
    """A tiny rate stops the printed loop far from the optimum; the default looks further."""
    X, y = blobs(n=200, shift=2.0)
    nu = balanced_weights(y)
    upper = nu / (1e-5 * 200)
    best = solve(X, y, upper, None)[2]
    excess = {}
    for faithful in (True, False):
        w, b, steps, moved = pegasos(
            X, y, nu, lam=1e-5, k=20, steps=10**5, tol=0.03, faithful=faithful
        )
        assert moved <= 0.03
        assert steps < 10**5
        excess[faithful] = primal(X, y, upper, w, b) / best - 1
    assert excess[True] > 4 * excess[False]


def test_bias_of_the_printed_hinge_test_drifts_like_log_t():
    """Without b in the test b never hears of its own effect; with it, it goes to the optimum.

    Shifted data in the sum form (weights of mean one), as in `notebooks/11_errata.ipynb`.
    """
    X, y = blobs(n=100, shift=3.0)
    X = X + 3.0
    nu = 100 * balanced_weights(y)
    best = solve(X, y, nu / (0.1 * 100), None)[1]

    def path(faithful):
        options = {"lam": 0.1, "radius": 1 / np.sqrt(0.1), "tau": 1.0, "faithful": faithful}
        return np.array([pegasos(X, y, nu, steps=t, **options)[1] for t in (10**2, 10**3, 10**4)])

    printed, corrected = path(True), path(False)
    assert_allclose(np.diff(printed), printed[2] - printed[1], rtol=0.02)
    assert abs(printed - best).min() > 5
    assert (np.diff(abs(corrected - best)) < 0).all()
    assert abs(corrected[2] - best) < 0.2


def test_same_seed_same_bits_and_another_seed_another_path():
    X, y = blobs(n=100)
    nu = balanced_weights(y)
    first, again, other = (pegasos(X, y, nu, k=5, seed=seed)[0] for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_flipped_labels_flip_the_plane():
    X, y = blobs(n=100)
    nu = balanced_weights(y)
    w, b, *_ = pegasos(X, y, nu, k=5)
    flipped_w, flipped_b, *_ = pegasos(X, -y, nu, k=5)
    assert_array_equal(w, -flipped_w)
    assert b == -flipped_b


def test_no_bias_where_tau_is_zero():
    X, y = blobs(n=100)
    assert pegasos(X, y, balanced_weights(y), tau=0.0)[1] == 0.0
