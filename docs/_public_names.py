"""API pages: of the names in the rooms' own ``__all__``, and of all others that notebooks use."""

import ast
import importlib
import inspect
import json
import re
from importlib.util import find_spec
from pathlib import Path

from sphinx.ext import autosummary

from hlsvm.reproduce.staleness import parse_cell

ROOMS = {
    "hlsvm": "Estimators",
    "hlsvm.linear": "One hyperplane",
    "hlsvm.trees": "Trees of hyperplanes",
    "hlsvm.select": "Selection of features",
    "hlsvm.extract": "Extraction of features",
    "hlsvm.subclass": "Subclasses",
    "hlsvm.regions": "Regions",
    "hlsvm.certified": "Certified answers",
    "hlsvm.tuning": "Tuning",
    "hlsvm.bounds": "Bounds",
    "hlsvm.datasets": "Data",
    "hlsvm.datasets.synthetic": "Generators",
    "hlsvm.blocks": "Blocks",
    "hlsvm.reproduce": "Records",
    "hlsvm.reproduce.sweep": "Sweeps",
}
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def public_names(room):
    """Return the public names of a room."""
    module = importlib.import_module(room)
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == room
    ]
    return [name for name in names if not name.startswith("_")]


def listed():
    """Return the names on the pages of the rooms: an estimator is not again in its own room."""
    estimators = public_names("hlsvm")
    return {
        room: [name for name in public_names(room) if room == "hlsvm" or name not in estimators]
        for room in ROOMS
    }


def used_in(paths):
    """Return the names of the package that notebooks import or ask a module of it for."""
    used = set()
    for path in paths:
        cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        nodes = [node for cell in sources for one in parse_cell(cell) for node in ast.walk(one)]
        modules = {}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hlsvm"):
                for name in node.names:
                    if _is_module(f"{node.module}.{name.name}"):
                        modules[name.asname or name.name] = f"{node.module}.{name.name}"
                    else:
                        used.add((node.module, name.name))
        used |= {
            (modules[node.value.id], node.attr)
            for node in nodes
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
            and not _is_module(f"{modules[node.value.id]}.{node.attr}")
        }
    return used


def _is_module(name):
    """Return whether a name is a module's and no function's of the same name."""
    package, _, last = name.rpartition(".")
    value = getattr(importlib.import_module(package), last, None)
    return inspect.ismodule(value) or (value is None and find_spec(name) is not None)


def helpers():
    """Return what notebooks use beside the names of the rooms: module -> names."""
    pages = listed()
    known = {id(_value(room, name)) for room, names in pages.items() for name in names}
    modules = {}
    paths = [path for path in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    for module, name in sorted(used_in(paths)):
        if id(_value(module, name)) not in known:
            modules.setdefault(module, []).append(name)
    return modules


def _value(module, name):
    return getattr(importlib.import_module(module), name)


def _table(module, names):
    lines = "\n".join(f"   {name}" for name in names)
    return (
        f".. currentmodule:: {module}\n\n``{module}``\n\n"
        f".. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{lines}\n"
    )


def write_lists(app, _config):
    """Write the lists of names into ``docs/api``; autosummary makes the pages of the names."""
    folder = Path(app.confdir) / "api"
    folder.mkdir(exist_ok=True)
    pages = {room: (ROOMS[room], _table(room, names)) for room, names in listed().items()}
    tables = [_table(module, names) for module, names in helpers().items()]
    pages["notebooks"] = "Helpers of the notebooks", "\n".join(tables)
    for name, (title, tables) in pages.items():
        text = f"{title}\n{'=' * len(title)}\n\n{tables}"
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def keep_signs(_app, _what, _name, _object, _options, lines):
    """Escape |x| and names_ outside formulas and code: docutils takes them for references."""
    formula = False
    for number, line in enumerate(lines):
        if line.strip():
            formula = ".. math::" in line or (formula and line.startswith(" "))
        if not formula and ">>>" not in line:
            parts = line.split("`")
            parts[::2] = [re.sub(r"\||_(?=[\s,;:.)]|$)", r"\\\g<0>", part) for part in parts[::2]]
            lines[number] = "`".join(parts)


def leave_to_tables(_app, doctree):
    """Keep the names out of the side bar of every page: the tables of the rooms list them."""
    for node in [*doctree.findall(autosummary.autosummary_toc)]:
        node.parent.remove(node)


def setup(app):
    """Write the lists before Sphinx looks for its sources; put docstrings in its words."""
    autosummary.WELL_KNOWN_ABBREVIATIONS += (" Eq.", " Fig.", " Alg.", " ch.", " Prop.", " Tab.")
    app.connect("autodoc-process-docstring", keep_signs, priority=900)
    app.connect("config-inited", write_lists)
    app.connect("doctree-read", leave_to_tables, priority=100)  # before the side bar is collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
