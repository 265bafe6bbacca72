"""Settings of a tree chosen on held-out rows: form, size and shrinkage, at the cost of a few fits.

Every form grows on until its leaves are small; the cost-complexity path of Thesis 2.3.3.1 then
holds smaller trees, down to the first split and the majority, and shrinkage says how far leaves are
drawn to their ancestors. All of these, and single hyperplanes, are judged on the same held-out
rows, so that what is chosen is not worse than the majority or the best hyperplane by more than the
noise of that judgement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hlsvm.trees._calibrate import best_power, sharpened
from hlsvm.trees._folds import folds_of
from hlsvm.trees._forms import LINES, PASSES, Form, cut_by, fit_form, stops
from hlsvm.trees._refine import leaves_of
from hlsvm.trees.pruning import weakest_links
from hlsvm.trees.tree import HyperplaneTree

# Strengths of shrinkage, and errors a leaf must save to stay (infinite: the majority alone; None:
# no pruning, so that leaves of one answer may still differ in their probabilities).
_SHRINKAGES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
_SAVINGS = (None, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, np.inf)
# Below so many rows the smallest tree within a part of a standard error of the best is chosen.
_NOISY, _WITHIN = 2_000, 0.5
# Weight of the log loss (nats) beside the error rate: it ranks what errs alike.
_LOG_LOSS, _LOG_LOSS_OF_FEW = 0.5, 0.1


@dataclass(frozen=True)
class Choice:
    """What was chosen.

    Attributes
    ----------
    form : Form
    saving : float or None
        Training errors (of average weight) that a leaf must save; None: not pruned.
    shrinkage : float
    score : float
        Held-out error rate plus a part of the log loss.
    error : float
        Held-out error rate.
    power : float
        To which the shares of the leaves are raised (and scaled to sum to one again).
    """

    form: Form
    saving: float | None
    shrinkage: float
    score: float = np.nan
    error: float = np.nan
    power: float = 1.0


@dataclass
class Trial:
    """A form on every fold: its trees, the leaves of the held-out rows, and how they fare.

    Attributes
    ----------
    form : Form
    grown : list of (HyperplaneTree, ndarray)
        Tree and held-out leaves of each fold.
    wrong, score : ndarray, shape (n_savings, n_strengths, n_judged)
        Of every row: whether it is wrong, and that plus a part of the log loss.
    n_leaves : ndarray of float64, shape (n_savings,)
        Mean of the folds.
    """

    form: Form
    grown: list
    wrong: np.ndarray
    score: np.ndarray
    n_leaves: np.ndarray

    def means(self, weight) -> np.ndarray:
        """Mean score, shape (n_savings, n_strengths)."""
        return np.round(self.score @ weight, 9)


def _judge(tree: HyperplaneTree, leaf, codes, savings, strengths, factor: float):
    """Wrong and score of every held-out row, for every saving and strength; leaves by saving."""
    shares = [tree.shares_at(s) for s in strengths]
    least = 0.5 / max(float(tree.counts[0].sum()), 1.0)
    wrong = np.empty((len(savings), len(strengths), len(leaf)), np.float32)
    score, n_leaves = np.empty_like(wrong), np.empty(len(savings))
    path = weakest_links(tree)
    for i, saving in enumerate(savings):
        reached, n_leaves[i] = leaf, tree.n_leaves
        if saving is not None:
            stop = stops(tree, cut_by(path, saving))
            reached, n_leaves[i] = stop[leaf], len(np.unique(stop[~tree.is_inner]))
        for j, share in enumerate(shares):
            p = share[reached]
            true = np.maximum(p[np.arange(len(codes)), codes], least)
            wrong[i, j] = p.argmax(axis=1) != codes
            score[i, j] = wrong[i, j] - factor * np.log(true)
    return wrong, score, n_leaves


def _rounded(form: Form) -> Form:
    """Form by which equal forms are known, whichever way their regularisation was computed."""
    return replace(form, part=float(f"{form.part:.9g}"))


class Contest:
    """Forms tried side by side on the same folds.

    Parameters
    ----------
    views : dict of bool to Samples
        Rows with and without unit variance.
    rows, options, seed
        As of `fit_form`.
    jobs : Jobs
        Threads and progress; the choice does not depend on them.
    savings, strengths : sequence
        Prunings and shrinkages to try.
    keys : ndarray of float64
        What `keys_of` gives for the rows before they were standardised.
    **growth
        `min_fraction` and `max_depth`.
    """

    def __init__(self, views, rows, options, seed, jobs, *, savings, strengths, keys, **growth):
        self.views, self.options, self.jobs, self.growth = views, options, jobs, growth
        self.savings, self.strengths = savings, strengths
        self.samples = next(iter(views.values()))
        self.folds = folds_of(self.samples, rows, seed, keys)
        self.judged = np.concatenate([fold.outside for fold in self.folds])
        weight = self.samples.weight[self.judged]
        self.mass = float(weight.sum())
        self.weight = weight / self.mass
        self.noisy = float(self.samples.weight[rows].sum()) < _NOISY
        self.trials: list[Trial] = []

    def _grow(self, job):
        form, fold = job
        samples = self.views[form.standardized]
        tree = fit_form(samples, fold.inside, self.options, form, fold.seed, **self.growth).tree
        leaf = leaves_of(tree, samples.X, fold.outside)
        codes = samples.codes[fold.outside]
        factor = _LOG_LOSS_OF_FEW if self.noisy else _LOG_LOSS
        return tree, leaf, *_judge(tree, leaf, codes, self.savings, self.strengths, factor)

    def enter(self, forms) -> None:
        """Try forms that were not tried yet."""
        known = {_rounded(trial.form) for trial in self.trials}
        new: dict[Form, Form] = {}
        for form in forms:
            new.setdefault(_rounded(form), form)
        forms = [form for key, form in new.items() if key not in known]
        jobs = [(form, fold) for form in forms for fold in self.folds]
        results = self.jobs.run(self._grow, jobs)
        for number, form in enumerate(forms):
            part = results[number * len(self.folds) : (number + 1) * len(self.folds)]
            grown = [(tree, leaf) for tree, leaf, *_ in part]
            wrong, score = (np.concatenate([p[k] for p in part], axis=2) for k in (2, 3))
            n_leaves = np.mean([p[4] for p in part], axis=0)
            self.trials.append(Trial(form, grown, wrong, score, n_leaves))

    def lead(self, among: Callable[[Form], bool] = lambda form: True) -> Form | None:
        """Form with the least score among some."""
        trials = [trial for trial in self.trials if among(trial.form)]
        best = min(trials, key=lambda trial: trial.means(self.weight).min(), default=None)
        return None if best is None else best.form

    def choose(self) -> Choice:
        """Best of all; where rows are few the smallest tree within half a standard error."""
        means = np.array([trial.means(self.weight) for trial in self.trials])
        t, i, j = np.unravel_index(np.argmin(means), means.shape)
        if self.noisy:
            t, i, j = self._smallest(means, self.trials[t].score[i, j])
        trial = self.trials[t]
        p = []
        for tree, leaf in trial.grown:
            if self.savings[i] is not None:
                leaf = stops(tree, cut_by(weakest_links(tree), self.savings[i]))[leaf]
            p.append(tree.shares_at(self.strengths[j])[leaf])
        p = np.concatenate(p)
        codes = self.samples.codes[self.judged]
        power = best_power(lambda power: sharpened(p, power), codes, self.weight)
        error = float(trial.wrong[i, j] @ self.weight)
        settings = (trial.form, self.savings[i], float(self.strengths[j]))
        return Choice(*settings, float(means[t, i, j]), error, power)

    def _smallest(self, means, best):
        """Place of the smallest tree that scores within half a standard error of the best one."""
        places = []
        for t, trial in enumerate(self.trials):
            apart = trial.score - best
            mean = apart @ self.weight
            spread = np.sqrt(np.maximum((apart**2) @ self.weight - mean**2, 0))
            within = mean <= _WITHIN * spread / np.sqrt(self.mass) + 1e-12
            places += [
                (round(trial.n_leaves[i], 6), means[t, i, j], t, i, j)
                for i, j in np.argwhere(within)
            ]
        return min(places)[2:]


def choose_settings(contest: Contest, split: str | None, refine: int | None) -> Choice:
    """Choose form, pruning and shrinkage by error and log loss on held-out rows.

    Regularisations are tried in decades, then between those beside the best; that form is then
    refined, put below a single hyperplane, and grown on features that are only centred.

    Parameters
    ----------
    contest : Contest
    split, refine
        As given to the estimator; None: chosen.

    Returns
    -------
    Choice
    """
    kinds = ("axis", "svm", "best") if split is None else (split,)
    oblique = [kind for kind in kinds if kind != "axis"]
    passes = PASSES if refine is None else refine
    plain = views = next(iter(contest.views))
    given = passes if refine else 0
    lines = []
    if oblique and not refine and contest.samples.n_classes == 2:
        lines = [Form("svm", p, line=True, max_depth=1, standardized=views) for p in LINES]
    first = [Form("axis", refine=given, standardized=views)] if "axis" in kinds else []
    first += [Form(k, p, given, standardized=views) for k in oblique for p in (0.1, 1e-2, 1e-3)]
    contest.enter(first + lines)
    if oblique:
        best = contest.lead(lambda form: form.split != "axis" and not form.line)
        beside = [1 / 3, 3.0] + ([0.1, 0.03] if best.part < 2e-3 else [])
        more = [replace(best, part=best.part * step) for step in beside]
        if passes and not refine:
            mixed = contest.lead(lambda form: form.split == oblique[-1] and not form.line)
            more += [replace(mixed, part=mixed.part * s, refine=passes) for s in (1.0, 1 / 3)]
        if lines:
            line = contest.lead(lambda form: form.line)
            more.append(replace(line, split=oblique[-1], max_depth=None))
        contest.enter(more)
        best = contest.lead(lambda form: form.split != "axis")
        if best.refine and not best.line:
            contest.enter([replace(best, part=best.part * step) for step in (1 / 3, 3.0)])
            best = contest.lead(lambda form: form.split != "axis")
        contest.enter([replace(best, standardized=view) for view in contest.views if view != plain])
    return contest.choose()


def grid(shrinkage: float | None, prune: bool) -> tuple[tuple, tuple]:
    """Prunings and shrinkages to try."""
    savings = _SAVINGS if prune else (None,)
    return savings, _SHRINKAGES if shrinkage is None else (float(shrinkage),)
