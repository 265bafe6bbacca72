"""``hlsvm bench``: find the benchmark files, run each in a process of its own.

A benchmark is a file ``tests/benchmarks/bench_<name>.py`` with a text ``QUESTION`` (what it
measures, against what) and a function ``run()`` that returns a `pandas.DataFrame`, one row per
measurement. It prints nothing itself.
"""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from hlsvm._files import write_whole
from hlsvm.cli._base import fail, one_sentence
from hlsvm.reproduce.repository import RepositoryNotFound, repository_root


class BenchmarkError(ValueError):
    """No such benchmark, or a file that is none."""


def _question(path: Path) -> str:
    """Read QUESTION without importing the file, which may import much."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "QUESTION":
            return " ".join(ast.literal_eval(node.value).split())
    raise BenchmarkError(f"{path.name} has no QUESTION: a text that says what it measures.")


def _find(names: Sequence[str]) -> list[Path]:
    folder = repository_root() / "tests" / "benchmarks"
    paths = {path.stem.removeprefix("bench_"): path for path in sorted(folder.glob("bench_*.py"))}
    chosen = [Path(name).stem.removeprefix("bench_") for name in names] or list(paths)
    unknown = [name for name in chosen if name not in paths]
    if unknown or not chosen:
        have = ", ".join(paths) or f"none in {folder}"
        raise BenchmarkError(f"There is no benchmark {' '.join(unknown)!r}; there are: {have}.")
    return [paths[name] for name in chosen]


def _show_questions(names: Sequence[str]) -> list[str]:
    """Print each benchmark's name and question."""
    for path in _find(names):
        click.echo(f"{path.stem.removeprefix('bench_'):24} {_question(path)}")
    return []


# One benchmark, so that none inherits another's memory, caches or threads.
_IN_A_PROCESS = """
import sys
from pathlib import Path
from hlsvm.cli._bench import _measure
_measure(*map(Path, sys.argv[1:]))
"""


def _run_benchmarks(names: Sequence[str]) -> list[str]:
    """Run the benchmarks one after another; return the names of those that failed."""
    failed = []
    folder = repository_root() / "out" / "bench"
    for path in _find(names):
        name = path.stem.removeprefix("bench_")
        click.echo(f"\n{name}: {_question(path)}")
        output = folder / f"{name}.csv"
        command = [sys.executable, "-c", _IN_A_PROCESS, str(path), str(output)]
        sys.stdout.flush()
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
        else:
            click.echo(f"saved    {output}")
    return failed


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "only_list", is_flag=True, help="Name the benchmarks and what they ask.")
def bench(names: tuple[str, ...], only_list: bool) -> None:
    """Measure speed against other libraries, one table a question; CSV goes to out/bench/."""
    with one_sentence(BenchmarkError, RepositoryNotFound):
        failed = _show_questions(names) if only_list else _run_benchmarks(names)
    if failed:
        fail(f"{', '.join(failed)} failed; its output is above.")


def _describe(where: dict) -> list[str]:
    machine = where["machine"]
    threads = ", ".join(f"{name}={count}" for name, count in machine["threads"].items())
    versions = ", ".join(f"{name} {number}" for name, number in where["versions"].items())
    commit = (where["commit"] or "none")[:12] + (" with changes" if where["dirty"] else "")
    return [
        f"commit   {commit}",
        f"versions {versions}",
        f"machine  {machine['cpu']}, {machine['cores']} cores, {machine['system']}",
        f"threads  {threads}",
    ]


def _measure(path: Path, output: Path) -> None:
    """Run the benchmark at `path`, print its table, save it as CSV at `output`."""
    import pandas as pd

    from hlsvm.reproduce.provenance import provenance

    sys.path.insert(0, str(path.parent))  # what benchmarks share
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    table = module.run()
    if not isinstance(table, pd.DataFrame) or table.empty:
        raise SystemExit(f"{path.name}: run() must return a DataFrame with rows, not {table!r}.")
    named = not isinstance(table.index, pd.RangeIndex)
    lines = _describe(provenance())
    shown = table.to_string(index=named, float_format=lambda x: f"{x:.4g}")
    comments = "".join(f"# {line}\n" for line in [" ".join(module.QUESTION.split()), *lines])
    write_whole(output, comments + table.to_csv(index=named))
    sys.stdout.write("\n".join([shown, *lines]) + "\n")
