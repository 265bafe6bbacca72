"""``hlsvm warmup``: compile the kernels once, so that no first fit has to."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import click

from hlsvm.cli._base import one_sentence


def _warm_up(names: list[str]) -> list[tuple[str, float]]:
    """Fit and use estimators on small data of both precisions; return the seconds of each."""
    import numpy as np

    import hlsvm
    from hlsvm.datasets.synthetic import banana

    X, y = banana(300, seed=0)
    seconds = []
    for name in names:
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for kind in (np.float64, np.float32):
                model = getattr(hlsvm, name)().fit(X.astype(kind), y)
                answer = getattr(model, "predict", None) or model.transform
                answer(X.astype(kind))
        seconds.append((name, time.perf_counter() - begin))
    return seconds


def _of_all(n_jobs: int) -> Iterator[tuple[str, float]]:
    """Warm up every public estimator, room by room: those of one room share kernels."""
    from joblib import Parallel, delayed

    import hlsvm

    rooms: dict[str, list[str]] = {}
    for name in hlsvm.__all__:
        make = getattr(hlsvm, name)
        if hasattr(make, "fit"):
            rooms.setdefault(make.__module__.split(".")[1], []).append(name)
    parallel = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    for seconds in parallel(delayed(_warm_up)(names) for names in rooms.values()):
        yield from seconds


@click.command()
@click.option("--n-jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N")
def warmup(n_jobs: int) -> None:
    """Compile the kernels of every estimator; the compiled code is kept for later processes."""
    with one_sentence():
        total = 0.0
        for name, seconds in _of_all(n_jobs):
            total += seconds
            click.echo(f"{seconds:6.1f} s  {name}")
        click.echo(f"{total:6.1f} s  in all; the next time takes what the fits take")
