"""Read notebooks and pages for the site: what a web page cannot show is put in its words."""

import re

import nbformat

_SLIDERS = "*Sliders stand here: open the notebook to move them.*"
_WIDGET = "application/vnd.jupyter.widget-view+json"
_NOTEBOOK = re.compile(r"(\]\((?!\w+:)[^)\s]+)\.ipynb")
_PICTURE = re.compile(r'<a href="([^"]+)"><img src="([^"]+)"[^>]*alt="([^"]*)"[^>]*></a>')
# Folders are no pages: their names stay, the link goes.
_FOLDER = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:)([^)#\s]*/)?([^)#./\s]+)/?\)")


def plain(text):
    """Return Markdown whose pictures are Markdown and whose links lead to files."""
    return _FOLDER.sub(r"\1", _PICTURE.sub(r"[![\3](\2)](\1)", text))


def read(text):
    """Return a notebook whose sliders are a sentence."""
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)
        for output in cell.get("outputs", ()):
            if _WIDGET in output.get("data", {}):
                output.data = {"text/markdown": _SLIDERS}
            elif "text/markdown" in output.get("data", {}):  # its links are not followed by MyST
                shown = plain(output.data["text/markdown"])
                output.data["text/markdown"] = _NOTEBOOK.sub(r"\1.html", shown)
    notebook.metadata.pop("widgets", None)
    return notebook


def read_page(_app, name, source):
    """Put a Markdown page in the words of the site."""
    if not name.startswith(("notebooks/", "docs/")):
        source[0] = plain(source[0])


def setup(app):
    """Read the pages that are not notebooks."""
    app.connect("source-read", read_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
