"""``hlsvm data``: list, fetch and verify data sets."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import click

from hlsvm import datasets
from hlsvm.datasets.registry import registry

_HERE = ("bundled", "synthetic", "local", "mirror")
_MOST_TITLE = 60


def _known(names: Sequence[str]) -> list[str]:
    """Return the names, or all; raise ValueError with the nearest for one that is unknown."""
    known = list(registry())
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
            hint = f"near it: {', '.join(near)}" if near else "`hlsvm data list` names them"
            raise ValueError(f"no data set is called {name!r}; {hint}.")
    return list(names) or known


def _cut(title: str) -> str:
    return title if len(title) <= _MOST_TITLE else title[: _MOST_TITLE - 3].rstrip() + "..."


def show_list() -> None:
    """Print name, where it is now, shape, classes and title of every data set."""
    table = datasets.list()
    shown = table.assign(
        title=[_cut(title) for title in table["title"]],
        classes=[str(count or "numbers") for count in table["classes"]],
    )
    shown = shown[["where", "shape", "classes", "title"]].rename_axis(None)
    click.echo(shown.to_string(justify="left"))
    here = table["where"].str.split(" ").str[0].isin(_HERE)
    click.echo(
        f"\n{int(here.sum())} of {len(table)} are at hand. `hlsvm data fetch NAME` brings one "
        "that needs download; for one that is external it says what to do.\n"
        "HLSVM_MIRROR=<folder or address> is looked in before any download."
    )


def fetch(names: Sequence[str]) -> list[str]:
    """Fetch the named data sets, or all; return the names of those that cannot be had."""
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


def verify(names: Sequence[str]) -> list[str]:
    """Verify the named data sets, or all at hand; return the names of those that are not whole."""
    bad, n_files = [], 0
    for name in _known(names):
        checks = datasets.verify(name)
        if not names:
            checks = checks[checks["status"] != "absent"]
        n_files += len(checks)
        for file in checks.itertuples():
            click.echo(f"{file.status:8} {name}: {file.file} {file.where}".rstrip())
            if file.status == "wrong":
                click.echo(f"         expected {file.expected}, found {file.found}")
        if checks["status"].isin(["wrong", "absent"]).any():
            bad.append(name)
    if not n_files:
        click.echo("no downloaded file is at hand; bundled and synthetic sets have none.")
    if bad:
        click.echo(
            f"\nremove what is wrong, then: hlsvm data fetch {' '.join(bad)}",
            err=True,
        )
    return bad
