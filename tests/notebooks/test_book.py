"""What a notebook owes its reader: nothing measured is typed, sharp pictures, short lessons.

Lessons are ``notebooks/NN_name.ipynb``; experiments and sweeps stand in folders below.
"""

import base64
import re
import struct
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("[0-9][0-9]*_*.ipynb"))
ALL = [*LESSONS, *sorted(NOTEBOOKS.glob("[!.]*/*.ipynb"))]
PAGES = [ROOT / "README.md", NOTEBOOKS / "sweeps/README.md"]
# References, not lessons: an index of errata, and the scoreboard.
LONG = {"11_errata.ipynb", "12_scoreboard.ipynb"}
METHODS = [path for path in LESSONS if path.name not in {"00_start_here.ipynb", *LONG}]

CELLS, WORDS, TABLES, ROWS, COLUMNS = (20, 35), 3500, 8, 12, 7
WIDTH = 1300  # pixels of an embedded figure, at least

_NOT_PROSE = [
    r"```.*?```",  # code
    r"`[^`]*`",
    r"\$\$.*?\$\$",  # formulas
    r"\$[^$]*\$",
    r"\]\([^)]*\)",  # targets of links and pictures
    r"<[^>]*>",
    r"^#+ .*$",  # headings carry section numbers
    r"\(\d+\.\d+(?:\s*[,-]\s*\d+\.\d+)*\)",  # (5.4), (5.3, 5.4): equations
    # A place in a source: "Thesis 2.3.3.1", "Eq. 3.7 and 3.8", "Tables 5.4-5.6".
    r"\b(?:Thesis|HLSVM|DTSVM|MetricTree|SRS|SVM|[Ss]ections?|[Cc]hapters?|[Ff]ig(?:ure)?s?|[Tt]ables?"
    r"|[Ee]q(?:uation)?s?|[Aa]lg(?:orithm)?s?|[Tt]heorems?|[Ll]emmas?|[Pp]ropositions?|[Aa]ppendix"
    r"|[Ee]rrat(?:um|a)|[Pp]ython|[Vv]ersion)\b\.?,?\s*(?:ch\.|sec\.|app\.|>=)?\s*"
    r"[A-Z]?\d[\d.]*(?:\s*(?:,|and|to|-|–)\s*[A-Z]?\d[\d.]*)*",
    r"\b\d+ (?:minutes?|seconds?) to (?:read|run)\b",  # the opening of a lesson
    r"\b(?:95|99) %",  # levels of confidence
]
_MEASURED = [
    (r"(?<![\w.])\d+\.\d+", "a decimal"),
    (r"\b\d+(?:\.\d+)?\s*(?:%|per cent|percent\b)", "a percentage"),
    (r"\b\d+(?:\.\d+)?\s*(?:x\b|times\b|-fold (?:faster|slower|more))", "a multiple"),
    (r"\b\d+(?:\.\d+)?\s*(?:ms|us|µs|s|seconds?|minutes?|hours?|days?)\b", "a time"),
]


def typed_numbers(markdown: str) -> list[str]:
    """Return the measured numbers that a Markdown text holds."""
    for pattern in _NOT_PROSE:
        markdown = re.sub(pattern, " ", markdown, flags=re.DOTALL | re.MULTILINE)
    return [
        f"{name}: {match.group()}"
        for pattern, name in _MEASURED
        for match in re.finditer(pattern, markdown)
    ]


def cells(path, kind):
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == kind]


def outputs(path):
    return [output for cell in cells(path, "code") for output in cell.outputs]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("The tree errs on 2.36 % of the rows.", 2),
        ("It is 12 x faster and takes 3 ms.", 2),
        ("Thesis 2.3.3.1, Eq. 3.7 and (5.4); $\\lambda = 0.5$, `0.5`, [a](b0.5.png)", 0),
        ("Tables 5.4-5.6, chapter 5.3", 0),
        ("25 minutes to read, 15 seconds to run; with 95 % confidence; Python >= 3.11", 0),
        ("## 5.1 A heading\nTwo sides of 1,500 and 500 samples.", 0),
    ],
)
def test_the_rule_for_typed_numbers_can_fail(text, numbers):
    assert len(typed_numbers(text)) == numbers


@pytest.mark.parametrize("path", [*PAGES, *ALL], ids=name_of)
def test_no_measured_number_is_typed(path):
    if path.suffix == ".md":
        texts = [
            re.sub(r"<!-- (\w+): generated.*?<!-- end of \1 -->", "", path.read_text(), flags=re.S)
        ]
    else:
        texts = [cell.source for cell in cells(path, "markdown")]
    assert [number for text in texts for number in typed_numbers(text)] == []


@pytest.mark.parametrize("path", METHODS, ids=name_of)
def test_a_lesson_is_short(path):
    total = len(nbformat.read(path, 4).cells)
    words = sum(len(cell.source.split()) for cell in cells(path, "markdown"))
    tables = [output for output in outputs(path) if "<table" in _html(output)]
    assert CELLS[0] <= total <= CELLS[1]
    assert words <= WORDS
    assert len(tables) <= TABLES


@pytest.mark.parametrize("path", [*METHODS, NOTEBOOKS / "00_start_here.ipynb"], ids=name_of)
def test_a_table_of_a_lesson_fits_the_page(path):
    for output in outputs(path):
        html = _html(output)
        if "<table" not in html:
            continue
        body = html.split("<tbody>")[-1]
        rows = body.split("</tr>")[:-1]
        assert len(rows) <= ROWS, html[:300]
        assert max(len(re.findall("<t[dh]", row)) for row in rows) <= COLUMNS, html[:300]
        assert not re.search(r">(NaN|nan|-?0\.0+e\+00|inf)<", body), html[:300]


@pytest.mark.parametrize("path", METHODS, ids=name_of)
def test_a_lesson_shows_no_harness(path):
    text = "".join(cell.source for cell in cells(path, "markdown"))
    text += "".join(str(output.get("data", output.get("text", ""))) for output in outputs(path))
    assert "not run" not in text
    assert not re.search("The (table|figure) decides|The picture shows what", text)  # a stopgap
    modules = re.findall(r"hlsvm\.chapters\.\w+", "".join(c.source for c in cells(path, "code")))
    assert set(modules) <= {"hlsvm.chapters.lessons"}


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_figures_are_sharp(path):
    for output in outputs(path):
        image = output.get("data", {}).get("image/png")
        if image is None:
            continue
        width, _ = struct.unpack(">II", base64.b64decode(image)[16:24])
        shown = output.metadata.get("image/png", {}).get("width", width)
        assert width >= WIDTH
        assert width >= 1.9 * shown, (
            "the picture is stored at less than twice the density it is shown at"
        )


@pytest.mark.parametrize("path", METHODS, ids=name_of)
def test_a_figure_has_a_caption(path):
    notebook = nbformat.read(path, 4).cells
    for cell, after in zip(notebook, [*notebook[1:], None], strict=True):
        if cell.cell_type == "code" and any("image/png" in o.get("data", {}) for o in cell.outputs):
            caption = after.source if after is not None else ""
            assert caption.startswith("*"), cell.source[:200]


@pytest.mark.parametrize("path", METHODS, ids=name_of)
def test_a_lesson_leads_on(path):
    text = "".join(cell.source for cell in cells(path, "markdown"))
    targets = re.findall(r"\]\(([^)#]*\.ipynb)", text)
    assert any(target.startswith("experiments/") for target in targets)
    assert any(not target.startswith("experiments/") for target in targets)


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_links_lead_somewhere(path):
    for cell in cells(path, "markdown"):
        for target in re.findall(r"\]\(([^)\s]+)\)", cell.source):
            if "://" in target or target.startswith(("#", "mailto:", "attachment:")):
                continue
            place, _, anchor = target.partition("#")
            assert (path.parent / place).exists(), target
            if anchor and place.endswith(".ipynb"):
                assert _has_anchor(path.parent / place, anchor), target


def _html(output) -> str:
    return output.get("data", {}).get("text/html", "")


def _has_anchor(path, anchor) -> bool:
    text = "\n".join(cell.source for cell in cells(path, "markdown"))
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return f'id="{anchor}"' in text or anchor in [
        head.strip().replace(" ", "-") for head in headings
    ]
