"""Every grid of notebooks/sweeps fits its notebook, and every recorded sweep fits its grid."""

import ast
import re
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from hlsvm.reproduce.notebook import Notebook
from hlsvm.reproduce.parameters import complete, read_grid

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks" / "sweeps"
GRIDS = sorted(path.name for path in FOLDER.glob("*.yml"))
LESSONS = {
    "03_qpfs": "qpfs",
    "04_kqpfs_equivalence": "kqpfs",
    "05_hlsvm": "hlsvm",
    "08_srs_svm": "srs_svm",
    "09_dtsvm": "dtsvm",
    "10_metric_tree": "metric_tree",
}
RECORDED = sorted(path.name for path in (ROOT / "data" / "results" / "sweeps").glob("*.csv"))


def sets_of(name):
    grid = FOLDER / name
    notebook = Notebook(FOLDER / f"{grid.stem.partition('-')[0]}.ipynb")
    return notebook, complete(notebook, read_grid(grid), grid)


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_names_parameters_of_its_notebook(name):
    notebook, sets = sets_of(name)
    assert "sweep.result(" in notebook.code[-1]
    assert len(sets) > 1
    varied = {key for key in sets[0] if len({str(one[key]) for one in sets}) > 1}
    assert varied


def test_every_method_has_a_notebook_and_a_grid():
    methods = {path.stem for path in FOLDER.glob("*.ipynb")}
    assert methods == {"hlsvm", "qpfs", "kqpfs", "srs_svm", "dtsvm", "metric_tree"}
    assert {name.partition("-")[0].removesuffix(".yml") for name in GRIDS} == methods


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_sweep_shows_its_grid_its_table_and_a_picture(path):
    cells = nbformat.read(path, 4).cells
    text = "\n".join(cell.source for cell in cells)
    assert re.search(r"\*\*[^*]+\?\*\*", text), "no question"
    assert f"[`{path.stem}.yml`]({path.stem}.yml)" in text
    assert f"{path.stem}.csv" in RECORDED
    assert re.search(r"\]\(\.\./\d\d\w*\.ipynb\)", text), "no lesson"
    shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    assert sum("image/png" in data for data in shown) == 1
    assert sum("<table" in data.get("text/html", "") for data in shown) >= 2


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_index_asks_and_answers_as_the_sweep(path):
    cells = nbformat.read(path, 4).cells
    shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    said = next(data["text/markdown"] for data in shown if "text/markdown" in data)
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if f"]({path.name})" in line)
    assert re.search(r"\*\*([^*]+\?)\*\*", cells[0].source)[1] in line
    assert re.match(r"\*\*([^*]+)\.\*\*", said)[1] in line


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_cell_changes_a_parameter(path):
    notebook = Notebook(path)
    _, *later = notebook.code
    stored = {
        node.id
        for source in later
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    assert not stored & set(notebook.parameters)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_leads_to_its_sweep(name):
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert f"](sweeps/{LESSONS[name]}.ipynb)" in text


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_sweep_has_a_good_row_for_every_set(name):
    _, sets = sets_of(f"{Path(name).stem}.yml")
    table = pd.read_csv(ROOT / "data" / "results" / "sweeps" / name).drop_duplicates("run")
    assert len(table) == len(sets)
    assert (table["status"] == "ok").all()
    for key in sets[0]:
        if len({str(one[key]) for one in sets}) > 1:
            assert table[key].tolist() == [one[key] for one in sets]
