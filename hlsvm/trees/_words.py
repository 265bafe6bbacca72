"""Names of features and classes, and hyperplanes in words: what text and pictures share."""

from __future__ import annotations

import numpy as np

from hlsvm._params import refusal
from hlsvm.trees._forest import Forest
from hlsvm.trees._intake import Intake


def _names(owner: str, argument: str, given, n: int) -> list[str]:
    names = np.asarray(given, dtype=object)
    if names.shape != (n,) or not all(isinstance(name, str) for name in names):
        raise ValueError(refusal(owner, argument, f"a list of {n} texts", given))
    return names.tolist()


def feature_words(owner: str, forest: Forest, given=None) -> list[str]:
    """Names as given, of the fit's data frame, or x0, x1, ..."""
    if given is not None:
        return _names(owner, "feature_names", given, forest.n_features)
    if forest.columns.names is not None:
        return list(forest.columns.names)
    return [f"x{j}" for j in range(forest.n_features)]


def class_words(owner: str, forest: Forest, given=None) -> list[str]:
    """Names as given, or the labels."""
    if given is not None:
        return _names(owner, "class_names", given, len(forest.classes))
    return [str(label) for label in forest.classes]


def decision_words(
    forest: Forest, tree, node: int, words: list[str], n_terms: int, decimals: int
) -> tuple[str, str]:
    """Left side of a node's question in words, and the number it is compared with.

    Of a hyperplane the terms that sway it most (``|w_j| s_j``, s_j the spread of the feature)
    stand first; "..." stands for those that are left out.
    """
    offset = float(tree.offsets[node])
    if tree.plane[node] < 0:
        return words[tree.feature[node]], f"{-offset:.{decimals + 2}g}"
    weights = tree.weights[tree.plane[node]].astype(np.float64)
    sway = np.abs(weights) * forest.columns.spread
    order = np.lexsort((-np.abs(weights), -sway))
    order = order[weights[order] != 0]
    text = " ".join(
        f"{'-' if weights[j] < 0 else '+'} {abs(weights[j]):.{decimals}g} {words[j]}"
        for j in order[:n_terms]
    )
    text = text.removeprefix("+ ")
    text = "-" + text[2:] if text.startswith("- ") else text
    more = " + ..." if len(order) > n_terms else ""
    return (text or "0") + more, f"{-offset:.{decimals}g}"


def category_words(intake: Intake | None, tree, node: int, words: list[str]) -> list[str] | None:
    """Left and right side of a comparison of categories, by their names; None for other nodes."""
    column = int(tree.feature[node])
    if intake is None or column not in intake.categories:
        return None
    offset = tree.offsets[node]
    table, ranks = intake.categories[column], intake.encoder.ranks[column]
    sides: tuple[list[str], list[str]] = ([], [])
    for value, code in table.items():
        sides[int(ranks[code].astype(offset.dtype) + offset > 0)].append(str(value))
    lacking = intake.encoder.filling[column].astype(offset.dtype)
    sides[int(lacking + offset > 0)].append("missing")
    return [f"{words[column]} in {{{', '.join(side)}}}" for side in sides]


def with_categories(intake: Intake | None, row, words: list[str]) -> list[str]:
    """Names of features with the category of a row (as `encode` gives it) behind them."""
    words = list(words)
    for column, table in {} if intake is None else intake.categories.items():
        ranks = intake.encoder.ranks[column].astype(row.dtype)
        words[column] += " = " + next(
            (str(value) for value, code in table.items() if ranks[code] == row[column]), "missing"
        )
    return words
