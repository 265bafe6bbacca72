"""A fitted tree classifier as a file of plain arrays, and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hlsvm._data import check_data
from hlsvm._files import write_whole
from hlsvm._npz import read_arrays
from hlsvm._params import check_path
from hlsvm.trees._answers import Answers
from hlsvm.trees._columns import Columns
from hlsvm.trees._encoding import numbered
from hlsvm.trees._forest import KINDS, Forest
from hlsvm.trees._intake import Intake
from hlsvm.trees._messy_one import messy_one
from hlsvm.trees._pipeline import forest_of
from hlsvm.trees.tree import HyperplaneTree

__all__ = ["SavedTrees", "load_arrays", "save_arrays"]

_FORMAT = 1
_LABELS = "biufUSMm"  # kinds of dtype
_NODES = ("offsets", "plane", "feature", "left", "right")


class SavedTrees(Answers):
    """A classifier read from a file: it decides as the one saved, and cannot be fitted.

    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    trees_ : list of HyperplaneTree
    n_features_in_ : int

    See Also
    --------
    load_arrays : What makes it, with an example.
    """

    def __init__(self, forest: Forest, intake: Intake | None = None):
        self.classes_ = forest.classes
        self.trees_ = forest.trees
        self.n_features_in_ = forest.n_features
        self.forest_ = forest
        self.predict_one = forest.bind()
        self._encoder, self._categories = None, {}
        if intake is not None:
            self.n_features_in_ = intake.n_features
            self._encoder, self._categories = intake.encoder, intake.categories
            if intake.names is not None:
                self.feature_names_in_ = np.array(intake.names, dtype=object)
            self.predict_one = messy_one(self.predict_one, self._slow_one, intake, forest.dtype)

    def __sklearn_is_fitted__(self):
        return True

    def _slow_one(self, x):
        return self.predict(np.array(x, dtype=object)[None])[0]

    def _read(self, X) -> NDArray:
        options = {"dtype": [np.float64, np.float32], "order": "C"}
        if self._encoder is not None:
            if self._categories and len(np.shape(X)) == 2:
                X = X if hasattr(X, "iloc") else np.array(X, dtype=object)
                if X.shape[1] == self.n_features_in_:
                    X = numbered(X, self._categories)
            options["ensure_all_finite"] = "allow-nan"
        X = check_data("SavedTrees", X, **options)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} columns. Got {X.shape[1]}.")
        return X if self._encoder is None else np.ascontiguousarray(self._encoder.encode(X))


def save_arrays(model, path) -> Path:
    """Write a fitted classifier as an ``.npz`` of numbers and labels, nothing that is executed.

    A classifier read back takes rows with gaps and categories as the one saved does.

    Parameters
    ----------
    model : HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier, SavedTrees, ...
        Fitted; or a Pipeline of scalers that ends in one.
    path : path-like
        Appears whole or not at all.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    TypeError
        Another model, or labels that are Python objects, or categories that are neither all text
        nor all numbers.

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
    check_path("save_arrays", path)
    forest = forest_of(model)
    classes = forest.classes.astype(str) if forest.classes.dtype.hasobject else forest.classes
    arrays = {name: forest.joined(name) for name in (*_NODES, "weights", "counts")}
    arrays |= {
        "format": np.array(_FORMAT),
        "kind": np.array(forest.kind),
        "classes": classes,
        "n_nodes": np.array([tree.n_nodes for tree in forest.trees]),
        "shrinkage": np.array([tree.shrinkage for tree in forest.trees]),
        "power": np.array([tree.power for tree in forest.trees]),
        "columns": forest.columns.to_array(),
    }
    if forest.columns.names is not None:
        arrays["names"] = np.array(forest.columns.names)
    intake = Intake.of(model)
    if intake is not None:
        arrays |= intake.to_arrays()
    path = Path(path)
    write_whole(path, lambda stream: np.savez_compressed(stream, **arrays))
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
    check_path("load_arrays", path)
    arrays = read_arrays(path)
    version, kind = arrays.get("format"), str(arrays.get("kind"))
    if not np.array_equal(version, _FORMAT) or np.shape(version) != () or kind not in KINDS:
        raise ValueError(f"{path} is not a file of save_arrays (format {_FORMAT}).")
    try:
        trees = _split(arrays)
        columns = None
        if "columns" in arrays:  # older files have none
            columns = Columns.from_array(
                arrays["columns"], trees[0].n_features, arrays.get("names")
            )
        forest = Forest(kind, arrays["classes"], trees, columns)
        _check(forest)
        return SavedTrees(forest, Intake.from_arrays(arrays, forest.n_features))
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        reason = f"it lacks {error}." if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{path} does not hold whole trees: {reason}") from error


def _check(forest: Forest) -> None:
    """Refuse trees that do not fit together: compiled code trusts their numbers.

    Raises
    ------
    ValueError
    """
    classes, n_classes = forest.classes, forest.classes.size
    if classes.ndim != 1 or n_classes < 2 or classes.dtype.kind not in _LABELS:
        raise ValueError("'classes' must be two labels or more, numbers or text.")
    if not (classes[1:] > classes[:-1]).all():
        raise ValueError("'classes' must be in rising order, each label once, without NaN.")
    pairs = n_classes * (n_classes - 1) // 2
    most = {"one": 1, "mean": len(forest.trees), "pairs": pairs}[forest.kind]
    if len(forest.trees) != most:
        raise ValueError(f"kind {forest.kind!r} must have {most} tree(s). Got {len(forest.trees)}.")
    width = 2 if forest.kind == "pairs" else n_classes
    for tree in forest.trees:
        if tree.counts.shape[1] != width:
            raise ValueError(f"'counts' must have {width} columns. Got {tree.counts.shape[1]}.")


def _split(arrays) -> list[HyperplaneTree]:
    """Divide the arrays of all trees into trees, each checked."""
    sizes, plane, weights = arrays["n_nodes"], arrays["plane"], arrays["weights"]
    for name in ("n_nodes", "plane", "left", "right"):
        if arrays[name].ndim != 1 or arrays[name].dtype.kind != "i":
            raise ValueError(f"{name!r} must be a list of signed integers.")
    if len(sizes) == 0 or sizes.min() < 1 or sum(sizes.tolist()) != len(plane):
        raise ValueError("'n_nodes' does not sum to the number of nodes.")
    scales = {"shrinkage": arrays["shrinkage"]}
    scales["power"] = arrays.get("power", np.ones(len(sizes)))  # older files have none
    for name, values in scales.items():
        if values.shape != sizes.shape or values.dtype.kind != "f":
            raise ValueError(f"{name!r} must have one number per tree.")
    for name in (*_NODES, "counts"):
        if len(arrays[name]) != len(plane):
            raise ValueError(f"{name!r} must have one entry per node ({len(plane)}).")
    trees = []
    for number, (size, end) in enumerate(zip(sizes, np.cumsum(sizes), strict=True)):
        start = end - size
        nodes = {name: arrays[name][start:end].copy() for name in (*_NODES, "counts")}
        held = nodes["plane"] >= 0
        rows = weights[nodes["plane"][held]]
        nodes["plane"][held] = np.arange(len(rows))
        scale = {name: float(values[number]) for name, values in scales.items()}
        for side in ("left", "right"):
            nodes[side][nodes[side] >= 0] -= start
        trees.append(HyperplaneTree.from_arrays(rows, **nodes, **scale))
    return trees
