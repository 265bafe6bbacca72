"""A fitted tree as lines of text."""

from __future__ import annotations

from numbers import Integral

from numpy.typing import ArrayLike

from hlsvm._params import check_number, check_option
from hlsvm.trees._intake import Intake
from hlsvm.trees._pipeline import forest_of
from hlsvm.trees._words import category_words, class_words, decision_words, feature_words

__all__ = ["export_text"]


def export_text(
    model,
    *,
    feature_names: ArrayLike | None = None,
    class_names: ArrayLike | None = None,
    max_depth: int = 10,
    n_terms: int = 4,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """Write the tree (or each of several) as text: one line a side of every decision.

    Parameters
    ----------
    model : HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier, SavedTrees, ...
        Fitted; or a Pipeline of scalers that ends in one.
    feature_names : array-like of str, shape (n_features,), optional
        None: those of the data frame of the fit, or x0, x1, ...
    class_names : array-like of str, shape (n_classes,), optional
        In the order of ``classes_``, whose labels they replace.
    max_depth : int, default=10
        What lies deeper is one line that says how deep it goes on.
    n_terms : int, default=4
        Most features named for a hyperplane, those that sway it most first; "..." follows where
        there are more.
    decimals : int, default=2
        Significant digits of a hyperplane; the threshold of one feature has two more.
    show_weights : bool, default=False
        Whether leaves show the training weight of every class too.

    Returns
    -------
    str

    Raises
    ------
    TypeError, ValueError
        An argument is not what is accepted.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.trees import export_text
    >>> X = np.array([[0.0, 1.0], [3.0, 0.0], [0.0, 2.0], [4.0, 0.0]] * 5)
    >>> model = HLSVMClassifier(0.1, min_fraction=0).fit(X, ["no", "yes", "no", "yes"] * 5)
    >>> print(export_text(model, feature_names=["age", "debt"]))
    |--- 0.43 age - 0.15 debt <= 0.7
    |   |--- class: no (1.00)
    |--- 0.43 age - 0.15 debt >  0.7
    |   |--- class: yes (1.00)
    """
    for name, value in (("max_depth", max_depth), ("n_terms", n_terms), ("decimals", decimals)):
        check_number("export_text", name, value, kind=Integral, low=0, high=10_000)
    check_option("export_text", "show_weights", show_weights, (False, True))
    forest, intake = forest_of(model), Intake.of(model)
    features = feature_words("export_text", forest, feature_names)
    classes = class_words("export_text", forest, class_names)

    def leaf(names, tree, node):
        best = int(tree.winner[node])
        text = f"class: {names[best]} ({tree.shares[node, best]:.2f})"
        if show_weights:
            text += " weights: [" + ", ".join(f"{c:.{decimals}f}" for c in tree.counts[node]) + "]"
        return text

    lines = []
    for k, tree in enumerate(forest.trees):
        names = classes
        if forest.kind == "pairs":
            names = [classes[code] for code in forest.pairs[k]]
            lines.append(f"tree {k}: {names[0]} against {names[1]}")
        elif len(forest.trees) > 1:
            lines.append(f"tree {k}")
        deepest = _deepest(tree)
        waiting = [("line", 0)]
        while waiting:
            what, node = waiting.pop()
            indent = "|   " * int(tree.depth[node]) + "|--- "
            if what != "line":  # the right side, after all of the left
                lines.append(f"{indent}{what}")
                waiting.append(("line", int(tree.right[node])))
            elif tree.left[node] < 0:
                lines.append(indent + leaf(names, tree, node))
            elif tree.depth[node] >= max_depth:
                more = deepest[node] - int(tree.depth[node])
                lines.append(f"{indent}truncated, {more} deeper: {leaf(names, tree, node)}")
            else:
                sides = category_words(intake, tree, node, features)
                if sides is None:
                    left, number = decision_words(forest, tree, node, features, n_terms, decimals)
                    sides = [f"{left} <= {number}", f"{left} >  {number}"]
                lines.append(indent + sides[0])
                waiting += [(sides[1], node), ("line", int(tree.left[node]))]
    return "\n".join(lines)


def _deepest(tree) -> list[int]:
    """Depth of the deepest node below every node."""
    deepest = tree.depth.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        above = tree.parent[node]
        deepest[above] = max(deepest[above], deepest[node])
    return deepest
