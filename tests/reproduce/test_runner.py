"""The runner: side by side, failures named, interrupted work kept, outputs written back."""

import json
import re
import signal
from pathlib import Path

import nbformat
import pytest

from hlsvm._files import claim
from hlsvm.reproduce import _worker, notebook, runner
from hlsvm.reproduce._pool import describe_failure
from hlsvm.reproduce._tasks import is_done, label, only, plan
from hlsvm.reproduce.notebook import Notebook, NotebookError
from hlsvm.reproduce.repository import lookup, record_files, repository_root, siblings

from .processes import is_running, start, wait_for

PARAMETERS = 'scale: str = "quick"  # which data\nseed: int = 0\nlam: float = 1.0'


def write_notebook(root, name, *cells, parameters=PARAMETERS):
    """Write a notebook; a cell that begins with ## is Markdown."""
    new = {True: nbformat.v4.new_markdown_cell, False: nbformat.v4.new_code_cell}
    made = [new[source.startswith("## ")](source) for source in (parameters, *cells)]
    made[0].metadata["tags"] = ["parameters"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), *made])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "any", "language": "x"}
    path = root / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)
    return path


def make_project(root):
    for folder in ("notebooks", "data/published", "hlsvm"):
        (root / folder).mkdir(parents=True)
    (root / "data/catalogue.csv").write_text("id\n")
    return root


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path)


def texts(path):
    cells = nbformat.read(path, 4).cells
    return [o.get("text", "") for cell in cells for o in cell.get("outputs", ())]


def tasks_of(root, **changes):
    settings = {"scale": "quick", "parameters": {}} | changes
    return plan(runner.find_notebooks(root), root, **settings)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """One run over four notebooks, of which two fail."""
    root = make_project(tmp_path_factory.mktemp("mixed"))
    where = "import os\nprint(os.getcwd(), os.environ['OMP_NUM_THREADS'], lam)"
    write_notebook(root, "a_good", where, "scale")
    write_notebook(root, "b_fails", "print('before')", "# why\nx = 1\nx / 0", "print('after')")
    write_notebook(root, "c_kills_worker", "import os\nos.kill(os.getppid(), 9)")
    write_notebook(root, "d_good", "print('fine')")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OMP_NUM_THREADS", raising=False)
        results = runner.run(root=root, n_jobs=2, parameters={"lam": 2})
    return root, results


def test_a_failure_stops_neither_the_others_nor_is_it_hidden(mixed):
    _, results = mixed
    assert [(r.name, r.status) for r in results] == [
        ("a_good", "ok"),
        ("b_fails", "failed"),
        ("c_kills_worker", "failed"),
        ("d_good", "ok"),
    ]
    assert [result.good for result in results] == [True, False, False, True]


def test_a_failure_names_notebook_cell_line_and_exception(mixed):
    _, results = mixed
    first = results[1].message.splitlines()[0]
    assert first == "b_fails.ipynb, code cell 3 (`x = 1`): ZeroDivisionError: division by zero"
    assert "killed by signal 9" in results[2].message
    table = runner.summary(results)
    assert table.count("FAILED") == 2
    assert first in table


def test_what_was_executed_up_to_a_failure_is_kept(mixed):
    root, results = mixed
    kept = root / "out/quick/notebooks/b_fails.failed.ipynb"
    assert str(kept) in results[1].message
    assert "before\n" in texts(kept)
    assert "after\n" not in texts(kept)
    assert not (kept.parent / "b_fails.ipynb").exists()


def test_a_notebook_runs_in_its_own_folder_on_one_thread_with_typed_parameters(mixed):
    root, _ = mixed
    said = texts(root / "out/quick/notebooks/a_good.ipynb")
    assert f"{root / 'notebooks'} 1 2.0\n" in said


def test_resume_executes_only_what_has_failed_or_changed(mixed):
    root, _ = mixed
    write_notebook(root, "b_fails", "print('mended')")
    write_notebook(root, "c_kills_worker", "print('mended')")
    names = ["a_good", "b_fails", "d_good"]
    results = runner.run(names, root=root, resume=True, parameters={"lam": 2})
    assert [result.status for result in results] == ["kept", "ok", "kept"]
    assert not (root / "out/quick/notebooks/b_fails.failed.ipynb").exists()
    again = runner.run(names, root=root, resume=True, parameters={"lam": 2})
    assert [result.status for result in again] == ["kept"] * 3


def test_a_result_is_only_kept_with_all_it_was_made_from(mixed, monkeypatch):
    root, _ = mixed
    good, *_ = tasks_of(root, parameters={"lam": 2.0})
    assert is_done(good)
    assert not is_done(tasks_of(root, parameters={"lam": 3.0})[0])
    assert not is_done(tasks_of(root, scale="paper", parameters={"lam": 2.0})[0])
    (root / "data/published/new.csv").touch()
    assert not is_done(tasks_of(root, parameters={"lam": 2.0})[0])
    (root / "data/published/new.csv").unlink()
    monkeypatch.setattr(notebook, "cells_digest", lambda cells: "of other code")
    assert not is_done(tasks_of(root, parameters={"lam": 2.0})[0])
    monkeypatch.undo()
    assert is_done(tasks_of(root, parameters={"lam": 2.0})[0])
    output = json.loads(good.output.read_text())
    output["cells"][-1]["outputs"] = []
    good.output.write_text(json.dumps(output))
    assert not is_done(good)


def test_at_paper_scale_readers_of_records_come_last_and_notice_new_ones(project):
    write_notebook(project, "a_reads", "compare('Thesis.Tab5.4')")
    write_notebook(project, "b_records", "record = reproduce.Recorder()")
    before = tasks_of(project, scale="paper")
    assert [task.name for task in before] == ["b_records", "a_reads"]
    (project / "data/results").mkdir()
    (project / "data/results/thesis-tab5.4.csv").write_text("a\n1\n")
    after = tasks_of(project, scale="paper")
    assert [x.key == y.key for x, y in zip(before, after, strict=True)] == [True, False]


def test_write_changes_outputs_alone_and_twice_changes_nothing(project):
    path = write_notebook(project, "n", "print(seed)", "seed + 1")
    before = nbformat.read(path, 4)
    assert runner.run(root=project, write=True)[0].status == "ok"
    written = path.read_bytes()
    after = nbformat.read(path, 4)
    assert [cell.id for cell in after.cells] == [cell.id for cell in before.cells]
    assert [cell.source for cell in after.cells] == [cell.source for cell in before.cells]
    assert [cell.metadata for cell in after.cells] == [{}, {"tags": ["parameters"]}, {}, {}]
    assert [cell.execution_count for cell in after.cells[1:]] == [1, 2, 3]
    assert after.cells[2].outputs[0].text == "0\n"
    assert set(after.metadata) == {"kernelspec", "language_info"}
    assert after.metadata.kernelspec.name == "python3"
    assert "version" not in after.metadata.language_info
    assert runner.run(root=project, write=True, resume=True)[0].status == "kept"
    assert runner.run(root=project, write=True)[0].status == "ok"
    assert path.read_bytes() == written


def test_write_leaves_a_notebook_alone_that_was_edited_meanwhile(project):
    path = write_notebook(project, "n", "from pathlib import Path\nPath('n.ipynb').touch()")
    edit = "p = Path('n.ipynb')\np.write_text(p.read_text().replace('# Title', '# Better'))"
    path = write_notebook(project, "n", "from pathlib import Path", edit)
    (result,) = runner.run(root=project, write=True)
    assert "was edited while it was executed" in result.message
    assert "# Better" in path.read_text()
    assert nbformat.read(path, 4).cells[1].execution_count is None


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_it_leaves_nothing_running_and_goes_on_where_it_was(project, how):
    wait = (
        "import os, time\nfrom pathlib import Path\nPath('pid').write_text(str(os.getpid()))\n"
        "while not Path('go').exists():\n    time.sleep(0.05)"
    )
    write_notebook(project, "a_quick", "print('done')")
    write_notebook(project, "b_waits", wait)
    process = start("run", "--n-jobs", "2", cwd=project, HLSVM_ROOT=str(project))
    folder = project / "out/quick/notebooks"
    pid = project / "notebooks/pid"
    wait_for(lambda: (folder / "a_quick.json").exists() and pid.exists() and pid.read_text())
    process.send_signal(how)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -9)
    assert how == signal.SIGKILL or "Traceback" not in said
    if Path("/proc/self").exists():
        wait_for(lambda: not is_running(int(pid.read_text())))
    (project / "notebooks/go").touch()
    made = (folder / "a_quick.ipynb").stat().st_mtime_ns
    results = runner.run(root=project, resume=True)
    assert [result.status for result in results] == ["kept", "ok"]
    assert (folder / "a_quick.ipynb").stat().st_mtime_ns == made


def test_a_notebook_is_not_executed_twice_at_a_time(project):
    write_notebook(project, "n", "1")
    with claim(project / "out/quick/notebooks/.claims/n.json") as mine:
        (result,) = runner.run(root=project)
    assert mine
    assert (result.status, result.good) == ("busy", False)


@pytest.mark.parametrize(("failures", "status"), [(2, "ok"), (3, "failed")])
def test_a_kernel_that_does_not_start_is_started_again(monkeypatch, failures, status):
    left = [RuntimeError("Kernel died before replying to kernel_info")] * failures

    def execute(*_, **__):
        if left:
            raise left.pop()

    monkeypatch.setattr(_worker, "execute_notebook", execute)
    monkeypatch.setattr(_worker.time, "sleep", lambda seconds: None)
    job = dict.fromkeys(("notebook", "output", "parameters", "cwd", "timeout"))
    assert _worker._execute(job, lambda event: None)["status"] == status


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["05"]}, r"There is no notebook '05'; there are: n\."),
        (
            {"parameters": {"lamb": 1.0}},
            r"No notebook has a parameter 'lamb'; did you mean 'lam'\?",
        ),
        ({"parameters": {"lam": "1e-3"}}, r"text '1e-3' where a number belongs: write 1\.0e-3"),
        ({"parameters": {"seed": 0.5}}, r"'seed' of n\.ipynb must be int\. Got 0\.5 \(float\)"),
        ({"parameters": {"lam": 2.0}, "write": True}, "would run with 'lam' changed"),
        ({"scale": "paper", "write": True}, "would run with 'scale' changed"),
        ({"scale": "large"}, "must be one of 'quick', 'paper'"),
        ({"record": True}, "--record needs --scale paper"),
        ({"only": "Thesis.Fig5.6"}, r"No section of n\.ipynb records Thesis\.Fig5\.6"),
        ({"only": "Thesis.Fig5.6", "write": True}, "--write needs whole notebooks"),
        ({"n_jobs": 0}, r"'n_jobs' parameter of run must be an integer in \[1, inf\)"),
    ],
)
def test_mistakes_are_told_before_anything_runs(project, arguments, message):
    write_notebook(project, "n", "1")
    with pytest.raises(ValueError, match=message):
        runner.run(**({"root": project} | arguments))
    assert not (project / "out").exists()


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("lam = 2 * 3 + a", "must be a literal; derive '2 \\* 3 \\+ a' in the next cell"),
        ("lam = = 1", "its 'parameters' cell: invalid syntax"),
    ],
)
def test_parameters_are_literals(project, cell, message):
    notebook = Notebook(write_notebook(project, "n", parameters=cell))
    with pytest.raises(NotebookError, match=message):
        _ = notebook.parameters


def test_what_is_no_notebook_is_told(project):
    (project / "notebooks/n.ipynb").write_text("{}")
    with pytest.raises(NotebookError, match="is not a Jupyter notebook"):
        runner.run(root=project)


def test_a_failure_is_told_in_one_line_with_what_it_announces():
    outcome = {"cell": 2, "line": "load(name)", "exception": "DataUnavailable"}
    message = "'x' is not at hand. To have it:\n  - run  fetch\n  - set HLSVM_MIRROR"
    said = describe_failure("a.ipynb", {**outcome, "message": message})
    assert said == (
        "a.ipynb, code cell 2 (`load(name)`): DataUnavailable: 'x' is not at hand. To have it: "
        "run  fetch; set HLSVM_MIRROR"
    )
    said = describe_failure("a.ipynb", {**outcome, "message": "wrong\nand a traceback"})
    assert said.endswith("DataUnavailable: wrong")
    assert describe_failure("a.ipynb", {**outcome, "message": ""}).endswith("DataUnavailable: ")


@pytest.fixture
def houses(project):
    """A lesson and an experiment of the same name, and one notebook outside."""
    write_notebook(project, "05_hlsvm", "print('lesson')")
    setup = "from types import SimpleNamespace\nrecord = SimpleNamespace(figure=print)"
    sections = (f"shared = 'set up'\n{setup}", "## 1. First", "record.figure(1, 'Thesis.Fig5.5')")
    sections += ("## 2. Second\ntext", "compare = str", "compare('Thesis.Fig5.5')")
    sections += ("print(shared, scale)", "record.figure(2, 'Thesis.Fig5.6')")
    write_notebook(project, "experiments/05_hlsvm", *sections)
    write_notebook(project, "../elsewhere", "print('outside')")
    return project


def names_of(root, *names):
    return [label(book.path, root) for book in runner.find_notebooks(root, names)]


def test_lessons_and_experiments_are_found_by_name_and_by_path(houses, monkeypatch):
    assert names_of(houses) == ["05_hlsvm", "experiments/05_hlsvm"]
    assert names_of(houses, "05") == ["05_hlsvm"]
    assert names_of(houses, "experiments/05") == ["experiments/05_hlsvm"]
    assert names_of(houses, "experiments/05_hlsvm.ipynb") == ["experiments/05_hlsvm"]
    whole = houses / "notebooks" / "experiments" / "05_hlsvm.ipynb"
    assert names_of(houses, str(whole), "05_hlsvm") == ["experiments/05_hlsvm", "05_hlsvm"]
    assert names_of(houses, str(houses / "elsewhere.ipynb")) == ["elsewhere"]
    monkeypatch.chdir(houses / "notebooks")
    assert names_of(houses, "../elsewhere.ipynb") == ["elsewhere"]
    for name in ("/absolute/x.ipynb", "*", "", "../elsewhere/..", "06"):
        with pytest.raises(NotebookError, match="There is no notebook"):
            runner.find_notebooks(houses, [name])


def test_outputs_of_a_lesson_and_an_experiment_do_not_meet(houses):
    whole = houses / "notebooks" / "experiments" / "05_hlsvm.ipynb"
    results = runner.run(["05_hlsvm", str(whole)], root=houses)
    assert [(r.name, r.status) for r in results] == [
        ("05_hlsvm", "ok"),
        ("experiments/05_hlsvm", "ok"),
    ]
    folder = houses / "out/quick/notebooks"
    assert texts(folder / "05_hlsvm.ipynb") == ["lesson\n"]
    assert "set up quick\n" in texts(folder / "experiments/05_hlsvm.ipynb")


def test_only_executes_the_set_up_and_the_section_that_records(houses, capsys):
    (result,) = runner.run(only="Thesis.Fig5.6", root=houses, resume=True)
    assert (result.name, result.status) == ("experiments/05_hlsvm.thesis-fig5.6", "ok")
    done = houses / "out/quick/notebooks/experiments/05_hlsvm.thesis-fig5.6.ipynb"
    sources = [cell.source for cell in nbformat.read(done, 4).cells]
    assert "## 2. Second\ntext" in sources
    assert not any("First" in source or "Fig5.5')\n" in source for source in sources)
    assert "set up quick\n" in texts(done)
    said = capsys.readouterr().out
    assert "done    experiments/05_hlsvm.thesis-fig5.6: 2. Second" in said
    assert "(1 of 1)" in said
    (again,) = runner.run(only="Thesis.Fig5.6", root=houses, resume=True)
    assert again.status == "kept"
    whole = Notebook(houses / "notebooks/experiments/05_hlsvm.ipynb")
    assert "record.figure(1, 'Thesis.Fig5.5')" in whole.only("Thesis.Fig5.5").code


def test_a_run_at_paper_scale_says_what_it_takes_and_where_it_goes(houses, capsys):
    (houses / "figures").mkdir()
    for name, seconds in (("a", 60.0), ("b", 7500.0)):
        record = {"notebook": "notebooks/05_hlsvm.ipynb", "duration_s": seconds}
        record |= {"machine": {"cpu": "A Processor"}, "steps": [{"key": "one"}, {"key": "two"}]}
        (houses / f"figures/{name}.json").write_text(json.dumps(record))
    runner.run(["experiments/05"], scale="paper", root=houses)
    said = capsys.readouterr().out
    first, second = said.splitlines()[:2]
    assert first == "1 notebook with 2 sections; when recorded they took 2 h 5 min:"
    assert second == "    experiments/05_hlsvm: 2 h 5 min in 2 steps, on A Processor"
    assert "Every step is kept" in said
    assert "go to out/paper (--record writes the committed records)" in said
    assert re.search(r"done    experiments/05_hlsvm: 1. First  .* s  about 2 h 5 min left", said)


def test_only_a_run_that_records_is_told_to(houses):
    write_notebook(houses, "n", "import os\nprint(os.environ.get('HLSVM_RECORD'))")
    for record, word in ((False, "None\n"), (True, "1\n")):
        runner.run(["n"], scale="paper", record=record, root=houses)
        assert word in texts(houses / "out/paper/notebooks/n.ipynb")


def test_every_recorded_id_has_its_section_in_its_home():
    notebooks = runner.find_notebooks(repository_root())
    for id in sorted({json.loads(path.read_text())["id"] for path in record_files()}):
        part = only(notebooks, siblings(id), lookup(id).home)
        assert part.path.stem == lookup(id).home, id
        assert len(part.sections) == 2
    assert (
        only(notebooks, siblings("HLSVM.Tab4"), "05_hlsvm").sections[1].recordings("Thesis.Tab5.4")
    )
