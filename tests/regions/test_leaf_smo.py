"""The SMO of the leaves is the one of `hlsvm.subclass`, for a kernel less one."""

import numpy as np
import pytest

from hlsvm.regions._leaf_smo import _smo
from hlsvm.subclass._smo import solve_block


@pytest.mark.parametrize("cost", [0.3, 50.0])
def test_both_loops_take_the_same_steps(cost):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    gram = np.expm1(-((X[:, None] - X) ** 2).sum(axis=2))
    np.fill_diagonal(gram, 0.0)
    result = []
    for solve in (_smo, solve_block):
        beta, slope = np.zeros(60), -y
        said = solve(
            gram, slope, beta, np.minimum(cost * y, 0), np.maximum(cost * y, 0), 1e-3, 5000
        )
        result.append((beta, slope, np.ravel(said)[0]))
    (beta, slope, steps), (other_beta, other_slope, other_steps) = result
    assert 0 < steps == other_steps < 5000
    np.testing.assert_array_equal(beta, other_beta)
    np.testing.assert_array_equal(slope, other_slope)
