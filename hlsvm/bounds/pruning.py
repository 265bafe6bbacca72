"""Pruning by a bound: no row is held out, and the tree comes with a number it is held to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from sklearn.base import clone

from hlsvm._params import check_number, check_option
from hlsvm.bounds._standardize import Standardizer, split_rows
from hlsvm.bounds._tree_shape import TreeShape
from hlsvm.bounds._trees import only_tree, planes_of, rows_and_codes, rows_of
from hlsvm.bounds.descent_on_bound import descend, descend_and_prune, initial_posterior, prune
from hlsvm.bounds.gibbs import GaussianTree
from hlsvm.bounds.occam import code_tree
from hlsvm.bounds.result import Bound
from hlsvm.trees.pruning import weakest_links
from hlsvm.trees.tree import HyperplaneTree

__all__ = ["BoundedTree", "prune_by_bound"]

# Ways from the grown tree to the bound: which temperatures, and whether to prune before.
_WAYS = (((1.0,), True), ((0.3, 1.0), False))
_PRIOR_WAY = (0.1, 0.3, 1.0)
_SHARE = {"scale": 0.02, "tree": 0.5}
_LEAVES = {"scale": 100, "tree": 400}
_PRIOR_NOTE = {
    "scale": "centre and scale of the features come from other rows",
    "tree": "the prior is a tree grown on other rows",
}


@dataclass(frozen=True)
class BoundedTree:
    """A tree and the bound it was chosen by.

    For probabilities take the training shares of the leaf that a row reaches,
    ``tree.shares[tree.apply(X)]``, one column for each of `classes_`. `X` must be dense: pass
    ``X.toarray()`` for sparse rows.

    Attributes
    ----------
    tree : HyperplaneTree
        The deterministic tree.
    classes_ : ndarray
    bound : Bound
        Of the tree itself (kind "occam") or of its Gibbs version (kind "gibbs").
    posterior : GaussianTree or None
        The Gibbs version.

    Examples
    --------
    >>> from hlsvm import HLSVMClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = X[:, 0] > 0
    >>> model = HLSVMClassifier(lam=1e-4, random_state=0).fit(X, y)
    >>> chosen = prune_by_bound(model, X, y, kind="occam", refined=False)
    >>> bool((chosen.predict(X) == y).mean() > 0.95), float(chosen.bound) < 0.2
    (True, True)
    """

    tree: HyperplaneTree
    classes_: np.ndarray
    bound: Bound
    posterior: GaussianTree | None = None

    def __repr__(self) -> str:
        return f"BoundedTree of {self.tree.n_leaves} leaves\n{self.bound!r}"

    def _repr_html_(self) -> str:
        return f"<p>BoundedTree of {self.tree.n_leaves} leaves</p>{self.bound._repr_html_()}"

    def _rows(self, X):
        return rows_of("predict", self.tree, X)

    def predict(self, X) -> np.ndarray:
        """Class of every row by the deterministic tree."""
        return self.classes_[self.tree.winner[self.tree.apply(self._rows(X))]]

    def predict_gibbs(self, X, *, random_state: int = 0) -> np.ndarray:
        """Class of every row by the Gibbs tree: hyperplanes drawn anew for every decision.

        Raises
        ------
        AttributeError
            The tree was chosen by the Occam bound and has no Gibbs version.
        """
        if self.posterior is None:
            raise AttributeError("This tree was chosen by the Occam bound: it has no Gibbs tree.")
        rows = self.posterior.standardizer.rows(self._rows(X))
        return self.classes_[self.posterior.draw(rows, random_state)]

    def n_hyperplanes(self, X) -> np.ndarray:
        """Hyperplanes evaluated to classify every row."""
        return self.tree.n_planes_met[self.tree.apply(self._rows(X))]


def prune_by_bound(
    model,
    X,
    y,
    *,
    kind: str = "gibbs",
    refined: bool = True,
    prior: str = "scale",
    prior_fraction: float | None = None,
    delta: float = 0.05,
    max_leaves: int | None = None,
    max_iter: int = 60,
    random_state: int = 0,
) -> BoundedTree:
    """Choose a subtree, and with `refined` its hyperplanes, by a bound on its error.

    All rows train the tree; none is set aside to prune. A bound of known constants holds for all
    subtrees (and all weights) at once, so its minimiser may be returned together with it.

    Parameters
    ----------
    model : fitted HLSVMClassifier (one tree)
        Not changed.
    X, y : array-like
        The rows it was fitted on.
    kind : {"gibbs", "occam"}
        PAC-Bayes-kl bound of the tree with Gaussian node weights, or Occam bound of the tree with
        integer node weights. The second speaks of the deterministic tree.
    refined : bool
        Descend on the PAC-Bayes bound over all hyperplanes together and prune in turns, instead of
        only choosing a subtree.
    prior : {"scale", "tree"}
        What `prior_fraction` of the rows gives: the centre and scale of the features, or a whole
        tree (a clone of `model` grown and refined on them), around which the weights are then
        priced ("gibbs" only). These rows do not count in the bound; the second is tighter, and
        half of its rows only choose and adjust.
    prior_fraction : float in (0, 1), optional
        By default 0.02 for "scale" and 0.5 for "tree".
    delta : float in (0, 1)
        The bound holds with confidence 1 - delta.
    max_leaves : int, optional
        The grown tree is first cut to at most so many leaves, by weakest links: by default 100,
        and 400 with ``prior="tree"``.
    max_iter : int
        Steps of each descent.
    random_state : int
        Seed of the rows that form the prior.

    Returns
    -------
    BoundedTree

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import HLSVMClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = HLSVMClassifier(lam=1e-5, random_state=0).fit(X, y)
    >>> chosen = prune_by_bound(model, X, y)
    >>> chosen.bound.value < 0.15, chosen.tree.n_leaves < model.get_n_leaves()
    (True, True)
    """
    _check(kind, refined, prior, prior_fraction, delta, max_leaves, max_iter, random_state)
    rows, codes = rows_and_codes("prune_by_bound", model, X, y)
    if len(rows) < 8:
        raise ValueError(f"prune_by_bound needs at least 8 rows. Got {len(rows)}.")
    share = _SHARE[prior] if prior_fraction is None else prior_fraction
    max_leaves = _LEAVES[prior] if max_leaves is None else max_leaves
    first, rest = split_rows(len(rows), share, random_state)
    n_classes = only_tree(model).counts.shape[1]
    classes = getattr(model, "classes_", np.arange(n_classes))
    standardizer = Standardizer.of(rows[first])
    Z, counted = standardizer.rows(rows[rest]), codes[rest]
    options = {"delta": delta, "max_iter": max_iter}
    if prior == "tree":
        young = _young(model, rows[first], np.asarray(y)[first], n_classes)
        grown = _at_most(young, max_leaves)
        past = standardizer.rows(rows[first]), codes[first]
        posterior, choices = _informed(grown, standardizer, n_classes, past, (Z, counted), options)
    else:
        grown = _at_most(only_tree(model), max_leaves)
        if kind == "occam" and not refined:
            tree, bound = code_tree(grown, standardizer, rows[rest], counted, delta=delta)
            return BoundedTree(tree, classes, bound)
        choose = _refined if refined else _chosen
        posterior, choices = choose(grown, standardizer, n_classes, Z, counted, options), 1
    mass = posterior.errors(standardizer.rows(rows), codes)[1]
    tree = posterior.tree(mass)
    if kind == "occam":
        units = standardizer.to_standard(planes_of(tree))
        tree, bound = code_tree(tree, standardizer, rows[rest], counted, delta=delta, units=units)
        return BoundedTree(tree, classes, bound)
    bound = posterior.bound(Z, counted, delta=delta, choices=choices, note=_PRIOR_NOTE[prior])
    return BoundedTree(tree, classes, bound, posterior)


def _check(kind, refined, prior, prior_fraction, delta, max_leaves, max_iter, random_state):
    owner = "prune_by_bound"
    check_option(owner, "kind", kind, ("gibbs", "occam"))
    check_option(owner, "refined", refined, (False, True))
    check_option(owner, "prior", prior, ("scale", "tree"))
    if prior == "tree" and not (kind == "gibbs" and refined):
        raise ValueError("prior='tree' needs kind='gibbs' and refined=True.")
    check_number(
        owner, "prior_fraction", prior_fraction, low=0, high=1, closed="neither", options=(None,)
    )  # fmt: skip
    check_number(owner, "delta", delta, low=0, high=1, closed="neither")
    check_number(
        owner, "max_leaves", max_leaves, kind=Integral, low=1, closed="left", options=(None,)
    )  # fmt: skip
    check_number(owner, "max_iter", max_iter, kind=Integral, low=1, closed="left")
    check_number(owner, "random_state", random_state, kind=Integral, low=0)


def _young(model, X, y, n_classes):
    """Tree of a clone of `model` on the rows of the prior."""
    if not hasattr(model, "get_params"):
        raise TypeError(
            "prior='tree' grows a tree on other rows: model must be a fitted classifier. "
            f"Got {type(model).__name__}."
        )
    seen = len(np.unique(y))
    if seen < n_classes:
        raise ValueError(
            f"prior='tree' needs all {n_classes} classes among the {len(y)} rows of its prior: "
            f"raise prior_fraction. Got {seen}."
        )
    return only_tree(clone(model).fit(X, y))


def _at_most(tree, max_leaves: int):
    """Largest weakest-link subtree of at most so many leaves."""
    path = weakest_links(tree)
    return path.subtree(int(np.flatnonzero(path.n_leaves <= max_leaves)[0]))


def _start(tree, standardizer, n_classes, Z, codes, temperature, delta):
    tree_shape = TreeShape.of(tree)
    labels = tree.counts.argmax(axis=1).astype(np.int64)
    units = standardizer.to_standard(planes_of(tree))
    how = {"temperature": temperature, "delta": delta}
    return initial_posterior(tree_shape, labels, units, standardizer, n_classes, Z, codes, **how)


def _value(posterior, Z, codes, delta) -> float:
    return posterior.bound(Z, codes, delta=delta).value


def _chosen(tree, standardizer, n_classes, Z, codes, options):
    """Subtree of least bound, its hyperplanes as grown, one noise for all nodes."""
    delta = options["delta"]
    now = _start(tree, standardizer, n_classes, Z, codes, 1.0, delta)
    best = _value(now, Z, codes, delta), now
    while True:
        smaller = prune(now, Z, codes, delta=delta)
        units = smaller.mean / np.linalg.norm(smaller.mean, axis=1, keepdims=True)
        shape = (smaller.tree_shape, smaller.labels, units, standardizer, n_classes)
        smaller = initial_posterior(*shape, Z, codes, temperature=1.0, delta=delta)
        value = _value(smaller, Z, codes, delta)
        best = min(best, (value, smaller), key=lambda pair: pair[0])
        if smaller.tree_shape.n_nodes == now.tree_shape.n_nodes:
            return best[1]
        now = smaller


def _refined(tree, standardizer, n_classes, Z, codes, options):
    """Best end of several ways down the bound; the prior is the same for all of them."""
    ends = []
    for temperatures, prune_first in _WAYS:
        now = _start(tree, standardizer, n_classes, Z, codes, temperatures[0], options["delta"])
        if prune_first:
            now = prune(now, Z, codes, delta=options["delta"])
        now = descend_and_prune(now, Z, codes, temperatures=temperatures, **options)
        ends.append((_value(now, Z, codes, options["delta"]), now))
    return min(ends, key=lambda pair: pair[0])[1]


def _informed(tree, standardizer, n_classes, past, present, options):
    """Trees refined on the rows of the prior at several temperatures; the one of least bound.

    Returns
    -------
    posterior : GaussianTree
        Its prior is the tree itself before the rows that count moved it.
    choices : int
        Priors there were.
    """
    seen: list[GaussianTree] = []
    now = _start(tree, standardizer, n_classes, *past, _PRIOR_WAY[0], options["delta"])
    descend_and_prune(now, *past, temperatures=_PRIOR_WAY, seen=seen, **options)
    priors = [replace(p, prior_mean=p.mean, prior_log_var=p.log_var, structure=0.0) for p in seen]
    delta = options["delta"]
    best = min(priors, key=lambda p: _value(p, *present, delta / len(priors)))
    moved = descend(best, *present, delta=delta / len(priors), max_iter=options["max_iter"])
    ends = [(_value(p, *present, delta), p) for p in (best, moved)]
    return min(ends, key=lambda pair: pair[0])[1], len(priors)
