"""Rivals of DTSVM whose search over 63 pairs (C, gamma) needs more than a call of `fit`.

LIBSVM and LASVM are searched on growing random subsets: where all rows are out of reach, the cost
on all rows follows from the power law through the last subsets. Bagging lets every pair of the
grid grow its own bag.
"""

import itertools
from collections.abc import Callable

import numpy as np

from hlsvm.chapters.dtsvm.parts import Parts
from hlsvm.regions.kernels import (
    COSTS,
    GAMMAS,
    Region,
    Training,
    train_paths,
    train_region_svm,
    winners_on_paths,
)
from hlsvm.reproduce import processor_time

PAIRS = tuple(itertools.product(COSTS, GAMMAS))
_LAST = 3  # subsets the power law goes through


def search(make: Callable, parts: Parts):
    """Train ``make(C, gamma)`` for all 63 pairs; return the best on the validation part, its pair.

    Of equal pairs the smaller C, then the smaller gamma.
    """
    best = None
    for C, gamma in PAIRS:
        model = make(C, gamma).fit(parts.X, parts.y)
        score = model.score(parts.X_val, parts.y_val)
        if best is None or score > best[0]:
            best = score, model, (C, gamma)
    return best[1:]


def extrapolate(n, seconds, to) -> tuple[float, float]:
    """Return the seconds at `to` rows by a power law from the last point, and its exponent.

    The exponent is that of the last three points, and at least 1: what is seen on few rows is the
    cost of starting, and no search grows slower than its rows.
    """
    x, y = np.log(n[-_LAST:]), np.log(np.maximum(seconds[-_LAST:], 1e-6))
    slope = max(1.0, float(np.polyfit(x, y, 1)[0])) if len(x) > 1 else 1.0
    return round(float(seconds[-1] * (to / n[-1]) ** slope), 6), round(slope, 6)


def grown_search(make: Callable, parts: Parts, *, start, budget, fit_budget, whole, seed=0):
    """Search on `start` rows, on twice as many, and so on; then on all rows, or extrapolate.

    `budget` and `fit_budget` are processor seconds: a search, and the training of the pair that the
    last one found, go on to twice the rows while four times the seconds of the last are less. With
    `whole` all rows are searched after the subsets, whatever it costs. Returned are the model,
    trained with the pair that was found on as many rows as the budget allows, and a dict:
    ``train_s`` (extrapolated unless ``basis`` is "all rows"), ``basis``, ``rows`` of the model,
    ``C``, ``gamma``, ``exponent``, and what was timed: ``grown_n``, ``grown_s``.
    """
    n, grown_n, grown_s = start, [], []
    while True:
        part = parts.subset(n, seed)
        (model, pair), seconds = processor_time(lambda part=part: search(make, part))
        grown_n.append(len(part.y))
        grown_s.append(seconds)
        if n >= len(parts.y):
            break
        out = len(grown_n) > 1 and 4 * seconds > budget
        if out and not whole:
            break
        n = len(parts.y) if out else 2 * n
    timed = grown_n[-1] == len(parts.y)
    subsets = (grown_n[:-1], grown_s[:-1]) if timed and len(grown_n) > 1 else (grown_n, grown_s)
    law, exponent = extrapolate(*subsets, len(parts.y))
    rows, fit_s = grown_n[-1], grown_s[-1] / len(PAIRS)
    while rows < len(parts.y) and 4 * fit_s <= fit_budget:
        n = min(2 * rows, len(parts.y))
        part = parts.subset(n, seed)
        model, fit_s = processor_time(lambda part=part: make(*pair).fit(part.X, part.y))
        rows = len(part.y)
    return model, {
        "train_s": grown_s[-1] if timed else law,
        "basis": "all rows" if timed else "extrapolated",
        "rows": rows,
        "C": pair[0],
        "gamma": pair[1],
        "power_law_s": law,
        "exponent": exponent,
        "grown_n": grown_n,
        "grown_s": grown_s,
    }


class GridBagging:
    """SVMs on random samples that vote; the pair of the grid whose bag is best on validation rows.

    The bag of a pair grows, to at most `most` SVMs on `size` rows each, while its validation
    accuracy gains more than `gain` (DTSVM section 3.2). All pairs share the samples.
    """

    def __init__(self, multiclass="ovo", *, size=1500, most=9, gain=0.005, random_state=0):
        self.multiclass = multiclass
        self.size = size
        self.most = most
        self.gain = gain
        self.random_state = random_state

    def fit(self, X, y, *, validation):
        """Grow the bags of all pairs, and train that of the best again."""
        self.training_ = Training(self.multiclass)
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = np.random.default_rng(self.random_state)
        shape = (len(GAMMAS), len(COSTS))
        votes = np.zeros((*shape, len(validation[1]), len(self.classes_)), dtype=np.uint8)
        regions, count = [], np.zeros(shape, dtype=np.int64)
        best, growing = np.zeros(shape), np.ones(shape, dtype=bool)
        while growing.any() and len(regions) < self.most:
            rows = rng.choice(len(codes), min(self.size, len(codes)), replace=False)
            regions.append(Region.of(rows, codes))
            reach = np.where(growing, np.arange(1, len(COSTS) + 1), 0).max(axis=1)
            self._vote(X, regions[-1], reach, validation[0], votes)
            score = (self.classes_[votes.argmax(axis=-1)] == validation[1]).mean(axis=-1)
            growing &= (score - best > self.gain) | (len(regions) == 1)
            best = np.where(growing, score, best)
            count += growing
        a, c = np.unravel_index(best.argmax(), shape)
        self.gamma_, self.C_ = GAMMAS[a], COSTS[c]
        self.machines_ = [
            train_region_svm(X, region, self.gamma_, self.C_, np.array(COSTS), self.training_)
            for region in regions[: count[a, c]]
        ]
        self.n_support_total_ = sum(machine.n_support for machine in self.machines_)
        return self

    def _vote(self, X, region, reach, X_val, votes):
        gammas, costs, inside = np.array(GAMMAS), np.array(COSTS), X[region.rows]
        paths = train_paths(inside, region.counts, gammas, costs, reach, self.training_)
        won = winners_on_paths(inside, region.counts, paths, gammas, reach, X_val, self.training_)
        known = won >= 0
        a, c, i = np.nonzero(known)
        votes[a, c, i, region.classes[won][known]] += 1

    def predict(self, X):
        """Return the class with most votes."""
        votes = np.zeros((len(X), len(self.classes_)))
        for machine in self.machines_:
            for start in range(0, len(X), 4096):
                won = machine.scores(X[start : start + 4096]).argmax(axis=1)
                votes[np.arange(start, start + len(won)), machine.classes[won]] += 1
        return self.classes_[votes.argmax(axis=1)]
