"""What every committed notebook keeps to, checked without running it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from hlsvm.reproduce.repository import entries

MAX_OUTPUT_BYTES = 1_600_000
MAX_CELL_LINES = 30
PARAMETERS = ("scale", "seed", "n_jobs", "out_dir")
OF_LESSONS = ("seed",)  # they and sweeps run at one scale and record nothing

_ROOTS = "home|root|tmp|work|usr|var|opt|mnt|media|srv|Users|Volumes|private|content|builds?"
_ABSOLUTE = re.compile(rf"(?<![\w./~)\]:])/(?:{_ROOTS})/[\w.+-]+|\b[A-Za-z]:\\\\?\w+|file://")
_CRAMPED = re.compile(r"^\$\$.*\$\$\n(?=.*\S)", re.MULTILINE)  # the page reads on as a formula
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_ID = re.compile(r"(Thesis|HLSVM|DTSVM|MetricTree|SRS|Beyond)\.(?!text)[A-Za-z][\w.+-]*")
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)|<img[^>]+src=[\"']([^\"']+)")
# Calls that record or read an id -> where the id stands among their arguments.
_RECORDS = {"save_figure": 1, "save_table": 1}
_READS = {"compare": 0, "published": 0, "recorded": 0}


def _code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _name(cell: Any, number: int) -> str:
    first = next((line for line in cell.source.splitlines() if line.strip()), "")
    return f"code cell {number} ({first.strip()[:40]!r})"


def _tree(cell: Any) -> ast.Module:
    """Parse a cell; lines of magics and shell commands count as blank."""
    lines = ["" if line.lstrip()[:1] in ("%", "!") else line for line in cell.source.splitlines()]
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def _frame(notebook: Any) -> Iterator[str]:
    first = notebook.cells[0] if notebook.cells else None
    if first is None or first.cell_type != "markdown" or not re.match(r"# \S", first.source):
        yield "the first cell must be Markdown and begin with a title ('# ...')"
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        yield f"kernelspec must be 'python3', it is {kernel!r}"
    if "papermill" in notebook.metadata:
        yield "metadata of papermill must be removed from the notebook"


def _counts(notebook: Any) -> Iterator[str]:
    counts = [cell.execution_count for cell in _code_cells(notebook) if cell.source.strip()]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts must be 1..{len(counts)}, they are {counts[:20]}"


def _literal(node: ast.AST) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _parameters(notebook: Any, needed: tuple[str, ...]) -> Iterator[str]:
    cells = _code_cells(notebook)
    tagged = [k for k, c in enumerate(cells) if "parameters" in c.metadata.get("tags", [])]
    if tagged != [0]:
        yield "exactly one cell, the first code cell, must have the tag 'parameters'"
        return
    source, names = cells[0].source, []
    for statement in _tree(cells[0]).body:
        line = source.splitlines()[statement.lineno - 1]
        is_typed = isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        if not is_typed or statement.value is None or not _literal(statement.value):
            yield f"the parameters cell must hold 'name: type = literal' only, not {line!r}"
            continue
        names.append(statement.target.id)
        last = source.splitlines()[statement.end_lineno - 1]
        if "#" not in line and "#" not in last:
            yield f"parameter {names[-1]!r} must say what it is in a comment on its line"
    missing = [name for name in needed if name not in names]
    if missing:
        yield f"the parameters cell lacks {missing}"


def _texts(output: Any) -> Iterator[str]:
    if output.output_type == "stream":
        yield output.text
    for kind, content in output.get("data", {}).items():
        if kind.startswith("text/") or kind == "application/json":
            yield content if isinstance(content, str) else json.dumps(content)


def _outputs(notebook: Any) -> Iterator[str]:
    size = 0
    for number, cell in enumerate(_code_cells(notebook), 1):
        size += len(json.dumps(cell.outputs).encode())
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"{_name(cell, number)} ended in {output.ename}"
            if output.output_type == "stream" and output.name == "stderr":
                yield f"{_name(cell, number)} wrote to stderr: {output.text.strip()[:80]!r}"
            if "image/svg+xml" in output.get("data", {}):
                yield f"{_name(cell, number)} shows SVG, which nbval compares by bytes: use PNG"
            for text in _texts(output):
                for what, pattern in (("path", _ABSOLUTE), ("address", _ADDRESS)):
                    match = pattern.search(text)
                    if match:
                        yield f"{_name(cell, number)} shows the {what} {match[0]!r}"
    if size > MAX_OUTPUT_BYTES:
        yield f"outputs take {size:,} bytes, allowed are {MAX_OUTPUT_BYTES:,}"


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _sources(notebook: Any) -> Iterator[str]:
    for cell in notebook.cells:
        match = _ABSOLUTE.search(cell.source)
        if match:
            yield f"a {cell.cell_type} cell names the absolute path {match[0]!r}"
        if "papermill" in cell.metadata:
            yield "metadata of papermill must be removed from the cells"
        if cell.cell_type == "markdown" and _CRAMPED.search(cell.source):
            yield f"a blank line must follow {_CRAMPED.search(cell.source)[0].strip()!r}"
    for number, cell in enumerate(_code_cells(notebook), 1):
        lines = [line for line in cell.source.splitlines() if _is_code(line)]
        if len(lines) > MAX_CELL_LINES:
            yield f"{_name(cell, number)} has {len(lines)} lines, allowed are {MAX_CELL_LINES}"
        if lines and lines[-1].rstrip().endswith(";"):
            yield f"{_name(cell, number)} hides its output with ';', which nbval does not honour"


def _call(node: ast.Call) -> tuple[str, int] | None:
    """Return the name of a call that takes an id, and the position of the id."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in _RECORDS or name in _READS:
        return name, {**_RECORDS, **_READS}[name]
    is_method = isinstance(node.func, ast.Attribute)
    if is_method and name in ("figure", "table") and len(node.args) == 2:
        return name, 1
    return None


def _ids(notebook: Any) -> Iterator[str]:
    known = entries()
    for number, cell in enumerate(_code_cells(notebook), 1):
        tree = _tree(cell)
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and _ID.fullmatch(node.value) and node.value not in known:
                yield f"{_name(cell, number)} names {node.value!r}, not an id of the catalogue"
            if not isinstance(node, ast.Call) or _call(node) is None:
                continue
            name, position = _call(node)
            named = [keyword.value for keyword in node.keywords if keyword.arg == "id"]
            given = named or node.args[position : position + 1]
            value = getattr(given[0], "value", None) if given else None
            if not given or isinstance(given[0], (ast.JoinedStr, ast.BinOp)):
                yield f"{_name(cell, number)}: {name} must name its catalogue id in full"
            elif isinstance(given[0], ast.Constant) and not _ID.fullmatch(str(value)):
                yield f"{_name(cell, number)}: {value!r} is no id of the catalogue"


def _images(notebook: Any, folder: Path) -> Iterator[str]:
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        for markdown, html in _IMAGE.findall(cell.source):
            target = markdown or html
            if re.match(r"https?:|attachment:|data:", target):
                continue
            if not (folder / target.split("#")[0].split("?")[0]).exists():
                yield f"the image {target} does not exist"


def problems(notebook: Any, folder: Path) -> list[str]:
    """Return what is wrong with a notebook, in sentences; an empty list is a clean one.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Version 4.
    folder : Path
        Where the notebook lies: its images are looked for from there.

    Examples
    --------
    >>> problems(nbformat.v4.new_notebook(), Path("."))[0]
    "the first cell must be Markdown and begin with a title ('# ...')"
    """
    needed = OF_LESSONS if folder.name in ("notebooks", "sweeps") else PARAMETERS
    checks = (_frame, _counts, _outputs, _sources, _ids)
    lines = [line for check in checks for line in check(notebook)]
    return [*lines, *_parameters(notebook, needed), *_images(notebook, folder)]


def check_file(path: Path) -> list[str]:
    """Return what is wrong with a notebook file (see `problems`)."""
    notebook = nbformat.read(path, as_version=4)
    return problems(notebook, path.parent)
