"""A fitted tree classifier as an ONNX graph of standard operators."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hlsvm._files import write_whole
from hlsvm._params import check_path
from hlsvm.trees._forest import Forest
from hlsvm.trees._intake import Intake
from hlsvm.trees._intake_onnx import encode, note
from hlsvm.trees._pipeline import forest_of

__all__ = ["export_onnx"]

_OPSETS = (("", 17), ("ai.onnx.ml", 3))
_IR = 8
_INT = np.dtype(np.int64)


def _onnx():
    try:
        import onnx
    except ImportError as error:
        raise ImportError("export_onnx needs onnx: pip install 'hlsvm[export]'.") from error
    return onnx


class _Graph:
    """Nodes and constants of a graph while it is written."""

    def __init__(self):
        self.helper = _onnx().helper
        self.numpy = _onnx().numpy_helper
        self.nodes = []
        self.constants = []
        self.rows = "X"  # as the trees take them

    def type_of(self, dtype) -> int:
        """Return the number of a type of NumPy in ONNX."""
        return self.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def constant(self, name: str, value) -> str:
        self.constants.append(self.numpy.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, inputs, output: str, **attributes) -> str:
        self.nodes.append(self.helper.make_node(kind, inputs, [output], **attributes))
        return output


def _decisions(graph: _Graph, forest: Forest) -> str:
    """Decision values of all hyperplanes, shape (n, n_planes)."""
    planes = forest.joined("plane")
    offsets = np.zeros(planes.max(initial=0) + 1, forest.dtype)
    offsets[planes[planes >= 0]] = forest.joined("offsets")[planes >= 0]
    weights = graph.constant("weights", forest.joined("weights").T)
    products = graph.add("MatMul", [graph.rows, weights], "products")
    return graph.add("Add", [products, graph.constant("offsets", offsets)], "decisions")


def _ensemble(forest: Forest) -> dict:
    """Attributes of the tree ensemble that writes the leaf of tree k into target k.

    A hyperplane is the feature n_features + its number (its decision value), compared with zero.
    """
    inner = forest.joined("left") >= 0
    plane, feature = forest.joined("plane"), forest.joined("feature")
    column = np.where(plane >= 0, forest.n_features + plane, np.maximum(feature, 0))
    threshold = np.where(plane >= 0, 0, -forest.joined("offsets")).astype(forest.dtype)
    owner = np.repeat(np.arange(len(forest.trees)), [tree.n_nodes for tree in forest.trees])
    local = np.arange(len(owner)) - forest.roots[owner]
    first = forest.roots[owner]
    leaves = np.flatnonzero(~inner)
    values = np.where(inner, threshold, 0)
    if forest.dtype == np.float32:
        values = {"nodes_values": values.tolist(), "target_weights": leaves.astype(float).tolist()}
    else:
        tensor = _onnx().numpy_helper.from_array
        values = {
            "nodes_values_as_tensor": tensor(values, "thresholds"),
            "target_weights_as_tensor": tensor(leaves.astype(np.float64), "leaves"),
        }
    return {
        "n_targets": len(forest.trees),
        "nodes_treeids": owner.tolist(),
        "nodes_nodeids": local.tolist(),
        "nodes_featureids": np.where(inner, column, 0).tolist(),
        "nodes_modes": ["BRANCH_GT" if split else "LEAF" for split in inner],
        "nodes_truenodeids": np.where(inner, forest.joined("right") - first, 0).tolist(),
        "nodes_falsenodeids": np.where(inner, forest.joined("left") - first, 0).tolist(),
        "target_treeids": owner[leaves].tolist(),
        "target_nodeids": local[leaves].tolist(),
        "target_ids": owner[leaves].tolist(),
        **values,
    }


def _leaves(graph: _Graph, forest: Forest) -> str:
    """Leaf of every row and tree, numbered among all nodes, int64, shape (n, n_trees)."""
    features = graph.rows
    if len(forest.joined("weights")):
        features = graph.add("Concat", [graph.rows, _decisions(graph, forest)], "features", axis=1)
    paths = {"domain": "ai.onnx.ml"} | _ensemble(forest)
    graph.add("TreeEnsembleRegressor", [features], "found", **paths)
    return graph.add("Cast", ["found"], "leaves", to=graph.type_of(_INT))


def _margins(graph: _Graph, forest: Forest) -> str:
    """Least absolute decision value on the way to every leaf, at most 1, shape (n, n_trees)."""
    nodes = [name for name in ("plane", "feature") if (forest.joined(name) >= 0).any()]
    values, width = [], 0
    column = np.full(len(forest.joined("plane")), -1)
    if "plane" in nodes:
        held = forest.joined("plane") >= 0
        values.append("decisions")
        column[held] = forest.joined("plane")[held]
        width = len(forest.joined("weights"))
    if "feature" in nodes:
        held = np.flatnonzero(forest.joined("feature") >= 0)
        picked = graph.constant("compared", forest.joined("feature")[held].astype(np.int64))
        picked = graph.add("Gather", [graph.rows, picked], "picked", axis=1)
        shift = graph.constant("shift", forest.joined("offsets")[held])
        values.append(graph.add("Add", [picked, shift], "comparisons"))
        column[held] = width + np.arange(len(held))
        width += len(held)
    one = graph.constant("one", np.ones((), forest.dtype))
    if not nodes:
        far = np.ones((len(column), 1), forest.dtype)
        far = graph.add("Gather", [graph.constant("far", far), "leaves"], "far_found", axis=0)
        return graph.add("Squeeze", [far, graph.constant("last", np.array([2]))], "margins")
    graph.add("Concat", values, "met", axis=1)
    graph.add(
        "Unsqueeze",
        [graph.add("Abs", ["met"], "size"), graph.constant("axis", np.array([1]))],
        "near",
    )
    graph.constant("path", _paths(forest, column, width))
    graph.add("Gather", ["path", "leaves"], "on_path", axis=0)
    graph.add("Where", ["on_path", "near", one], "nearness")
    graph.add("ReduceMin", ["nearness"], "least", axes=[2], keepdims=0)
    return graph.add("Min", ["least", one], "margins")


def _paths(forest: Forest, column, width) -> np.ndarray:
    """Which decision values stand on the way to each node, bool, shape (n_nodes, width)."""
    above = np.zeros((len(column), max(width, 1)), bool)
    left, right = forest.joined("left"), forest.joined("right")
    for node in range(len(column)):
        for child in (left[node], right[node]):
            if child >= 0:
                above[child] = above[node]
                above[child, column[node]] = True
    return above


def _scores(graph: _Graph, forest: Forest) -> str:
    """Score of every class, float64, shape (n, n_classes)."""
    double = graph.type_of(np.float64)
    if forest.kind == "mean":
        table = forest.joined("shares")
    else:
        owner = np.repeat(np.arange(len(forest.trees)), [tree.n_nodes for tree in forest.trees])
        n_classes = len(forest.classes)
        ours = forest.pairs[owner, forest.joined("winner")]
        theirs = forest.pairs[owner, 1 - forest.joined("winner")]
        eye = np.eye(n_classes)
        table = eye[ours] * (1.0 + 0.5 / n_classes) + eye[theirs] * (0.5 / n_classes)
        lean = (eye[ours] - eye[theirs]) * (0.5 / n_classes)
    graph.add("Gather", [graph.constant("votes", table), "leaves"], "cast", axis=0)
    if forest.kind == "pairs":
        trust = graph.add("Cast", [_margins(graph, forest)], "trust", to=double)
        graph.add("Unsqueeze", [trust, graph.constant("deep", np.array([2]))], "trusted")
        graph.add("Gather", [graph.constant("lean", lean), "leaves"], "leaning", axis=0)
        graph.add("Mul", ["leaning", "trusted"], "leaned")
        graph.add("Add", ["cast", "leaned"], "weighed")
    votes = "weighed" if forest.kind == "pairs" else "cast"
    return graph.add(
        "ReduceSum", [votes, graph.constant("trees", np.array([1]))], "scores", keepdims=0
    )


def _probabilities(graph: _Graph, forest: Forest) -> str:
    """Probability of every class, float64, shape (n, n_classes); after `_winner`."""
    if forest.kind == "one":
        table = graph.constant("shares", forest.joined("shares"))
        return graph.add("Gather", [table, "leaf"], "probabilities", axis=0)
    if forest.kind == "mean":
        n_trees = graph.constant("n_trees", np.array(float(len(forest.trees))))
        return graph.add("Div", ["scores", n_trees], "probabilities")
    owner = np.repeat(np.arange(len(forest.trees)), [tree.n_nodes for tree in forest.trees])
    each, pairs, n_classes = np.arange(len(owner)), forest.pairs[owner], len(forest.classes)
    table = np.zeros((len(owner), n_classes))
    table[each, pairs[each, forest.joined("winner")]] = 1.0
    table[each[:, None], pairs] += forest.joined("shares") / n_classes
    graph.add("Gather", [graph.constant("ballots", table), "leaves"], "ballot", axis=0)
    graph.add("ReduceSum", ["ballot", "trees"], "counted", keepdims=0)
    # Where trust decided, the winner takes the largest share, and a millionth more.
    graph.constant("numbers", np.arange(n_classes))
    graph.constant("nothing", np.array(0.0))
    graph.add("ArgMax", ["counted"], "most", axis=1, keepdims=0)
    for which in ("code", "most"):
        graph.add("Unsqueeze", [which, "trees"], f"{which}_wide")
        graph.add("Equal", [f"{which}_wide", "numbers"], f"{which}_here")
        graph.add("Where", [f"{which}_here", "counted", "nothing"], f"{which}_only")
        graph.add("ReduceSum", [f"{which}_only", "trees"], f"{which}_share", keepdims=1)
    more = graph.constant("millionth", np.array(1e-6))
    graph.add("Add", ["most_share", more], "top")
    graph.add("Where", ["most_here", "code_share", "counted"], "swapped")
    graph.add("Where", ["code_here", "top", "swapped"], "settled")
    graph.add("ReduceSum", ["settled", "trees"], "all", keepdims=1)
    return graph.add("Div", ["settled", "all"], "probabilities")


def _winner(graph: _Graph, forest: Forest) -> str:
    """Class number of every row, shape (n,)."""
    if forest.kind != "one":
        return graph.add("ArgMax", [_scores(graph, forest)], "code", axis=1, keepdims=0)
    graph.add("Squeeze", ["leaves", graph.constant("column", np.array([1]))], "leaf")
    winner = graph.constant("winner", forest.joined("winner").astype(np.int64))
    return graph.add("Gather", [winner, "leaf"], "code", axis=0)


def export_onnx(model, path=None):
    """Write a fitted classifier as an ONNX graph.

    Its input "X" takes rows in the precision of the training data, shape (n, n_features), its
    outputs are "label", what `predict` returns (numbers or text), and "probabilities", what
    `predict_proba` returns, float64 of shape (n, n_classes). All hyperplanes are evaluated in one
    matrix product, the paths are a tree ensemble over features and decision values. Only a row that
    lies nearer to a hyperplane than the rounding of its dot product may be labelled otherwise.

    Gaps are NaN in "X". Categories are passed as codes, which ``doc_string`` of the model lists; a
    number that is no code counts as a gap.

    Parameters
    ----------
    model : HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier, SavedTrees, ...
        Fitted; or a Pipeline of scalers that ends in one.
    path : path-like, optional
        Where to write the graph, which appears whole or not at all.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ImportError
        The package onnx is not installed (``pip install 'hlsvm[export]'``).

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.trees import export_onnx
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = HLSVMClassifier(1e-3).fit(X, X[:, 0] * X[:, 1] > 0)
    >>> [put.name for put in export_onnx(model).graph.output]
    ['label', 'probabilities']
    """
    if path is not None:
        check_path("export_onnx", path)
    onnx = _onnx()
    forest = forest_of(model)
    graph, intake = _Graph(), Intake.of(model)
    if intake is not None:
        encode(graph, intake, forest.dtype)
    _leaves(graph, forest)
    code = _winner(graph, forest)
    _probabilities(graph, forest)
    classes = forest.classes
    if classes.dtype.kind not in "biuf":
        classes = classes.astype(str).astype(object)
    elif classes.dtype.kind in "iu" and classes.dtype != np.uint64:
        classes = classes.astype(np.int64)
    graph.add("Gather", [graph.constant("classes", classes), code], "label", axis=0)
    info = onnx.helper.make_tensor_value_info
    out = graph.constants[-1].data_type
    n_given = forest.n_features if intake is None else intake.n_features
    whole = onnx.helper.make_graph(
        graph.nodes,
        "hlsvm",
        [info("X", graph.type_of(forest.dtype), [None, n_given])],
        [
            info("label", out, [None]),
            info("probabilities", graph.type_of(np.float64), [None, len(classes)]),
        ],
        graph.constants,
    )
    sets = [onnx.helper.make_opsetid(*entry) for entry in _OPSETS]
    made = onnx.helper.make_model(whole, opset_imports=sets, ir_version=_IR, producer_name="hlsvm")
    if intake is not None:
        made.doc_string = note(intake)
    onnx.checker.check_model(made)
    if path is not None:
        write_whole(Path(path), made.SerializeToString())
    return made
