"""Build the static site from the committed notebooks, the gallery and the files they point to."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat

from hlsvm.reproduce.paths import repository_root
from hlsvm.reproduce.site.formulas import with_formulas
from hlsvm.reproduce.site.frame import page

_ADDRESS = re.compile(r'(?P<before>(?:href|src)=")(?P<address>[^"]+)"')
_FOLDED = re.compile(r"(<details>.*?</summary>)(.*?)(</details>)", re.DOTALL)
_ENDS = {".ipynb": ".html", ".md": ".html"}
_SHOWN = "Every number that was published, beside the one recomputed here."


def render_markdown(text: str) -> str:
    """Return Markdown as HTML, formulas as MathML."""
    from nbconvert.filters import markdown2html

    return with_formulas(markdown2html(text))


def _output(output) -> str:
    """Return an output of a cell: a picture, a table, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        words = html.escape(str(data.get("text/plain", "figure")))
        return f'<img src="data:image/png;base64,{data["image/png"].strip()}" alt="{words}">'
    if "application/vnd.jupyter.widget-view+json" in data:
        return "<p><em>Sliders stand here: open the notebook to move them.</em></p>"
    if "text/html" in data and "<script" not in data["text/html"]:
        return data["text/html"]
    text = output.get("text") or data.get("text/plain") or ""
    return f"<pre>{html.escape(text)}</pre>" if text.strip() else ""


def render_notebook(notebook) -> str:
    """Return an executed notebook as HTML: text, code, outputs."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(render_markdown(cell.source))
            continue
        parts.append(highlight(cell.source, PythonLexer(), HtmlFormatter()))
        shown = "".join(_output(output) for output in cell.outputs)
        if shown:
            parts.append(f'<div class="output">{shown}</div>')
    return "\n".join(parts)


class _Site:
    """Pages written so far, and files that pages point to."""

    def __init__(self, out: Path):
        self.root, self.out = repository_root(), out
        self.wanted: list[Path] = []
        self.pages: list[tuple[str, str]] = [("index.html", "gallery")]
        notebooks = sorted((self.root / "notebooks").rglob("*.ipynb"))
        self.notebooks = [path for path in notebooks if not _hidden(path, self.root)]
        for path in self.notebooks:
            if path.parent.name == "notebooks":
                self.pages.append((_address(path, self.root), path.stem))

    def write(self, source: Path, title: str, body: str) -> None:
        """Write the page that stands for a file of the repository."""
        address = _address(source, self.root)
        target = self.out / address
        up = "../" * address.count("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        body = _ADDRESS.sub(lambda found: self._place(found, source, address), body)
        target.write_text(page(title, body, self.pages, address, up), encoding="utf-8")

    def _place(self, found: re.Match, source: Path, here: str) -> str:
        """Point a link to where its target stands in the site; remember files to copy."""
        address = html.unescape(found["address"])
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path:
            return found[0]
        target = (source.parent / unquote(parts.path)).resolve()
        if not target.is_relative_to(self.root) or not target.exists():
            return found[0]
        self.wanted.append(target)
        place = _address(target, self.root)
        way = "../" * here.count("/") + place + (f"#{parts.fragment}" if parts.fragment else "")
        return f'{found["before"]}{html.escape(way)}"'

    def finish(self) -> None:
        """Copy the files pages point to; make pages of Markdown and of folders among them."""
        done: set[Path] = set(self.notebooks) | {self.root / "figures" / "README.md"}
        while self.wanted:
            path = self.wanted.pop()
            if path in done:
                continue
            done.add(path)
            if path.is_dir():
                self.write(path, path.name, self._folder(path))
            elif path.suffix == ".md":
                text = path.read_text(encoding="utf-8")
                self.write(path, path.stem, render_markdown(text))
            elif not (self.out / _address(path, self.root)).exists():
                place = self.out / _address(path, self.root)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)

    def _folder(self, path: Path) -> str:
        files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
        items = "".join(f'<li><a href="{path.name}/{p.name}">{p.name}</a></li>' for p in files)
        return f"<h1>{path.name}</h1><ul>{items}</ul>"


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _address(path: Path, root: Path) -> str:
    """Return where a file or folder of the repository stands in the site."""
    name = path.relative_to(root)
    if name.as_posix() == "figures/README.md":
        return "index.html"
    if path.is_dir():
        return f"{name.as_posix()}.html"
    return name.with_suffix(_ENDS.get(name.suffix, name.suffix)).as_posix()


def _gallery() -> str:
    """Return the gallery as HTML; what is folded away is Markdown of its own."""
    from hlsvm.reproduce.pages import gallery_text

    folds: list[str] = []

    def fold(found: re.Match) -> str:
        folds.append(f"{found[1]}\n{render_markdown(found[2])}\n{found[3]}")
        return f"\n\nfold-{len(folds) - 1}-fold\n\n"

    shown = render_markdown(_FOLDED.sub(fold, gallery_text()))
    for number, text in enumerate(folds):
        shown = shown.replace(f"<p>fold-{number}-fold</p>", text)
    return f"<p><em>{_SHOWN}</em></p>\n{shown}"


def build(out: Path) -> list[Path]:
    """Build the site into a folder; what stands there is replaced when all pages are made.

    Parameters
    ----------
    out : Path
        Folder of the site; its ``index.html`` is the gallery.

    Returns
    -------
    list of Path
        The pages.

    Raises
    ------
    ValueError
        `out` is a folder that holds something else than a site.
    """
    out = Path(out).resolve()
    if out.exists() and any(out.iterdir()) and not (out / "index.html").exists():
        raise ValueError(f"out must be a new folder or one with a site in it. Got {out.name!r}.")
    work = out.with_name(f".{out.name}.new")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    site = _Site(work)
    site.write(site.root / "figures" / "README.md", "hlsvm", _gallery())
    for path in site.notebooks:
        notebook = nbformat.read(path, as_version=4)
        title = notebook.cells[0].source.splitlines()[0].lstrip("# ")
        site.write(path, title, render_notebook(notebook))
    site.finish()
    shutil.rmtree(out, ignore_errors=True)
    work.rename(out)
    return sorted(out.rglob("*.html"))
