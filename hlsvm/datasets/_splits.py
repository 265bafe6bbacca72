"""Divisions into a training and a test part, each a function of (seed, number) alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from hlsvm._params import check_like, check_number, check_option


def _draw(y: np.ndarray, n_train: int, n_test: int, child, stratify: bool):
    rng = np.random.default_rng(child)
    order = rng.permutation(len(y))
    if stratify:
        # Rows of each class are spread evenly over [0, 1): every prefix holds the classes' shares.
        place = np.empty(len(y))
        for label in np.unique(y):
            rows = order[y[order] == label]
            place[rows] = (np.arange(len(rows)) + rng.random()) / len(rows)
        order = order[np.argsort(place[order], kind="stable")]
    return np.sort(order[n_test : n_test + n_train]), np.sort(order[:n_test])


def partition_indices(
    dataset: Any,
    n: int = 10,
    *,
    test_size: float | None = None,
    seed: int = 0,
    stratify: bool = False,
) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
    """Yield ``(train, test, recorded)`` for each of `n` partitions; rows count in ``dataset.X``.

    See `partitions` for the parameters. `recorded` says that the partition came with the data.
    """
    check_like("partitions", "dataset", dataset, ("X", "y", "splits", "note"), "a Dataset")
    check_option("partitions", "stratify", stratify, (False, True))
    check_number("partitions", "n", n, kind=Integral, low=1, high=1_000_000)
    check_number(
        "partitions", "test_size", test_size, kind=Real, low=0, high=1, closed="neither",
        options=(None,),
    )  # fmt: skip
    check_number("partitions", "seed", seed, kind=Integral, low=0)
    y = dataset.y
    rows = len(y)
    recorded = dataset.splits if test_size is None else ()
    if recorded:
        n_train, n_test = (len(part) for part in recorded[0])
    else:
        n_test = math.ceil((0.1 if test_size is None else test_size) * rows - 1e-9)
        n_train = rows - n_test
    if not 0 < n_test < rows:
        raise ValueError(
            f"The 'test_size' parameter of partitions must leave rows on both sides. "
            f"Got {test_size!r} of {rows} rows."
        )
    for i, child in enumerate(np.random.SeedSequence(seed).spawn(n)):
        if i < len(recorded):
            yield *recorded[i], True
        else:
            yield *_draw(y, n_train, n_test, child, stratify), False


def partitions(
    dataset: Any,
    n: int = 10,
    *,
    test_size: float | None = None,
    seed: int = 0,
    stratify: bool = False,
) -> Iterator[Any]:
    """Yield `n` divisions of all rows of a data set, each as a `Dataset` with a test part.

    Partition i depends on (`seed`, i) alone: asking for more only adds. The protocols of the
    papers: ``test_size=0.1`` (Covtype), ``1/3`` (Faces, two thirds to train), ``0.2``, ``0.25``
    (SRS-SVM); Raetsch's sets without `test_size` give the partitions distributed with them and,
    beyond those, random ones of the same sizes.

    Parameters
    ----------
    dataset : Dataset
        Its test part, if there is one, is put back first.
    n : int
        Number of partitions.
    test_size : float in (0, 1), optional
        Share of the rows to test, rounded up. None: the recorded partitions where there are any,
        otherwise 0.1.
    seed : int
        Seed of the drawing.
    stratify : bool
        Keep the classes' shares in both parts. The papers do not.

    Yields
    ------
    Dataset
        Made one at a time, so only one copy of the data is held.

    Examples
    --------
    >>> from hlsvm.datasets import load, partitions
    >>> [p.X_test.shape for p in partitions(load("wine"), 2, test_size=1 / 3)]
    [(60, 13), (60, 13)]
    """
    check_like("partitions", "dataset", dataset, ("X", "y", "splits", "note"), "a Dataset")
    X, y = dataset.X, dataset.y
    whole = replace(dataset, X_train=X, y_train=y, X_test=None, y_test=None)
    parts = partition_indices(whole, n, test_size=test_size, seed=seed, stratify=stratify)
    for i, (train, test, recorded) in enumerate(parts):
        kind = "distributed with the data" if recorded else f"drawn at random, seed {seed}"
        note = "; ".join([*filter(None, [dataset.note]), f"partition {i + 1}, {kind}"])
        yield replace(
            dataset, X_train=X[train], y_train=y[train], X_test=X[test], y_test=y[test],
            note=note, splits=(),
        )  # fmt: skip
