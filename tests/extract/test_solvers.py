"""The factorisation in place, the Lanczos solve, low-rank kernels, gradients, reduced sets."""

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from hlsvm import KQPFS, KernelFisher
from hlsvm.extract._factor import lanczos_solve, resolvent
from hlsvm.extract._gram import Gram, PairwiseKernel
from hlsvm.extract._lowrank import pivoted_cholesky
from hlsvm.extract._packed_matrix import Factor, NotPositiveDefiniteError, PackedMatrix
from hlsvm.extract._reduced import reduce_expansion


def data(n=300, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] ** 2 + X[:, 1] > 0.8).astype(int)


def gram_of(K):
    return Gram(PairwiseKernel("precomputed"), K)


@pytest.fixture
def K():
    K = rbf_kernel(data()[0], gamma=0.4)
    return (K + K.T) / 2


@pytest.mark.parametrize("n", [1, 2, 5, 300, 301])
def test_half_store_and_its_factors_are_those_of_the_whole_matrix(K, n):
    K = rbf_kernel(data(301)[0][:n], gamma=0.4)
    store = PackedMatrix(gram_of(K))
    B = np.random.default_rng(1).normal(size=(n, 3))
    np.testing.assert_allclose(store.matmul(B), K @ B, rtol=0, atol=1e-12)
    np.testing.assert_allclose(store.matmul(B[:, :1]), K @ B[:, :1], rtol=0, atol=1e-12)
    assert store.norm == pytest.approx(np.linalg.norm(K, 2), rel=0.1)
    for squared, dtype, atol in ((0, np.float64, 1e-11), (0, np.float32, 1e-3), (1, float, 1e-9)):
        A = (K @ K if squared else K) + 0.5 * np.eye(n)
        x = Factor(store, 0.5, dtype, squared=bool(squared)).solve(B)
        assert x.dtype == dtype
        np.testing.assert_allclose(x, np.linalg.solve(A, B), rtol=0, atol=atol)
    with pytest.raises(NotPositiveDefiniteError):
        Factor(store, -2.0)


@pytest.mark.parametrize(
    ("s", "dtype"),
    [(1e-7, np.float64), *((s, d) for s in (1e-2, 1.0, 1e3) for d in (np.float32, np.float64))],
)
def test_resolvent_reaches_working_precision(K, s, dtype):
    """Real part K H^-1 b, imaginary part -s H^-1 b, the error that of K + i s, not of K^2 + s^2."""
    store = PackedMatrix(gram_of(K))
    B = np.random.default_rng(2).normal(size=(len(K), 2))
    x, _, reached = resolvent(store, Factor(store, s, dtype), s, B)
    assert reached
    exact = np.linalg.solve(K + 1j * s * np.eye(len(K)), B)
    bound = 100 * np.finfo(float).eps * (store.norm / s + 1)
    assert np.linalg.norm(x - exact) <= bound * np.linalg.norm(exact)


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
@pytest.mark.parametrize("mu", [1e-10, 1e-5, 1e-1, 1e3])
def test_backward_error_is_rounding_whatever_precision_the_factor_has(mu, regularizer):
    X, y = data(200)
    model = KernelFisher(gamma=0.4, mu=mu, regularizer=regularizer).fit(X, y)
    assert model.certificates_[0].backward_error < 1e-13


@pytest.mark.parametrize("seed", range(3))
def test_lanczos_steps_stay_below_the_bound_for_any_spectrum(seed):
    """Rate sqrt(2) - 1: the segment from 1 to i does not depend on the matrix."""
    rng = np.random.default_rng(seed)
    n = 400
    theta = np.concatenate([rng.random(n - 2), [1e-12, 1.0]])[:, None]
    B = rng.normal(size=(n, 2))
    x, steps = lanczos_solve(lambda Q: theta * Q, B, tol=1e-10)
    exact = B / (1 - (1 - 1j) * theta)
    assert np.linalg.norm(x - exact) < 1e-9 * np.linalg.norm(exact)
    assert 10 < steps <= np.ceil(np.log(1e-11) / np.log(np.sqrt(2) - 1))


def test_more_accurate_than_the_printed_form_on_an_ill_conditioned_kernel():
    X, y = data(200, 2)
    K = rbf_kernel(X, gamma=0.05)
    K, mu = (K + K.T) / 2, 1e-8
    values, vectors = np.linalg.eigh(K.astype(np.longdouble).astype(float))
    e = np.where(y == 1, 1 / y.sum(), -1 / (1 - y).sum())
    V = np.stack([np.sqrt(1 / (1 - y).sum()) * (1 - y), np.sqrt(1 / y.sum()) * y], axis=1)
    Y = vectors @ ((values / (values**2 + mu))[:, None] * (vectors.T @ V))
    D = V.T @ (vectors @ ((mu / (values**2 + mu))[:, None] * (vectors.T @ V)))
    exact = K @ Y @ np.linalg.solve(D, V.T @ e)
    model = KernelFisher(kernel="precomputed", mu=mu).fit(K, y)
    assert model.certificates_[0].condition > 1e11
    ours = np.linalg.norm(model.transform(K)[:, 0] - exact) / np.linalg.norm(exact)
    assert ours < 1e-8


@pytest.mark.parametrize("kernel", ["sigmoid", "additive_chi2"])
def test_indefinite_kernels_take_the_square(kernel):
    X, y = data(80)
    X = np.abs(X)
    model = KernelFisher(kernel=kernel, gamma=0.5, coef0=-1.0, mu=1e-3).fit(X, y)
    assert model.certificates_[0].backward_error < 1e-13
    assert model.certificates_[0].residual < 1e-8
    with pytest.raises(ValueError, match="'mu' parameter must make the regularised"):
        KernelFisher(kernel=kernel, gamma=0.5, coef0=-1.0, regularizer="kernel").fit(X, y)


def test_indefinite_kernels_lose_no_digits_to_the_square_and_say_where_they_do():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    K = Q * (np.geomspace(1e-9, 1e3, 40) * rng.choice([-1, 1], 40)) @ Q.T
    K, y = (K + K.T) / 2, np.arange(40) % 2
    model = KernelFisher("precomputed", mu=1e-8).fit(K, y)
    assert model.certificates_[0].condition > 1e13
    assert model.certificates_[0].backward_error < 1e-12
    for mu in np.geomspace(1e-9, 1e-13, 9):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", ConvergenceWarning)
                error = KernelFisher("precomputed", mu=mu).fit(K, y).certificates_[0].backward_error
        except (ConvergenceWarning, ValueError) as refusal:
            error, said = np.inf, str(refusal)
            break
        assert error <= 1e-10
    assert error == np.inf
    assert re.search(r"reached a backward error of .* Raise mu|larger mu", said)


@pytest.mark.parametrize("solver", ["exact", "cg", "nystroem"])
@pytest.mark.parametrize(("regularizer", "power"), [("identity", 4), ("kernel", 2)])
@pytest.mark.parametrize("scale", [1e-70, 1e-18, 1e20, 1e60])
def test_units_of_the_samples_do_not_matter(scale, regularizer, power, solver):
    X, y = data(60)
    args = {"solver": solver, "regularizer": regularizer, "random_state": 0}
    expected = KernelFisher("linear", mu=1.0, **args).fit(X, y)
    model = KernelFisher("linear", mu=scale**power, **args).fit(scale * X, y)
    np.testing.assert_array_equal(model.predict(scale * X), expected.predict(X))


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
@pytest.mark.parametrize("mu", [1e30, 1e80, 1e200, 1e300])
def test_enormous_mu_is_the_difference_of_means(mu, regularizer):
    X, y = data(60)
    K = rbf_kernel(X, gamma=0.4)
    model = KernelFisher(gamma=0.4, mu=mu, regularizer=regularizer).fit(X, y)
    e = np.where(y == 1, 1 / y.sum(), -1 / (1 - y).sum())
    expected = (e if regularizer == "kernel" else K @ e) / mu
    np.testing.assert_allclose(model.dual_coef_[:, 0], expected, rtol=1e-12)


def test_kernels_beyond_double_precision_are_refused():
    X, y = data(60)
    for solver in ("exact", "cg", "nystroem"):
        with pytest.raises(ValueError, match="must be finite, and so must its square"):
            KernelFisher("linear", solver=solver).fit(1e80 * X, y)


def test_mu_below_rounding_is_refused():
    X, y = data(60)
    X = np.vstack([X, X])
    with pytest.raises(ValueError, match="larger mu"):
        KernelFisher(gamma=1e-3, mu=1e-40).fit(X, np.concatenate([y, y]))


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
def test_duplicate_rows_and_a_class_of_one(regularizer):
    X, _ = data(50)
    X = np.vstack([X, X, X[:1] + 3.0])
    y = np.zeros(101)
    y[-1] = 1
    for solver in ("exact", "cg", "nystroem"):
        model = KernelFisher(mu=1e-2, regularizer=regularizer, solver=solver).fit(X, y)
        assert model.predict(X)[-1] == 1
        assert (model.predict(X)[:-1] == 0).mean() > 0.9


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
@pytest.mark.parametrize("estimator", [KernelFisher, KQPFS])
def test_gradients_meet_their_residual_and_the_exact_solution(regularizer, estimator):
    X, y = data()
    args = {"gamma": 0.4, "mu": 1e-2, "regularizer": regularizer}
    exact = estimator(**args).fit(X, y)
    for cache_size in (0, 100):
        cg = estimator(**args, solver="cg", rank=60, tol=1e-10, cache_size=cache_size).fit(X, y)
        assert cg.certificates_[0].residual < 1e-9
        np.testing.assert_allclose(cg.transform(X), exact.transform(X), rtol=1e-6, atol=1e-8)


def test_gradients_that_stop_early_say_so():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match=r"reached a residual of .* in 2 steps"):
        KernelFisher(gamma=5.0, mu=1e-6, solver="cg", rank=5, max_iter=2).fit(X, y)


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
def test_landmarks_of_full_rank_are_exact_and_fewer_are_worse(regularizer):
    X, y = data(150)
    args = {"gamma": 0.4, "mu": 1e-2, "regularizer": regularizer, "random_state": 0}
    exact = KernelFisher(**args).fit(X, y).transform(X)
    gaps, losses = [], []
    for rank in (10, 40, 150):
        model = KernelFisher(**args, solver="nystroem", rank=rank).fit(X, y)
        gaps.append(np.linalg.norm(model.transform(X) - exact) / np.linalg.norm(exact))
        losses.append(model.approximation_error_)
    assert gaps[0] > gaps[1] > gaps[2]
    assert losses[0] > losses[1] > losses[2]
    assert gaps[2] < 1e-5


def test_pivoted_cholesky_states_its_trace_error_and_beats_uniform_landmarks():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(scale=0.05, size=(570, 3)), rng.normal(scale=4.0, size=(30, 3))])
    K = rbf_kernel(X, gamma=0.5)
    gram = Gram(PairwiseKernel("rbf", {"gamma": 0.5}), X)
    marks = pivoted_cholesky(gram, 40, np.random.default_rng(1))
    lost = np.trace(K - marks.features @ marks.features.T) / np.trace(K)
    assert marks.error == pytest.approx(lost, abs=1e-10)
    assert len(np.unique(marks.indices)) == len(marks.indices) == 40
    np.testing.assert_allclose(
        marks.features @ marks.triangle.T, K[:, marks.indices], rtol=0, atol=1e-8
    )
    uniform = rng.choice(600, 40, replace=False)
    part = K[:, uniform] @ np.linalg.pinv(K[np.ix_(uniform, uniform)], hermitian=True)
    assert marks.error < 0.5 * np.trace(K - part @ K[uniform]) / np.trace(K)


def test_random_features_come_nearer_with_more_of_them():
    X, y = data(200)
    errors = [
        KernelFisher(gamma=0.4, solver="rff", rank=rank, random_state=0).fit(X, y)
        for rank in (50, 1000)
    ]
    assert errors[1].approximation_error_ < 0.5 * errors[0].approximation_error_
    assert errors[1].dual_coef_.shape == (1000, 1)
    assert errors[1].score(X, y) > 0.9


def test_reduced_set_is_the_projection_and_its_bound_holds():
    X, y = data(200)
    K = rbf_kernel(X, gamma=0.4)
    alpha = KernelFisher(gamma=0.4, mu=0.1).fit(X, y).dual_coef_
    norm = np.sqrt(alpha[:, 0] @ K @ alpha[:, 0])
    last = np.inf
    for n_points in (5, 20, 80):
        reduced = reduce_expansion(gram_of(K), alpha, n_points)
        S = reduced.indices
        best = np.linalg.lstsq(K[np.ix_(S, S)], K[S] @ alpha, rcond=None)[0]
        np.testing.assert_allclose(K[:, S] @ reduced.coef, K[:, S] @ best, atol=1e-6 * norm)
        gap = K @ alpha - K[:, S] @ reduced.coef
        bound = reduced.norm_error[0] * norm
        assert np.abs(gap).max() <= bound * (1 + 1e-6) + 1e-9
        assert np.abs(gap).max() > 0.01 * bound
        assert reduced.norm_error[0] < last
        last = reduced.norm_error[0]


def test_reduced_estimators_use_few_points_and_predict_alike():
    X, y = data(300)
    dense = KernelFisher(mu=0.1).fit(X, y)
    for solver in ("exact", "nystroem"):
        sparse = KernelFisher(mu=0.1, solver=solver, rank=200, n_reduced=40, random_state=0)
        sparse.fit(X, y)
        assert sparse.support_points_.shape == (40, 3)
        assert (sparse.predict(X) == dense.predict(X)).mean() > 0.97
        assert sparse.reduced_.projection_error[0] < 0.1
        Z = sparse.transform(X)[:, 0]
        np.testing.assert_allclose(sparse.means_[:, 0], [Z[y == k].mean() for k in (0, 1)])


def test_same_seed_same_bits():
    X, y = data(200)
    for solver in ("exact", "nystroem", "rff", "cg"):
        a, b = (
            KernelFisher(solver=solver, rank=50, random_state=7).fit(X, y).dual_coef_
            for _ in range(2)
        )
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("params", [{"solver": "nystroem", "rank": 30}, {"n_reduced": 20}])
def test_indefinite_kernels_have_no_landmarks_and_no_reduced_set(params):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 3))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.6, 1, 0)
    model = KernelFisher("sigmoid", gamma=0.5, mu=1.0, random_state=0, **params)
    with pytest.raises(ValueError, match="not positive"):
        model.fit(X, y)
    assert model.set_params(kernel="rbf").fit(X, y).score(X, y) > 0.9


def test_certificates_where_class_means_coincide():
    """The right-hand side is rounding then; a residual relative to it would say nothing."""
    same = KernelFisher().fit(np.ones((10, 2)), np.arange(10) % 2)
    assert same.certificates_[0].residual < 1.0
    X, y = data(40)
    opposed = KernelFisher().fit(np.vstack([X, X]), np.concatenate([y, 1 - y]))
    assert opposed.certificates_[0].residual < 10.0
    assert opposed.certificates_[0].backward_error < 1e-13


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
@pytest.mark.parametrize("params", [{}, {"solver": "cg", "rank": 20, "tol": 1e-3}])
def test_the_gap_bounds_the_distance_from_the_optimum(regularizer, params):
    X, y = data(120)
    K, mu = rbf_kernel(X, gamma=0.4), 1e-2
    model = KernelFisher("precomputed", mu=mu, regularizer=regularizer, random_state=0, **params)
    (proof,) = model.fit(K, y).certificates_
    W = sum(K[:, y == c] @ (K[y == c] - K[y == c].mean(axis=0)) for c in (0, 1))
    A = W + mu * (np.eye(len(K)) if regularizer == "identity" else K)
    d = K[:, y == 1].mean(axis=1) - K[:, y == 0].mean(axis=1)
    a = model.dual_coef_[:, 0]
    assert proof.objective == pytest.approx(0.5 * a @ A @ a - d @ a, rel=1e-6)
    best = -0.5 * d @ np.linalg.lstsq(A, d, rcond=None)[0]
    rounding = 1e-9 * abs(best)
    assert proof.dual_objective <= best + rounding
    assert best <= proof.objective + rounding
    assert (proof.gap > rounding) == bool(params)
    assert proof.converged
    assert proof.n_iter == model.n_iter_


def test_no_certificate_of_another_kernel():
    X, y = data(60)
    for solver in ("nystroem", "rff"):
        model = KernelFisher(gamma=0.4, solver=solver, rank=20, random_state=0).fit(X, y)
        assert model.certificates_ == ()
        assert model.approximation_error_ > 0
