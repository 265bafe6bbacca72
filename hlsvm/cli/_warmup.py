"""``hlsvm warmup``: compile the kernels once, so that no first fit has to."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import click

from hlsvm.cli._base import one_sentence


def _warm_up() -> Iterator[tuple[str, float]]:
    """Fit and use every public estimator on small data of both precisions; yield the seconds."""
    import numpy as np

    import hlsvm
    from hlsvm.datasets.synthetic import banana

    X, y = banana(300, seed=0)
    for name in hlsvm.__all__:
        make = getattr(hlsvm, name)
        if not hasattr(make, "fit"):
            continue
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for kind in (np.float64, np.float32):
                model = make().fit(X.astype(kind), y)
                answer = getattr(model, "predict", None) or model.transform
                answer(X.astype(kind))
        yield name, time.perf_counter() - begin


@click.command()
def warmup() -> None:
    """Compile the kernels of every estimator; the compiled code is kept for later processes."""
    with one_sentence():
        total = 0.0
        for name, seconds in _warm_up():
            total += seconds
            click.echo(f"{seconds:6.1f} s  {name}")
        click.echo(f"{total:6.1f} s  in all; the next time takes what the fits take")
