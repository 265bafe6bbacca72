"""Diagrams of boxes and arrows, from a table of boxes and a list of arrows."""

from collections.abc import Iterable, Mapping

# Look of a box by its kind: what a method does, what goes in or comes out, a choice.
_LOOKS = {
    "step": {"boxstyle": "round,pad=0.35", "fc": "#CFE3F1", "ec": "#0072B2"},
    "data": {"boxstyle": "square,pad=0.35", "fc": "white", "ec": "black"},
    "choice": {"boxstyle": "round,pad=0.35", "fc": "#FBEBCB", "ec": "#E69F00"},
    "plain": {"boxstyle": "square,pad=0.2", "fc": "none", "ec": "none"},
}


def draw_boxes(
    axes,
    boxes: Mapping[str, tuple],
    arrows: Iterable[tuple] = (),
    *,
    title: str = "",
    fontsize: float = 9.5,
) -> None:
    """Draw boxes at their places and arrows between them; no axes are shown.

    A box is ``(x, y, text)`` or ``(x, y, text, kind)`` by its name; kinds are "step" (default),
    "data", "choice" and "plain" (text without a frame). An arrow is ``(from, to)``, ``(from, to,
    text)`` or ``(from, to, text, bend)``: names of boxes, a word beside it, and how much it bends
    (0: straight).
    """
    xs, ys = [box[0] for box in boxes.values()], [box[1] for box in boxes.values()]
    drawn = {}
    for name, (x, y, text, *kind) in boxes.items():
        look = _LOOKS[kind[0] if kind else "step"]
        drawn[name] = axes.text(
            x, y, text, ha="center", va="center", fontsize=fontsize, bbox=look, zorder=3
        )
    for start, stop, *rest in arrows:
        word, bend = (*rest, *("", 0.0)[len(rest) :])
        ys.append(_arrow(axes, drawn[start], drawn[stop], word, bend, fontsize))
    axes.set(xlim=(min(xs) - 0.6, max(xs) + 0.6), ylim=(min(ys) - 0.5, max(ys) + 0.5))
    axes.set_title(title, loc="left")
    axes.axis("off")


def _arrow(axes, start, stop, word: str, bend: float, fontsize: float) -> float:
    (x0, y0), (x1, y1) = start.get_position(), stop.get_position()
    look = {"arrowstyle": "-|>", "color": "#404040", "lw": 1.2, "shrinkA": 2, "shrinkB": 2}
    ends = {"patchA": start.get_bbox_patch(), "patchB": stop.get_bbox_patch()}
    way = {**look, **ends, "connectionstyle": f"arc3,rad={bend}"}
    axes.annotate("", (x1, y1), (x0, y0), arrowprops=way, zorder=2)
    middle = (x0 + x1) / 2 + bend * (y1 - y0) / 2, (y0 + y1) / 2 - bend * (x1 - x0) / 2
    if word:
        axes.text(*middle, word, ha="center", va="bottom", fontsize=fontsize - 1, zorder=4)
    return middle[1]  # what the axes must have room for
