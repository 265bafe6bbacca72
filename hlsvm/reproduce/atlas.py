"""The map of the repository, read from its code: which room uses which, which chapter uses what."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pandas as pd

from hlsvm.reproduce.catalogue import entries
from hlsvm.reproduce.paths import repository_root

# The rooms of the package in the order of the chapters that introduce them.
ROOMS = {
    "datasets": "data, real and made",
    "linear": "one hyperplane",
    "select": "QPFS and filters",
    "extract": "KFDA = KQPFS",
    "trees": "H-LSVM",
    "subclass": "SRS-SVM",
    "regions": "DTSVM, metric tree",
    "bounds": "error bounds",
}
_CHAPTER = re.compile(r"hlsvm\.reproduce\.(chapter\d+)")


def _imports(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def _rooms(names: set[str]) -> set[str]:
    """Return the rooms that imported names lie in; public estimators count where they live."""
    from hlsvm import _ROOMS as public

    found = set()
    for name in names:
        parts = name.split(".")
        if parts[0] != "hlsvm" or len(parts) < 2:
            continue
        found.add(public.get(parts[1], parts[1]))
    return found & set(ROOMS)


@lru_cache(maxsize=64)
def _folder(path: Path) -> frozenset[str]:
    return frozenset(
        name
        for file in sorted(path.rglob("*.py"))
        for name in _imports(ast.parse(file.read_text(encoding="utf-8")))
    )


def room_arrows() -> pd.DataFrame:
    """Return which room of the package stands on which, from its imports.

    Returns
    -------
    DataFrame
        ``room``, ``stands_on``.

    Examples
    --------
    >>> arrows = room_arrows()
    >>> arrows[arrows.room == "trees"].stands_on.tolist()
    ['linear']
    """
    package = Path(__file__).resolve().parents[1]
    rows = [
        (room, other)
        for room in ROOMS
        for other in sorted(_rooms(set(_folder(package / room))) - {room}, key=list(ROOMS).index)
    ]
    return pd.DataFrame(rows, columns=["room", "stands_on"])


def chapters() -> pd.DataFrame:
    """Return the notebooks: title, ids they are the home of, rooms they use.

    Returns
    -------
    DataFrame
        ``notebook``, ``title``, ``ids`` (figures, tables and the rest of the catalogue), ``rooms``.
    """
    import nbformat

    root = repository_root()
    counts = pd.Series([entry.home for entry in entries().values()]).value_counts()
    rows = []
    for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        first = notebook.cells[0].source.splitlines()[0].lstrip("# ")
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        names = {name for source in code for name in _imports(_parse(source))}
        for folder in sorted({found[1] for name in names if (found := _CHAPTER.match(name))}):
            names |= _folder(root / "hlsvm" / "reproduce" / folder)
        rooms = sorted(_rooms(names), key=list(ROOMS).index)
        rows.append((path.stem, first, int(counts.get(path.stem, 0)), ", ".join(rooms)))
    return pd.DataFrame(rows, columns=["notebook", "title", "ids", "rooms"])


def _parse(source: str) -> ast.Module:
    lines = ["" if line.lstrip()[:1] in ("%", "!") else line for line in source.splitlines()]
    return ast.parse("\n".join(lines))


def draw_map(notebooks: pd.DataFrame, arrows: pd.DataFrame):
    """Draw the rooms, the notebooks that use them, and what flows where.

    Parameters
    ----------
    notebooks, arrows : DataFrame
        As `chapters` and `room_arrows` give them.

    Returns
    -------
    figure, drawn : DataFrame
        One row an arrow.
    """
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(figsize=(10.0, 5.6), layout="constrained")
    rooms = {name: (1.2, float(-k)) for k, name in enumerate(ROOMS)}
    stretch = (len(ROOMS) - 1) / max(len(notebooks) - 1, 1)
    places = {name: (4.4, -k * stretch) for k, name in enumerate(notebooks.notebook)}
    for name, place in rooms.items():
        _box(axes, place, f"hlsvm.{name}\n{ROOMS[name]}", "#CFE3F1")
    for name, place in places.items():
        _box(axes, place, name, "#FBEBCB")
    for place, text in (
        ((7.0, -1.5), "figures/\ndata/results/"),
        ((7.0, -4.5), "scoreboard,\ngallery"),
    ):
        _box(axes, place, text, "#FFFFFF")
    drawn = []
    for row in arrows.itertuples():
        start, stop = rooms[row.stands_on], rooms[row.room]
        _link(axes, (0.5, start[1]), (0.5, stop[1]), "#404040", 0.4)
        drawn.append((row.stands_on, row.room, "is used by"))
    for k, row in enumerate(notebooks.itertuples()):
        used = [name for name in row.rooms.split(", ") if name]
        for name in used:
            start, stop = (2.0, rooms[name][1]), (3.4, places[row.notebook][1])
            _link(axes, start, stop, f"C{k % 8}", 0.0)
            drawn.append((name, row.notebook, "is used by"))
        if used and row.ids:
            _link(axes, (5.45, places[row.notebook][1]), (6.3, -1.5), "#8A8A8A", 0.0)
            drawn.append((row.notebook, "records", "writes"))
    _link(axes, (7.0, -2.1), (7.0, -3.9), "#404040", 0.0)
    drawn.append(("records", "scoreboard", "is compared in"))
    axes.set(xlim=(-0.4, 7.9), ylim=(-len(ROOMS) + 0.4, 0.6))
    axes.axis("off")
    return fig, pd.DataFrame(drawn, columns=["from", "to", "how"])


def _box(axes, place, text: str, fill: str) -> None:
    box = {"boxstyle": "round,pad=0.3", "fc": fill, "ec": "#404040", "lw": 0.8}
    axes.text(*place, text, ha="center", va="center", fontsize=8.5, bbox=box, zorder=3)


def _link(axes, start, stop, shade: str, bend: float) -> None:
    look = {"arrowstyle": "-|>", "color": shade, "lw": 0.9, "alpha": 0.8}
    look["connectionstyle"] = f"arc3,rad={bend}"
    axes.annotate("", stop, start, arrowprops=look, zorder=1)


def design_cycle():
    """Draw Thesis Figure 1.1: how a learning system is made, with the ways back.

    Returns
    -------
    figure, boxes and arrows : DataFrame
    """
    import matplotlib.pyplot as plt

    from hlsvm.reproduce.diagrams import draw_boxes

    fig, axes = plt.subplots(figsize=(9.0, 1.9), layout="constrained")
    steps = {
        "data": "collect\ndata",
        "features": "choose\nfeatures",
        "model": "choose\nmodel",
        "train": "train",
        "evaluate": "evaluate",
    }
    boxes = {name: (1.3 * k, 0.0, text) for k, (name, text) in enumerate(steps.items())}
    names = list(boxes)
    arrows = [*pairwise(names)]
    arrows += [("evaluate", back, "", 0.28) for back in ("model", "features", "data")]
    drawn = draw_boxes(axes, boxes, arrows)
    axes.set_ylim(-0.25, 1.0)
    return fig, drawn
