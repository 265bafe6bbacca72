"""Sparse rows: the answers of dense ones to the bit, in memory of the nonzeros."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix, random_array

from hlsvm.select import (
    CFS,
    MRMR,
    QPFS,
    RFESVM,
    MaxRel,
    RandomSelector,
    ReliefF,
    StreamwiseSelector,
    segment_edges,
    similarity_of,
    value_edges,
)

SHAPES = [(200, 40, np.float64), (90, 150, np.float64), (300, 40, np.uint8), (150, 300, np.int64)]


def _data(n, m, dtype, seed=0):
    """Counts and signed numbers, most of them zero; a constant, an empty and a useful column."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, m)) < 0.15) * rng.integers(1, 6, (n, m))
    y = rng.integers(0, 3, n)
    X[:, 0], X[:, 1], X[:, 3] = 0, 2, X[:, 3] + (y == 1)
    X = X.astype(dtype)
    return (X * rng.normal(1, 1, m).round(1) if dtype is np.float64 else X), y


@pytest.mark.parametrize(("n", "m", "dtype"), SHAPES)
@pytest.mark.parametrize(
    "arguments",
    [{"similarity": "mi"}, {"n_bins": 5, "span": 2.0}, {"n_bins": None}, {"similarity": "pearson"}],
)
def test_similarities_of_sparse_rows_are_those_of_dense_ones(n, m, dtype, arguments):
    X, y = _data(n, m, dtype)
    dense = similarity_of(X, **arguments)
    features = np.array([5, 2, m - 1, 5])
    for container in (csr_array, csr_matrix, csc_array):
        result = similarity_of(container(X), n_jobs=2, **arguments)
        if arguments.get("similarity") == "pearson":  # sums in another order
            np.testing.assert_allclose(result.matrix(), dense.matrix(), rtol=1e-6, atol=1e-12)
            np.testing.assert_allclose(result.relevance(y), dense.relevance(y), rtol=1e-12)
            continue
        assert np.array_equal(result.matrix(), dense.matrix())
        assert np.array_equal(result.rows(features), dense.rows(features))
        assert np.array_equal(result.diagonal(), dense.diagonal())
        assert np.array_equal(result.relevance(y), dense.relevance(y))
        assert result.mean() == dense.mean()


@pytest.mark.parametrize(("n", "m", "dtype"), SHAPES)
@pytest.mark.parametrize(
    "selector",
    [
        MaxRel(5),
        MRMR(5),
        MRMR(5, similarity="pearson", n_ranked=4),
        QPFS(5),
        QPFS(nystrom=0.5, random_state=0),
        CFS(similarity="mi"),
        CFS(),
        StreamwiseSelector(),
        RFESVM(5, random_state=0, scale=False),
        RandomSelector(5, random_state=0),
    ],
    ids=repr,
)
def test_selectors_rank_sparse_rows_as_dense_ones(n, m, dtype, selector):
    X, y = _data(n, m, dtype)
    dense, order = selector.fit(X, y).scores_, selector.ranking_
    result = selector.fit(csr_array(X), y)
    assert np.array_equal(result.ranking_, order)
    if "pearson" in repr(selector) or isinstance(selector, CFS):
        np.testing.assert_allclose(result.scores_, dense, rtol=1e-6, atol=1e-12)
    else:
        assert np.array_equal(result.scores_, dense)
    kept = result.transform(csr_array(X))
    assert np.array_equal(kept.toarray(), X[:, result.get_support()])


def test_elimination_scales_sparse_rows_that_keep_their_zeros():
    X, y = _data(300, 40, np.int64)
    X[:, 7] -= 9  # no zero is left: it may be moved
    dense = RFESVM(random_state=0).fit(X, y)
    result = RFESVM(random_state=0).fit(csr_array(X), y)
    assert np.array_equal(result.ranking_, dense.ranking_)
    assert np.array_equal(result.scores_, dense.scores_)
    X[0, 9] = -1
    with pytest.raises(ValueError, match=r"column 9 has negative values.*Take scale=False"):
        RFESVM(random_state=0).fit(csr_array(X), y)


def test_methods_that_need_dense_rows_say_what_to_do():
    X, y = _data(60, 10, np.float64)
    for selector in (ReliefF(), MaxRel(similarity=lambda A, B: np.abs(A.T @ B))):
        with pytest.raises(TypeError, match=r"dense data is required. Use '\.toarray\(\)'"):
            selector.fit(csr_array(X), y)
        assert not selector.__sklearn_tags__().input_tags.sparse
        selector.fit(X, y)
    with pytest.raises(TypeError, match="dense data is required"):
        similarity_of(csr_array(X), np.dot)


def test_entries_that_are_zero_or_stand_twice_count_once():
    X, y = _data(100, 12, np.float64)
    once = csr_array(X)
    data, columns = np.repeat(once.data / 2, 2), np.repeat(once.indices, 2)
    data, columns = np.append(0.0, data), np.append(0, columns)  # the first column is empty
    twice = csr_array((data, columns, np.append(0, 2 * once.indptr[1:] + 1)), X.shape)
    assert not twice.has_canonical_format
    before = twice.data.copy()
    for selector in (MaxRel(), MRMR(similarity="pearson"), StreamwiseSelector(), QPFS(n_bins=None)):
        dense = selector.fit(X, y).scores_
        assert np.array_equal(selector.fit(twice, y).scores_, dense)
    assert np.array_equal(twice.data, before)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_edges_of_numbers_whose_squares_leave_the_range(size):
    X, _ = _data(80, 20, np.float64)
    X[:, 4:9] *= size
    assert np.array_equal(segment_edges(csr_array(X), 3, 6.0), segment_edges(X, 3, 6.0))
    assert np.array_equal(value_edges(csr_array(X)), value_edges(X))


@pytest.mark.parametrize(
    ("similarity", "shape"),
    [("mi", (20_000, 3_000)), ("pearson", (3_000, 20_000)), ("pearson", (20_000, 3_000))],
)
def test_memory_is_that_of_the_nonzeros(similarity, shape):
    rng = np.random.default_rng(0)
    X = random_array(shape, density=0.02, rng=rng, format="csr")
    y = rng.integers(0, 2, shape[0])
    nonzeros = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    selector = MaxRel(similarity=similarity).fit(X[:100], y[:100])
    tracemalloc.start()
    selector.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3 * nonzeros
    assert peak <= 0.1 * 8 * np.prod(shape)
