"""The kernel solver against LIBSVM, cvxpy and its own certificate."""

import tracemalloc

import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hlsvm.subclass import Kernel, _active, _search, solve_kernel_svm, solver

from .problems import gram, libsvm, noisy_rings, objective, solve, xor

KERNELS = [
    (Kernel("rbf", 1.0), {"kernel": "rbf", "gamma": 1.0}),
    (Kernel("linear"), {"kernel": "linear"}),
    (Kernel("poly", 0.5, 2, 1.0), {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0}),
]


@pytest.mark.parametrize(("kernel", "names"), KERNELS, ids=lambda k: getattr(k, "name", ""))
def test_agrees_with_libsvm(kernel, names):
    X, y = noisy_rings()
    upper = np.where(np.arange(len(y)) % 3 == 0, 5.0, 1.0)
    ours = solve_kernel_svm(kernel, X, y, upper, tol=1e-7)
    beta, bias = libsvm(X, y, upper, **names)
    K = gram(kernel, X)
    assert ours.certificate.converged
    assert ours.certificate.violation <= 1e-7
    assert -ours.certificate.dual_objective == pytest.approx(objective(K, beta), rel=1e-9)
    assert np.allclose(K @ ours.beta + ours.bias, K @ beta + bias, atol=1e-5)
    assert np.all(np.abs(ours.beta) <= upper)
    assert abs(ours.beta.sum()) < 1e-9
    if kernel.name == "rbf":  # a strictly positive kernel: one solution
        assert np.array_equal(ours.beta != 0, beta != 0)


def test_agrees_with_cvxpy():
    X, y = noisy_rings(80)
    kernel = Kernel("rbf", 0.7)
    K = gram(kernel, X)
    beta = cp.Variable(80)
    root = np.linalg.cholesky(K + 1e-10 * np.eye(80))
    dual = 0.5 * cp.sum_squares(root.T @ beta) - y @ beta
    box = [beta >= np.minimum(0, 3 * y), beta <= np.maximum(0, 3 * y), cp.sum(beta) == 0]
    cp.Problem(cp.Minimize(dual), box).solve(solver="CLARABEL")
    ours = solve(X, y, 3.0, kernel, tol=1e-8)
    assert -ours.certificate.dual_objective == pytest.approx(dual.value, rel=1e-7)
    assert np.allclose(ours.beta, beta.value, atol=1e-4)


def test_certificate_is_true():
    X, y = noisy_rings()
    ours = solve(X, y, 10.0, tol=1e-2)
    K = gram(Kernel("rbf", 1.0), X)
    f = K @ ours.beta + ours.bias
    square = ours.beta @ K @ ours.beta
    primal = 0.5 * square + 10.0 * np.maximum(0, 1 - y * f).sum()
    dual = np.abs(ours.beta).sum() - 0.5 * square
    proof = ours.certificate
    assert proof.objective == pytest.approx(primal, rel=1e-5)
    assert proof.dual_objective == pytest.approx(dual, rel=1e-5)
    assert proof.gap == pytest.approx(primal - dual, abs=1e-3)
    slope = K @ ours.beta - y
    up = ours.beta < np.maximum(0, 10.0 * y)
    down = ours.beta > np.minimum(0, 10.0 * y)
    violation = slope[down].max() - slope[up].min()
    assert abs(violation - proof.violation) <= 2 * proof.rounding + 1e-12
    assert 0 < violation <= 1e-2 + 2 * proof.rounding


@pytest.fixture
def small_blocks(monkeypatch):
    """Make four hundred samples a large problem: blocks, a store, samples left out."""
    monkeypatch.setattr(_active, "_BLOCK", 32)
    monkeypatch.setattr(_search, "_FEW", 32)
    monkeypatch.setattr(solver, "_MANY", 64)


@pytest.mark.parametrize("megabytes", [2000, 0.1, 0.0033])
def test_blocks_and_memory_change_nothing_but_time(small_blocks, megabytes):
    X, y = noisy_rings()
    ours = solve(X, y, tol=1e-6, cache_size=megabytes)
    beta, _ = libsvm(X, y, np.full(400, 10.0), kernel="rbf", gamma=1.0)
    assert ours.certificate.converged
    best = objective(gram(Kernel("rbf", 1.0), X), beta)
    assert -ours.certificate.dual_objective == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("first", [np.arange(40), np.array([0, 1]), np.arange(400)])
def test_any_first_set_leads_to_the_whole_solution(small_blocks, first):
    X, y = noisy_rings()
    whole = solve(X, y, tol=1e-6)
    ours = solve(X, y, tol=1e-6, active=first)
    assert ours.certificate.converged
    assert ours.certificate.dual_objective == pytest.approx(
        whole.certificate.dual_objective, rel=1e-9
    )


def test_warm_start_is_used(small_blocks):
    """A start at the answer takes few steps; how many hangs on the order of the rows."""
    X, y = noisy_rings()
    shares = []
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(400)
        rows = X[order], y[order]
        cold = solve(*rows, tol=1e-5)
        warm = solve(*rows, tol=1e-5, beta=cold.beta)
        shares.append(warm.certificate.n_iter / cold.certificate.n_iter)
    assert np.mean(shares) < 0.05


def test_a_start_that_is_not_feasible_is_made_so(small_blocks):
    X, y = noisy_rings()
    cold = solve(X, y, tol=1e-5).certificate
    wrong = solve(X, y, tol=1e-5, beta=3.0 * y * np.arange(400)).certificate
    assert wrong.dual_objective == pytest.approx(cold.dual_objective, rel=1e-7)


def test_the_bits_do_not_depend_on_threads(small_blocks):
    X, y = noisy_rings(3000)
    one = solve(X, y, tol=1e-3, n_jobs=1)
    two = solve(X, y, tol=1e-3, n_jobs=2)
    assert np.array_equal(one.beta, two.beta)
    assert one.bias == two.bias


def test_unmet_tolerance_is_said():
    X, y = noisy_rings()
    with pytest.warns(ConvergenceWarning, match="Raise 'max_iter'"):
        ours = solve(X, y, max_iter=5)
    assert not ours.certificate.converged
    assert ours.certificate.reason == "max_iter"
    assert ours.certificate.n_iter == 5
    assert ours.certificate.gap > 0


def test_refuses_a_cache_below_two_rows():
    X, y = noisy_rings()
    with pytest.raises(ValueError, match="'cache_size' parameter must hold two rows"):
        solve(X, y, cache_size=0.003)


def test_store_holds_no_more_than_it_may(small_blocks):
    X, y = noisy_rings(2000)
    dual = _active.Dual(
        Kernel("rbf", 1.0), Kernel("rbf", 1.0).embed(X, np.float32), y, np.full(2000, 1.0)
    )
    descent = _active.Descent(dual, np.arange(2000), 40 * 2000, 1)
    descent.descend(1e-2, 10**9)
    assert descent._store.rows.nbytes <= 40 * 2000 * 4
    assert descent.n_kernel > 40 * 2000  # rows were let go and computed again


@pytest.mark.parametrize(("megabytes", "most"), [(4, 12), (16, 32)])
def test_peak_memory_keeps_to_the_budget(megabytes, most):
    """The whole kernel matrix of 4,000 samples would take 64 megabytes."""
    X, y = noisy_rings(4000)
    solve(X[:1500], y[:1500])  # compiles
    tracemalloc.start()
    result = solve(X, y, cache_size=megabytes)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    assert result.certificate.converged
    assert 0.9 * megabytes < peak < most


def test_duplicates_and_one_sample_a_class():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 50, axis=0)
    y = np.repeat([-1.0, 1.0], 50)
    ours = solve(X, y, 1.0, tol=1e-6)
    assert ours.certificate.converged
    assert np.all(y * (gram(Kernel("rbf", 1.0), X) @ ours.beta + ours.bias) > 0.9)
    pair = solve(X[[0, 99]], y[[0, 99]], 100.0, tol=1e-9)
    alpha = 1 / (1 - np.exp(-1))  # 2 / |phi_1 - phi_2|^2
    assert np.allclose(pair.beta, [-alpha, alpha])


def test_large_kernel_values_are_refined_in_double_precision():
    X, y = xor()
    X = 100.0 * X + 1000.0
    kernel = Kernel("poly", 1e-3, 2, 1.0)
    ours = solve(X, y, 1e-3, kernel, tol=1e-3)
    beta, _ = libsvm(X, y, np.full(400, 1e-3), kernel="poly", gamma=1e-3, degree=2, coef0=1.0)
    K = gram(kernel, X)
    assert ours.certificate.converged
    assert ours.certificate.rounding <= 1e-4
    assert -ours.certificate.dual_objective == pytest.approx(objective(K, beta), rel=1e-3)


def test_all_at_their_bounds_leaves_no_sample_active():
    """So little may be spent that every sample is at its cap; nothing is computed from infinity."""
    X, y = noisy_rings(1200)
    with np.errstate(all="raise"):
        result = solve(X, y, 1e-4)
    assert result.certificate.converged
    assert np.allclose(np.abs(result.beta), 1e-4)
