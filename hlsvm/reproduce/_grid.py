"""Grids of parameters: read from YAML, expanded, and refused as a whole before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from hlsvm.reproduce._notebook import Notebook, NotebookError
from hlsvm.reproduce._values import conform, default_of
from hlsvm.reproduce.code_digest import digest_of


class GridError(NotebookError):
    """A grid is not what it must be; the message says where and what to write instead."""


_SHAPES = (
    "a mapping from parameters to lists of values (every combination is run), a list of parameter "
    "sets, or both under the keys 'grid' and 'sets'"
)


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice, of which it would silently take the last."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    twice = [key for number, key in enumerate(keys) if key in keys[:number]]
    if twice:
        line = node.start_mark.line + 1
        raise GridError(f"The key {twice[0]!r} stands twice in the mapping of line {line}.")
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_grid(path: Path) -> list[dict[str, Any]]:
    """Read the parameter sets of a YAML (or JSON) file, in its order, the last axis fastest.

    Raises
    ------
    GridError
        The file is missing, is not YAML, or holds no set of parameters.
    """
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except (FileNotFoundError, IsADirectoryError):
        raise GridError(f"There is no grid {path}.") from None
    except yaml.YAMLError as error:
        raise GridError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    except GridError as error:
        raise GridError(f"{path}: {error}") from None
    sets = [{**one, **point} for one, point in itertools.product(*_parts(path, content))]
    if not sets:
        raise GridError(f"{path} is empty: it must hold {_SHAPES}.")
    return sets


def _parts(path: Path, content: Any) -> tuple[list[dict], list[dict]]:
    """Split into the listed sets and the points of the grid, each [{}] where it is not given."""
    both = isinstance(content, dict) and content.keys() <= {"grid", "sets"} and content
    if both and isinstance(content.get("grid", {}), dict):
        grid, sets = content.get("grid", {}), content.get("sets", [{}])
    elif isinstance(content, list):
        grid, sets = {}, content
    elif isinstance(content, dict):
        grid, sets = content, [{}] if content else []
    else:
        grid, sets = {}, [] if content is None else [content]
    if not isinstance(sets, list) or not all(isinstance(one, dict) for one in sets):
        raise GridError(f"{path} must hold {_SHAPES}.")
    for one in sets:
        if shared := sorted(map(str, grid.keys() & one.keys())):
            raise GridError(f"{path} gives {shared[0]!r} both in 'grid' and in 'sets'.")
    if {} in sets and (isinstance(content, list) or len(sets) > 1):
        raise GridError(f"{path} lists a set without parameters.")
    return sets, _points(path, grid)


def _points(path: Path, grid: dict[str, Any]) -> list[dict[str, Any]]:
    axes = {name: value if isinstance(value, list) else [value] for name, value in grid.items()}
    for name, values in axes.items():
        if not values:
            raise GridError(f"{path} gives no value for {name!r}.")
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def complete(
    notebook: Notebook, sets: Sequence[dict[str, Any]], path: Path
) -> list[dict[str, Any]]:
    """Check every set against the notebook's parameters and fill in its defaults.

    Raises
    ------
    NotebookError
        A parameter is unknown, or a value is not of its type.
    GridError
        Two sets are the same.
    """
    defaults = {name: default_of(parameter) for name, parameter in notebook.parameters.items()}
    whole, seen = [], {}
    for number, one in enumerate(sets, start=1):
        values = {name: conform(notebook, name, value) for name, value in one.items()}
        whole.append({**defaults, **values})
        first = seen.setdefault(digest_of(whole[-1]), number)
        if first != number:
            listed = ", ".join(f"{name}={value!r}" for name, value in values.items())
            raise GridError(f"{path}: sets {first} and {number} are the same ({listed}).")
    return whole
