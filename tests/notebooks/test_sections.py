"""Every section of an experiments notebook runs alone after the set-up cells, at quick scale.

The set-up cells of a notebook are run once; each section then runs in a copy of that process.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from hlsvm.reproduce._pool import quiet_environment
from hlsvm.reproduce.notebook import Notebook

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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("path", "title"),
    [pytest.param(path, title, id=name_of(path, title)) for path, title in SECTIONS],
)
def test_a_section_runs_alone_after_the_set_up(path, title):
    assert outcomes(path)[title] == ""
