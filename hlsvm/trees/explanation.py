"""Why a row got its answer: the hyperplanes on its way, what weighed most, what each step did."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hlsvm._params import check_number, refusal
from hlsvm.trees._forest import Forest
from hlsvm.trees._intake import Intake
from hlsvm.trees._one_row import read_row
from hlsvm.trees._pipeline import forest_of
from hlsvm.trees._words import feature_words, with_categories

__all__ = ["Explanation", "Step", "Term", "explain"]


@dataclass(frozen=True)
class Term:
    """What one feature added to a decision.

    Attributes
    ----------
    feature : int
        Column.
    name : str
    value : float
        Of the row, in the units of the feature.
    typical : float
        Mean of the training data, in the same units.
    weight : float
        Change of the decision value per unit.
    contribution : float
        ``weight * (value - typical)``.
    turns_at : float
        Value of this feature, all others as they are, at which the decision turns; infinite where
        its weight is zero.
    """

    feature: int
    name: str
    value: float
    typical: float
    weight: float
    contribution: float
    turns_at: float


@dataclass(frozen=True)
class Step:
    """One decision on the way.

    Attributes
    ----------
    tree, node : int
    goes_right : bool
        The decision value is above zero.
    margin : float
        Decision value ``w.x + b``, the sum of `base`, the terms' contributions and `rest`; of a
        comparison in the units of its feature. It was decided by its absolute value.
    base : float
        Decision value of the mean of the training data.
    terms : tuple of Term
        The largest contributions, the largest first.
    rest : float
        Sum of the contributions of all other features.
    change : float
        What the step added to the score.
    """

    tree: int
    node: int
    goes_right: bool
    margin: float
    base: float
    terms: tuple[Term, ...]
    rest: float
    change: float

    def __str__(self) -> str:
        side = ">" if self.goes_right else "<="
        head = f"node {self.node}: {self.margin:+.4g} {side} 0, score {self.change:+.4f}"
        lines = [f"    {'an average row':24} {self.base:+.4g}"]
        for term in self.terms:
            lines.append(
                f"    {term.name:24} {term.contribution:+.4g}   is {term.value:.4g}, "
                f"on average {term.typical:.4g}, turns at {term.turns_at:.4g}"
            )
        return "\n".join([head, *lines, f"    {'all others':24} {self.rest:+.4g}"])


@dataclass(frozen=True)
class Explanation:
    """Answer to one row, step by step; `print` shows it.

    Attributes
    ----------
    label : object
        Class whose score is explained.
    score : float
        Its probability as `predict_proba` gives it.
    start : float
        The same before the first step: in the roots.
    steps : tuple of Step
        The way through the first tree, then the second, ...
    ties : float
        Where trees vote for pairs of classes: what the rule for equal votes added; else 0.
        ``start + sum of changes + ties`` is the score.
    """

    label: Any
    score: float
    start: float
    steps: tuple[Step, ...]
    ties: float

    def __str__(self) -> str:
        head = f"{self.label}: score {self.score:.4f}, {self.start:.4f} before the first step"
        several = len({step.tree for step in self.steps}) > 1
        lines = [f"tree {s.tree}, {s}" if several else str(s) for s in self.steps]
        if self.ties:
            lines.append(f"equal votes: score {self.ties:+.4f}")
        return "\n".join([head, *lines])


def _terms(weights, row, margin, typical, words, n_terms) -> tuple[tuple[Term, ...], float]:
    """Return the largest terms, and the sum of the others."""
    shares = weights * (row - typical)
    order = np.lexsort((np.arange(len(shares)), -np.abs(shares)))
    order = order[shares[order] != 0]
    terms = []
    for j in order[:n_terms].tolist():
        w, x = float(weights[j]), float(row[j])
        turns = x - margin / w if w else math.inf
        terms.append(Term(j, words[j], x, float(typical[j]), w, float(shares[j]), turns))
    return tuple(terms), math.fsum(shares[order[n_terms:]])


def _decision(forest: Forest, tree, node, row, words, n_terms) -> dict:
    """Return what `Step` says of a decision, without its effect on the score."""
    typical = forest.columns.mean
    plane, feature = tree.plane[node], tree.feature[node]
    if plane >= 0:
        weights = tree.weights[plane].astype(np.float64)
    else:
        weights = np.zeros(tree.n_features)
        weights[feature] = 1.0
    offset = float(tree.offsets[node])
    margin = math.fsum([*(weights * row).tolist(), offset])
    base = math.fsum([*(weights * typical).tolist(), offset])
    terms, rest = _terms(weights, row, margin, typical, words, n_terms)
    return {"margin": margin, "base": base, "terms": terms, "rest": rest}


def _votes(forest: Forest, k: int) -> np.ndarray:
    """Score of every class in every node of tree k, shape (n_nodes, n_classes), before scaling."""
    tree = forest.trees[k]
    if forest.kind != "pairs":
        return tree.shares
    n_classes = len(forest.classes)
    votes = np.zeros((tree.n_nodes, n_classes))
    votes[np.arange(tree.n_nodes), forest.pairs[k][tree.winner]] = 1.0
    votes[:, forest.pairs[k]] += tree.shares / n_classes
    return votes


def explain(
    model,
    x: ArrayLike,
    *,
    label: Any = None,
    n_terms: int = 5,
    feature_names: ArrayLike | None = None,
) -> Explanation:
    """Take the answer to one row apart: every decision on its way, and what it did to the score.

    Parameters
    ----------
    model : HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier, SavedTrees, ...
        Fitted; or a Pipeline of scalers that ends in one: everything is then in the units of the
        features as they enter the pipeline.
    x : array-like of shape (n_features,)
        With gaps or categories as ``model.encode`` gives it; categories are shown by name.
    label : element of ``classes_``, optional
        Class whose score is explained. None: the one predicted.
    n_terms : int, default=5
        Most features named for each decision.
    feature_names : array-like of str, shape (n_features,), optional
        None: those of the data frame of the fit, or x0, x1, ...

    Returns
    -------
    Explanation

    Raises
    ------
    ValueError
        `x` is not one row of the trees, or `label` is none of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import ObliqueTreeClassifier
    >>> from hlsvm.trees import explain
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> model = ObliqueTreeClassifier(random_state=0).fit(X, X[:, 0] > 0.5)
    >>> why = explain(model, [0.9, 0.1], feature_names=["age", "income"])
    >>> why.steps[0].terms[0].name
    'age'
    >>> changes = sum(step.change for step in why.steps)
    >>> bool(abs(why.start + changes - why.score) < 1e-9)
    True
    """
    check_number("explain", "n_terms", n_terms, kind=int, low=0)
    forest = forest_of(model)
    words = feature_words("explain", forest, feature_names)
    row = read_row("explain", x, forest.dtype, forest.n_features)
    words = with_categories(Intake.of(model), row, words)
    if label is None:
        code = int(forest.predict(row[None])[0])
    else:
        matches = np.flatnonzero(forest.classes == label) if np.isscalar(label) else []
        if len(matches) != 1:
            accepted = f"one of {forest.classes.tolist()}"
            raise ValueError(refusal("explain", "label", accepted, label))
        code = int(matches[0])
    score = float(forest.shares(row[None])[0, code])
    scale = 1.0 / len(forest.trees)
    if forest.kind == "pairs":
        scale = 1.0 / (len(forest.trees) * (1 + 1 / len(forest.classes)) + 1e-6)
    plain = row.astype(np.float64)
    start, steps = 0.0, []
    for k, tree in enumerate(forest.trees):
        votes = _votes(forest, k)[:, code] * scale
        start += float(votes[0])
        way = tree.way(int(tree.apply(row[None])[0]))
        for node, child in pairwise(way):
            change = float(votes[child] - votes[node])
            words_of = _decision(forest, tree, node, plain, words, n_terms)
            right = bool(child == tree.right[node])
            steps.append(Step(tree=k, node=node, goes_right=right, change=change, **words_of))
    ties = score - math.fsum([start, *(step.change for step in steps)])
    pairs = forest.kind == "pairs"
    return Explanation(forest.classes[code], score, start, tuple(steps), ties if pairs else 0.0)
