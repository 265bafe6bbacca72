"""A forged number is noticed wherever it is put: in what was printed, in a record, on a page."""

import ast
import hashlib
import json
import re

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from hlsvm.reproduce import Recorder, repository_root
from hlsvm.reproduce.pages import _with_table, gallery
from hlsvm.reproduce.provenance import record_digest

from .ledger import broken

# Of data/published: the numbers as printed, and what is compared with which tolerance. A misprint
# that is found, or a rule that changes, is said in data/published/README.md and changes these.
PRINTED = "fc915f7bc4417454"
RULES = "b81d0cd1cf6b32c7"


def digest(paths):
    texts = ["\n".join(path.read_text(encoding="utf-8").splitlines()) for path in paths]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def test_printed_numbers_and_tolerances_are_those_that_were_checked():
    folder = repository_root() / "data" / "published"
    rules = folder / "columns.csv"
    assert digest(sorted(set(folder.glob("*.csv")) - {rules})) == PRINTED
    assert digest([rules]) == RULES


def test_pages_written_anew_do_not_hide_a_forged_record(repository, commit):
    row = {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 2.5}
    Recorder(scale="paper", out_dir="record").table(pd.DataFrame([row]), "Thesis.Tab5.4")
    commit(repository, "one record")
    path = repository / "data/results/thesis-tab5.4.csv"
    path.write_text(path.read_text().replace("2.5", "1.5"))
    content = json.loads(path.with_suffix(".json").read_text())
    content["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    content["digest"] = record_digest(content)
    path.with_suffix(".json").write_text(json.dumps(content))
    gallery()
    assert "1.5" in (repository / "figures/README.md").read_text()
    assert "is not the record that data/results/ledger.csv names" in broken()[0]


@pytest.mark.parametrize("page", ["README.md", "figures/README.md"])
def test_a_forged_count_on_a_page_is_seen(board, gallery_page, page):
    """One digit of a number that the records give, changed on the committed page."""
    text = (repository_root() / page).read_text(encoding="utf-8")

    def is_that_of_the_records(text):
        return text == (_with_table(text, board) if page == "README.md" else gallery_page)

    assert is_that_of_the_records(text)
    begin = (
        text.index(" published results ours") - 3 if page == "README.md" else text.index("| 2.36")
    )
    place = next(k for k in range(begin, len(text)) if text[k].isdigit())
    forged = text[:place] + str(9 - int(text[place])) + text[place + 1 :]
    assert not is_that_of_the_records(forged)


def test_the_scoreboard_s_notebook_shows_what_the_records_give(monkeypatch):
    """Every table and sentence stored in notebook 12 is the one its cell makes now."""
    notebook = nbformat.read(repository_root() / "notebooks/12_scoreboard.ipynb", 4)
    shown, names = [], {}
    monkeypatch.setattr("IPython.display.display", shown.append)
    compared = 0
    with pd.option_context("display.max_rows", None, "display.max_colwidth", None):
        for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
            shown.clear()
            *before, last = ast.parse(cell.source).body
            whole = ast.Module([*before, *([] if isinstance(last, ast.Expr) else [last])], [])
            exec(compile(whole, "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
            outputs = [output.get("data", {}) for output in cell.outputs]
            stored = [one.get("text/html") or one.get("text/markdown") for one in outputs]
            stored = [_cells(one) for one in stored if one]
            assert stored == [_cells(_text(one)) for one in shown if _text(one)]
            compared += len(stored)
    plt.close("all")
    assert compared >= 5


def _text(value):
    if isinstance(value, pd.DataFrame):
        return value.to_html()
    return getattr(value, "_repr_markdown_", getattr(value, "_repr_html_", str))()


def _cells(text):
    return re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", text, re.DOTALL) or text
