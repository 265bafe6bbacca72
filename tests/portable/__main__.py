"""``make portable``: do the notebooks and the estimators answer alike under every profile?

A profile is a processor (`profiles.PROCESSORS`); other Pythons, where they are installed, play two
of them, so that one comparison answers both questions. Under each profile nbval executes the
notebooks and compares every cell with its committed output, two processes at a time: first the
experiments under all profiles, then ``test_bits.py``, which compares the bits of all estimators
under all processors, beside it every section of the experiments alone and the thorough tests, then
the lessons. The pieces
are small, so that both end together.

``python -m tests.portable [--only PROFILE]... [NOTEBOOK]...`` runs some profiles, some notebooks;
with notebooks named, nothing else.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .profiles import OUT, PROCESSORS, ROOT, environment, missing

_OTHERS = [v for v in ("3.11", "3.12", "3.13") if v != "{}.{}".format(*sys.version_info)]
PYTHONS = dict(zip(("Haswell", "Zen 3"), _OTHERS, strict=False))  # whose notebooks another runs
PARTS = (("notebooks/experiments",), ("notebooks", "--ignore=notebooks/experiments"))
SAME = "as it is"  # the processor of "2 BLAS threads": notebooks are compared under that one
# What executes notebooks, of the extra "test".
_INSTALLED = ("--editable", ".[notebooks,dask,export]", "nbval", "pytest")
_BUILDING = threading.Lock()  # two editable installations would write the same files
_NBVAL = (
    *("-q", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env"),
    *("--nbval-cell-timeout", "300"),
)


Part = tuple[str, ...]  # what of the notebooks nbval is called with


@dataclass
class Outcome:
    """What came of one profile; `note` says why, where cells were not compared."""

    name: str
    cells: int = 0
    differing: tuple[str, ...] = ()
    seconds: float = 0.0
    note: str = ""
    failed: bool = False


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def interpreter(version: str) -> str | None:
    """Path of a Python of that version that starts, or None."""
    name = f"python{version}"
    folders = [
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions",
        Path.home() / ".local" / "share" / "uv" / "python",
    ]
    result = [str(path) for folder in folders for path in sorted(folder.glob(f"*/bin/{name}"))]
    for path in [shutil.which(name), *reversed(result)]:
        check = [path, "-c", "import venv, ensurepip"]
        if path and subprocess.run(check, capture_output=True, check=False).returncode == 0:
            return path
    return None


def environment_of(version: str) -> str | None:
    """Python of a virtual environment of that version with this project, made once.

    None where it cannot be made; what `pip` said is in ``out/portable``.
    """
    folder = OUT / f"python{version}"
    inside = str(folder / "bin" / "python")
    ready = folder / ".ready"
    files = [(ROOT / name).read_text() for name in ("pyproject.toml", "constraints.txt")]
    asked = "\n".join([*_INSTALLED, *files])
    if ready.exists() and ready.read_text() == asked:
        return inside
    what = ["--quiet", "--constraint", "constraints.txt", *_INSTALLED]
    _run(str(interpreter(version)), "-m", "venv", "--clear", str(folder))
    done = _run(sys.executable, "-m", "uv", "pip", "install", "--python", inside, *what)
    if done.returncode:  # as make does
        done = _run(inside, "-m", "pip", "install", *what)
    if done.returncode:
        (OUT / f"python{version}.txt").write_text(done.stdout + done.stderr)
        return None
    ready.write_text(asked)
    return inside


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def compare(name: str, python: str, settings: dict[str, str], notebooks: Part) -> Outcome:
    """Run nbval on `notebooks` by `python` with these variables."""
    stem = f"{name} {Path(notebooks[0]).stem}".replace(",", "").replace(" ", "-")
    report = OUT / f"{stem}.xml"
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", *_NBVAL, f"--junitxml={report}", *notebooks]
    begin = time.monotonic()
    with open(OUT / f"{stem}.txt", "w", encoding="utf-8") as log:
        subprocess.run(command, cwd=ROOT, env=settings, stdout=log, stderr=log, check=False)
    seconds = time.monotonic() - begin
    if not report.exists():
        return Outcome(name, seconds=seconds, note=f"see out/portable/{stem}.txt", failed=True)
    cells = list(ElementTree.parse(report).iter("testcase"))
    bad = [
        cell for cell in cells if cell.find("failure") is not None or cell.find("error") is not None
    ]
    differing = tuple(f"{cell.get('classname')}: {cell.get('name')}" for cell in bad)
    compared = sum(cell.find("skipped") is None for cell in cells)
    say(f"{name}, {notebooks[0]}: {compared} cells, {seconds:.0f} s")
    return Outcome(name, compared, differing, seconds, failed=bool(bad) or not compared)


def outcome(name: str, notebooks: Part) -> Outcome:
    """Compare notebooks under one profile, if this machine has it."""
    lacking = missing(name)
    if lacking:
        return Outcome(name, note=f"skipped: this processor has no {lacking}")
    version = PYTHONS.get(name)
    if version is None or interpreter(version) is None:
        return compare(name, sys.executable, environment(name), notebooks)
    label = f"{name}, Python {version}"
    with _BUILDING:
        python = environment_of(version)
    if python is None:
        note = f"no environment: see out/portable/python{version}.txt"
        return Outcome(label, note=note, failed=True)
    return compare(label, python, environment(name), notebooks)


def passed(what: Part) -> bool:
    """Whether these tests pass; say how long they took."""
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=8", *what]
    variables = os.environ | {"HLSVM_PROFILES": "all"}
    begin = time.monotonic()
    done = subprocess.run(tests, cwd=ROOT, env=variables, check=False)
    say(f"tests {' '.join(what)}: {time.monotonic() - begin:.0f} s")
    return done.returncode == 0


def together(parts: Sequence[Outcome]) -> Outcome:
    """Return the outcome of a profile from those of its parts."""
    return Outcome(
        parts[0].name,
        sum(part.cells for part in parts),
        tuple(cell for part in parts for cell in part.differing),
        sum(part.seconds for part in parts),
        next((part.note for part in parts if part.note), ""),
        any(part.failed for part in parts),
    )


def main(arguments: list[str] | None = None) -> int:
    """Compare, print the table, return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.portable")
    parser.add_argument("notebooks", nargs="*")
    parser.add_argument("--only", action="append", choices=[*PROCESSORS], metavar="PROFILE")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    asked = parser.parse_args(arguments)
    OUT.mkdir(parents=True, exist_ok=True)
    chosen = asked.only or [name for name in PROCESSORS if name != SAME]
    first, *others = [tuple(asked.notebooks)] if asked.notebooks else PARTS
    more = (("tests/portable",), ("tests/notebooks/test_sections.py",), ("-m", "thorough", "tests"))
    with ThreadPoolExecutor(asked.jobs) as pool:
        compared = {name: [pool.submit(outcome, name, first)] for name in chosen}
        alone = [pool.submit(passed, what) for what in more if not asked.notebooks]
        for part in others:
            for name in chosen:
                compared[name].append(pool.submit(outcome, name, part))
    results = [together([future.result() for future in parts]) for parts in compared.values()]
    say(f"\n{'profile':20} {'cells compared':>15} {'differing':>10} {'seconds':>8}")
    for result in results:
        numbers = f"{result.cells:15} {len(result.differing):10} {result.seconds:8.0f}"
        say(f"{result.name:20} " + (result.note or numbers))
    for cell in dict.fromkeys(cell for result in results for cell in result.differing):
        say(f"{cell}: " + ", ".join(result.name for result in results if cell in result.differing))
    good = [done.result() for done in alone] + [not one.failed for one in results]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
