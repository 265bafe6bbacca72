"""Stability selection: its halves, its shadows, and the rate it promises."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_wine

from hlsvm.select import (
    CMIM,
    JMI,
    MRMR,
    QPFS,
    RFESVM,
    MaxRel,
    RandomSelector,
    ReliefF,
    StabilitySelector,
)
from hlsvm.select._shadows import chance_agreement, halves, q_values, rank_pair, with_shadows


def _draw(design, seed, n=120, M=80, k=6):
    """Two classes; the first k features tell them apart, the others are nothing but noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, M)), rng.integers(0, 2, n)
    if design == "correlated noise":
        X[:, k:] = 0.5 * X[:, k:] + rng.normal(size=(n, 1))
    if design == "correlated signals":
        X[:, :k] = 0.6 * X[:, :k] + 0.8 * rng.normal(size=(n, 1))
    X[:, :k] += y[:, None] * (0.0 if design == "no signals" else 1.5)
    return X, y, np.arange(M) < (0 if design == "no signals" else k)


def test_halves_share_no_sample_and_have_the_same_classes():
    codes = np.array([0] * 7 + [1] * 10 + [3] + [2] * 2)
    first, second = halves(codes, np.random.RandomState(0))
    assert not set(first) & set(second)
    assert np.bincount(codes[first]).tolist() == np.bincount(codes[second]).tolist() == [3, 5, 1]
    drawn = [halves(codes, np.random.RandomState(s))[0] for s in range(200)]
    share = np.bincount(np.concatenate(drawn), minlength=20) / 200
    assert np.all(np.abs(share[:7] - 3 / 7) < 0.15)
    assert np.all(np.abs(share[7:17] - 0.5) < 0.15)


def test_shadows_are_the_features_with_rows_exchanged_in_pairs():
    X = np.random.default_rng(0).integers(0, 3, (30, 6)).astype(float)
    X[:, 0] = np.arange(30)
    rows = np.arange(1, 30, 2)
    both, columns = with_shadows(X, rows, np.random.RandomState(1))
    plain = both[:, np.argsort(columns)]
    assert np.array_equal(plain[:, :6], X[rows])
    other = np.searchsorted(rows, plain[:, 6])
    assert np.array_equal(plain[:, 6:], X[rows[other]])  # whole rows
    assert np.array_equal(other[other], np.arange(15))
    assert np.count_nonzero(other == np.arange(15)) == 1  # fifteen is odd
    assert set(columns[:6] % 6) == set(columns[6:] % 6) == set(range(6))
    assert 0 < np.count_nonzero(columns[:6] >= 6) < 6
    sparse, same = with_shadows(csr_array(X).tocsc(), rows, np.random.RandomState(1))
    assert np.array_equal(columns, same)
    assert np.array_equal(sparse.toarray(), both)


@pytest.mark.parametrize("estimator", [MaxRel(), MRMR(n_ranked=16), QPFS(alpha=0.3)], ids=repr)
@pytest.mark.parametrize("design", ["correlated noise", "correlated signals"])
def test_noise_is_chosen_as_often_as_its_shadow(estimator, design):
    difference = []
    for seed in range(60):
        X, y, signal = _draw(design, seed)
        _, chosen, _, shadows = rank_pair(estimator, X, y, 16, seed)
        difference.append((chosen - shadows)[~signal].sum())
    assert chosen[signal].mean() > shadows[signal].mean()
    assert abs(np.mean(difference)) < 4 * np.std(difference) / np.sqrt(60)


def test_agreement_by_chance_is_the_sum_of_squares():
    rng = np.random.default_rng(0)
    p = np.array([0.5, 0.2, 0.0, 0.05])
    estimates = [chance_agreement((rng.random((40, 4)) < p).sum(axis=0), 40) for _ in range(500)]
    assert np.mean(estimates) == pytest.approx((p**2).sum() + 1 / (40 * 39), abs=0.01)
    assert chance_agreement(np.zeros(3, dtype=int), 10) == 1 / 90


def test_q_values_are_those_of_the_definition():
    scores = np.array([1.0, 0.9, 0.9, 0.3, 0.02, 0.0, 0.0])
    result = q_values(scores, 0.2)
    for rate in (0.05, 0.07, 0.08, 0.1, 0.2, 0.5):
        sizes = [r for r in range(1, 8) if scores[r - 1] * r >= 0.2 / rate]
        assert np.count_nonzero(result <= rate) == max(sizes, default=0)
    assert result[-1] == 1.0


@pytest.mark.parametrize("estimator", [MaxRel(), MRMR()], ids=repr)
@pytest.mark.parametrize(
    "design", ["independent", "correlated noise", "correlated signals", "no signals"]
)
def test_the_stated_rate_holds(estimator, design):
    """The whole is `hlsvm bench stability`."""
    shares, hits = [], []
    for seed in range(12):
        X, y, signal = _draw(design, seed)
        chosen = StabilitySelector(estimator, n_pairs=20, random_state=seed).fit(X, y).get_support()
        shares.append(np.count_nonzero(chosen & ~signal) / max(1, np.count_nonzero(chosen)))
        hits.append(chosen[signal].mean() if signal.any() else 1.0)
    assert np.mean(shares) <= 0.1
    assert np.mean(hits) > (0.4 if design == "correlated signals" else 0.8)


@pytest.mark.parametrize(
    "estimator", [QPFS(), QPFS(nystrom=0.5), CMIM(), ReliefF(), RFESVM(step=0.9)], ids=repr
)
def test_the_answer_depends_on_the_seed_alone(estimator):
    X, y = load_wine(return_X_y=True)
    results = [
        StabilitySelector(estimator, n_pairs=4, n_jobs=n_jobs, random_state=seed).fit(X, y)
        for n_jobs, seed in ((None, 0), (3, 0), (None, 1))
    ]
    for name in ("scores_", "frequencies_", "q_values_", "ranking_", "by_chance_"):
        assert np.array_equal(getattr(results[0], name), getattr(results[1], name))
    assert not np.array_equal(results[0].frequencies_, results[2].frequencies_)


def test_attributes_say_what_they_mean():
    X, y = load_breast_cancer(return_X_y=True)
    result = StabilitySelector(JMI(), n_pairs=10, random_state=0).fit(X, y)
    assert result.n_top_ == round(4 * np.sqrt(0.1 * 30))
    assert (result.scores_ <= result.frequencies_).all()
    assert (np.diff(result.q_values_[result.ranking_]) >= 0).all()
    assert np.array_equal(result.get_support(), result.q_values_ <= 0.1)
    assert result.frequencies_.sum() <= result.n_top_
    stricter = StabilitySelector(JMI(), fdr=1e-3, n_top=7, n_pairs=10, random_state=0).fit(X, y)
    assert 0 < stricter.n_selected_ <= result.n_selected_


def test_an_order_by_chance_selects_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    result = StabilitySelector(RandomSelector(), random_state=0).fit(X, y)
    assert not result.get_support().any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert result.transform(X).shape == (569, 0)


def test_sparse_rows_are_ranked_as_dense_ones():
    rng = np.random.default_rng(0)
    X = (rng.random((120, 30)) < 0.2) * rng.integers(1, 4, (120, 30)).astype(float)
    y = (X[:, 4] > 0) * 1
    dense, sparse = (
        StabilitySelector(MRMR(), n_pairs=5, random_state=0).fit(rows, y)
        for rows in (X, csr_array(X))
    )
    assert np.array_equal(dense.scores_, sparse.scores_)
    assert dense.ranking_[0] == 4
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        StabilitySelector(ReliefF()).fit(csr_array(X), y)


def test_classes_without_a_sample_for_each_half():
    X, y = load_wine(return_X_y=True)
    rows = [0, 1, 2, 3, 60, 61, 62, 170]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert StabilitySelector(MaxRel(), n_pairs=2).fit(X[rows], y[rows]).classes_.tolist() == [
            0,
            1,
            2,
        ]
    with pytest.raises(ValueError, match=r"y of StabilitySelector .* classes of \[4, 1\] samples"):
        StabilitySelector().fit(X[[0, 1, 2, 3, 60]], y[[0, 1, 2, 3, 60]])


@pytest.mark.parametrize(
    ("selector", "argument"),
    [
        (StabilitySelector("mrmr"), "estimator"),
        (StabilitySelector(MRMR), "estimator"),
        (StabilitySelector(MRMR(n_bins=4)), "n_bins"),
        (StabilitySelector(fdr=0), "fdr"),
        (StabilitySelector(fdr=1.0), "fdr"),
        (StabilitySelector(n_top=0), "n_top"),
        (StabilitySelector(n_top=2.0), "n_top"),
        (StabilitySelector(n_pairs=0), "n_pairs"),
        (StabilitySelector(n_jobs=0), "n_jobs"),
        (StabilitySelector(random_state=-1), "random_state"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named(selector, argument):
    X, y = load_wine(return_X_y=True)
    with pytest.raises((ValueError, TypeError), match=f"'{argument}' parameter of"):
        selector.fit(X, y)
