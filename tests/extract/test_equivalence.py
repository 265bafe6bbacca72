"""Thesis Proposition 4.1, corrected: both directions are parallel, with factors that are known."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from hlsvm import KQPFS, KernelFisher
from hlsvm.extract import reference


def problem(n=60, n_pos=20, gamma=0.5, seed=0, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(np.arange(n) < n_pos, 1.0, -1.0)
    X[: n_pos // 2, 0] += 1.0
    K = rbf_kernel(X, gamma=gamma)
    return (K + K.T) / 2, y


def cosine(a, b):
    """Cosine by the distance of unit vectors: exact to rounding of what is missing to 1."""
    a, b = np.ravel(a), np.ravel(b)
    return 1.0 - 0.5 * float(np.sum((a / np.linalg.norm(a) - b / np.linalg.norm(b)) ** 2))


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(5, 60),
    share=st.floats(0.0, 1.0),
    log_mu=st.floats(-9, 12),
    log_gamma=st.floats(-2, 2),
    regularizer=st.sampled_from(["identity", "kernel"]),
    seed=st.integers(0, 2**16),
)
def test_one_solve_satisfies_both_systems(n, share, log_mu, log_gamma, regularizer, seed):
    """The KQPFS solution got from the Fisher factorisation solves Eq. 4.8, at machine precision."""
    n_pos = int(np.clip(round(share * n), 1, n - 1))
    K, y = problem(n, n_pos, 10.0**log_gamma, seed)
    mu = 10.0**log_mu
    args = {"kernel": "precomputed", "mu": mu, "regularizer": regularizer}
    fisher, kqpfs = KernelFisher(**args).fit(K, y), KQPFS(**args).fit(K, y)
    assert abs(cosine(fisher.dual_coef_, kqpfs.dual_coef_) - 1.0) < 1e-15
    W, Q, d = reference.scatter(K, y)
    R = K if regularizer == "kernel" else np.eye(n)
    for A, a, b in (
        (W + mu * R, fisher.dual_coef_[:, 0], d),
        (Q + mu * R, kqpfs.dual_coef_[:, 0], K @ (y - y.mean())),
    ):
        size = np.linalg.norm(A, 2) * np.linalg.norm(a) + np.linalg.norm(b)
        assert np.linalg.norm(A @ a - b) <= 1e-12 * size
    t = fisher.separation_[0]
    c = n_pos * (n - n_pos) / n
    assert t > 0
    assert kqpfs.factor_ == pytest.approx(2 * c / (1 + t), rel=1e-12)


@pytest.mark.parametrize("n_pos", [1, 6, 30, 59])
@pytest.mark.parametrize("mu", [1e-4, 1.0, 1e8])
def test_printed_algorithms_agree_with_each_other_and_with_ours(n_pos, mu):
    K, y = problem(60, n_pos)
    ours = KernelFisher(kernel="precomputed", mu=mu).fit(K, y).dual_coef_[:, 0]
    third, fourth = reference.algorithm_3(K, y, mu), reference.algorithm_4(K, y, mu)
    assert cosine(third, fourth) >= 1 - 1e-12
    assert cosine(third, ours) >= 1 - 1e-12
    np.testing.assert_allclose(K @ ours, K @ third, rtol=0, atol=1e-8 * np.abs(K @ third).max())


def test_scatter_matrices_differ_by_rank_one_along_the_between_vector():
    K, y = problem(50, 13)
    W, Q, d = reference.scatter(K, y)
    c = 13 * 37 / 50
    assert np.abs(Q - W - c * np.outer(d, d)).max() < 1e-13 * np.abs(Q).max()
    assert np.abs(K @ (y - y.mean()) - 2 * c * d).max() < 1e-13
    assert np.linalg.matrix_rank(Q - W, tol=1e-10) == 1


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
@pytest.mark.parametrize("n_pos", [8, 20])
def test_constrained_program_is_parallel_with_factor_one_plus_one_over_t(regularizer, n_pos):
    """Erratum E2: the optimum of 4.15-4.17 is not that of 4.7, but (1 + 1/t) times it."""
    K, y = problem(40, n_pos)
    mu = 0.3
    args = {"kernel": "precomputed", "mu": mu, "regularizer": regularizer}
    fisher, kqpfs = KernelFisher(**args).fit(K, y), KQPFS(**args).fit(K, y)
    program = reference.quadratic_program(K, y, mu, regularizer)
    t = fisher.separation_[0]
    a = kqpfs.dual_coef_[:, 0]
    d = K[:, y == 1].mean(1) - K[:, y == -1].mean(1)
    assert cosine(program.alpha, a) > 1 - 1e-8
    assert np.linalg.norm(K @ program.alpha) / np.linalg.norm(K @ a) == pytest.approx(
        1 + 1 / t, rel=1e-5
    )
    assert d @ program.alpha == pytest.approx(2.0, rel=1e-7)
    assert d @ a == pytest.approx(2 * t / (1 + t), rel=1e-10)
    assert program.xi[y == 1].sum() == pytest.approx(0.0, abs=1e-7)
    assert program.offset == pytest.approx((y.sum() - (K @ program.alpha).sum()) / 40, abs=1e-6)


def test_objective_is_least_at_kqpfs_and_not_at_the_constrained_optimum():
    K, y = problem(40, 8)
    a = KQPFS(kernel="precomputed", mu=0.3).fit(K, y).dual_coef_[:, 0]
    least = reference.objective(K, y, 0.3, a)
    for step in np.random.default_rng(0).normal(size=(20, 40)):
        assert reference.objective(K, y, 0.3, a + 1e-4 * step) > least
    assert reference.objective(K, y, 0.3, reference.quadratic_program(K, y, 0.3).alpha) > least
    halved = reference.algorithm_4(K, y, 0.15)
    assert cosine(halved, a) < 1 - 1e-4, "mu/2, as Eq. 4.20 prints, is another direction"


@pytest.mark.parametrize("beta", [0.1, 0.9])
def test_beta_scales_and_does_not_turn(beta):
    K, y = problem(40, 15)
    plain = KQPFS(kernel="precomputed", mu=0.3).fit(K, y).dual_coef_
    weighted = KQPFS(kernel="precomputed", mu=0.3, beta=beta).fit(K, y).dual_coef_
    np.testing.assert_allclose(weighted, beta / (1 - beta) * plain, rtol=1e-13)
    least = reference.objective(K, y, 0.3, weighted[:, 0], beta)
    for size in (0.99, 1.01):
        assert reference.objective(K, y, 0.3, size * weighted[:, 0], beta) > least


@pytest.mark.parametrize("mu", [1e-3, 1.0, 1e3])
def test_least_squares_svm_is_kqpfs_with_the_kernel_regulariser(mu):
    K, y = problem(40, 11, gamma=2.0)
    model = KQPFS(kernel="precomputed", mu=mu, regularizer="kernel").fit(K, y)
    alpha, offset = reference.least_squares_svm(K, y, mu)
    np.testing.assert_allclose(model.dual_coef_[:, 0], alpha, rtol=1e-8, atol=1e-12)
    residual = y - K @ alpha - offset
    np.testing.assert_allclose(residual, mu * alpha, rtol=1e-7, atol=1e-10)


def test_predictions_of_both_estimators_are_the_same():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3))
    y = np.argmax(X + 0.3 * rng.normal(size=X.shape), axis=1)
    for multiclass in ("directions", "ovr"):
        args = {"mu": 0.1, "multiclass": multiclass}
        a, b = KernelFisher(**args).fit(X, y), KQPFS(**args, beta=0.2).fit(X, y)
        np.testing.assert_array_equal(a.predict(X), b.predict(X))
        for k in range(a.dual_coef_.shape[1]):
            assert cosine(a.dual_coef_[:, k], b.dual_coef_[:, k]) > 1 - 1e-12


@pytest.mark.parametrize("function", [reference.algorithm_3, reference.algorithm_4])
def test_reference_functions_refuse_bad_input(function):
    K, y = problem(10, 4)
    with pytest.raises(ValueError, match=r"'y' parameter of algorithm_\d must hold the labels"):
        function(K, np.ones(10), 1.0)
    with pytest.raises(ValueError, match="'K' parameter"):
        function(K[:, :5], y, 1.0)
    with pytest.raises(ValueError, match="'mu' parameter"):
        function(K, y, 0.0)
    with pytest.raises(TypeError, match="'mu' parameter"):
        function(K, y, "1")
    with pytest.raises(ValueError, match=r"'K' parameter .* must be finite"):
        function(np.where(np.eye(10) > 0, np.nan, K), y, 1.0)
    with pytest.raises(ValueError, match=r"'K' parameter .* must be symmetric"):
        function(K + np.triu(K, 1), y, 1.0)
    with pytest.raises(ValueError, match=r"'alpha' parameter .* Got shape \(3,\)"):
        reference.objective(K, y, 1.0, np.ones(3))


def test_the_quadratic_program_says_which_extra_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r"hlsvm\[notebooks\]"):
        reference.quadratic_program(np.eye(4), np.array([1.0, 1.0, -1.0, -1.0]), 0.1)
