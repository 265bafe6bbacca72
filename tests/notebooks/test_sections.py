"""Every section of an experiments notebook stands on its own after the set-up cells.

``make test`` asks that it uses no name that another section binds. ``make portable``
(HLSVM_PROFILES=all) runs it too, at quick scale: the set-up cells of a notebook are run once; each
section then runs in a copy of that process.
"""

import ast
import builtins
import json
import os
import subprocess
import symtable
import sys
from functools import cache
from pathlib import Path

import pytest

from hlsvm.reproduce._pool import quiet_environment
from hlsvm.reproduce.notebook import Notebook
from hlsvm.reproduce.staleness import parse_cell

ROOT = Path(__file__).resolve().parents[2]
PATHS = sorted((ROOT / "notebooks" / "experiments").glob("*.ipynb"))
SECTIONS = [
    (path, section.title)
    for path in PATHS
    for section in Notebook(path).sections[1:]
    if section.code
]

RUN = """
import json, os, sys, traceback
from IPython.core.interactiveshell import InteractiveShell
setup, sections = json.load(sys.stdin)
shell = InteractiveShell.instance()
def run(cells):
    for cell in cells:
        result = shell.run_cell(cell, silent=True)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            return f"{type(error).__name__}: {error} in: {cell.splitlines()[0]}"
    return ""
answers = {}
failed = run(setup)
out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for title, cells in sections.items():
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = failed or run(cells)
        except BaseException as error:
            answer = repr(error)
        os.write(write, answer.encode()[:4000])
        os._exit(0)
    os.close(write)
    answers[title] = os.fdopen(read, "rb").read().decode()
    status = os.waitpid(child, 0)[1]
    answers[title] = answers[title] or (f"ended with {status}" if status else "")
os.write(out, b"ANSWERS " + json.dumps(answers).encode())
"""


@cache
def outcomes(path):
    """Return what went wrong in each section of a notebook; "" where nothing did."""
    setup, *sections = Notebook(path).sections
    work = [setup.code, {one.title: one.code for one in sections if one.code}]
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(work),
        capture_output=True,
        text=True,
        check=False,
        cwd=path.parent,
        env={**quiet_environment(), "HLSVM_MIRROR": "", "HLSVM_OFFLINE": "1", "MPLBACKEND": "agg"},
    )
    assert "ANSWERS " in done.stdout, done.stderr[-2000:]
    return json.loads(done.stdout.partition("ANSWERS ")[2])


def name_of(path, title):
    return f"{path.stem}: {title.split()[0]}"


def names(cells):
    """Return the names that cells bind at their top level, and those they use unbound."""
    body = [statement for cell in cells for statement in parse_cell(cell)]
    top = symtable.symtable(ast.unparse(ast.Module(body, [])), "cells", "exec")
    bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    used, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        symbols = [one for one in table.get_symbols() if one.is_referenced()]
        used |= {one.get_name() for one in symbols if table is top or one.is_global()}
    return bound, used - bound - set(dir(builtins)) - {"get_ipython", "display"}


each_section = pytest.mark.parametrize(
    ("path", "title"),
    [pytest.param(path, title, id=name_of(path, title)) for path, title in SECTIONS],
)


def test_the_names_of_cells():
    bound, unbound = names(["import numpy as np", "def f(x): return np.sum(x) + g", "y = f(z)"])
    assert (bound, unbound) == ({"np", "f", "y"}, {"g", "z"})


@each_section
def test_a_section_uses_no_name_of_another(path, title):
    setup, *sections = Notebook(path).sections
    section = next(one for one in sections if one.title == title)
    assert names(section.code)[1] <= names(setup.code)[0]


@pytest.mark.skipif(os.environ.get("HLSVM_PROFILES") != "all", reason="make portable runs it")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@each_section
def test_a_section_runs_alone_after_the_set_up(path, title):
    assert outcomes(path)[title] == ""
