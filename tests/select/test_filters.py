from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE
from sklearn.metrics import mutual_info_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from hlsvm.select import (
    CFS,
    MRMR,
    RFESVM,
    MaxRel,
    RandomSelector,
    ReliefF,
    StreamwiseSelector,
    levels,
    segment_edges,
    similarity_of,
)


def _mrmr(codes, y, n, quotient=False):
    """The definition, Thesis Eq. 2.10, one pair after the other."""
    relevance = [mutual_info_score(column, y) for column in codes.T]
    chosen = [int(np.argmax(relevance))]
    while len(chosen) < n:
        scores = {}
        for j in set(range(codes.shape[1])) - set(chosen):
            mean = np.mean([mutual_info_score(codes[:, j], codes[:, i]) for i in chosen])
            scores[j] = relevance[j] / mean if quotient else relevance[j] - mean
        chosen.append(max(scores, key=scores.get))
    return chosen


@pytest.mark.parametrize("scheme", ["MID", "MIQ"])
def test_mrmr_follows_its_definition(scheme):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::4, :20], y[::4]
    codes = levels(X, segment_edges(X, 5, 6.0))
    expected = _mrmr(codes, y, 10, scheme == "MIQ")
    assert MRMR(scheme=scheme, n_bins=5).fit(X, y).ranking_[:10].tolist() == expected
    assert MRMR(scheme=scheme, n_bins=None).fit(codes, y).ranking_[:10].tolist() == expected


# mRMR (MID) of pymrmr 0.1.11, which runs the C++ program of Peng et al., on all features cut into
# n segments of 6 / n standard deviations; it needs old tools to build, so its answers stand here.
PENG = {
    "wine": (3, [6, 12, 11, 9, 0, 10, 1, 5, 3, 4, 8, 2, 7]),
    "breast_cancer": (
        5,
        [22, 21, 7, 26, 10, 27, 28, 20, 24, 2, 6, 13, 1, 25, 23,
         18, 12, 0, 4, 16, 5, 3, 11, 17, 29, 14, 8, 19, 9, 15],
    ),
}  # fmt: skip


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_mrmr_orders_all_features_as_the_program_of_its_authors(load):
    X, y = load(return_X_y=True)
    n_bins, expected = PENG[load.__name__.removeprefix("load_")]
    assert MRMR(n_bins=n_bins).fit(X, y).ranking_.tolist() == expected
    codes = levels(X, segment_edges(X, n_bins, 6.0))
    assert MRMR(n_bins=None).fit(codes, y).ranking_.tolist() == expected


def test_mrmr_scores_are_the_criterion_and_ties_go_to_the_relevant():
    X, y = load_wine(return_X_y=True)
    twice = np.column_stack([X, X])
    result = MRMR().fit(twice, y)
    assert result.scores_[result.ranking_[0]] == result.relevance_.max()
    Q = similarity_of(twice).matrix().astype(float)
    before, j = result.ranking_[:5], result.ranking_[5]
    assert result.scores_[j] == pytest.approx(result.relevance_[j] - Q[j, before].mean(), abs=1e-6)
    # twins have the same information to the bit, and the first of them stands first
    places = np.argsort(result.ranking_)
    assert (places[:13] < places[13:]).all()


@pytest.mark.parametrize("scheme", ["MID", "MIQ"])
@pytest.mark.parametrize("similarity", ["mi", "pearson"])
def test_the_first_ranks_need_few_rows_and_are_those_of_all(scheme, similarity):
    X, y = load_digits(return_X_y=True)
    X = np.column_stack([X[:300], X[300:600], X[600:900]])  # 192 features, constant ones too
    whole = MRMR(scheme=scheme, similarity=similarity).fit(X, y[:300])
    for n in (1, 7, 60):
        partial = MRMR(scheme=scheme, similarity=similarity, n_ranked=n).fit(X, y[:300])
        assert np.array_equal(partial.ranking_[:n], whole.ranking_[:n])
        assert np.array_equal(
            partial.scores_[partial.ranking_[:n]], whole.scores_[whole.ranking_[:n]]
        )
        rest = partial.ranking_[n:]
        assert (np.diff(whole.relevance_[rest]) <= 1e-12).all()
        assert partial.scores_[rest].max() < partial.scores_[partial.ranking_[:n]].min()


def test_mrmr_quotient_with_nothing_redundant():
    y = np.array([0, 0, 1, 1] * 4)
    X = np.column_stack([y, np.tile([0, 1], 8), np.zeros(16)])
    result = MRMR(scheme="MIQ", n_bins=None).fit(X, y)
    assert result.ranking_.tolist() == [0, 1, 2]


def test_maximal_relevance_orders_by_information():
    X, y = load_digits(return_X_y=True)
    codes = levels(X, segment_edges(X, 3, 3.0))
    result = MaxRel(span=3.0).fit(X, y)
    expected = [mutual_info_score(column, y) for column in codes.T]
    np.testing.assert_allclose(result.scores_, expected, atol=1e-6)
    assert (np.diff(result.scores_[result.ranking_]) <= 0).all()


def _relief(X, y, k, ratio):
    """The definition of Thesis 2.2.1, one sample after the other."""
    hit, miss = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    prior = np.bincount(y) / len(y)
    for i, x in enumerate(X):
        distance = np.linalg.norm(X - x, axis=1)
        distance[i] = np.inf
        same = np.flatnonzero(y == y[i])
        near = same[np.argsort(distance[same])[:k]]
        hit += np.abs(X[near] - x).sum(axis=0) / (1 if ratio else k)
        groups = [y != y[i]] if ratio else [y == c for c in set(y) - {y[i]}]
        for group in groups:
            others = np.flatnonzero(group)
            near = others[np.argsort(distance[others])[:k]]
            weight = 1 if ratio else prior[y[near[0]]] / (1 - prior[y[i]]) / k
            miss += weight * np.abs(X[near] - x).sum(axis=0)
    return miss / hit if ratio else (miss - hit) / len(X)


@pytest.mark.parametrize("form", ["ratio", "difference"])
def test_relief_follows_its_definition(form):
    X, y = load_wine(return_X_y=True)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    result = ReliefF(form=form, n_neighbors=5).fit(X, y)
    expected = _relief(scaled.astype(np.float32).astype(float), y, 5, form == "ratio")
    np.testing.assert_allclose(result.scores_, expected, rtol=1e-4)


def test_relief_sees_what_no_single_feature_shows():
    rng = np.random.default_rng(0)
    X = rng.random((400, 6))
    y = (X[:, 2] > 0.5) ^ (X[:, 4] > 0.5)
    assert set(ReliefF(2, n_neighbors=10).fit(X, y).ranking_[:2]) == {2, 4}


def test_relief_with_copies_of_samples():
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 3)), 3, axis=0)
    result = ReliefF(n_neighbors=2).fit(X, np.repeat([0, 1], 18))
    assert np.isinf(result.scores_).all()  # every hit is a copy


def test_cfs_finds_the_best_subset_of_few_features():
    X, y = load_wine(return_X_y=True)
    X = X[:, :10]
    result = CFS(max_stale=20).fit(X, y)
    read = similarity_of(X, "pearson")
    Q, F = read.matrix().astype(float), read.relevance(y)

    def merit(s):  # Thesis Eq. 2.9 with the sum over ordered pairs in the place of the mean
        return F[list(s)].sum() / np.sqrt(Q[np.ix_(s, s)].sum())

    best = max((s for size in range(1, 11) for s in combinations(range(10), size)), key=merit)
    assert result.merit_ == pytest.approx(merit(best), rel=1e-6)
    assert tuple(result.get_support(indices=True)) == best


def test_streamwise_selection_pays_and_earns():
    X, y = load_breast_cancer(return_X_y=True)
    result = StreamwiseSelector().fit(X, y)
    assert result.p_values_[0] == pytest.approx(stats.pearsonr(X[:, 0], y).pvalue, rel=1e-6)
    wealth, joined = 0.5, []
    for j, p in enumerate(result.p_values_, 1):
        bid = wealth / (2 * j)
        joined.append(p <= bid)
        wealth += 0.5 * joined[-1] - bid
    assert np.array_equal(result.get_support(), joined)
    assert result.wealth_ == pytest.approx(wealth)


def test_streamwise_selection_does_not_depend_on_units():
    X, y = load_wine(return_X_y=True)
    plain = StreamwiseSelector().fit(X, y)
    for unit in (2.0**-600, 2.0**1000):
        assert np.array_equal(StreamwiseSelector().fit(X * unit, y).p_values_, plain.p_values_)


def test_streamwise_selection_keeps_false_discoveries_few():
    rng = np.random.default_rng(0)
    taken = []
    for _ in range(20):
        X, y = rng.normal(size=(100, 200)), rng.integers(0, 2, 100)
        taken.append(StreamwiseSelector().fit(X, y).n_selected_)
    assert np.mean(taken) < 3
    X[:, 7] += 2 * y
    X[:, 9] = X[:, 7] + 1e-13 * rng.normal(size=100)  # a copy adds nothing
    result = StreamwiseSelector().fit(X, y)
    assert result.ranking_[0] == 7
    assert not result.get_support()[9]


@pytest.mark.parametrize("step", [1, 5])
def test_elimination_is_that_of_scikit_learn(step):
    X, y = load_wine(return_X_y=True)
    result = RFESVM(step=step, tol=1e-6, random_state=0).fit(X, y)
    svm = LinearSVC(loss="hinge", C=1.0, tol=1e-6, max_iter=20_000, random_state=0)
    scaled = MinMaxScaler().fit_transform(X)
    theirs = RFE(svm, n_features_to_select=3, step=step).fit(scaled, y)
    assert (np.diff(theirs.ranking_[result.ranking_]) >= 0).all()
    assert set(result.ranking_[:3]) == set(theirs.get_support(indices=True))


def _hinge_weights(X, y):
    """Thesis Eq. 2.26 with C = 1, the bias as the weight of a feature 1, by an interior point."""
    X = np.column_stack([X, np.ones(len(X))])
    w = cp.Variable(X.shape[1])
    slack = cp.sum(cp.pos(1 - cp.multiply(2.0 * y - 1, X @ w)))
    value = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + slack)).solve(solver=cp.CLARABEL)
    return w.value[:-1], value


def test_elimination_follows_the_hinge_loss():
    X, y = load_breast_cancer(return_X_y=True)
    X = MinMaxScaler().fit_transform(X)
    left, rounds, best = np.arange(30), [], []
    while len(left):
        weights, value = _hinge_weights(X[:, left], y)
        order = np.argsort(np.abs(weights))
        rounds.append(left[order[:5]])
        best.append(value)
        left = np.delete(left, order[:5])
    result = RFESVM(step=5, tol=1e-6, random_state=0).fit(X, y)
    assert result.ranking_.tolist() == np.concatenate(rounds)[::-1].tolist()
    objectives = [proof.objective for proof in result.certificates_]
    np.testing.assert_allclose(objectives, best, rtol=1e-4)
    assert all(proof.converged for proof in result.certificates_)


def test_elimination_tells_a_tolerance_that_was_not_met(monkeypatch):
    from hlsvm.select import _elimination

    monkeypatch.setattr(_elimination, "_MAX_ITER", 1)
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        first = RFESVM(tol=1e-9, random_state=0).fit(X, y).certificates_[0]
    assert not first.converged
    assert first.n_iter == 1
    assert np.isnan(first.gap)


def test_a_share_is_one_of_the_features_left():
    X, y = load_wine(return_X_y=True)
    result = RFESVM(random_state=0).fit(X, y)
    gone = np.bincount(np.floor(result.scores_).astype(int))
    assert gone.tolist() == [6, 3, 2, 1, 1]  # 13, 7, 4, 2, 1 were left
    assert len(result.certificates_) == 5


def test_a_random_order_is_drawn_anew_by_every_seed():
    X, y = load_wine(return_X_y=True)
    first = np.array([RandomSelector(random_state=s).fit(X, y).ranking_[0] for s in range(200)])
    assert len(set(first)) == 13
    assert np.bincount(first).max() < 40


def test_filters_help_a_classifier():
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    noisy = np.column_stack([rng.normal(size=(len(X), 60)) * 1000, X])
    half = np.arange(len(X)) % 2 == 0
    for kind in (MaxRel, MRMR, CFS, RFESVM):
        result = kind(5).fit(noisy[half], y[half])
        model = KNeighborsClassifier().fit(result.transform(noisy[half]), y[half])
        assert model.score(result.transform(noisy[~half]), y[~half]) > 0.85
