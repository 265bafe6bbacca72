"""Settings of a tree chosen on held-out rows: form, size and shrinkage, at the cost of a few fits.

A form says how a tree grows. Every form grows on until its leaves are small; the cost-complexity
path of Thesis 2.3.3.1 then holds smaller trees, down to the first hyperplane and the majority, and
shrinkage says how far leaves are drawn to their ancestors. All of these are judged on the same
held-out rows, so that what is chosen is not worse than the majority or the best hyperplane by more
than the noise of that judgement.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hlsvm.trees._fit_tree import FittedTree
from hlsvm.trees._grow import default_fraction, grow
from hlsvm.trees._grow_on import grow_on
from hlsvm.trees._refine import leaves_of
from hlsvm.trees._refine import refine as refine_tree
from hlsvm.trees._seeds import child_seed
from hlsvm.trees._split import Samples, SplitOptions
from hlsvm.trees.pruning import weakest_links
from hlsvm.trees.tree import HyperplaneTree

# Strengths of shrinkage, and errors a leaf must save to stay (infinite: the majority alone; None:
# no pruning, so that leaves of one answer may still differ in their probabilities).
_SHRINKAGES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
_SAVINGS = (None, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, np.inf)
# Passes of refinement, and the share of the rows in a leaf of the tree that is refined.
_PASSES, _COARSE = 4, 5e-3
# Rows judged suffice at this number; fewer rows are judged in more folds.
_ENOUGH, _FEW = 4_000, 1_000
# Weight of the log loss (nats) beside the error rate: it ranks what errs alike.
_LOG_LOSS = 0.25


@dataclass(frozen=True)
class Form:
    """How a tree grows: kind of split, lambda over the mean square norm, refined top or none.

    Attributes
    ----------
    split : {"svm", "axis", "best"}
    part : float
        Regularization of a node, its weights summing to one, over the mean square norm of rows.
    refine : int
        Passes over the top of the tree, before its leaves grow on.
    max_depth : int or None
        Of that top.
    """

    split: str
    part: float = 0.01
    refine: int = 0
    max_depth: int | None = None


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
        Held-out error rate plus a quarter of the log loss.
    error : float
        Held-out error rate.
    """

    form: Form
    saving: float | None
    shrinkage: float
    score: float = np.nan
    error: float = np.nan


def forms(split: str | None, refine: int | None) -> list[Form]:
    """Forms that agree with what is given."""
    passes = _PASSES if refine is None else refine
    splits = ("axis", "best") if split is None else (split,)
    found = []
    for kind in splits:
        parts = (0.01,) if kind == "axis" else (0.01, 0.1)
        if not refine:
            found += [Form(kind, part) for part in parts]
        if passes and kind != "axis":
            found += [Form(kind, part, passes) for part in parts]
            found += [Form(kind, part, passes, 1) for part in (1e-2, 1e-3)]
        elif passes and refine:
            found.append(Form(kind, 0.01, passes))
    return found


def fit_form(samples: Samples, rows, options: SplitOptions, form: Form, seed: int, **growth):
    """Grow a tree in some form on `rows`; nothing is pruned or shrunk.

    Returns
    -------
    FittedTree
    """
    weight = samples.weight[rows]
    lam = form.part * float(np.average(samples.norms[rows], weights=weight))
    options = replace(options, lam=max(lam, 1e-12), loss_scale="sum", split=form.split)
    small = growth.pop("min_fraction", None)
    small = default_fraction(weight.sum()) if small is None else small
    if not form.refine:
        depth = growth.pop("max_depth", None)
        tree, proven, proofs = grow(
            samples, options, rows, min_fraction=small, max_depth=depth, seed=seed, **growth
        )
        return FittedTree(tree, proven, [proof.converged for proof in proofs])
    depth = [d for d in (growth.pop("max_depth", None), form.max_depth) if d is not None]
    top = replace(options, split="svm") if form.max_depth else options
    tree, proven, proofs = grow(
        samples,
        top,
        rows,
        min_fraction=max(_COARSE, small),
        max_depth=min(depth, default=None),
        seed=seed,
        **growth,
    )
    tree, proven, history = refine_tree(
        samples, replace(top, refine_lam=top.lam), rows, tree, proven, form.refine, seed
    )
    if len(depth) < 1 or form.max_depth:
        tree, proven, more = grow_on(samples, options, rows, tree, proven, small, seed)
        proofs = proofs + more
    return FittedTree(tree, proven, [proof.converged for proof in proofs], None, history)


def finish(fitted: FittedTree, saving: float | None, shrinkage: float) -> FittedTree:
    """Prune and shrink a tree."""
    if saving is not None:
        fitted.cut(_cut_by(fitted.tree, saving))
    fitted.tree = fitted.tree.shrink(shrinkage)
    return fitted


def _cut_by(tree: HyperplaneTree, saving: float) -> np.ndarray:
    """Inner nodes that become leaves where every leaf must save so many errors."""
    if np.isinf(saving):
        return tree.is_inner & (np.arange(tree.n_nodes) == 0)
    path = weakest_links(tree)
    step = int(np.flatnonzero(path.alphas * tree.counts[0].sum() <= saving)[-1])
    return tree.is_inner & (path.step <= step)


def _judge(tree: HyperplaneTree, leaf, codes, weight, savings, strengths) -> np.ndarray:
    """Held-out weight in error and log loss for every saving and strength.

    Returns
    -------
    ndarray of shape (n_savings, n_strengths, 2)
    """
    shares = [tree.shrink(s).shares for s in strengths]
    least = 0.5 / max(float(tree.counts[0].sum()), 1.0)
    sums = np.zeros((len(savings), len(strengths), 2))
    for i, saving in enumerate(savings):
        stop = np.arange(tree.n_nodes)
        if saving is not None:
            cut = _cut_by(tree, saving)
            for node in range(1, tree.n_nodes):
                above = stop[tree.parent[node]]
                if cut[above]:
                    stop[node] = above
        reached = stop[leaf]
        for j, share in enumerate(shares):
            p = share[reached]
            true = np.maximum(p[np.arange(len(codes)), codes], least)
            sums[i, j] = weight[p.argmax(axis=1) != codes].sum(), weight @ -np.log(true)
    return sums


def keys_of(samples: Samples, seed: int) -> np.ndarray:
    """Return a number for every row, by its content."""
    random = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    direction = random.normal(size=samples.X.shape[1]).astype(samples.X.dtype)
    return samples.project(np.arange(len(samples.X)), direction).astype(np.float64)


def deal(samples: Samples, rows, n_folds: int, keys) -> np.ndarray:
    """Fold of every row by its `keys_of`: equal rows stay together, whatever their order."""
    mixed = keys[rows].view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    fold = np.empty(len(rows), np.int64)
    for code in np.unique(samples.codes[rows]):
        mine = np.flatnonzero(samples.codes[rows] == code)
        fold[mine] = np.unique(mixed[mine], return_inverse=True)[1] % n_folds
    return fold


def choose_settings(
    samples: Samples, rows, options: SplitOptions, seed: int, jobs, *, tried, savings, strengths,
    keys, **growth,
) -> Choice:  # fmt: skip
    """Choose form, pruning and shrinkage by error and log loss on held-out rows.

    Parameters
    ----------
    samples, rows, options, seed
        As of `fit_form`.
    jobs : Jobs
        Threads and progress; the choice does not depend on them.
    tried : list of Form
    savings, strengths : sequence
        Prunings and shrinkages to try.
    keys : ndarray of float64
        What `keys_of` gives for the rows before they were standardized.
    **growth
        `min_fraction` and `max_depth`.

    Returns
    -------
    Choice
    """
    total = float(samples.weight[rows].sum())
    n_folds = 10 if total < _FEW else 5
    judged = int(np.clip(np.ceil(n_folds * _ENOUGH / total), 1, n_folds))
    fold = deal(samples, rows, n_folds, keys)

    def judge(job):
        form, k = job
        inside, outside = rows[fold != k], rows[fold == k]
        if len(outside) == 0 or len(inside) == 0:
            return np.zeros((len(savings), len(strengths), 2))
        fitted = fit_form(samples, inside, options, form, child_seed(seed, k), **growth)
        leaf = leaves_of(fitted.tree, samples.X, outside)
        held = samples.codes[outside], samples.weight[outside]
        return _judge(fitted.tree, leaf, *held, savings, strengths)

    pairs = [(form, k) for form in tried for k in range(judged)]
    sums = np.array(jobs.run(judge, pairs)).reshape(len(tried), judged, *_shape(savings, strengths))
    mass = samples.weight[rows[fold < judged]].sum()
    error, loss = np.moveaxis(sums.sum(axis=1) / max(mass, 1e-300), -1, 0)
    score = np.round(error + _LOG_LOSS * loss, 12)
    f, i, j = np.unravel_index(np.argmin(score), score.shape)
    best = Choice(tried[f], savings[i], strengths[j], float(score[f, i, j]), float(error[f, i, j]))
    return best


def _shape(savings, strengths) -> tuple[int, int, int]:
    return len(savings), len(strengths), 2


def grid(shrinkage: float | None, prune: bool) -> tuple[tuple, tuple]:
    """Prunings and shrinkages to try."""
    savings = _SAVINGS if prune else (None,)
    return savings, _SHRINKAGES if shrinkage is None else (float(shrinkage),)
