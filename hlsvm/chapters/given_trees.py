"""Oblique trees all of whose settings are given: none is chosen from the data."""

from hlsvm.trees import ObliqueForestClassifier, ObliqueTreeClassifier

_PLAIN = {
    "lam": 1e-5,
    "split": "svm",
    "shrinkage": 0.0,
    "refine": 0,
    "prune_fraction": 0.0,
    "min_fraction": None,
}


def given_tree(n_trees: int = 1, **settings) -> ObliqueTreeClassifier | ObliqueForestClassifier:
    """Return an oblique tree, or a forest of `n_trees`, with these settings; the rest as in H-LSVM.

    Left out, ``lam=1e-5`` and nothing that goes beyond H-LSVM but its bias, which is moved where
    that of the SVM gains little.
    """
    settings = _PLAIN | settings
    if n_trees > 1:
        return ObliqueForestClassifier(n_trees, **settings)
    return ObliqueTreeClassifier(**settings)
