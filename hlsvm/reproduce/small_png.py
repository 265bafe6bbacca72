"""Figures inside notebooks: sharp on every screen, as PNG of 256 colours, a third of the size."""

from __future__ import annotations

import io

_COLOURS = 256
_SHOWN = 102  # pixels per inch on the page: a column of 6.4 inches has 653
_WIDTH = 1310  # pixels across, at least


def small_png(fig) -> tuple[bytes, dict[str, int]]:
    """Return a figure as PNG with a palette, and the width and height it is shown at.

    Stored with at least twice as many pixels as it is shown with, and at least `_WIDTH` across.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> picture, shown = small_png(plt.figure(figsize=(6.4, 4.0)))
    >>> picture[1:4], shown
    (b'PNG', {'width': 653, 'height': 408})
    """
    from PIL import Image

    inches = fig.get_tightbbox().width if fig.axes else fig.get_figwidth()
    dpi = max(2 * _SHOWN, _WIDTH / inches)
    raw, small = io.BytesIO(), io.BytesIO()
    fig.savefig(raw, format="png", dpi=dpi, bbox_inches="tight" if fig.axes else None)
    image = Image.open(raw).convert("RGB")
    image.quantize(_COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    width, height = (round(side * _SHOWN / dpi) for side in image.size)
    return small.getvalue(), {"width": width, "height": height}


def show_small() -> None:
    """Let the notebook that runs show its figures so; without a notebook, nothing happens."""
    import sys

    if "IPython" not in sys.modules:
        return
    import matplotlib.pyplot as plt
    from IPython import get_ipython
    from matplotlib.figure import Figure

    shell = get_ipython()
    if shell is not None and hasattr(shell, "kernel"):
        plt.switch_backend(plt.get_backend())  # it sets its own form of figures when it is loaded
        shell.display_formatter.formatters["image/png"].for_type(Figure, small_png)
