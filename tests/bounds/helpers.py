"""Trees and samples by hand."""

import numpy as np

from hlsvm.trees.tree import HyperplaneTree


def stump(w=(1.0, 0.0), b=0.0, counts=((3, 1), (3, 0), (0, 1))):
    """One hyperplane, two leaves."""
    return HyperplaneTree.from_arrays(
        weights=np.array([w]),
        offsets=[b, 0.0, 0.0],
        plane=[0, -1, -1],
        left=[1, -1, -1],
        right=[2, -1, -1],
        counts=counts,
    )


def leaf(counts=(3, 1), n_features=2):
    """A tree that is one leaf."""
    return HyperplaneTree.from_arrays(
        weights=np.empty((0, n_features)),
        offsets=[0.0],
        plane=[-1],
        left=[-1],
        right=[-1],
        counts=[counts],
    )


def three_leaves():
    """x1 <= 0 | x1 > 0 and x2 <= 0 | x1 > 0 and x2 > 0, answering 0, 1, 0."""
    return HyperplaneTree.from_arrays(
        weights=np.eye(2),
        offsets=[0.0] * 5,
        plane=[0, -1, 1, -1, -1],
        left=[1, -1, 3, -1, -1],
        right=[2, -1, 4, -1, -1],
        counts=[[5, 3], [3, 1], [2, 2], [0, 2], [2, 0]],
    )


def quarters(n, seed, noise=0.0):
    """Points of the square, class 1 in two opposite quarters, some labels flipped."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n, 2))
    y = (X.prod(axis=1) > 0).astype(int)
    return X, np.where(random.uniform(size=n) < noise, 1 - y, y)
