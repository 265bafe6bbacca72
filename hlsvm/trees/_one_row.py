"""A decision about one row in about a microsecond: a compiled kernel bound to its arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numba import float32, float64, int32, int64, njit, types

from hlsvm.trees import _routing


@cache
def compiled(name: str, dtype: str):
    """Kernel of `_routing` for exactly one kind of row: anything else is a TypeError at once."""
    number = float32 if dtype == "float32" else float64

    def array(kind, ndim, read_only=False):
        return types.Array(kind, ndim, "C", readonly=read_only)

    row = array(number, 1, read_only=True)
    tree = (array(number, 2), array(number, 1), array(int32, 2))
    more = {
        "route_one": (),
        "sum_one": (array(int32, 1), array(float64, 2)),
        "vote_one": (array(int32, 2), array(int32, 1), int64),
    }
    signature = int64(row, *tree, *more[name])
    return njit([signature], cache=True, nogil=True)(getattr(_routing, name).py_func)


def read_row(owner: str, x, dtype, n_features) -> np.ndarray:
    """One row as the kernel takes it.

    Raises
    ------
    ValueError
        Not one row of `n_features` numbers, or NaN or infinity among them.
    """
    try:
        row = np.asarray(x, dtype=dtype, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{owner} takes one row of {n_features} numbers. Got {type(x).__name__} instead."
        ) from error
    if row.shape != (n_features,):
        raise ValueError(
            f"{owner} takes one row of {n_features} numbers, shape ({n_features},). "
            f"Got shape {row.shape} instead."
        )
    # A finite sum has finite terms; an infinite one may be an overflow.
    if not math.isfinite(row.sum()) and not np.isfinite(row).all():
        raise ValueError(f"{owner} takes finite numbers. Got a row with NaN or infinity.")
    return row


def bind(kernel, arrays, answers, dtype, n_features) -> Callable:
    """Close over everything a decision needs: one check of type, one compiled call, one look-up."""
    ndarray = np.ndarray

    def predict_one(x):
        if x.__class__ is ndarray and x.dtype is dtype:
            try:
                answer = kernel(x, *arrays)
            except TypeError:  # strided, or not one-dimensional
                answer = -1
            if answer >= 0:
                return answers[answer]
        answer = kernel(read_row("predict_one", x, dtype, n_features), *arrays)
        return answers[answer if answer >= 0 else ~answer]  # ~: finite numbers that overflowed

    return predict_one
