"""The command ``hlsvm``: data, notebooks, sweeps, records, benchmarks.

Every command imports what it needs when it is called, so that ``--help`` answers at once. A mistake
of the user ends in one sentence and exit code 2, work that failed in exit code 1.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import click

_MOST_FAILURES = 10
_WIDTH = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


class _Commands(click.Group):
    """Commands in the order in which a reader meets them."""

    def list_commands(self, _context):
        return list(self.commands)

    def add_command(self, cmd, name=None):
        # Said to each command, not left to be inherited: click keeps a command's help option from
        # the first time it is asked for, also where that was without its parent.
        cmd.context_settings = {**_WIDTH, **cmd.context_settings}
        super().add_command(cmd, name)


def _fail(message: str, code: int = 1) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    sys.exit(code)


@contextlib.contextmanager
def _one_sentence(*mistakes: type[BaseException]) -> Iterator[None]:
    """Turn the named exceptions into their message and exit code 2, Ctrl-C into 130.

    A file or folder that cannot be read or written is named, and ends in exit code 1.
    """
    try:
        yield
    except KeyboardInterrupt:
        _fail("interrupted; what was finished is kept.", 130)
    except mistakes as error:
        _fail(str(error.args[0] if isinstance(error, KeyError) else error), 2)
    except BrokenPipeError:
        raise  # the reader of a pipe has gone: click ends quietly
    except OSError as error:
        if error.filename is None:
            raise
        _fail(f"{error.filename} cannot be read or written: {error.strerror}.")


@click.group(cls=_Commands, context_settings=_WIDTH)
@click.version_option(package_name="hlsvm")
def main() -> None:
    """Large-scale SVM classification and feature selection, published beside recomputed.

    First steps: `hlsvm data list`, `hlsvm run 05_hlsvm`, `hlsvm figure Thesis.Fig5.6`.
    """


@main.group(cls=_Commands)
def data() -> None:
    """List, fetch and verify the data sets of the documents."""


@data.command("list")
def data_list() -> None:
    """Say which data sets there are and which are at hand."""
    from hlsvm.cli_data import show_list
    from hlsvm.datasets import DataUnavailable

    with _one_sentence(DataUnavailable):
        show_list()


@data.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="Every data set of the registry.")
@click.option("--keep-going", is_flag=True, help="Report what cannot be had, and exit with 0.")
def data_fetch(names: tuple[str, ...], everything: bool, keep_going: bool) -> None:
    """Download data sets, check them, and keep them in the local data folder."""
    from hlsvm.cli_data import fetch

    if bool(names) == everything:
        _fail("name the data sets to fetch, or give --all; `hlsvm data list` names them.", 2)
    with _one_sentence(ValueError):
        missing = fetch(names)
    if missing and not keep_going:
        sys.exit(1)


@data.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def data_verify(names: tuple[str, ...]) -> None:
    """Check the files at hand against their SHA-256."""
    from hlsvm.cli_data import verify
    from hlsvm.datasets import DataUnavailable

    with _one_sentence(ValueError, DataUnavailable):
        wrong = verify(names)
    if wrong:
        sys.exit(1)


@main.command()
@click.argument("notebooks", nargs=-1, metavar="[NOTEBOOK]...")
@click.option("--scale", type=click.Choice(["quick", "paper"]), default="quick", show_default=True)
@click.option("--n-jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N")
@click.option("--resume", is_flag=True, help="Skip what was executed with the same inputs.")
@click.option("--write", is_flag=True, help="Write the outputs back into the notebooks.")
@click.option("-p", "--parameter", "given", nargs=2, multiple=True, metavar="NAME VALUE")
@click.option("--timeout", type=click.IntRange(1), metavar="SECONDS", help="Limit of one cell.")
def run(notebooks, scale, n_jobs, resume, write, given, timeout) -> None:
    """Execute notebooks side by side, all chapters by default.

    Executed copies go to out/SCALE/notebooks/. A notebook that fails does not stop the others.
    """
    from hlsvm.reproduce import runner
    from hlsvm.reproduce._notebook import NotebookError
    from hlsvm.reproduce._values import parse_value
    from hlsvm.reproduce.paths import RepositoryNotFound, repository_root

    parameters = {name: parse_value(value) for name, value in given}
    with _one_sentence(NotebookError, RepositoryNotFound):
        results = runner.run(
            notebooks,
            scale=scale,
            n_jobs=n_jobs,
            resume=resume,
            write=write,
            parameters=parameters,
            timeout=timeout,
        )
    click.echo(runner.summary(results))
    gallery = repository_root() / "figures" / "README.md"
    folder = repository_root() / "out" / scale
    click.echo(f"\nPictures of this run: {folder / 'figures'}. Recorded pictures: {gallery}")
    if not all(result.good for result in results):
        sys.exit(1)


@main.command()
@click.argument("notebook", type=click.Path(path_type=Path))
@click.argument("grid", metavar="GRID.yml", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--n-jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N")
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="Dask scheduler to run on instead.")
@click.option("--retry-failed", is_flag=True, help="Execute again what has failed before.")
def sweep(notebook, grid, out, n_jobs, scheduler, retry_failed) -> None:
    """Execute a notebook for every parameter set of a grid; one table comes out.

    \b
    GRID.yml holds one of
      lam: [0.1, 1.0]              every combination
      seed: [0, 1]
    or
      - {lam: 0.1, seed: 0}        these sets
      - {lam: 1.0, seed: 7}
    or both, under the keys `grid` and `sets`.

    Interrupted, it goes on where it stopped when it is called again. The notebook's last cell
    calls hlsvm.reproduce.sweep.result({...}).
    """
    from hlsvm.reproduce._grid import GridError
    from hlsvm.reproduce._notebook import NotebookError
    from hlsvm.reproduce.sweep import sweep as run_sweep

    with _one_sentence(NotebookError, GridError):
        done = run_sweep(
            notebook,
            grid,
            out=out,
            n_jobs=n_jobs,
            scheduler=scheduler,
            retry_failed=retry_failed,
        )
    click.echo(
        f"{done.ok} ok, {len(done.failed)} failed, {done.executed} executed now: {done.table}"
    )
    if done.failed:
        for run in done.failed[:_MOST_FAILURES]:
            click.echo(f"FAILED: {run.label}: {run.record()['error']}\n    {run.failed_notebook}")
        _fail("mend the cause, and run the same command with --retry-failed.")


@main.command()
@click.argument("id", metavar="ID")
def figure(id: str) -> None:
    """Show a figure's or table's record: files, provenance, published numbers beside ours."""
    from hlsvm.cli_records import show_figure
    from hlsvm.reproduce.paths import RepositoryNotFound

    with _one_sentence(KeyError, RepositoryNotFound):
        show_figure(id)


@main.command()
@click.option("--write", is_flag=True, help="Write figures/README.md and README.md anew.")
@click.option("--confirm", "ids", multiple=True, metavar="ID", help="Out of date, but right.")
@click.option("--because", metavar="REASON", default="", help="Why what is confirmed is right.")
def report(write: bool, ids: tuple[str, ...], because: str) -> None:
    """Count the published numbers that are matched, bettered, missed or not run.

    A record is out of date when code or data it was made from have changed. Run its notebook again,
    or say with --confirm ID (or "all") and --because why the change leaves its numbers alone.
    """
    from hlsvm.cli_records import confirm_records, show_report, write_gallery
    from hlsvm.reproduce.paths import RepositoryNotFound

    if because and not ids:
        _fail("--because gives the reason of --confirm: name the records with --confirm ID.", 2)
    with _one_sentence(RepositoryNotFound, ValueError):
        if ids:
            confirm_records(ids, because)
        elif write:
            write_gallery()
        else:
            show_report()


@main.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
def site(out: Path | None) -> None:
    """Make web pages of the executed notebooks and the gallery; they need no network."""
    from hlsvm.cli_records import make_site
    from hlsvm.reproduce.paths import RepositoryNotFound

    with _one_sentence(RepositoryNotFound, ValueError, ModuleNotFoundError):
        broken = make_site(out)
    if broken:
        _fail(f"{len(broken)} links are broken; they stand above.")


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "only_list", is_flag=True, help="Name the benchmarks and what they ask.")
def bench(names: tuple[str, ...], only_list: bool) -> None:
    """Measure speed against other libraries, one table a question; CSV goes to out/bench/."""
    from hlsvm.cli_bench import BenchmarkError, run_benchmarks, show_questions
    from hlsvm.reproduce.paths import RepositoryNotFound

    with _one_sentence(BenchmarkError, RepositoryNotFound):
        failed = show_questions(names) if only_list else run_benchmarks(names)
    if failed:
        _fail(f"{', '.join(failed)} failed; what it said stands above.")


if __name__ == "__main__":
    main(prog_name=f"{Path(sys.executable).name} -m hlsvm")
