"""``hlsvm run`` and ``hlsvm sweep``: notebooks executed once, or over a grid."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hlsvm.cli._base import fail, one_sentence

_MOST_FAILURES = 10


@click.command()
@click.argument("notebooks", nargs=-1, metavar="[NOTEBOOK]...")
@click.option("--scale", type=click.Choice(["quick", "paper"]), default="quick", show_default=True)
@click.option("--n-jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N")
@click.option("--only", default="", metavar="ID", help="Only the section that records this id.")
@click.option("--resume", is_flag=True, help="Skip what was executed with the same inputs.")
@click.option("--write", is_flag=True, help="Write the outputs back into the notebooks.")
@click.option("--record", is_flag=True, help="At paper scale, renew the committed records.")
@click.option("-p", "--parameter", "given", nargs=2, multiple=True, metavar="NAME VALUE")
@click.option("--timeout", type=click.IntRange(1), metavar="SECONDS", help="Limit of one cell.")
def run(notebooks, scale, n_jobs, only, resume, write, record, given, timeout) -> None:
    """Execute notebooks side by side: all lessons and experiments by default.

    Executed copies go to out/SCALE/notebooks/, figures and tables to out/SCALE/. A notebook that
    fails does not stop the others.
    """
    from hlsvm.reproduce import runner
    from hlsvm.reproduce.notebook import NotebookError
    from hlsvm.reproduce.parameters import parse_value
    from hlsvm.reproduce.repository import RepositoryNotFound, lookup, repository_root

    parameters = {name: parse_value(value) for name, value in given}
    with one_sentence(NotebookError, RepositoryNotFound, KeyError):
        results = runner.run(
            notebooks,
            scale=scale,
            n_jobs=n_jobs,
            only=only and lookup(only).id,
            resume=resume,
            write=write,
            record=record,
            parameters=parameters,
            timeout=timeout,
        )
    click.echo(runner.summary(results))
    root = repository_root()
    pictures = root / "figures" if record else root / "out" / scale / "figures"
    click.echo(f"\nPictures of this run: {pictures}. Gallery: {root / 'figures' / 'README.md'}")
    if not all(result.good for result in results):
        sys.exit(1)


@click.command()
@click.argument("notebook", type=click.Path(path_type=Path))
@click.argument("grid", metavar="GRID.yml", required=False, type=click.Path(path_type=Path))
@click.option("-p", "--parameter", "given", nargs=2, multiple=True, metavar="NAME VALUE")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--n-jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N")
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="Dask scheduler to run on instead.")
@click.option("--retry-failed", is_flag=True, help="Execute again what has failed before.")
@click.option("--keep-going", is_flag=True, help="Go on although all runs fail for one reason.")
def sweep(notebook, grid, given, out, n_jobs, scheduler, retry_failed, keep_going) -> None:
    """Execute a notebook for every parameter set of a grid; one table comes out.

    \b
    GRID.yml holds one of
      lam: [0.1, 1.0]              every combination
      seed: [0, 1]
    or
      - {lam: 0.1, seed: 0}        these sets
      - {lam: 1.0, seed: 7}
    or both, under the keys `grid` and `sets`.

    -p NAME VALUE gives a parameter one value in every run (`-p dataset my.csv`); the table goes to
    out/sweeps/NOTEBOOK-GRID/results.csv of the repository, or of the current folder where the
    notebook is elsewhere. Interrupted, the sweep resumes where it stopped when it is called
    again. The notebook's last cell calls hlsvm.reproduce.sweep.result({...}).
    """
    from hlsvm.reproduce.notebook import NotebookError
    from hlsvm.reproduce.parameters import parse_value
    from hlsvm.reproduce.sweep import sweep as run_sweep

    with one_sentence(NotebookError):
        done = run_sweep(
            notebook,
            grid,
            fixed={name: parse_value(value) for name, value in given},
            out=out,
            n_jobs=n_jobs,
            scheduler=scheduler,
            retry_failed=retry_failed,
            keep_going=keep_going,
        )
    click.echo(
        f"{done.ok} ok, {len(done.failed)} failed, {done.executed} executed now: {done.table}"
    )
    if done.failed:
        _show_failures(done)


def _show_failures(done) -> None:
    """Say each reason once, with how many runs it stopped and where the first one is kept."""
    reasons: dict[str, list] = {}
    for one in done.failed:
        reasons.setdefault(one.record()["error"], []).append(one)
    for error, runs in list(reasons.items())[:_MOST_FAILURES]:
        more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
        click.echo(f"FAILED: {runs[0].label}{more}: {error}\n    {runs[0].failed_notebook}")
    if done.left:
        fail(
            f"stopped, since all {len(done.failed)} runs failed for one reason; {done.left} were "
            "not started. Mend the cause and run the same command with --retry-failed; "
            "--keep-going executes all."
        )
    fail("mend the cause, and run the same command with --retry-failed.")
