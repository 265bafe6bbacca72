"""Data and slow, plain counterparts of the kernels, for the tests of this folder."""

import numpy as np

from hlsvm.linear._base import read_only
from hlsvm.trees._grow import grow
from hlsvm.trees._samples import Samples, SplitOptions


def checkerboard(n=300, seed=0, n_classes=2):
    """Points of the square, labelled by the cell of a 2 x 2 (3 x 3 ...) board."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    cell = np.floor((X + 1) / 2 * n_classes).astype(int)
    return X, cell.sum(axis=1) % n_classes


def ring(n=400, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return X, (np.abs(np.linalg.norm(X, axis=1) - 1.2) < 0.5).astype(int)


def samples_of(X, codes, weight=None):
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    X = read_only(np.ascontiguousarray(X))
    return Samples.of(X, codes.astype(np.int32), weight, int(codes.max()) + 1)


def grown(X, codes, lam=1e-4, weight=None, rows=None, options=None, **growth):
    samples = samples_of(X, codes, weight)
    rows = np.arange(len(X)) if rows is None else rows
    return grow(samples, options or SplitOptions(lam), rows, **growth)[0]


def walk(tree, x):
    """Leaf of one row, step by step."""
    node = 0
    while tree.left[node] >= 0:
        if tree.plane[node] >= 0:
            value = tree.weights[tree.plane[node]] @ x
        else:
            value = x[tree.feature[node]]
        go_right = value + tree.offsets[node] > 0
        node = tree.right[node] if go_right else tree.left[node]
    return node


def random_tree(rng, n_features, depth, dtype=np.float64, axis_share=0.0, n_classes=2):
    """Tree of random hyperplanes (and comparisons) with random counts that add up."""
    from hlsvm.trees.tree import HyperplaneTree

    planes, offsets, plane, feature, left, right, counts = [], [], [], [], [], [], []

    def fit_tree(level):
        node = len(plane)
        for column in (plane, feature, left, right):
            column.append(-1)
        offsets.append(0.0)
        counts.append(rng.integers(1, 9, n_classes).astype(float))
        if level < depth and (level == 0 or rng.random() < 0.8):
            if rng.random() < axis_share:
                feature[node] = int(rng.integers(n_features))
            else:
                plane[node] = len(planes)
                planes.append(rng.normal(size=n_features))
            offsets[node] = rng.normal() * 0.3
            left[node] = fit_tree(level + 1)
            right[node] = fit_tree(level + 1)
            counts[node] = counts[left[node]] + counts[right[node]]
        return node

    fit_tree(0)
    weights = np.array(planes, dtype=dtype).reshape(-1, n_features)
    return HyperplaneTree.from_arrays(weights, offsets, plane, left, right, counts, feature)
