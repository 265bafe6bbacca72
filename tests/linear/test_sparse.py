"""Sparse rows: the bits of the dense ones, and no dense copy of them."""

import tracemalloc

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from hlsvm._arithmetic import dot, sparse_dot
from hlsvm.linear import WeightedLinearSVC, WeightedPegasos
from hlsvm.linear._rows import read_only, squared_norms

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
MODELS = [
    WeightedLinearSVC(1e-4, random_state=0),
    WeightedLinearSVC(1e-6, loss_scale="sum", bias_feature=0, tol=1e-2, random_state=0),
    WeightedLinearSVC(1e-3, bias_feature=None, random_state=0),
    WeightedPegasos(1e-3, batch_size=20, max_iter=300, random_state=0),
]


def rows(n=300, d=45, share=0.1, seed=0, dtype=np.float64):
    """Return a matrix of few entries above zero, its three classes, and weights with zeros."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < share, rng.normal(size=(n, d)), 0.0).astype(dtype)
    y = np.digitize(X[:, :9].sum(axis=1) + 0.1 * rng.normal(size=n), [-0.3, 0.3])
    return X, y, rng.integers(0, 4, n).astype(float)


@njit
def both(x, data, indices, start, stop, w):
    return dot(x, w, 0.0), sparse_dot(data, indices, start, stop, w, x.shape[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 7, 8, 9, 64, 123])
def test_an_inner_product_has_the_bits_of_the_dense_one(d, dtype):
    X, _, _ = rows(40, d, 0.4, d, dtype)
    X[3] = 0.0
    w = np.random.default_rng(1).normal(size=d + 1)
    packed = sparse.csr_array(X)
    for x, start, stop in zip(X, packed.indptr[:-1], packed.indptr[1:], strict=True):
        dense, thin = both(x, packed.data, packed.indices, start, stop, w)
        assert dense == thin
    assert_array_equal(squared_norms(read_only(X)), squared_norms(read_only(packed)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_the_hyperplanes_are_those_of_dense_rows(model, kind, dtype):
    X, y, weight = rows(dtype=dtype)
    dense = clone(model).fit(X, y, weight)
    thin = clone(model).fit(kind(X), y, weight)
    assert_array_equal(dense.coef_, thin.coef_)
    assert_array_equal(dense.intercept_, thin.intercept_)
    assert dense.certificates_ == thin.certificates_
    assert_allclose(dense.decision_function(X), thin.decision_function(kind(X)), atol=1e-12)
    assert_array_equal(dense.predict(X), dense.predict(kind(X)))


def test_indices_in_any_order_and_twice():
    X, y, _ = rows()
    packed = sparse.csr_array(X)
    half = sparse.csr_array((packed.data, packed.indices, packed.indptr), packed.shape)
    half.data = half.data / 2
    twice = sparse.vstack([half, half]).tocoo()
    twice = sparse.coo_array((twice.data[::-1], (twice.row[::-1] % 300, twice.col[::-1])), X.shape)
    model = WeightedLinearSVC(1e-4, random_state=0)
    result = clone(model).fit(twice, y)
    assert_allclose(result.coef_, clone(model).fit(X, y).coef_, rtol=1e-9)
    loose = sparse.csr_array(
        (np.ones(4), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3)
    )
    kept = loose.copy()
    model.fit(loose, [0, 1])
    assert_array_equal(loose.data, kept.data)  # what came is left as it was
    assert_array_equal(loose.indices, kept.indices)


@pytest.mark.parametrize("model", MODELS[:1] + MODELS[-1:])
def test_memory_stays_within_three_times_the_entries(model):
    rng = np.random.default_rng(0)
    X = sparse.random_array((4000, 20_000), density=0.01, format="csr", rng=rng)
    y = np.asarray(X[:, :5000].sum(axis=1)).ravel() > np.asarray(X[:, 5000:10_000].sum(1)).ravel()
    model = clone(model).set_params(max_iter=20)
    model.fit(X[:50], y[:50])  # compiles
    tracemalloc.start()
    model.fit(X, y).decision_function(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * (X.data.nbytes + X.indices.nbytes)  # dense: 66 times as much


def test_infinity_is_refused():
    X = sparse.csr_array(np.array([[0.0, np.inf], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="infinity"):
        WeightedLinearSVC().fit(X, [0, 1])
