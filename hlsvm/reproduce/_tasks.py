"""What the runner has to do: notebooks, checked parameters, a hash of all the result depends on."""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hlsvm._files import read_json, sha256
from hlsvm.reproduce.code_digest import digest_of, versions_of
from hlsvm.reproduce.notebook import Notebook, NotebookError
from hlsvm.reproduce.parameters import conform, unknown_name

RECORD_VARIABLE = "HLSVM_RECORD"
_DATA = (".csv", ".json", ".toml")
_VERSIONS = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib")
_RECORDS = re.compile(r"\bRecorder\(|\bsave_(figure|table)\(")


def _tree_digest(folder: Path, suffixes: Sequence[str], skip: Sequence[str] = ()) -> str:
    """Digest of names and contents of the files below `folder` with one of `suffixes`."""
    skipped = {"__pycache__", ".ipynb_checkpoints", "cache", *skip}
    digests = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix in suffixes and not skipped.intersection(inside.parts) and path.is_file():
            digests[inside.as_posix()] = sha256(path)
    return digest_of(digests)


def find_notebooks(root: Path, names: Sequence[str] = ()) -> list[Notebook]:
    """Read the named notebooks, or all lessons and experiments; NotebookError if a name fits none.

    A name is a path, or what a notebook below `notebooks/` is called there, or the beginning of
    it: ``05_hlsvm``, ``05``, ``experiments/05_hlsvm``. Where a lesson and an experiment have the
    same name, the bare name means the lesson.
    """
    folder = root / "notebooks"
    known = [*sorted(folder.glob("*.ipynb")), *sorted(folder.glob("experiments/*.ipynb"))]
    if not names and not known:
        raise NotebookError(f"There are no notebooks in {folder}.")
    paths = [_find(name, folder, known) for name in names] if names else known
    labels = [label(path, root) for path in paths]
    if len(set(labels)) < len(labels):
        raise NotebookError("Two of the notebooks named have the same name; run them apart.")
    return [Notebook(path) for path in paths]


def _find(name: str, folder: Path, known: Sequence[Path]) -> Path:
    for path in (Path(name), folder / name, folder / f"{name}.ipynb"):
        if path.is_file():
            return path
    inside = {path: path.relative_to(folder).with_suffix("").as_posix() for path in known}
    for path, whole in inside.items():
        if name and name in (whole[: len(name)], path.stem[: len(name)]):
            return path
    raise NotebookError(f"There is no notebook {name!r}; there are: {', '.join(inside.values())}.")


def label(path: Path, root: Path) -> str:
    """Return what a notebook is called: its path below `notebooks/`, elsewhere its file's name."""
    with contextlib.suppress(ValueError):
        inside = path.resolve().relative_to((root / "notebooks").resolve())
        return inside.with_suffix("").as_posix()
    return path.stem


@dataclass(frozen=True)
class Task:
    """A notebook to execute at a scale, with what it depends on and where its traces go."""

    name: str
    notebook: Notebook
    parameters: dict[str, Any]
    key: str
    folder: Path
    write: bool
    timeout: int | None
    environment: dict[str, str]

    def file(self, ending: str) -> Path:
        """Return a file of the folder that is called after the task."""
        return self.folder / f"{self.name}{ending}"

    @property
    def state(self) -> Path:
        """File that says how the last execution ended."""
        return self.file(".write.json" if self.write else ".json")

    @property
    def output(self) -> Path:
        """File that holds the executed outputs."""
        return self.notebook.path if self.write else self.file(".ipynb")

    @property
    def failed_output(self) -> Path:
        """File that holds what was executed up to a failure."""
        return self.file(".failed.ipynb")


def _records(scale: str, notebook: Notebook) -> bool:
    return scale == "paper" and bool(_RECORDS.search("\n".join(notebook.code)))


def only(notebooks: Sequence[Notebook], ids: Sequence[str], home: str) -> Notebook:
    """Return the set-up cells and the section that records the first of `ids`, or a namesake."""
    if part := next((part for id in ids for n in notebooks if (part := n.only(id))), None):
        return part
    names = ", ".join(notebook.path.name for notebook in notebooks)
    raise NotebookError(f"No section of {names} records {ids[0]}; it belongs to {home}.")


def plan(
    notebooks: Sequence[Notebook],
    root: Path,
    scale: str,
    parameters: dict[str, Any],
    *,
    write: bool = False,
    timeout: int | None = None,
    record: bool = False,
    suffix: str = "",
) -> list[Task]:
    """Check parameters before anything runs; notebooks that only read records come last.

    `suffix` is added to the names of tasks that are a part of their notebook.
    """
    known = {name for notebook in notebooks for name in notebook.parameters}
    for name in parameters:
        if name not in known:
            raise NotebookError(unknown_name(name, sorted(known), "No notebook has a parameter"))
    folder = root / "out" / scale / "notebooks"
    environment = {RECORD_VARIABLE: "1"} if record else {}
    tasks = []
    for notebook in notebooks:
        given = _given(notebook, {"scale": scale, **parameters})
        if write and given:
            raise NotebookError(
                f"--write keeps the outputs of the notebook's own defaults, but "
                f"{notebook.path.name} would run with {', '.join(map(repr, given))} changed."
            )
        records = _records(scale, notebook)  # which are then no input of it
        data = _tree_digest(root / "data", _DATA, ["results"] if records else [])
        key = digest_of([notebook.code_digest, given, data, versions_of(_VERSIONS), environment])
        name = label(notebook.path, root) + suffix
        tasks.append(Task(name, notebook, given, key, folder, write, timeout, environment))
    tasks.sort(key=lambda task: scale == "paper" and not _records(scale, task.notebook))
    return tasks


def _given(notebook: Notebook, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return those of the parameters that the notebook has and that differ from its defaults."""
    values = {
        name: conform(notebook, name, value)
        for name, value in parameters.items()
        if name in notebook.parameters
    }
    return {k: v for k, v in values.items() if v != notebook.parameters[k].default}


def is_done(task: Task) -> bool:
    """Whether the task was executed with the same inputs and its output is there, whole."""
    state = read_json(task.state) or {}
    if state.get("key") != task.key or state.get("status") != "ok":
        return False
    try:
        return Notebook(task.output).outputs_digest == state.get("outputs")
    except NotebookError:
        return False


@dataclass(frozen=True)
class Recorded:
    """What the records of a notebook say of its run: seconds, kept steps, processor."""

    seconds: float
    steps: int
    machine: str


def recorded_times(tasks: Sequence[Task], records: Sequence[Path]) -> dict[str, Recorded]:
    """Return what each task took when it was recorded; tasks without records are left out.

    A record says how long its notebook had been at work when it was made, and with which steps.
    """
    known = [read_json(path) or {} for path in records]
    times: dict[str, Recorded] = {}
    for task in tasks:
        seconds, steps, machine = 0.0, set(), ""
        home = task.notebook.name
        for record in (one for one in known if Path(one.get("notebook", "")).stem == home):
            seconds = max(seconds, record.get("duration_s") or 0.0)
            steps |= {step["key"] for step in record.get("steps") or ()}
            machine = record.get("machine", {}).get("cpu", machine)
        if seconds:
            times[task.name] = Recorded(seconds, len(steps), machine)
    return times


def duration(seconds: float) -> str:
    """Return a time for a person: "2 h 5 min", "12 min", "40 s"."""
    minutes = round(seconds / 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds:.0f} s"


def announcement(tasks: Sequence[Task], took: dict[str, Recorded], record: bool) -> str:
    """Say what a run at paper scale takes and leaves, before it begins."""
    sections = sum(len(task.notebook.sections) - 1 for task in tasks)
    seconds = sum(one.seconds for one in took.values())
    recorded = f"; when recorded they took {duration(seconds)}:" if took else "."
    where = "figures and data/results, the committed records" if record else "out/paper"
    count = "1 notebook" if len(tasks) == 1 else f"{len(tasks)} notebooks"
    lines = [f"{count} with {sections} sections{recorded}"]
    for name, one in took.items():
        steps = f" in {one.steps} steps" if one.steps else ""
        lines.append(f"    {name}: {duration(one.seconds)}{steps}, on {one.machine}")
    lines += [
        "Every step is kept when it is done: interrupt at any time, and the same command with "
        "--resume goes on there.",
        f"Figures and tables go to {where}"
        + ("." if record else " (--record writes the committed records)."),
    ]
    return "\n".join(lines)
