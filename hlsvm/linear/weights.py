"""Weights of samples: what the caller gives, and the nu of Thesis Eq. 5.3."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hlsvm._data import check_numbers
from hlsvm._params import owner_name, shown

__all__ = ["balanced_weights", "check_class_weight", "check_sample_weight"]


def check_sample_weight(
    owner: object, sample_weight: ArrayLike | None, n_samples: int
) -> NDArray[np.float64]:
    """Return one finite weight >= 0 per sample, float64; ones for None, a scalar repeated.

    Raises
    ------
    ValueError
        Wrong length, NaN or infinity, a negative weight, or none above zero.
    TypeError
        Something that is not made of numbers.

    Examples
    --------
    >>> check_sample_weight("SVC", None, 3)
    array([1., 1., 1.])
    """
    name = owner_name(owner)
    if sample_weight is None:
        return np.ones(n_samples)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, sample_weight)
    weight = check_numbers(owner, "sample_weight", sample_weight, ndim=1)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight of {name} must have shape ({n_samples},), one weight per row of X. "
            f"Got shape {weight.shape} instead."
        )
    if weight.min() < 0 or not 1e-300 < weight.sum() < 1e300:
        raise ValueError(
            f"sample_weight of {name} must be >= 0 and above zero somewhere, its sum in [1e-300, "
            f"1e300]. "
            f"Got weights from {weight.min():g} to {weight.max():g} instead."
        )
    return weight


def check_class_weight(owner: object, class_weight: Any, classes: NDArray) -> None:
    """Raise unless `class_weight` is "balanced", None, or positive numbers keyed by class.

    Examples
    --------
    >>> check_class_weight("SVC", {0: 1.0, 2: 3.0}, np.array([0, 1]))
    Traceback (most recent call last):
        ...
    ValueError: The 'class_weight' parameter of SVC names a class that is not in y: 2. y has 0, 1.
    """
    name = owner_name(owner)
    start = f"The 'class_weight' parameter of {name}"
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, dict):
        raise ValueError(
            f"{start} must be 'balanced', None, or a dict of positive numbers keyed by class. "
            f"Got {shown(class_weight)} instead."
        )
    known = classes.tolist()
    for key, value in class_weight.items():
        if key not in known:
            listed = ", ".join(map(repr, known))
            raise ValueError(f"{start} names a class that is not in y: {key!r}. y has {listed}.")
        if isinstance(value, bool) or not np.isscalar(value) or not 0 < value < np.inf:
            raise ValueError(
                f"{start} must give every class a finite number above zero. "
                f"Got {shown(value)} for class {key!r} instead."
            )


def balanced_weights(
    y: NDArray[np.float64], sample_weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    r"""Weights of Thesis Eq. 5.3: each class holds one half, shared among its samples.

    .. math:: \nu_i = 1 / (2 N^+) \text{ where } y_i = +1, \qquad 1 / (2 N^-) \text{ elsewhere.}

    With `sample_weight`, the samples of a class share its half in that proportion, so that a
    weight of two equals a repeated row. The weights of a node with one class sum to one half.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels +-1.
    sample_weight : ndarray of shape (n,), optional
        Positive.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> balanced_weights(np.array([1.0, -1.0, -1.0]))
    array([0.5 , 0.25, 0.25])
    """
    weight = np.ones(len(y)) if sample_weight is None else np.array(sample_weight, dtype=float)
    for positive in (True, False):
        side = (y > 0) == positive
        weight[side] *= 0.5 / max(weight[side].sum(), np.finfo(float).tiny)
    return weight
