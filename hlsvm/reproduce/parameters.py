"""Values for a notebook's parameters, one by one or as a grid: checked before anything runs."""

import ast
import difflib
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hlsvm.reproduce.notebook import Notebook, NotebookError, Parameter

_TYPES = {kind.__name__: (kind,) for kind in (bool, int, str, list, dict)}
_TYPES |= {"float": (float, int), "None": (type(None),)}
_NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?$|[-+]?\.?(inf|nan)$", re.I)
_WORDS = {"true": True, "false": False, "none": None, "null": None}


def _accepted(parameter: Parameter) -> list[str]:
    """Names of the types a parameter accepts; empty where nothing can be said."""
    source = parameter.annotation
    if not source:
        name = type(parameter.default).__name__
        return [] if name == "NoneType" else [name]
    source = re.sub(r"Optional\[(.*)\]$", r"\1 | None", source)
    source = re.sub(r"Literal\[(.*)\]$", r"\1", source)
    names = []
    for part in re.split(r"\||,(?![^\[]*\])", source):
        base = re.sub(r"\[.*\]$", "", part.strip())
        if base in _TYPES:
            names.append(base)
        else:
            try:
                names.append(repr(ast.literal_eval(base)))
            except (ValueError, SyntaxError):
                return []
    return names


def _fits(value: Any, accepted: list[str]) -> bool:
    if isinstance(value, bool) and "bool" not in accepted:
        return repr(value) in accepted
    kinds = [_TYPES.get(name, ()) for name in accepted]
    return repr(value) in accepted or any(isinstance(value, kind) for kind in kinds)


def _plain(value: Any) -> Any:
    """NumPy scalars and arrays as plain numbers and lists: papermill writes JSON."""
    if hasattr(value, "tolist") and type(value).__module__ == "numpy":
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _whole_path(value: Any) -> Any:
    """Make the path of a file absolute: a notebook runs in its own folder."""
    if isinstance(value, str) and Path(value).suffix and Path(value).is_file():
        return str(Path(value).resolve())
    return value


def unknown_name(name: str, known: list[str], what: str) -> str:
    """Say that a name is unknown (`what` is the sentence up to it), with the nearest known one."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    guess = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known) or 'none'}."
    return f"{what} {name!r}; {guess}"


def conform(notebook: Notebook, name: str, value: Any) -> Any:
    """Return `value` as the notebook's parameter `name` takes it.

    NotebookError: it has no such parameter, the value is text that looks like a number (YAML 1.1
    reads ``1e-3`` so), or its type is not the one annotated.
    """
    if name not in notebook.parameters:
        what = f"{notebook.path.name} has no parameter"
        raise NotebookError(unknown_name(name, list(notebook.parameters), what))
    parameter = notebook.parameters[name]
    accepted = _accepted(parameter)
    value = _whole_path(_plain(value))
    if accepted != ["str"]:
        _refuse_textual_numbers(name, value)
    if accepted and not _fits(value, accepted):
        hint = " (quote it: YAML reads yes, no, on, off as booleans)"
        raise NotebookError(
            f"The parameter {name!r} of {notebook.path.name} must be {' or '.join(accepted)}. "
            f"Got {value!r} ({type(value).__name__}) instead"
            + (hint if isinstance(value, bool) and "str" in accepted else "")
            + "."
        )
    return _as_annotated(value, accepted)


def _as_annotated(value: Any, accepted: list[str]) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if whole and "float" in accepted and "int" not in accepted else value


def _refuse_textual_numbers(name: str, value: Any) -> None:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and _NUMBER.match(item.strip()):
            raise NotebookError(
                f"The parameter {name!r} got the text {item!r} where a number belongs: "
                f"write {_as_yaml(item.strip())}."
            )


def _as_yaml(text: str) -> str:
    """Spell a number as YAML 1.1 reads it: with a point, and a sign in its exponent."""
    if re.search("inf|nan", text, re.I):
        return re.sub(r"^([-+]?)\.?(.*)$", r"\1.\2", text.lower())
    mantissa, _, exponent = text.replace("_", "").lower().partition("e")
    if not exponent:
        return mantissa
    mantissa = mantissa if "." in mantissa else mantissa + ".0"
    return f"{mantissa}e{exponent if exponent[0] in '+-' else '+' + exponent}"


def default_of(parameter: Parameter) -> Any:
    """Return the default as `conform` would return it, so that 1 and 1.0 are the same float."""
    return _as_annotated(parameter.default, _accepted(parameter))


def parse_value(text: str) -> Any:
    """Read a value from the command line: number, true/false/none, list, or text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return float(text) if _NUMBER.match(text) else text


class GridError(NotebookError):
    """A grid is not what it must be; the message says where and what to write instead."""


_SHAPES = (
    "a mapping from parameters to lists of values (every combination is run), a list of parameter "
    "sets, or both under the keys 'grid' and 'sets'"
)


def _read_yaml(text: str) -> Any:
    """Read YAML; refuse a key given twice, of which YAML would silently take the last."""
    import yaml  # of the extra "notebooks"; whoever only asks what is missing needs none

    class Loader(yaml.SafeLoader):
        pass

    def mapping(loader: Loader, node: yaml.MappingNode) -> dict[Any, Any]:
        keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
        twice = [key for number, key in enumerate(keys) if key in keys[:number]]
        if twice:
            line = node.start_mark.line + 1
            raise GridError(f"The key {twice[0]!r} occurs twice in the mapping at line {line}.")
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    try:
        return yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise GridError(f"this is not YAML: {' '.join(str(error).split())}") from None


def read_grid(path: Path) -> list[dict[str, Any]]:
    """Read the parameter sets of a YAML (or JSON) file, in its order, the last axis fastest."""
    try:
        content = _read_yaml(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, IsADirectoryError):
        raise GridError(f"There is no grid {path}.") from None
    except GridError as error:
        raise GridError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise GridError(f"{path}: this is not text in UTF-8 ({error}).") from None
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


def complete(notebook: Notebook, sets: Sequence[dict[str, Any]], path: Path) -> list[dict]:
    """Check every set against the notebook's parameters and fill in its defaults."""
    defaults = {name: default_of(parameter) for name, parameter in notebook.parameters.items()}
    whole, seen = [], {}
    for number, one in enumerate(sets, start=1):
        values = {name: conform(notebook, name, value) for name, value in one.items()}
        whole.append({**defaults, **values})
        first = seen.setdefault(repr(sorted(whole[-1].items())), number)
        if first != number:
            listed = ", ".join(f"{name}={value!r}" for name, value in values.items())
            raise GridError(f"{path}: sets {first} and {number} are the same ({listed}).")
    return whole
