"""The look of the figures: one style file, one colour per method, axes with units."""

import os
import sys
import warnings
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path

from hlsvm.reproduce.methods import method

_COLOURS = 256
_SHOWN = 102  # pixels per inch on the page: a column of 6.4 inches has 653
_ACROSS = 1310  # pixels across, at least
_FILE = Path(__file__).with_name("hlsvm.mplstyle")
_WIDTH = 6.4  # inches: a column of a notebook
_WIDEST = 8.0  # shown at a column's width, its smallest text of 10 points still has 8

#: The two classes of a plane: blue discs and orange crosses, light and dark in grey.
CLASSES = (
    {"color": "#0072B2", "marker": "o", "fill": "#CFE3F1"},
    {"color": "#E69F00", "marker": "x", "fill": "#FBEBCB"},
)


def use_style() -> None:
    """Set matplotlib to the style of the repository; call it once, below the imports.

    Figures that a notebook shows are stored small, see `small_png`.

    Examples
    --------
    >>> use_style()
    """
    import matplotlib.pyplot as plt
    import pandas as pd

    pd.set_option("display.max_colwidth", None)  # sentences in tables are shown whole
    plt.style.use(_FILE)
    if "IPython" in sys.modules:  # let the notebook that runs show its figures small
        from matplotlib.figure import Figure

        shell = sys.modules["IPython"].get_ipython()
        if shell is not None and hasattr(shell, "kernel"):
            plt.switch_backend(plt.get_backend())  # it sets its own form of figures when loaded
            plt.uninstall_repl_displayhook()  # which draws each figure once more, unseen
            shell.display_formatter.formatters["image/png"].for_type(Figure, small_png)


@contextmanager
def styled(over=None):
    """Draw in the style of the repository, whatever is set outside; `over` is laid over it."""
    import matplotlib.pyplot as plt

    with plt.rc_context():
        plt.rcdefaults()
        plt.style.use(_FILE)
        if over is not None:
            plt.style.use(over)
        yield


def color(name: str) -> str:
    """Return the colour of a method, by any of its spellings.

    Examples
    --------
    >>> color("H-LSVM")
    '#0072B2'
    """
    return method(name).color


def line(name: str, **more) -> dict:
    """Return the keywords that draw a method's curve: colour, marker, dash and label.

    `more` is added or takes the place of these, such as ``label="H-LSVM, rho = 0"``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> curve = plt.figure().subplots().plot([1, 2], [3, 4], **line("H-LSVM"))
    """
    look = method(name)
    return {
        "color": look.color,
        "marker": look.marker,
        "linestyle": look.linestyle,
        "label": look.name,
        **more,
    }


def point(name: str, **more) -> dict:
    """Return the keywords that draw a method as points: as `line`, without a line."""
    return line(name, **{"linestyle": "none", **more})


def size(columns: float = 1.0, ratio: float = 0.62) -> tuple[float, float]:
    """Return width and height in inches of a figure with panels in a row.

    One panel fills a text column, two or more `columns` fill the page; `ratio` is the height of a
    panel over its width.

    Examples
    --------
    >>> size(), size(columns=2)
    ((6.4, 3.97), (8.0, 2.48))
    """
    width = _WIDTH if columns <= 1 else _WIDEST
    panel = width / max(columns, 1.0)
    return round(width, 2), round(panel * ratio, 2)


def label(axes, x: str | tuple[str, str], y: str | tuple[str, str], title: str = "") -> None:
    """Name the axes; a pair is a quantity and its unit.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> axes = plt.figure().subplots()
    >>> label(axes, ("training time", "s"), "samples")
    >>> axes.get_xlabel()
    'training time (s)'
    """
    for set_label, name in ((axes.set_xlabel, x), (axes.set_ylabel, y)):
        set_label(name if isinstance(name, str) else f"{name[0]} ({name[1]})")
    if title:
        axes.set_title(title)


def legend(axes, **more) -> None:
    """Draw a legend without doubled entries, if there is anything to name."""
    handles = dict(reversed(list(zip(*reversed(axes.get_legend_handles_labels()), strict=True))))
    if handles:
        axes.legend(list(reversed(handles.values())), list(reversed(handles)), **more)


def shared_legend(fig, panels=None, columns: int = 4, **more) -> None:
    """Name what the panels draw (all by default) once, below them; `more` goes to the legend."""
    named = {}
    for axes in fig.axes if panels is None else panels:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    again = partial(fig.legend, named.values(), named, **{"loc": "outside lower center", **more})
    again(ncols=columns).folded = again


def fits(fig) -> bool:
    """Give a shared legend as many columns as have room; return whether all of `fig` has."""
    for drawn in [drawn for drawn in fig.legends if hasattr(drawn, "folded")]:
        again, columns = drawn.folded, len(drawn.get_texts())
        while drawn.get_window_extent().width > fig.bbox.width and columns > 1:
            drawn.remove()
            columns -= 1
            drawn = again(ncols=columns)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fig.draw_without_rendering()
    return not said and all(x.get_window_extent().width <= fig.bbox.width for x in fig.legends)


def small_png(fig) -> tuple[bytes, dict[str, int]]:
    """Return a figure as PNG with a palette, and the width and height it is shown at.

    Stored with at least twice as many pixels as it is shown with, and at least `_ACROSS` across.
    With ``HLSVM_PICTURES=sketch`` it is drawn quickly, for runs that compare all but pictures.
    """
    from PIL import Image

    if os.environ.get("HLSVM_PICTURES") == "sketch":
        sketch = BytesIO()
        fig.savefig(sketch, format="png", dpi=_SHOWN // 2)
        return sketch.getvalue(), {}
    inches = fig.get_tightbbox().width if fig.axes else fig.get_figwidth()
    dpi = max(2 * _SHOWN, _ACROSS / inches)
    raw, small = BytesIO(), BytesIO()
    fig.savefig(raw, format="png", dpi=dpi, bbox_inches="tight" if fig.axes else None)
    image = Image.open(raw).convert("RGB")
    image.quantize(_COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    width, height = (round(side * _SHOWN / dpi) for side in image.size)
    return small.getvalue(), {"width": width, "height": height}
