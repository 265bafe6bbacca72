import numpy as np

from hlsvm.select._bitplanes import joint_counts, level_terms, pack


def test_packing_sets_one_bit_a_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(45, 6))
    edges = np.array([[-0.5, 0.0, np.inf], [0.5, 1.0, np.inf]])
    words = np.zeros((4, 8), dtype=np.uint32)
    pack(X, 2, edges, words)
    bits = np.unpackbits(words.T.copy().view(np.uint8), axis=1, bitorder="little")[:6, :45]
    expected = np.concatenate([(X[:, 2:5] > row).T for row in edges])
    assert np.array_equal(bits, expected)
    assert not words[:, 6:].any()


def test_counts_are_those_of_the_pairs():
    rng = np.random.default_rng(1)
    A = rng.integers(0, 2**32, size=(132, 8), dtype=np.uint32)  # more than two slices of words
    B = rng.integers(0, 2**32, size=(132, 12), dtype=np.uint32)
    expected = [[np.bitwise_count(a & b).sum() for b in B.T] for a in A.T]
    assert np.array_equal(joint_counts(A, B), expected)


def test_terms_are_the_sums_over_levels():
    codes = np.array([[0, 2], [1, 0], [1, 2], [2, 1], [0, 2]], dtype=np.uint8)
    words = np.zeros((4, 4), dtype=np.uint32)
    pack(codes, 0, np.array([[0.0, 0.0], [1.0, 1.0]]), words)
    table = np.array([0, 10, 200, 3000, 40_000, 500_000])
    above, terms = level_terms(words, 2, 2, 5, table)
    assert above.tolist() == [[5, 5], [3, 4], [1, 3], [0, 0]]
    assert terms.tolist() == [200 + 200 + 10, 10 + 10 + 3000]
