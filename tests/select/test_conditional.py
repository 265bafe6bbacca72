"""JMI and CMIM against their definitions, and against what their authors' programs answered."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import mutual_info_score

from hlsvm.select import CMIM, JMI, InformationMatrix, levels, segment_edges, value_edges
from hlsvm.select._joint_information import JointInformation


def _pair(a, b):
    return np.unique(np.column_stack([a, b]), axis=0, return_inverse=True)[1].ravel()


def _conditional(x, y, z):
    """I(X; Y | Z), class of Z after class of Z."""
    shares = [(np.mean(z == v), mutual_info_score(x[z == v], y[z == v])) for v in np.unique(z)]
    return sum(share * information for share, information in shares)


def _greedy(codes, y, n, kind):
    """The definitions of Brown et al. (2012), one pair after the other."""
    chosen = [int(np.argmax([mutual_info_score(x, y) for x in codes.T]))]
    while len(chosen) < n:
        scores = {}
        for k in sorted(set(range(codes.shape[1])) - set(chosen)):
            x, before = codes[:, k], [codes[:, j] for j in chosen]
            if kind is JMI:
                scores[k] = np.mean([mutual_info_score(_pair(x, z), y) for z in before])
            else:
                scores[k] = np.min([_conditional(x, y, z) for z in before])
        chosen.append(max(scores, key=scores.get))
    return chosen, scores[chosen[-1]]


@pytest.mark.parametrize("kind", [JMI, CMIM])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_orders_follow_their_definitions(kind, load):
    X, y = load(return_X_y=True)
    X, y = X[::3, :20], y[::3]
    codes = levels(X, segment_edges(X, 5, 6.0))
    expected, last = _greedy(codes, y, 8, kind)
    for result in (kind(n_bins=5).fit(X, y), kind(n_bins=None, n_ranked=9).fit(codes, y)):
        assert result.ranking_[:8].tolist() == expected
        assert result.scores_[expected[-1]] == pytest.approx(last, abs=1e-6)


def _equal_width(load):
    """Features cut into five segments of equal width, as the programs below take them."""
    X, y = load(return_X_y=True)
    return np.minimum(5 * (X - X.min(axis=0)) / np.ptp(X, axis=0), 4).astype(int), y


def test_jmi_orders_as_the_program_of_brown_et_al():
    """FEAST's read-me shows jmi on these data."""
    ranking = JMI(n_bins=None).fit(*_equal_width(load_breast_cancer)).ranking_
    assert ranking[:5].tolist() == [27, 20, 7, 26, 22]


# JMI and CMIM of ITMO_FS 0.3.3, whose other parts need older libraries; so its answers stand here.
ITMO = [
    (JMI, load_wine, [6, 9, 12, 11, 0, 10, 5, 4, 3, 8, 1, 7, 2]),
    (CMIM, load_wine, [6, 9, 12, 0, 10, 4, 3, 11, 5, 2, 1, 8, 7]),
    (
        JMI,
        load_breast_cancer,
        [27, 20, 7, 26, 22, 23, 6, 2, 0, 21, 3, 24, 5, 25, 1,
         28, 10, 17, 4, 12, 29, 9, 8, 15, 13, 18, 14, 19, 11, 16],
    ),
    (
        CMIM,
        load_breast_cancer,
        [27, 20, 1, 7, 21, 22, 6, 26, 9, 28, 23, 3, 2, 17, 0,
         18, 24, 25, 15, 4, 8, 5, 29, 14, 10, 19, 12, 11, 16, 13],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "load", "expected"), ITMO)
def test_all_features_are_ordered_as_by_another_program(kind, load, expected):
    assert kind(n_bins=None).fit(*_equal_width(load)).ranking_.tolist() == expected


@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_joint_information_is_that_of_the_pairs(load):
    X, y = load(return_X_y=True)
    X, y = X[:150:2, :20], y[:150:2] * 2  # classes that are not there
    joint = JointInformation(X, segment_edges(X, 5, 2.0), y, n_jobs=2)
    codes, Q = levels(X, segment_edges(X, 5, 2.0)), joint.matrix()
    expected = [[mutual_info_score(_pair(a, b), y) for b in codes.T] for a in codes.T]
    np.testing.assert_allclose(Q, expected, atol=1e-6)
    assert np.array_equal(joint.rows([3, 11, 3]), Q[[3, 11, 3]])
    assert np.array_equal(joint.diagonal(), np.diag(Q))
    other = InformationMatrix(X, segment_edges(X, 5, 2.0)).relevance(y)
    assert np.array_equal(joint.diagonal(), other)
    assert np.array_equal(joint.relevance(y), other)
    third = np.arange(len(y)) % 3
    expected = [mutual_info_score(column, third) for column in codes.T]
    np.testing.assert_allclose(joint.relevance(third), expected, atol=1e-6)


def test_many_samples_of_few_classes_and_the_other_way_round():
    rng = np.random.default_rng(0)
    for n, n_classes in ((3000, 2), (500, 300)):
        X, y = rng.integers(0, 4, (n, 5)), rng.integers(0, n_classes, n)
        Q = JointInformation(X, value_edges(X), y).matrix()
        expected = [[mutual_info_score(_pair(a, b), y) for b in X.T] for a in X.T]
        np.testing.assert_allclose(Q, expected, atol=2e-6)


@pytest.mark.parametrize("kind", [JMI, CMIM])
def test_what_two_features_tell_only_together_is_seen(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 8))
    X[:, 5] = rng.random(400) < 0.2
    y = X[:, 2] ^ X[:, 5]  # the fifth alone tells nothing
    result = kind(n_bins=None).fit(X, y)
    assert result.ranking_[:2].tolist() == [2, 5]
    assert result.relevance_[5] < 0.01 < result.scores_[5]


@pytest.mark.parametrize("kind", [JMI, CMIM])
def test_the_first_ranks_need_few_rows_and_are_those_of_all(kind):
    X, y = load_digits(return_X_y=True)
    X = np.column_stack([X[:300], X[300:600], X[600:900]])  # 192 features, constant ones too
    whole = kind().fit(X, y[:300])
    for n in (1, 7, 60):
        partial = kind(n_ranked=n, n_jobs=2).fit(X, y[:300])
        first = whole.ranking_[:n]
        assert np.array_equal(partial.ranking_[:n], first)
        assert np.array_equal(partial.scores_[first], whole.scores_[first])
        rest = partial.ranking_[n:]
        assert (np.diff(whole.relevance_[rest]) <= 1e-12).all()


def test_a_copy_comes_last_in_cmim():
    X, y = load_wine(return_X_y=True)
    result = CMIM().fit(np.column_stack([X, X[:, 6]]), y)
    assert result.ranking_[0] == 6
    assert result.scores_[13] == pytest.approx(0.0, abs=1e-7)
