"""Notebooks as files: their code, their typed parameters, and outputs written back into them."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hlsvm._files import write_whole
from hlsvm.reproduce.code_digest import digest_of, libraries
from hlsvm.reproduce.staleness import Section, cells_digest, code_of, split, text_of

_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# Without the interpreter's version, which would change with every machine that executes it.
_LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


class NotebookError(ValueError):
    """A notebook or its parameters are not what they must be; the message is one sentence."""


@dataclass(frozen=True)
class Parameter:
    """A name of the `parameters` cell with its default and the source of its annotation."""

    name: str
    default: Any
    annotation: str


class Notebook:
    """A notebook read from `path` (or of the content given), without nbformat's import time."""

    def __init__(self, path: Path, content: bytes | None = None):
        self.path = Path(path)
        try:
            self.content = self.path.read_bytes() if content is None else content
            self.document = json.loads(self.content)
            self.cells = self.document["cells"]
        except FileNotFoundError:
            raise NotebookError(f"There is no notebook {path}.") from None
        except (ValueError, KeyError, TypeError, IsADirectoryError):
            raise NotebookError(f"{path} is not a Jupyter notebook (nbformat 4).") from None

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @cached_property
    def code(self) -> list[str]:
        """Sources of the code cells."""
        return code_of(self.cells)

    @cached_property
    def code_digest(self) -> str:
        """Digest of what an execution depends on: the cells, what they reach, the libraries."""
        try:
            code = cells_digest(self.code)
        except SyntaxError:  # the kernel will say where
            code = digest_of(list(self.code))
        return digest_of([code, libraries()])

    @cached_property
    def sections(self) -> list[Section]:
        """What stands before the first heading of level two (set-up), and each such section."""
        return split(self.cells)

    def only(self, id: str) -> Notebook | None:
        """Return the set-up cells and the one section that records `id`, or None, as a notebook."""
        setup, *sections = self.sections
        section = next((one for one in sections if one.recordings(id)), None)
        if section is None:
            return None
        document = {**self.document, "cells": [*setup.cells, *section.cells]}
        return Notebook(self.path, json.dumps(document).encode())

    @cached_property
    def outputs_digest(self) -> str:
        """SHA-256 of the code with its outputs and counts, whatever the layout of the file."""
        cells = [cell for cell in self.cells if cell["cell_type"] == "code"]
        return digest_of([[c["source"], c.get("outputs"), c.get("execution_count")] for c in cells])

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Parameters of the cell tagged `parameters`, in its order."""
        tagged = [c for c in self.cells if "parameters" in c.get("metadata", {}).get("tags", ())]
        if not tagged:
            return {}
        if len(tagged) > 1:
            raise NotebookError(
                f"{self.path} has {len(tagged)} cells tagged 'parameters', not one."
            )
        parameters = {}
        try:
            body = ast.parse(text_of(tagged[0])).body
        except SyntaxError as error:
            raise NotebookError(f"{self.path}: its 'parameters' cell: {error}") from None
        for node in body:
            annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", 0)]
            if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:
                continue
            parameters[targets[0].id] = self._parameter(targets[0].id, node.value, annotation)
        return parameters

    def _parameter(self, name: str, value: ast.expr, annotation: str) -> Parameter:
        try:
            return Parameter(name, ast.literal_eval(value), annotation)
        except ValueError:
            raise NotebookError(
                f"{self.path}: the default of parameter {name!r} must be a literal; "
                f"derive {ast.unparse(value)!r} in the next cell."
            ) from None


def _without(metadata: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in names}


def write_outputs(notebook: Notebook, executed: Notebook) -> None:
    """Write the outputs of an executed copy into the notebook, and nothing else of the copy.

    Cell ids, tags and markdown stay; papermill's metadata and timestamps go, so that a diff shows
    outputs alone. A notebook that was edited while it was executed is left as it is
    (NotebookError).
    """
    if notebook.path.read_bytes() != notebook.content:
        raise NotebookError(f"{notebook.path} was edited while it was executed; execute it again.")
    if executed.code != notebook.code:
        raise NotebookError(f"{executed.path} is not an execution of {notebook.path}.")
    import nbformat

    code = iter([cell for cell in executed.cells if cell["cell_type"] == "code"])
    cells = []
    for cell in notebook.cells:
        metadata = _without(cell["metadata"], "papermill", "execution")
        if metadata.get("tags") == []:
            del metadata["tags"]
        cell = {**cell, "metadata": metadata}
        if cell["cell_type"] == "code":
            done = next(code)
            cell |= {"outputs": done["outputs"], "execution_count": done["execution_count"]}
        cells.append(cell)
    kept = _without(notebook.document["metadata"], "papermill", "widgets")
    document = {
        **notebook.document,
        "cells": cells,
        "metadata": {**kept, "kernelspec": _KERNEL, "language_info": _LANGUAGE},
    }
    text = nbformat.writes(nbformat.from_dict(document), version=nbformat.NO_CONVERT)
    write_whole(notebook.path, text + "\n")
