"""A record is as young as its protocol, its data and the libraries; looking executes nothing."""

import ast
import json
import shutil
import subprocess
import sys

import nbformat
import pandas as pd
import pytest

from hlsvm import datasets
from hlsvm.reproduce import Recorder, code_digest, stale
from hlsvm.reproduce.repository import entries, repository_root
from hlsvm.reproduce.staleness import UNKNOWN, cells_digest, notebook_of, pinned, section_digest

ROW = {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 2.0}
CELLS = """
# %% parameters
scale: str = "quick"
seed: int = 0
n_jobs: int = 2
# %%
import pandas as pd
from hlsvm import HLSVMClassifier, datasets, reproduce
from hlsvm.reproduce import compare
record = reproduce.Recorder(scale=scale, seed=seed, out_dir="record")
folds = 3
# %% ## First
other = folds + 1
record.table(pd.DataFrame({"a": [other]}), "Thesis.Tab5.3")
# %% ## Second
def measure(problem, lam):
    data = datasets.load("banana_like")
    return {"error_pct": 100 * HLSVMClassifier(lam, random_state=seed).fit(data.X, data.y)}
# %%
rows = pd.DataFrame([{"dataset": "IJCNN", "method": "H-LSVM", **measure(None, 0.1)}])
rows["folds"] = folds
rows.head()
# %%
record.table(rows, "Thesis.Tab5.4")
record.figure(rows, "Thesis.Fig5.6")
rows.round(2)
# %%
compare("Thesis.Tab5.4", layout="wide")
"""


def write_notebook(root, text=CELLS):
    notebook = nbformat.v4.new_notebook()
    for part in text.split("# %%")[1:]:
        head, _, source = part.partition("\n")
        if "##" in head:
            notebook.cells.append(nbformat.v4.new_markdown_cell(head.strip()))
        notebook.cells.append(nbformat.v4.new_code_cell(source))
    path = root / "notebooks" / "experiments" / "05_hlsvm.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


@pytest.fixture
def digest(repository):
    def of(text=CELLS, id="Thesis.Tab5.4"):
        write_notebook(repository, text)
        return section_digest(id)

    return of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows.round(2)", "rows.round(3)"),
        ('layout="wide"', 'layout="long"'),
        ("other = folds + 1", "other = folds + 2"),
        ("data = ", "whole = "),
        ("n_jobs: int = 2", "n_jobs: int = 4"),
        ('record.figure(rows, "Thesis.Fig5.6")', ""),
        ("folds = 3", "folds = 3  # as in the Thesis"),
    ],
)
def test_what_stands_below_the_recording_and_other_sections_do_not_count(digest, old, new):
    assert old in CELLS
    text = CELLS.replace(old, new)
    if "whole" in new:
        text = text.replace("data.X, data.y", "whole.X, whole.y")
    assert digest(text) == digest() != ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("folds = 3", "folds = 5"),
        ("measure(None, 0.1)", "measure(None, 0.2)"),
        ("100 *", "10 *"),
        ('"banana_like"', '"banana"'),
        ('rows["folds"] = folds', ""),
        ("seed: int = 0", "seed: int = 1"),
        ("rows.head()", "rows.pop('method')"),
        ("rows.head()", "rows.tail()"),  # whatever stands above the recording
    ],
)
def test_a_changed_protocol_in_a_cell_is_seen(digest, old, new):
    assert old in CELLS
    assert digest(CELLS.replace(old, new)) != digest()


@pytest.mark.parametrize(
    "statement",
    [
        "setattr(measure, 'folds', 4)",
        "exec('folds = 4')",
        "globals()['folds'] = 4",
        "%run other.py",
        "!touch other.py",
        "sizes = %who",
        "rng.shuffle(order)",
        "_ = rng.shuffle(order)",
        "[rng.shuffle(one) for one in (order,)] and rng.shuffle(order)",
        "change(order)",
        "if folds:\n    change(order)",
        "np.random.seed(7)",
        "np.random.rand = len",
        "def more():\n    global folds\n    folds = 4\nmore()",
        "def more():\n    order[0] = 4\nmore()",
        "for row in [order]:\n    row[0] /= 2",
        "alias = order\nalias += [1]",
        "errors = rows.error_pct.values\nerrors /= 2",
        "for model in {'a': measure}.values():\n    model.folds = 2",
    ],
)
def test_a_change_that_binds_no_name_is_seen(digest, statement):
    setup = "import numpy as np\nrng = np.random.default_rng(0)\norder = [1, 2]\nfolds = 3"
    setup += "\ndef change(x):\n    x.reverse()"
    text = CELLS.replace("folds = 3", setup).replace('["folds"] = folds', '["folds"] = order[0]')
    before = digest(text)
    assert digest(text + f"# %%\n{statement}\n") == before  # after the recording
    changed = digest(text.replace("rows.head()", f"{statement}\nrows.head()"))
    assert changed != before
    for old, new in (("4", "5"), ("2", "3"), ("7", "8")):
        if old in statement:
            other = statement.replace(old, new)
            assert digest(text.replace("rows.head()", f"{other}\nrows.head()")) != changed


def test_a_notebook_that_does_not_record_an_id_has_no_digest(digest):
    assert digest(id="Thesis.Tab5.5") == ""
    assert digest(id="Thesis.Tab3.5") == ""


def test_the_digest_of_a_whole_notebook_sees_what_is_shown():
    cells = ["from hlsvm.reproduce import compare\nx = 1", "compare('Thesis.Tab5.4')", "%time x"]
    assert cells_digest(cells) == cells_digest([cells[0] + "  # one", *cells[1:]])
    assert cells_digest(cells) != cells_digest([cells[0], "compare('Thesis.Tab5.5')", cells[2]])


def record(repository, commit, **changed):
    """Record a table from its notebook, then pretend that what it was made from was other."""
    write_notebook(repository)
    (repository / "constraints.txt").write_text("numpy==0.1\n" if "numpy" in changed else "")
    commit(repository, "notebook")
    recorder = Recorder(scale="paper", out_dir="record")
    recorder.uses(datasets.load("banana_like"))
    recorder.table(pd.DataFrame([ROW]), "Thesis.Tab5.4")
    path = repository / "data" / "results" / "thesis-tab5.4.json"
    content = json.loads(path.read_text())
    if "code" in changed:
        content["code"] = changed["code"]
    if "registered" in changed:
        content["datasets"]["banana_like"]["registered"] = changed["registered"]
    path.write_text(json.dumps(content))


def test_a_record_is_fresh_when_it_is_made(repository, commit):
    record(repository, commit)
    assert stale().empty
    write_notebook(repository, CELLS.replace("folds = 3", "folds = 4"))
    assert stale().to_dict("records") == [
        {"id": "Thesis.Tab5.4", "record": "data/results/thesis-tab5.4.json", "changed": "code"}
    ]


def test_changed_code_data_and_libraries_make_it_out_of_date(repository, commit):
    record(repository, commit, code="0" * 32, registered="0", numpy="0.1")
    assert stale().changed.tolist() == ["code; numpy; data:banana_like"]
    assert pinned()["numpy"] == "0.1"


def test_a_record_that_does_not_name_its_code_says_so(repository, commit):
    record(repository, commit, code=None)
    assert stale().changed.tolist() == [UNKNOWN]


def test_looking_imports_no_algorithm_and_loads_no_data(repository, commit):
    record(repository, commit, code="0" * 32)
    code = "from hlsvm.reproduce import stale; print(stale().changed[0]); import sys"
    code += "; print([name for name in ('sklearn', 'numba', 'scipy') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["code", "[]"]


@pytest.mark.parametrize(
    ("call", "folder"),
    [
        ('published("Thesis.Tab5.3")', "data/published"),
        ('reproduce.published("Thesis.Tab5.3")', "data/published"),
        ('reproduce.recorded("Thesis.Tab5.2", missing_ok=True)', "data/results"),
    ],
)
def test_a_table_that_the_protocol_reads_counts(digest, repository, call, folder):
    text = CELLS.replace("import compare", "import compare, published")
    text = text.replace("rows.head()", f"rows.merge({call})")
    before = digest(text)
    names = {
        "data/published": "thesis_table5_3_parameters.csv",
        "data/results": "thesis-tab5.2.csv",
    }
    path = repository / folder / names[folder]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("dataset,method,error_pct\nIJCNN,H-LSVM,77\n")
    assert digest(text) != before
    path.write_text("dataset,method,error_pct\nIJCNN,H-LSVM,78\n")
    assert digest(text) not in (before, digest(CELLS))
    own = CELLS.replace("rows.head()", 'reproduce.recorded("Thesis.Tab5.4")')  # by its code
    before = digest(own)
    path.with_name("thesis-tab5.4.csv").write_text("dataset,method\nIJCNN,H-LSVM\n")
    assert digest(own) == before


def test_the_loop_over_problems_and_methods_counts(digest, tmp_path, monkeypatch):
    text = CELLS.replace("rows.head()", "record.over([], {}, measure)")
    before = digest(text), digest()
    copy = tmp_path / "package" / "hlsvm"
    shutil.copytree(code_digest._PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / "reproduce" / "problems.py"
    path.write_text(path.read_text().replace("gap or record.step", "record.step"))
    monkeypatch.setattr(code_digest, "_PACKAGE", copy)
    monkeypatch.setattr(code_digest, "_CODE", {})
    assert digest(text) != before[0]
    assert digest() == before[1]


def recorded_ids():
    root = repository_root()
    paths = [*(root / "figures").glob("*.json"), *(root / "data/results").glob("*.json")]
    return sorted({json.loads(path.read_text())["id"] for path in paths})


@pytest.mark.thorough
def test_every_chapter_s_protocol_is_followed(tmp_path, monkeypatch):
    """A changed number in any definition of a chapter that a record reaches is seen."""
    package = code_digest.package_code()
    before = {id: section_digest(id) for id in recorded_ids()}
    copy = tmp_path / "hlsvm"
    shutil.copytree(code_digest._PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code_digest, "_PACKAGE", copy)
    chapters = {}
    for _, module, name in package.forms:
        if module.startswith("hlsvm.chapters.") and (module, name) not in chapters:
            statement = package.module(module).statements[name][0]
            numbers = [
                node
                for node in ast.walk(statement)
                if isinstance(node, ast.Constant) and type(node.value) in (int, float)
            ]
            if numbers and ("definition", module, name) in package.digests:
                chapters.setdefault(module, numbers[0])
    assert len(chapters) >= 5
    for module, number in chapters.items():
        path = copy.joinpath(*module.split(".")[1:]).with_suffix(".py")
        lines = path.read_text().splitlines(keepends=True)
        line = lines[number.lineno - 1].encode()
        start, end = number.col_offset, number.end_col_offset
        lines[number.lineno - 1] = (line[:start] + b"977" + line[end:]).decode()
        path.write_text("".join(lines))
    monkeypatch.setattr(code_digest, "_CODE", {})
    after = {id: section_digest(id) for id in before}
    changed = {notebook_of(id) for id in before if before[id] != after[id]}
    assert len(changed) >= 5


def test_no_committed_record_is_out_of_date():
    late = stale()
    lines = [f"{row.record}: {row.changed}" for row in late.itertuples() if row.changed != UNKNOWN]
    assert not lines, "make them again: hlsvm run --only ID --scale paper --record\n" + "\n".join(
        lines
    )


def test_every_recorded_id_stands_in_the_catalogue():
    assert set(recorded_ids()) <= set(entries())
