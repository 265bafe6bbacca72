"""How the bounds read a fitted tree: which tree, its rows, its planes as one matrix."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hlsvm._data import check_data, check_labels

__all__ = ["only_tree", "planes_of", "rows_and_codes", "rows_of"]

_HUGE = 1e75  # products of two squares stay finite below


def only_tree(model):
    """Return the one `HyperplaneTree` of a fitted classifier (or the tree itself).

    Raises
    ------
    TypeError
        It is neither a tree nor a classifier with a `tree_` of hyperplanes.
    AttributeError
        It votes with several trees.
    """
    if hasattr(model, "apply") and hasattr(model, "winner"):
        return model
    if not hasattr(type(model), "tree_") and not hasattr(model, "tree_"):
        raise TypeError(
            "model must be a HyperplaneTree or a fitted classifier with one tree_ "
            f"(HLSVMClassifier, multiclass='native'). Got {type(model).__name__}."
        )
    check_is_fitted(model)
    if not hasattr(model.tree_, "winner"):
        raise TypeError(
            "model must decide by hyperplanes alone (HLSVMClassifier, SVMTreesClassifier). "
            f"Got {type(model).__name__}, whose leaves hold machines: see theorem_10."
        )
    return model.tree_


def rows_of(owner: str, model, X) -> np.ndarray:
    """Return checked rows as float64.

    Raises
    ------
    ValueError
        X is not finite or has other columns than the tree.
    """
    tree = only_tree(model)
    X = check_data(owner, X, dtype=np.float64, order="C")
    if not np.abs(X).max() < _HUGE:
        raise ValueError(f"X of {owner} must hold numbers below {_HUGE:.0e}: scale the features.")
    if X.shape[1] != tree.n_features:
        raise ValueError(
            f"X of {owner} must have the {tree.n_features} columns of the tree. Got {X.shape[1]}."
        )
    return X


def rows_and_codes(owner: str, model, X, y, name: str = "y"):
    """Return checked rows as float64 and the class numbers of their labels.

    Labels are looked up in ``model.classes_``; for a bare tree they are the class numbers.

    Raises
    ------
    ValueError
        X is not finite or has other columns than the tree, y another length or an unseen label.
    """
    X = rows_of(owner, model, X)
    y = check_labels(owner, name, y, len(X))
    classes = getattr(model, "classes_", np.arange(only_tree(model).counts.shape[1]))
    place = {label: code for code, label in enumerate(classes.tolist())}
    codes = np.array([place.get(label, -1) for label in y.tolist()])
    unseen = codes < 0
    if unseen.any():
        raise ValueError(
            f"{name} of {owner} must hold the classes of the tree, {classes[:8].tolist()}. "
            f"Got {y[unseen][:1].tolist()[0]!r}."
        )
    return X, codes.astype(np.int64)


def planes_of(tree) -> np.ndarray:
    """Return (w, b) of every inner node in preorder, shape (n_inner, n_features + 1), float64.

    A node that compares one feature has the unit vector of that feature.
    """
    inner = np.flatnonzero(tree.is_inner)
    planes = np.zeros((len(inner), tree.n_features + 1))
    for row, node in enumerate(inner):
        if tree.plane[node] >= 0:
            planes[row, :-1] = tree.weights[tree.plane[node]]
        else:
            planes[row, tree.feature[node]] = 1.0
        planes[row, -1] = tree.offsets[node]
    return planes
