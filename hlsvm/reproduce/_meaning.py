"""The meaning of source code: its syntax without comments, wording, layout and chosen names.

Two pieces of code have the same normal form if they differ only in comments, docstrings,
annotations, the wording of errors and warnings, line breaks, the names of local variables, and in
where a name was imported from. Names that belong to a module are looked up by the caller, so that
a definition of the project can be followed and a library's function keeps its full name.
"""

import ast
from collections.abc import Callable, Iterable, Sequence

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_POSITIONS = ("ctx", "type_comment", "type_params", "kind", "returns")


def import_targets(node: ast.Import | ast.ImportFrom) -> dict[str, tuple]:
    """Return what an import binds: name -> ("module", path) or ("from", module, name)."""
    if isinstance(node, ast.ImportFrom):
        return {a.asname or a.name: ("from", node.module or "", a.name) for a in node.names}
    return {
        a.asname or a.name.partition(".")[0]: (
            "module",
            a.name if a.asname else a.name.partition(".")[0],
        )
        for a in node.names
    }


def bound_names(nodes: Iterable[ast.AST]) -> dict[str, tuple | None]:
    """Return the names that statements bind in their own scope; an import with its target."""
    bound: dict[str, tuple | None] = {}
    outside: set[str] = set()

    def walk(node: ast.AST, inside: bool = False) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update(import_targets(node))
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outside.update(node.names)
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            if not isinstance(node, ast.Lambda):
                bound.setdefault(node.name, None)
            return
        elif isinstance(node, ast.NamedExpr):
            bound.setdefault(node.target.id, None)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and not inside:
            bound.setdefault(node.id, None)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            bound.setdefault(node.name, None)
        for child in ast.iter_child_nodes(node):
            walk(child, inside or isinstance(node, _LOOPS))

    for node in nodes:
        walk(node)
    return {name: target for name, target in bound.items() if name not in outside}


class Reader:
    """Turns syntax into nested lists.

    `resolve` takes the target of an import, or ("global", name), and the attributes asked of it,
    and returns what stands for them in the normal form; `text` does so for a string constant.
    """

    def __init__(self, resolve: Callable, text: Callable[[str], object]):
        self._resolve, self._text = resolve, text
        self._scopes: list[dict] = []
        self._in_class: list[bool] = []

    def read(self, node):
        """Return the normal form of a node or of a list of nodes."""
        if isinstance(node, list):
            return [item for item in map(self.read, node) if item is not None]
        if not isinstance(node, ast.AST):
            return [type(node).__name__, repr(node)]
        special = getattr(self, f"_read_{type(node).__name__}", None)
        return special(node) if special else self._generic(node)

    def _generic(self, node, skip=()):
        fields = {
            name: value
            for name, value in ast.iter_fields(node)
            if name not in (*_POSITIONS, *skip) and value is not None and value != []
        }
        return [type(node).__name__, *([name, self.read(fields[name])] for name in sorted(fields))]

    def _enter(self, names: dict, of_class: bool = False) -> None:
        self._scopes.append(dict(names))
        self._in_class.append(of_class)

    def _leave(self) -> None:
        self._scopes.pop()
        self._in_class.pop()

    def _local(self, name: str):
        """Return what stands for a local name, an import's target, or None for a global one."""
        for depth in range(len(self._scopes) - 1, -1, -1):
            scope = self._scopes[depth]
            if name not in scope or (self._in_class[depth] and depth < len(self._scopes) - 1):
                continue
            if isinstance(scope[name], tuple):
                return scope[name]
            if scope[name] is None:
                scope[name] = sum(isinstance(value, int) for value in scope.values())
            return ["local", depth, scope[name]]
        return None

    def _name(self, name: str, attributes=()):
        local = self._local(name)
        if isinstance(local, list):
            for attribute in attributes:
                local = ["attribute", local, attribute]
            return local
        return self._resolve(local or ("global", name), attributes)

    def _read_Name(self, node):
        return self._name(node.id)

    def _read_Attribute(self, node):
        attributes, root = [node.attr], node.value
        while isinstance(root, ast.Attribute):
            attributes.append(root.attr)
            root = root.value
        if isinstance(root, ast.Name):
            return self._name(root.id, tuple(reversed(attributes)))
        value = self.read(root)
        for attribute in reversed(attributes):
            value = ["attribute", value, attribute]
        return value

    def _read_Constant(self, node):
        if isinstance(node.value, str):
            return ["str", self._text(node.value)]
        return [type(node.value).__name__, repr(node.value)]

    def _dropped(self, node):
        return None

    _read_Import = _read_ImportFrom = _read_Global = _read_Nonlocal = _dropped

    def _read_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) else self._generic(node)

    def _read_AnnAssign(self, node):
        if self._in_class and self._in_class[-1]:
            return self._generic(node)
        if node.value is None:
            return None
        return self.read(ast.Assign(targets=[node.target], value=node.value))

    def _read_Raise(self, node):
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return ["Raise", self.read(kind)] if kind else ["Raise"]

    def _read_Call(self, node):
        function = self.read(node.func)
        if function == ["library", "warnings.warn"]:
            return ["Warn", self.read(node.args[1:])]
        return ["Call", function, self.read(node.args), self.read(node.keywords)]

    def _read_arg(self, node):
        return ["arg", node.arg]

    def _read_ExceptHandler(self, node):
        name = [self._name(node.name)] if node.name else []
        return [*self._generic(node, skip=("name",)), *name]

    _read_MatchAs = _read_MatchStar = _read_ExceptHandler

    def _read_FunctionDef(self, node):
        name = []
        if self._scopes and not isinstance(node, ast.Lambda):
            name = [node.name if self._in_class[-1] else self._name(node.name)]
        outer = [self.read(getattr(node, "decorator_list", []))]
        outer += [self.read(node.args.defaults), self.read(node.args.kw_defaults)]
        body = node.body if isinstance(node.body, list) else [node.body]
        plain = node.args
        every = [*plain.posonlyargs, *plain.args, plain.vararg, *plain.kwonlyargs, plain.kwarg]
        arguments = {arg.arg: None for arg in every if arg}
        self._enter({**arguments, **bound_names(body)})
        for argument in arguments:  # numbered in order, whatever the body does first
            self._local(argument)
        inner = [self._generic(plain, skip=("defaults", "kw_defaults")), self.read(body)]
        self._leave()
        return [type(node).__name__, name, outer, inner]

    _read_AsyncFunctionDef = _read_Lambda = _read_FunctionDef

    def _read_ClassDef(self, node):
        name = [self._name(node.name)] if self._scopes else []
        outer = [self.read(node.decorator_list), self.read(node.bases), self.read(node.keywords)]
        self._enter({name: ("member", name) for name in bound_names(node.body)}, of_class=True)
        members = self.read(node.body)
        self._leave()
        return ["ClassDef", name, outer, members]

    def _read_comprehension_of(self, node):
        first = self.read(node.generators[0].iter)
        targets = bound_names([one.target for one in node.generators])
        self._enter(dict.fromkeys(targets))
        parts = []
        for k, one in enumerate(node.generators):
            source = [] if k == 0 else [self.read(one.iter)]
            parts.append([self.read(one.target), source, self.read(one.ifs), one.is_async])
        fields = [self.read(getattr(node, name)) for name in node._fields if name != "generators"]
        self._leave()
        return [type(node).__name__, first, parts, fields]

    _read_ListComp = _read_SetComp = _read_DictComp = _read_GeneratorExp = _read_comprehension_of


_ASSIGNS = ast.Assign, ast.AugAssign, ast.AnnAssign


class Module:
    """The names a module or a notebook binds, each with the statements that bind or change it."""

    def __init__(self, name: str, blocks: Sequence[list[ast.stmt]], notebook: bool = False):
        self.name, self.notebook = name, notebook
        self.imports: dict[str, tuple] = {}
        self.statements: dict[str, list[ast.stmt]] = {}
        self.rebound: set[str] = set()  # what an assignment binds or changes
        self.records: set[str] = set()  # ids that a notebook's cells record
        for block in blocks:
            for statement in block:
                for bound, target in self._changed(statement).items():
                    if target is not None:
                        self.imports.setdefault(bound, target)
                    else:
                        self.statements.setdefault(bound, []).append(statement)
                        self.rebound |= {bound} if isinstance(statement, _ASSIGNS) else set()

    @staticmethod
    def _changed(statement: ast.stmt) -> dict[str, tuple | None]:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return import_targets(statement)
        names = bound_names([statement])
        for mark in getattr(statement, "decorator_list", []):  # what a decorator is given
            names |= {
                one.id: None for one in getattr(mark, "args", []) if isinstance(one, ast.Name)
            }
        for node in ast.walk(statement):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
                break  # what its body changes, it changes when it is called
            if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(
                node.ctx, (ast.Store, ast.Del)
            ):
                names.setdefault(_root(node), None)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                names.setdefault(_root(node.value.func), None)
        names.pop("", None)
        return names

    def table_entry(self, name: str) -> str | None:
        """Return the module that a table of names, or of a module's names, gives one."""
        if "__getattr__" not in self.statements:
            return None
        for statement in (one for group in self.statements.values() for one in group):
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
                for key, value in zip(statement.value.keys, statement.value.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == name:
                        return f"{self.name}.{ast.literal_eval(value)}"
                    if isinstance(value, ast.Constant) and name in str(value.value).split():
                        return f"{self.name}.{ast.literal_eval(key)}"
        return None


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
