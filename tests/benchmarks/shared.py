"""What the benchmarks of speed are run on: ijcnn1, or made data of its shape."""

from __future__ import annotations

import numpy as np

from hlsvm import datasets


def ijcnn1_or_made() -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
    """Return ijcnn1, or made data of its shape where it is not at hand.

    Returns
    -------
    name : str
        "ijcnn1" or "made, as ijcnn1".
    X_train : ndarray of shape (49990, 22)
    y_train : ndarray of shape (49990,)
    X_test : ndarray of shape (91701, 22)
    """
    try:
        data = datasets.load("ijcnn1")
        return "ijcnn1", data.X_train, data.y_train, data.X_test
    except datasets.DataUnavailable:
        rng = np.random.default_rng(0)
        X = rng.uniform(-1, 1, (141_691, 22)).astype(np.float32)
        y = np.where((X[:, :3] ** 2).sum(axis=1) < 0.45, 1, -1)
        return "made, as ijcnn1", X[:49_990], y[:49_990], X[49_990:]
