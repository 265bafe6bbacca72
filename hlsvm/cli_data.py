"""``hlsvm data``: list, fetch and verify data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import click

from hlsvm.datasets._registry import Entry, find, registry


def _shape(entry: Entry) -> str:
    rows = f"{entry.n_train:,}" + (f" + {entry.n_test:,}" if entry.n_test else "")
    return f"{rows} x {entry.n_features:,}" if entry.n_features else rows


def _where(entry: Entry) -> str:
    if entry.made_here:
        return "always"
    return "fetch" if entry.downloadable else "by hand"


def show_list() -> None:
    """Print name, shape, where it comes from and title of every data set."""
    table = registry()
    width = max(map(len, table))
    click.echo(f"{'name':{width}}  {'had':8} {'rows x features':>26}  title")
    for name, entry in table.items():
        click.echo(f"{name:{width}}  {_where(entry):8} {_shape(entry):>26}  {entry.title}")
    click.echo(
        "\nalways: bundled or generated. fetch: `hlsvm data fetch NAME` downloads it, once.\n"
        "by hand: no address serves it; put the files where `hlsvm data fetch NAME` says.\n"
        "HLSVM_MIRROR=<folder or address> is looked in before any download."
    )


def _each(names: Iterable[str], act: Callable[[str], object], good: str) -> list[str]:
    """Do something for every name; report, and return, the names where it could not be done."""
    from hlsvm.datasets import DataCorrupted, DataUnavailable

    missing = []
    for name in names:
        try:
            act(name)
        except (DataUnavailable, DataCorrupted, OSError) as error:
            missing.append(name)
            click.echo(f"missing  {name}: {error}")
        else:
            click.echo(f"{good:8} {name}")
    if missing:
        click.echo(f"\n{len(missing)} missing: {', '.join(missing)}", err=True)
    return missing


def fetch(names: Sequence[str]) -> list[str]:
    """Fetch the named data sets, or all; return the names of those that cannot be had."""
    from hlsvm import datasets

    for name in names:
        find(name)
    chosen = names or [name for name, entry in registry().items() if not entry.made_here]
    return _each(chosen, datasets.fetch, "ready")


def verify(names: Sequence[str]) -> list[str]:
    """Verify the named data sets, or all at hand; return the names of those that are wrong."""
    from hlsvm import datasets

    for name in names:
        find(name)
    chosen = names or [name for name, entry in registry().items() if not entry.made_here]
    return _each(chosen, datasets.verify, "whole")
