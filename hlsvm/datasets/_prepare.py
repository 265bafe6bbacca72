"""From the arrays of a file to what experiments compute with: class rule, scaling, type."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsvm._params import check_option, check_scale, refusal
from hlsvm.datasets._raw import Raw, not_finite

_NARROW = 1e-300  # a feature of so small a range counts as constant
SCALES = ("none", "minmax", "symmetric")
_BLOCK = 1 << 22  # values converted at a time


def label_texts(y: np.ndarray, class_names: tuple[str, ...]) -> tuple[np.ndarray, list[str]]:
    """Return the labels that occur and, for each, its name in the registry."""
    labels = np.unique(y)
    return labels, [class_names[int(k)] if class_names else label_text(k) for k in labels]


def label_text(label: Any) -> str:
    """Text of a label: "3" for 3, 3.0 and "3"."""
    if isinstance(label, (bool, np.bool_)):
        return str(int(label))
    if isinstance(label, (int, np.integer)) or not isinstance(label, (float, np.floating)):
        return str(label)
    return str(int(label)) if float(label).is_integer() else str(float(label))


def apply_classes(raw: Raw, positive: tuple[str, ...], groups: dict[str, list[str]]) -> str:
    """Replace the labels by -1 and +1, or by the numbers of the groups; say so in one phrase.

    Raises
    ------
    ValueError
        A class named in the rule does not occur, or nothing is left on one side.
    """
    labels, texts = label_texts(raw.y_train, raw.class_names)
    if positive:
        if unknown := [c for c in positive if c not in texts]:
            listed = ", ".join(texts[:20]) + (", ..." if len(texts) > 20 else "")
            raise ValueError(
                f"The 'binary' parameter of load must name classes among {listed}. "
                f"Got {unknown[0]!r} instead."
            )
        if len(set(positive)) == len(texts):
            raise ValueError("The 'binary' parameter of load must leave a class for the rest.")
        code = {text: 1 if text in positive else -1 for text in texts}
        raw.class_names, phrase = (), f"class {', '.join(positive)} is +1, the rest -1"
    else:
        code = {old: k for k, olds in enumerate(groups.values()) for old in olds}
        raw.class_names, phrase = tuple(groups), f"classes joined into {', '.join(groups)}"
    names = dict(zip(labels.tolist(), texts, strict=True))
    for part, _, y in list(raw.parts()):
        values, place = np.unique(y, return_inverse=True)
        new = [code.get(names.get(v, ""), -1) for v in values.tolist()]
        setattr(raw, f"y_{part}", np.array(new, dtype=np.int64)[place])
    return phrase


def _bounds(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)


def _affine(X: np.ndarray, shift: Any, factor: Any, dtype: np.dtype) -> np.ndarray:
    """(X - shift) * factor in float64, stored as `dtype`, a block of rows at a time."""
    out = np.empty(X.shape, dtype=dtype)
    step = max(1, _BLOCK // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        block = X[start : start + step].astype(np.float64)
        block -= shift
        block *= factor
        out[start : start + step] = block
    return out


def _sparse(matrices: list, how: str | float, dtype: np.dtype) -> list:
    """Only factors: a shift would fill the zeros. [0, 1] for features without negative values."""
    import scipy.sparse

    if how == "none":
        return [m.astype(dtype) for m in matrices]
    if isinstance(how, str):
        peak = np.asarray(abs(matrices[0]).max(axis=0).todense()).ravel()
        factor = np.divide(1.0, peak, out=np.zeros_like(peak, dtype=float), where=peak > _NARROW)
    else:
        factor = np.full(matrices[0].shape[1], 1 / how)
    return [(m @ scipy.sparse.diags_array(factor)).tocsr().astype(dtype) for m in matrices]


def _check_matrix(name: str, m: Any) -> None:
    kind = getattr(getattr(m, "dtype", None), "kind", "")
    dense_or_csr = isinstance(m, np.ndarray) or getattr(m, "format", "") == "csr"
    if kind not in ("b", "i", "u", "f") or m.ndim != 2 or not m.shape[0] or not dense_or_csr:
        what = f"{m.dtype} of shape {m.shape}" if kind else type(m).__name__
        raise ValueError(
            f"The {name!r} parameter of rescale must be a matrix of numbers, dense or CSR, "
            f"with rows. Got {what} instead."
        )
    if problem := not_finite(m):
        raise ValueError(f"The {name!r} parameter of rescale must be finite: {problem}.")


def rescale(how: str | float, X_train: Any, *others: Any, dtype: Any = None) -> tuple:
    """Scale matrices by the range of the first one.

    Parameters
    ----------
    how : {"none", "minmax", "symmetric"} or float
        "minmax" maps each feature of `X_train` to [0, 1], "symmetric" to [-1, 1]; a number divides
        everything. A constant feature becomes 0 (the lower end for "symmetric": -1 never occurs).
        For CSR matrices both divide by the largest absolute value of the feature.
    X_train : ndarray or CSR matrix of shape (n, d)
        Gives the range.
    *others : ndarray, CSR matrix or None
        Mapped the same way; values outside the range of `X_train` fall outside the interval.
    dtype : {"float32", "float64"}, optional
        Of the results; by default that of `X_train` where it is a float type, else float32.

    Returns
    -------
    tuple
        One new matrix per argument (None for None).

    Raises
    ------
    ValueError
        A matrix is none, has no rows, or holds NaN or infinity.

    Examples
    --------
    >>> import numpy as np
    >>> rescale("minmax", np.array([[1.0], [3.0]]), np.array([[2.0], [4.0]]))[1].ravel()
    array([0.5, 1.5])
    """
    if isinstance(how, str):
        check_option("rescale", "how", how, SCALES)
    else:
        check_scale("rescale", "how", how, options=SCALES)
    for name, m in zip(("X_train", *["others"] * len(others)), (X_train, *others), strict=True):
        if m is not None or name == "X_train":
            _check_matrix(name, m)
    try:
        dtype = dtype if dtype is None else np.dtype(dtype)
    except Exception as error:
        raise TypeError(refusal("rescale", "dtype", "a type of numbers", dtype)) from error
    if dtype is None:
        dtype = X_train.dtype if X_train.dtype.kind == "f" else np.float32
    dtype = np.dtype(dtype)
    given = [m for m in (X_train, *others) if m is not None]
    if not isinstance(X_train, np.ndarray):
        done = iter(_sparse(given, how, dtype))
    elif how == "none":
        done = iter([m.astype(dtype) for m in given])
    else:
        shift, factor = _map(how, X_train)
        done = iter([_affine(m, shift, factor, dtype) for m in given])
    return tuple(None if m is None else next(done) for m in (X_train, *others))


def _map(how: str | float, X_train: np.ndarray) -> tuple[Any, Any]:
    if not isinstance(how, str):
        return 0.0, 1.0 / how
    low, high = _bounds(X_train)
    shift = low if how == "minmax" else (low + high) / 2
    width = high - low if how == "minmax" else (high - low) / 2
    factor = np.divide(1.0, width, out=np.zeros_like(width), where=width > _NARROW)
    return np.where(width > _NARROW, shift, low), factor
