"""A page of the API for every public name: the lists are made of the rooms' own ``__all__``."""

import importlib
import re
from pathlib import Path

from sphinx.ext import autosummary

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


def public_names(room):
    """Return the public functions and classes of a room."""
    module = importlib.import_module(room)
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == room
    ]
    return [name for name in names if callable(getattr(module, name))]


def write_lists(app, _config):
    """Write one page per room into ``docs/api``; autosummary makes the pages of the names."""
    folder = Path(app.confdir) / "api"
    folder.mkdir(exist_ok=True)
    estimators = public_names("hlsvm")  # on the first page, not again on that of their room
    for room, title in ROOMS.items():
        listed = [name for name in public_names(room) if room == "hlsvm" or name not in estimators]
        names = "\n".join(f"   {name}" for name in listed)
        text = (
            f"{title}\n{'=' * len(title)}\n\n.. currentmodule:: {room}\n\n"
            f"``{room}``\n\n.. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{names}\n"
        )
        path = folder / f"{room}.rst"
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


def setup(app):
    """Write the lists before Sphinx looks for its sources; put docstrings in its words."""
    autosummary.WELL_KNOWN_ABBREVIATIONS += (" Eq.", " Fig.", " Alg.", " ch.", " Prop.", " Tab.")
    app.connect("autodoc-process-docstring", keep_signs, priority=900)
    app.connect("config-inited", write_lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
