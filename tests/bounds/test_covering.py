"""Lemmas 4, 5 and 9 of DTSVM: by hand, by brute force, on a fitted SVM."""

import math
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from hlsvm.bounds import LocalSVM, lemma_4, lemma_5, lemma_9, log_shatter_bound, theorem_10


def test_lemma_4_is_where_its_proof_reaches_delta():
    """2 V prod N 2^(-eps n / 2) = delta: the last line of appendix A."""
    bound = lemma_4([400.0, 250.0], 70.0, 5000, delta=0.1)
    log_chance = math.log(2) + 70.0 + 650.0 - bound.value * 5000 / 2 * math.log(2)
    assert math.exp(log_chance) == pytest.approx(0.1)
    assert bound.confidence == 0.9
    assert lemma_4([0.0], 0.0, 1000, delta=0.5).value == pytest.approx(math.sqrt(2 / 1000))


def test_the_step_of_the_proof_that_the_printed_logarithm_rests_on():
    """The chance that W_1 misses every row of small margin is at most 2^(-eps n / 2)."""
    n = 6
    for wrong in range(n + 1):
        bad = set(range(wrong))
        splits = list(combinations(range(2 * n), n))
        chance = sum(not bad & set(first) for first in splits) / len(splits)
        assert chance <= 2.0**-wrong


def greedy_packing(values, eta):
    """Number of functions more than 2 eta apart: no cover within eta has fewer."""
    kept = []
    for row in values:
        if all(np.abs(row - other).max() > 2 * eta for other in kept):
            kept.append(row)
    return len(kept)


@pytest.mark.parametrize("eta", [0.1, 0.2, 0.4])
def test_lemma_5_is_above_what_any_cover_needs(eta):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(4, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    weights = rng.normal(size=(4000, 3))
    weights *= 2.0 * rng.uniform(size=(4000, 1)) / np.linalg.norm(weights, axis=1, keepdims=True)
    size = greedy_packing(weights @ points.T, eta)
    assert size > 1
    assert math.log(size) <= lemma_5(2.0, eta, 4)
    assert lemma_5(2.0, 2.5, 4) == 0.0


def soft_margin_svm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, 1.0, -1.0)
    svm = SVC(C=2.0, gamma=0.5).fit(X, y)
    beta = np.zeros(80)
    beta[svm.support_] = svm.dual_coef_[0]
    return y, rbf_kernel(X, gamma=0.5), beta, svm.intercept_[0]


def test_lemma_9_on_an_svm_with_slack():
    """Its four facts; f is linear in H with b as the weight of one more coordinate."""
    y, K, beta, b = soft_margin_svm()
    kernel = K + 1.0
    f, norm = K @ beta + b, math.sqrt(beta @ K @ beta + b**2)
    lifted = lemma_9(kernel, f, y, norm)
    rho = math.sqrt(2.0)
    assert (np.diag(lifted.kernel) <= 2 * rho**2 + 1e-12).all()  # 1: sqrt(2) rho
    slack = np.maximum(0.0, 1.0 - y * f)
    assert (slack > 0).sum() > 10
    assert lifted.norm == pytest.approx(math.sqrt(norm**2 + slack @ slack / 2))  # 2
    assert (y * lifted.decision >= 1.0 - 1e-12).all()  # 3
    # f-hat is a linear function of the images: the representer of its values has that norm at most.
    values = lifted.decision
    assert values @ np.linalg.solve(lifted.kernel, values) <= lifted.norm**2 + 1e-9
    # 4: at other points the images meet no delta, so the values are those of f by construction.
    explicit = np.column_stack([np.linalg.cholesky(kernel + 1e-12 * np.eye(80)), rho * np.eye(80)])
    np.testing.assert_allclose(explicit @ explicit.T, lifted.kernel, atol=1e-9)


def test_theorem_10_is_the_lemmas_put_together():
    """Its R is sum (radius x norm)^2 / 2 of the embeddings: 2 (rho^2 beta^2 + |xi|^2) / gamma^2."""
    y, K, beta, b = soft_margin_svm()
    f, norm = K @ beta + b, math.sqrt(beta @ K @ beta)
    lifted = lemma_9(K, f, y, norm)
    slack = np.maximum(0.0, 1.0 - y * f)
    R = theorem_10([LocalSVM(norm, float(np.linalg.norm(slack)))], 80, 2, 1).terms["R"]
    assert (lifted.radius * lifted.norm) ** 2 == pytest.approx(2 * R)
    covering = lemma_5(lifted.norm, 0.5, 160, rho=lifted.radius)
    assert lemma_4([covering], log_shatter_bound(1, 160, 2), 80).value > 1  # vacuous, and says so


def test_equal_rows_with_different_labels_have_no_embedding():
    """The proof forgets them: one image cannot have a margin on both sides."""
    with pytest.raises(ValueError, match="rows that differ"):
        lemma_9(np.ones((2, 2)), [0.0, 0.0], [1, -1], 0.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lemma_4([1.0], 1.0, 0), "'n'"),
        (lambda: lemma_4([-1.0], 1.0, 10), "'log_coverings'"),
        (lambda: lemma_5(1.0, 0.0, 10), "'eta'"),
        (lambda: lemma_9(np.eye(2), [0.0], [1, -1], 1.0), "same rows"),
        (lambda: lemma_9(np.eye(2), [0.0, 0.0], [1, -1], 1.0, rho=0.5), "'rho'"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
