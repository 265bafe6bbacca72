"""The values of C and gamma that a search goes through."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hlsvm._params import check_option, check_scale

#: The grid of DTSVM section 3.1: 7 x 9 = 63 pairs.
COSTS = tuple(10.0**a for a in range(-1, 6))
GAMMAS = tuple(10.0**b for b in range(-4, 5))


def grid_values(owner, name, given, grid):
    """Return the values of C or gamma to try, ascending."""
    if isinstance(given, str):
        check_option(owner, name, given, ("grid",))
        return np.array(grid)
    many = isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim > 0)
    values = list(given) if many else [given]
    if not values:
        raise ValueError(f"The {name!r} parameter of {type(owner).__name__} must not be empty.")
    for value in values:
        check_scale(owner, name, value, options=("grid",))
    return np.unique(np.array(values, dtype=np.float64))
