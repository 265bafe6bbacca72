"""Rows to grow on and rows to judge by, dealt by what the rows hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlsvm.trees._samples import Samples
from hlsvm.trees._seeds import child_seed

# Rows judged suffice at this number; fewer rows are judged in more folds.
_ENOUGH, _FEW = 4_000, 500
# Most rows of a fold that a tree is tried on, and judged by.
_TRIED, _JUDGED = 50_000, 10_000


@dataclass
class Fold:
    """Rows to grow on and rows to judge by, and the seed of what grows."""

    inside: np.ndarray
    outside: np.ndarray
    seed: int


def keys_of(samples: Samples, seed: int) -> np.ndarray:
    """Return a number for every row, by its content."""
    random = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    direction = random.normal(size=samples.X.shape[1]).astype(samples.X.dtype)
    return samples.project(np.arange(len(samples.X)), direction).astype(np.float64)


def _mixed(keys) -> np.ndarray:
    mixed = keys.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


def deal(samples: Samples, rows, n_folds: int, keys) -> np.ndarray:
    """Fold of every row by its `keys_of`: equal rows stay together, whatever their order."""
    mixed = _mixed(keys[rows])
    fold = np.empty(len(rows), np.int64)
    for code in np.unique(samples.codes[rows]):
        members = np.flatnonzero(samples.codes[rows] == code)
        fold[members] = np.unique(mixed[members], return_inverse=True)[1] % n_folds
    return fold


def thin(rows, keys, most: int) -> np.ndarray:
    """At most so many of some rows, drawn by their content; in order."""
    if len(rows) <= most:
        return rows
    return np.sort(rows[np.argsort(_mixed(keys[rows]), kind="stable")[:most]])


def folds_of(samples: Samples, rows, seed: int, keys) -> list[Fold]:
    """Folds to judge on: one where rows are many, all of five (ten) where they are few."""
    total = float(samples.weight[rows].sum())
    n_folds = 10 if total < _FEW else 5
    judged = int(np.clip(np.ceil(n_folds * _ENOUGH / total), 1, n_folds))
    fold = deal(samples, rows, n_folds, keys)

    parts = []
    for k in range(judged):
        inside, outside = rows[fold != k], rows[fold == k]
        if len(inside) and len(outside):
            inside, outside = thin(inside, keys, _TRIED), thin(outside, keys, _JUDGED)
            parts.append(Fold(inside, outside, child_seed(seed, k)))
    return parts or [Fold(rows, rows, seed)]
