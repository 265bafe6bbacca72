"""Sweeps: bad grids refused, every run once whatever happens, one table of all."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import nbformat
import numpy as np
import pandas as pd
import pytest

from hlsvm._files import claim
from hlsvm.reproduce import sweep as sweeping
from hlsvm.reproduce._runs import NO_RESULT, _column, finish, origin, plan
from hlsvm.reproduce.notebook import Notebook, NotebookError
from hlsvm.reproduce.parameters import GridError, complete, conform, read_grid
from hlsvm.reproduce.sweep import result, sweep

from .processes import fill, wait_for

PARAMETERS = """
lam: float = 1.0  # regularization
seed: int = 0
kind: str = "a"
width: float | str = "auto"
depth: int | None = None
sizes: list[int] = [1, 2]
flag: bool = False
"""
CALL = "from hlsvm.reproduce import sweep"
OFTEN = ("seconds", "finished")


def write_notebook(folder, *cells, parameters=PARAMETERS):
    code = [nbformat.v4.new_code_cell(source) for source in (parameters, *cells)]
    code[0].metadata["tags"] = ["parameters"]
    nbformat.write(nbformat.v4.new_notebook(cells=code), folder / "n.ipynb")
    return folder / "n.ipynb"


def write_grid(folder, text, name="grid.yml"):
    (folder / name).write_text(text)
    return folder / name


def stable(table):
    return pd.read_csv(table).drop(columns=list(OFTEN))


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("lamb: [1.0]", r"n\.ipynb has no parameter 'lamb'; did you mean 'lam'\?"),
        ("xyz: [1.0]", r"no parameter 'xyz'; known are lam, seed, kind"),
        ("lam: [1e-3]", r"'lam' got the text '1e-3' where a number belongs: write 1\.0e-3\."),
        ("width: [1e5]", r"write 1\.0e\+5\."),
        ("depth: ['7']", r"write 7\."),
        ("lam: [inf]", r"write \.inf\."),
        ("sizes: [['1', 2]]", r"text '1' where a number belongs"),
        ("lam: [low]", r"'lam' of n\.ipynb must be float\. Got 'low' \(str\) instead"),
        ("seed: [0.5]", r"must be int\. Got 0\.5 \(float\)"),
        ("seed: [true]", r"must be int\. Got True \(bool\)"),
        ("depth: [1.5]", r"must be int or None\. Got 1\.5"),
        ("kind: [no]", r"must be str\. Got False \(bool\) instead \(quote it: YAML reads yes, no"),
        ("flag: [1]", r"must be bool\. Got 1 \(int\)"),
        ("sizes: [1, 2]", r"must be list\. Got 1 \(int\)"),
        ("lam: [1, 1.0]", r"sets 1 and 2 are the same \(lam=1\.0\)"),
        ("- {lam: 2}\n- {lam: 2, seed: 0}", r"sets 1 and 2 are the same"),
        ("", "is empty: it must hold a mapping from parameters"),
        ("{}", "is empty"),
        ("[]", "is empty"),
        ("lam: []", "gives no value for 'lam'"),
        ("- {}", "lists a set without parameters"),
        ("- 3", "must hold a mapping from parameters"),
        ("just text", "must hold a mapping from parameters"),
        ("lam: [1\n", "is not YAML"),
        ("lam: [1.0]\nlam: [2.0]", r"key 'lam' occurs twice in the mapping at line 1"),
        ("grid: {lam: [1]}\nsets: [{lam: 2.0}]", "gives 'lam' both in 'grid' and in 'sets'"),
    ],
)
def test_a_bad_grid_is_refused_before_anything_runs(tmp_path, grid, message):
    notebook = write_notebook(tmp_path, CALL, "sweep.result({})")
    with pytest.raises((GridError, NotebookError), match=message):
        sweep(notebook, write_grid(tmp_path, grid), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_grid_that_is_no_text_is_told(tmp_path):
    notebook = write_notebook(tmp_path, CALL, "sweep.result({})")
    grid = tmp_path / "grid.yml"
    grid.write_bytes(b"seed: [0]\n\xff")
    with pytest.raises(GridError, match=r"grid\.yml: this is not text in UTF-8"):
        sweep(notebook, grid, out=tmp_path / "out")


def test_what_is_missing_is_told(tmp_path):
    grid = write_grid(tmp_path, "lam: [1.0]")
    with pytest.raises(NotebookError, match=r"There is no notebook .*n\.ipynb"):
        sweep(tmp_path / "n.ipynb", grid)
    notebook = write_notebook(tmp_path, "lam + 1")
    with pytest.raises(NotebookError, match=r"let the last cell call hlsvm\.reproduce\.sweep"):
        sweep(notebook, grid)
    notebook = write_notebook(tmp_path, "sweep.result({})")
    with pytest.raises(GridError, match=r"There is no grid .*other\.yml"):
        sweep(notebook, tmp_path / "other.yml")


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("lam: [1, 2]\nseed: [5, 6]", [(1, 5), (1, 6), (2, 5), (2, 6)]),
        ("- {lam: 1, seed: 5}\n- {lam: 2, seed: 6}", [(1, 5), (2, 6)]),
        ("sets: [{lam: 1}, {lam: 2}]\ngrid: {seed: [5, 6]}", [(1, 5), (1, 6), (2, 5), (2, 6)]),
        ("lam: [1.0e-3, 2]\nseed: 5", [(0.001, 5), (2, 5)]),
        ('{"lam": [1], "seed": [5]}', [(1, 5)]),
    ],
)
def test_a_grid_is_every_combination_a_list_or_both(tmp_path, text, sets):
    notebook = Notebook(write_notebook(tmp_path))
    path = write_grid(tmp_path, text)
    answer = complete(notebook, read_grid(path), path)
    assert [(one["lam"], one["seed"]) for one in answer] == sets
    assert all(isinstance(one["lam"], float) for one in answer)
    assert answer[0]["sizes"] == [1, 2]


def test_numpy_values_are_taken_as_plain_numbers(tmp_path):
    notebook = Notebook(write_notebook(tmp_path))
    given = {"lam": np.float32(0.5), "seed": np.int64(3), "sizes": np.arange(2), "depth": None}
    plain = {name: conform(notebook, name, value) for name, value in given.items()}
    assert plain == {"lam": 0.5, "seed": 3, "sizes": [0, 1], "depth": None}
    json.dumps(plain)


def test_a_result_by_hand_is_only_shown(monkeypatch):
    monkeypatch.delenv("HLSVM_SWEEP_RESULT", raising=False)
    assert result({"a": np.float32(0.5), "b": "x"}).to_dict("records") == [{"a": 0.5, "b": "x"}]
    rows = [{"a": 1}, {"a": 2}]
    assert result(rows).equals(result(pd.DataFrame(rows)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": [1, 2]}, "'a' of sweep.result must be a number, text, a boolean or None. Got list"),
        ({"a": np.zeros(2)}, "Got ndarray"),
        ({"a": 1j}, "Got complex"),
        (3, "must be a mapping, a list of mappings or a DataFrame. Got int"),
        ([3], "must be a mapping"),
        ({"": 1}, r"must differ and not be empty\. Got \[''\] instead"),
        ({1: 2, "1": 3}, r"Got \['1', '1'\] instead"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"Got \['a', 'a'\] instead"),
        ({"a": "\ud800"}, "surrogates not allowed"),
    ],
)
def test_a_result_that_is_no_row_is_refused(values, message):
    with pytest.raises((TypeError, ValueError), match=message):
        result(values)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Two sweeps over the same grid, by one and by two processes; one run of four fails."""
    folder = tmp_path_factory.mktemp("swept")
    body = (
        "from pathlib import Path\nprint('begin')\n"
        "if seed == 1 and lam == 2 and not Path('mended').exists():\n    raise ValueError('bad')"
    )
    rows = "[{'part': i, 'value': lam + i, 'lam': 'mine', 'none': None} for i in range(seed + 1)]"
    notebook = write_notebook(folder, body, CALL, f"sweep.result({rows})")
    grid = write_grid(folder, "lam: [1, 2]\nseed: [1, 0]")
    done = [sweep(notebook, grid, out=folder / f"out{jobs}", n_jobs=jobs) for jobs in (1, 2)]
    return folder, notebook, grid, done


def test_one_tidy_table_comes_out_in_the_order_of_the_grid(swept):
    _, _, _, (done, _) = swept
    table = pd.read_csv(done.table)
    assert list(table.columns[:7]) == ["lam", "seed", "kind", "width", "depth", "sizes", "flag"]
    assert table[["lam", "seed", "status"]].to_records(index=False).tolist() == [
        (1.0, 1, "ok"),
        (1.0, 1, "ok"),
        (1.0, 0, "ok"),
        (2.0, 1, "failed"),
        (2.0, 0, "ok"),
    ]
    assert table["value"].tolist()[:3] == [1.0, 2.0, 1.0]
    assert table["result_lam"].dropna().unique().tolist() == ["mine"]
    assert table["version_numpy"].unique().tolist() == [np.__version__]
    assert {"commit", "cpu", "run"} <= set(table)
    assert pd.read_csv(done.table, dtype=str)["part"][0] == "0"


def test_the_table_does_not_depend_on_the_number_of_jobs(swept):
    _, _, _, (one, two) = swept
    assert (one.ok, one.executed, two.ok, two.executed) == (3, 4, 3, 4)
    pd.testing.assert_frame_equal(stable(one.table), stable(two.table))


def test_parquet_holds_the_same_as_csv(swept):
    pytest.importorskip("pyarrow")
    _, _, _, (done, _) = swept
    stored = pd.read_parquet(done.table.with_suffix(".parquet"))
    assert stored.to_csv(index=False, lineterminator="\n") == done.table.read_text()


def test_a_failure_is_kept_with_its_error_and_its_notebook_until_retried(swept):
    folder, notebook, grid, (done, _) = swept
    (failed,) = done.failed
    assert (failed.parameters["lam"], failed.parameters["seed"]) == (2.0, 1)
    assert failed.record()["error"] == (
        "n.ipynb, code cell 2 (`from pathlib import Path`): ValueError: bad"
    )
    executed = nbformat.read(failed.failed_notebook, 4)
    assert "begin\n" in [o.get("text") for c in executed.cells for o in c.get("outputs", ())]

    (folder / "mended").touch()
    out = folder / "out1"
    untouched = sweep(notebook, grid, out=out)
    assert (untouched.executed, len(untouched.failed)) == (0, 1)
    retried = sweep(notebook, grid, out=out, retry_failed=True)
    assert (retried.executed, retried.ok, retried.failed) == (1, 4, ())
    assert not failed.failed_notebook.exists()
    assert pd.read_csv(retried.table)["status"].unique().tolist() == ["ok"]


def test_a_changed_notebook_is_run_anew_and_old_results_stay_out(tmp_path):
    (old,) = runs_of(tmp_path, write_notebook(tmp_path, "sweep.result({'a': 1})"))
    finish(old, ended([{"a": 1}]))
    (new,) = runs_of(tmp_path, write_notebook(tmp_path, "sweep.result({'a': 2})"))
    assert old.record()["rows"] == [{"a": 1}]
    assert new.record() is None


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([1.5, True], [1.5, True]),
        ([True, 1], [True, 1]),
        ([1, 0.5, None], [1.0, 0.5, np.nan]),
        ([2**53 + 1, 0.5], [2**53 + 1, 0.5]),
        ([2**70, 1], [2**70, 1]),
        ([2**70, 0.5], [float(2**70), 0.5]),
        ([10**400, 0.5], [10**400, 0.5]),
        ([1, None], [1, pd.NA]),
        ([True, None], [True, pd.NA]),
        ([1, True, "x", 0.5, None], [1, True, "x", 0.5, None]),
        ([None, None], [None, None]),
    ],
)
def test_a_column_keeps_every_value_whatever_kinds_are_mixed(values, kept):
    column = _column(values).tolist()
    assert [type(value) for value in column] == [type(value) for value in kept]
    assert all(a is b or a == b or a != a for a, b in zip(column, kept, strict=True))


def test_results_of_mixed_kinds_are_written_as_they_are(tmp_path):
    notebook = write_notebook(tmp_path, "sweep.result({'a': 1})")
    values = [100, 100.5, True, 2**70]
    for run, value in zip(runs_of(tmp_path, notebook, "seed: [0, 1, 2, 3]"), values, strict=True):
        finish(run, ended([{"v": value}]))
    done = sweep(notebook, tmp_path / "grid.yml", out=tmp_path / "out")
    assert pd.read_csv(done.table, dtype=str)["v"].tolist() == list(map(str, values))


def test_one_reason_is_said_once_and_ends_a_sweep_that_only_fails(tmp_path, capsys):
    body = "if seed < 9:\n    raise ValueError('no data')"
    notebook = write_notebook(tmp_path, body, CALL, "sweep.result({'a': seed})")
    grid = write_grid(tmp_path, "seed: [0, 1, 2, 3, 4, 9]")
    stopped = sweep(notebook, grid, out=tmp_path / "out")
    assert (stopped.ok, len(stopped.failed), stopped.executed, stopped.left) == (0, 3, 3, 3)
    assert capsys.readouterr().out.count("ValueError: no data") == 1
    whole = sweep(notebook, grid, out=tmp_path / "out", keep_going=True)
    assert (whole.ok, len(whole.failed), whole.executed, whole.left) == (1, 5, 3, 0)
    assert "ok     seed=9" in capsys.readouterr().out


def test_a_notebook_elsewhere_takes_a_file_and_leaves_its_table_here(tmp_path, monkeypatch):
    (tmp_path / "books").mkdir()
    (tmp_path / "current").mkdir()
    monkeypatch.chdir(tmp_path / "current")
    read = "from pathlib import Path\ntext = Path(kind).read_text()"
    notebook = write_notebook(tmp_path / "books", read, CALL, "sweep.result({'text': text})")
    written = write_grid(tmp_path / "current", "first", "my.csv")
    done = sweep(notebook, fixed={"kind": "my.csv"})
    assert done.table == tmp_path / "current/out/sweeps/n/results.csv"
    assert pd.read_csv(done.table)["text"].tolist() == ["first"]
    written.write_text("second")  # known by its content, not by its name
    done = sweep(notebook, fixed={"kind": "my.csv"})
    assert (done.executed, pd.read_csv(done.table)["text"].tolist()) == (1, ["second"])
    with pytest.raises(GridError, match=r"gives 'kind' as well, which -p sets"):
        sweep(notebook, write_grid(tmp_path, "kind: [a]"), fixed={"kind": "my.csv"})
    with pytest.raises(GridError, match="needs a grid"):
        sweep(notebook)


@pytest.mark.thorough
def test_a_full_disk_is_one_sentence_and_the_sweep_goes_on_with_room(tmp_path, small_disk):
    notebook = write_notebook(tmp_path, LOG, CALL, "sweep.result({'square': seed**2})")
    grid = write_grid(tmp_path, "seed: [0, 1, 2]")
    out = small_disk / "out"
    sweep(notebook, write_grid(tmp_path, "seed: [0]", "one.yml"), out=out)
    kept = records(out)
    ballast = fill(small_disk)
    arguments = ["sweep", str(notebook), str(grid), "--out", str(out)]
    command = [sys.executable, "-m", "hlsvm", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (line,) = done.stderr.strip().splitlines()
    assert done.returncode == 1
    assert "No space left on device. What was finished is kept: make room" in line
    assert records(out) == kept
    ballast.unlink()
    done = sweep(notebook, grid, out=out)
    assert (done.ok, done.failed) == (3, ())
    assert pd.read_csv(done.table)["square"].tolist() == [0, 1, 4]


def ended(rows):
    return {"status": "ok", "seconds": 1.0, "rows": rows, "origin": origin()}


def runs_of(folder, notebook, text="lam: [2.0]"):
    grid = write_grid(folder, text)
    notebook = Notebook(notebook)
    return plan(notebook, complete(notebook, read_grid(grid), grid), folder / "out/runs")


def test_a_notebook_edited_meanwhile_is_executed_as_it_was(tmp_path):
    edit = "from pathlib import Path\np = Path('n.ipynb')\np.write_text(p.read_text()[:-3])"
    notebook = write_notebook(tmp_path, edit, CALL, "sweep.result({'a': 1})")
    done = sweep(notebook, write_grid(tmp_path, "seed: [0, 1]"), out=tmp_path / "out")
    assert done.ok == 2
    with pytest.raises(NotebookError, match="is not a Jupyter notebook"):
        Notebook(notebook)


def test_a_run_without_a_result_has_failed(tmp_path):
    (run,) = runs_of(tmp_path, write_notebook(tmp_path, "sweep.result({'a': 1})"))
    assert finish(run, ended([])) == "failed"
    assert run.record()["error"] == NO_RESULT


def test_a_run_that_another_sweep_holds_is_waited_for_and_not_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "_POLL_SECONDS", 0.01)
    notebook = write_notebook(tmp_path, "sweep.result({'a': 1})")
    (run,) = runs_of(tmp_path, notebook)
    out = tmp_path / "out"
    with claim(run.folder / ".claims" / run.key) as mine:
        done = []
        other = threading.Thread(
            target=lambda: done.append(sweep(notebook, tmp_path / "grid.yml", out=out))
        )
        other.start()
        time.sleep(0.2)
        assert mine
        assert other.is_alive()
        finish(run, ended([{"a": "from the first"}]))
    other.join(20)
    assert pd.read_csv(done[0].table)["a"].tolist() == ["from the first"]


def start(arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **more,
    )


def records(out):
    return {path.name: path.read_bytes() for path in (out / "runs").glob("*.json")}


LOG = "open('log.txt', 'a').write(f'{seed}\\n')"


def killed_after_a_record(notebook, grid, out, kept):
    """Sweep until there is a new record, and kill; what was there must be there unchanged."""
    arguments = ["sweep", str(notebook), str(grid), "--out", str(out), "--n-jobs", "2"]
    process = start(["hlsvm", *arguments])
    wait_for(lambda: len(records(out)) > len(kept))
    process.send_signal(signal.SIGKILL)
    process.wait()
    after = records(out)
    assert kept.items() <= after.items()
    return after


@pytest.mark.thorough
def test_killed_again_and_again_it_loses_nothing_and_repeats_nothing(tmp_path):
    notebook = write_notebook(tmp_path, LOG, CALL, "sweep.result({'square': seed**2})")
    grid = write_grid(tmp_path, "seed: [0, 1, 2, 3, 4, 5]")
    out = tmp_path / "out"
    kept = {}
    for _ in range(3):
        kept = killed_after_a_record(notebook, grid, out, kept)
    recorded = {json.loads(text)["parameters"]["seed"] for text in kept.values()}
    logged = (tmp_path / "log.txt").read_text().split()
    done = sweep(notebook, grid, out=out, n_jobs=2)
    assert done.executed == 6 - len(kept)
    assert kept.items() <= records(out).items()
    table = pd.read_csv(done.table)
    assert table["seed"].tolist() == [0, 1, 2, 3, 4, 5]
    assert table["square"].tolist() == [0, 1, 4, 9, 16, 25]
    again = (tmp_path / "log.txt").read_text().split()[len(logged) :]
    assert not recorded & set(map(int, again))


class Cluster:
    """A Dask scheduler with two workers on the loopback, each a process."""

    WORKER = ("dask", "worker", "--no-nanny", "--nthreads", "1", "--no-dashboard")

    def __init__(self, folder):
        distributed = pytest.importorskip("distributed")
        self.folder = folder
        address = folder / "scheduler.json"
        environment = {**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}
        common = ["dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        where = ["--scheduler-file", str(address)]
        self.processes = [start([*common, *where], cwd=folder)]
        self.processes += [
            start([*self.WORKER, *where], cwd=folder, env=environment) for _ in range(2)
        ]
        wait_for(lambda: address.exists() and address.read_text())
        self.address = json.loads(address.read_text())["address"]
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def clusters(tmp_path):
    """Start clusters; all are ended afterwards."""
    started = []

    def make(name):
        (tmp_path / name).mkdir()
        started.append(Cluster(tmp_path / name))
        return started[-1]

    yield make
    for cluster in started:
        cluster.close()


def slow_squares(folder):
    begin = "import time\ntime.sleep(0.3)"
    notebook = write_notebook(folder, begin, LOG, CALL, "sweep.result({'square': seed**2})")
    return notebook, write_grid(folder, "seed: [0, 1, 2, 3, 4, 5]")


def test_on_a_dask_cluster_a_killed_worker_loses_nothing(tmp_path, clusters):
    (notebook, grid), out, cluster = slow_squares(tmp_path), tmp_path / "out", clusters("one")
    done = []
    sweeper = threading.Thread(
        target=lambda: done.append(sweep(notebook, grid, out=out, scheduler=cluster.address))
    )
    sweeper.start()
    wait_for(lambda: records(out))
    cluster.processes[1].kill()
    sweeper.join(90)
    assert not sweeper.is_alive()
    table = pd.read_csv(done[0].table)
    assert (done[0].ok, done[0].failed) == (6, ())
    assert table["square"].tolist() == [0, 1, 4, 9, 16, 25]
    assert set((tmp_path / "log.txt").read_text().split()) == set("012345")


@pytest.mark.thorough
def test_a_lost_scheduler_is_named_and_another_one_goes_on(tmp_path, clusters):
    (notebook, grid), out, cluster = slow_squares(tmp_path), tmp_path / "out", clusters("one")
    arguments = ["sweep", str(notebook), str(grid), "--out", str(out)]
    command = [sys.executable, "-m", "hlsvm", *arguments, "--scheduler"]
    process = subprocess.Popen(
        [*command, cluster.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: len(records(out)) > 1)
    cluster.processes[0].kill()
    _, said = process.communicate(timeout=90)
    assert process.returncode == 2
    assert f"The Dask scheduler at '{cluster.address}' was lost" in said
    assert "Traceback" not in said
    assert "same hlsvm" not in said
    kept = records(out)
    assert 0 < len(kept) < 6
    before = len((tmp_path / "log.txt").read_text().split())
    cluster.close()
    done = sweep(notebook, grid, out=out, scheduler=clusters("two").address)
    assert (done.ok, done.executed) == (6, 6 - len(kept))
    assert kept.items() <= records(out).items()
    recorded = {str(json.loads(text)["parameters"]["seed"]) for text in kept.values()}
    assert not recorded & set((tmp_path / "log.txt").read_text().split()[before:])


def test_a_cluster_that_does_not_answer_is_told(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    from hlsvm.reproduce import _cluster

    monkeypatch.setattr(_cluster, "_CONNECT_SECONDS", 0.5)
    notebook = write_notebook(tmp_path, "sweep.result({'a': 1})")
    grid = write_grid(tmp_path, "seed: [0]")
    with pytest.raises(NotebookError, match=r"No Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        sweep(notebook, grid, out=tmp_path / "out", scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize("address", ["nonsense", "nonsense://", "tcp://"])
def test_what_is_no_address_of_a_cluster_is_told_without_a_client(tmp_path, monkeypatch, address):
    """A client that cannot connect takes half a minute to close, and prints a traceback."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("it was made"))
    notebook = write_notebook(tmp_path, "sweep.result({'a': 1})")
    with pytest.raises(NotebookError, match=f"No Dask scheduler answers at '{address}'"):
        sweep(notebook, write_grid(tmp_path, "seed: [0]"), out=tmp_path, scheduler=address)
