"""Read notebooks and pages for the site: what a web page cannot show is put in its words."""

import ast
import re

import nbformat

_SLIDERS = "*Sliders stand here: open the notebook to move them.*"
_WIDGET = "application/vnd.jupyter.widget-view+json"
_PICTURE = re.compile(
    r'<a href="([^"]+)"><img src="([^"]+)"(?: width="(\d+)")? alt="([^"]*)"[^>]*></a>'
)
# A link to a place in a notebook, by the name that Jupyter gives a heading.
_PLACE = re.compile(r"(\]\((?!\w+:)[^)\s#]*)#([^)\s]+)\)")
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')  # a place in a table
# Folders are no pages: their names stay, the link goes.
_FOLDER = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:)([^)#\s]*/)?([^)#./\s]+)/?\)")


def plain(text):
    """Return Markdown whose pictures are Markdown and whose links lead to files and headings."""
    text = _PICTURE.sub(_picture, text)
    text = _PLACE.sub(lambda link: f"{link[1]}#{_slug(link[2])})", text)
    text = _ANCHOR.sub(lambda place: f'<a id="{_slug(place[1])}"></a>', text)
    return _FOLDER.sub(r"\1", text)


def _picture(match):
    target, source, width, words = match.groups()
    size = f"{{width={width}px}}" if width else ""
    return f"[![{words}]({source}){size}]({target})"


def _slug(heading):
    """Return the name that MyST gives a heading, from the one that Jupyter gives it."""
    return re.sub(r"[^\w-]", "", heading.lower())


def only_says(source):
    """Return whether a cell does nothing but say a sentence: a reader wants the sentence."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    return len(body) == 1 and isinstance(body[0], ast.Expr) and _calls(body[0].value, "say")


def _calls(node, name):
    function = getattr(node, "func", None)
    return name in (getattr(function, "id", None), getattr(function, "attr", None))


def read(text):
    """Return a notebook whose sliders are a sentence."""
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)
        elif only_says(cell.source):
            cell.metadata["tags"] = ["remove-input"]
        for output in cell.get("outputs", ()):
            if _WIDGET in output.get("data", {}):
                output.data = {"text/markdown": _SLIDERS}
            elif "text/markdown" in output.get("data", {}):
                output.data["text/markdown"] = plain(output.data["text/markdown"])
    notebook.metadata.pop("widgets", None)
    return notebook


def read_page(_app, name, source):
    """Put a Markdown page in the words of the site."""
    if not name.startswith(("notebooks/", "docs/")):
        source[0] = plain(source[0])


def setup(app):
    """Read the pages that are not notebooks; pictures are loaded when they come into view."""
    app.connect("source-read", read_page)
    app.connect("builder-inited", lambda app: app.env.settings.update(image_loading="lazy"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
