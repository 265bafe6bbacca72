"""Which function draws which figure: a pure function of the table recorded beside it."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from hlsvm._params import check_number
from hlsvm.reproduce.records import read_drawn
from hlsvm.reproduce.repository import CHAPTERS, lookup, repository_root, stem

_DRAWINGS: dict[str, Callable[[Any], Any]] = {}


def draws(id: str, **options: Any):
    """Register a function ``table -> Figure`` as the drawing of an id; options are passed to it.

    Examples
    --------
    >>> callable(draws("Thesis.Fig5.6"))  # used as a decorator
    True
    """
    lookup(id)

    def register(function):
        _DRAWINGS[id] = lambda table: function(table, **options)
        return function

    return register


def _register(id: str) -> None:
    """Import the chapter that draws an id."""
    for chapter in CHAPTERS:
        module = f"hlsvm.chapters.{chapter.word}.drawings"
        if chapter.home == lookup(id).home and find_spec(module) is not None:
            import_module(module)


def drawn(id: str) -> bool:
    """Return whether a drawing is registered for an id."""
    _register(id)
    return id in _DRAWINGS


def _drawing(id: str) -> Callable[[Any], Any]:
    if not drawn(id):
        raise KeyError(f"No drawing is registered for {id!r}: decorate one with @draws({id!r}).")
    return _DRAWINGS[id]


def draw(table, id: str):
    """Draw the figure of an id from its table: a DataFrame, or a dict of them (the panels).

    Raises
    ------
    KeyError
        No drawing is registered for this id.
    """
    return _drawing(id)(table)


def redraw(id: str, out=None, *, style=None, width: float | None = None):
    """Draw a recorded figure again from its CSV and return it; nothing is computed.

    Parameters
    ----------
    id : str
        Id of the catalogue, of a figure that is recorded and drawn (KeyError, FileNotFoundError).
    out : path, optional
        File to write: its suffix says the format (.pdf, .svg, .png).
    style : path or str, optional
        A matplotlib style that is laid over that of the repository.
    width : float, optional
        Width in inches, above zero; the height follows, text keeps its size.
    """
    import matplotlib.pyplot as plt

    from hlsvm.reproduce.style import fits, styled

    lookup(id)
    if width is not None:
        check_number("redraw", "width", width, low=0, closed="neither")
    path = repository_root() / "figures" / f"{stem(id)}.csv"
    if not path.exists():
        raise FileNotFoundError(f"{id} is not recorded: there is no figures/{path.name}.")
    function, table = _drawing(id), read_drawn(path.read_text(encoding="utf-8"))
    with styled(style):
        try:
            fig = function(table)
        except Exception as error:  # it has changed since, and asks for columns that are not there
            raise ValueError(
                f"The record of {id} no longer fits its drawing ({type(error).__name__}: {error}): "
                f"`hlsvm run --only {id} --scale paper --record` makes it again."
            ) from error
        if width is not None:
            fig.set_size_inches(width, width * fig.get_figheight() / fig.get_figwidth())
            if not fits(fig):
                raise ValueError(f"width must be larger: {id} has no room in {width:g} inches.")
        # Layouts settle: a record's SVG is the second drawing of its figure, its PNG the third.
        layout, vectors = fig.get_layout_engine(), out and not str(out).lower().endswith(".png")
        for _ in range((1 if vectors else 2) if layout else 0):
            layout.execute(fig)
        if out is not None:
            fig.savefig(out)
    plt.close(fig)
    return fig
