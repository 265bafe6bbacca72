"""Decisions on more rows than memory holds: an estimator applied to a Dask array by blocks."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from hlsvm._params import check_number, refusal

_METHODS = ("predict", "decision_function", "predict_proba", "transform", "n_hyperplanes")


def predict_blocks(model: Any, X: Any, *, method: str = "predict", rows: int = 100_000) -> Any:
    """Apply a fitted estimator to a Dask array, a block of rows at a time; nothing is computed yet.

    Parameters
    ----------
    model : estimator
        Fitted. It is sent once to every worker.
    X : dask.array.Array of shape (n_samples, n_features)
        Any chunks. A row's features are brought together, and rows into blocks of about `rows`.
    method : str, default="predict"
        Method of the estimator that takes rows, such as "predict", "decision_function" or
        "n_hyperplanes".
    rows : int, default=100_000
        Rows of a block, where the rows of `X` are not chunked already.

    Returns
    -------
    dask.array.Array
        One answer per row, in the chunks of `X`'s rows: the same as from the whole array in memory.

    Raises
    ------
    TypeError
        `X` is no Dask array, or the estimator has no such method.
    ValueError
        `X` has not two dimensions, or `rows` is below one.

    Examples
    --------
    >>> import dask.array as da
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.datasets.synthetic import banana
    >>> X, y = banana(400)
    >>> model = HLSVMClassifier(random_state=0).fit(X, y)
    >>> labels = predict_blocks(model, da.from_array(X, chunks=(150, 1)))
    >>> bool((labels.compute() == model.predict(X)).all())
    True
    """
    if not hasattr(X, "map_blocks") or not hasattr(X, "chunks"):
        raise TypeError(
            "The 'X' parameter of predict_blocks must be a Dask array; an array in memory goes to "
            f"the method itself. Got {type(X).__name__} instead."
        )
    if X.ndim != 2:
        raise ValueError(
            "The 'X' parameter of predict_blocks must have shape (n_samples, n_features). "
            f"Got {X.ndim} dimensions instead."
        )
    check_number("predict_blocks", "rows", rows, kind=Integral, low=1)
    if not isinstance(method, str) or not callable(getattr(model, method, None)):
        had = [name for name in _METHODS if hasattr(model, name)]
        raise TypeError(refusal("predict_blocks", "method", f"one of {had}", method))
    whole = X if X.numblocks[0] > 1 or len(X) <= rows else X.rechunk({0: rows})
    if whole.numblocks[1] > 1:
        whole = whole.rechunk({1: -1})
    sample = getattr(model, method)(np.zeros((1, X.shape[1]), dtype=X.dtype))
    more = {"drop_axis": 1} if sample.ndim == 1 else {"chunks": (whole.chunks[0], sample.shape[1:])}
    apply = _Apply(model, method)
    return whole.map_blocks(apply, dtype=sample.dtype, meta=sample[:0], **more)


class _Apply:
    """An estimator's method as a function of a block; it travels to the workers as one object."""

    def __init__(self, model: Any, method: str):
        self.model = model
        self.method = method

    def __call__(self, block: np.ndarray) -> np.ndarray:
        return getattr(self.model, self.method)(np.ascontiguousarray(block))

    def __dask_tokenize__(self):
        import joblib

        return type(self).__name__, self.method, joblib.hash(self.model)
