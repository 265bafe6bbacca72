"""Chapter 4: the gap of two directions, both of one factorisation, the grid of mu in one go."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from hlsvm.chapters.kqpfs.directions import both_directions, cosine_gap, cv_errors, rbf_matrix
from hlsvm.extract import KernelFisher, reference


@pytest.fixture(scope="module")
def rings():
    X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
    return X, np.where(np.hypot(*X.T) < 0.5, -1, 1)


def test_cosine_gap_is_exact_where_one_minus_cosine_is_not():
    a = np.array([1.0, 0.0])
    assert cosine_gap(a, a) == 0.0
    assert cosine_gap(a, np.array([-3.0, 3e-12])) == pytest.approx(5e-25)
    assert cosine_gap(a, np.array([1.0, 1.0])) == pytest.approx(1 - np.sqrt(0.5))


def test_cross_validation_by_eigenvectors_is_that_of_the_estimator(rings):
    X, y = rings
    mus = (1e-2, 10.0)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=3).split(X, y))

    def wrong(mu):
        models = [KernelFisher(gamma=0.5, mu=mu).fit(X[a], y[a]) for a, _ in folds]
        answers = [model.predict(X[b]) != y[b] for model, (_, b) in zip(models, folds, strict=True)]
        return np.mean(np.concatenate(answers))

    expected = [wrong(mu) for mu in mus]
    np.testing.assert_allclose(cv_errors(X, y, 0.5, mus, 3), expected, atol=1e-12)


def test_one_factorisation_gives_both_printed_directions(rings):
    X, y = rings
    K = rbf_matrix(X, 0.5)
    fisher, kqpfs = both_directions(K, y.astype(float), 1.0)
    assert cosine_gap(fisher, reference.algorithm_3(K, y, 1.0)) < 1e-14
    np.testing.assert_allclose(kqpfs, reference.algorithm_4(K, y, 1.0), rtol=1e-8, atol=1e-12)
