"""Run a notebook over many sets of parameters, on this machine or on a Dask cluster.

The notebook says what came out in its last cell, which shows the same as a table when it is run by
hand::

    from hlsvm.reproduce import sweep

    sweep.result({"error_pct": error, "hyperplanes": planes})

Every set is executed by papermill in a process of its own. What it gave is written to a file that
appears whole; so a sweep that is killed, however often, goes on where it stopped: a run that has
ended is never executed again, and one that has not is. Several sweeps may share a folder.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from hlsvm._params import check_number
from hlsvm.reproduce._files import claim, write_whole
from hlsvm.reproduce._pool import Event, Job, Worker, work_through
from hlsvm.reproduce._runs import (
    NO_RESULT,
    RESULT_VARIABLE,
    Run,
    finish,
    now,
    origin,
    plan,
    read_rows,
    write_table,
)

_CALL = re.compile(r"\bresult\(")
_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class SweepResult:
    """What a sweep has come to: the table, and the runs by how they ended."""

    table: Path
    ok: int
    failed: tuple[Run, ...]
    executed: int


def result(values: Any):
    """Say what a notebook of a sweep has found; by hand, just show it.

    Parameters
    ----------
    values : mapping, list of mappings or DataFrame
        One row, or several: names with numbers, text, booleans or None. Called again, it adds rows.

    Returns
    -------
    pandas.DataFrame
        The rows, for the notebook to display.

    Raises
    ------
    TypeError
        A value is none of these.

    Examples
    --------
    >>> result({"error_pct": 2.5, "leaves": 7})
       error_pct  leaves
    0        2.5       7
    """
    import pandas as pd

    rows = [
        {str(name): _scalar(str(name), value) for name, value in row.items()}
        for row in _rows(values)
    ]
    path = os.environ.get(RESULT_VARIABLE)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
    return pd.DataFrame(rows)


def _rows(values: Any) -> list[Mapping[str, Any]]:
    if hasattr(values, "to_dict") and hasattr(values, "columns"):
        return values.to_dict("records")
    rows = [values] if isinstance(values, Mapping) else values
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise TypeError(
            "The 'values' of sweep.result must be a mapping, a list of mappings or a DataFrame. "
            f"Got {type(values).__name__} instead."
        )
    return list(rows)


def _scalar(name: str, value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(
        f"The value {name!r} of sweep.result must be a number, text, a boolean or None. "
        f"Got {type(value).__name__} instead."
    )


def _is_settled(run: Run, since: str | None) -> bool:
    """Whether a run needs nothing more; with `since`, a failure older than that is retried."""
    record = run.record()
    if record is None:
        return False
    return record["status"] == "ok" or since is None or record["finished"] >= since


def _execute(worker: Worker, run: Run, tell: Callable[[Event], None], since: str | None) -> None:
    """Claim and execute one run on this machine; leave it to its holder where it is claimed."""
    with claim(run.folder / ".claims" / run.key) as mine:
        if not mine:
            tell({"event": "busy", "run": run})
            return
        if not _is_settled(run, since):
            work = run.folder / ".work"
            work.mkdir(exist_ok=True)
            rows, partial_notebook = work / f"{run.key}.jsonl", work / f"{run.key}.ipynb"
            rows.unlink(missing_ok=True)
            job = Job(
                run.label,
                _snapshot(run, work),
                partial_notebook,
                run.notebook.path.resolve().parent,
                run.changed,
                {RESULT_VARIABLE: str(rows)},
            )
            outcome = worker.run(job, lambda event: None)
            if outcome["status"] == "stopped":
                return
            if outcome["status"] == "failed" and partial_notebook.exists():
                partial_notebook.replace(run.failed_notebook)
            finish(run, outcome, read_rows(rows), origin())
            partial_notebook.unlink(missing_ok=True)
    tell({"event": "ended", "run": run})


def _snapshot(run: Run, folder: Path) -> Path:
    """Give the notebook as it was when the sweep began: it may be edited meanwhile."""
    path = folder / f"{run.notebook.name}-{run.notebook.code_digest[:16]}.ipynb"
    if not path.exists():
        write_whole(path, run.notebook.content)
    return path


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


def _watch(ended: Iterable[Run], todo: int, total: int) -> None:
    """Show one progress bar over all runs, and each failure when it happens."""
    from tqdm import tqdm

    with tqdm(total=total, initial=total - todo, unit="run", disable=None) as bar:
        for run in ended:
            record = run.record()
            bar.update()
            if record and record["status"] == "failed":
                bar.write(f"failed {run.label}: {record['error']}")


def sweep(
    notebook: str | Path,
    grid: str | Path,
    *,
    out: str | Path | None = None,
    n_jobs: int = 1,
    scheduler: str | None = None,
    retry_failed: bool = False,
) -> SweepResult:
    """Execute a notebook for every set of parameters of a grid that has not been run yet.

    Parameters
    ----------
    notebook : path
        Has one cell tagged `parameters` with literals, and calls `result`.
    grid : path
        YAML: a mapping from parameters to lists of values (every combination), a list of
        parameter sets, or both under the keys ``grid`` and ``sets`` (every set at every point).
    out : path, optional
        Folder of the records and of ``results.csv`` (and ``.parquet``, where pyarrow is
        installed); ``out/sweeps/<notebook>-<grid>`` by default.
    n_jobs : int
        Runs executed at the same time on this machine.
    scheduler : str, optional
        Address of a Dask scheduler; its workers execute the runs instead.
    retry_failed : bool
        Execute the runs again that have failed before.

    Raises
    ------
    NotebookError, GridError
        The notebook, a parameter, a value or the grid is not what it must be. Nothing was run.
    """
    from hlsvm.reproduce._grid import complete, read_grid
    from hlsvm.reproduce._notebook import Notebook, NotebookError

    check_number("sweep", "n_jobs", n_jobs, kind=Integral, low=1)
    source, grid = Notebook(Path(notebook)), Path(grid)
    if not _CALL.search("\n".join(source.code)):
        raise NotebookError(f"{source.path.name}: {NO_RESULT}")
    sets = complete(source, read_grid(grid), grid)
    folder = Path(out or _default_folder() / f"{source.name}-{grid.stem}").resolve()
    runs = plan(source, sets, folder / "runs")
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    since = now() if retry_failed else None
    todo = [run for run in runs if not _is_settled(run, since)]
    if scheduler:
        from hlsvm.reproduce._cluster import on_cluster

        ended = on_cluster(todo, scheduler, partial(_is_settled, since=since))
    else:
        ended = _locally(todo, n_jobs, since)
    try:
        _watch(ended, len(todo), len(runs))
    finally:
        table = write_table(runs, folder)
    failed = tuple(run for run in runs if (run.record() or {}).get("status") == "failed")
    ok = sum((run.record() or {}).get("status") == "ok" for run in runs)
    return SweepResult(table, ok, failed, len(todo))


def _default_folder() -> Path:
    from hlsvm.reproduce.paths import RepositoryNotFound, repository_root

    try:
        root = repository_root()
    except RepositoryNotFound:
        root = Path.cwd()
    return root / "out" / "sweeps"
