"""Statements that change a value without binding a name: what a reader of source cannot follow."""

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

_BY_TEXT = {"exec", "eval", "globals", "locals", "vars", "setattr", "delattr", "get_ipython"}
_IN_PLACE = {"shuffle", "fill_diagonal", "copyto", "put", "place", "putmask", "resize", "partition"}
_ON_ITSELF = {"append", "extend", "insert", "update", "add", "pop", "setdefault", "fit", "sort"}
_SHOW = ("hlsvm.reproduce", "matplotlib", "warnings", "IPython", "pandas")
_HANDS_ON = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.IfExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Hidden:
    """Finds the statements of cells that may change what is reached, though they are not read.

    Parameters
    ----------
    module : object
        What the cells bind: `name`, `imports` (name to ("module", path) or ("from", module, name))
        and `statements` (every other name, with the statements that are read where it is reached).
    reached : collection of tuple
        (kind, module, name) of what the result depends on.
    """

    def __init__(self, module: Any, reached: Collection[tuple]):
        self.imports: Mapping[str, tuple] = module.imports
        self.statements: Mapping[str, Sequence[ast.stmt]] = module.statements
        self.reached = {name for _, home, name in reached if home == module.name}

    def refuse(self, cells: Iterable[Sequence[ast.stmt]], results: Sequence[ast.AST], id: str):
        """Raise (ValueError) if a statement may change unread what is recorded as `id`."""
        if hidden := self.changes([one for cell in cells for one in cell], results):
            raise ValueError(
                f"{ast.unparse(hidden[0])[:120]!r} may change what is recorded as {id}, and the "
                "digest of its code would not show it: bind the changed value (x = changed(x)), or "
                "write the statement below the recording."
            )

    def changes(self, statements: Sequence[ast.stmt], results: Sequence[ast.AST]) -> list[ast.stmt]:
        """Return those up to the last statement with a result that may change something unread."""
        holds = [any(one in results for one in ast.walk(whole)) for whole in statements]
        end = max((k for k, one in enumerate(holds) if one), default=len(statements) - 1)
        return [
            whole
            for whole in statements[: end + 1]
            if any(self._hides(node, whole) for node in _outside_functions(whole))
        ]

    def _hides(self, node: ast.AST, whole: ast.stmt) -> bool:
        if isinstance(node, _FUNCTIONS):
            return bool(_changed_by(node) & self.statements.keys())
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            return self._is_module(_root(node))
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in _BY_TEXT:
                return True
            words = {word.arg for word in node.keywords}
            if getattr(node.func, "attr", "") in _IN_PLACE or words & {"inplace", "out"}:
                return self._is_unread({_root(node.func), *_given(node)}, whole)
        calls = _outer_calls(node.value) if isinstance(node, ast.Expr) else ()
        return any(self._may_change(call, whole) for call in calls)

    def _may_change(self, call: ast.Call, whole: ast.stmt) -> bool:
        """Whether a call whose value is dropped may change its arguments, or a module."""
        root, function = _root(call.func), call.func
        if root == "record" or root in dir(builtins) or self._shows(root):
            return False
        while isinstance(function, ast.Attribute):
            function = function.value
        if isinstance(function, ast.Name) and self._is_module(root):
            return True
        if getattr(call.func, "attr", "") in _ON_ITSELF:
            return False
        for one in self.statements.get(root, ()):
            if isinstance(one, _FUNCTIONS) and not _changed_by(one):
                return False
        return self._is_unread(_given(call), whole)

    def _is_module(self, root: str) -> bool:
        return root in self.imports and root not in self.reached and not self._shows(root)

    def _is_unread(self, names: Iterable[str], whole: ast.stmt) -> bool:
        inside = self.reached.intersection(names)
        return any(whole not in self.statements.get(name, ()) for name in inside)

    def _shows(self, root: str) -> bool:
        path = ".".join(self.imports.get(root, ("",))[1:])
        return path.startswith(_SHOW) or path.endswith(".drawings")


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _changed_by(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names from outside, parameters among them, that a function's body changes."""
    nodes = [node for line in function.body for node in ast.walk(line)]
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    changed, declared = set(), set()
    for node in nodes:
        if isinstance(node, ast.Global):
            declared |= set(node.names)
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            changed |= set() if isinstance(node.ctx, ast.Load) else {_root(node)}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            changed |= {_root(call.func)} if isinstance(call.func, ast.Attribute) else _given(call)
            changed |= _given(call) if getattr(call.func, "attr", "") in _IN_PLACE else set()
    return declared | (changed - stored - {"record", ""})


def _given(call: ast.Call) -> set[str]:
    """Return the names that a call is given as they are: alone, or in a list, tuple or dict."""
    waiting: list[ast.AST] = [*call.args, *(word.value for word in call.keywords)]
    names = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, _HANDS_ON):
            waiting += ast.iter_child_nodes(node)
        elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            names.add(_root(node))
    return names


def _outer_calls(value: ast.AST) -> list[ast.Call]:
    if isinstance(value, ast.Call):
        return [value]
    return [call for child in ast.iter_child_nodes(value) for call in _outer_calls(child)]


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it; of functions and classes only what they are called."""
    yield node
    if not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _outside_functions(child)
