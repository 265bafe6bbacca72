"""``hlsvm figure`` and ``hlsvm report``: what is recorded, from what, beside what was published."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click

from hlsvm.cli._base import fail, one_sentence
from hlsvm.reproduce.repository import Entry, RepositoryNotFound, lookup, repository_root, stem

_SUFFIXES = (".png", ".svg", ".csv")
_SHOWN = (
    "recorded",
    "commit",
    "scale",
    "seed",
    "duration_s",
    "params",
    "datasets",
    "machine",
    "versions",
)
_MOST_ROWS = 40
_WIDEST = 180  # characters a line


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_short(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    return str(value)


def _show_record(path: Path) -> None:
    from hlsvm.reproduce.provenance import read_record

    root = repository_root()
    files = [path.with_suffix(suffix) for suffix in _SUFFIXES]
    click.echo(f"record      {path.relative_to(root)}")
    for file in files:
        if file.exists():
            click.echo(f"            {file.relative_to(root)}")
    try:
        record = read_record(path)
    except ValueError as error:
        click.echo(f"            NOT WHOLE: {error}")
        return
    for name in _SHOWN:
        if record.get(name) not in (None, "", {}, []):
            said = list(record[name]) if name == "datasets" else record[name]  # digests: there
            click.echo(f"{name:11} {_short(said)}")


def _show_next_step(entry: Entry) -> None:
    root = repository_root()
    quick = [
        folder / f"{stem(entry.id)}.json"
        for folder in (root / "out/quick/figures", root / "out/quick/results")
    ]
    for path in quick:
        if path.exists():
            click.echo(f"quick run   {path.parent.relative_to(root)}/{path.stem}.*")
    if entry.why:
        click.echo(f"record      none: {entry.why}")
    elif entry.kind not in ("figure", "table"):
        click.echo(f"record      none of its own: a {entry.kind} is in its notebook")
    else:
        click.echo(f"record      none yet: `hlsvm run --only {entry.id} --scale paper` makes it")


def _show_published(entry: Entry, recorded: bool) -> None:
    from hlsvm.reproduce import compare
    from hlsvm.reproduce.published_numbers import published

    if not entry.published_csv:
        click.echo("published   no numbers")
        _show_ours(entry)
        return
    click.echo(f"published   data/published/{entry.published_csv}", nl=False)
    with contextlib.suppress(ValueError):  # what is not whole has been said above
        if recorded:
            beside = compare(entry.id, layout="wide").reset_index()
            if len(_lines(beside).partition("\n")[0]) <= _WIDEST:
                click.echo("; in a cell: published | ours verdict")
            else:
                click.echo("; one line a number")
                beside = compare(entry.id)
            click.echo()
            _show_rows(beside)
            return
    click.echo("\n")
    _show_rows(published(entry.id, printed=True))
    _show_ours(entry)


def _show_ours(entry: Entry) -> None:
    """Print what was recorded, where no published number stands beside it."""
    import pandas as pd

    from hlsvm.reproduce.board import record_path

    path = record_path(entry.id)
    if path and path.with_suffix(".csv").exists():
        click.echo(f"\nours        {path.with_suffix('.csv').relative_to(repository_root())}\n")
        _show_rows(pd.read_csv(path.with_suffix(".csv"), keep_default_na=False))


def _lines(table: Any) -> str:
    return table.head(_MOST_ROWS).to_string(index=False, max_colwidth=40)


def _show_rows(table: Any) -> None:
    click.echo(_lines(table))
    if len(table) > _MOST_ROWS:
        click.echo(f"... and {len(table) - _MOST_ROWS} rows more")


def _show_figure(id: str) -> None:
    """Print what an id is, its record and notebook, and the published numbers beside ours.

    Raises
    ------
    KeyError
        The catalogue has no such id; the message names the nearest.
    """
    from hlsvm.reproduce.board import record_path
    from hlsvm.reproduce.staleness import notebook_of

    entry = lookup(id)
    click.echo(f"{entry.id}  {entry.kind}: {entry.title}")
    if entry.what_it_shows:
        click.echo(f"shows       {entry.what_it_shows}")
    click.echo(f"notebook    {notebook_of(entry.id)}")
    path = record_path(entry.id)
    if path:
        _show_record(path)
    else:
        _show_next_step(entry)
    _show_published(entry, path is not None)


def _show_report() -> None:
    """Print the verdicts by id, the state of the catalogue, and what is out of date."""
    from hlsvm.reproduce import board, staleness

    counts = board.summary()
    empty = counts.drop(columns=["numbers", "not run"]).sum(axis=1) == 0
    shown = counts[~empty | (counts.index == "all")]
    click.echo(shown.to_string())
    if empty.any():
        click.echo(f"\nnothing recorded yet for {int(empty.sum())} of {len(counts) - 1} tables.")
    states = board.catalogue_states().loc["all"].sort_values(ascending=False)
    click.echo(f"catalogue: {', '.join(f'{count} {kind}' for kind, count in states.items())}.")
    late = staleness.stale()
    for line in late.itertuples():
        click.echo(f"out of date: {line.record} (changed since: {line.changed})")
    click.echo(
        "\n`make paper` records what is missing; `hlsvm figure ID` shows one figure or table; "
        "`hlsvm report --write` renews figures/README.md."
    )


def _write_gallery() -> None:
    """Write the gallery, and picture and scoreboard of the README, anew."""
    from hlsvm.cli import front_page
    from hlsvm.reproduce.pages import gallery

    gallery()
    front_page.write()
    click.echo(f"written: {repository_root() / 'figures' / 'README.md'}")


@click.command()
@click.argument("id", metavar="ID")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@click.option("--style", metavar="FILE", help="A matplotlib style laid over ours.")
@click.option(
    "--width", type=float, metavar="INCHES", help="Width of the figure; text keeps its size."
)
def figure(id: str, out: Path | None, style: str | None, width: float | None) -> None:
    """Show a figure's or table's record, or redraw the figure into a file.

    With --out, a recorded figure is drawn again from its numbers, in the format that the suffix
    names (.pdf, .svg, .png); nothing is computed.
    """
    if out is None and (style or width is not None):
        fail("--style and --width change what --out FILE writes: name the file.", 2)
    if out is not None and not out.parent.is_dir():
        fail(f"--out must name a file in a folder that exists: there is no {out.parent}.", 2)
    with one_sentence(KeyError, RepositoryNotFound, FileNotFoundError, ValueError, OSError):
        if out is None:
            _show_figure(id)
            return
        from hlsvm._params import check_number
        from hlsvm.reproduce.drawings import redraw

        if width is not None:
            check_number("hlsvm figure", "--width", width, low=0, closed="neither")
        redraw(id, out, style=style, width=width)
        click.echo(f"written: {out}")


@click.command()
@click.option("--write", is_flag=True, help="Write figures/README.md and README.md anew.")
def report(write: bool) -> None:
    """Count the published numbers that are matched, bettered, missed or not run.

    A record is out of date when the code, the data or the libraries it was made with have changed.
    """
    with one_sentence(RepositoryNotFound, ValueError):
        if write:
            _write_gallery()
        else:
            _show_report()
