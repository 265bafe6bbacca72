"""Every committed notebook keeps to the rules, and every rule can fail."""

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from tests.notebooks.checks import MAX_OUTPUT_BYTES, check_file, problems

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "notebooks").rglob("*.ipynb")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
LITERALS = """\
scale: str = "quick"  # quick or paper
seed: int = 0  # of everything random
n_jobs: int = 1  # workers
out_dir: str = ""  # where records go"""


@pytest.mark.parametrize("name", FILES)
def test_a_notebook_is_clean(name):
    assert check_file(ROOT / name) == []


def test_notebooks_have_names_without_spaces():
    assert [name for name in FILES if " " in name] == []


def good(*cells):
    """Return a clean notebook with further code cells; a pair is source and outputs."""
    first = v4.new_code_cell(LITERALS, metadata={"tags": ["parameters"]})
    pairs = [(cell, []) if isinstance(cell, str) else cell for cell in cells]
    code = [first, *(v4.new_code_cell(source, outputs=outputs) for source, outputs in pairs)]
    for count, cell in enumerate(code, 1):
        cell.execution_count = count
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell("# Title"), *code])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return notebook


def complaint(notebook, folder=ROOT):
    nbformat.validate(notebook)
    return " / ".join(problems(notebook, folder))


def test_a_clean_notebook_has_no_problem(tmp_path):
    (tmp_path / "a.png").write_bytes(b"x")
    notebook = good(
        "record.figure(frame, 'Thesis.Fig5.6')",
        ("compare('HLSVM.Tab4')", [v4.new_output("stream", text="3/4 of N/M, 1 / 2 and a/b/c\n")]),
        "for id in ('Thesis.Fig4.1', 'Thesis.Fig4.3'):\n    save_figure(figs[id], id, data=d)",
        "%matplotlib inline\nx = frame[frame['id'] == 'Thesis.text054']",
    )
    notebook.cells.append(v4.new_markdown_cell("![a](a.png) ![b](https://a.org/b.png)"))
    assert complaint(notebook, tmp_path) == ""


def test_execution_counts_must_run_from_one():
    notebook = good("1 + 1", "2 + 2")
    notebook.cells[-1].execution_count = 7
    assert "execution counts must be 1..3" in complaint(notebook)
    notebook.cells[-1].execution_count = None
    assert "execution counts" in complaint(notebook)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (v4.new_output("error", ename="ValueError", evalue="no"), "ended in ValueError"),
        (v4.new_output("stream", name="stderr", text="a warning"), "wrote to stderr"),
        (v4.new_output("display_data", data={"image/svg+xml": "<svg/>"}), "shows SVG"),
        (v4.new_output("stream", text="saved to /home/me/x.png"), "shows the path '/home/me'"),
        (
            v4.new_output("execute_result", data={"text/plain": "WindowsPath('C:\\\\x')"}),
            "shows the path",
        ),
        (
            v4.new_output("execute_result", data={"text/html": "<b>&lt;A at 0x7f01ab23</b>"}),
            "shows the address",
        ),
        (
            v4.new_output("display_data", data={"image/png": "a" * MAX_OUTPUT_BYTES}),
            "outputs take",
        ),
    ],
)
def test_outputs_that_are_refused(output, words):
    assert words in complaint(good(("f()", [output])))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("open('/tmp/x/y.csv')", "absolute path '/tmp/x'"),
        ("x = 1\n" * 57, "has 57 lines"),
        ("plt.plot(x);", "hides its output"),
        ("record.figure(frame, 'Thesis.Fig5.60')", "'Thesis.Fig5.60', not an id"),
        ("record.figure(frame, 'figure one')", "'figure one' is no id"),
        ("record.figure(frame, f'Thesis.Fig{n}')", "must name its catalogue id in full"),
        ("save_figure(fig, data=d)", "must name its catalogue id in full"),
        ("save_figure(fig, id='nothing', data=d)", "'nothing' is no id"),
        ("record.table(frame, 'Tab5.4')", "'Tab5.4' is no id"),
        ("reproduce.compare('Thesis.Table5.4')", "'Thesis.Table5.4', not an id"),
        ("published('Tab5')", "'Tab5' is no id"),
        ("ids = ['HLSVM.Tab99']", "'HLSVM.Tab99', not an id"),
    ],
)
def test_sources_that_are_refused(source, words):
    assert words in complaint(good(source))


def test_a_formula_needs_a_blank_line_after_it():
    notebook = good()
    notebook.cells[0].source += "\n\n$$a = b$$\n\nwhere $a$ is one"
    assert complaint(notebook) == ""
    notebook.cells[0].source += "\n\n$$a = b$$\nwhere $a$ is one"
    assert "a blank line must follow '$$a = b$$'" in complaint(notebook)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (LITERALS + "\nlam: float = 2 * 3.0  # strength", "'name: type = literal' only"),
        (LITERALS + "\nlam = 1e-5  # strength", "'name: type = literal' only"),
        (LITERALS + "\nimport os", "'name: type = literal' only"),
        (LITERALS + "\nlam: float = 1e-5", "'lam' must say what it is"),
        (LITERALS.replace("n_jobs", "jobs"), "lacks ['n_jobs']"),
    ],
)
def test_parameters_that_are_refused(source, words):
    notebook = good()
    notebook.cells[1].source = source
    assert words in complaint(notebook)


def test_parameters_of_several_lines_are_fine():
    notebook = good()
    notebook.cells[1].source = LITERALS + "\nlams: list = [\n    1e-3,\n    -1e-4,\n]  # strengths"
    assert complaint(notebook) == ""


def test_the_parameters_cell_comes_first_and_once():
    notebook = good("x = 1")
    notebook.cells[1].metadata["tags"] = []
    assert "exactly one cell" in complaint(notebook)
    notebook.cells[2].metadata["tags"] = ["parameters"]
    assert "exactly one cell" in complaint(notebook)


def test_the_frame_of_a_notebook():
    notebook = good()
    notebook.metadata["kernelspec"]["name"] = "venv"
    notebook.metadata["papermill"] = {}
    notebook.cells[1].metadata["papermill"] = {}
    notebook.cells[0].source = "A title without a mark"
    answer = complaint(notebook)
    for words in ("a title", "kernelspec must be", "from the notebook", "from the cells"):
        assert words in answer


def test_an_image_that_is_missing(tmp_path):
    notebook = good()
    notebook.cells.append(v4.new_markdown_cell("![](../figures/thesis-fig9.9.png)"))
    assert "thesis-fig9.9.png does not exist" in complaint(notebook, tmp_path)
    notebook.cells[-1].source = '<img src="gone.png" width="3">'
    assert "gone.png does not exist" in complaint(notebook, tmp_path)
