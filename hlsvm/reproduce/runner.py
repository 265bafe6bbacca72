"""Execute the notebooks side by side, go on where it was interrupted, and say which cell failed.

Every notebook is executed by papermill in a process of its own. What it depends on (its code, the
package, the data, the versions, the parameters) is hashed; with `resume`, a notebook whose hash and
whose executed outputs are those of the last time is not executed again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from hlsvm._params import check_number, check_option
from hlsvm.reproduce._files import claim, write_json
from hlsvm.reproduce._notebook import Notebook, NotebookError, write_outputs
from hlsvm.reproduce._pool import Job, Worker, describe_failure, work_through
from hlsvm.reproduce._tasks import Task, find_notebooks, is_done, plan
from hlsvm.reproduce.paths import repository_root

SCALES = ("quick", "paper")


@dataclass(frozen=True)
class Result:
    """How a notebook ended: "ok", "kept", "failed" or "busy"; where, and why."""

    name: str
    status: str
    seconds: float = 0.0
    message: str = ""

    @property
    def good(self) -> bool:
        """Whether there is nothing to mend."""
        return self.status in ("ok", "kept")


def _execute(worker: Worker, task: Task, tell: Any) -> Result:
    """Execute one notebook; its output appears whole, a failed one beside it."""
    partial = task.folder / f".{task.state.stem}.partial.ipynb"
    task.failed_output.unlink(missing_ok=True)
    folder = task.notebook.path.resolve().parent
    job = Job(task.name, task.notebook.path, partial, folder, task.parameters, timeout=task.timeout)
    outcome = worker.run(job, lambda event: tell({"name": task.name, **event}))
    seconds = outcome["seconds"]
    if outcome["status"] == "stopped":
        return Result(task.name, "stopped")
    try:
        if outcome["status"] == "ok":
            _keep(task, partial, seconds)
            return Result(task.name, "ok", seconds)
        message = describe_failure(task.notebook.path.name, outcome)
    except NotebookError as error:
        message = str(error)
    if partial.exists():
        partial.replace(task.failed_output)
        message += f"\n    executed up to there: {task.failed_output}"
    return Result(task.name, "failed", seconds, message)


def _keep(task: Task, partial: Path, seconds: float) -> None:
    if task.write:
        write_outputs(task.notebook, Notebook(partial))
        partial.unlink()
    else:
        partial.replace(task.output)
    outputs = Notebook(task.output).outputs_digest
    finished = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    state = {"status": "ok", "key": task.key, "outputs": outputs}
    write_json(task.state, {**state, "seconds": round(seconds, 2), "finished": finished})


def _serve(worker: Worker, task: Task, tell: Any, resume: bool) -> None:
    with claim(task.folder / ".claims" / task.state.name) as mine:
        if not mine:
            message = f"{task.name} is being executed by another process."
            result = Result(task.name, "busy", message=message)
        elif resume and is_done(task):
            result = Result(task.name, "kept")
        else:
            result = _execute(worker, task, tell)
    tell({"name": task.name, "event": "result", "result": result})


def _watch(tasks: Sequence[Task], n_jobs: int, resume: bool) -> list[Result]:
    """Run the tasks under one progress bar that counts cells and names what runs."""
    from tqdm import tqdm

    cells = {task.name: len(task.notebook.code) for task in tasks}
    done = dict.fromkeys(cells, 0)
    results: dict[str, Result] = {}
    running: dict[str, int] = {}
    work = work_through(tasks, n_jobs, lambda *piece: _serve(*piece, resume))
    with tqdm(total=sum(cells.values()), unit="cell", disable=None, dynamic_ncols=True) as bar:
        for event in work:
            name = event["name"]
            if event["event"] == "cell":
                running[name] = event["number"]
            elif event["event"] == "cell done":
                done[name] += 1
                bar.update()
            else:
                result = results[name] = event["result"]
                running.pop(name, None)
                bar.update(cells[name] - done[name])
                bar.write(f"{result.status:6} {name}  {result.seconds:.1f} s")
            at = "  ".join(f"{key} {cell}/{cells[key]}" for key, cell in running.items())
            bar.set_description_str(f"{len(results)}/{len(tasks)} notebooks")
            bar.set_postfix_str(at)
    return [results[task.name] for task in tasks]


def run(
    names: Sequence[str] = (),
    *,
    scale: str = "quick",
    n_jobs: int = 1,
    resume: bool = False,
    write: bool = False,
    parameters: dict[str, Any] | None = None,
    timeout: int | None = None,
    root: Path | None = None,
) -> list[Result]:
    """Execute notebooks and return how each ended.

    Parameters
    ----------
    names : sequence of str
        Paths of notebooks, or their names below `notebooks/`; empty means every chapter.
    scale : {"quick", "paper"}
        Given to the notebooks' parameter `scale`.
    n_jobs : int
        Notebooks executed at the same time.
    resume : bool
        Skip notebooks that have been executed with the same inputs and whose output is there.
    write : bool
        Write the outputs back into the notebooks; otherwise executed copies go to
        ``out/<scale>/notebooks/``.
    parameters : dict
        More parameters, given to the notebooks that have them.
    timeout : int, optional
        Seconds a cell may take.
    root : Path, optional
        The checkout; found from the current folder by default.

    Returns
    -------
    list of Result
        In the order of the notebooks.

    Raises
    ------
    NotebookError
        A notebook or a parameter is not what it must be; nothing was executed.
    """
    check_option("run", "scale", scale, SCALES)
    check_number("run", "n_jobs", n_jobs, kind=Integral, low=1)
    root = root or repository_root()
    notebooks = find_notebooks(root, names)
    tasks = plan(notebooks, root, scale, parameters or {}, write, timeout)
    results = {result.name: result for result in _watch(tasks, n_jobs, resume)}
    return [results[notebook.name] for notebook in notebooks]


def summary(results: Sequence[Result]) -> str:
    """Give a table of names, seconds and status, and the failures below it."""
    width = max(len(result.name) for result in results)
    lines = [f"{'notebook':{width}}  {'seconds':>8}  status"]
    lines += [f"{r.name:{width}}  {r.seconds:8.1f}  {r.status}" for r in results]
    bad = [result for result in results if not result.good]
    lines += ["", *(f"FAILED: {result.message}" for result in bad)] if bad else []
    return "\n".join(lines)
