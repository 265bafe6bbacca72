"""A fitted tree classifier as a file of plain arrays, and back."""

from __future__ import annotations

import os
import uuid
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from hlsvm.trees._flat import KINDS, Flat
from hlsvm.trees.tree import HyperplaneTree

__all__ = ["SavedTrees", "load_arrays", "save_arrays"]

_FORMAT = 1
_NODES = ("offsets", "plane", "feature", "left", "right")


class SavedTrees:
    """A classifier read from a file: it decides as the one saved, and cannot be fitted.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    trees_ : list of HyperplaneTree
    n_features_in_ : int

    See Also
    --------
    load_arrays : What makes it, with an example.
    """

    def __init__(self, flat: Flat):
        self.classes_ = flat.classes
        self.trees_ = flat.trees
        self.n_features_in_ = flat.n_features
        self._model = flat.model()
        self.predict_one = self._model.bind(flat.classes)

    def __sklearn_is_fitted__(self):
        return True

    def _read(self, X) -> NDArray:
        X = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X")
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} columns. Got {X.shape[1]}.")
        return X

    def predict(self, X: ArrayLike) -> NDArray:
        """Class of every row of X, shape (n_samples, n_features)."""
        return self.classes_[self._model.predict(self._read(X))]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Estimated share of every class for every row, as the classifier saved gives it."""
        return self._model.shares(self._read(X))

    def n_hyperplanes(self, X: ArrayLike) -> NDArray[np.int64]:
        """Hyperplanes evaluated to classify every row."""
        return self._model.n_hyperplanes(self._read(X))

    def n_operations(self, X: ArrayLike) -> NDArray[np.int64]:
        """Multiply-adds spent to classify every row."""
        return self._model.n_operations(self._read(X))


def save_arrays(model, path) -> Path:
    """Write a fitted classifier as an ``.npz`` of numbers and labels, nothing that is executed.

    Parameters
    ----------
    model : HLSVMClassifier, SVMTreesClassifier or SavedTrees
        Fitted.
    path : path-like
        Appears whole or not at all.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    TypeError
        Another model, or labels that are Python objects.

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.trees import load_arrays, save_arrays
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = HLSVMClassifier(1e-3).fit(X, X[:, 0] * X[:, 1] > 0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = load_arrays(save_arrays(model, os.path.join(folder, "model.npz")))
    >>> bool((saved.predict(X) == model.predict(X)).all())
    True
    """
    flat = Flat.of(model)
    if flat.classes.dtype.hasobject:
        flat.classes = flat.classes.astype(str)
    arrays = {name: flat.joined(name) for name in (*_NODES, "weights", "counts")}
    arrays |= {
        "format": np.array(_FORMAT),
        "kind": np.array(flat.kind),
        "classes": flat.classes,
        "n_nodes": np.array([tree.n_nodes for tree in flat.trees]),
        "shrinkage": np.array([tree.shrinkage for tree in flat.trees]),
    }
    path = Path(path)
    spare = path.with_name(f".{uuid.uuid4().hex}.npz")
    try:
        with spare.open("xb") as file:
            np.savez_compressed(file, **arrays)
        os.replace(spare, path)
    except BaseException:
        spare.unlink(missing_ok=True)
        raise
    return path


def load_arrays(path) -> SavedTrees:
    """Read what `save_arrays` wrote; nothing in the file is executed.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    SavedTrees
        Decides as the classifier saved, bit for bit.

    Raises
    ------
    ValueError
        The file is not such a file; the message says what is wrong.
    """
    try:
        with Path(path).open("rb") as stream:
            if not zipfile.is_zipfile(stream):
                raise ValueError("it is no whole .npz archive.")
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not a file of save_arrays: {error}") from error
    version, kind = arrays.get("format"), str(arrays.get("kind"))
    if not np.array_equal(version, _FORMAT) or np.shape(version) != () or kind not in KINDS:
        raise ValueError(f"{path} is not a file of save_arrays (format {_FORMAT}).")
    try:
        flat = Flat(kind, arrays["classes"], _split(arrays))
        _check(flat)
        return SavedTrees(flat)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{path} does not hold whole trees: {error}") from error


def _check(flat: Flat) -> None:
    """Refuse trees that do not fit together: compiled code trusts their numbers.

    Raises
    ------
    ValueError
    """
    n_classes = len(flat.classes)
    if flat.classes.ndim != 1 or n_classes < 2:
        raise ValueError("'classes' must be two labels or more.")
    pairs = n_classes * (n_classes - 1) // 2
    most = {"one": 1, "mean": len(flat.trees), "pairs": pairs}[flat.kind]
    if len(flat.trees) != most:
        raise ValueError(f"kind {flat.kind!r} must have {most} tree(s). Got {len(flat.trees)}.")
    width = 2 if flat.kind == "pairs" else n_classes
    for tree in flat.trees:
        if tree.counts.shape[1] != width:
            raise ValueError(f"'counts' must have {width} columns. Got {tree.counts.shape[1]}.")
        for name in ("weights", "offsets", "counts", "shrinkage"):
            if not np.isfinite(getattr(tree, name)).all():
                raise ValueError(f"{name!r} must be finite.")
        if (tree.counts < 0).any() or tree.shrinkage < 0:
            raise ValueError("'counts' and 'shrinkage' must be >= 0.")


def _split(arrays) -> list[HyperplaneTree]:
    """Part the arrays of all trees into trees, each checked."""
    trees = []
    ends = np.cumsum(arrays["n_nodes"])
    if len(ends) == 0 or ends[-1] != len(arrays["plane"]):
        raise ValueError("'n_nodes' does not sum to the number of nodes.")
    for number, end in enumerate(ends):
        start = end - arrays["n_nodes"][number]
        mine = {name: arrays[name][start:end].copy() for name in (*_NODES, "counts")}
        held = mine["plane"] >= 0
        weights = arrays["weights"][mine["plane"][held]]
        mine["plane"][held] = np.arange(len(weights))
        for side in ("left", "right"):
            mine[side][mine[side] >= 0] -= start
        strength = float(arrays["shrinkage"][number])
        trees.append(HyperplaneTree.from_arrays(weights, shrinkage=strength, **mine))
    return trees
