"""The command ``hlsvm``: data, notebooks, sweeps, records, benchmarks.

Every command imports what it needs when it is called, so that ``--help`` answers at once. A mistake
of the user ends in one sentence and exit code 2, work that failed in exit code 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hlsvm.cli._base import WIDTH, Commands
from hlsvm.cli._bench import bench
from hlsvm.cli._data import data
from hlsvm.cli._notebooks import run, sweep
from hlsvm.cli._records import figure, report
from hlsvm.cli._site import site
from hlsvm.cli._warmup import warmup


@click.group(cls=Commands, context_settings=WIDTH)
@click.version_option(package_name="hlsvm")
def main() -> None:
    """Large-scale SVM classification and feature selection, published beside recomputed.

    First steps: `hlsvm data list`, `hlsvm run 05_hlsvm`, `hlsvm figure Thesis.Fig5.6`.
    """


for _command in (data, run, sweep, figure, report, site, bench, warmup):
    main.add_command(_command)

if __name__ == "__main__":
    main(prog_name=f"{Path(sys.executable).name} -m hlsvm")
