"""Steps of long work that are kept: computed once, read back afterwards, kill -9 or not.

A step is known by what its result depends on: the meaning of its function and of all that it
reaches, its arguments by value, the libraries' versions, seed and scale. Results are JSON, with
arrays in a ``.npz``: nothing that is read back is ever executed.
"""

import json
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hlsvm._files import write_whole
from hlsvm.reproduce.code_digest import digest_of, libraries
from hlsvm.reproduce.digests import value_digest
from hlsvm.reproduce.problems import NotRun
from hlsvm.reproduce.repository import repository_root

_FORMAT = 2


@dataclass(frozen=True)
class Step:
    """A result that is kept: its name, key, value, seconds, and when it was computed.

    `reused` says that it was computed before this run and read back.
    """

    name: str
    key: str
    value: Any
    seconds: float
    computed: str
    reused: bool

    def line(self) -> dict:
        """Return what a record says of the step."""
        line = {name: field for name, field in vars(self).items() if name != "value"}
        return line | {"seconds": round(self.seconds, 3)}


def _pack(value: Any, arrays: dict[str, np.ndarray], where: str) -> Any:
    """Return `value` as JSON; arrays go to `arrays` and leave their name."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biufU":
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcU":
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, (list, tuple)):
        items = [_pack(item, arrays, f"{where}[{k}]") for k, item in enumerate(value)]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _pack(value[key], arrays, f"{where}[{key!r}]") for key in value}}
    if isinstance(value, NotRun):
        return {"not run": [value.reason, value.what]}
    if isinstance(value, pd.DataFrame):
        return {"frame": _pack_frame(value, arrays, where)}
    raise TypeError(
        f"A step returns numbers, text, lists, dicts with text keys, NumPy arrays and "
        f"DataFrames. {where} is {type(value).__name__}."
    )


def _pack_frame(frame: pd.DataFrame, arrays: dict[str, np.ndarray], where: str) -> Any:
    if any(name is not None for name in frame.index.names) or not frame.index.equals(
        pd.RangeIndex(len(frame))
    ):
        raise TypeError(f"A step returns frames without an index. Call reset_index() on {where}.")
    columns = []
    for name in frame.columns:
        numbers = isinstance(frame[name].dtype, np.dtype) and frame[name].dtype.kind in "biuf"
        values = frame[name].to_numpy() if numbers else frame[name].astype(object).tolist()
        columns.append([str(name), _pack(values, arrays, f"{where}[{name!r}]")])
    return columns


def _unpack(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if isinstance(value, list):
        return [_unpack(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content]
    if kind == "tuple":
        return tuple(_unpack(item, arrays) for item in content)
    if kind == "not run":
        return NotRun(*content)
    if kind == "frame":
        return pd.DataFrame({name: _unpack(values, arrays) for name, values in content})
    return {key: _unpack(item, arrays) for key, item in content.items()}


def _write(path: Path, step: Step) -> None:
    arrays: dict[str, np.ndarray] = {}
    tree = {"value": _pack(step.value, arrays, "the result"), **step.line()}
    text = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    write_whole(path, lambda stream: np.savez_compressed(stream, tree=text, **arrays))


def _read(path: Path) -> Step | None:
    """Return a step that is kept; None if there is none, or none that can be read."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        tree = json.loads(arrays.pop("tree").tobytes())
        value = _unpack(tree.pop("value"), arrays)
        return Step(value=value, **{**tree, "reused": True})
    except (OSError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error):
        return None


def run_step(
    function: Callable[..., Any],
    arguments: tuple = (),
    keywords: Mapping[str, Any] | None = None,
    *,
    context: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> Step:
    """Return a step: read back if it is kept, computed and kept otherwise.

    `context` is what the result depends on beside the arguments, such as the seed. Results are kept
    in ``out/steps`` of the repository, or in `folder`. TypeError: the arguments hold something that
    cannot be compared, or the result something that is not kept.
    """
    keywords = dict(keywords or {})
    settings = value_digest((arguments, keywords, dict(context or {})))
    key = digest_of([_FORMAT, libraries(), value_digest(function), settings])
    path = (folder or repository_root() / "out" / "steps") / f"{key}.npz"
    kept = _read(path)
    if kept is not None:
        return kept
    start = time.perf_counter()
    value = function(*arguments, **keywords)
    seconds = time.perf_counter() - start
    computed = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = getattr(function, "__name__", type(function).__name__)
    _write(path, Step(name, key, value, seconds, computed, False))
    return Step(name, key, _read(path).value, seconds, computed, False)
