"""The site: a page per notebook and public name, no broken link, no network, narrow screens."""

import importlib
import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAG = re.compile(r"""<([a-z]\w*)\s((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(r"""(?<![\w-])(\w+)=["']([^"']*)["']""")
pytest.importorskip("myst_nb", reason="needs Sphinx and MyST-NB: pip install 'hlsvm[site]'")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Give the folder of the site, built once by the command that `make site` calls."""
    folder = tmp_path_factory.mktemp("web") / "site"
    command = [sys.executable, "-m", "hlsvm", "site", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert str(folder / "index.html") in done.stdout
    return folder


@pytest.fixture(scope="module")
def documentation():
    """Give the modules of the folder docs."""
    sys.path.insert(0, str(ROOT / "docs"))
    import _mathml
    import _notebooks
    import _public_names

    yield {"mathml": _mathml, "notebooks": _notebooks, "names": _public_names}
    sys.path.remove(str(ROOT / "docs"))


class Page:
    """Links and places of a page, and what it loads."""

    def __init__(self, path):
        self.links, self.loaded, self.places = set(), set(), set()
        for tag, values in TAG.findall(path.read_text(encoding="utf-8")):
            values = {name: unescape(value) for name, value in ATTRIBUTE.findall(values)}
            self.places |= {values[name] for name in ("id", "name") if values.get(name)}
            loads = tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload")
            self.links |= {values["href"]} if tag == "a" and values.get("href") else set()
            self.loaded |= {values["src"]} if values.get("src") else set()
            self.loaded |= {values["href"]} if loads and values.get("href") else set()


def problems(folder):
    """Yield a sentence for each broken link and each file that comes from the network."""
    files = {str(path) for path in folder.rglob("*") if path.is_file()}
    pages = {name: Page(Path(name)) for name in sorted(files) if name.endswith(".html")}
    for path, page in pages.items():
        name = os.path.relpath(path, folder)
        for address in page.loaded | page.links:
            parts = urlsplit(address)
            if parts.scheme == "data" or (address in page.links and parts.scheme):
                continue
            aside = os.path.join(os.path.dirname(path), unquote(parts.path))
            target = os.path.normpath(aside) if parts.path else path
            if parts.scheme or parts.netloc:
                yield f"{name} loads {address} from the network"
            elif target not in files:
                yield f"{name} leads to {address}, which does not exist"
            elif target in pages and unquote(parts.fragment) not in {"", *pages[target].places}:
                yield f"{name} leads to {address}, which has no such place"


def test_no_link_is_broken_and_nothing_comes_from_a_network(site):
    assert list(problems(site)) == []


def test_every_notebook_is_a_page_with_its_title_and_neighbours(site):
    paths = [p for p in (ROOT / "notebooks").rglob("*.ipynb") if "checkpoints" not in str(p)]
    assert len(paths) > 10
    for path in paths:
        page = site / path.relative_to(ROOT).with_suffix(".html")
        text = page.read_text(encoding="utf-8")
        bar = text.partition("sidebar-tree")[2].partition("<article")[0]
        assert f">{path.stem}</a>" not in bar, "a file's name instead of a title"
        assert 'class="next-page"' in text or 'class="prev-page"' in text


def test_every_public_name_has_a_page_that_documents_it(site, documentation):
    names = documentation["names"]
    listed = [*names.listed().items(), *names.helpers().items()]
    for room, name in [(room, name) for room, group in listed for name in group]:
        page = (site / f"docs/api/names/{room}.{name}.html").read_text(encoding="utf-8")
        assert f'id="{room}.{name}"' in page or "<dt" in page, f"{room}.{name}"
    assert len(names.public_names("hlsvm")) > 20


def test_every_name_that_a_notebook_uses_is_public_and_documented(documentation, tmp_path):
    names = documentation["names"]
    cell = "from hlsvm import reproduce, trees as t\nreproduce.say('x'); t.export_c; t.plot_tree.a"
    book = {"cells": [{"cell_type": "code", "source": [cell]}]}
    (tmp_path / "book.ipynb").write_text(json.dumps(book))
    shown = {("hlsvm.reproduce", "say"), ("hlsvm.trees", "export_c"), ("hlsvm.trees", "plot_tree")}
    assert names.used_in([tmp_path / "book.ipynb"]) == shown
    for module, group in names.helpers().items():
        assert not re.search(r"\._", module), module
        values = {name: getattr(importlib.import_module(module), name) for name in group}
        assert [name for name, one in values.items() if callable(one) and not one.__doc__] == []


def test_every_room_with_public_names_is_listed(documentation):
    rooms = {"hlsvm"} | {
        f"hlsvm.{path.parent.name}"
        for path in (ROOT / "hlsvm").glob("*/__init__.py")
        if path.parent.name not in ("chapters", "cli")
    }
    assert rooms <= set(documentation["names"].ROOMS)


@pytest.mark.parametrize("width", [1280, 400])
def test_the_pages_are_clean_in_a_browser(site, page, width):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": width, "height": 800})
    pages = [site / "docs/index.html", site / "figures/README.html"]
    pages += sorted((site / "notebooks").glob("*.html"))
    pages += sorted((site / "notebooks/experiments").glob("*.html"))[:: 1 if width == 400 else 4]
    pages += sorted((site / "docs/api/names").glob("*.html"))[::20]
    for path in pages:
        page.goto(path.as_uri())
        seen = page.evaluate(SEEN)
        assert seen["undrawn"] == [], path.name
        assert seen["empty"] == 0, path.name
        assert seen["titles"] == 1, path.name
        assert seen["width"] <= width, path.name
        assert "$$" not in page.locator("article").inner_text(), path.name
    assert page.complaints == []
    assert {url.split(":")[0] for url in asked} <= {"file", "data"}


SEEN = """() => ({
  undrawn: [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
  empty: [...document.querySelectorAll('article math')]
    .filter(m => m.getBoundingClientRect().width < 2).length,
  titles: document.querySelectorAll('article h1').length,
  width: document.documentElement.scrollWidth,
})"""


def test_the_search_answers_without_a_server(site, page):
    page.goto((site / "search.html").as_uri() + "?q=hyperplane")
    page.wait_for_selector("#search-results li:nth-child(6)")  # they appear one after another


def test_formulas_that_cannot_be_shown_stop_the_build(documentation):
    to_mathml = documentation["mathml"].to_mathml
    assert "<mfrac>" in to_mathml(r"\tfrac12", display=True)
    assert "<mn>2.3</mn>" in to_mathml(r"a \tag{2.3}")
    with pytest.raises(ValueError, match="cannot be shown"):
        to_mathml(r"\frac")


def test_links_to_folders_and_linked_pictures_are_put_in_words_of_a_page(documentation):
    plain = documentation["notebooks"].plain
    assert plain("see [data](../data/results), [x](y.ipynb)") == "see data, [x](y.ipynb)"
    assert plain("![a](b/c) [t](#place) [w](https://a.org/b)") == (
        "![a](b/c) [t](#place) [w](https://a.org/b)"
    )
    picture = '<a href="f.svg"><img src="f.png" width="4" alt="words"></a>'
    assert plain(picture) == "[![words](f.png){width=4px}](f.svg)"
    assert plain("[E2](a.ipynb#E2) [p](#A-word:-two)") == "[E2](a.ipynb#e2) [p](#a-word-two)"


def test_a_cell_that_only_says_a_sentence_is_hidden(documentation):
    only_says = documentation["notebooks"].only_says
    assert only_says('say("The error is {e}.", e=2)')
    assert only_says('reproduce.say("x")')
    assert not only_says('e = 2\nsay("The error is {e}.", e=e)')
    assert not only_says("table.round(2)")
    assert not only_says("%matplotlib inline")
