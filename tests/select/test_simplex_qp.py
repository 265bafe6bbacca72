import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hlsvm.select import CorrelationMatrix, simplex_qp


def _library(Q, c, solver, **options):
    w = cp.Variable(len(c))
    goal = cp.Minimize(0.5 * cp.quad_form(w, cp.psd_wrap(Q)) - c @ w)
    return cp.Problem(goal, [w >= 0, cp.sum(w) == 1]).solve(solver=solver, **options)


def _random(rng, kind):
    M = int(rng.integers(1, 30))
    A = rng.normal(size=(int(rng.integers(1, M + 4)), M))
    Q = A.T @ A
    if kind == "duplicated":
        Q = Q[np.ix_(np.arange(M) // 2, np.arange(M) // 2)]
    return Q, rng.random(M) * rng.choice([0.0, 0.1, 3.0])


@pytest.mark.parametrize("kind", ["any rank", "duplicated"])
def test_agrees_with_clarabel_on_random_programs(kind):
    rng = np.random.default_rng(7)
    for _ in range(100):
        Q, c = _random(rng, kind)
        result = simplex_qp(Q, c)
        assert result.converged
        assert result.weights.min() >= 0
        assert result.weights.sum() == pytest.approx(1.0, abs=1e-12)
        value = _library(Q, c, "CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10)
        assert result.objective == pytest.approx(value, abs=1e-7 * max(1, np.abs(Q).max()))
        assert result.objective <= value + result.gap + 1e-7 * np.abs(Q).max()


def test_agrees_with_osqp():
    rng = np.random.default_rng(8)
    for _ in range(30):
        Q, c = _random(rng, "any rank")
        options = {"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iter": 50_000}
        value = _library(Q, c, "OSQP", **options)
        assert simplex_qp(Q, c).objective == pytest.approx(value, abs=1e-5 * np.abs(Q).max())


def test_an_indefinite_program_ends_in_a_local_minimum():
    rng = np.random.default_rng(9)
    indefinite = 0
    for trial in range(100):
        M = int(rng.integers(2, 80))
        Q = CorrelationMatrix(rng.normal(size=(12, M))).matrix().astype(float)
        F = rng.random(M)
        alpha = (0.0, 0.1, 0.3)[trial % 3]
        result = simplex_qp(Q, alpha * F, weight=1 - alpha)
        indefinite += result.curvature < -1e-6
        g = (1 - alpha) * Q @ result.weights - alpha * F
        assert result.converged
        assert result.kkt_residual <= 1e-8
        assert result.gap == pytest.approx(result.weights @ g - g.min(), abs=1e-12)
        # no exchange of a little weight lowers the objective
        for i in np.flatnonzero(result.weights > 1e-6)[:5]:
            move = np.full(M, 1e-7 / M)
            move[i] -= 1e-7
            assert move @ g >= -1e-15
        support = Q[np.ix_(result.support, result.support)]
        faces = support[:-1, :-1] - support[:-1, -1:] - support[-1:, :-1] + support[-1, -1]
        assert faces.size == 0 or np.linalg.eigvalsh(faces)[0] >= -1e-8
    assert indefinite > 30


def test_only_columns_that_enter_are_asked_for():
    rng = np.random.default_rng(3)
    M = 3000
    U, extra = rng.normal(size=(M, 20)), rng.random(M) + 0.1
    F = rng.random(M)
    asked = []

    def rows(features):
        asked.extend(features)
        result = U[features] @ U.T
        result[np.arange(len(features)), features] += extra[features]
        return result

    result = simplex_qp(rows, F)
    assert result.relative_gap <= 1e-10
    assert len(asked) == len(set(asked)) == result.n_columns < M // 10


def test_a_support_that_grows_to_all_features():
    M = 900
    rng = np.random.default_rng(4)
    B = rng.normal(size=(M, 5))
    Q = np.eye(M) + 1e-4 * B @ B.T
    result = simplex_qp(Q, np.zeros(M))
    assert len(result.support) == M
    exact = np.linalg.solve(Q, np.ones(M))
    np.testing.assert_allclose(result.weights, exact / exact.sum(), atol=1e-12)


def test_small_and_degenerate_programs():
    assert simplex_qp(np.zeros((1, 1)), np.zeros(1)).weights.tolist() == [1.0]
    flat = simplex_qp(np.ones((40, 40)), np.full(40, 0.3))
    assert flat.converged
    assert flat.objective == pytest.approx(0.2)
    linear = simplex_qp(np.eye(5), np.array([0.1, 0.9, 0.2, 0.3, 0.0]), weight=0.0)
    assert linear.weights.tolist() == [0, 1, 0, 0, 0]


def test_an_unmet_tolerance_is_told():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(300, 200))
    with pytest.warns(ConvergenceWarning, match="relative gap of"):
        result = simplex_qp(A.T @ A, np.zeros(200), max_iter=1)
    assert not result.converged
    assert "after 1 rounds" in result.reason


@pytest.mark.parametrize(
    ("Q", "linear", "arguments", "words"),
    [
        (np.eye(3), np.array([0.0, np.nan, 1.0]), {}, "'linear' .* must be a vector"),
        (np.eye(3), np.zeros((3, 1)), {}, "'linear' .* must be a vector"),
        (np.eye(3), np.zeros(0), {}, "'linear' .* must be a vector"),
        (np.eye(3), np.zeros(2), {}, r"'rows' .* of shape \(2, 2\)"),
        (np.full((2, 2), np.inf), np.zeros(2), {}, "'rows' .* with NaN or infinity"),
        (np.array([[1.0, 0.9], [0.0, 1.0]]), np.zeros(2), {}, "Q must be symmetric"),
        (np.eye(2), np.zeros(2), {"weight": -1}, "'weight' parameter of simplex_qp"),
        (np.eye(2), np.zeros(2), {"tol": 0}, "'tol' parameter of simplex_qp"),
        (np.eye(2), np.zeros(2), {"max_iter": 0}, "'max_iter' parameter of simplex_qp"),
    ],
)
def test_bad_programs_are_refused(Q, linear, arguments, words):
    with pytest.raises(ValueError, match=words):
        simplex_qp(Q, linear, **arguments)
