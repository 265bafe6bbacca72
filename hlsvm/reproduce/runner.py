"""Execute the notebooks side by side, go on where it was interrupted, and say which cell failed.

Every notebook is executed by papermill in a process of its own. What it depends on (its code, the
package, the data, the versions, the parameters) is hashed; with `resume`, a notebook whose hash and
whose executed outputs are those of the last time is not executed again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from tqdm import tqdm

from hlsvm._files import claim, write_json, write_whole
from hlsvm._params import check_number, check_option
from hlsvm.reproduce._pool import (
    Event,
    Worker,
    check_installed,
    describe_failure,
    print_line,
    work_through,
)
from hlsvm.reproduce._tasks import (
    Recorded,
    Task,
    announcement,
    duration,
    find_notebooks,
    is_done,
    plan,
    recorded_times,
)
from hlsvm.reproduce._tasks import only as section_of
from hlsvm.reproduce.notebook import Notebook, NotebookError, write_outputs
from hlsvm.reproduce.repository import lookup, record_files, repository_root, siblings, stem

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
    task.failed_output.unlink(missing_ok=True)
    work = task.folder / ".work" / task.state.relative_to(task.folder)
    how = {"parameters": task.parameters, "environment": task.environment, "timeout": task.timeout}
    named = {"name": task.name}
    outcome = worker.run(task.notebook, work, lambda event: tell(named | event), **how)
    shutil.rmtree(work, ignore_errors=True)
    if outcome["status"] == "stopped":
        return Result(task.name, "stopped")
    try:
        if outcome["status"] == "ok":
            _keep(task, outcome)
            return Result(task.name, "ok", outcome["seconds"])
        message = describe_failure(f"{task.name}.ipynb", outcome)
    except NotebookError as error:
        message = str(error)
    if outcome["executed"]:
        write_whole(task.failed_output, outcome["executed"])
        message += f"\n    executed up to there: {task.failed_output}"
    return Result(task.name, "failed", outcome["seconds"], message)


def _keep(task: Task, outcome: Event) -> None:
    if task.write:
        write_outputs(task.notebook, Notebook(task.notebook.path, outcome["executed"]))
    else:
        write_whole(task.output, outcome["executed"])
    outputs = Notebook(task.output).outputs_digest
    finished = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    state = {"status": "ok", "key": task.key, "outputs": outputs}
    write_json(task.state, {**state, "seconds": round(outcome["seconds"], 2), "finished": finished})


def _serve(worker: Worker, task: Task, tell: Any, resume: bool) -> None:
    with claim(task.folder / ".claims" / task.state.relative_to(task.folder)) as claimed:
        if not claimed:
            message = f"{task.name} is being executed by another process."
            result = Result(task.name, "busy", message=message)
        elif resume and is_done(task):
            result = Result(task.name, "kept")
        else:
            result = _execute(worker, task, tell)
    tell({"name": task.name, "event": "result", "result": result})


class _Progress:
    """One bar over all cells on a terminal; a line for each notebook that ends, everywhere.

    At paper scale, where a notebook takes hours, each of its sections is a line as well, with the
    time that is left as the records have it.
    """

    def __init__(self, tasks: Sequence[Task], by_section: bool, took: dict, n_jobs: int):
        self._took, self._n_jobs = took, n_jobs
        self._started: dict[str, float] = {}
        self.tasks = {task.name: task for task in tasks}
        self.by_section = by_section
        self.results: dict[str, Result] = {}
        self._begun: dict[str, float] = {}
        self._ends = {task.name: _section_ends(task.notebook) for task in tasks}
        self._running: dict[str, str] = {}
        self._cells = {task.name: len(task.notebook.code) for task in tasks}
        total = sum(self._cells.values())
        self._bar = tqdm(total=total, unit="cell", disable=None, dynamic_ncols=True)

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, event: Event) -> None:
        """Count a cell, or say how a notebook ended."""
        name = event["name"]
        if event["event"] == "cell":
            now = time.perf_counter()
            self._begun.setdefault(name, now)
            self._started.setdefault(name, now)
            total = len(self.tasks[name].notebook.code)
            self._running[name] = f"{name} {event['number']}/{total}"
        elif event["event"] == "cell done":
            self._cells[name] -= 1
            self._bar.update()
            self._end_section(name, event["number"])
        else:
            self._end(event["result"])
        self._bar.set_description_str(f"{len(self.results)}/{len(self.tasks)} notebooks")
        self._bar.set_postfix_str("  ".join(self._running.values()))

    def _end_section(self, name: str, number: int) -> None:
        title = self._ends[name].get(number)
        if self.by_section and title:
            seconds = time.perf_counter() - self._begun.pop(name)
            self._say(f"done    {name}: {title}", seconds, self._left())

    def _left(self) -> str:
        """Return how long the rest takes if it goes as it did when it was recorded."""
        now, left = time.perf_counter(), 0.0
        for name in self.tasks.keys() & self._took.keys() - self.results.keys():
            left += max(0.0, self._took[name].seconds - now + self._started.get(name, now))
        return f"about {duration(left / self._n_jobs)} left" if left else ""

    def _end(self, result: Result) -> None:
        self.results[result.name] = result
        self._running.pop(result.name, None)
        self._bar.update(self._cells[result.name])
        count = f"({len(self.results)} of {len(self.tasks)})"
        self._say(f"{result.status:7} {result.name}", result.seconds, count)

    def _say(self, text: str, seconds: float, more: str = "") -> None:
        print_line(f"{text}  {seconds:.1f} s  {more}".rstrip())


def _section_ends(notebook: Notebook) -> dict[int, str]:
    """Return the title of each section by the number of its last code cell."""
    ends, number = {}, 0
    for section in notebook.sections:
        number += len(section.code)
        if section.code:
            ends[number] = section.title
    return ends


def _watch(
    tasks: Sequence[Task], n_jobs: int, resume: bool, by_section: bool, took: dict[str, Recorded]
) -> list[Result]:
    """Execute the tasks and show how far they are."""
    with _Progress(tasks, by_section, took, n_jobs) as progress:
        for event in work_through(tasks, n_jobs, lambda *piece: _serve(*piece, resume)):
            progress.show(event)
    return [progress.results[task.name] for task in tasks]


def run(
    names: Sequence[str] = (),
    *,
    scale: str = "quick",
    n_jobs: int = 1,
    resume: bool = False,
    write: bool = False,
    parameters: dict[str, Any] | None = None,
    timeout: int | None = None,
    only: str = "",
    record: bool = False,
    root: Path | None = None,
) -> list[Result]:
    """Execute notebooks as ``hlsvm run`` asks, and return how each ended, in their order.

    `names` are paths, or names below `notebooks/`; none means every lesson and every experiment.
    With `resume`, those are skipped that were executed with the same inputs and whose output is
    there; with `write`, outputs go back into the notebooks and not to ``out/<scale>/notebooks/``.
    `parameters` go to the notebooks that have them; a cell may take `timeout` seconds. `only` is
    the id whose section alone is executed, after the set-up cells. `record` writes the committed
    records.

    Raises
    ------
    NotebookError
        A notebook or a parameter is not what it must be; nothing was executed.
    """
    check_option("run", "scale", scale, SCALES)
    check_number("run", "n_jobs", n_jobs, kind=Integral, low=1)
    if record and scale != "paper":
        raise NotebookError("--record needs --scale paper, the scale of the committed records.")
    if only and write:
        raise NotebookError("--write needs whole notebooks, and --only executes a part of one.")
    check_installed()
    root = root or repository_root()
    notebooks = find_notebooks(root, names)
    if only:
        notebooks = [section_of(notebooks, siblings(only), lookup(only).home)]
    suffix = f".{stem(only)}" if only else ""
    options = {"write": write, "timeout": timeout, "record": record, "suffix": suffix}
    tasks = plan(notebooks, root, scale, parameters or {}, **options)
    took = {}
    if scale == "paper":
        took = recorded_times(tasks, record_files(root))
        print_line(announcement(tasks, took, record))
    results = _watch(tasks, n_jobs, resume, scale == "paper" or bool(only), {} if only else took)
    order = {id(task.notebook): result for task, result in zip(tasks, results, strict=True)}
    return [order[id(notebook)] for notebook in notebooks]


def summary(results: Sequence[Result]) -> str:
    """Give a table of names, seconds and status, and the failures below it."""
    width = max(len(result.name) for result in results)
    lines = [f"{'notebook':{width}}  {'seconds':>8}  status"]
    lines += [f"{r.name:{width}}  {r.seconds:8.1f}  {r.status}" for r in results]
    bad = [result for result in results if not result.good]
    lines += ["", *(f"FAILED: {result.message}" for result in bad)] if bad else []
    return "\n".join(lines)
