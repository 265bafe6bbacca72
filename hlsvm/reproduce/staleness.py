"""Whether a record is as young as its protocol, its data and the libraries.

A record carries the digest of the code that made it: what the cells of its notebook's section
compute, with everything in the package that they reach. The same digest of the notebook as it is
now says whether the record is out of date; nothing is executed, and no data is loaded.
"""

import ast
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hlsvm.reproduce.code_digest import Code, Writer, data_facts, digest_of, libraries, package_code
from hlsvm.reproduce.repository import by_file, lookup, record_files, repository_root

_HEADING = re.compile(r"^## (?!#)(.*)", re.MULTILINE)
_MAGIC = re.compile(r"^([ \t]*)([%!].*)", re.MULTILINE)
_USED_BY_NAME = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
UNKNOWN = "made before records named their code"


def notebook_of(id: str) -> str:
    """Return the notebook that records an id, relative to the repository."""
    home = lookup(id).home
    path = f"notebooks/experiments/{home}.ipynb"
    return path if (repository_root() / path).exists() else f"notebooks/{home}.ipynb"


def text_of(cell: dict[str, Any]) -> str:
    """Return the source of a notebook's cell."""
    return "".join(cell["source"])


def code_of(cells: Iterable[dict[str, Any]]) -> list[str]:
    """Return the sources of the code cells."""
    return [text_of(cell) for cell in cells if cell["cell_type"] == "code"]


@dataclass(frozen=True)
class Section:
    """The cells from one heading of level two to the next."""

    title: str
    cells: list[dict[str, Any]]

    @property
    def code(self) -> list[str]:
        """Sources of the code cells."""
        return code_of(self.cells)

    @cached_property
    def syntax(self) -> list[list[ast.stmt]]:
        """Statements of the code cells."""
        return [parse_cell(source) for source in self.code]

    def recordings(self, id: str) -> list[ast.AST]:
        """Return what the section records under an id: the recorded numbers, or the whole loop."""
        exact, loops = [], []
        for statement in (one for cell in self.syntax for one in cell):
            for call, named in _recordings(statement):
                if isinstance(named, ast.Constant) and named.value == id:
                    exact += call.args[:1]
                elif not isinstance(named, ast.Constant):
                    loops.append(statement)
        if exact or not loops:
            return exact
        nodes = (node for cell in self.syntax for one in cell for node in ast.walk(one))
        return loops if any(isinstance(n, ast.Constant) and n.value == id for n in nodes) else []


def split(cells: Iterable[dict[str, Any]]) -> list[Section]:
    """Return what stands before the first heading of level two (set-up), and each such section."""
    sections = [Section("", [])]
    for cell in cells:
        title = _HEADING.search(text_of(cell)) if cell["cell_type"] == "markdown" else None
        if title:
            sections.append(Section(title[1].strip(), []))
        sections[-1].cells.append(cell)
    return sections


@by_file
def _sections(path: Path) -> list[Section]:
    return split(json.loads(path.read_text(encoding="utf-8"))["cells"])


def parse_cell(source: str) -> list[ast.stmt]:
    """Return the statements of a cell; a line of magic is a call of ``get_ipython``."""
    try:
        return ast.parse(_MAGIC.sub(lambda m: f"{m[1]}get_ipython({m[2]!r})", source)).body
    except SyntaxError:  # another language
        return ast.parse(f"_ = get_ipython({source!r})").body


def _recordings(statement: ast.stmt) -> Iterable[tuple[ast.Call, ast.expr]]:
    """Yield the calls of ``record.table`` and ``record.figure`` in a statement, with their ids."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            named = {word.arg: word.value for word in node.keywords}
            id = named.get("id") or (node.args[1] if len(node.args) > 1 else None)
            if node.func.attr in ("table", "figure") and id is not None:
                yield node, id


def section_digest(id: str) -> str:
    """Return the digest of the code that makes an id, "" where the notebook does not record it.

    It covers the recorded numbers and every statement above them, of the set-up and of the section,
    with all that these reach; a function, a class or an import counts where it is used. What stands
    below the recording, the drawing of a figure and the text between the cells do not count.
    """
    path = repository_root() / notebook_of(id)
    if not path.exists():
        return ""
    setup, *sections = _sections(path)
    for section in sections:
        if roots := section.recordings(id):
            statements = [one for cell in setup.syntax + section.syntax for one in cell]
            holds = [any(node in roots for node in ast.walk(one)) for one in statements]
            above = statements[: len(holds) - holds[::-1].index(True)]
            done = [one for one in above[:-1] if not isinstance(one, _USED_BY_NAME)]
            return _digest([above], [*done, *roots], package_code())
    return ""


def _digest(cells: Sequence[list[ast.stmt]], counted: Sequence[ast.AST], code: Code) -> str:
    module = code.add(cells)
    calls = [call for cell in cells for one in cell for call in _recordings(one)]
    module.records = {named.value for _, named in calls if isinstance(named, ast.Constant)}
    reader = Writer(code, module)
    forms = [reader.read(one) for one in counted if not code.is_setting(module, one)]
    return digest_of([forms, [code.digest(key) for key in reader.used]])


def cells_digest(cells: Sequence[str]) -> str:
    """Return the digest of cells as a whole: every statement, and all that they reach.

    Unlike `section_digest` it covers the machinery and the drawings too. It says whether the
    outputs of an executed notebook are those of the code as it is.
    """
    every = [statement for cell in cells for statement in parse_cell(cell)]
    return _digest([every], every, package_code(everything=True))


def pinned() -> dict[str, str]:
    """Return the versions of the libraries that ``constraints.txt`` names, else those installed."""
    path = repository_root() / "constraints.txt"
    versions = libraries()
    if path.exists():
        lines = (line.strip().partition("==") for line in path.read_text().splitlines())
        versions.update({name: number for name, _, number in lines if name in versions})
    return versions


def changes(record: dict) -> list[str]:
    """Return what has changed since a record was made: "code", libraries, "data:<name>"."""
    if record.get("code") is None:
        return [UNKNOWN]
    now = section_digest(record["id"])
    changed = [] if now and now == record["code"] else ["code"]
    made_with = record.get("versions", {})
    changed += [name for name, number in pinned().items() if made_with.get(name) != number]
    for name, described in record.get("datasets", {}).items():
        registered = described.get("registered")
        if registered and data_facts(name.partition(" (")[0])[0] != registered:
            changed.append(f"data:{name}")
    return changed


def stale() -> Any:
    """Return the records that the code, the data or the libraries have left behind.

    Returns
    -------
    DataFrame
        Columns ``id``, ``record`` (file) and ``changed`` (what: "code", a library, "data:name",
        separated by "; "). They are made again by ``hlsvm run --only ID --scale paper --record``.
    """
    import pandas as pd

    lines = []
    for path in record_files():
        record = json.loads(path.read_text(encoding="utf-8"))
        changed = changes(record)
        if changed:
            file = path.relative_to(repository_root()).as_posix()
            lines.append({"id": record["id"], "record": file, "changed": "; ".join(changed)})
    return pd.DataFrame(lines, columns=["id", "record", "changed"])
