"""The command: what each prints, exit codes, one sentence for a mistake, nothing heavy for help."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner

from hlsvm import __version__, datasets
from hlsvm.cli import main

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("numpy", "pandas", "scipy", "sklearn", "numba", "matplotlib", "papermill", "nbformat")


@pytest.fixture
def root(tmp_path, monkeypatch, commit):
    """Stand in a small repository: the catalogue and the published numbers."""
    (tmp_path / "data").mkdir()
    for name in ("catalogue", "captions", "claims", "headlines"):
        shutil.copy(ROOT / "data" / f"{name}.csv", tmp_path / "data")
    for name in ("gallery.md", "summary.md"):
        shutil.copy(ROOT / "data" / name, tmp_path / "data")
    shutil.copytree(ROOT / "data/published", tmp_path / "data/published")
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setenv("HLSVM_ROOT", str(tmp_path))
    monkeypatch.delenv("HLSVM_MIRROR", raising=False)
    monkeypatch.setenv("HLSVM_DATA", str(tmp_path / "cache"))
    (tmp_path / ".gitignore").write_text("out/\ncache/\n")
    commit(tmp_path)
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(main, arguments)


def mistake(*arguments):
    """Call, expect exit code 2, and return the one line that was said."""
    done = call(*arguments)
    assert done.exit_code == 2
    assert not done.stdout
    (line,) = done.stderr.strip().splitlines()
    return line


def test_help_names_every_command_in_the_order_a_reader_meets_them():
    done = call("--help")
    assert done.exit_code == 0
    said = [line.split()[0] for line in done.output.split("Commands:")[1].splitlines() if line]
    assert said == ["data", "run", "sweep", "figure", "report", "site", "bench", "warmup"]
    for name in said:
        assert call(name, "-h").exit_code == 0


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["bench", "--list"]])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys\nfrom hlsvm.cli import main\n"
        f"main({arguments!r}, standalone_mode=False)\n"
        f"print('loaded:', sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stdout.endswith("loaded: []\n") or "no benchmark" in done.stderr


def test_python_m_is_the_same_command():
    command = [sys.executable, "-m", "hlsvm", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(__version__)


class TestData:
    def test_list_shows_every_set_and_where_it_is(self, root):
        said = call("data", "list").output
        for name in datasets.list().index:
            assert f"\n{name} " in said
        assert "hlsvm data fetch NAME" in said

    def test_fetch_wants_names_or_all(self, root):
        assert "give --all" in mistake("data", "fetch")
        assert "give --all" in mistake("data", "fetch", "ijcnn1", "--all")

    def test_an_unknown_name_gets_the_nearest(self, root):
        assert "near it: ijcnn1" in mistake("data", "fetch", "banana", "ijcn1")
        assert "near it: ijcnn1" in mistake("data", "verify", "ijcn1")

    def test_what_cannot_be_had_is_told_and_fails_unless_it_may(self, root):
        done = call("data", "fetch", "wine", "ijcnn1")
        assert done.exit_code == 1
        assert "ready    wine" in done.stdout
        assert "missing  ijcnn1: " in done.stdout
        assert call("data", "fetch", "ijcnn1", "--keep-going").exit_code == 0

    def test_verify_tells_a_file_that_was_changed(self, root):
        done = call("data", "verify")
        assert done.exit_code == 0
        assert "no downloaded file is available" in done.output
        assert call("data", "verify", "ijcnn1").exit_code == 1
        (root / "cache").mkdir()
        for name in ("ijcnn1.bz2", "ijcnn1.t.bz2"):
            (root / "cache" / name).write_bytes(b"first come")
        assert "recorded ijcnn1: ijcnn1.bz2 local" in call("data", "verify", "ijcnn1").stdout
        (root / "cache/ijcnn1.bz2").write_bytes(b"changed")
        done = call("data", "verify", "ijcnn1")
        assert done.exit_code == 1
        assert "wrong    ijcnn1: ijcnn1.bz2 local\n         expected " in done.stdout
        assert "good     ijcnn1: ijcnn1.t.bz2 local" in done.stdout

    def test_a_mirror_that_is_not_there_is_one_sentence(self, root, monkeypatch):
        monkeypatch.setenv("HLSVM_MIRROR", str(root / "nowhere"))
        for command in (["data", "list"], ["data", "verify"]):
            assert "neither a folder nor an http address" in mistake(*command)
        done = call("data", "fetch", "ijcnn1")
        assert done.exit_code == 1
        assert "neither a folder nor an http address" in done.stdout


class TestRun:
    def write(self, root, *cells):
        code = [nbformat.v4.new_code_cell(source) for source in cells]
        code[0].metadata["tags"] = ["parameters"]
        nbformat.write(nbformat.v4.new_notebook(cells=code), root / "notebooks/05_test.ipynb")

    def test_a_failure_names_the_cell_and_exits_with_1(self, root):
        self.write(root, 'scale: str = "quick"\nlam: float = 1.0', "assert lam != 0.001, scale")
        done = call("run", "05", "-p", "lam", "1e-3")
        assert done.exit_code == 1
        assert "05_test.ipynb, code cell 2 (`assert lam != 0.001, scale`)" in done.output
        assert "AssertionError: quick" in done.output
        assert "Traceback" not in done.output

    def test_mistakes_are_one_sentence(self, root):
        assert "There are no notebooks in" in mistake("run")
        self.write(root, "lam: float = 1.0")
        assert "There is no notebook '06'; there are: 05_test." in mistake("run", "06")
        assert "did you mean 'lam'?" in mistake("run", "-p", "lamb", "1")
        assert "must be float. Got 'x'" in mistake("run", "-p", "lam", "x")

    def test_outside_a_repository_it_says_where_to_go(self, root, monkeypatch):
        monkeypatch.setenv("HLSVM_ROOT", str(root / "notebooks"))
        assert "is not a clone of the repository" in mistake("run")
        assert "is not a clone of the repository" in mistake("figure", "Thesis.Tab5.4")
        assert "is not a clone of the repository" in mistake("report")


def test_a_sweep_refuses_a_bad_grid_in_one_sentence(root):
    TestRun().write(root, "lam: float = 1.0", "sweep.result({'a': lam})")
    (root / "grid.yml").write_text("lam: [1e-3]")
    said = mistake("sweep", str(root / "notebooks/05_test.ipynb"), str(root / "grid.yml"))
    assert said.endswith("write 1.0e-3.")


def test_a_reader_of_a_pipe_that_has_gone_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "hlsvm", "figure", "Thesis.Fig5.6"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["sweep", "site"])
def test_a_folder_that_cannot_be_made_is_named(root, command):
    TestRun().write(root, "lam: float = 1.0", "sweep.result({'a': lam})")
    (root / "grid.yml").write_text("lam: [1.0]")
    (root / "file").write_text("")
    given = [str(root / "notebooks/05_test.ipynb"), str(root / "grid.yml")]
    done = call(
        command, *(given if command == "sweep" else []), "--out", str(root / "file" / "out")
    )
    assert done.exit_code == 1
    assert str(root / "file") in done.stderr
    assert "cannot be read or written: Not a directory." in done.stderr


class TestFigure:
    def test_shows_what_it_is_where_it_is_made_and_the_published_numbers(self, root):
        said = call("figure", "Thesis.Tab5.4").output
        assert "notebooks/05_hlsvm.ipynb" in said
        assert "none yet: `hlsvm run --only Thesis.Tab5.4 --scale paper` makes it" in said
        assert "IJCNN" in said
        assert "2.0e-3" in said
        experiments = root / "notebooks/experiments/05_hlsvm.ipynb"
        experiments.parent.mkdir(parents=True, exist_ok=True)
        experiments.write_text("{}")
        said = call("figure", "Thesis.Tab5.4").output
        assert "notebook    notebooks/experiments/05_hlsvm.ipynb" in said

    def test_shows_files_and_provenance_of_a_record(self, root):
        from hlsvm.reproduce import save_table

        table = pd.DataFrame({"dataset": ["IJCNN"], "method": ["H-LSVM"], "error_pct": [2.4]})
        save_table(table, "Thesis.Tab5.4", scale="paper", out_dir="record", seed=7)
        said = call("figure", "Thesis.Tab5.4").output
        assert "data/results/thesis-tab5.4.csv" in said
        assert "seed        7" in said
        assert "versions    python=" in said
        assert "2.36 | 2.40  same" in said
        (root / "data/results/thesis-tab5.4.csv").write_text("changed")
        assert "NOT WHOLE" in call("figure", "Thesis.Tab5.4").output

    def test_what_is_external_says_why(self, root):
        assert "record      none: a magazine" in call("figure", "Thesis.Fig1.2").output

    def test_what_has_no_record_of_its_own_says_where_it_stands(self, root):
        said = call("figure", "Thesis.method.SVM").output
        assert "none of its own: a method is in its notebook" in said

    def test_a_near_miss_is_corrected(self, root):
        assert "'Thesis.Tab5.4'" in mistake("figure", "thesis.tab54")

    def test_a_width_that_is_none_names_the_option(self, root, tmp_path):
        out = ("--out", str(tmp_path / "figure.pdf"))
        said = mistake("figure", "Thesis.Fig5.6", *out, "--width", "-1")
        assert "'--width' parameter of hlsvm figure must be" in said
        assert "name the file" in mistake("figure", "Thesis.Fig5.6", "--width", "0")

    def test_a_folder_that_is_missing_names_the_option(self, root, tmp_path):
        said = mistake("figure", "Thesis.Fig5.6", "--out", str(tmp_path / "none" / "figure.pdf"))
        assert "--out must name a file in a folder that exists: there is no" in said


class TestReport:
    def test_counts_verdicts_and_says_what_is_missing(self, root):
        done = call("report")
        assert done.exit_code == 0
        assert "not comparable" in done.output
        assert "nothing recorded yet for" in done.output
        assert "make paper" in done.output

    def test_writes_the_gallery(self, root):
        assert call("report", "--write").exit_code == 0
        assert (root / "figures/README.md").read_text().startswith("# Gallery")


class TestBench:
    def write(self, root, body, question='QUESTION = "Is one\\n    less than two?"'):
        folder = root / "tests/benchmarks"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"import pandas as pd\n{question}\n\ndef run():\n    {body}\n"
        (folder / "bench_small.py").write_text(text)

    def test_lists_questions_without_running(self, root):
        self.write(root, "raise SystemExit(3)")
        assert call("bench", "--list").output.split(maxsplit=1) == [
            "small",
            "Is one less than two?\n",
        ]

    def test_prints_and_saves_a_table_with_what_it_depends_on(self, root, capfd):
        self.write(root, "return pd.DataFrame({'one': [1.23456], 'two': ['x']})")
        assert call("bench", "small").exit_code == 0
        said = capfd.readouterr().out
        for word in ("1.235", "versions python", "threads", "cores"):
            assert word in said
        stored = pd.read_csv(root / "out/bench/small.csv", comment="#")
        assert stored.to_dict("records") == [{"one": 1.23456, "two": "x"}]

    @pytest.mark.parametrize("body", ["raise ValueError('broken')", "return 3"])
    def test_a_failure_is_named_and_exits_with_1(self, root, body, capfd):
        self.write(root, body)
        done = call("bench")
        assert done.exit_code == 1
        assert "Error: small failed" in done.stderr
        assert "broken" in capfd.readouterr().err or body == "return 3"

    def test_mistakes_are_one_sentence(self, root):
        assert "there are: none in" in mistake("bench")
        self.write(root, "return 3", question="")
        assert "There is no benchmark 'large'; there are: small." in mistake("bench", "large")
        assert "has no QUESTION" in mistake("bench", "--list")


def test_every_benchmark_of_the_repository_asks_a_question():
    done = subprocess.run(
        [sys.executable, "-m", "hlsvm", "bench", "--list"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HLSVM_ROOT": str(ROOT)},
    )
    files = list((ROOT / "tests/benchmarks").glob("bench_*.py"))
    assert len(done.stdout.splitlines()) == len(files)
