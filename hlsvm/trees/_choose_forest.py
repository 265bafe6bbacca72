"""Settings of the trees of a forest, chosen by a few trees on held-out rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hlsvm.trees._calibrate import POWERS, best_power, sharpened
from hlsvm.trees._choose_settings import Choice
from hlsvm.trees._fit_tree import LEFT_OUT, hold_out
from hlsvm.trees._folds import folds_of
from hlsvm.trees._forms import Form, fit_form
from hlsvm.trees._refine import leaves_of
from hlsvm.trees._seeds import child_seed

# Trees that judge a form; strengths of shrinkage tried (averaging shrinks as well).
_TREES, _STRENGTHS = 5, (1.0, 10.0)
# Most folds.
_FOLDS = 3
# Weight of the log loss (nats) beside the error rate.
_LOG_LOSS = 0.5


class _Bags:
    """Forms judged by a small forest on every fold."""

    def __init__(self, views, rows, options, seed, jobs, strengths, keys, growth):
        self.views, self.options, self.jobs, self.growth = views, options, jobs, growth
        self.strengths = strengths
        samples = next(iter(views.values()))
        self.folds = folds_of(samples, rows, seed, keys)[:_FOLDS]
        judged = np.concatenate([fold.outside for fold in self.folds])
        self.codes, self.weight = samples.codes[judged], samples.weight[judged]
        self.least = 0.5 / max(float(samples.weight[rows].sum()), 1.0)
        self.scores: dict[Form, tuple] = {}

    def _grow(self, job):
        form, fold, number = job
        samples, path = self.views[form.standardized], child_seed(fold.seed, number)
        part = hold_out(fold.inside, samples.codes, LEFT_OUT, path)[0]
        tree = fit_form(samples, part, self.options, form, path, **self.growth).tree
        leaf = leaves_of(tree, samples.X, fold.outside)
        return np.array([tree.shares_at(s)[leaf] for s in self.strengths])

    def enter(self, forms) -> Form:
        """Judge forms that were not judged yet; the best of all so far."""
        forms = [form for form in dict.fromkeys(forms) if form not in self.scores]
        trees = range(_TREES)
        jobs = [(form, fold, k) for form in forms for fold in self.folds for k in trees]
        shares = iter(self.jobs.run(self._grow, jobs))
        for form in forms:
            parts = [sum(next(shares) for _ in trees) / _TREES for _ in self.folds]
            self.scores[form] = self._judge(np.concatenate(parts, axis=1))
        return min(self.scores, key=lambda form: self.scores[form])

    def _judge(self, p):
        """Score and error at the best strength, and that strength."""
        scores = []
        for strength, share in zip(self.strengths, p, strict=True):
            error = np.average(share.argmax(axis=1) != self.codes, weights=self.weight)
            true = np.maximum(share[np.arange(len(self.codes)), self.codes], self.least)
            loss = -np.average(np.log(true), weights=self.weight)
            scores.append((round(float(error + _LOG_LOSS * loss), 9), strength, float(error)))
        return min(scores)


def choose_forest(
    views, rows, options, seed, jobs, *, split, refine, shrinkage, keys, **growth
) -> Choice:
    """Choose how the trees of a forest grow, by error and log loss on held-out rows.

    Parameters
    ----------
    views, rows, options, seed, jobs, keys, **growth
        As of `Contest`.
    split, refine, shrinkage
        As given to the estimator; None: chosen.

    Returns
    -------
    Choice
    """
    strengths = _STRENGTHS if shrinkage is None else (float(shrinkage),)
    bags = _Bags(views, rows, options, seed, jobs, strengths, keys, growth)
    plain = next(iter(views))
    n_features = next(iter(views.values())).X.shape[1]
    few = float(np.sqrt(n_features) / n_features)
    kinds = ("axis", "best") if split is None else (split,)
    form = Form("svm", refine=refine or 0, standardized=plain)
    first = [replace(form, split="axis", features=few)] if "axis" in kinds else []
    oblique = [kind for kind in kinds if kind != "axis"]
    first += [replace(form, split=k, part=p) for k in oblique for p in (0.1, 1e-2, 1e-3)]
    best = bags.enter(first)
    if oblique:
        best = min((f for f in bags.scores if f.split != "axis"), key=bags.scores.get)
        more = [replace(best, part=best.part * step) for step in (1 / 3, 3.0)]
        more += [replace(best, features=share) for share in (0.5, max(few, 0.25))]
        more += [replace(best, standardized=view) for view in views if view != plain]
        more += [replace(best, split="svm")] if split is None else []
        best = bags.enter(more)
    else:
        best = bags.enter([replace(best, features=share) for share in (0.5, 1.0)])
    score, strength, error = bags.scores[best]
    return Choice(best, None, strength, score, error)


def sharpness_left_out(samples, rows, seed: int, trees) -> float:
    """Power of the shares of `trees` whose mean is most likely to the rows that each has not seen.

    A row is judged by the few trees that have not seen it, whose mean is less certain than that of
    all by about one over their number: the power is measured with half of the trees and with all,
    and carried on to their number.
    """
    unseen = []
    for number, tree in enumerate(trees):
        out = hold_out(rows, samples.codes, LEFT_OUT, child_seed(seed, number))[1]
        unseen.append((np.searchsorted(rows, out), leaves_of(tree, samples.X, out)))
    shares = [tree.shares for tree in trees]
    powers = []
    for step in (1, 2):
        seen = np.zeros(len(rows))
        for place, _ in unseen[::step]:
            seen[place] += 1
        judged = np.flatnonzero(seen)
        if len(judged) == 0:
            return 1.0

        def mean(power, step=step, seen=seen, judged=judged):
            total = np.zeros((len(rows), samples.n_classes))
            for (place, leaf), share in zip(unseen[::step], shares[::step], strict=True):
                total[place] += sharpened(share, power)[leaf]
            return total[judged] / seen[judged, None]

        weight = samples.weight[rows[judged]]
        powers.append(best_power(mean, samples.codes[rows[judged]], weight / weight.sum()))
    part = 1 - float(seen[judged].mean()) * step / len(trees)
    return round(float(np.clip(powers[0] + part * (powers[0] - powers[1]), *POWERS)), 2)
