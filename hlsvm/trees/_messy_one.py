"""A decision about one row with gaps or categories, as fast as about one without."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numba import float32, float64, int64, njit, types, void

_NUMBERS = (float, int, np.floating, np.integer)


def _fill(row, filling, telling):
    """Fill gaps in place; companions stand behind the features."""
    n = len(filling)
    for k in range(len(telling)):
        row[n + k] = 1.0 if np.isnan(row[telling[k]]) else 0.0
    for j in range(n):
        if np.isnan(row[j]):
            row[j] = filling[j]


@cache
def _compiled(dtype: str):
    number = float32 if dtype == "float32" else float64
    row = types.Array(number, 1, "C")
    learned = types.Array(number, 1, "C", readonly=True)
    places = types.Array(int64, 1, "C", readonly=True)
    return njit([void(row, learned, places)], cache=True, nogil=True)(_fill)


def messy_one(one: Callable, slow: Callable, intake, dtype) -> Callable:
    """Return a function from one row as given to its label.

    Parameters
    ----------
    one : callable
        From a row as the trees take it to its label.
    slow : callable
        From any row to its label, or the error it deserves: asked about what is not plain.
    intake : Intake
    dtype : dtype
        Of the trees.

    Returns
    -------
    callable
    """
    dtype = np.dtype(np.dtype(dtype).name)
    encoder, n = intake.encoder, intake.n_features
    fill, telling = _compiled(dtype.name), encoder.telling
    filling, width = encoder.filling.astype(dtype), n + len(encoder.telling)
    ranked = [
        (column, {value: encoder.ranks[column][code] for value, code in table.items()})
        for column, table in intake.categories.items()
    ]
    nan, empty = np.nan, np.empty

    def predict_one(x):
        z = empty(width, dtype)
        plain = x.__class__ is np.ndarray
        if plain and x.dtype is dtype and not ranked and x.shape == (n,):
            z[:n] = x
        else:
            values = x.tolist() if plain and x.dtype.kind in "Of" and x.dtype.itemsize == 8 else x
            if values.__class__ not in (list, tuple) or len(values) != n:
                return slow(x)
            values = list(values)
            try:
                for column, table in ranked:
                    values[column] = table.get(values[column], nan)
            except TypeError:
                return slow(x)
            for value in values:
                if value.__class__ is not float and not isinstance(value, _NUMBERS):
                    return slow(x)
            try:
                z[:n] = values
            except OverflowError:
                return slow(x)
        fill(z, filling, telling)
        return one(z)

    return predict_one
