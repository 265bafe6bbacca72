"""The errata: an index whose links arrive, one template, evidence, links from elsewhere."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
ERRATA = NOTEBOOKS / "11_errata.ipynb"
KINDS = {"conclusion", "proof", "formula", "table", "protocol"}
EVIDENCE = {"derivation", "example", "examples", "run", "printed"}
_ROW = re.compile(
    r"^\| \[(E\d+)\]\(#\1\) \| ([^|]+) \| (\w+) \| ([^|]+) \| ([a-z, ]+) \|$", re.MULTILINE
)
_SLIP = re.compile(r'^\| <a id="(E\d+)"></a>\1 (?:\| [^|]+){3}\|$', re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*\bE\d+)\]\(([^)\s]*11_errata\.ipynb)(?:#([^)]*))?\)")
_PLAIN = re.compile(r"\b[Ee]rrat(?:um|a) (E\d+)(?!\d|\])")


def entries():
    """Return, for each heading ``### E1``, its section, its text and its code cells."""
    part, number, sections = "", "", {}
    for cell in nbformat.read(ERRATA, 4).cells:
        if cell.cell_type == "code":
            if number:
                sections[number]["code"].append(cell.source)
            continue
        for line in cell.source.splitlines():
            if line.startswith("## "):
                part, number = line[3:], ""
            elif line.startswith("### "):
                number = line[4:]
                assert number not in sections
                sections[number] = {"part": part, "text": "", "code": []}
            elif number:
                sections[number]["text"] += line + "\n"
    return sections


ENTRIES = entries()
TEXT = "\n".join(c.source for c in nbformat.read(ERRATA, 4).cells if c.cell_type == "markdown")
INDEX = {number: (kind, evidence) for number, _, kind, _, evidence in _ROW.findall(TEXT)}
SLIPS = _SLIP.findall(TEXT)  # of little consequence: a line each
APART = {"Loose or suspicious", "Checked and found right"}
RIGHT = {number for number, one in ENTRIES.items() if one["part"] in APART}


def test_the_index_names_every_erratum_once_in_the_order_of_the_page():
    assert list(INDEX) == [number for number in ENTRIES if number not in RIGHT]
    assert len(INDEX) > 20
    assert {kind for kind, _ in INDEX.values()} == KINDS
    assert {word for _, how in INDEX.values() for word in how.split(", ")} == EVIDENCE


def test_a_slip_is_one_line_with_a_link():
    assert len(SLIPS) == TEXT.count('<a id="') > 10
    assert sorted(set(SLIPS), key=lambda number: int(number[1:])) == SLIPS
    assert not set(SLIPS) & set(ENTRIES)
    assert all(f"[{number}](#{number})" in TEXT for number in SLIPS)


@pytest.mark.parametrize("number", INDEX)
def test_an_erratum_follows_the_template(number):
    text, code = ENTRIES[number]["text"], ENTRIES[number]["code"]
    assert text.startswith("**"), "no title"
    both = "**Printed, and why it is wrong.**"  # one line a letter
    parts = [both] if both in text else ["**Printed.**", "**Why it is wrong.**"]
    parts = ["**What follows.**", *parts, "**Evidence.**"]
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    checks = [source for source in code if re.search(r"\bassert\b|\bwhen=", source)]
    assert checks, "no cell decides it"


def notebooks():
    paths = [p for p in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths if path != ERRATA)


@pytest.mark.parametrize("name", notebooks())
def test_a_named_erratum_is_a_link_to_its_place(name):
    path = ROOT / name
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "markdown":
            assert _PLAIN.findall(cell.source) == [], "a number without a link"
            for text, target, anchor in _LINK.findall(cell.source):
                assert (path.parent / target).resolve() == ERRATA
                assert anchor in {*ENTRIES, *SLIPS}, text


def test_docstrings_name_errata_that_exist():
    named = {
        number
        for path in (ROOT / "hlsvm").rglob("*.py")
        for number in re.findall(r"\b[Ee]rrat(?:um|a) (E\d+)", path.read_text(encoding="utf-8"))
    }
    assert named <= {*ENTRIES, *SLIPS}
