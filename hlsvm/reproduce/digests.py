"""One digest of a value: of data, of settings, and of functions with all that they reach."""

import ast
import dataclasses
import functools
import hashlib
import inspect
import linecache
import sys
import sysconfig
import types
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hlsvm.datasets import file_digests
from hlsvm.reproduce.code_digest import (
    RECORDER,
    Module,
    Writer,
    data_facts,
    digest_of,
    package_code,
)

_LIBRARY_FOLDERS = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_PLACES = {"n_jobs", "out_dir"}  # arguments that never change an answer


def _update(digest, array) -> None:
    if hasattr(array, "indptr"):
        for part in (array.indptr, array.indices, array.data):
            _update(digest, part)
        digest.update(str(array.shape).encode())
        return
    values = array.to_numpy() if hasattr(array, "to_numpy") else np.asarray(array)
    digest.update(f"{values.dtype.str}{values.shape}".encode())
    plain = values.astype(str) if values.dtype.kind == "O" else values
    for block in np.array_split(plain, max(1, plain.nbytes >> 26)) if plain.ndim else [plain]:
        digest.update(np.ascontiguousarray(block).tobytes())


def data_digest(*arrays) -> str:
    """Return the SHA-256 of arrays: dtype, shape and values (frames and sparse matrices too).

    Examples
    --------
    >>> data_digest([1, 2]) == data_digest([1, 2]), data_digest([1, 2]) == data_digest([2, 1])
    (True, False)
    """
    digest = hashlib.sha256()
    for array in arrays:
        if array is not None:
            _update(digest, array)
    return digest.hexdigest()


def value_digest(value: Any) -> str:
    """Return a digest of a value: equal for equal values, in every process and on every machine.

    Parameters
    ----------
    value : object
        Numbers, text, arrays, frames, sparse matrices, data sets, collections and dataclasses of
        them, estimators (by class and parameters), functions and classes (by their code and the
        code, constants and closures that they use). Of others the TypeError says what and where.

    Examples
    --------
    >>> value_digest({"a": 1, "b": [2.0]}) == value_digest({"b": [2.0], "a": 1})
    True
    >>> value_digest(lambda x: x + 1) == value_digest(lambda y: y + 1)
    False
    """
    return digest_of(_Values().plain(value, "the value"))


class _Values:
    """Turns values into JSON; functions that use one another are met once."""

    def __init__(self):
        self.open: list[types.CodeType] = []

    def plain(self, value: Any, where: str) -> Any:
        """Return `value` as JSON."""
        if isinstance(value, str):
            return ["str", value, *self._data_set(value)]
        if value is None or isinstance(value, (bool, int, float, complex, bytes, range, slice)):
            return [type(value).__name__, repr(value)]
        if value is Ellipsis or isinstance(value, (type(NotImplemented), Path)):
            return ["object", str(value)]
        if isinstance(value, np.generic):
            return self.plain(value.item(), where)
        if isinstance(value, (list, tuple)):
            return [type(value).__name__] + [
                self.plain(item, f"{where}[{k}]") for k, item in enumerate(value)
            ]
        if isinstance(value, (set, frozenset)):
            return ["set", *sorted((self.plain(item, where) for item in value), key=repr)]
        if isinstance(value, Mapping):
            return ["dict", *self._items(value, where)]
        return self._larger(value, where)

    def _items(self, value: Mapping, where: str) -> list:
        items = [
            [self.plain(key, where), self.plain(item, f"{where}[{key!r}]")]
            for key, item in value.items()
            if key not in _PLACES
        ]
        return sorted(items, key=lambda item: repr(item[0]))

    def _larger(self, value: Any, where: str) -> Any:
        if isinstance(value, np.dtype):
            return ["dtype", value.str]
        if isinstance(value, np.ndarray) or hasattr(value, "indptr"):
            return ["array", data_digest(value)]
        if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "to_numpy"):
            names = getattr(value, "columns", [getattr(value, "name", "")])
            columns = [data_digest(value[name]) for name in names] if value.ndim == 2 else []
            return ["frame", list(map(str, names)), columns, data_digest(value, value.axes[0])]
        if hasattr(value, "X_train") and hasattr(value, "digest"):
            return ["data", _dataset_digest(value)]
        if isinstance(value, np.random.SeedSequence):
            return ["seeds", repr(value)]
        if isinstance(value, types.ModuleType):
            return ["module", value.__name__]
        if callable(value) and not hasattr(value, "get_params"):
            return self._callable(value, where)
        return self._object(value, where)

    def _object(self, value: Any, where: str) -> Any:
        if isinstance(value, type):
            return self._class(value, where)
        kind = self._class(type(value), where)
        if dataclasses.is_dataclass(value):
            fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
            return [kind, *self._items(fields, where)]
        if hasattr(value, "get_params"):
            return [kind, *self._items(value.get_params(deep=False), where)]
        raise TypeError(
            "A step takes numbers, text, arrays, frames, data sets, dataclasses, estimators and "
            f"functions, which can be compared. {where} is {type(value).__name__}: make it inside "
            "the function, or pass what it is made of."
        )

    def _data_set(self, name: str) -> list:
        digest, generator = data_facts(name)
        if not generator:
            return [*filter(None, [digest]), *file_digests(name)]
        writer = Writer(package_code(), Module("", []))
        writer._string(name)
        return [digest, *map(package_code().digest, writer.used)]

    def _class(self, value: type, where: str) -> Any:
        if _is_library(value):
            return ["library", f"{value.__module__}.{value.__qualname__}"]
        if value.__module__.partition(".")[0] == "hlsvm" and "<locals>" not in value.__qualname__:
            return self._definition(value)
        methods = {k: v for k, v in vars(value).items() if inspect.isfunction(v)}
        bases = [self._class(base, where) for base in value.__bases__]
        return ["class", bases, *self._items(methods, where)]

    def _definition(self, value: Any) -> list:
        name, _, rest = value.__qualname__.partition(".")
        return ["code", package_code().digest(("definition", value.__module__, name)), rest]

    def _callable(self, value: Any, where: str) -> Any:
        if isinstance(value, functools.partial):
            parts = self.plain([list(value.args), dict(value.keywords)], where)
            return ["partial", self.plain(value.func, where), parts]
        if isinstance(value, type):
            return self._class(value, where)
        if isinstance(value, types.MethodType):
            return ["method", self.plain(value.__self__, where), value.__name__]
        value = getattr(value, "py_func", value)  # what Numba compiles
        value = inspect.unwrap(value)
        module = getattr(value, "__module__", None) or ""
        if _is_library(value) or not isinstance(value, types.FunctionType):
            if not hasattr(value, "__qualname__"):
                return self._object(value, where)
            return ["library", f"{module}.{value.__qualname__}"]
        named = "<" not in value.__qualname__  # neither a lambda nor inside another function
        if module.partition(".")[0] == "hlsvm" and named:
            return self._definition(value)
        if value.__code__ in self.open:
            return ["again", len(self.open) - self.open.index(value.__code__)]
        self.open.append(value.__code__)
        try:
            return self._function(value)
        finally:
            self.open.pop()

    def _function(self, function: types.FunctionType) -> list:
        writer = _LiveWriter(self, function)
        form = writer.read(source_of(function))
        return ["function", form, [package_code().digest(key) for key in writer.used]]


class _LiveWriter(Writer):
    """Reads a function that lives in a notebook, a test or inside another function."""

    def __init__(self, values: _Values, function: types.FunctionType):
        code, module = package_code(), function.__module__
        known = code.module(module) if module.partition(".")[0] == "hlsvm" else None
        super().__init__(code, known or Module(module, []))
        self.values, self.function = values, function
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self.inside = {}
        for name, cell in cells:
            try:
                self.inside[name] = cell.cell_contents
            except ValueError:  # not bound yet
                continue

    def lookup(self, name: str) -> tuple:
        """Return what a global name stands for: by its value now, or by the module's source."""
        if name in _PLACES:
            return ("apart", name)
        if name in self.inside:
            return self._of_value(self.inside[name], name)
        if self.source.statements or self.source.imports:
            return super().lookup(name)
        if name in self.function.__globals__:
            return self._of_value(self.function.__globals__[name], name)
        return ("library", name)

    def _of_value(self, value: Any, name: str) -> tuple:
        if isinstance(value, types.ModuleType):
            known = value.__name__.partition(".")[0] == "hlsvm"
            return ("module" if known else "library", value.__name__)
        if type(value).__name__ == "Recorder":
            return ("apart", RECORDER)
        if inspect.isroutine(value) or isinstance(value, type):
            package, _, _ = (value.__module__ or "").partition(".")
            if package == "hlsvm" and "." not in value.__qualname__:
                return self.code.find(value.__module__, value.__name__)
        return ("value", self.values.plain(value, name))


def source_of(function: types.FunctionType) -> ast.AST:
    """Return the syntax of a function or lambda, from its file or its notebook cell.

    Raises
    ------
    ValueError
        The source is not known (a function typed at a prompt, or made by ``exec``).
    """
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    spots = [spot for spot in code.co_positions() if None not in spot and spot[0] > 0]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    fitting = []
    for node in ast.walk(ast.parse(text)):
        is_lambda = isinstance(node, ast.Lambda)
        if not isinstance(node, kinds) or is_lambda != (function.__name__ == "<lambda>"):
            continue
        if is_lambda:
            start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            inside = sum(start <= (a, left) and (b, right) <= end for a, b, left, right in spots)
            begins = node.lineno <= code.co_firstlineno <= node.end_lineno
            if begins and inside >= len(spots) - 2:
                fitting.append((end[0] - start[0], end[1] - start[1], node))
        elif node.name == code.co_name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    if not fitting:
        raise ValueError(
            f"The source of {function.__qualname__} is not known: write it in a file or in a cell."
        )
    return min(fitting, key=lambda one: one[:2])[2]


_SEEN: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def _dataset_digest(dataset: Any) -> str:
    """Return the digest of a data set's arrays; computed once for each object."""
    parts = [getattr(dataset, name, None) for name in ("X_train", "y_train", "X_test", "y_test")]
    try:
        if dataset not in _SEEN:
            _SEEN[dataset] = data_digest(*parts)
        return _SEEN[dataset]
    except TypeError:  # it cannot be a key
        return data_digest(*parts)


def _is_library(value: Any) -> bool:
    """Whether a function or class belongs to Python or to an installed package."""
    module = getattr(value, "__module__", None) or "builtins"
    if module.partition(".")[0] in ("__main__", "hlsvm"):
        return False
    if isinstance(value, types.FunctionType):
        file = value.__code__.co_filename
    else:
        file = getattr(sys.modules.get(module), "__file__", None)
    return file is None or file.startswith(_LIBRARY_FOLDERS)
