"""Run a notebook over many sets of parameters, on this machine or on a Dask cluster.

The notebook says what came out in its last cell, which shows the same as a table when it is run by
hand::

    from hlsvm.reproduce import sweep

    sweep.result({"error_pct": error, "hyperplanes": planes})

Every set is executed by papermill in a process of its own. What it gave is written to a file that
appears whole; so a sweep that is killed, however often, goes on where it stopped: a run that has
ended is never executed again, and one that has not is. Several sweeps may share a folder.
"""

import contextlib
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

from hlsvm._files import claim
from hlsvm._params import check_number
from hlsvm.reproduce._pool import Event, Worker, check_installed, print_line, work_through
from hlsvm.reproduce._runs import NO_RESULT, Run, execute, finish, now, plan, result, write_table
from hlsvm.reproduce.notebook import Notebook, NotebookError

__all__ = ["SweepResult", "result", "sweep"]

_CALL = re.compile(r"\bresult\(")
_POLL_SECONDS = 0.5
_SAME_FAILURES = 3


@dataclass(frozen=True)
class SweepResult:
    """What a sweep has come to: the table, and the runs by how they ended."""

    table: Path
    ok: int
    failed: tuple[Run, ...]
    executed: int
    left: int = 0  # not started, since all that ended had failed for one reason


def _is_settled(run: Run, since: str | None) -> bool:
    """Whether a run needs nothing more; with `since`, a failure older than that is retried."""
    record = run.record()
    if record is None:
        return False
    return record["status"] == "ok" or since is None or record["finished"] >= since


def _execute(worker: Worker, run: Run, tell: Callable[[Event], None], since: str | None) -> None:
    """Claim and execute one run on this machine; leave it to its holder where it is claimed."""
    with claim(run.folder / ".claims" / run.key) as claimed:
        if not claimed:
            tell({"event": "busy", "run": run})
            return
        if not _is_settled(run, since):
            work = run.folder / ".work" / run.key
            outcome = execute(worker, run.notebook, run.changed, work)
            if outcome["status"] == "stopped":
                return
            finish(run, outcome)
            shutil.rmtree(work, ignore_errors=True)
    tell({"event": "ended", "run": run})


def _locally(runs: Sequence[Run], n_jobs: int, since: str | None) -> Iterator[Run]:
    """Execute the runs in processes of this machine; yield each as it has ended.

    A run that another sweep holds is looked at again until it has ended or is free.
    """
    waiting = list(runs)
    work = partial(_execute, since=since)
    while waiting:
        busy = []
        for event in work_through(waiting, n_jobs, work):
            if event["event"] == "busy":
                busy.append(event["run"])
            else:
                yield event["run"]
        waiting = busy
        if waiting:
            time.sleep(_POLL_SECONDS)


def _watch(ended: Iterable[Run], todo: int, total: int, hopeful: bool) -> int:
    """Show one progress bar over all runs, each reason of failure once; return how many have ended.

    They are fewer than `todo` where, if not `hopeful` of others, all failed for one reason.
    """
    from tqdm import tqdm

    errors: Counter[str] = Counter()
    with tqdm(total=total, initial=total - todo, unit="run", disable=None) as bar:
        for number, run in enumerate(ended, start=1):
            record = run.record()
            bar.update()
            if record is None:
                continue
            hopeful |= record["status"] == "ok"
            errors[record["error"]] += 1
            if record["error"] and errors[record["error"]] == 1:
                print_line(f"failed {run.label}: {record['error']}")
            elif bar.disable:
                count = f"({total - todo + number} of {total})"
                print_line(f"{record['status']:6} {run.label}  {record['seconds']:.1f} s  {count}")
            alike = len(errors) == 1 and errors.total() >= _SAME_FAILURES
            if alike and not hopeful and number < todo:
                return number
    return todo


def sweep(
    notebook: str | Path,
    grid: str | Path | None = None,
    *,
    fixed: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    n_jobs: int = 1,
    scheduler: str | None = None,
    retry_failed: bool = False,
    keep_going: bool = False,
) -> SweepResult:
    """Execute a notebook for every set of parameters of a grid that has not been run yet.

    Parameters
    ----------
    notebook : path
        Has one cell tagged `parameters` with literals, and calls `result`.
    grid : path, optional
        YAML: a mapping from parameters to lists of values (every combination), a list of
        parameter sets, or both under the keys ``grid`` and ``sets`` (every set at every point).
    fixed : mapping, optional
        Parameters that have one value in every run. A value that is the path of a file from the
        current folder, here or in the grid, is handed on as an absolute path, and the run is
        known by the file's content.
    out : path, optional
        Folder of the records and of ``results.csv`` (and ``.parquet``, where pyarrow is
        installed); by default ``out/sweeps/<notebook>-<grid>`` in the repository, or in the
        current folder for a notebook that stands outside the repository.
    n_jobs : int
        Runs executed at the same time on this machine.
    scheduler : str, optional
        Address of a Dask scheduler; its workers execute the runs instead.
    retry_failed : bool
        Execute the runs again that have failed before.
    keep_going : bool
        Execute all runs even where the first three, and nothing else, failed for one reason.

    A notebook, parameter, value or grid that is not what it must be is refused before any run.
    """
    check_number("sweep", "n_jobs", n_jobs, kind=Integral, low=1)
    check_installed()
    source = Notebook(Path(notebook))
    if not _CALL.search("\n".join(source.code)):
        raise NotebookError(f"{source.path.name}: {NO_RESULT}")
    folder, runs = _plan(source, grid and Path(grid), fixed or {}, out)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    since = now() if retry_failed else None
    todo = [run for run in runs if not _is_settled(run, since)]
    if scheduler:
        from hlsvm.reproduce._cluster import on_cluster

        ended = on_cluster(todo, scheduler, partial(_is_settled, since=since))
    else:
        ended = _locally(todo, n_jobs, since)
    hopeful = keep_going or "ok" in _statuses(runs)
    try:
        executed = _watch(ended, len(todo), len(runs), hopeful)
    finally:
        ended.close()  # ends what still runs
        table = write_table(runs, folder)
    statuses = _statuses(runs)
    failed = tuple(run for run, status in zip(runs, statuses, strict=True) if status == "failed")
    return SweepResult(table, statuses.count("ok"), failed, executed, left=len(todo) - executed)


def _statuses(runs: Sequence[Run]) -> list[str]:
    return [(run.record() or {}).get("status", "") for run in runs]


def _plan(
    notebook: Notebook, grid: Path | None, fixed: Mapping[str, Any], out: str | Path | None
) -> tuple[Path, list[Run]]:
    """Return the folder of a sweep and its runs; nothing is written."""
    from hlsvm.reproduce.parameters import GridError, complete, read_grid

    if grid is None and not fixed:
        raise GridError("A sweep needs a grid (GRID.yml), or values given with -p.")
    given = read_grid(grid) if grid else [{}]
    if twice := [name for name in fixed if any(name in one for one in given)]:
        raise GridError(f"{grid} gives {twice[0]!r} as well, which -p sets for every run.")
    sets = complete(notebook, [{**fixed, **one} for one in given], grid or "-p")
    name = f"{notebook.name}-{grid.stem}" if grid else notebook.name
    folder = Path(out or _home(notebook) / "out" / "sweeps" / name).resolve()
    return folder, plan(notebook, sets, folder / "runs")


def _home(notebook: Notebook) -> Path:
    """Return the repository that a notebook stands in; the current folder if it stands outside."""
    from hlsvm.reproduce.repository import RepositoryNotFound, repository_root

    with contextlib.suppress(RepositoryNotFound):
        root = repository_root()
        if notebook.path.resolve().is_relative_to(root):
            return root
    return Path.cwd()
