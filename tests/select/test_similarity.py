import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import mutual_info_score

from hlsvm.select import (
    CallableMatrix,
    CorrelationMatrix,
    InformationMatrix,
    levels,
    segment_edges,
    similarity_of,
    smallest_eigenvalue,
    value_edges,
)


def _data(n, m, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) @ rng.normal(size=(m, m))
    X[:, 0] = 3.0
    X[:, 1] = X[:, 2]
    return X, rng.integers(0, 4, n)


def _reference(codes, others):
    return np.array([[mutual_info_score(a, b) for b in others.T] for a in codes.T])


@pytest.mark.parametrize(
    ("n", "m", "n_bins", "span"), [(2, 3, 3, 1.0), (33, 9, 5, 4.0), (200, 7, 9, 6.0)]
)
def test_information_is_that_of_scikit_learn_pair_by_pair(n, m, n_bins, span):
    X, y = _data(n, m)
    edges = segment_edges(X, n_bins, span)
    codes = levels(X, edges)
    result = InformationMatrix(X, edges)
    np.testing.assert_allclose(result.matrix(), _reference(codes, codes), atol=2e-7)
    np.testing.assert_allclose(result.relevance(y), _reference(codes, y[:, None])[:, 0], atol=2e-7)


def test_blocks_of_unequal_depth_and_more_features_than_a_block():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(70, 300))
    X[:, ::7] = rng.integers(0, 40, size=(70, 43))
    X[:, 5] = 0
    result = InformationMatrix(X, value_edges(X))
    Q = result.matrix()
    features, others = np.array([0, 5, 7, 299]), np.arange(0, 300, 6)
    expected = _reference(X[:, features], X[:, others])
    np.testing.assert_allclose(Q[np.ix_(features, others)], expected, atol=3e-7)
    assert len(result._blocks) > 3


def test_every_way_to_ask_gives_the_same_bits():
    X, _ = _data(150, 300)
    edges = segment_edges(X, 3, 6.0)
    result = InformationMatrix(X, edges)
    Q = result.matrix()
    order = np.random.default_rng(0).permutation(300)
    assert np.array_equal(Q, Q.T)
    assert np.array_equal(Q[1], Q[2])
    assert np.array_equal(result.rows([299, 0, 17]), Q[[299, 0, 17]])
    assert np.array_equal(result.diagonal(), np.diag(Q))
    assert np.array_equal(InformationMatrix(X, edges, n_jobs=2).matrix(), Q)
    assert np.array_equal(
        InformationMatrix(X[:, order], edges[:, order]).matrix(), Q[np.ix_(order, order)]
    )
    assert result.mean() == pytest.approx(Q.mean(dtype=np.float64), rel=1e-12)


def test_a_constant_feature_holds_exactly_no_information():
    X, y = _data(61, 6)
    result = InformationMatrix(X, segment_edges(X, 3, 6.0))
    assert not result.matrix()[0].any()
    assert result.relevance(y)[0] == 0


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32])
def test_the_type_of_the_data_does_not_matter(dtype):
    X = np.random.default_rng(0).integers(0, 255, size=(90, 12))
    edges = segment_edges(X.astype(dtype), 3, 3.0)
    expected = segment_edges(X.astype(float), 3, 3.0)
    np.testing.assert_allclose(edges, expected)
    assert np.array_equal(
        InformationMatrix(X.astype(dtype), expected).matrix(),
        InformationMatrix(X.astype(float), expected).matrix(),
    )


def test_segments_cover_the_span_with_the_mean_in_the_middle_one():
    X = np.random.default_rng(0).normal(5.0, 2.0, size=(500, 1))
    edges = segment_edges(X, 5, 4.0)[:, 0]
    mean, deviation = X.mean(), X.std()
    np.testing.assert_allclose(edges, mean + deviation * np.array([-1.2, -0.4, 0.4, 1.2]))


def test_values_as_levels_and_too_many_of_them():
    X = np.array([[0, 5.5], [1, 7.0], [7, 5.5]])
    assert levels(X, value_edges(X)).tolist() == [[0, 0], [1, 1], [2, 0]]
    with pytest.raises(ValueError, match="n_bins=None makes every distinct value"):
        value_edges(np.arange(300.0)[:, None])


@pytest.mark.parametrize("n", [30, 9000])
def test_correlation_is_that_of_numpy(n):
    X, y = _data(n, 40)
    result = CorrelationMatrix(X)
    expected = np.abs(np.corrcoef(X[:, 1:], rowvar=False))
    Q = result.matrix()
    np.testing.assert_allclose(Q[1:, 1:], expected, atol=1e-6)
    assert not Q[0].any()
    np.testing.assert_allclose(result.rows([3, 0]), Q[[3, 0]], atol=1e-7)
    np.testing.assert_allclose(result.mean(), Q.mean(dtype=float), rtol=1e-6)
    assert result.diagonal().tolist() == [0.0] + [1.0] * 39
    member = (y[:, None] == np.arange(4)).astype(float)
    each = [np.abs(np.corrcoef(X[:, 5], column)[0, 1]) for column in member.T]
    assert result.relevance(y)[5] == pytest.approx(np.mean(member, axis=0) @ each)


def test_any_similarity_by_a_function():
    X, y = _data(50, 6)
    X[:, 0] = X[:, 3] ** 2

    def absolute_cosine(A, B):
        return np.abs(A.T @ B) / np.outer(np.linalg.norm(A, axis=0), np.linalg.norm(B, axis=0))

    result = similarity_of(X, absolute_cosine)
    np.testing.assert_allclose(result.diagonal(), 1.0, rtol=1e-6)
    np.testing.assert_allclose(result.rows([2])[0], absolute_cosine(X[:, [2]], X)[0], rtol=1e-6)
    np.testing.assert_allclose(result.mean(), result.matrix().mean(), rtol=1e-6)
    assert result.relevance(y).shape == (6,)
    with pytest.raises(ValueError, match="'similarity' function must return finite"):
        CallableMatrix(lambda A, B: A.sum(), X).matrix()


def test_neither_similarity_is_positive_semidefinite():
    # two independent bits, their exclusive or, and the pair of them (erratum E12)
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    X = np.column_stack([bits, bits[:, 0] ^ bits[:, 1], 2 * bits[:, 0] + bits[:, 1]])
    Q = InformationMatrix(X, value_edges(X)).matrix() / np.log(2)
    assert Q.round(6).tolist() == [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 2]]
    assert smallest_eigenvalue(Q) == pytest.approx(-0.303, abs=1e-3)
    wide = np.random.default_rng(0).normal(size=(20, 450))
    assert smallest_eigenvalue(CorrelationMatrix(wide).matrix()) == pytest.approx(
        np.linalg.eigvalsh(CorrelationMatrix(wide).matrix())[0], rel=1e-4
    )


@pytest.mark.parametrize(
    ("X", "arguments", "error", "words"),
    [
        ([[1.0, np.nan], [2.0, 3.0]], {}, ValueError, "X contains NaN"),
        ([[1.0, 2.0]], {}, ValueError, "1 sample"),
        ([1.0, 2.0], {}, ValueError, "Expected 2D array"),
        (csr_matrix(np.eye(3)), {"similarity": np.dot}, TypeError, "[Ss]parse"),
        (np.eye(3), {"n_bins": 4}, ValueError, "'n_bins' parameter of similarity_of must be odd"),
        (np.eye(3), {"span": 0}, ValueError, "'span' parameter of similarity_of"),
        (np.eye(3), {"similarity": "rho"}, ValueError, "'similarity' parameter of similarity_of"),
    ],
)
def test_bad_data_and_arguments_are_refused(X, arguments, error, words):
    with pytest.raises(error, match=words):
        similarity_of(X, **arguments)


def test_more_segments_than_values():
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 3), np.array([0, 1, 1, 0] * 3)
    read = similarity_of(X, n_bins=255, span=9.0)
    np.testing.assert_allclose(read.matrix(), np.log(2) * np.eye(2), atol=1e-7)
    np.testing.assert_allclose(read.relevance(y), [np.log(2), 0.0], atol=1e-7)


@pytest.mark.parametrize("similarity", ["mi", "pearson"])
@pytest.mark.parametrize("shape", [(80, 12), (15, 40)])
def test_the_unit_of_a_feature_does_not_matter(similarity, shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), np.arange(shape[0]) % 3
    plain = similarity_of(X, similarity)
    for unit in (2.0**-600, 2.0**1000, 2.0 ** rng.integers(-900, 900, size=shape[1])):
        result = similarity_of(X * unit, similarity)
        assert np.array_equal(result.matrix(), plain.matrix())
        np.testing.assert_allclose(result.relevance(y), plain.relevance(y), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("similarity", ["mi", "pearson", lambda A, B: A.T @ B])
@pytest.mark.parametrize("y", [["a"] * 9, np.arange(8), np.arange(9) - 1, np.arange(9) / 2])
def test_classes_that_are_not_codes_are_refused(similarity, y):
    X = np.random.default_rng(0).normal(size=(9, 3))
    with pytest.raises(ValueError, match="'y' must hold the classes of the 9 samples, coded 0"):
        similarity_of(X, similarity).relevance(y)


def test_bytes_do_not_overflow_in_a_function():
    X = np.array([[200, 3], [100, 4]], dtype=np.uint8)
    result = similarity_of(X, lambda A, B: A.T @ B).matrix()
    np.testing.assert_array_equal(result, X.astype(float).T @ X)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_jobs": 0}, ValueError, "'n_jobs' parameter of InformationMatrix must be None or an"),
        ({"n_jobs": 1.5}, TypeError, "'n_jobs' parameter of InformationMatrix"),
        ({"X": [[0.0, np.nan], [1.0, 0.0]]}, ValueError, "X of InformationMatrix|X contains NaN"),
        ({"X": [0.0, 1.0]}, ValueError, "Expected 2D array"),
        ({"edges": [[0.5]]}, ValueError, "'edges' parameter of InformationMatrix must be an array"),
        ({"edges": [[0.5, np.nan]]}, ValueError, "with 2 columns, as many as X"),
        ({"edges": "segments"}, ValueError, "'edges' parameter of InformationMatrix"),
    ],
)
def test_an_information_matrix_refuses_what_does_not_fit(change, error, message):
    arguments = {"X": [[0.0, 1.0], [1.0, 0.0]], "edges": [[0.5, 0.5]], **change}
    with pytest.raises(error, match=message):
        InformationMatrix(**arguments)
