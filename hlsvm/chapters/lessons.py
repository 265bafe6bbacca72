"""Drawings and paired tests that several lessons share."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from hlsvm.chapters.evidence import by_method as by_method
from hlsvm.chapters.evidence import holm, resampled_t
from hlsvm.chapters.evidence import paired_interval as paired_interval
from hlsvm.reproduce.style import CLASSES

_CENTRE = {"ha": "center", "va": "center"}


def decided(gaps: dict, test_share: float | dict = 0.0) -> set:
    """Return the names of the differences that are not zero: paired t tests, Holm over all.

    `gaps` has an array of shape (turns,) for each; `test_share` is as in `paired_interval`.

    Examples
    --------
    >>> decided({"a": [2.0, 1.9, 2.1, 2.0], "b": [1.0, -1.0, 2.0, -1.5]})
    {'a'}
    """
    share = test_share if isinstance(test_share, dict) else dict.fromkeys(gaps, test_share)
    one_sided = {name: resampled_t(gap, share[name])[2] for name, gap in gaps.items()}
    return set(holm({name: 2 * min(p, 1 - p) for name, p in one_sided.items()}))


def contrast(table: pd.DataFrame, x: str, y: str, share: float, *, digits: int = 2, among=()):
    """Compare `y` at every `x` of a sweep with that at the first, division by division.

    Returns a frame by setting (all that vary, and `among`): the mean of every column, and of the
    differences the mean ``gap``, ``half`` its interval, ``decided``, and as text the ``change``.
    """
    given, last = table.columns[: table.columns.get_loc("division")], among or [x]
    keys = [*(name for name in given if name not in last and table[name].nunique() > 1), *last]
    turns = {key: rows.set_index("division")[y] for key, rows in table.groupby(keys)}
    at, gaps = keys.index(x), {}
    for key in turns:
        base = (*key[:at], table[x].iloc[0], *key[at + 1 :])
        if key != base and base in turns:
            gaps[key] = turns[key] - turns[base]
    many = table.division.nunique() > 1
    sure = decided(gaps, share) if many else set()
    changes = table.groupby(keys).mean(numeric_only=True)
    changes = changes.assign(gap=0.0, half=0.0, decided=False, change="reference")
    for key, gap in gaps.items():
        mean, half = paired_interval(gap, share) if many else (gap.iloc[0], np.nan)
        text = f"{mean:+.{digits}f}" + f" ± {half:.{digits}f}" * many + " *" * (key in sure)
        row = key if len(keys) > 1 else key[0]
        changes.loc[row, ["gap", "half", "decided", "change"]] = [mean, half, key in sure, text]
    return changes


def draw_changes(axes, changes: pd.DataFrame, x: str, y: str = "gap", half: str | None = "half"):
    """Draw what `contrast` returned over `x` (numbers: its log), a curve per other settings."""
    ticks, others = [*changes.index.unique(x)], [name for name in changes.index.names if name != x]
    number = pd.to_numeric(pd.Series(ticks, ticks), errors="coerce")
    places = np.log2(number) if (number > 0).all() else pd.Series(range(len(ticks)), ticks)
    shift = 0.025 * np.ptp(places) if half else 0  # of marks with intervals
    curves = changes.groupby(others, sort=False) if others else [((), changes)]
    for turn, ((values, rows), marker) in enumerate(zip(curves, cycle("os^Dv"), strict=False)):
        at = places.reindex(rows.index.get_level_values(x)) + shift * turn
        name = ", ".join(f"{key} = {value}" for key, value in zip(others, values, strict=True))
        axes.errorbar(at, rows[y], half and rows[half], marker=marker, capsize=4, label=name)
    axes.set_xticks(places, ticks)
    if half:
        axes.axhline(0, color="#595959", lw=1, ls="--", label="no change")


def draw_tree(axes, tree, *, text=None, numbered=False, sides=None) -> None:
    """Draw a fitted tree of two classes: a box per node with its samples of each class.

    Parameters
    ----------
    text : dict of int to str, optional
        Text of a node instead of its counts.
    numbered : bool, default=False
        Write the number of its cut above the counts of an inner node, as `number_cuts` does.
    sides : dict of int to dict of int to str, optional
        Of an inner node its children from left to right, each with the word at the way to it, as
        `plane_sides` gives them; otherwise minus and plus.
    """
    sides = sides or _signs(tree)
    place, number = _places(tree, sides), _numbers(tree, sides)
    for node in range(tree.n_nodes):
        x, level = place[node], -int(tree.depth[node])
        inner = tree.left[node] >= 0
        if inner:
            for (child, side), away in zip(sides[node].items(), (-1, 1), strict=True):
                axes.plot([x, place[child]], [level, level - 1], color="#808080", lw=1, zorder=0)
                middle = (x + place[child]) / 2, level - 0.5
                look = {"fontsize": 9, "ha": "center", "textcoords": "offset points"}
                if word := len(side) > 1:  # it stands on the line, a sign beside it
                    blank = {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"}
                    look |= {"va": "center", "bbox": blank}
                axes.annotate(side, middle, (0 if word else 7 * away, 0), **look)
        fill = "white" if inner else CLASSES[tree.winner[node]]["fill"]
        words = (text or {}).get(node, "\n".join(f"{count:.0f}" for count in tree.counts[node]))
        if numbered and inner:
            words = rf"$\mathbf{{{number[node]}}}$" + "\n" + words
        box = {"boxstyle": "round,pad=0.3", "fc": fill, "ec": "#404040", "lw": 0.8}
        axes.text(x, level, words, fontsize=9, bbox=box, **_CENTRE)
    leaves = place[tree.left < 0]
    axes.set(xlim=(leaves.min() - 0.7, leaves.max() + 0.7), ylim=(-tree.depth.max() - 0.5, 0.5))
    axes.axis("off")


def plane_sides(tree) -> dict[int, dict[int, str]]:
    """Return the children of every cut of a tree of two features, in the order of reading.

    Returns
    -------
    dict of int to dict of int to str
        Of an inner node its two children, each with its side of the cut: "above" and "below", or
        "left" and "right" of a cut that is steeper than the diagonal.
    """
    sides = {}
    for node in np.flatnonzero(tree.plane >= 0).tolist():
        across, up = tree.weights[tree.plane[node]]
        steep = abs(across) > abs(up)
        pair = int(tree.left[node]), int(tree.right[node])  # value below zero, above
        words = ("left", "right") if steep else ("above", "below")
        turn = across < 0 if steep else up > 0
        sides[node] = dict(zip(pair[::-1] if turn else pair, words, strict=True))
    return sides


def draw_questions(tree, names) -> None:
    """Draw a tree of scikit-learn, of two named classes: its questions, and its leaves' answers."""
    from sklearn.tree import plot_tree

    _, axes = plt.subplots(figsize=(8, 3.2))
    features = [f"$x_{{{k}}}$" for k in range(1, tree.n_features_in_ + 1)]
    words = {"feature_names": features, "class_names": names, "label": "none", "precision": 2}
    for box in plot_tree(tree, ax=axes, impurity=False, fontsize=9, **words):
        lines = box.get_text().split("\n")
        if len(lines) == 1:  # beside the branches of the root
            box.set_text({"True": "yes  ", "False": "  no"}[lines[0].strip()])
        elif len(lines) == 4:  # question, samples, their classes, majority
            feature, threshold = lines[0].split(" <= ")
            box.set_text(rf"{feature} $\leq$ {float(threshold):.2f}?".replace("-", "−"))
        else:
            box.set_text(f"{lines[-1]}\n{lines[0]} samples")
            box.get_bbox_patch().set_facecolor(CLASSES[names.index(lines[-1])]["fill"])


def number_cuts(axes, tree, X, *, steps: int = 300, sides=None) -> None:
    """Draw every cut of a tree of two features where it divides, with its number.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
        Points that set the extent.
    sides : dict of int to dict of int to str, optional
        As in `draw_tree`, whose numbers these are. The number is then near the end of the cut that
        is farther from the middle of the points, otherwise at the middle of the cut.
    """
    room = 0.05 * np.ptp(X, axis=0)  # as `draw_regions` leaves
    ends = zip(X.min(axis=0) - room, X.max(axis=0) + room, strict=True)
    first, second = (np.linspace(low, high, steps) for low, high in ends)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(first, second)])
    weights = np.zeros((tree.n_nodes, 2))
    planes, comparisons = tree.plane >= 0, np.flatnonzero(tree.feature >= 0)
    weights[planes] = tree.weights[tree.plane[planes]]
    weights[comparisons, tree.feature[comparisons]] = 1
    inside = np.ones((tree.n_nodes, len(grid)), dtype=bool)
    for node, number in _numbers(tree, sides or _signs(tree)).items():
        value = grid @ weights[node] + tree.offsets[node]
        inside[tree.left[node]] = inside[node] & (value <= 0)
        inside[tree.right[node]] = inside[node] & (value > 0)
        shown = np.where(inside[node], value, np.nan).reshape(steps, steps)
        axes.contour(first, second, shown, levels=[0], colors="#404040", linewidths=0.8)
        near = np.flatnonzero(inside[node])
        near = near[np.argsort(np.abs(value[near]), kind="stable")[: steps // 3]]
        middle = grid[near].mean(axis=0)
        if sides:
            far = np.linalg.norm((grid[near] - X.mean(axis=0)) / np.ptp(X, axis=0), axis=1)
            middle = grid[near[np.argsort(far, kind="stable")[-len(near) // 12]]]
        box = {"boxstyle": "circle,pad=0.15", "fc": "white", "ec": "#404040", "lw": 0.6}
        axes.text(*middle, str(number), fontsize=8, bbox=box, **_CENTRE)


def _signs(tree) -> dict[int, dict[int, str]]:
    """Return the children of every inner node, each with the sign that leads to it."""
    pairs = zip(tree.left.tolist(), tree.right.tolist(), strict=True)
    return {node: {a: "−", b: "+"} for node, (a, b) in enumerate(pairs) if a >= 0}


def _numbers(tree, sides) -> dict[int, int]:
    """Return the number of every inner node, from 1, level by level, from left to right."""
    place = _places(tree, sides)
    inner = sorted(sides, key=lambda node: (tree.depth[node], place[node]))
    return {node: number for number, node in enumerate(inner, 1)}


def _places(tree, sides) -> np.ndarray:
    """Return where the nodes stand from left to right: leaves side by side, parents between."""
    place = np.zeros(tree.n_nodes)
    waiting, order, leaves = [0], [], []
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(sides.get(order[-1], {}))
        leaves += [order[-1]] if order[-1] not in sides else []
    place[leaves] = np.arange(len(leaves))
    for node in filter(sides.__contains__, reversed(order)):
        place[node] = np.mean(place[list(sides[node])])
    return place


class _LeftTable:
    """A table of words as a notebook shows it: columns at the left, no index."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def __repr__(self) -> str:
        return "\n".join(" | ".join(map(str, row)) for row in self.frame.to_numpy())

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            html = self.frame.to_html(index=False, border=0)
        for tag in ("th", "td"):
            html = html.replace(f"<{tag}>", f'<{tag} style="text-align: left">')
        return html.replace('<tr style="text-align: right;">', "<tr>")


def claims_table(frame: pd.DataFrame) -> _LeftTable:
    """Return `hlsvm.reproduce.claims` as a table to read: the verdict first, without ``place``.

    Examples
    --------
    >>> claims_table(pd.DataFrame([{"claim": "A is B.", "verdict": "holds", "because": "2 = 2"}]))
    holds | A is B. | 2 = 2
    """
    return words_table(frame[["verdict", "claim", "because"]])


def words_table(frame: pd.DataFrame) -> _LeftTable:
    """Return a frame of words as a table to read: columns at the left, no index.

    Examples
    --------
    >>> words_table(pd.DataFrame({"where": ["Table 1"], "why": ["a misprint"]}))
    Table 1 | a misprint
    """
    return _LeftTable(frame)


def sliders(draw: Callable[..., Any], **controls: Any) -> Any:
    """Return sliders beside the figure that `draw` makes of their values, passed by name."""
    from ipywidgets import HBox, Image, VBox

    image = Image(format="png", width=480)

    def redraw(_change: Any = None) -> None:
        figure, buffer = draw(**{name: one.value for name, one in controls.items()}), BytesIO()
        figure.savefig(buffer, format="png", dpi=960 / figure.get_figwidth(), bbox_inches=None)
        plt.close(figure)
        image.value = buffer.getvalue()

    for name, control in controls.items():
        control.description = name
        control.continuous_update = False
        control.observe(redraw, names="value")
    redraw()
    return HBox([VBox([*controls.values()]), image])
