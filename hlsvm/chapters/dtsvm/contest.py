"""One data set, one way of cutting it up: trained with its whole search, then measured.

Seconds are those of the processor, one thread: other work on the machine does not count.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm.chapters.dtsvm.problems import Parts
from hlsvm.regions import DTSVMClassifier, RandomDecompositionSVC
from hlsvm.regions.kernels import (
    COSTS,
    GAMMAS,
    Region,
    Training,
    train_paths,
    train_region_svm,
    winners_on_paths,
)

MODES = {"1A1": "ovo", "1AO": "ovr"}
BAG = 1500  # rows of each SVM of bagging
_MOST_BAGS = 9
_GAIN = 0.005


def clock(function):
    """Return what `function` returns, and its processor seconds."""
    start = time.process_time()
    value = function()
    return value, time.process_time() - start


def warm_up() -> None:
    """Compile the loops, so that no measurement holds it."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), rng.integers(0, 3, 120)
    for multiclass in MODES.values():
        model = DTSVMClassifier([1, 10], [0.1, 1], ceiling_size=50, multiclass=multiclass)
        model.fit(X, y, validation=(X, y)).predict(X)


def _accuracy(labels, y) -> float:
    return 100 * float(np.mean(labels == y))


def cart(parts: Parts, mode: str = "", *, seed: int = 0) -> dict:
    """Measure CART by entropy, grown until nothing gains."""
    tree = DecisionTreeClassifier(criterion="entropy", random_state=seed)
    _, seconds = clock(lambda: tree.fit(parts.X, parts.y))
    labels, test = clock(lambda: tree.predict(parts.X_test))
    return {
        "train_s": seconds,
        "test_s": test,
        "accuracy_pct": _accuracy(labels, parts.y_test),
        "rows": len(parts.y),
    }


def linear(parts: Parts, mode: str, *, seed: int = 0) -> dict:
    """Measure LIBLINEAR, one against others, C from 0.1 ... 10^5 on the validation part."""

    def search():
        best = None
        for C in COSTS:
            model = LinearSVC(C=C, dual=False, random_state=seed).fit(parts.X, parts.y)
            found = model.score(parts.X_val, parts.y_val)
            if best is None or found > best[0]:
                best = (found, C, model)
        return best

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (_, C, model), seconds = clock(search)
    labels, test = clock(lambda: model.predict(parts.X_test))
    return {
        "train_s": seconds,
        "test_s": test,
        "accuracy_pct": _accuracy(labels, parts.y_test),
        "C": C,
        "rows": len(parts.y),
    }


def _decomposed(model, parts: Parts) -> dict:
    _, seconds = clock(lambda: model.fit(parts.X, parts.y, validation=(parts.X_val, parts.y_val)))
    labels, test = clock(lambda: model.predict(parts.X_test))
    _, tree = clock(lambda: model.division_.locate(parts.X_test))
    told = model.search_
    return {
        "train_s": seconds,
        "test_s": test,
        "test_s_tree": tree,
        "test_s_local_svms": max(0.0, test - tree),
        "accuracy_pct": _accuracy(labels, parts.y_test),
        "nesv": float(model.n_support_evaluated(parts.X_test).mean()),
        "tnsv": model.n_support_total_,
        "sigma_opt": model.ceiling_size_,
        "C": model.C_,
        "gamma": model.gamma_,
        "homogeneous_leaf_train_pct": 100 * model.homogeneous_share_,
        "leaves": len(model.labels_),
        "rows": len(parts.y),
        "search": told,
        "ceilings": [int(sigma) for sigma in model.search_seconds_],
        "ceiling_s": list(model.search_seconds_.values()),
    }


def dtsvm(parts: Parts, mode: str, *, sigma: int, seed: int = 0, **more) -> dict:
    """Measure DTSVM with the search of section 2.2."""
    options = {"ceiling_size": sigma, "multiclass": MODES[mode], "random_state": seed}
    return _decomposed(DTSVMClassifier(**options, **more), parts)


def rdsvm(parts: Parts, mode: str, *, sigma: int, seed: int = 0) -> dict:
    """Measure the same on random parts."""
    model = RandomDecompositionSVC(
        ceiling_size=sigma, multiclass=MODES[mode], random_state=seed
    )  # fmt: skip
    return _decomposed(model, parts)


class _Bag:
    """The votes of a growing bag of SVMs for every pair of the grid."""

    def __init__(self, parts: Parts, mode: str, size: int, seed: int):
        self.parts, self.training = parts, Training(MODES[mode])
        self.size = min(size, len(parts.y))
        self.rng = np.random.default_rng(seed)
        self.classes, self.codes = np.unique(parts.y, return_inverse=True)
        self.grid = np.array(GAMMAS), np.array(COSTS)
        shape = (len(GAMMAS), len(COSTS), len(parts.y_val), len(self.classes))
        self.votes = np.zeros(shape, dtype=np.uint8)
        self.regions = []

    def add(self, reach):
        """Train on another sample; return the validation accuracy of every pair."""
        rows = self.rng.choice(len(self.codes), self.size, replace=False)
        region = Region.of(rows, self.codes)
        self.regions.append(region)
        X = self.parts.X[region.rows]
        paths = train_paths(X, region.counts, *self.grid, reach, self.training)
        won = winners_on_paths(
            X, region.counts, paths, self.grid[0], reach, self.parts.X_val, self.training
        )  # fmt: skip
        known = won >= 0
        label = region.classes[won]
        a, c, i = np.nonzero(known)
        self.votes[a, c, i, label[known]] += 1
        winner = self.classes[self.votes.argmax(axis=-1)]
        return (winner == self.parts.y_val).mean(axis=-1)


def _bag_search(bag: _Bag):
    """Let every pair add SVMs while they gain; return (accuracy, SVMs) of every pair."""
    reach = np.full(len(GAMMAS), len(COSTS))
    best = bag.add(reach)
    count = np.ones(best.shape, dtype=np.int64)
    growing = np.ones(best.shape, dtype=bool)
    while growing.any() and len(bag.regions) < _MOST_BAGS:
        last = np.where(growing, np.arange(1, len(COSTS) + 1), 0).max(axis=1)
        found = bag.add(last)
        growing &= found - best > _GAIN
        best = np.where(growing, found, best)
        count += growing
    return best, count


def bagging(parts: Parts, mode: str, *, sigma: int = BAG, seed: int = 0) -> dict:
    """Measure a majority of SVMs on `sigma` random rows each; it grows while it gains 0.5 %."""

    def search():
        bag = _Bag(parts, mode, sigma, seed)
        best, count = _bag_search(bag)
        a, c = np.unravel_index(best.argmax(), best.shape)
        chosen = bag.regions[: count[a, c]]
        gamma, cost = bag.grid[0][a], bag.grid[1][c]
        ladder = bag.grid[1]
        return bag, [
            train_region_svm(parts.X, region, gamma, cost, ladder, bag.training)
            for region in chosen
        ]

    def answer(bag, machines):
        votes = np.zeros((len(parts.y_test), len(bag.classes)))
        for machine in machines:
            for start in range(0, len(votes), 4096):
                won = machine.scores(parts.X_test[start : start + 4096]).argmax(axis=1)
                here = np.arange(start, start + len(won))
                votes[here, machine.classes[won]] += 1
        return bag.classes[votes.argmax(axis=1)]

    (bag, machines), seconds = clock(search)
    labels, test = clock(lambda: answer(bag, machines))
    support = sum(machine.n_support for machine in machines)
    return {
        "train_s": seconds,
        "test_s": test,
        "accuracy_pct": _accuracy(labels, parts.y_test),
        "nesv": float(support),
        "tnsv": support,
        "bags": len(machines),
        "rows": len(parts.y),
    }
