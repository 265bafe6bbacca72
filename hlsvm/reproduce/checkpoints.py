"""Steps of long work that are kept: computed once, read back afterwards, kill -9 or not.

A step is known by its name, its parameters and the code it names; change one of them and it is
computed again (comments and docstrings do not count). Results are JSON, with arrays in a ``.npz``:
nothing that is read back is ever executed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hlsvm.reproduce.paths import repository_root, resolve
from hlsvm.reproduce.provenance import code_digest, data_digest

_FORMAT = 1


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
    if isinstance(value, pd.DataFrame):
        return {"frame": _pack_frame(value, arrays, where)}
    raise TypeError(
        f"A checkpoint keeps numbers, text, lists, dicts with text keys, NumPy arrays and "
        f"DataFrames. {where} is {type(value).__name__}."
    )


def _pack_frame(frame: pd.DataFrame, arrays: dict[str, np.ndarray], where: str) -> Any:
    if any(name is not None for name in frame.index.names) or not frame.index.equals(
        pd.RangeIndex(len(frame))
    ):
        raise TypeError(
            f"A checkpoint keeps frames without an index. Call reset_index() on {where}."
        )
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
    if kind == "frame":
        return pd.DataFrame({name: _unpack(values, arrays) for name, values in content})
    return {key: _unpack(item, arrays) for key, item in content.items()}


def _write(path: Path, value: Any, seconds: float, params: Any) -> None:
    arrays: dict[str, np.ndarray] = {}
    tree = {"value": _pack(value, arrays, "the result"), "seconds": seconds, "params": params}
    text = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            np.savez_compressed(file, tree=text, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _read(path: Path) -> tuple[Any, float] | None:
    """Return a kept result and its seconds; None if there is none, or none that can be read."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        tree = json.loads(arrays.pop("tree").tobytes())
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error):
        return None
    return _unpack(tree["value"], arrays), tree["seconds"]


def _source_files(name: str) -> list[Path]:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ValueError(
            f"code must name modules of the package, such as 'hlsvm.trees'. Got {name!r}."
        )
    origin = Path(spec.origin)
    return sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]


def _key(params: Any, code: Iterable[str]) -> str:
    digests = {
        f"{name}/{path.name}": code_digest(path)
        for name in sorted(code)
        for path in _source_files(name)
    }
    text = json.dumps([_FORMAT, params, digests], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain_params(params: Mapping[str, Any]) -> Any:
    """Return parameters as JSON holds them; an array counts by its digest."""
    arrays: dict[str, np.ndarray] = {}
    packed = _pack(dict(params), arrays, "params")
    return [packed, {name: data_digest(array) for name, array in arrays.items()}]


def run_step(
    name: str,
    params: Mapping[str, Any],
    function: Callable[[], Any],
    *,
    code: Iterable[str],
    folder: str | os.PathLike | None = None,
) -> tuple[Any, float]:
    """Return the result of a step and the seconds it took when it was computed."""
    if not re.fullmatch(r"[\w.+-]+", str(name)) or str(name).startswith("."):
        raise ValueError(
            f"name must be letters, digits and any of '_.+-', such as 'usps-pairs'. Got {name!r}."
        )
    if isinstance(code, str):
        code = [code]
    plain = _plain_params(params)
    base = resolve(folder) if folder else repository_root() / "out" / "checkpoints"
    path = base / str(name) / f"{_key(plain, code)}.npz"
    kept = _read(path)
    if kept is None:
        start = time.perf_counter()
        value = function()
        _write(path, value, time.perf_counter() - start, plain)
        kept = _read(path)
    return kept


def checkpoint(name, params, function, *, code, folder=None):
    """Return the result of `function`, computed once and kept.

    Parameters
    ----------
    name : str
        Name of the step; a folder of ``out/checkpoints``.
    params : dict
        Everything the result depends on: parameters, seed, name of the data.
    function : callable without arguments
        The work. It returns numbers, text, lists, dicts, NumPy arrays or DataFrames.
    code : str or list of str
        Modules whose change makes the result void, such as ``["hlsvm.trees", "hlsvm.linear"]``.
    folder : path, optional
        Where results are kept. Default: ``out/checkpoints`` of the repository.

    Returns
    -------
    object
        Always as read back from the disk: the same whether computed now or before.

    Raises
    ------
    TypeError
        The parameters or the result hold something that is not kept.
    ValueError
        `name` is no name, or `code` names no module.

    Examples
    --------
    >>> import tempfile
    >>> kept = tempfile.mkdtemp()
    >>> checkpoint("squares", {"n": 3}, lambda: [1, 4, 9], code="hlsvm._params", folder=kept)
    [1, 4, 9]
    >>> checkpoint("squares", {"n": 3}, lambda: 1 / 0, code="hlsvm._params", folder=kept)
    [1, 4, 9]
    """
    return run_step(name, params, function, code=code, folder=folder)[0]
