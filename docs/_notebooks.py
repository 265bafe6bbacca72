"""Read a notebook for the site: its stored outputs, with links that lead somewhere on a page."""

import nbformat

_SLIDERS = "*Sliders stand here: open the notebook to move them.*"
_WIDGET = "application/vnd.jupyter.widget-view+json"


def read(text):
    """Return a notebook whose sliders are a sentence."""
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if _WIDGET in output.get("data", {}):
                output.data = {"text/markdown": _SLIDERS}
    notebook.metadata.pop("widgets", None)
    return notebook
