"""``hlsvm bench``: find the benchmark files, run each in a process of its own."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from hlsvm.cli._base import fail, one_sentence
from hlsvm.reproduce.paths import RepositoryNotFound, repository_root


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


def _run_benchmarks(names: Sequence[str]) -> list[str]:
    """Run the benchmarks one after another; return the names of those that failed."""
    failed = []
    folder = repository_root() / "out" / "bench"
    for path in _find(names):
        name = path.stem.removeprefix("bench_")
        click.echo(f"\n{name}: {_question(path)}")
        output = folder / f"{name}.csv"
        command = [sys.executable, "-m", "hlsvm.reproduce._bench", str(path), str(output)]
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
        fail(f"{', '.join(failed)} failed; what it said stands above.")
