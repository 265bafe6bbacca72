"""Trees from samples: hold out, grow, refine, prune (HLSVM section 2.1, steps 1 to 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from hlsvm._holdout import draw_share
from hlsvm.trees._forest import Forest
from hlsvm.trees._grow import grow
from hlsvm.trees._refine import leaves_of
from hlsvm.trees._refine import refine as refine_tree
from hlsvm.trees._samples import Samples, SplitOptions
from hlsvm.trees._seeds import child_seed
from hlsvm.trees.pruning import PruningPath, choose_counted, count_leaves, weakest_links
from hlsvm.trees.tree import HyperplaneTree

# Share of the samples that each of several trees does not see.
LEFT_OUT = 0.2


@dataclass
class Jobs:
    """Threads and progress of a fit.

    Attributes
    ----------
    n_jobs : int or None
        Threads; change no bit.
    title : str or None
        Of the progress bar; None for no bar.
    """

    n_jobs: int | None = None
    title: str | None = None

    def bar(self, items=None, **options):
        """Progress bar, over `items` or to be updated."""
        return tqdm(items, disable=self.title is None, desc=self.title, leave=False, **options)

    def run(self, function: Callable, items) -> list:
        """Apply a function to all items, side by side; results in their order."""
        return Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(function)(item) for item in self.bar(items)
        )


@dataclass
class FittedTree:
    """A tree, the certificates of its hyperplanes, and how it was pruned.

    Attributes
    ----------
    tree : HyperplaneTree
    certificates : ndarray of `CERTIFICATE`, shape (n_planes,)
    converged : list of bool
        Of every SVM trained, also where its split was refused or pruned.
    pruning : tuple of (PruningPath, ndarray) or None
        The subtrees and the held-out weight that each gets wrong.
    refinement : ndarray of `REFINEMENT` or None
        The passes.
    """

    tree: HyperplaneTree
    certificates: np.ndarray
    converged: list
    pruning: tuple[PruningPath, np.ndarray] | None = None
    refinement: np.ndarray | None = None

    def cut(self, nodes: np.ndarray) -> None:
        """Turn `nodes` into leaves; only the certificates of what stays remain."""
        stays = ~nodes & ~self.tree.below(nodes) & (self.tree.plane >= 0)
        self.certificates = self.certificates[self.tree.plane[stays]]
        self.tree = self.tree.collapse(nodes)


def hold_out(rows, codes, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a share of `rows` within each class; what is kept and what is drawn, in order."""
    random = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    drawn = draw_share(codes[rows], fraction, random)
    return rows[~drawn], rows[drawn]


def fit_tree(
    samples: Samples,
    rows: np.ndarray,
    options: SplitOptions,
    seed: int,
    *,
    prune_fraction: float = 0.0,
    min_fraction: float | None = None,
    max_depth: int | None = None,
    shrinkage: float = 0.0,
    refine: int = 0,
    **growth,
) -> FittedTree:
    """Grow a tree on `rows`, refine it, and prune it on a share of them, held out before.

    Parameters
    ----------
    samples, options
    rows : ndarray of int64
        Ascending.
    seed : int
        Of the share and of the nodes.
    prune_fraction, min_fraction, max_depth, shrinkage, refine
        See `HLSVMClassifier`.
    **growth
        Passed on to `grow`.

    Returns
    -------
    FittedTree
    """
    kept = rows
    if prune_fraction > 0:
        kept, held = hold_out(rows, samples.codes, prune_fraction, seed)
    tree, certificates, proofs = grow(
        samples, options, kept, min_fraction=min_fraction, max_depth=max_depth, seed=seed, **growth
    )
    grown = FittedTree(tree, certificates, [proof.converged for proof in proofs])
    if refine > 0:
        grown.tree, grown.certificates, grown.refinement = refine_tree(
            samples, options, kept, tree, certificates, refine, seed
        )
    if prune_fraction > 0 and len(held) > 0:
        path = weakest_links(grown.tree)
        leaf = leaves_of(grown.tree, samples.X, held)
        passing = count_leaves(grown.tree, leaf, samples.codes[held], samples.weight[held])
        step, errors = choose_counted(path, passing)
        grown.cut(grown.tree.is_inner & (path.step <= step))
        grown.pruning = (path, errors)
    if shrinkage > 0:
        grown.tree = grown.tree.shrink(shrinkage)
        grown.cut(grown.tree.agreeing())
    return grown


def fit_bagged(
    samples: Samples,
    rows,
    options: SplitOptions,
    seed: int,
    jobs: Jobs,
    n_trees: int,
    fit,
    **limits,
) -> list[FittedTree]:
    """Several trees, each on a random four fifths of every class; arguments as `fit_forest`."""

    def one(number):
        path = child_seed(seed, number)
        part = hold_out(rows, samples.codes, LEFT_OUT, path)[0]
        return fit(samples, part, options, path, **limits)

    return jobs.run(one, range(n_trees))


def fit_pairwise(
    samples: Samples, rows, options: SplitOptions, seed: int, jobs: Jobs, fit, **limits
) -> list[FittedTree]:
    """One tree for each pair of classes, (0, 1), (0, 2), ..., the second being positive."""
    present = samples.codes[rows]
    pairs = list(combinations(range(samples.n_classes), 2))

    def one(number):
        a, b = pairs[number]
        part = rows[(present == a) | (present == b)]
        pair = replace(samples, codes=(samples.codes == b).astype(np.int32), n_classes=2)
        return fit(pair, part, options, child_seed(seed, number), **limits)

    return jobs.run(one, range(len(pairs)))


def fit_forest(
    samples: Samples,
    rows: np.ndarray,
    options: SplitOptions,
    seed: int,
    classes: np.ndarray,
    jobs: Jobs | None = None,
    *,
    n_trees: int = 1,
    pairwise: bool = False,
    fit: Callable[..., FittedTree] = fit_tree,
    **limits,
) -> tuple[Forest, list[FittedTree]]:
    """One tree for all classes, several to be averaged, or one a pair of classes.

    Parameters
    ----------
    samples, rows, options, seed
        As `fit_tree`.
    classes : ndarray of shape (n_classes,)
        Labels.
    jobs : Jobs, optional
        Threads and progress; None: one thread, nothing shown.
    n_trees : int
    pairwise : bool
        Whether classes vote in pairs, if there are more than two.
    fit : callable
        Grows one tree, as `fit_tree` does.
    **limits
        Passed on to `fit`.

    Returns
    -------
    forest : Forest
    fitted : list of FittedTree
    """
    jobs = jobs or Jobs()
    if pairwise and samples.n_classes > 2:
        kind, fitted = "pairs", fit_pairwise(samples, rows, options, seed, jobs, fit, **limits)
    elif n_trees > 1:
        kind, fitted = (
            "mean",
            fit_bagged(samples, rows, options, seed, jobs, n_trees, fit, **limits),
        )
    else:
        with jobs.bar(total=len(rows), unit="row") as bar:
            threads = {"n_jobs": jobs.n_jobs, "on_rows_done": bar.update}
            tree = fit(samples, rows, options, seed, **threads, **limits)
        kind, fitted = "one", [tree]
    return Forest(kind, classes, [part.tree for part in fitted]), fitted
