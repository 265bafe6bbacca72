"""Markdown pages as GitHub shows them: relative links, pictures and places exist."""

import re
from pathlib import Path

import pytest

from hlsvm._markdown import place

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "data/README.md", "data/published/README.md"]
PAGES += ["figures/README.md", "notebooks/sweeps/README.md"]


def targets(text):
    """Return what a page links to or shows, code and formulas left out."""
    text = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    return [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'(?:href|src)="([^"]+)"', text)]


def places(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return {place(re.sub(r"[`*]", "", line.lstrip("# "))) for line in lines if line.startswith("#")}


def broken(path):
    """Yield each relative target of a page that does not exist."""
    for target in targets(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in places(file)):
            yield target


@pytest.mark.parametrize("name", PAGES)
def test_relative_links_and_pictures_exist(name):
    assert list(broken(ROOT / name)) == []


def test_the_readme_has_a_picture():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"!\[[^\]]+\]\(figures/[^)]+\.png\)", text)


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` c\n[x](#a-b-c) [y](#gone) [z](gone.md) ![p](gone.png) [w](https://a.b)\n"
    )
    assert list(broken(page)) == ["#gone", "gone.md", "gone.png"]


def test_the_readme_s_code_runs_and_gives_what_is_written_beside_it(tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    text, names, shown = (ROOT / "README.md").read_text(encoding="utf-8"), {}, 0
    for line in "".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)).splitlines():
        if said := re.fullmatch(r"(.+?)  # (-?\d[\d.]*|True)(:.*)?", line):
            value, digits = eval(said[1], names), len(said[2].partition(".")[2])
            assert said[2] == (str(value) if said[2] == "True" else f"{value:.{digits}f}"), line
            shown += 1
        else:
            exec(line, names)
    assert shown == 8
