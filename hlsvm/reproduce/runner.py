"""Execute the notebooks side by side, go on where it was interrupted, and say which cell failed.

Every notebook is executed by papermill in a process of its own. What it depends on (its code, the
package, the data, the versions, the parameters) is hashed; with `resume`, a notebook whose hash and
whose executed outputs are those of the last time is not executed again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hlsvm._params import check_number, check_option
from hlsvm.reproduce._files import (
    claim,
    digest,
    read_json,
    tree_digest,
    write_json,
)
from hlsvm.reproduce._notebook import Notebook, NotebookError, write_outputs
from hlsvm.reproduce._pool import Job, Worker, describe_failure, work_through
from hlsvm.reproduce._values import conform, unknown_name
from hlsvm.reproduce.paths import repository_root

SCALES = ("quick", "paper")
_CODE = (".py", ".toml", ".mplstyle")
_DATA = (".csv", ".json", ".toml")
_VERSIONS = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib")
_RECORDS = re.compile(r"\bRecorder\(|\bsave_(figure|table)\(")


@dataclass(frozen=True)
class Task:
    """A notebook to execute at a scale, with what it depends on and where its traces go."""

    notebook: Notebook
    parameters: dict[str, Any]
    key: str
    folder: Path
    write: bool
    timeout: int | None

    @property
    def name(self) -> str:
        """The notebook's name."""
        return self.notebook.name

    @property
    def state(self) -> Path:
        """File that says how the last execution ended."""
        return self.folder / f"{self.name}{'.write' if self.write else ''}.json"

    @property
    def output(self) -> Path:
        """File that holds the executed outputs."""
        return self.notebook.path if self.write else self.folder / f"{self.name}.ipynb"

    @property
    def failed_output(self) -> Path:
        """File that holds what was executed up to a failure."""
        return self.folder / f"{self.name}.failed.ipynb"


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


def _versions() -> dict[str, str]:
    found = {}
    for name in _VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _shared_inputs(root: Path, scale: str) -> list[str]:
    """Digests of what every notebook depends on; recorded results are outputs at paper scale."""
    package = Path(__file__).resolve().parents[1]
    skip = ["results"] if scale == "paper" else []
    data = tree_digest(root / "data", _DATA, skip) if (root / "data").is_dir() else ""
    return [tree_digest(package, _CODE), data, digest(_versions())]


def _plan(
    notebooks: Sequence[Notebook],
    root: Path,
    scale: str,
    parameters: dict[str, Any],
    write: bool,
    timeout: int | None,
) -> list[Task]:
    """Check parameters before anything runs; notebooks that only read records come last."""
    known = {name for notebook in notebooks for name in notebook.parameters}
    for name in parameters:
        if name not in known:
            raise NotebookError(unknown_name(name, sorted(known), "No chosen notebook"))
    shared = _shared_inputs(root, scale)
    tasks = []
    for notebook in notebooks:
        given = {}
        for name, value in {"scale": scale, **parameters}.items():
            if name not in notebook.parameters:
                continue
            value = conform(notebook, name, value)
            if value != notebook.parameters[name].default:
                given[name] = value
        if write and given:
            raise NotebookError(
                f"--write keeps the outputs of the notebook's own defaults, but "
                f"{notebook.path.name} would run with {', '.join(map(repr, given))} changed."
            )
        reads_records = scale == "paper" and not _RECORDS.search("\n".join(notebook.code))
        records = tree_digest(root / "data", _DATA) if reads_records else ""
        key = digest(notebook.code_digest, given, shared, records)
        folder = root / "out" / scale / "notebooks"
        tasks.append(Task(notebook, given, key, folder, write, timeout))
    if scale == "paper":
        tasks.sort(key=lambda task: not _RECORDS.search("\n".join(task.notebook.code)))
    return tasks


def _is_done(task: Task) -> bool:
    state = read_json(task.state) or {}
    if state.get("key") != task.key or state.get("status") != "ok":
        return False
    try:
        return Notebook(task.output).outputs_digest == state.get("outputs")
    except NotebookError:
        return False


def _execute(worker: Worker, task: Task, tell: Any) -> Result:
    """Execute one notebook; its output appears whole, a failed one beside it."""
    partial = task.folder / f".{task.name}.partial.ipynb"
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
        elif resume and _is_done(task):
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


def find_notebooks(root: Path, names: Sequence[str] = ()) -> list[Notebook]:
    """Read the named notebooks (paths, or names below `notebooks/`), or all chapters.

    Raises
    ------
    NotebookError
        A name fits none, or two have the same name.
    """
    folder = root / "notebooks"
    if not names:
        paths = sorted(folder.glob("*.ipynb"))
        if not paths:
            raise NotebookError(f"There are no notebooks in {folder}.")
        return [Notebook(path) for path in paths]
    paths = []
    for name in names:
        tries = [Path(name), folder / name, folder / f"{name}.ipynb"]
        tries += sorted(folder.glob(f"{name}*.ipynb"))
        found = next((path for path in tries if path.is_file()), None)
        if found is None:
            have = ", ".join(sorted(path.stem for path in folder.glob("*.ipynb")))
            raise NotebookError(f"There is no notebook {name!r}; there are: {have}.")
        paths.append(found)
    if len({path.stem for path in paths}) < len(paths):
        raise NotebookError("Two of the notebooks named have the same name; run them apart.")
    return [Notebook(path) for path in paths]


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
    check_number("run", "n_jobs", n_jobs, kind=int, low=1)
    root = root or repository_root()
    notebooks = find_notebooks(root, names)
    tasks = _plan(notebooks, root, scale, parameters or {}, write, timeout)
    results = {result.name: result for result in _watch(tasks, n_jobs, resume)}
    return [replace(results[notebook.name]) for notebook in notebooks]


def summary(results: Sequence[Result]) -> str:
    """Give a table of names, seconds and status, and the failures below it."""
    width = max(len(result.name) for result in results)
    lines = [f"{'notebook':{width}}  {'seconds':>8}  status"]
    lines += [f"{r.name:{width}}  {r.seconds:8.1f}  {r.status}" for r in results]
    bad = [result for result in results if not result.good]
    lines += ["", *(f"FAILED: {result.message}" for result in bad)] if bad else []
    return "\n".join(lines)
