"""The static site in a browser: no script errors, no broken links, formulas and pictures drawn."""

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from hlsvm.reproduce.site import links
from hlsvm.reproduce.site.build import build, render_markdown, render_notebook
from hlsvm.reproduce.site.formulas import to_mathml, with_formulas

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Give the folder of the site, built once."""
    folder = tmp_path_factory.mktemp("web") / "site"
    build(folder)
    return folder


def test_every_notebook_is_a_page_and_every_target_exists(site):
    names = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert names <= {path.stem for path in (site / "notebooks").glob("*.html")}
    assert list(links.problems(site)) == []


def test_the_pages_are_clean_in_a_browser(site, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        undrawn = page.evaluate(
            "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
        )
        assert undrawn == [], path.name
        assert page.locator("main h1").count() >= 1, path.name
        assert "$$" not in page.locator("main").inner_text(), path.name
    assert page.complaints == []
    assert {url.split(":")[0] for url in asked} <= {"file", "data"}


def test_formulas_have_a_size_and_the_bar_leads_on(site, page):
    page.goto((site / "notebooks" / "02_background.html").as_uri())
    boxes = page.evaluate("[...document.querySelectorAll('math')].map(m => m.clientWidth)")
    assert len(boxes) > 10
    assert page.locator("mfrac").count() > 0
    page.get_by_role("link", name="gallery").first.click()
    assert page.locator("h1").first.inner_text() == "Gallery"
    assert page.locator("img").count() > 5


def test_formulas_are_found_and_code_is_left_alone():
    text = with_formulas("<p>$a_i &lt; b$, <code>$x$</code> and $$\\frac{1}{2}$$ for 5$</p>")
    assert text.count("<math") == 2
    assert "<code>$x$</code>" in text
    assert text.endswith("5$</p>")
    assert "<mi>&#x003C1;</mi>" in to_mathml(r"\rho") or "ρ" in to_mathml(r"\rho")
    with pytest.raises(ValueError, match=r"'\\\\frac' cannot be shown"):
        to_mathml(r"\frac")


def test_outputs_are_shown_and_scripts_are_not():
    notebook = v4.new_notebook()
    data = {"text/html": "<script>alert(1)</script>", "text/plain": "a < b"}
    outputs = [
        v4.new_output("execute_result", data=data),
        v4.new_output("display_data", data={"image/png": "AAAA"}),
        v4.new_output("stream", text="said\n"),
    ]
    notebook.cells = [v4.new_markdown_cell("# T"), v4.new_code_cell("x = 1", outputs=outputs)]
    nbformat.validate(notebook)
    text = render_notebook(notebook)
    assert "<script" not in text
    assert "a &lt; b" in text
    assert "data:image/png;base64,AAAA" in text
    assert "said" in text
    assert "<h1" in render_markdown("# T")


def test_broken_links_are_told(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html">b</a><a href="#top">t</a><a href="#gone">g</a>'
        '<img src="c.png"><script src="https://a.org/x.js"></script>'
    )
    assert list(links.problems(tmp_path)) == [
        "a.html shows c.png, which does not exist",
        "a.html loads https://a.org/x.js from the network",
        "a.html links to b.html, which does not exist",
        "a.html links to #gone, which has no such place",
    ]


def test_a_folder_with_other_things_is_not_replaced(tmp_path):
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(ValueError, match="out must be a new folder"):
        build(tmp_path)
    assert (tmp_path / "precious.txt").exists()
