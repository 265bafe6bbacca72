"""The SVM that a metric tree or a reduced set approximates: fitted here, or taken as it is."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC

from hlsvm._data import check_classes, check_data
from hlsvm._params import owner_name, refusal


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
        return check_data(owner, X, dtype=np.float64, order="C"), estimator.estimator
    X, y = check_data(owner, X, y, dtype=np.float64, order="C")
    if not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise TypeError(refusal(owner, "estimator", "an SVM for classification", estimator))
    check_classes(owner, y)
    try:
        return X, clone(estimator).fit(X, y)
    except (ValueError, FloatingPointError) as error:
        name = owner_name(owner)
        raise ValueError(f"The estimator of {name} could not be fitted on X: {error}") from error
