"""The SVM that a metric tree or a reduced set stands on: fitted here, or taken as it is."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data


def fit_wrapped(owner, X, y):
    """Return the rows as validated, and the fitted SVM of `owner.estimator`.

    Parameters
    ----------
    owner : estimator with the parameter ``estimator``
        None: an `SVC`. A frozen one is taken as it is, and `y` is not looked at.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None

    Returns
    -------
    X : ndarray of float64
    svm : fitted classifier

    Raises
    ------
    ValueError, TypeError
        X or y hold NaN or infinity, y holds one class, or ``estimator`` is no classifier.
    """
    estimator = SVC() if owner.estimator is None else owner.estimator
    if isinstance(estimator, FrozenEstimator):
        return validate_data(owner, X, dtype=np.float64, order="C"), estimator.estimator
    X, y = validate_data(owner, X, y, dtype=np.float64, order="C")
    check_classification_targets(y)
    name = type(owner).__name__
    if not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise TypeError(
            f"The 'estimator' parameter of {name} must be an SVM for classification. "
            f"Got {estimator!r} instead."
        )
    if len(np.unique(y)) < 2:
        raise ValueError(
            f"{name} needs rows of at least two classes. Got one class, {np.unique(y)[0]!r}."
        )
    return X, clone(estimator).fit(X, y)
