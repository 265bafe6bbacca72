import sys
import warnings

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning

from hlsvm.select import (
    MRMR,
    QPFS,
    MaxRel,
    alpha_hat,
    binary_subset,
    lifted,
    similarity_of,
    smallest_eigenvalue,
)


def _library(Q, F, alpha):
    w = cp.Variable(len(F))
    goal = cp.Minimize(0.5 * (1 - alpha) * cp.quad_form(w, cp.psd_wrap(Q)) - alpha * F @ w)
    cp.Problem(goal, [w >= 0, cp.sum(w) == 1]).solve(
        solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11
    )
    return w.value


@pytest.mark.parametrize("similarity", ["mi", "pearson"])
@pytest.mark.parametrize("alpha", ["auto", 0.0, 0.2, 0.9])
def test_weights_are_those_of_the_program(similarity, alpha):
    X, y = (load_breast_cancer if similarity == "mi" else load_wine)(return_X_y=True)
    floor = None if similarity == "mi" else 0.0  # |rho| is indefinite even here
    result = QPFS(similarity=similarity, alpha=alpha, eigenvalue_floor=floor).fit(X, y)
    read = similarity_of(X, similarity)
    Q = read.matrix().astype(float)
    F = read.relevance(y)
    if alpha == "auto":
        assert result.alpha_ == pytest.approx(Q.mean() / (Q.mean() + F.mean()))
    assert (smallest_eigenvalue(Q) > 0) == (similarity == "mi")
    Q = lifted(Q, 0.0)
    np.testing.assert_allclose(result.weights_, _library(Q, F, result.alpha_), atol=2e-4)
    assert result.certificates_[0].relative_gap <= 1e-9


def test_alpha_one_is_maximal_relevance_and_zero_ignores_the_class():
    X, y = load_wine(return_X_y=True)
    relevance = MaxRel().fit(X, y)
    result = QPFS(alpha=1.0).fit(X, y)
    assert np.array_equal(result.ranking_, relevance.ranking_)
    assert result.weights_.max() == 1.0
    shuffled = np.random.default_rng(0).permutation(y)
    weights = [QPFS(alpha=0.0).fit(X, labels).weights_ for labels in (y, shuffled)]
    np.testing.assert_allclose(*weights, atol=1e-12)


def test_the_published_alphas_follow_from_the_published_means():
    table = [(0.0889, 0.0958, 0.481), (0.0703, 0.253, 0.217), (0.0346, 0.0187, 0.649)]
    for q, f, alpha in table:
        assert alpha_hat(q, f) == pytest.approx(alpha, abs=6e-4)
    assert alpha_hat(0.0, 0.0) == 0.5


def test_ties_go_to_the_relevant_and_constants_stand_last():
    X, y = load_digits(return_X_y=True)
    result = QPFS(alpha=0.6).fit(X, y)
    constant = np.flatnonzero(X.std(axis=0) == 0)
    assert set(result.ranking_[-len(constant) :]) == set(constant)
    size = np.count_nonzero(result.weights_)
    assert 2 < size < 30
    rest = result.relevance_[result.ranking_[size:]]
    assert (np.diff(rest) <= 0).all()
    assert (np.diff(result.weights_[result.ranking_[:size]]) <= 0).all()


def test_constant_features_do_not_change_the_choice():
    X, y = load_wine(return_X_y=True)
    wide = np.column_stack([np.ones(len(X)), X, np.zeros(len(X))])
    plain, padded = QPFS(alpha=0.3).fit(X, y), QPFS(alpha=0.3).fit(wide, y)
    np.testing.assert_allclose(padded.weights_[1:-1], plain.weights_, atol=1e-12)
    assert padded.weights_[[0, -1]].tolist() == [0.0, 0.0]


def test_the_support_is_a_closed_subset():
    X, y = load_breast_cancer(return_X_y=True)
    result = QPFS("support").fit(X, y)
    assert np.array_equal(result.get_support(), result.weights_ > 0)
    assert 1 < result.n_selected_ < 30


@pytest.mark.parametrize("sampling", ["uniform", "diagonal", "column-norm"])
def test_nystrom_with_all_rows_is_the_exact_method(sampling):
    X, y = load_breast_cancer(return_X_y=True)
    exact = QPFS().fit(X, y)
    for program in ("simplex", "subspace"):
        result = QPFS(nystrom=1.0, sampling=sampling, program=program, random_state=0).fit(X, y)
        assert result.alpha_ == pytest.approx(exact.alpha_)
        np.testing.assert_allclose(result.weights_, exact.weights_, atol=1e-4)
        assert set(result.ranking_[:5]) == set(exact.ranking_[:5])


@pytest.mark.parametrize("n_constant", [1, 13, 100])
def test_alpha_of_all_rows_counts_constant_features_as_eq_3_11_does(n_constant):
    X, y = load_wine(return_X_y=True)
    wide = np.column_stack([X, np.ones((len(X), n_constant))])
    similarity = similarity_of(wide)
    q, f = similarity.matrix().mean(dtype=float), similarity.relevance(y).mean()
    exact = QPFS().fit(wide, y)
    result = QPFS(nystrom=1.0, program="simplex", random_state=0).fit(wide, y)
    assert exact.alpha_ == pytest.approx(q / (q + f), rel=1e-6)
    assert result.alpha_ == pytest.approx(exact.alpha_, rel=1e-6)
    np.testing.assert_allclose(result.weights_, exact.weights_, atol=1e-4)


def test_nystrom_draws_rows_by_its_seed_and_takes_alpha_from_them():
    X, y = load_digits(return_X_y=True)
    first, again = (QPFS(nystrom=0.3, random_state=3).fit(X, y) for _ in range(2))
    assert np.array_equal(first.weights_, again.weights_)
    assert first.sample_.tolist() == again.sample_.tolist()
    Q = similarity_of(X).matrix()
    # Eq. 3.11 over 64 rows of Q of which 61 vary and are drawn from: the other three are zero
    assert first.redundancy_mean_ == pytest.approx(Q[first.sample_].mean(dtype=float) * 61 / 64)
    other = QPFS(nystrom=0.3, random_state=4).fit(X, y)
    assert first.sample_.tolist() != other.sample_.tolist()
    assert first.certificates_[0].rank <= len(first.sample_) == round(0.3 * 61)


def test_a_span_without_weights_falls_back_to_the_simplex_and_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 30)), np.arange(40) % 2
    signs = np.where(np.arange(30) % 2, 1.0, -1.0)

    def cancelling(A, B):  # a Gram matrix of rank one whose vector has both signs
        if B.shape[1] == 1:
            return np.abs(A.T @ B) / 100
        a = signs[[np.flatnonzero((column[:, None] == X).all(axis=0))[0] for column in A.T]]
        return np.outer(a, signs)

    with pytest.warns(ConvergenceWarning, match="program on the whole simplex takes its place"):
        result = QPFS(similarity=cancelling, alpha=0.5, nystrom=0.1, random_state=0).fit(X, y)
    assert result.program_ == "simplex"
    assert result.weights_.sum() == pytest.approx(1.0)


def test_an_indefinite_similarity_is_told_and_can_be_lifted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(15, 120)), np.arange(15) % 3
    with pytest.warns(ConvergenceWarning, match="not positive semidefinite .* local optimum"):
        plain = QPFS(similarity="pearson", alpha=0.05).fit(X, y)
    assert plain.certificates_[0].converged
    assert plain.certificates_[0].curvature < 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lifted = QPFS(similarity="pearson", alpha=0.05, eigenvalue_floor=0.0).fit(X, y)
    assert lifted.certificates_[0].curvature >= -1e-9
    assert lifted.certificates_[0].relative_gap <= 1e-9


@pytest.mark.mirror
def test_the_case_on_which_a_plain_active_set_cycles(mirror):
    from hlsvm import datasets

    data = datasets.load("srbct")
    result = QPFS(similarity="pearson", alpha=0.3).fit(data.X_train, data.y_train)
    assert result.certificates_[0].converged
    assert result.certificates_[0].curvature < 0
    assert result.certificates_[0].n_columns < 500
    assert smallest_eigenvalue(similarity_of(data.X_train, "pearson").matrix()) < -5


def test_the_binary_program_needs_no_cvxpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    Q = np.eye(4) + 0.5
    assert binary_subset(Q, np.array([0.1, 0.9, 0.2, 0.8]), 2).features.tolist() == [1, 3]


def _larger_term(Q, F, result, alpha):
    s = result.features
    redundancy = 0.5 * (1 - alpha) * Q[np.ix_(s, s)].mean()
    return max(redundancy, alpha * F[s].mean())


def test_the_binary_program_is_optimal_within_its_gap():
    from itertools import combinations

    rng = np.random.default_rng(0)
    for _ in range(10):
        M, m, alpha = 9, int(rng.integers(1, 9)), rng.random()
        A = rng.normal(size=(4, M))
        Q, F = np.abs(np.corrcoef(A.T)), rng.random(M)
        result = binary_subset(Q, F, m, alpha=alpha)
        values = {
            s: 0.5 * (1 - alpha) * Q[np.ix_(s, s)].sum() / m**2 - alpha * F[list(s)].sum() / m
            for s in combinations(range(M), m)
        }
        best = min(values.values())
        assert result.objective == pytest.approx(values[tuple(result.features)])
        assert result.dual_objective <= best + 1e-6
        assert result.objective <= best + result.gap + 1e-6
        assert result.objective == pytest.approx(best, abs=1e-5)
        assert result.converged
        quick = binary_subset(Q, F, m, alpha=alpha, exact_up_to=0)
        assert (quick.n_iter, quick.converged) == (
            0,
            quick.gap <= 1e-6 * _larger_term(Q, F, quick, alpha),
        )
        assert quick.dual_objective <= best + 1e-9
        assert best <= quick.objective + 1e-9 <= best + quick.gap + 2e-9


def test_qpfs_with_the_binary_program_keeps_exactly_the_size():
    X, y = load_wine(return_X_y=True)
    result = QPFS(4, binary=True, alpha=0.5).fit(X, y)
    assert result.get_support().sum() == 4
    assert np.array_equal(np.sort(result.ranking_), np.arange(13))
    assert result.certificates_[1].gap <= 1e-4
    Q, F = similarity_of(X).matrix(), result.relevance_

    def value(chosen):
        return 0.25 * Q[np.ix_(chosen, chosen)].mean() - 0.5 * F[chosen].mean()

    greedy = MRMR(4).fit(X, y).ranking_[:4]
    assert value(result.ranking_[:4]) <= value(greedy) + 1e-9


@pytest.mark.parametrize(
    ("Q", "size", "alpha", "words"),
    [
        (np.eye(3), 2, 0.5, r"Q must be of shape \(4, 4\)"),
        (np.eye(4), 5, 0.5, "'size' parameter of binary_subset"),
        (np.eye(4), 2, 1.5, "'alpha' parameter of binary_subset"),
    ],
)
def test_bad_binary_programs_are_refused(Q, size, alpha, words):
    with pytest.raises(ValueError, match=words):
        binary_subset(Q, np.zeros(4), size, alpha=alpha)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("sampling", ["uniform", "diagonal", "column-norm"])
@pytest.mark.parametrize("program", ["simplex", "subspace"])
def test_features_that_never_vary_keep_their_order_in_every_form(sampling, program):
    y = np.arange(40) % 2
    model = QPFS(nystrom=0.5, sampling=sampling, program=program, random_state=0)
    np.testing.assert_array_equal(model.fit(np.ones((40, 6)), y).ranking_, np.arange(6))


def test_a_signed_similarity_has_no_alpha_of_its_own():
    X = np.random.default_rng(0).normal(size=(40, 5))
    y = np.arange(40) % 2

    def signed(A, B):
        return np.full((A.shape[1], B.shape[1]), 1.0 if 1 in (A.shape[1], B.shape[1]) else -0.5)

    with pytest.raises(ValueError, match="alpha='auto'"):
        QPFS(similarity=signed).fit(X, y)
    assert QPFS(similarity=signed, alpha=0.5).fit(X, y).alpha_ == 0.5
