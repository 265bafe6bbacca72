"""Checks of data: rows of real numbers, labels of at least two classes."""

from __future__ import annotations

import re
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from hlsvm._params import owner_name, refusal

_NAMED = re.compile(r"\b(X|y|sparse)\b")  # errors that name what is wrong


def check_data(owner: object, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Validate X (and y) as `sklearn.utils.validation.validate_data` does, for `owner`.

    Parameters
    ----------
    owner : estimator, or str
        A function's name: then `sklearn.utils.check_array` is called.
    X, y
        Rows and labels.
    **options
        Of `validate_data`.

    Returns
    -------
    X, or X and y

    Raises
    ------
    TypeError, ValueError
        X is not made of finite real numbers, whatever went wrong below the message names X; or y
        holds text and something else, which NumPy would silently make text.
    """
    _check_one_kind(owner, y)
    check_sparse(owner, X)
    if getattr(X, "dtype", None) == np.longdouble:  # which nothing below computes in
        with np.errstate(over="ignore"):
            X = X.astype(np.float64)
    try:
        if isinstance(owner, str):
            data = check_array(X, input_name="X", **options)
        else:
            data = validate_data(owner, X, y, **options)
    except (AttributeError, NotFittedError):
        raise
    except Exception as error:
        if _NAMED.search(str(error)):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(
            f"X of {owner_name(owner)} must be an array of finite real numbers, one row per "
            f"sample. {error}"
        ) from error
    rows = data[0] if isinstance(data, tuple) else data
    if rows.dtype.kind not in "biuf":
        raise TypeError(
            f"X of {owner_name(owner)} must hold real numbers. Got dtype {rows.dtype} instead."
        )
    return data


def check_sparse(owner: object | str, X: Any) -> None:
    """Raise if the places in a sparse matrix lie outside it: compiled code would follow them."""
    form = X.format if issparse(X) else ""
    if form in ("csr", "csc", "bsr"):
        height = 1 if form != "bsr" else X.blocksize[1]
        width = (X.shape[0] if form == "csc" else X.shape[-1]) // height
        steps = np.diff(X.indptr)
        whole = X.indptr[0] == 0 and (steps >= 0).all() and X.indptr[-1] <= len(X.indices)
        used = [(X.indices[: X.indptr[-1]], width)] if whole else []
    elif form == "coo":
        whole, used = True, list(zip(X.coords, X.shape, strict=True))
    else:
        return
    inside = (len(at) == 0 or (at.min() >= 0 and at.max() < size) for at, size in used)
    if not (whole and all(inside)):
        raise ValueError(
            f"X of {owner_name(owner)} is a damaged sparse matrix: its indices lie outside it."
        )


def _check_one_kind(owner: object, y: Any) -> None:
    """Raise if the labels mix text with anything else."""
    kinds = _kinds_mixed_with_text(y)
    if kinds:
        raise TypeError(
            f"y of {owner_name(owner)} must hold labels of one kind: all numbers, or all text. "
            f"Got {kinds}."
        )


def _kinds_mixed_with_text(y: Any) -> str:
    """Names of the types in `y` if text is one of several, else nothing."""
    if isinstance(y, list | tuple):
        labels = y
    else:
        is_object = getattr(getattr(y, "dtype", None), "kind", "") == "O"
        labels = np.ravel(y).tolist() if is_object else ()
    if len({isinstance(label, str) for label in labels}) < 2:
        return ""
    return ", ".join(sorted({type(label).__name__ for label in labels}))


def check_classes(owner: object | str, y: NDArray) -> tuple[NDArray, NDArray[np.int64]]:
    """Return the classes of `y`, sorted, and the class of every row as its place among them.

    Raises
    ------
    TypeError, ValueError
        The labels are no classes (numbers with fractions), cannot be compared with each other
        (numbers and text), or are all the same.

    Examples
    --------
    >>> check_classes("SVC", np.array(["a", "a"]))
    Traceback (most recent call last):
        ...
    ValueError: y of SVC must hold at least two classes. Got one class, 'a'.
    """
    name = owner_name(owner)
    try:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"y of {name} must hold classes. {error}") from error
    if len(classes) < 2:
        raise ValueError(
            f"y of {name} must hold at least two classes. Got one class, {classes.tolist()[0]!r}."
        )
    return classes, codes


def check_numbers(
    owner: object | str, name: str, value: Any, *, ndim: int, least: int = 1
) -> NDArray[np.float64]:
    """Return `value` as a vector or matrix (`ndim` 1 or 2) of at least `least` finite numbers.

    Raises
    ------
    TypeError, ValueError
        It is no such array; the message names the argument.

    Examples
    --------
    >>> check_numbers("separate", "labels", [1, -1], ndim=1)
    array([ 1., -1.])
    """
    accepted = f"a {('vector', 'matrix')[ndim - 1]} of finite real numbers"
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            array = np.asarray([] if array.dtype.kind in "cmMSU" else array, dtype=np.float64)
        array = array.astype(np.float64, copy=False)
    except Exception as error:
        raise TypeError(refusal(owner, name, accepted, value)) from error
    if array.ndim != ndim or array.size < least or not np.isfinite(array).all():
        holding = "" if np.isfinite(array).all() else " with NaN or infinity"
        raise ValueError(
            f"The {name!r} parameter of {owner_name(owner)} must be {accepted}. "
            f"Got an array of shape {array.shape}{holding} instead."
        )
    return array


def check_square(owner: object | str, name: str, value: Any) -> NDArray[np.float64]:
    """Return `value` as a square matrix of finite real numbers, or raise as `check_numbers`."""
    matrix = check_numbers(owner, name, value, ndim=2)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"The {name!r} parameter of {owner_name(owner)} must be a square matrix. "
            f"Got an array of shape {matrix.shape} instead."
        )
    return matrix


def check_labels(owner: object | str, name: str, value: Any, n_rows: int | None = None) -> NDArray:
    """Return `value` as an array of one label per row, which are of one kind and not missing.

    Raises
    ------
    TypeError, ValueError
        It has another shape, or labels that cannot be compared; the message names the argument.

    Examples
    --------
    >>> check_labels("mcnemar", "first", ["a", "b"], 2).tolist()
    ['a', 'b']
    """
    how_many = "at least 1" if n_rows is None else f"one label per row ({n_rows})"
    accepted = f"a vector of labels of one kind, {how_many}"
    if _kinds_mixed_with_text(value):
        raise TypeError(refusal(owner, name, accepted, value))
    try:
        labels = np.asarray(value)
    except Exception as error:
        raise TypeError(refusal(owner, name, accepted, value)) from error
    if labels.ndim != 1 or len(labels) == 0 or (n_rows is not None and len(labels) != n_rows):
        raise ValueError(refusal(owner, name, accepted, value))
    if labels.dtype.kind == "O":
        one_kind = any(all(isinstance(a, kind) for a in labels) for kind in (str, Real))
    else:
        one_kind = labels.dtype.kind in "biufSU"
    if not one_kind or (labels.dtype.kind == "f" and not np.isfinite(labels).all()):
        raise TypeError(refusal(owner, name, accepted, value))
    return labels
