"""A fitted tree as a picture."""

from __future__ import annotations

from numbers import Integral

from numpy.typing import ArrayLike

from hlsvm._params import check_number, check_option, refusal
from hlsvm.trees._intake import Intake
from hlsvm.trees._pipeline import forest_of
from hlsvm.trees._words import category_words, class_words, decision_words, feature_words

__all__ = ["plot_tree"]


def _pyplot():
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plot_tree needs the package matplotlib: pip install 'hlsvm[notebooks]'."
        ) from error
    return plt


def plot_tree(
    model,
    *,
    tree: int = 0,
    max_depth: int | None = None,
    feature_names: ArrayLike | None = None,
    class_names: ArrayLike | None = None,
    n_terms: int = 3,
    decimals: int = 2,
    filled: bool = True,
    fontsize: int | None = None,
    ax=None,
) -> list:
    """Draw a tree: the left branch of a node is taken where its question is answered with yes.

    Parameters
    ----------
    model : HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier, SavedTrees, ...
        Fitted; or a Pipeline of scalers that ends in one.
    tree : int, default=0
        Which of several.
    max_depth : int, optional
        What lies deeper is left out; None draws everything.
    feature_names, class_names, n_terms, decimals
        See `export_text`.
    filled : bool, default=True
        Whether the colour of a node tells its class, and how strong it is its share.
    fontsize : int, optional
        None: as large as the boxes of the widest level allow, at most 10.
    ax : matplotlib.axes.Axes, optional
        None: the current one.

    Returns
    -------
    list of matplotlib.text.Annotation
        Boxes of the nodes, in preorder.

    Raises
    ------
    ImportError
        matplotlib is not installed (``pip install 'hlsvm[notebooks]'``).

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.trees import plot_tree
    >>> X = np.array([[0.0, 1.0], [3.0, 0.0], [0.0, 2.0], [4.0, 0.0]] * 5)
    >>> model = HLSVMClassifier(0.1, min_fraction=0).fit(X, ["no", "yes", "no", "yes"] * 5)
    >>> boxes = plot_tree(model)
    >>> len(boxes)
    3
    """
    forest, intake = forest_of(model), Intake.of(model)
    limits = (("tree", tree, len(forest.trees) - 1), ("n_terms", n_terms, 10_000))
    for name, value, high in (*limits, ("decimals", decimals, 100)):
        check_number("plot_tree", name, value, kind=Integral, low=0, high=high)
    check_number("plot_tree", "max_depth", max_depth, kind=Integral, low=0, options=(None,))
    check_option("plot_tree", "filled", filled, (False, True))
    check_number("plot_tree", "fontsize", fontsize, low=0, closed="right", options=(None,))
    features = feature_words("plot_tree", forest, feature_names)
    classes = class_words("plot_tree", forest, class_names)
    codes = forest.pairs[tree] if forest.kind == "pairs" else range(len(classes))
    chosen = forest.trees[tree]
    shown = [t for t in range(chosen.n_nodes) if max_depth is None or chosen.depth[t] <= max_depth]
    split = {t for t in shown if chosen.left[t] >= 0 and chosen.left[t] in set(shown)}

    texts, fills = {}, {}
    total = chosen.counts[0].sum()
    for node in shown:
        best = int(chosen.winner[node])
        share = float(chosen.shares[node, best])
        seen = f"{chosen.counts[node].sum() / total:.1%} of the samples"
        if node in split:
            words = decision_words(forest, chosen, node, features, n_terms, decimals)
            sides = category_words(intake, chosen, node, features)
            asked = f"{words[0]} <= {words[1]}" if sides is None else sides[0]
            texts[node] = f"{asked}\n{seen}"
        else:
            more = "" if chosen.left[node] < 0 else " (...)"
            texts[node] = f"{classes[codes[best]]} ({share:.2f}){more}\n{seen}"
        fills[node] = (int(codes[best]), share)
    plt = _pyplot()
    ax = plt.gca() if ax is None else ax
    if not isinstance(ax, plt.Axes):
        raise TypeError(refusal("plot_tree", "ax", "a matplotlib Axes or None", ax))
    return _draw(ax, chosen, shown, split, texts, fills if filled else None, fontsize)


def _places(tree, shown, split) -> dict[int, float]:
    """Horizontal place of every node: ends side by side, the others midway between children."""
    ends = [node for node in shown if node not in split]
    place = {node: (k + 0.5) / len(ends) for k, node in enumerate(ends)}
    for node in reversed(shown):
        if node in split:
            place[node] = (place[tree.left[node]] + place[tree.right[node]]) / 2
    return place


def _draw(ax, tree, shown, split, texts, fills, fontsize) -> list:
    place = _places(tree, shown, split)
    levels = 1 + max(int(tree.depth[node]) for node in shown)
    if fontsize is None:
        width = ax.get_window_extent().width * 72 / ax.figure.dpi  # points
        longest = max(len(line) for text in texts.values() for line in text.split("\n"))
        fontsize = min(10.0, max(2.0, 1.6 * width / (longest * (1 + len(shown) - len(split)) / 2)))
    ax.set_axis_off()
    boxes = []
    for node in shown:
        at = (place[node], 1 - (tree.depth[node] + 0.5) / levels)
        colour = _colour(*fills[node]) if fills else "white"
        style = {"boxstyle": "round", "fc": colour, "ec": "0.4"}
        options = {"xycoords": "axes fraction", "ha": "center", "va": "center", "bbox": style}
        if node:
            above = tree.parent[node]
            end = (place[above], 1 - (tree.depth[above] + 0.5) / levels)
            line = {"arrowprops": {"arrowstyle": "-", "color": "0.4"}, "zorder": 1}  # below boxes
            ax.annotate("", at, end, xycoords="axes fraction", textcoords="axes fraction", **line)
            middle = ((at[0] + end[0]) / 2, (at[1] + end[1]) / 2)
            answer = "yes" if tree.left[above] == node else "no"
            ax.annotate(answer, middle, fontsize=fontsize, ha="center", xycoords="axes fraction")
        boxes.append(ax.annotate(texts[node], at, fontsize=fontsize, zorder=2, **options))
    return boxes


def _colour(code: int, share: float):
    """Colour of a class, the paler the smaller its share."""
    from matplotlib.colors import to_rgb

    pale = 0.75 - 0.5 * share
    return tuple(channel + (1 - channel) * max(pale, 0.0) for channel in to_rgb(f"C{code % 10}"))
