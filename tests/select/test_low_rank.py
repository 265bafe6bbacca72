import cvxpy as cp
import numpy as np
import pytest
from numpy.linalg import eigvalsh, norm
from scipy.linalg import sqrtm

from hlsvm.select import (
    CorrelationMatrix,
    lifted,
    nystrom,
    nystrom_bound,
    nystrom_error,
    sample_rows,
    simplex_qp,
    subspace_bound,
    subspace_qp,
    truncated,
)


def _gram(M, rank, seed=0):
    A = np.abs(np.random.default_rng(seed).normal(size=(rank, M)))
    return A.T @ A / rank


class _Matrix:
    """A similarity given as a matrix."""

    def __init__(self, Q):
        self.Q, self.n_features = Q, len(Q)

    def rows(self, features):
        return self.Q[features]

    def diagonal(self):
        return np.diag(self.Q)


def test_nystrom_is_the_formula_of_the_appendix():
    Q = _gram(30, 40)
    sample = np.arange(8)
    A, B = Q[:8, :8], Q[:8, 8:]
    result = nystrom(Q[:8], sample)
    root = np.linalg.inv(sqrtm(A).real)
    S = A + root @ B @ B.T @ root  # Eq. 3.10 and B.17
    np.testing.assert_allclose(np.sort(result.values), eigvalsh(S), rtol=1e-9)
    np.testing.assert_allclose(result.vectors.T @ result.vectors, np.eye(8), atol=1e-9)
    expected = np.block([[A, B], [B.T, B.T @ np.linalg.inv(A) @ B]])
    np.testing.assert_allclose(result.matrix(), expected, atol=1e-9)
    error, share = nystrom_error(_Matrix(Q), result, sample)
    assert error == pytest.approx(norm(Q[8:, 8:] - expected[8:, 8:]), rel=1e-9)
    assert share == pytest.approx(error / norm(Q[8:, 8:]))


def test_nystrom_is_exact_when_the_rows_span_a_singular_matrix():
    Q = _gram(40, 5)
    sample = np.array([3, 9, 11, 20, 33, 34, 39])  # more rows than the rank: A is singular
    result = nystrom(Q[sample], sample)
    assert len(result.values) == 5
    np.testing.assert_allclose(result.matrix(), Q, atol=1e-8)


@pytest.mark.parametrize("sampling", ["uniform", "diagonal", "column-norm"])
def test_rows_are_drawn_without_replacement(sampling):
    Q = _gram(300, 310) * np.outer(*[np.linspace(0.1, 3, 300)] * 2)
    drawn = sample_rows(_Matrix(Q), 60, sampling, np.random.RandomState(0))
    again = sample_rows(_Matrix(Q), 60, sampling, np.random.RandomState(0))
    assert np.array_equal(drawn, again)
    assert len(set(drawn)) == 60
    uniform = sample_rows(_Matrix(Q), 60, "uniform", np.random.RandomState(0))
    if sampling != "uniform":
        assert drawn.mean() > uniform.mean() + 10


def test_the_subspace_program_against_clarabel():
    rng = np.random.default_rng(0)
    for _ in range(30):
        M = int(rng.integers(5, 40))
        Q = _gram(M, M + 3, int(rng.integers(1000)))
        low_rank = truncated(Q, eigvalsh(Q)[-int(rng.integers(1, M))] * 0.999)
        c = rng.random(M)
        result = subspace_qp(low_rank, c, weight=0.5)
        z = cp.Variable(len(low_rank.values))
        w = low_rank.vectors @ z
        quadratic = cp.sum(cp.multiply(low_rank.values, z**2))
        goal = cp.Minimize(0.25 * quadratic - c @ w)
        value = cp.Problem(goal, [w >= 0, cp.sum(w) == 1]).solve(solver="CLARABEL")
        assert result.converged
        assert result.objective == pytest.approx(value, abs=1e-6)
        np.testing.assert_allclose(result.weights, w.value, atol=1e-4)


def test_all_eigenvectors_give_the_exact_program():
    Q = _gram(50, 80)
    F = np.random.default_rng(1).random(50)
    exact = simplex_qp(Q, 0.4 * F, weight=0.6)
    result = subspace_qp(truncated(Q, 0.0), 0.4 * F, weight=0.6)
    np.testing.assert_allclose(result.weights, exact.weights, atol=1e-5)
    assert np.array_equal(np.flatnonzero(result.weights), exact.support)


def test_theorem_3_1_on_both_sides_and_where_it_is_misapplied():
    above = 0
    for seed in range(20):
        Q = _gram(40, 60, seed)
        F = np.random.default_rng(seed).random(40)
        result = subspace_bound(Q, F, 0.5, floor=float(np.median(eigvalsh(Q))))
        assert result.full_space <= result.exact + 1e-9
        assert result.exact <= result.full_space + result.tight + 1e-9
        assert result.tight <= result.delta / 2 < result.printed
        assert result.subspace >= result.full_space - 1e-7
        above += result.subspace > result.exact + 1e-6
    assert above == 20  # Eq. 3.12 does not hold for the program in the span (erratum E11)
    whole = subspace_bound(Q, F, 0.5, floor=0.0)
    assert (whole.delta, whole.printed) == (0.0, 0.0)
    assert whole.exact == pytest.approx(whole.full_space, abs=1e-9)


def test_theorem_3_2_holds_in_the_mean_and_says_little():
    Q = _gram(60, 90)
    bounds = []
    for seed in range(20):
        sample = sample_rows(_Matrix(Q), 20, "uniform", np.random.RandomState(seed))
        bounds.append(nystrom_bound(Q, nystrom(Q[sample], sample), 20))
    observed = np.mean([bound.observed for bound in bounds])
    assert bounds[0].best <= observed <= bounds[0].frobenius
    assert bounds[0].epsilon > 2
    assert bounds[0].frobenius > 3 * norm(Q)  # the zero matrix would do better
    assert bounds[0].objective > bounds[0].objective_tight


def test_lifting_the_spectrum():
    Q = CorrelationMatrix(np.random.default_rng(0).normal(size=(10, 40))).matrix()
    assert eigvalsh(Q)[0] < -0.1
    for floor in (0.0, 0.05):
        raised = lifted(Q, floor)
        expected = np.maximum(np.sort(eigvalsh(Q.astype(float))), floor)
        np.testing.assert_allclose(eigvalsh(raised), expected, atol=1e-9)


def test_bad_programs_in_the_span_are_refused():
    low_rank = truncated(_gram(6, 8), 0.0)
    for linear, words in ((np.zeros(5), "must be of length 6"), ([np.nan] * 6, "must be a vector")):
        with pytest.raises(ValueError, match=words):
            subspace_qp(low_rank, linear)
    with pytest.raises(ValueError, match="'weight' parameter of subspace_qp"):
        subspace_qp(low_rank, np.zeros(6), weight=-1.0)
    with pytest.raises(ValueError, match="'size' parameter of sample_rows"):
        sample_rows(_Matrix(np.eye(6)), 7, "uniform", np.random.RandomState(0))
    with pytest.raises(ValueError, match="'sampling' parameter of sample_rows"):
        sample_rows(_Matrix(np.eye(6)), 3, "greedy", np.random.RandomState(0))
    with pytest.raises(ValueError, match="'alpha' parameter of subspace_bound"):
        subspace_bound(np.eye(6), np.zeros(6), 2.0, 0.0)
