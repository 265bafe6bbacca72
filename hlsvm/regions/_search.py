"""The search of DTSVM section 2.2: all pairs at the first ceiling, the best ones at larger ones."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

# From one ceiling to the next.
GROWTH = 4
# Share of the validation rows that the regions looked at first hold.
_FIRST_LOOK = 0.15


@dataclass(frozen=True)
class Search:
    """How the search goes; see the estimators' parameters of these names."""

    ceiling_size: int = 1500
    n_best: int = 5
    min_gain: float = 0.005
    climb: bool = True
    eliminate: bool = True


@dataclass
class SearchResult:
    """What the search tried and chose.

    Attributes
    ----------
    rows : list of dict
        One a classifier judged: ``ceiling_size``, ``C``, ``gamma``, ``accuracy``, and ``exact``:
        False where the pair was given up because it could no longer be among the best; its
        accuracy is then an upper limit.
    seconds : dict of int to float
        Processor seconds (all threads) spent at each ceiling.
    ceiling_size, C, gamma : the choice
    accuracy : float
        Validation accuracy of the choice.
    """

    rows: list = field(default_factory=list)
    seconds: dict = field(default_factory=dict)
    ceiling_size: int = 0
    C: float = 0.0
    gamma: float = 0.0
    accuracy: float = 0.0

    def add(self, sigma, scores, pair, accuracy, exact):
        """Note what one classifier reached."""
        C, gamma = float(scores.costs[pair[1]]), float(scores.gammas[pair[0]])
        self.rows.append(
            {
                "ceiling_size": sigma,
                "C": C,
                "gamma": gamma,
                "accuracy": float(accuracy),
                "exact": exact,
            }
        )


def ranked(correct, gammas, costs):
    """Return pairs (width, cost) by falling count; among equals the smaller C, then gamma."""
    a, c = np.indices(correct.shape)
    order = np.lexsort((a.ravel(), c.ravel(), -correct.ravel()))
    return [(int(a.flat[k]), int(c.flat[k])) for k in order]


def _reach_of(pairs, n_gammas):
    reach = np.zeros(n_gammas, dtype=np.int64)
    for a, c in pairs:
        reach[a] = max(reach[a], c + 1)
    return reach


def _first_regions(sizes):
    """How many regions, in order, hold the share of the validation rows looked at first."""
    return int(np.searchsorted(np.cumsum(sizes), _FIRST_LOOK * sum(sizes))) + 1


def score_all(scores, n_best, *, eliminate=True):
    """GridScores all pairs of the grid; pairs that cannot be among the best are given up early.

    The first regions scores all pairs. The `n_best` of them go on to the end, so the last of them
    has a known count. Any other pair is given up as soon as it would stay below that count with
    all its remaining rows correct: neither the best nor their counts depend on it.

    Returns
    -------
    correct : ndarray of int64, shape (n_gammas, n_costs)
        Validation rows answered correctly; an upper limit where a pair was given up.
    exact : ndarray of bool
    """
    sizes = [len(rows) for rows in scores.val_rows]
    full = np.full(scores.shape[0], scores.shape[1])
    known = np.full(scores.shape, scores.sure + sum(sizes))  # at most, as seen so far
    first = _first_regions(sizes) if eliminate else len(sizes)
    numbers = list(range(len(sizes)))
    known += scores.count(numbers[:first], full) - sum(sizes[:first])
    if first >= len(sizes):
        return known, np.ones(scores.shape, dtype=bool)
    rest = numbers[first:]
    best = ranked(known, scores.gammas, scores.costs)[:n_best]
    reach = _reach_of(best, scores.shape[0])
    done = np.arange(scores.shape[1]) < reach[:, None]
    known[done] += (scores.count(rest, reach) - sum(sizes[first:]))[done]
    least = min(known[pair] for pair in best)
    exact, start, step = done.copy(), 0, first
    while start < len(rest):
        batch = rest[start : start + step]
        alive = ~done & (known >= least)
        reach = _reach_of(zip(*np.nonzero(alive), strict=True), scores.shape[0])
        known[alive] += (scores.count(batch, reach) - sum(sizes[k] for k in batch))[alive]
        start, step = start + step, 2 * step
    exact |= alive
    return known, exact


def climb(scores_at, first, best, correct, n_train, options):
    """Carry pairs to larger ceilings while they gain: SubProcess(theta) for all of them at once.

    Parameters
    ----------
    scores_at : callable
        Ceiling -> (number of parts, `GridScores`).
    first : int
        Parts at the first ceiling.
    best : list of pairs
    correct : dict of pair to int
        Validation rows each answers correctly at the first ceiling.
    n_train : int
    options : Search

    Yields
    ------
    ceiling : int
    counts : dict of pair to int
    gaining : set of pairs
        Those that are better off at this ceiling than below it.
    """
    sigma, parts, before = options.ceiling_size, first, dict(correct)
    active = list(best)
    while active and sigma < n_train:
        sigma *= GROWTH
        n_parts, scores = scores_at(sigma)
        if n_parts == parts:  # the same division, so nothing is gained
            return
        parts = n_parts
        reach = _reach_of(active, scores.shape[0])
        counts = scores.count(range(len(scores.regions)), reach, split=True) + scores.sure
        now = {pair: int(counts[pair]) for pair in active}
        least = options.min_gain * len(scores.y_val)
        active = [pair for pair in active if now[pair] - before[pair] >= least]
        before.update(now)
        yield sigma, now, set(active)


def search(scores_at, n_train, options) -> SearchResult:
    """Find ceiling, C and gamma as DTSVM section 2.2 does.

    Parameters
    ----------
    scores_at : callable
        Ceiling -> (number of parts, `GridScores`).
    n_train : int
        Training rows.
    options : Search

    Returns
    -------
    SearchResult
    """
    result = SearchResult()
    start = time.process_time()
    parts, scores = scores_at(options.ceiling_size)
    n_val = max(1, len(scores.y_val))
    correct, exact = score_all(scores, options.n_best, eliminate=options.eliminate)
    for pair in np.ndindex(*scores.shape):
        result.add(options.ceiling_size, scores, pair, correct[pair] / n_val, bool(exact[pair]))
    best = ranked(np.where(exact, correct, -1), scores.gammas, scores.costs)[: options.n_best]
    standing = {pair: (int(correct[pair]), options.ceiling_size) for pair in best}
    result.seconds[options.ceiling_size] = time.process_time() - start
    if options.climb:
        start = time.process_time()
        counts = {pair: standing[pair][0] for pair in best}
        for sigma, now, gaining in climb(scores_at, parts, best, counts, n_train, options):
            for pair in now:
                result.add(sigma, scores, pair, now[pair] / n_val, True)
            standing.update({pair: (now[pair], sigma) for pair in gaining})
            result.seconds[sigma] = time.process_time() - start
            start = time.process_time()
    a, c = min(best, key=lambda pair: (-standing[pair][0], pair[1], pair[0]))
    result.ceiling_size = standing[a, c][1]
    result.accuracy = standing[a, c][0] / n_val
    result.C, result.gamma = float(scores.costs[c]), float(scores.gammas[a])
    return result
