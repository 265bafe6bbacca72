"""``hlsvm data``: list, fetch and verify data sets."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Sequence

import click

from hlsvm.cli._base import Commands, fail, one_sentence

_AT_HAND = ("bundled", "synthetic", "local", "mirror")
_MOST_TITLE = 60


def _known(names: Sequence[str]) -> list[str]:
    """Return the names, or all; raise ValueError with the nearest for one that is unknown."""
    from hlsvm.datasets.registry import registry

    known = list(registry())
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
            hint = f"near it: {', '.join(near)}" if near else "`hlsvm data list` names them"
            raise ValueError(f"no data set is called {name!r}; {hint}.")
    return list(names) or known


def _cut(title: str) -> str:
    return title if len(title) <= _MOST_TITLE else title[: _MOST_TITLE - 3].rstrip() + "..."


def _show_list() -> None:
    """Print name, where it is now, shape, classes and title of every data set."""
    from hlsvm import datasets

    with warnings.catch_warnings(record=True) as troubles:
        warnings.simplefilter("always", UserWarning)
        table = datasets.list()
    shown = table.assign(
        title=[_cut(title) for title in table["title"]],
        classes=[str(count or "numbers") for count in table["classes"]],
    )
    shown = shown[["where", "shape", "classes", "title"]].rename_axis(None)
    click.echo(shown.to_string(justify="left"))
    at_hand = table["where"].str.split(" ").str[0].isin(_AT_HAND)
    click.echo(
        f"\n{int(at_hand.sum())} of {len(table)} are available. `hlsvm data fetch NAME` brings one "
        "that needs download; for one that is external it says what to do.\n"
        "HLSVM_MIRROR=<folder or address> is looked in before any download."
    )
    for trouble in troubles:
        click.echo(f"warning: {trouble.message}", err=True)


def _fetch(names: Sequence[str]) -> list[str]:
    """Fetch the named data sets, or all; return the names of those that cannot be had."""
    from hlsvm import datasets

    missing = []
    for name in _known(names):
        try:
            files = datasets.fetch(name)
        except (datasets.DataUnavailable, datasets.DataCorrupted, OSError) as error:
            missing.append(name)
            click.echo(f"missing  {name}: {error}")
        else:
            click.echo(f"ready    {name}" + "".join(f"\n         {path}" for path in files))
    if missing:
        click.echo(f"\n{len(missing)} missing: {', '.join(missing)}", err=True)
    return missing


def _verify(names: Sequence[str]) -> list[str]:
    """Verify the named data sets, or all that are available; return the names of broken ones."""
    from hlsvm import datasets

    bad, n_files = [], 0
    for name in _known(names):
        checks = datasets.verify(name)
        if not names:
            checks = checks[checks["status"] != "absent"]
        n_files += len(checks)
        for file in checks.itertuples():
            click.echo(f"{file.status:8} {name}: {file.file} {file.where}".rstrip())
            if file.status == "wrong":
                click.echo(f"         expected {file.expected}, found {file.actual}")
        if checks["status"].isin(["wrong", "absent"]).any():
            bad.append(name)
    if not n_files:
        click.echo("no downloaded file is available; bundled and synthetic sets have none.")
    if bad:
        click.echo(
            f"\nremove what is wrong, then: hlsvm data fetch {' '.join(bad)}",
            err=True,
        )
    return bad


@click.group(cls=Commands)
def data() -> None:
    """List, fetch and verify the data sets of the papers."""


@data.command("list")
def data_list() -> None:
    """Say which data sets there are and which are available."""
    from hlsvm.datasets import DataUnavailable

    with one_sentence(DataUnavailable):
        _show_list()


@data.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="Every data set of the registry.")
@click.option("--keep-going", is_flag=True, help="Report what cannot be had, and exit with 0.")
def data_fetch(names: tuple[str, ...], everything: bool, keep_going: bool) -> None:
    """Download data sets, check them, and keep them in the local data folder."""
    if bool(names) == everything:
        fail("name the data sets to fetch, or give --all; `hlsvm data list` names them.", 2)
    with one_sentence(ValueError):
        missing = _fetch(names)
    if missing and not keep_going:
        sys.exit(1)


@data.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def data_verify(names: tuple[str, ...]) -> None:
    """Check the available files against their SHA-256."""
    from hlsvm.datasets import DataUnavailable

    with one_sentence(ValueError, DataUnavailable):
        wrong = _verify(names)
    if wrong:
        sys.exit(1)
