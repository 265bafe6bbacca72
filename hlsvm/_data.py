"""Checks of data: rows of real numbers, labels of at least two classes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from hlsvm._params import owner_name

_NAMED = re.compile(r"\b(X|y|sparse|Complex)\b")  # errors that name what is wrong


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
        X is not made of finite real numbers; whatever went wrong below, the message names X.
    """
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
            f"X of {owner_name(owner)} must be an array of finite real numbers, one row a sample. "
            f"{error}"
        ) from error
    rows = data[0] if isinstance(data, tuple) else data
    if rows.dtype.kind not in "biuf":
        raise TypeError(
            f"X of {owner_name(owner)} must hold real numbers. Got dtype {rows.dtype} instead."
        )
    return data


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
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in np.ravel(y).tolist()}))
        raise TypeError(
            f"y of {name} must hold labels of one kind: all numbers, or all text. Got {kinds}."
        ) from error
    except ValueError as error:
        raise ValueError(f"y of {name} must hold classes. {error}") from error
    if len(classes) < 2:
        raise ValueError(
            f"y of {name} must hold at least two classes. Got one class, {classes.tolist()[0]!r}."
        )
    return classes, codes
