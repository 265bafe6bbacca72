"""One digest of code: of a definition and of everything in the package that it reaches.

A definition is a function, a class or a constant of a module, or a name that a notebook binds. Its
digest covers its normal form (`hlsvm.reproduce._meaning`) and the digests of the definitions it
uses, wherever they are: moving or renaming a module, a function or a local variable changes
nothing; changing a number of folds, a grid, a loss or a formula does. Code is read, not executed.

Left out are the machinery round a result (`hlsvm.reproduce` but for what measures), drawings, which
are functions of a recorded table, and what finds and reads data files: data enter by the registry's
entry and by the digest of the loaded arrays, a published or recorded table that the code names by
the digest of its file. Libraries enter by their versions, see `libraries`.
"""

import ast
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hlsvm._files import sha256
from hlsvm.reproduce._meaning import Module, Reader, bound_names
from hlsvm.reproduce.repository import numbers_file

_PACKAGE = Path(__file__).resolve().parents[1]
_APART = ("hlsvm.reproduce", "hlsvm.cli", "hlsvm.datasets._find", "hlsvm.datasets._listing")
_MEASURES = tuple(f"hlsvm.reproduce.{name}" for name in ("timing", "problems", "plane_plots"))
_NUMBERS = ("published", "recorded")  # functions that read a table of the repository
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
RECORDER = "recorder or drawing"
# Parameters of a notebook that do not change its numbers, or that the record names beside them.
_SETTINGS = {"scale", "n_jobs", "out_dir"}


def digest_of(content: object) -> str:
    """Return the SHA-256 of JSON-able content, in 32 hexadecimal digits."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def libraries() -> dict[str, str]:
    """Return the versions of the libraries that every result depends on."""
    return versions_of(_LIBRARIES)


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those of the packages that are installed."""
    versions = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


class Code:
    """Definitions of the package (and of one notebook), and their digests.

    With `everything` the machinery and the drawings are followed too: what an executed notebook
    depends on. `package` is the folder of the package, if it is not this one.
    """

    def __init__(self, everything: bool = False, package: Path | None = None):
        self.everything, self.package = everything, package or _PACKAGE
        self.paths: dict[str, Path | None] = {}
        self.modules: dict[str, Module | None] = {}
        self.forms: dict[tuple, tuple[object, list[tuple]]] = {}
        self.digests: dict[tuple, str] = {}
        self.states: dict[Path, tuple] = {}

    def path(self, name: str) -> Path | None:
        """Return the source of a module of the package, without importing anything."""
        if name not in self.paths:
            first, *rest = name.split(".")
            place = self.package.joinpath(*rest)
            tries = [place / "__init__.py", *([place.with_suffix(".py")] if rest else [])]
            known = first == "hlsvm"
            self.paths[name] = next((path for path in tries if known and path.exists()), None)
        return self.paths[name]

    def add(self, blocks: Sequence[list[ast.stmt]]) -> Module:
        """Add the cells of a notebook, as a module of its own."""
        name = f"<notebook {len(self.modules)}>"
        self.modules[name] = Module(name, blocks, notebook=True)
        return self.modules[name]

    def module(self, name: str) -> Module | None:
        """Return a module of the package, None where there is none."""
        if name not in self.modules:
            path = self.path(name)
            self.modules[name] = None
            if path is not None:
                self.states[path] = _state(path)
                body = ast.parse(path.read_text(encoding="utf-8")).body
                self.modules[name] = Module(name, [body])
        return self.modules[name]

    def table(self, id: str, kind: str) -> str:
        """Return the digest of the published or recorded table of an id, "" for none."""
        path = None
        with suppress(KeyError):
            path = numbers_file(id, kind)
        if path is None:
            return ""
        self.states[path] = _state(path)
        return sha256(path)

    def unchanged(self) -> bool:
        """Whether the files that were read are still as they were."""
        return all(_state(path) == state for path, state in self.states.items())

    def find(self, module: str, name: str) -> tuple:
        """Return ("definition", module, name), ("module", name), ("apart", name) or a library's."""
        source = self.module(module)
        if source is None:
            return ("library", f"{module}.{name}")
        if name in source.imports and name not in source.rebound:
            return self.target(source.imports[name])
        if name in source.statements:
            return self._definition(source, name)
        if self.path(f"{module}.{name}"):
            return ("module", f"{module}.{name}")
        home = source.table_entry(name)
        return self.find(home, name) if home else ("library", name)

    def target(self, target: tuple) -> tuple:
        """Return what an import's target stands for."""
        if target[0] == "from":
            return self.find(target[1], target[2])
        return target if self.path(target[1]) else ("library", target[1])

    def _definition(self, source: Module, name: str) -> tuple:
        if not self.everything:
            inside = (source.name == home or source.name.startswith(f"{home}.") for home in _APART)
            if any(inside) and source.name not in _MEASURES:
                return ("apart", name)
            for statement in source.statements[name]:
                if self._is_apart(source, name, statement):
                    return ("apart", RECORDER)
        return ("definition", source.name, name)

    def _is_apart(self, source: Module, name: str, statement: ast.stmt) -> bool:
        """Whether a statement makes a drawing, a notebook's recorder or one of its settings."""
        if isinstance(statement, ast.FunctionDef):
            marks = [one.func for one in statement.decorator_list if isinstance(one, ast.Call)]
            return any(_last(mark) == "draws" for mark in marks)
        if not source.notebook:
            return False
        made = getattr(statement, "value", None)
        return name in _SETTINGS or (isinstance(made, ast.Call) and _last(made.func) == "Recorder")

    def is_setting(self, source: Module, statement: ast.stmt) -> bool:
        """Whether a notebook's statement only binds its recorder or its settings."""
        names = () if self.everything else bound_names([statement])
        return bool(names) and all(self._is_apart(source, name, statement) for name in names)

    def form(self, key: tuple) -> tuple[object, list[tuple]]:
        """Return the normal form of a definition and the definitions it uses, in their order."""
        if key not in self.forms:
            _, module, name = key
            source = self.module(module)
            writer = Writer(self, source, name)
            forms = [writer.read(statement) for statement in source.statements[name]]
            if name in source.imports:  # and then changed
                forms.append(writer.follow(self.target(source.imports[name]), []))
            self.forms[key] = (forms, writer.used)
        return self.forms[key]

    def digest(self, key: tuple) -> str:
        """Return the digest of a definition."""
        if key not in self.digests:
            for circle in _circles(key, lambda one: self.form(one)[1], self.digests):
                self._settle(circle)
        return self.digests[key]

    def _settle(self, circle: list[tuple]) -> None:
        """Give digests to definitions that use one another, by as many rounds as there are."""
        names = dict.fromkeys(circle, "?")
        for _ in range(len(circle)):
            names = {key: self._among(key, names) for key in circle}
        self.digests.update(names)

    def _among(self, key: tuple, names: dict[tuple, str]) -> str:
        form, used = self.forms[key]
        return digest_of([form, [names.get(one) or self.digests[one] for one in used]])


def _state(path: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        return path.stat().st_mtime_ns, path.stat().st_size
    return None


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _circles(start, uses: Callable, done) -> Iterator[list]:
    """Yield the strongly connected parts of what `start` reaches, used ones first (Tarjan)."""
    order: dict = {}
    low: dict = {}
    path: dict = {}
    work = [(start, None)]
    while work:
        node, rest = work.pop()
        if rest is None:
            order[node] = low[node] = len(order)
            path[node] = None
            rest = iter(uses(node))
        for other in rest:
            if other in done:
                continue
            if other not in order:
                work += [(node, rest), (other, None)]
                break
            if other in path:
                low[node] = min(low[node], low[other])
        else:
            if low[node] == order[node]:
                circle = [path.popitem()[0]]
                while circle[-1] != node:
                    circle.append(path.popitem()[0])
                yield circle
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])


class Writer(Reader):
    """Reads the definitions of one module; notes which definitions they use."""

    def __init__(self, code: Code, source: Module, name: str = ""):
        super().__init__(self._stand_in, self._string)
        self.code, self.source, self.definition = code, source, name
        self.used: list[tuple] = []

    def _stand_in(self, target: tuple, attributes: Sequence[str]):
        if target[0] == "member":
            meaning = target
        elif target[0] == "global" and target[1] == self.definition:
            meaning = ("self",)
        elif target[0] == "global":
            meaning = self.lookup(target[1])
        else:
            meaning = self.code.target(target)
        return self.follow(meaning, list(attributes))

    def lookup(self, name: str) -> tuple:
        """Return what a global name stands for."""
        known = name in self.source.imports or name in self.source.statements
        return self.code.find(self.source.name, name) if known else ("library", name)

    def follow(self, meaning: tuple, attributes: list[str]):
        """Return what stands for a name and its attributes; note a definition that is used."""
        while meaning[0] == "module" and attributes:
            meaning = self.code.find(meaning[1], attributes.pop(0))
        if meaning[0] == "library":
            return ["library", ".".join([meaning[1], *attributes])]
        if meaning[0] == "module":
            self._use_all(meaning[1])
            meaning = ("module",)
        elif meaning[0] == "definition":
            self.used.append(meaning)
            meaning = ("definition",)
        elif meaning == ("apart", RECORDER) and attributes == ["over"]:
            self.used.append(("definition", "hlsvm.reproduce.problems", "over"))
        stands: list = list(meaning)
        for attribute in attributes:
            stands = ["attribute", stands, attribute]
        return stands

    def _use_all(self, name: str) -> None:
        for bound in sorted(self.code.module(name).statements):
            meaning = self.code.find(name, bound)
            if meaning[0] == "definition":
                self.used.append(meaning)

    def _read_Call(self, node):
        """Return a call; where it reads a table of the repository, with the table's digest.

        What the same cells record counts by their code.
        """
        form = super()._read_Call(node)
        if form[0] == "Call" and form[1][:1] == ["apart"] and form[1][1] in _NUMBERS:
            ids = [one.value for one in node.args[:1] if isinstance(one, ast.Constant)]
            others = [id for id in ids if isinstance(id, str) and id not in self.source.records]
            form += [self.code.table(id, form[1][1]) for id in others]
        return form

    def _string(self, value: str):
        """Return a string; with what the registry says of it, where it names a data set."""
        digest, generator = data_facts(value)
        if generator:
            room, _, function = generator.partition(":")
            if self.code.path(f"hlsvm.datasets.{room}"):
                self.follow(self.code.find(f"hlsvm.datasets.{room}", function), [])
        return [value, digest] if digest else value


@lru_cache(maxsize=4096)
def data_facts(name: str) -> tuple[str, str]:
    """Return a digest of what the registry says of a data set, and its generator; "" for none."""
    from hlsvm.datasets.registry import registry

    entry = registry().get(name)
    if entry is None:
        return "", ""
    words = {"title", "ids", "alias", "licence", "citation", "note", "external", "stand_in"}
    facts = {k: value for k, value in vars(entry).items() if k not in words | {"official"}}
    return hashlib.sha256(repr(sorted(facts.items())).encode()).hexdigest()[:16], entry.generator


_CODE: dict[bool, Code] = {}


def package_code(everything: bool = False) -> Code:
    """Return the definitions of the package as the files are now."""
    code = _CODE.get(everything)
    if code is None or not code.unchanged():
        code = _CODE[everything] = Code(everything)
    return code
