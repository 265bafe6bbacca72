"""The mutual-information matrix against a bare popcount pass and a product of one-hot matrices."""

import numpy as np
import pandas as pd
from numba import njit

from hlsvm import datasets
from hlsvm.reproduce import race
from hlsvm.select import InformationMatrix, levels, segment_edges
from hlsvm.select._bitplanes import _ones

QUESTION = (
    "How long does the mutual-information matrix of MNIST (60,000 x 784, 3 bins) take on one "
    "core? (asked: <= 3 x a bare AND-popcount pass over the same bit planes, faster than a float32 "
    "product of the one-hot matrix, <= 1.5 s with packing)"
)


@njit(nogil=True)
def bare_pass(planes):
    """AND and count every pair of planes once; nothing else."""
    total = 0
    for i in range(planes.shape[0]):
        a = planes[i]
        for j in range(i, planes.shape[0]):
            b = planes[j]
            ones = np.uint32(0)
            for w in range(planes.shape[1]):
                ones += _ones(a[w] & b[w])
            total += ones
    return total


def one_hot_matrix(codes, n_bins):
    """Mutual information by one product of indicator matrices, in single precision."""
    n, M = codes.shape
    hot = np.concatenate([codes == b for b in range(n_bins)], axis=1).astype(np.float32)
    counts = (hot.T @ hot).reshape(n_bins, M, n_bins, M)
    g = np.zeros((M, M))
    for b in range(n_bins):
        for c in range(n_bins):
            part = counts[b, :, c]
            g += np.where(part > 0, part * np.log(np.maximum(part, 1)), 0)
    marginal = hot.sum(axis=0, dtype=np.float64).reshape(n_bins, M)
    entropy = np.where(marginal > 0, marginal * np.log(np.maximum(marginal, 1)), 0).sum(axis=0)
    return (g - entropy[:, None] - entropy + n * np.log(n)) / n


def run():
    """Race the kernel, from data and from planes, with the pass and the product."""
    data = datasets.load("mnist")
    X = data.X_train
    edges = segment_edges(X, 3, 6.0)
    packed = InformationMatrix(X, edges)
    planes = np.ascontiguousarray(
        np.concatenate([block.words[:, : 2 * len(block.features)] for block in packed._blocks], 1).T
    )
    codes = levels(X, edges).astype(np.uint8)
    table = race(
        {
            "bare AND-popcount pass": lambda: bare_pass(planes),
            "hlsvm, from the planes": packed.matrix,
            "hlsvm, from the data": lambda: InformationMatrix(X, segment_edges(X, 3, 6.0)).matrix(),
            "float32 one-hot product": lambda: one_hot_matrix(codes, 3),
        },
        repeats=3,
    )
    error = np.abs(one_hot_matrix(codes, 3) - packed.matrix()).max()
    table["note"] = ["", "", f"largest difference to the product {error:.0e}", ""]
    return pd.DataFrame(table)
