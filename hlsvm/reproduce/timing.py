"""Times that can be compared: warmed up, interleaved in one run, medians, machine named."""

import gc
import time
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from hlsvm._params import check_number
from hlsvm.reproduce.provenance import machine, versions


def processor_time(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `function` returns and its processor seconds: other work does not count.

    Examples
    --------
    >>> value, seconds = processor_time(lambda: 6 * 7)
    >>> value, seconds < 1.0
    (42, True)
    """
    start = time.process_time()
    value = function()
    return value, time.process_time() - start


def _loops_for(function: Callable[[], Any], at_least: float) -> int:
    """Return how many calls fill a measurement of `at_least` seconds."""
    loops = 1
    while True:
        start = time.perf_counter()
        for _ in range(loops):
            function()
        spent = time.perf_counter() - start
        if spent >= at_least:
            return loops
        loops = max(loops * 2, int(loops * 1.1 * at_least / max(spent, 1e-9)))


def _measure(function: Callable[[], Any], loops: int) -> tuple[float, float]:
    calls = range(loops)
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in calls:
        function()
    return (time.perf_counter() - wall) / loops, (time.process_time() - cpu) / loops


def race(
    rivals: Mapping[str, Callable[[], Any]],
    *,
    repeats: int = 5,
    warmup: int = 1,
    at_least: float = 0.02,
) -> pd.DataFrame:
    """Time rivals side by side in one run.

    Every rival is warmed up first (compilation, caches); then they take turns, each round begun by
    another, so that a busy machine slows all of them alike.

    Parameters
    ----------
    rivals : dict of str to callable
        Name -> function without arguments. Ratios are to the first.
    repeats, warmup : int
        Rounds, of whose times the median counts, and calls before anything is measured.
    at_least : float, default=0.02
        Seconds a measurement must fill: fast functions are called in a loop.

    Returns
    -------
    DataFrame
        Columns ``method``, ``median_s`` and ``min_s`` (wall), ``cpu_s`` (median processor
        time), ``ratio`` (median over that of the first), ``repeats``, ``loops``. ``attrs`` holds
        ``versions`` and ``machine``, with the threads of every library.

    Examples
    --------
    >>> table = race({"short": lambda: sum(range(10)), "long": lambda: sum(range(10_000))})
    >>> table.method.tolist(), bool(table.ratio[1] > 2)
    (['short', 'long'], True)
    """
    check_number("race", "repeats", repeats, kind=Integral, low=1)
    check_number("race", "warmup", warmup, kind=Integral, low=0)
    check_number("race", "at_least", at_least, kind=Real, low=0)
    if not rivals:
        raise ValueError("rivals must name at least one function. Got none.")
    names = list(rivals)
    for name in names:
        for _ in range(warmup):
            rivals[name]()
    loops = {name: _loops_for(rivals[name], at_least) for name in names}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    gc.collect()
    for turn in range(repeats):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            times[name].append(_measure(rivals[name], loops[name]))
    middle = {name: np.median(times[name], axis=0) for name in names}
    table = pd.DataFrame(
        {
            "method": names,
            "median_s": [float(middle[name][0]) for name in names],
            "min_s": [float(np.min(times[name], axis=0)[0]) for name in names],
            "cpu_s": [float(middle[name][1]) for name in names],
            "ratio": [float(middle[name][0] / middle[names[0]][0]) for name in names],
            "repeats": repeats,
            "loops": [loops[name] for name in names],
        }
    )
    table.attrs = {"versions": versions(), "machine": machine()}
    return table
