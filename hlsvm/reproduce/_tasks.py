"""What the runner has to do: notebooks, checked parameters, a hash of all the result depends on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hlsvm.reproduce._files import digest, read_json, tree_digest
from hlsvm.reproduce._notebook import Notebook, NotebookError
from hlsvm.reproduce._values import conform, unknown_name

_CODE = (".py", ".toml", ".mplstyle")
_DATA = (".csv", ".json", ".toml")
_VERSIONS = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib")
_RECORDS = re.compile(r"\bRecorder\(|\bsave_(figure|table)\(")


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
    own = root / "hlsvm"
    package = own if own.is_dir() else Path(__file__).resolve().parents[1]
    skip = ["results"] if scale == "paper" else []
    data = tree_digest(root / "data", _DATA, skip) if (root / "data").is_dir() else ""
    return [tree_digest(package, _CODE), data, digest(_versions())]


def plan(
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


def is_done(task: Task) -> bool:
    state = read_json(task.state) or {}
    if state.get("key") != task.key or state.get("status") != "ok":
        return False
    try:
        return Notebook(task.output).outputs_digest == state.get("outputs")
    except NotebookError:
        return False
